//! Types that nobody wrote: of lambdas, diamonds and wildcards.

use super::tests::{check, check_file};

#[test]
fn inference_knows_what_streams_hold() {
    let sum = "float k = 0; for (float g : bodies.stream().map(x1 -> x1.mass).toList()) k += g;";
    check(
        sum,
        "Assign_float_float, Declaration_float, Field_Reference, New_Object, \
        lib:java.lang.Iterable.iterator, lib:java.util.Collection.stream, \
        lib:java.util.stream.Stream.map, lib:java.util.stream.Stream.toList",
    );
    check(
        "w = bodies.stream().mapToDouble(k -> k.mass).sum() + x;",
        "Addition_double_double, Assign_double_double, Cast_numeric, Field_Reference, New_Object, \
         lib:java.util.Collection.stream, lib:java.util.stream.DoubleStream.sum, \
         lib:java.util.stream.Stream.mapToDouble",
    );
    check(
        "bodies.sort(Comparator.comparing(k -> k.mass));",
        "Field_Reference, New_Object, lib:java.util.Comparator.comparing, lib:java.util.List.sort",
    );
    check(
        "x = same(n) + 1;",
        "Addition_int_int, Assign_int_int, Method_Invocation, Parameter_Object",
    );
    check(
        "w = Optional.of(n).map(k -> k * 2).orElse(0) + 1;",
        "Addition_int_int, Assign_double_double, Cast_numeric, New_Object, \
         lib:java.util.Optional.map, lib:java.util.Optional.of, lib:java.util.Optional.orElse",
    );
}

#[test]
fn an_unbounded_wildcard_has_the_bound_of_its_parameter() {
    let java = "class W<D extends W.N> { static class N { long id() { return 1; } } D d() { return null; } \
        boolean f(W<?> o, int x) { return o.d().id() == x; } }";
    check_file(
        java,
        "W.f(W,int)",
        "Cast_numeric, Equal_long_long, Method_Invocation 2, Return_boolean",
    );
}

#[test]
fn lambdas_infer_the_class_of_a_diamond() {
    let java = "import java.util.*; import java.util.function.*; class X { \
        interface Col<T, A, R> { } \
        record Impl<T, A, R>(Supplier<A> s, BiConsumer<A, T> a, Function<A, R> f) implements Col<T, A, R> { } \
        static <T> Col<T, ?, Integer> sum(ToIntFunction<? super T> m) { \
        return new Impl<>(() -> new int[1], (a, t) -> { a[0] += m.applyAsInt(t); }, a -> a[0]); } }";
    check_file(
        java,
        "lambda_2",
        "Addition_int_int, Array_Reference, Assign_int_int, \
        lib:java.util.function.ToIntFunction.applyAsInt",
    );
}
