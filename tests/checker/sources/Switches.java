import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Switch expressions where a type is asked for, which is then theirs (JLS 15.28.1), and
 * where none is.
 */
class Switches {
    long field = switch (hashCode()) { case 1 -> hashCode(); default -> 2; };
    long[] elements = {switch (hashCode()) { case 1 -> 1; default -> hashCode(); }};
    double[][] nested = {{switch (hashCode()) { case 1 -> 1; default -> 2f; }}};
    Object object;

    Switches() {
        this(switch ("".length()) { case 1 -> 1; default -> 2; }, 0);
    }

    Switches(long n, int m) {
    }

    void assigned(int i, Integer boxed, byte b, boolean z, float f) {
        long l = switch (i) { case 1 -> i; default -> 2; };
        l = switch (i) { case 1 -> i; default -> 2; };
        l = (switch (i) { case 1 -> i; default -> 2; });
        l = ((switch (i) { case 1 -> { yield i; } default -> { int k = i + 1; yield k; } }));
        l = switch (i) { case 1: yield i; default: yield boxed; };
        l = switch (i) { case 1 -> boxed; default -> boxed; };
        Long whole = switch (i) { case 1 -> 1L; default -> l; };
        Integer same = switch (i) { case 1 -> i; default -> boxed; };
        int small = switch (i) { case 1 -> b; default -> 'c'; };
        double d = switch (i) { case 1 -> f; case 2 -> l; default -> i; };
        object = switch (i) { case 1 -> i; default -> 2; };
        boolean p = switch (i) { case 1 -> z; default -> Boolean.TRUE; };
        elements[i] = switch (i) { case 1 -> i; default -> 2; };
        var inferred = switch (i) { case 1 -> i; default -> 2; };
        l = inferred;
        var wide = switch (i) { case 1 -> i; default -> l; };
        i = (int) wide;
    }

    void withinOperators(int i, long l, float f) {
        l += switch (i) { case 1 -> i; default -> 2; };
        l = 1L + switch (i) { case 1 -> i; default -> 2; };
        f = f * switch (i) { case 1 -> i; default -> 2; };
        l = (long) switch (i) { case 1 -> i; default -> 2; };
        Object o = (Object) switch (i) { case 1 -> i; default -> 2; };
        l = -switch (i) { case 1 -> i; default -> 2; };
        String s = "" + switch (i) { case 1 -> i; default -> 2L; };
        elements[switch (i) { case 1 -> i; default -> 'c'; }]++;
        if (switch (i) { case 1 -> true; default -> Boolean.FALSE; }) i++;
        switch (switch (i) { case 1 -> 'a'; default -> 'b'; }) { case 'a' -> i++; default -> i--; }
        for (long each : switch (i) { case 1 -> new int[1]; default -> new int[2]; }) l += each;
    }

    void withinConditionals(int i, boolean z, Integer boxed, Long large) {
        long l = z ? switch (i) { case 1 -> i; default -> 2; } : 3;
        l = z ? switch (i) { case 1 -> i; default -> 2; } : 3L;
        l = z ? switch (i) { case 1 -> i; default -> boxed; } : boxed;
        Object o = z ? switch (i) { case 1 -> i; default -> 2; } : "text";
        l = switch (i) { case 1 -> z ? i : 2; default -> z ? boxed : i; };
        double d = z ? switch (i) { case 1 -> i; default -> 2; } : switch (i) { case 1 -> large; default -> i; };
    }

    void withinSwitches(int i, boolean z) {
        long l = switch (i) {
            case 1 -> switch (i + 1) { case 2 -> i; default -> 3; };
            case 2 -> {
                int k = switch (i) { case 3 -> i; default -> 4; };
                long w = switch (k) { case 5 -> k; default -> 6; };
                yield switch (k) { case 7 -> k; default -> w; };
            }
            default -> (switch (i) { case 8 -> i; default -> 9; });
        };
        switch (i) {
            case 1 -> l = switch (i) { case 1 -> i; default -> 2; };
            default -> { }
        }
    }

    static void take(long l) {
    }

    static void takeAll(long... all) {
    }

    static int over(long l, int i) {
        return 1;
    }

    static int over(Object o, Object p) {
        return 2;
    }

    static int over(double d, float f) {
        return 3;
    }

    static <T> T same(T t) {
        return t;
    }

    static <T> T supplied(Supplier<T> supplier) {
        return supplier.get();
    }

    static void call(Supplier<String> supplier, long l) {
    }

    static void call(IntFunction<String> function, Object o) {
    }

    void passed(int i, Integer boxed, byte b, long[] array) {
        take(switch (i) { case 1 -> i; default -> 2; });
        take((switch (i) { case 1 -> i; default -> 2; }));
        take(i > 1 ? switch (i) { case 1 -> i; default -> 2; } : 3);
        takeAll(switch (i) { case 1 -> i; default -> 2; }, switch (i) { case 1 -> 1f > i ? 3 : 4; default -> 2L; });
        takeAll(switch (i) { case 1 -> array; default -> null; });
        over(switch (i) { case 1 -> i; default -> 2; }, switch (i) { case 1 -> b; default -> 2; });
        over(switch (i) { case 1 -> i; default -> 2f; }, i);
        over(switch (i) { case 1 -> "s"; default -> 2; }, i);
        long l = same(switch (i) { case 1 -> i; default -> 2; });
        l = same(switch (i) { case 1 -> 1L; default -> 2L; });
        l = supplied(() -> switch (i) { case 1 -> i; default -> 2; });
        object = new Switches(switch (i) { case 1 -> i; default -> 2; }, switch (i) { case 1 -> b; default -> 2; });
        String.valueOf(switch (i) { case 1 -> 'c'; default -> 'd'; });
        Math.max(switch (i) { case 1 -> i; default -> 2; }, 3L);
        call(switch (i) { case 1 -> () -> "a" + i; default -> () -> { long k = i; return "b" + k; }; }, i);
        call(switch (i) { case 1 -> x -> "a" + (x + 1L); default -> { IntFunction<String> f = null; yield f; } }, "");
    }

    long returned(int i) {
        if (i > 3) return switch (i) { case 1 -> i; default -> 2; };
        LongSupplier supplier = () -> switch (i) { case 1 -> i; default -> 2; };
        IntToLongFunction function = x -> { return switch (x) { case 1 -> x; default -> 2; }; };
        Supplier<LongSupplier> twice = () -> switch (i) { case 1 -> () -> i; default -> () -> { long k = i; return k; }; };
        return switch (i) { case 1 -> { long l = switch (i) { default -> i; }; yield l; } default -> i; };
    }
}
