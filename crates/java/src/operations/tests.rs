//! One check per rule of `docs/internals/operations.md`: minimal Java, the block, its operations.

use std::sync::LazyLock;

use super::{Dictionary, count};
use crate::blocks::{Granularity, divide};
use crate::finding::{Finding, FindingKind};
use crate::java::{ClassPath, SourceFile};

pub(super) static CLASSES: LazyLock<ClassPath> =
    LazyLock::new(|| ClassPath::open(&[]).expect("an empty class path can be opened"));

pub(super) fn scan_with(java: &str, classes: &ClassPath) -> (Dictionary, Vec<Finding>) {
    let files = [SourceFile::parse("T.java", java)];
    let granularity = Granularity::Statement;
    let blocks: Vec<_> = files.iter().map(|f| divide(f, granularity)).collect();
    let counted = count(&files, &blocks, classes);
    (counted.dictionary, counted.findings)
}

/// The operations of the block whose name ends with `block`, as `A 2, B`.
fn operations_of(dictionary: &Dictionary, block: &str) -> String {
    let found = dictionary.blocks.iter().find(|b| b.name.ends_with(block));
    let Some(found) = found else {
        let names: Vec<&str> = dictionary.blocks.iter().map(|b| b.name.as_str()).collect();
        panic!("no block {block} among {names:?}");
    };
    let mut counts: Vec<(String, u32)> = Vec::new();
    for operation in &found.operations {
        match counts.last_mut() {
            Some((name, count)) if *name == operation.operation.name() => *count += operation.count,
            _ => counts.push((operation.operation.to_string(), operation.count)),
        }
    }
    let text = |(name, count): &(String, u32)| match count {
        1 => name.clone(),
        _ => format!("{name} {count}"),
    };
    counts.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Checks a block of a whole file. Needs a JDK.
pub(super) fn check_file(java: &str, block: &str, expected: &str) {
    if !CLASSES.has_jdk() {
        return crate::skip::because("no JDK");
    }
    let (dictionary, findings) = scan_with(java, &CLASSES);
    assert_eq!(operations_of(&dictionary, block), expected, "{block} of\n{java}");
    assert_eq!(findings, [], "{java}");
}

/// Checks the entry block of a method with these statements, beside fields to use.
pub(super) fn check(statements: &str, expected: &str) {
    let java = format!(
        "import java.util.*; import java.util.function.*; class T {{ \
         boolean z; byte b; char c; int i; long l; float f; double d; Object o; String s; \
         Integer boxed; int[] a; char[] cs; float[][] grid; static final int K = 3; final int own = 4; \
         List<Body> bodies; Map<String, Float> map; \
         static class Body {{ float mass; int id() {{ return 1; }} static int n; Body(int x) {{}} Body() {{}} }} \
         int call(int x, Object y) {{ return x; }} void nothing() {{}} <T> T same(T t) {{ return t; }}\n\
         void test(boolean p, int x, long y, float v, double w, Object q, String t, Integer n, int[] r) {{ {statements} }} }}"
    );
    check_file(
        &java,
        "T.test(boolean,int,long,float,double,Object,String,Integer,int[])",
        expected,
    );
}

#[test]
fn program_1_of_li_and_gallagher() {
    let body = "for (int i = 0; i < vertices.limit(); i = i + 3) { out.put(vertices.get(i)); \
                out.put(vertices.get(i + 1)); out.put(vertices.get(i + 2)); }";
    let locals = format!(
        "import java.nio.FloatBuffer; class P {{ void f(FloatBuffer vertices, FloatBuffer out) {{ {body} }} }}"
    );
    check_file(&locals, "for_1.init", "Assign_int_int, Declaration_int");
    check_file(&locals, "for_1.test", "BlockGoto_for, Less_int_int, lib:java.nio.Buffer.limit");
    check_file(&locals, "for_1.update", "Addition_int_int, Assign_int_int, BlockGoto_for");
    let calls = "lib:java.nio.FloatBuffer.get 3, lib:java.nio.FloatBuffer.put 3";
    check_file(&locals, ".for_1", &format!("Addition_int_int 2, BlockGoto_for, {calls}"));
    let fields = format!(
        "import java.nio.FloatBuffer; class P {{ FloatBuffer vertices, out; void f() {{ {body} }} }}"
    );
    let test = "BlockGoto_for, Field_Reference, Less_int_int, lib:java.nio.Buffer.limit";
    check_file(&fields, "for_1.test", test);
    let body = format!("Addition_int_int 2, BlockGoto_for, Field_Reference 6, {calls}");
    check_file(&fields, ".for_1", &body);
}

#[test]
fn rule_1_constants_count_nothing() {
    check("x = 1 + K * 2;", "Assign_int_int");
    check("x = this.own;", "Assign_int_int");
    check("x = this.own + 1;", "Addition_int_int, Assign_int_int");
    check("t = t + \"a\" + \"b\";", "Assign_Object_Object, String_Concat 2");
    check("t = \"a\" + \"b\" + K + t;", "Assign_Object_Object, String_Concat");
    check("final int k = 5; x = k * 2;", "Assign_int_int 2, Declaration_int");
    check("x = Integer.MAX_VALUE;", "Assign_int_int");
    check("x = 1 / 0;", "Assign_int_int, Division_int_int");
    check("x = true ? 1 : 2;", "Assign_int_int");
}

#[test]
fn rule_2_what_is_not_counted() {
    check("assert x > 0 : t + x;", "");
    check("Class<?> k = String.class;", "Assign_Object_Object, Declaration_Object");
    check("@SuppressWarnings(\"x\") Object k = this;", "Assign_Object_Object, Declaration_Object");
}

#[test]
fn rule_3_calls() {
    check("call(x, t);", "Method_Invocation, Parameter_Object, Parameter_int");
    check("this.nothing();", "Method_Invocation");
    check("call(b, null);", "Field_Reference, Method_Invocation, Parameter_Object, Parameter_int");
    check("t.length();", "lib:java.lang.String.length");
    check("System.out.println(x);", "Field_Reference, lib:java.io.PrintStream.println");
    check("toString();", "lib:java.lang.Object.toString");
    check("r.clone();", "lib:java.lang.Object.clone");
    check("bodies.get(x).id();", "Field_Reference, Method_Invocation, lib:java.util.List.get");
    let entry = "for (Map.Entry<String, Float> e : map.entrySet()) { e.getKey(); }";
    check(entry, "Field_Reference, lib:java.lang.Iterable.iterator, lib:java.util.Map.entrySet");
    check(
        "new StringBuilder().append(x).length();",
        "New_Object, lib:java.lang.AbstractStringBuilder.length, lib:java.lang.StringBuilder.<init>, \
         lib:java.lang.StringBuilder.append",
    );
}

#[test]
fn rule_3_implicit_members() {
    let java = "enum E { A, B; void f() { E[] all = values(); valueOf(\"A\"); ordinal(); } }";
    check_file(
        java,
        "E.f()",
        "Assign_Array_Array, Declaration_Object, Method_Invocation 2, \
        Parameter_Object, lib:java.lang.Enum.ordinal",
    );
    let java = "record P(int x, float y) { float f(P p) { return p.x() + y; } }";
    check_file(
        java,
        "P.f(P)",
        "Addition_int_float, Field_Reference, Method_Invocation, Return_float",
    );
    let java = "class A { A(int x) { this((float) x); } A(float y) { super(); } }";
    check_file(java, "A.<init>(int)", "Cast_numeric, Method_Invocation, Parameter_float");
    check_file(java, "A.<init>(float)", "lib:java.lang.Object.<init>");
}

#[test]
fn rule_4_creation() {
    check("new Body(x);", "Method_Invocation, New_Object, Parameter_int");
    check("new ArrayList<String>(x);", "New_Object, lib:java.util.ArrayList.<init>");
    check(
        "Runnable k = new Runnable() { public void run() {} };",
        "Assign_Object_Object, Declaration_Object, New_Object, lib:java.lang.Runnable.<init>",
    );
    check("Runnable k = () -> nothing();", "Assign_Object_Object, Declaration_Object, New_Object");
    check("Runnable k = this::nothing;", "Assign_Object_Object, Declaration_Object, New_Object");
    check("int[] k = new int[x];", "Assign_Array_Array, Declaration_Object, New_Array");
    check(
        "int[][] k = {{1, x}, null};",
        "Array_Reference 4, Assign_Array_Array 2, Assign_Object_null, \
        Assign_int_int 2, Declaration_Object, New_Array 2",
    );
    check(
        "Object k = new float[]{x};",
        "Array_Reference, Assign_Object_Object, Assign_float_float, \
        Cast_numeric, Declaration_Object, New_Array",
    );
    let java = "enum E { A(1), B(2) { }; E(int x) {} }";
    check_file(java, "E.<clinit>", "Method_Invocation 2, New_Object 2, Parameter_int 2");
}

#[test]
fn rule_5_return() {
    let method = |ty: &str, body: &str| format!("class R {{ {ty} f(int x) {{ {body} }} }}");
    check_file(&method("long", "return x;"), "R.f(int)", "Return_long");
    check_file(&method("Object", "return x;"), "R.f(int)", "Return_Object");
    check_file(&method("void", "return;"), "R.f(int)", "Return_void");
    check_file(&method("void", ""), "R.f(int)", "");
    let java = "import java.util.function.*; class R { Predicate<String> p = s -> { return s.isEmpty(); }; \
        Function<String, Integer> g = s -> s.length(); }";
    check_file(java, "lambda_1", "Return_boolean, lib:java.lang.String.isEmpty");
    check_file(java, "lambda_2", "lib:java.lang.String.length");
}

#[test]
fn rule_6_binary_operators() {
    check("x = x + b;", "Addition_int_int, Assign_int_int, Field_Reference");
    check("v = x * v;", "Assign_float_float, Multi_int_float");
    check("w = v * w;", "Assign_double_double, Cast_numeric, Multi_double_double");
    check("w = w * 2;", "Assign_double_double, Cast_numeric, Multi_double_double");
    check("p = x < v;", "Assign_boolean_boolean, Less_int_float");
    check("p = v <= x;", "Assign_boolean_boolean, Less_int_float");
    check("p = x >= v;", "Assign_boolean_boolean, Greater_int_float");
    check("p = y > x;", "Assign_boolean_boolean, Cast_numeric, Greater_long_long");
    check("v = v % v;", "Assign_float_float, Modulo_double_double");
    check("v = v % x;", "Assign_float_float, Cast_numeric, Modulo_double_double");
    check(
        "p = p & p | p ^ p;",
        "Assign_boolean_boolean, BitAnd_int_int, BitOr_int_int, BitXor_int_int",
    );
    check("y = y << x;", "Assign_long_long, Shift_long");
    check("x = x >>> y;", "Assign_int_int, Shift_int");
    check("x = n + n;", "Addition_int_int, Assign_int_int");
    check("t = x + t + x;", "Assign_Object_Object, String_Concat 2");
    check(
        "w = map.get(t) * 2.0;",
        "Assign_double_double, Cast_numeric, Field_Reference, \
        Multi_double_double, lib:java.util.Map.get",
    );
}

#[test]
fn rule_7_equality() {
    check("p = q == null;", "Assign_boolean_boolean, Equal_Object_null");
    check("p = null != t;", "Assign_boolean_boolean, NotEqual_Object_null");
    check("p = q == t;", "Assign_boolean_boolean, Equal_Object_Object");
    check("p = n == n;", "Assign_boolean_boolean, Equal_Object_Object");
    check("p = n == x;", "Assign_boolean_boolean, Equal_int_int");
    check("p = p != p;", "Assign_boolean_boolean, NotEqual_boolean_boolean");
    check("p = x == v;", "Assign_boolean_boolean, Cast_numeric, Equal_float_float");
}

#[test]
fn rule_8_unary() {
    check("x = -x;", "Assign_int_int, Negation_int");
    check("w = -w;", "Assign_double_double, Negation_double");
    check("p = !p;", "Assign_boolean_boolean, Not");
    check("y = ~y;", "Assign_long_long, BitXor_long_long");
    check("x++; --i;", "Decrement, Field_Reference, Increment");
    check("a[x]++;", "Array_Reference, Field_Reference, Increment");
    check("x = +x;", "Assign_int_int");
    check("x = -1;", "Assign_int_int");
}

#[test]
fn rule_9_assignments() {
    check("y = x;", "Assign_long_long, Cast_numeric");
    check("y = 1;", "Assign_long_long");
    check("y = n;", "Assign_long_long");
    check("q = x;", "Assign_Object_Object");
    check("q = null;", "Assign_Object_null");
    check("r = a;", "Assign_Array_Array, Field_Reference");
    check(
        "cs = t.toCharArray();",
        "Assign_char[]_char[], Field_Reference, lib:java.lang.String.toCharArray",
    );
    check("grid[x][x] = v;", "Array_Reference 2, Assign_float_float, Field_Reference");
    check("x += 2;", "Addition_int_int, Assign_int_int");
    check("x += v;", "Addition_int_float, Assign_int_int, Cast_numeric");
    check("v += x;", "Addition_int_float, Assign_float_float");
    check("w += x;", "Addition_double_double, Assign_double_double, Cast_numeric");
    check("b += 1;", "Addition_int_int, Assign_int_int, Field_Reference");
    check("t += x;", "Assign_Object_Object, String_Concat");
    check("n += x;", "Addition_int_int, Assign_Object_Object");
    check("p &= p;", "Assign_boolean_boolean, BitAnd_int_int");
    check("y <<= x;", "Assign_long_long, Shift_long");
    check("a[x] *= 2;", "Array_Reference, Assign_int_int, Field_Reference, Multi_int_int");
}

#[test]
fn rule_10_declarations() {
    check("int k; float g = 1, h;", "Assign_float_float, Declaration_float 2, Declaration_int");
    check("var k = 1L;", "Assign_long_long, Declaration_long");
    check(
        "p = q instanceof String k && k.isEmpty();",
        "And, Assign_boolean_boolean, Declaration_Object, InstanceOf, lib:java.lang.String.isEmpty",
    );
    let java =
        "class F { static final int K = 1; static int m = K; int n = m, o; final float g = 2f; }";
    check_file(java, "F.<clinit>", "Assign_int_int, Field_Reference");
    check_file(java, "F.<fields>", "Assign_int_int, Field_Reference 2");
    check("try { nothing(); } catch (RuntimeException e) { }", "");
}

#[test]
fn rule_11_references() {
    check(
        "x = a[x] + a.length;",
        "Addition_int_int, Array_Reference, Assign_int_int, Field_Reference 3",
    );
    check("x = Body.n;", "Assign_int_int, Field_Reference");
    check(
        "v = bodies.get(0).mass;",
        "Assign_float_float, Field_Reference 2, lib:java.util.List.get",
    );
}

#[test]
fn rule_12_casts() {
    check("x = (int) v;", "Assign_int_int, Cast_numeric");
    check("c = (char) x;", "Assign_int_int, Cast_numeric, Field_Reference");
    check("x = (int) x;", "Assign_int_int");
    check("t = (String) q;", "Assign_Object_Object, Cast_Object");
    check("x = (int) q;", "Assign_int_int");
    check("q = (Object) x;", "Assign_Object_Object");
    check(
        "w = call(x, null);",
        "Assign_double_double, Cast_numeric, Method_Invocation, Parameter_Object, Parameter_int",
    );
}

#[test]
fn rule_13_logic() {
    check("p = p && !p || x > 0;", "And, Assign_boolean_boolean, Greater_int_int, Not, Or");
    check("x = p ? x + 1 : -x;", "Addition_int_int, Assign_int_int, BlockGoto_if, Negation_int");
    check("w = p ? x : v;", "Assign_double_double, BlockGoto_if, Cast_numeric");
}

#[test]
fn rule_14_control() {
    let java = "class C { synchronized int f(int x) { if (x > 0) { x++; } else x--; \
        while (x < 9) { if (x == 3) break; } do { x--; } while (x > 1); \
        switch (x) { case 1: x = 2; break; case 2: case 3: default: x = 4; } \
        try { x = 5; } catch (Error e) { throw e; } finally { x = 6; } \
        synchronized (this) { x = 7; } return x; } }";
    check_file(java, "C.f(int)", "Greater_int_int, Synchronized");
    check_file(java, ".if_1", "BlockGoto_if, Increment");
    check_file(java, ".else_1", "BlockGoto_else, Decrement");
    check_file(java, ".while_1.test", "BlockGoto_while, Less_int_int");
    check_file(java, ".while_1", "BlockGoto_while, Equal_int_int");
    check_file(java, ".if_2", "BlockGoto_if, BlockGoto_jump");
    check_file(java, ".do_1", "BlockGoto_do, Decrement");
    check_file(java, ".do_1.test", "BlockGoto_do, Greater_int_int");
    check_file(java, ".switch_1.case_1", "Assign_int_int, BlockGoto_jump, BlockGoto_switch");
    check_file(java, ".try_1", "Assign_int_int");
    check_file(java, ".try_1.catch_1", "BlockGoto_try, Throw");
    check_file(java, ".try_1.finally", "Assign_int_int, BlockGoto_try");
    check_file(java, ".after_5", "Assign_int_int, Return_int, Synchronized");
}

#[test]
fn rule_14_switch_values() {
    let java = "class C { int f(int x) { int y = switch (x) { case 1 -> x + 1; case 2 -> { yield x; } \
        default -> throw new Error(); }; return y; } }";
    check_file(java, "C.f(int)", "Assign_int_int, Declaration_int");
    check_file(java, ".case_1", "Addition_int_int, BlockGoto_switch");
    check_file(java, ".case_2", "BlockGoto_jump, BlockGoto_switch");
    check_file(java, ".case_3", "BlockGoto_switch, New_Object, Throw, lib:java.lang.Error.<init>");
}

#[test]
fn a_switch_expression_is_of_the_type_that_is_asked_for() {
    let switch = "switch (x) { case 1 -> x; default -> 2; }";
    check(&format!("y = {switch};"), "Assign_long_long");
    check(&format!("double k = ({switch});"), "Assign_double_double, Declaration_double");
    check(&format!("y = p ? {switch} : 3;"), "Assign_long_long, BlockGoto_if, Cast_numeric");
    check(&format!("y += {switch};"), "Addition_long_long, Assign_long_long, Cast_numeric");
    check(&format!("var k = {switch};"), "Assign_int_int, Declaration_int");
    check(
        &format!("call({switch}, {switch});"),
        "Method_Invocation, Parameter_Object, Parameter_int",
    );
}

#[test]
fn rule_15_enhanced_for() {
    let java = "import java.util.*; class C { void f(int[] a, List<Integer> l, Map<String, float[]> m) { \
        for (float x : a) { } for (int y : l) { } for (var e : m.entrySet()) { e.getValue()[0]++; } } }";
    let array = "Array_Reference, Assign_float_float, BlockGoto_foreach, Cast_numeric, \
        Declaration_float, Increment, Less_int_int";
    check_file(java, ".foreach_1", array);
    check_file(java, "C.f(int[],List,Map)", "");
    check_file(java, ".after_1", "lib:java.lang.Iterable.iterator");
    let iterator = "lib:java.util.Iterator.hasNext, lib:java.util.Iterator.next";
    check_file(
        java,
        ".foreach_2",
        &format!("Assign_int_int, BlockGoto_foreach, Declaration_int, {iterator}"),
    );
    check_file(
        java,
        ".foreach_3",
        &format!(
            "Array_Reference, Assign_Object_Object, BlockGoto_foreach, Declaration_Object, Increment, \
         {iterator}, lib:java.util.Map$Entry.getValue"
        ),
    );
}

#[test]
fn private_members_are_not_inherited() {
    let java = "import java.util.*; class Outer { float x; static class Node { int id; } \
        float get() { return x; } \
        static class Base { private int x; private int get() { return 1; } } \
        class Below extends Base { float f() { return x + get(); } } \
        class Map2 extends HashMap<String, String> { int f(Node n) { return n.id; } } }";
    check_file(
        java,
        "Below.f()",
        "Addition_float_float, Field_Reference, Method_Invocation, Return_float",
    );
    check_file(java, "Map2.f(Node)", "Field_Reference, Return_int");
}

#[test]
fn lines_are_those_of_the_operators() {
    let java = "class L { int f(int x)\n{ return x\n + x; } }";
    let (dictionary, _) = scan_with(java, &ClassPath::empty());
    let lines: Vec<(&str, u32)> =
        dictionary.blocks[0].operations.iter().map(|o| (o.operation.name(), o.line)).collect();
    assert_eq!(lines, [("Addition_int_int", 3), ("Return_int", 2)]);
}

#[test]
fn what_is_unknown_is_counted_and_reported() {
    let java = "class U { void f(Missing m) { int x = m.g() + 1; } }";
    let (dictionary, findings) = scan_with(java, &ClassPath::empty());
    let expected = "Addition_int_int, Assign_int_int, Declaration_int, lib:?.g";
    assert_eq!(operations_of(&dictionary, "U.f(Missing)"), expected);
    let kinds: Vec<FindingKind> = findings.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, [FindingKind::UnknownType, FindingKind::UnresolvedCall]);
}

/// The catalogue has none of these; whoever reads the tables knows all that is in them.
#[test]
fn operators_that_java_does_not_have_count_as_others() {
    let java = "class T { boolean z; float f; void test() { \
        z = z + z; z = -z; z = ~z; z = z < z; f = f & f; f = ~f; f = f >> f; z %= z; } }";
    let (dictionary, _) = scan_with(java, &CLASSES);
    let (blocks, lines) = (dictionary.blocks_csv(), dictionary.operation_lines_csv());
    assert_eq!(Dictionary::from_csv(&blocks, &lines).unwrap(), dictionary);
    let expected = "Addition_int_int, Assign_boolean_boolean 5, Assign_float_float 3, \
        BitAnd_long_long, BitXor_int_int, BitXor_long_long, Field_Reference 20, Less_int_int, \
        Modulo_int_int, Negation_int, Shift_int";
    assert_eq!(operations_of(&dictionary, "T.test()"), expected);
}

#[test]
fn strange_java_does_not_stop_the_count() {
    let deep = 100_000;
    for java in [
        String::new(),
        "class".to_owned(),
        "class A extends A { B b; int f() { return f(; } }".to_owned(),
        "interface A extends B, C { int X = 1; } interface B extends A, C {} interface C extends A, B { Missing m(); } \
         class D extends E {} class E extends D { void f(A a, boolean p, C c) { g(p ? a : c); a.q.r(); } }"
            .to_owned(),
        "class A<T extends A<T>> extends A<T>.B { T t; void f() { t.t.t.f(); } }".to_owned(),
        format!("class A {{ int x = {}1{}; }}", "(".repeat(deep), ")".repeat(deep)),
        format!("class A {{ int y; int x = y{}; }}", " + y".repeat(deep)),
        format!("class A {{ int y; int x = {}y; }}", "-~".repeat(deep / 2)),
        format!("class A {{ void f() {{ {}{} }} }}", "{".repeat(deep), "}".repeat(deep)),
        format!("class A {{ Object o = {}1; }}", "x -> ".repeat(5000)),
        format!("class A {{ Object o = f{}; }}", ".g()".repeat(deep)),
        format!("class A {{ {} }}", "class B {".repeat(3000)),
    ] {
        scan_with(&java, &ClassPath::empty());
    }
}
