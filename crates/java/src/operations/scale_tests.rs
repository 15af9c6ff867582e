//! Sources that are long in one way: the work grows as they do.

use std::sync::atomic::Ordering;

use super::dictionary::Dictionary;
use super::program::run_on_deep_stacks;
use super::tests::scan_with;
use crate::java::ClassPath;

/// Classes below one another, each of which uses what is declared in the first, in the one
/// above, and nowhere.
fn chain(n: usize) -> String {
    let mut text = "class C0 { int first; int one(int x) { return x; } class In {} }\n".to_owned();
    for k in 1..n {
        let above = k - 1;
        text += &format!(
            "class C{k} extends C{above} {{ int f{k}; In in; Gone gone;
             int m{k}(int x) {{ return first + f{k} + nowhere + gone(x); }} }}\n"
        );
    }
    text
}

fn record(n: usize) -> String {
    let components: Vec<String> = (0..n).map(|k| format!("int c{k}")).collect();
    let uses: String = (0..n).map(|k| format!("s += c{k} + c{k}();\n")).collect();
    let components = components.join(", ");
    format!("record R({components}) {{ int sum() {{ int s = 0; {uses} return s; }} }}")
}

/// A name of so many parts, in all places where there are names.
fn dotted(n: usize) -> String {
    let name = vec!["a"; n].join(".");
    format!("package {name}; import {name}; class A {{ int x = {name}.f(); {name} t; }}")
}

fn annotation(n: usize) -> String {
    let elements: String = (0..n).map(|k| format!("int c{k}() default {k};\n")).collect();
    let values: Vec<String> = (0..n).map(|k| format!("c{k} = {k}")).collect();
    format!("@interface N {{ {elements} }} @N({}) class F {{ }}", values.join(", "))
}

/// Counts a source alone; with how many classes were looked up for that.
fn counted(text: &str) -> (Dictionary, usize) {
    let classes = ClassPath::empty();
    let dictionary = run_on_deep_stacks(|| scan_with(text, &classes).0);
    (dictionary, classes.lookups.load(Ordering::Relaxed))
}

#[test]
fn classes_are_looked_up_as_often_as_sources_are_long() {
    for shape in [chain, record, dotted, annotation] {
        let [(_, half), (_, whole)] = [1000, 2000].map(|n| counted(&shape(n)));
        assert!(whole < half * 5 / 2 + 100, "{half} look-ups, then {whole}: {}", shape(3));
    }
}

#[test]
fn what_is_far_above_is_found() {
    let (dictionary, _) = counted(&chain(400));
    let last = dictionary.blocks.iter().find(|block| block.name.contains("C399.m399")).unwrap();
    let names: Vec<String> = last.operations.iter().map(|o| o.operation.to_string()).collect();
    assert!(names.iter().any(|name| name == "lib:?.gone"), "{names:?}");
    assert!(names.iter().any(|name| name == "Addition_int_int"), "{names:?}");
}

/// Each has two ways to all above it, of which there are so 2^60.
#[test]
fn interfaces_are_asked_once_by_however_many_ways_they_are_reached() {
    let pairs = |before: &str, after: &str| {
        let mut text = format!("{before} interface I0 {{ int m(); }} interface J0 {{ }}\n");
        for k in 1..60 {
            let above = k - 1;
            for name in ["I", "J"] {
                text += &format!(
                    "interface {name}{k} extends I{above}, J{above} {{
                     default int {name}m{k}(Gone g) {{ return m() + nowhere; }} }}\n"
                );
            }
        }
        text + after
    };
    let (of_top, _) = counted(&pairs("", ""));
    let (of_locals, _) = counted(&pairs("class A { void f() {", "} }"));
    assert!(of_top.blocks.len() >= 118 && of_locals.blocks.len() >= 118);
}
