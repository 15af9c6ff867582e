//! One check per context: a statement, an operation of it, its contexts.

use std::collections::{BTreeMap, BTreeSet};

use super::tests::{CLASSES, scan_with};

/// Checks the contexts of one operation in a block of these statements, as `a 2, b`.
fn check(statements: &str, operation: &str, expected: &str) {
    if !CLASSES.has_jdk() {
        return crate::skip::because("no JDK");
    }
    let java = format!(
        "class T {{ boolean z; byte b; int i, own; long l; float f; double d; Object o; String s; \
         int[] a; float[][] grid; static int counter; static void helper() {{ }} \
         void test() {{ {statements} }} }}"
    );
    let mut counts = BTreeMap::new();
    for block in &scan_with(&java, &CLASSES).0.blocks {
        for found in block.operations.iter().filter(|found| found.operation.name() == operation) {
            *counts.entry(found.context.to_string()).or_insert(0) += found.count;
        }
    }
    let text = |(context, count): (&String, &u32)| match count {
        1 => context.clone(),
        _ => format!("{context} {count}"),
    };
    let found: Vec<String> = counts.iter().map(text).collect();
    assert_eq!(found.join(", "), expected, "{operation} in {statements}");
}

/// An empty context means that there is no other: it is the operation itself in the
/// microbenchmarks' table.
#[test]
fn operations_have_contexts_always_or_never() {
    let statements = "d = i + 2 * f; d = d * f + f * 3 - l / 2.0; f = f / i; z = d < 2 || l == i; \
        if (f > i && 2 > f) { l = l & 7; b += 1; f *= 2; } else { l %= i; d++; } i = z ? 1 : own; \
        for (int x : a) { i += x; } for (int k = 0; k < 3; k++) { a[k] = k; } s = s + i; o = new T();";
    let java = format!(
        "class T {{ boolean z; byte b; int i, own; long l; float f; double d; Object o; String s; \
         int[] a; void test() {{ {statements} }} }}"
    );
    let mut contexts: BTreeMap<String, BTreeSet<bool>> = BTreeMap::new();
    for found in scan_with(&java, &CLASSES).0.blocks.iter().flat_map(|block| &block.operations) {
        contexts.entry(found.operation.to_string()).or_default().insert(found.context.is_empty());
    }
    let mixed: Vec<_> = contexts.iter().filter(|(_, empty)| empty.len() > 1).collect();
    assert_eq!(mixed, Vec::<(&String, &BTreeSet<bool>)>::new());
    assert!(contexts.len() > 20);
}

#[test]
fn fields_are_read_written_updated_and_tested() {
    check("i = own;", "Field_Reference", "read int, write int");
    check("f += i;", "Field_Reference", "read int, update float");
    check("(o) = s;", "Field_Reference", "read object, write object");
    check("if ((z) && l > 0) i++;", "Field_Reference", "read int tested, read long, update int");
    check("i = a.length;", "Field_Reference", "length, read object, write int");
    check("counter = counter + 1;", "Field_Reference", "static read int, static write int");
}

#[test]
fn elements_are_as_fields() {
    check("a[0] = a[1];", "Array_Reference", "read int, write int");
    check("a[0]++;", "Array_Reference", "update int");
    check("grid[1][2] = 3;", "Array_Reference", "read object, write float");
    check("int[] x = {1, 2};", "Array_Reference", "write int 2");
}

#[test]
fn elements_at_what_a_loop_counts() {
    let of = |statements: &str, expected: &str| check(statements, "Array_Reference", expected);
    of("for (int x : a) { }", "read int counted");
    of("for (int k = 0; k < a.length; k++) { i += a[k]; }", "read int counted");
    of("for (int k = i; 0 <= --k;) { a[(k)] = 1; }", "write int counted");
    of("int k = 9; while (k-- > 0) { i += a[k]; }", "read int counted");
    of(
        "for (int k = 0; k < 8; k += 2) { a[k + 1] += a[1 + k]; }",
        "read int counted, update int counted",
    );
    of("int k = 0; while (k < 9 && z) { if (a[k] > 2) { } k++; }", "read int counted");
    of("int k = 9; do { a[k - 1]--; k--; } while (k > 0);", "update int counted");
    of("for (int k = 0; k < 3; k++) { grid[k][i] = 0; }", "read object counted, write float");
    of(
        "for (int k = 0; k < 3; k++) { for (int j = k; j > 0; j--) { grid[k][j]++; } }",
        "read object counted, update float counted",
    );
    // What is not counted, or by no loop around it, or set beside, or another index.
    of("int k = 0; while (k < 9) { i += a[k]; k = a[k]; }", "read int 2");
    of("for (int k = 0; k < 9; k++) { k *= 2; i += a[k]; }", "read int");
    of("int k = 0; for (; i < 9; i++) { k++; i += a[k]; }", "read int");
    of("int k = 0; while (k < 9) { k++; } i = a[k];", "read int");
    of("while (z) { for (int k = 0; k < 9; k++) { } int k = i; own = a[k]; }", "read int");
    of("for (int k = 0; k < 9; k++) { i = a[i] + a[2 * k] + a[8 - k] + a[k & 7]; }", "read int 4");
    of("for (int k = 0; k < 9; k++) { Runnable r = () -> { i += a[own]; }; }", "read int");
    of(
        "for (int k = 0; k < 9; k++) { o = new T() { int g(int k) { return a[k]; } }; }",
        "read int",
    );
}

#[test]
fn calls_of_what_is_large() {
    let body = "if (z) { i = own + i * own; l = i / (l + own) - l; f = i * f - d; } own++;";
    let of = |call: &str, expected: &str| {
        let class = format!(
            "class L {{ int n; L() {{ {body} {body} }} L(int n) {{ this.n = n; }} \
             int large() {{ {body} {body} return n; }} int small() {{ return n; }} }}"
        );
        check(&format!("{class} {call}"), "Method_Invocation", expected);
    };
    of("new L().small();", "constructor large, virtual");
    of("if (new L(3).large() > 0) { i = 1; }", "constructor, virtual large");
}

#[test]
fn values_are_moved_or_computed_into_locals_and_members() {
    check("int x = 1, y = x, w = x + y;", "Assign_int_int", "computed, moved 2");
    check("i = 1; a[0] = 2;", "Assign_int_int", "member 2");
    check("int x = 1; x += i;", "Assign_int_int", "computed, moved");
    check("Object x = null; o = null;", "Assign_Object_null", "member, moved");
}

#[test]
fn comparisons_are_tested_or_values() {
    check("if (i < own) i = 1;", "Less_int_int", "tested");
    check("while (!(i < own)) i = 1;", "Less_int_int", "tested");
    check("z = i < own;", "Less_int_int", "value");
    check("if (i > 0) i = 1;", "Greater_int_int", "zero");
    check("if (f > 0) i = 1;", "Greater_int_float", "constant");
    check("z = z && i < own;", "And", "value");
    check("if (!z) i = 1;", "Not", "tested");
}

#[test]
fn conversions_say_from_what_to_what() {
    check("i = (int) f; d = f;", "Cast_numeric", "float to double, float to int");
    check("d = d * 2;", "Cast_numeric", "constant");
    check("f = f * 2;", "Multi_int_float", "constant");
    check("f = f * i;", "Multi_int_float", "int to float");
    check("b = (byte) i;", "Cast_numeric", "int to int");
    check("i = (int) b; i = (int) 'a';", "Cast_numeric", "smaller to int");
    check("l = (long) b;", "Cast_numeric", "int to long");
}

/// By javap: a constant is loaded as of the other side's kind (`dconst_0`); what meets a wider
/// constant is converted (`i2d`), and so is what stands in parentheses.
#[test]
fn only_the_narrower_side_is_converted_when_it_is_compiled() {
    check("if (d == 0) i++;", "Cast_numeric", "constant");
    check("if (0 == d) i++;", "Equal_double_double", "constant");
    check("d = i * 2.0;", "Cast_numeric", "int to double");
    check("f = i * 2f;", "Multi_int_float", "int to float");
    check("z = i < 2.5f;", "Less_int_float", "value");
    check("z = i < 2.5;", "Cast_numeric", "int to double");
    check(
        "f *= 2.0; i += 1L;",
        "Cast_numeric",
        "double to float, float to double, int to long, long to int",
    );
    check("d = z ? 1 : 0;", "Cast_numeric", "constant");
    check("double x = z ? b < 1 ? 1 : 2 : 0;", "Cast_numeric", "constant");
    check("d = (z ? 1 : 0); d = z ? i : 0;", "Cast_numeric", "int to double 2");
}

/// By javap: no branch is left of a condition that is a constant, and one side of an operator
/// with such a side.
#[test]
fn constants_decide_when_they_are_compiled() {
    check(
        "if ((true)) i = 1; i = 2 > 1 ? own : i; if (z) i = 3;",
        "BlockGoto_if",
        "alone, constant 2",
    );
    check("if (false && z) i = 1; z = z && true; z = z && i < 2;", "And", "constant 2, value");
    check("if (z || false) i = 1; if (z || i < 2) i = 1;", "Or", "constant, tested");
}

#[test]
fn steps_calls_and_branches() {
    check("int x = 1; x++; i++; a[0]++;", "Increment", "local, member 2");
    check("if (z) i = 1; else i = 2;", "BlockGoto_if", "with else");
    check("if (z) { i = 1; throw new Error(); } else i = 2;", "BlockGoto_if", "alone");
    check(
        "if (z) { if (i < 2) return; else throw new Error(); } else i = 2;",
        "BlockGoto_if",
        "alone 2",
    );
    check("if (z) i = 1; i = z ? 1 : 2;", "BlockGoto_if", "alone, conditional");
    check("new T(); helper();", "Method_Invocation", "constructor, static");
}

/// The expected lines are those of javac's `goto`, by `javap -l`.
#[test]
fn the_jump_over_an_else_stands_where_its_first_way_ends() {
    if !CLASSES.has_jdk() {
        return crate::skip::because("no JDK");
    }
    let first_ways = [
        ("x++;\nx--;", 3),
        ("", 1),
        ("if (x > 3) {\nx = 4;\nx = 5;\n}", 4),
        ("if (x > 3)\nx = 4;\nelse\nx = 5;", 5),
        ("while (x < y) {\nx++;\n}", 3),
        ("do {\nx++;\n} while (x < y);", 4),
        ("for (int i = 0; i < y; i++) {\nx += i;\n}", 2),
        ("for (int i = 0; i < y;) {\ni++;\n}", 3),
        ("for (int i : new int[4]) {\nx += i;\n}", 2),
        ("outer:\nwhile (x < y) {\nx++;\n}", 4),
        ("switch (y) {\ncase 1: x++; break;\ncase 3:\nx--;\n}", 5),
    ];
    for (first, line) in first_ways {
        let java = format!(
            "class T {{ void test(int x, int y) {{ if (y > x) {{\n{first}\n}} else {{ x = 7; }} }} }}"
        );
        let blocks = scan_with(&java, &CLASSES).0.blocks;
        let operations = blocks.iter().flat_map(|block| &block.operations);
        let jumps = operations.filter(|found| found.context == "with else");
        assert_eq!(jumps.map(|jump| jump.line).max(), Some(line), "{first}");
    }
}
