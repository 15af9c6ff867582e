//! Tests of the division: small Java, and its blocks as text.

use super::*;
use crate::java::SourceFile;

/// Every block as `name lines: parts`.
fn drawn(java: &str, granularity: Granularity) -> String {
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, granularity);
    let mut text = String::new();
    for block in &blocks.blocks {
        let parts: Vec<_> = block.parts.iter().map(|p| flat(file.text_of(file.node(*p)))).collect();
        let lines = format!("{}-{}", block.start_line, block.end_line);
        text += &format!("{} {lines}: {}\n", block.name, parts.join(" | "));
    }
    for finding in &blocks.findings {
        text += &format!("! {}: {}\n", finding.line, finding.message);
    }
    text
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Checks the blocks of a method's body, one per line; `m` stands for the method.
#[track_caller]
fn check(java: &str, expected: &[&str]) {
    let text = drawn(&format!("class T {{ void m() {{\n{java}\n}} }}"), Granularity::Statement);
    let found: Vec<_> = text.lines().map(|line| line.replace("T.m()", "m")).collect();
    assert_eq!(found, expected, "{found:#?}");
}

#[test]
fn if_keeps_its_condition_in_the_block_before() {
    check(
        "int a = 1; if (a > 0) b(); else if (c) d();\ne();",
        &[
            "m 2-2: int a = 1; | (a > 0)",
            "m.if_1 2-2: b();",
            "m.else_1 2-2: (c)",
            "m.if_2 2-2: d();",
            "m.after_1 3-3: e();",
        ],
    );
}

#[test]
fn loops_have_headers_and_absent_parts_have_no_block() {
    check(
        "for (int i = 0, j; i < 3; i++, j--) f(i);\nfor (;;) { if (x) break; }",
        &[
            "m 1-1: ",
            "m.for_1.init 2-2: int i = 0, j;",
            "m.for_1.test 2-2: i < 3",
            "m.for_1.update 2-2: i++ | j--",
            "m.for_1 2-2: f(i);",
            "m.after_1 3-3: ",
            "m.for_2 3-3: (x)",
            "m.if_1 3-3: break;",
        ],
    );
    check(
        "while (a) ;\ndo { } while (b);\nfor (T t : ts()) f(t);",
        &[
            "m 1-1: ",
            "m.while_1.test 2-2: (a)",
            "m.while_1 2-2: ",
            "m.after_1 3-3: ",
            "m.do_1 3-3: ",
            "m.do_1.test 3-3: (b)",
            "m.after_2 4-4: ts()",
            "m.foreach_1 4-4: f(t);",
        ],
    );
}

#[test]
fn braces_labels_and_locks_stay_in_the_run_around_them() {
    check(
        "l: { a(); if (c) break l; b(); }\nd(); synchronized (this) { e(); } { f(); }\nk: g();",
        &[
            "m 2-2: a(); | (c)",
            "m.if_1 2-2: break l;",
            "m.after_1 2-2: b();",
            "m.after_2 3-4: d(); | (this) | e(); | f(); | g();",
        ],
    );
}

#[test]
fn switch_arms_are_blocks_and_bare_labels_are_none() {
    check(
        "switch (k) {\ncase 1:\ncase 2: a(); break;\ncase 3: { }\ndefault: }\ng();",
        &[
            "m 2-2: (k)",
            "m.switch_1.case_1 4-4: a(); | break;",
            "m.switch_1.case_2 5-5: ",
            "m.after_1 7-7: g();",
        ],
    );
    check(
        "int y = switch (k) { case 1 -> 2; default -> { if (a) yield 3; yield 4; } }; g();",
        &[
            "m 2-2: int y = switch (k) { case 1 -> 2; default -> { if (a) yield 3; yield 4; } };",
            "m.switch_1.case_1 2-2: 2",
            "m.switch_1.case_2 2-2: (a)",
            "m.if_1 2-2: yield 3;",
            "m.after_1 2-2: yield 4;",
            "m.after_2 2-2: g();",
        ],
    );
    check(
        "switch (o) { case String s when s.isEmpty() -> a(); case A(int x) -> throw b; };",
        &[
            "m 2-2: (o)",
            "m.switch_1.case_1 2-2: String s | when s.isEmpty() | a();",
            "m.switch_1.case_2 2-2: A(int x) | throw b;",
            "m.after_1 2-2: ",
        ],
    );
}

#[test]
fn resources_stay_before_try() {
    check(
        "try (R r = o(); s) { h(); } catch (E e) { i(); } finally { }\nassert j();",
        &[
            "m 2-2: R r = o() | s",
            "m.try_1 2-2: h();",
            "m.try_1.catch_1 2-2: i();",
            "m.try_1.finally 2-2: ",
            "m.after_1 3-3: ",
        ],
    );
}

#[test]
fn lambdas_and_classes_are_units_of_their_own() {
    check(
        "Runnable r = () -> { n(() -> 5); };\nclass L { int f = 1, g; }\nnew O() { void k() { } }.x();",
        &[
            "m 2-4: Runnable r = () -> { n(() -> 5); }; | new O() { void k() { } }.x();",
            "m.lambda_1 2-2: n(() -> 5);",
            "m.lambda_1.lambda_1 2-2: 5",
            "T$1L.<fields> 3-3: f = 1",
            "T$1.k() 4-4: ",
        ],
    );
}

#[test]
fn at_expression_granularity_operands_are_blocks() {
    let java = "class T { boolean m() { return a && (b || c) && d ? e : f; } }";
    let expected = "T.m() 1-1: return a && (b || c) && d ? e : f;
T.m().and_1 1-1: (b || c)
T.m().or_1 1-1: c
T.m().and_2 1-1: d
T.m().cond_1.true 1-1: e
T.m().cond_1.false 1-1: f
";
    assert_eq!(drawn(java, Granularity::Expression), expected);
    let whole = "T.m() 1-1: return a && (b || c) && d ? e : f;\n";
    assert_eq!(drawn(java, Granularity::Statement), whole);
}

#[test]
fn initialisers_are_two_units_and_names_hold_written_types() {
    let java = "package p.q; class T<X> {
        static int a = 1, b; int c = 2; static { if (a) d(); }
        { e(); } static int f = 3;
        T(int @A [] i, java.util.List<X>... l) { super(); }
        enum E { V(1) { void g(Map.Entry<X, X> m, int n[]) { } }; }
        record R(int x) { R { } }
        interface I { int K = f(); void h(); default <Y> Y i(@B final Y y) { return y; } }
    }";
    let expected = "T.<clinit> 2-2: a = 1 | (a)
T.<clinit>.if_1 2-2: d();
T.<clinit>.after_1 3-3: f = 3
T.<fields> 2-3: c = 2 | e();
T.<init>(int[],java.util.List...) 4-4: super();
T$E.<clinit> 5-5: V(1) { void g(Map.Entry<X, X> m, int n[]) { } }
T$E$1.g(Map.Entry,int[]) 5-5: 
T$R.<init>(int) 6-6: 
T$I.<clinit> 7-7: K = f()
T$I.i(Y) 7-7: return y;
";
    assert_eq!(drawn(java, Granularity::Statement), expected);
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Statement);
    let classes: Vec<_> = blocks.units.iter().map(|unit| unit.class.as_str()).collect();
    assert_eq!(classes[0], "p.q.T");
    assert_eq!(classes[4], "p.q.T$E$1");
}

#[test]
fn every_part_has_its_block_as_owner() {
    let java =
        "class T { int m() { return switch (k) { case 1 -> a && b; default -> c ? d : e; }; } }";
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Expression);
    for (index, block) in blocks.blocks.iter().enumerate() {
        let is_owner = |part: &NodeId| blocks.owners.get(*part) == Some(index);
        assert!(block.parts.iter().all(is_owner), "{}", block.name);
    }
}

#[test]
fn what_does_not_parse_is_a_finding() {
    let text = drawn(
        "class T { void m() { a(); } void n() { if if } void o() { b(); } }",
        Granularity::Statement,
    );
    assert!(text.contains("T.m() 1-1: a();") && text.contains("T.o() 1-1: b();"), "{text}");
    assert!(text.contains("! 1: "), "{text}");
    for text in ["", "}", "class", "class T {", "\u{feff}", "\0", "switch", "int x = ;"] {
        drawn(text, Granularity::Expression);
    }
}

#[test]
fn deep_nesting_is_no_limit() {
    let deep = 30_000;
    let java = format!(
        "class T {{ void m() {{ {} x(); {} }} int f() {{ return {}1{}; }} Object o() {{ return {}1{}; }} }}",
        "if (a) { ".repeat(deep),
        "}".repeat(deep),
        "(".repeat(deep),
        ")".repeat(deep),
        "f(() -> ".repeat(1_000),
        ")".repeat(1_000),
    );
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Expression);
    assert!(blocks.blocks.len() > deep);
    assert!(!blocks.findings.is_empty(), "the innermost lambdas can't be named");
}
