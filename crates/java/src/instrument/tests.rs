//! Tests of probes and removal on small Java; that they compile and count is tested
//! with a JDK in `tests/it/probes.rs`.

use std::collections::BTreeSet;

use super::*;
use crate::blocks::BlockId;
use crate::blocks::{BlockKind, Granularity, divide};

/// `T` with the method body `java`, instrumented as `options` say; `c`, `t`, `f`, `v`
/// stand for calls of the runtime.
fn instrumented(java: &str, options: &InstrumentOptions) -> String {
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Statement);
    let out = instrument(std::slice::from_ref(&file), &[blocks], options);
    out.files[0].text.replace("wattline$rt.W.", "")
}

#[track_caller]
fn check(java: &str, expected: &str) {
    let java = format!("class T {{ void m() {{ {java} }} }}");
    let text = instrumented(&java, &InstrumentOptions::default());
    let body = text.strip_prefix("class T { void m() { c(0); ").expect("the entry's probe");
    assert_eq!(body.strip_suffix(" } }").expect("the end"), expected);
}

#[test]
fn bodies_without_braces_get_some() {
    check(
        "if (a) b(); else if (d) e(); else ;",
        "if (a) { c(1); b(); } else { c(2); if (d) { c(3); e(); } else { c(4); ; } }",
    );
}

#[test]
fn headers_are_probed_where_they_are_evaluated() {
    check(
        "for (int i = f(); i < n; i++) x();",
        "for (int i = f(); (t(2) && (i < n)); c(3), i++) { c(4); x(); }",
    );
    check("y(); l: for (int i = 0;;) { }", "y(); c(1); l: for (int i = 0;;) { c(2); }");
    check("do x(); while (a);", "do { c(1); x(); } while ((f(2) || (a)));");
}

#[test]
fn blocks_that_follow_from_others_have_no_probe() {
    check(
        "int s = 0; for (int i = 0; i < n; i++) s += i;",
        "int s = 0; for (int i = 0; i < n; i++) { c(4); s += i; }",
    );
    // What may throw, call or unbox lies between.
    check(
        "int n = a[0]; for (int i = 0; i < n; i++) { n += f(); }",
        "int n = a[0]; c(1); for (int i = 0; i < n; c(3), i++) { c(4); n += f(); }",
    );
    // Where the loop ends, and that only it has been left, is known.
    check(
        "int n = 9; for (int i = 0; i < n; i++) { f(); } g();",
        "int n = 9; for (int i = 0; i < n; i++) { c(4); f(); } c(5); g();",
    );
    // As many go on as have not returned; where the inner loop ends, the outer one goes on.
    check(
        "int n = 9; while (n > 0) { if (n == 3) return; while (n > 7) n -= f(); } g();",
        "int n = 9; while ((t(1) && (n > 0))) { if (n == 3) { c(3); return; } \
         c(4); while (n > 7) { c(6); n -= f(); } } c(7); g();",
    );
    check(
        "Integer n = 1; n++; for (int i = n; i < 9; i += 0 / n) { f(); }",
        "Integer n = 1; n++; c(1); for (int i = n; (t(2) && (i < 9)); c(3), i += 0 / n) { c(4); f(); }",
    );
    let java = "class T { void m() { for (int i = 0; i < n; i++) { } } }";
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Statement);
    let out = instrument(std::slice::from_ref(&file), &[blocks], &InstrumentOptions::default());
    assert!(out.runtime.unwrap().text.contains("\"1 0,2 0 4,3 4\""));
    assert_eq!(out.probed, [true; 5]);
}

#[test]
fn exceptions_that_leave_a_loop_without_calls_are_counted_by_block() {
    let java = "class T { int m(int[] a) { int s = 0; l: while (a[s] > 0) {
        if (a[s] == 7) { s++; continue l; } s += a[s]; } return s; } }";
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Statement);
    let out = instrument(std::slice::from_ref(&file), &[blocks], &InstrumentOptions::default());
    let text = out.files[0].text.replace("wattline$rt.", "").replace("wattline$rt", "");
    assert_eq!(
        text,
        "class T { int m(int[] a) { W.c(0); int s = 0; \
         { long[] b1 = W.a(); int p1 = -1; try { l: while ((((p1 = 1) >= 0) && (a[s] > 0))) { p1 = 2;
        if (a[s] == 7) { b1[3]++; s++; continue l; } b1[4]++; p1 = 4; s += a[s]; } \
         } catch (java.lang.Throwable e1) { W.x(p1); throw e1; } } W.c(5); return s; } }"
    );
    assert!(out.runtime.unwrap().text.contains("\"1 3 4 5 x1 x2,2 3 4 x2\""));
    assert_eq!(out.probed, [true; 6]);
}

/// A handler around a loop makes the compiler drop the message of an exception sooner that
/// the loop throws again and again, and with it what a user of the program reads.
#[test]
fn loops_get_no_handler_where_messages_count() {
    let java =
        "class T { int m(int[] a) { int s = 0; while (a[s] > 0) { s += a[s]; } return s; } }";
    let options = InstrumentOptions { without_watched_loops: true, ..InstrumentOptions::default() };
    let text = instrumented(java, &options);
    assert!(!text.contains("catch"), "{text}");
    assert!(text.contains("while ((t(1) && (a[s] > 0))) { c(2);"), "{text}");
}

#[test]
fn in_a_closed_world_small_methods_are_counted_by_their_callers() {
    let java = "final class T { int f; int a; private int get() { return f; }
        int put(int n) { a = n; return a; } int twice() { return get() * get(); }
        boolean maybe(boolean b) { return b && get() > 0; } void ref() { g(this::put); } }";
    let probed = |closed_world: bool, java: &str| {
        let file = SourceFile::parse("T.java", java);
        let blocks = divide(&file, Granularity::Statement);
        let options = InstrumentOptions { closed_world, ..InstrumentOptions::default() };
        let out = instrument(std::slice::from_ref(&file), &[blocks], &options);
        out.files[0].text.replace("wattline$rt.W.", "")
    };
    assert!(probed(false, java).contains("get() { c(0); return f; }"));
    // It may be skipped by `&&`; a reference may call.
    assert!(probed(true, java).contains("get() { c(0); return f; }"));
    assert!(probed(true, java).contains("put(int n) { c(1); a = n;"));
    let sure = java.replace("b && get() > 0", "get() > 0 && b");
    assert!(probed(true, &sure).contains("get() { return f; }"));
    // Elsewhere the receiver may be null, and a string may name it for reflection.
    for more in ["class U { int m(T t) { return t.get(); } }", "class U { String s = \"get\"; }"] {
        assert!(probed(true, &(sure.clone() + more)).contains("get() { c(0); return f; }"));
    }
}

#[test]
fn constant_conditions_stay_constant() {
    check("while (true) x();", "while (true) { c(1); { c(2); x(); } }");
    check("do { x(); } while (true);", "for (;; c(2)) { c(1); x(); }  ");
    check("for (; !false;) { x(); }", "for (; !false;) { c(1); c(2); x(); }");
    check("while (1 < 2) x();", "while (1 < 2) { c(1); { c(2); x(); } }");
    check(
        "final int k = 1; while (k < 2) x();",
        "final int k = 1; while (k < 2) { c(1); { c(2); x(); } }",
    );
    check("do x(); while (k < k);", "do { c(1); x(); } while ((f(2) || (k < k)));");
    check("do x(); while (1 < 2);", "do { c(1); x(); } while (1 < 2);");
}

#[test]
fn assignments_in_conditions_stay_definite() {
    check(
        "while ((l = r()) != null) x(l);",
        "while (true) { c(1); if (!((l = r()) != null)) break; { c(2); x(l); } }",
    );
    check("do { } while ((l = r()) != null);", "do { c(1); } while ((l = r()) != null);");
}

#[test]
fn expression_lambdas_keep_their_shape() {
    check("r(() -> 5);", "r(() -> { c(1); return 5; });");
    check("r(() -> i++);", "r(() -> v(1, i++));");
    check("r(() -> m());", "r(() -> { c(1); m(); });");
    check("r(() -> f().g());", "r(() -> v(1, f()).g());");
    check("r(() -> Type.g());", "r(() -> Type.g());");
}

#[test]
fn constructors_are_probed_after_the_call_that_must_be_first() {
    let text = instrumented(
        "class T { T() { this(1); a(); } T(int i) { b(); } }",
        &InstrumentOptions::default(),
    );
    assert_eq!(text, "class T { T() { this(1); c(0); a(); } T(int i) { c(1); b(); } }");
}

#[test]
fn a_name_in_the_sources_never_hides_the_runtime() {
    let file = SourceFile::parse("T.java", "class T { int wattline$rt; void m() { } }");
    let blocks = divide(&file, Granularity::Statement);
    let out = instrument(std::slice::from_ref(&file), &[blocks], &InstrumentOptions::default());
    assert!(out.files[0].text.contains(" wattline$rt$.W.c(0);"), "{}", out.files[0].text);
    let runtime = out.runtime.unwrap();
    assert_eq!(runtime.path, "wattline$rt$/W.java");
    assert!(runtime.text.contains("package wattline$rt$;"));
}

#[test]
fn what_is_not_probed_is_said() {
    let file =
        SourceFile::parse("T.java", "interface T { Object O = f(); }\nclass U { void m() { } }");
    let blocks = divide(&file, Granularity::Statement);
    let skip = BTreeSet::from([BlockId(1)]);
    let options = InstrumentOptions { skip, ..InstrumentOptions::default() };
    let out = instrument(std::slice::from_ref(&file), &[blocks], &options);
    assert_eq!(out.probed, [false, false]);
    assert_eq!(out.findings.len(), 2);
    assert_eq!(out.findings[1].message, "U.m() is not counted: the compiler refused its probe");
    assert_eq!(out.findings[1].line, 2);
}

/// Removes the method body's entry block.
#[track_caller]
fn check_removal(java: &str, expected: Result<&str, &str>) {
    let text = format!("class T {{ final int k; void m(int p) {{ {java} }} }}");
    let file = SourceFile::parse("T.java", text);
    let blocks = divide(&file, Granularity::Statement);
    let result = removable(&file, &blocks)[0];
    let options = InstrumentOptions {
        probe: Probe::Plain,
        removed: BTreeSet::from([BlockId(0)]),
        ..InstrumentOptions::default()
    };
    let out = instrument(std::slice::from_ref(&file), &[blocks], &options);
    assert_eq!(result.is_ok(), out.findings.is_empty());
    let text = &out.files[0].text;
    let body = text.strip_prefix("class T { final int k; void m(int p) { ").expect("the start");
    let body = body.strip_suffix(" } }").expect("the end");
    assert_eq!(result.map(|()| body), expected);
}

#[test]
fn statements_go_and_jumps_and_conditions_stay() {
    check_removal("a(\n1); b = 2; c++; if (d) e(); return;", Ok(";\n ; ; if (d) e(); return;"));
    check_removal("return;", Err("it has no statement that can be left out"));
}

#[test]
fn initialisers_know_their_own_locals_alone() {
    let statements = "{ if (f()) c = g() + (d = 1); h(c + d); }";
    let text = |own: &str, other: &str| {
        format!("class T {{ static {{ {own} {statements} }} void m() {{ {other} }} }}")
    };
    for (own, other, expected) in [
        ("int c = 0, d = 0;", "int d; d = 1;", Ok(())),
        ("int c = 0, d;", "int d = 1;", Err("it assigns a variable inside an expression")),
    ] {
        let file = SourceFile::parse("T.java", text(own, other));
        let blocks = divide(&file, Granularity::Statement);
        let then = blocks.blocks.iter().position(|block| block.kind == BlockKind::Then).unwrap();
        assert_eq!(removable(&file, &blocks)[then], expected, "{own}");
    }
}

#[test]
fn what_later_code_needs_stays() {
    check_removal("int x = f(); g(x);", Ok("; ;"));
    check_removal("int x = f(); if (x > 0) g();", Ok("int x = 0; if (x > 0) g();"));
    check_removal("final int x = f(); if (x > 0) g();", Ok(" int x = 0; if (x > 0) g();"));
    check_removal("int x; x = f(); if (x > 0) g();", Ok("int x; x = 0; if (x > 0) g();"));
    let needed = "the code that stays needs its variables";
    check_removal("T x = f(); if (x != null) g();", Err(needed));
    check_removal("T y = f(); T x = y; if (x != null) g();", Err(needed));
    check_removal(
        "T y = f(); y.z(); T x = y; if (x != null) g();",
        Ok("T y = f(); ; T x = y; if (x != null) g();"),
    );
}

/// Puts switches at the statements of the method body's entry block.
#[track_caller]
fn check_switches(java: &str, expected: &str, count: usize) {
    let text = format!("class T {{ void m(int p) {{ {java} }} }}");
    let file = SourceFile::parse("T.java", text);
    let blocks = divide(&file, Granularity::Statement);
    let options = InstrumentOptions {
        probe: Probe::Plain,
        switched: BTreeSet::from([BlockId(0)]),
        ..InstrumentOptions::default()
    };
    let out = instrument(std::slice::from_ref(&file), &[blocks], &options);
    let expected = expected.replace("k(", "wattline$rt.S.k(");
    assert_eq!(out.files[0].text, format!("class T {{ void m(int p) {{ {expected} }} }}"));
    assert_eq!(out.switches.len(), count);
    assert_eq!(out.switch_file.is_some(), count > 0);
}

#[test]
fn switches_are_conditions_and_values_with_a_default() {
    check_switches("a(); b = 2;", "{ if (k(0)) a(); } { if (k(1)) b = 2; }", 2);
    check_switches(
        "int x = f(), y = 1; g(x);",
        "int x = k(0) ? (f()) : 0, y = 1; { if (k(1)) g(x); }",
        2,
    );
    check_switches("T x = f();", "T x = k(0) ? (f()) : null;", 1);
    check_switches("int x; x = f(); g(x);", "int x; x = k(1) ? (f()) : 0; { if (k(2)) g(x); }", 3);
    check_switches("int[] x = { f() }; var y = g();", "int[] x = { f() }; var y = g();", 0);
    check_switches("r(() -> f()); return;", "r(() -> f()); return;", 0);
}

#[test]
fn loops_still_end_and_catches_still_have_something_to_catch() {
    let java = "class T { void m() { while (i < n) { i++; s += i; } while (it.hasNext()) it.next();
        for (int j = 0; j < b.limit(); j++) b.put(j);
        try { read(); } catch (java.io.IOException e) { } try { read(); } catch (Exception e) { } } }";
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Statement);
    let results = removable(&file, &blocks);
    let of = |name: &str| {
        let index = blocks.blocks.iter().position(|block| block.name == format!("T.m().{name}"));
        results[index.unwrap()]
    };
    assert_eq!(of("while_1"), Ok(()), "`s += i` can go");
    assert_eq!(of("while_2"), Err("a loop's condition depends on it"));
    assert_eq!(of("for_1"), Ok(()));
    assert_eq!(of("for_1.update"), Err("it is the header of a loop"));
    assert_eq!(of("try_1"), Err("a catch of a checked exception may need it"));
    assert_eq!(of("try_2"), Ok(()));
}

#[test]
fn a_variant_divides_into_the_same_blocks() {
    let java = "class T { int f = g(); void m() { switch (k) { case 1 -> a(); default -> { } } b();
        r(() -> 1); if (x) y(); z(); } }";
    let file = SourceFile::parse("T.java", java);
    let blocks = divide(&file, Granularity::Statement);
    let removed = (0..blocks.blocks.len()).map(|i| BlockId(i as u32)).collect();
    let options =
        InstrumentOptions { probe: Probe::Plain, removed, ..InstrumentOptions::default() };
    let names = |blocks: &FileBlocks| -> Vec<String> {
        blocks.blocks.iter().map(|block| block.name.clone()).collect()
    };
    let before = names(&blocks);
    let out = instrument(std::slice::from_ref(&file), &[blocks], &options);
    let text = "class T { int f = 0; void m() { switch (k) { case 1 -> { } default -> { } } ;
        r(() -> 1); if (x) ; ; } }";
    assert_eq!(out.files[0].text, text);
    assert_eq!(names(&divide(&SourceFile::parse("T.java", text), Granularity::Statement)), before);
}

/// No `try` may hold a constructor's call of another one.
#[test]
fn the_end_of_a_constructor_is_noticed_from_its_call_of_another_on() {
    let options = InstrumentOptions { probe: Probe::Calls, ..InstrumentOptions::default() };
    let body = |java: &str| instrumented(&format!("class T {{ T(int n) {{ {java} }} }}"), &options);
    assert_eq!(
        body("int k = n; super(); f(k);"),
        "class T { T(int n) { int wattline$rt0 = i(0); c(0); int k = n; super(); try { f(k);  } \
         finally { o(wattline$rt0); }} }"
    );
    assert_eq!(
        body("super(); f(n);"),
        "class T { T(int n) { super(); int wattline$rt0 = i(0); try { c(0); f(n);  } \
         finally { o(wattline$rt0); }} }"
    );
}
