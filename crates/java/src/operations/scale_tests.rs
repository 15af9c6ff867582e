//! Sources that are long in one way: what is asked of classes grows as the sources do.

use std::time::Instant;

use super::tests::{CLASSES, scan_with};

fn chain(n: usize) -> String {
    let mut text = "class C0 { int f0; int m(int x) { return x; } }\n".to_owned();
    for k in 1..n {
        text += &format!(
            "class C{k} extends C{} {{ int f{k}; int m(int x) {{ String s = \"\"; return super.m(x) + f0 + nowhere + gone(x); }} int n{k}() {{ return m(1); }} }}\n",
            k - 1
        );
    }
    text
}

fn generic(n: usize) -> String {
    let mut text = "class C0<T> { T f0; T m(T x) { return x; } }\n".to_owned();
    for k in 1..n {
        text += &format!(
            "class C{k}<T> extends C{}<java.util.Map<T, T>> {{ Object n{k}() {{ return m(f0); }} }}\n",
            k - 1
        );
    }
    text
}

fn interfaces(n: usize) -> String {
    let mut text = "interface I0 { int m(); } interface J0 extends I0 { }\n".to_owned();
    for k in 1..n {
        let l = k - 1;
        text += &format!("interface I{k} extends I{l}, J{l} {{ default int n{k}() {{ return m(); }} }} interface J{k} extends I{l}, J{l} {{ default void o{k}() {{ L x = null; }} }}\n");
    }
    text
}

fn locals(n: usize) -> String {
    let mut text = "class A { void f() { interface I0 { int m(); } interface J0 extends I0 { }\n".to_owned();
    for k in 1..n {
        let l = k - 1;
        text += &format!("interface I{k} extends I{l}, J{l} {{ default int n{k}() {{ return m(); }} }} interface J{k} extends I{l}, J{l} {{ default void o{k}() {{ L x = null; }} }}\n");
    }
    text + "} }"
}

fn record(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|k| format!("int c{k}")).collect();
    let uses: String = (0..n).map(|k| format!("s += c{k} + c{k}();\n")).collect();
    format!("record R({}) {{ int sum() {{ int s = 0; {uses} return s; }} }}", names.join(", "))
}

fn dotted(n: usize) -> String {
    let name = vec!["a"; n].join(".");
    format!("package p.{name}; import {name}; class A {{ Object o = {name}; int x = {name}.f(); {name} t; }}")
}

fn fields(n: usize) -> String {
    let names: String = (0..n).map(|k| format!("int c{k} = 1; int m{k}() {{ return c{k} + m{}(); }}\n", k / 2)).collect();
    format!("class F {{ {names} }}")
}

fn annotation(n: usize) -> String {
    let names: String = (0..n).map(|k| format!("int c{k}() default {k};\n")).collect();
    let uses: Vec<String> = (0..n).map(|k| format!("c{k} = {k}")).collect();
    format!("@interface N {{ {names} }} @N({}) class F {{ }}", uses.join(", "))
}

fn constants(n: usize) -> String {
    let names: Vec<String> = (0..n).map(|k| format!("E{k}")).collect();
    let cases: String = (0..n).map(|k| format!("case E{k}: x += {k}; break;\n")).collect();
    format!("enum E {{ {}; int f(E e) {{ int x = 0; switch (e) {{ {cases} }} return x; }} }}", names.join(", "))
}

#[test]
fn profile() {
    let shapes: [(&str, fn(usize) -> String); 9] = [
        ("chain", chain), ("generic", generic), ("interfaces", interfaces), ("locals", locals), ("record", record), ("dotted", dotted),
        ("fields", fields), ("annotation", annotation), ("constants", constants),
    ];
    let only = std::env::var("SHAPE").unwrap_or_default();
    for (name, make) in shapes {
        if !only.is_empty() && only != name { continue; }
        for n in [1000, 2000, 4000] {
            let text = make(n);
            let start = Instant::now();
            super::program::on_deep_stacks(|| { scan_with(&text, &CLASSES); });
            eprintln!("{name} {n}: {:.2?}", start.elapsed());
        }
    }
}
