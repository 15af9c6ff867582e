//! What calls may run, as `caller -> callees`.

use super::tests::CLASSES;
use super::{CallGraph, CallResolution, CountResult, PreparedFile, count_each};
use crate::blocks::{Granularity, divide};
use crate::java::SourceFile;

/// The calls of sources, sorted: block, ` -> ` and the entries that each of the calls may
/// run, `...` for others; `N x` before the arrow for more than one.
fn calls(sources: &[&str]) -> Vec<String> {
    let file = |(i, text): (usize, &&str)| SourceFile::parse(format!("F{i}.java"), *text);
    let files: Vec<SourceFile> = sources.iter().enumerate().map(file).collect();
    let prepared =
        files.iter().map(|file| PreparedFile::of(file, divide(file, Granularity::Statement)));
    let mut all = CountResult::default();
    let add = |counted| all.add(counted);
    let same = |_, counted| counted;
    count_each(&files, prepared.collect(), &CLASSES, CallResolution::Followed, same, add);
    let graph = CallGraph::of(&all.dictionary, &all.calls);
    let name = |id: &crate::blocks::BlockId| all.dictionary.blocks[id.0 as usize].name.as_str();
    let text = |site: &super::CallSite| {
        let mut callees: Vec<&str> = site.callees.iter().map(name).collect();
        callees.sort_unstable();
        callees.extend(site.may_run_others.then_some("..."));
        let times = if site.calls == 1 { String::new() } else { format!(" {} x", site.calls) };
        format!("{}{times} -> {}", name(&site.block), callees.join(", "))
    };
    let mut found: Vec<String> = graph.sites.iter().map(text).collect();
    found.sort_unstable();
    found
}

#[test]
fn static_private_and_super_calls_run_one_body() {
    let java = "class A { static void s() { } private void p() { } void v() { } \
                void f() { s(); s(); p(); } } \
                class B extends A { void v() { super.v(); } void p() { } }";
    assert_eq!(calls(&[java]), ["A.f() -> A.p()", "A.f() 2 x -> A.s()", "B.v() -> A.v()"]);
}

/// Overriding methods in other files, inherited implementations, generic ones.
#[test]
fn other_calls_run_what_overrides_or_implements() {
    let shapes = "interface Shape<T> { int area(T t); default int twice() { return 0; } } \
                  abstract class Base { public int area(String s) { return 1; } } \
                  class Square extends Base implements Shape<String> { } ";
    let more = "class Circle implements Shape<Long> { public int area(Long t) { return 2; } \
                int area(String other) { return 3; } public int twice() { return 4; } } \
                class T { int f(Shape<Long> s, Circle c) { return s.area(1L) + c.area(1L); } \
                int g(Shape<Long> s) { return s.twice(); } }";
    let expected = [
        "T.f(Shape,Circle) -> Base.area(String), Circle.area(Long)",
        "T.f(Shape,Circle) -> Circle.area(Long)",
        "T.g(Shape) -> Circle.twice(), Shape.twice()",
    ];
    assert_eq!(calls(&[shapes, more]), expected);
}

#[test]
fn functions_are_implementations_and_references_may_be_anything() {
    let java = "interface F { int f(int x); } interface G { int g(int x); } \
                class T { F a = x -> x + 1; G b = T::h; static int h(int x) { return x; } \
                int use(F f, G g) { return f.f(1); } int other(G g) { return g.g(2); } \
                G c = new G() { public int g(int x) { return 3; } }; }";
    let expected = ["T.other(G) -> T$1.g(int), ...", "T.use(F,G) -> T.<fields>.lambda_1"];
    assert_eq!(calls(&[java]), expected);
}

/// Initialisers run with the constructors that don't call another one of their class, and
/// constructors that nobody wrote call the superclass's.
#[test]
fn constructors_run_initialisers_and_the_superclass() {
    let java = "class A { int a = one(); A() { } static int one() { return 1; } } \
                class B extends A { int b = 2; B(int x) { this(); } B() { } } \
                class C extends B { } \
                class T { Object f() { return new C(); } Object g() { return new B(1); } \
                Object h() { return new A() { int x = 3; }; } }";
    let expected = [
        "A.<fields> -> A.one()",
        "A.<init>() -> A.<fields>",
        "B.<init>() -> A.<init>()",
        "B.<init>() -> B.<fields>",
        "B.<init>(int) -> B.<init>()",
        "T.f() -> B.<init>()",
        "T.g() -> B.<init>(int)",
        "T.h() -> A.<init>()",
        "T.h() -> T$1.<fields>",
    ];
    assert_eq!(calls(&[java]), expected);
}

#[test]
fn unresolved_calls_may_run_methods_of_that_name() {
    let java =
        "class A { void run(int x) { } } class T { Missing m; void f() { m.run(1); m.go(); } }";
    assert_eq!(calls(&[java]), ["T.f() -> A.run(int), ..."]);
}
