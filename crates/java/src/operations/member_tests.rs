//! Which class declares what is found: interfaces, static members of generic classes.

use super::tests::{CLASSES, scan_with};
use crate::java::ClassPath;

/// All operations of the file's blocks that are calls or accesses of fields.
fn calls(java: &str) -> Vec<String> {
    let (dictionary, findings) = scan_with(java, &CLASSES);
    assert_eq!(findings, [], "{java}");
    let all = dictionary.blocks.iter().flat_map(|block| &block.operations);
    let found = all.map(|operation| operation.operation.to_string());
    found.filter(|name| name.starts_with("lib:") || name == "Method_Invocation").collect()
}

fn has_jdk() -> bool {
    if !CLASSES.has_jdk() {
        crate::skip::because("no JDK");
    }
    CLASSES.has_jdk()
}

#[test]
fn a_static_field_of_a_generic_class_keeps_its_type() {
    if has_jdk() {
        let java = "import java.util.*; class G<N> { static final List<String> L = null; } \
                    class T { void f() { G.L.get(0).length(); } }";
        assert_eq!(calls(java), ["lib:java.lang.String.length", "lib:java.util.List.get"]);
    }
}

/// javac found them in `Object` before release 18, since then in the interface above.
#[test]
fn methods_of_object_on_interfaces_are_where_the_jdks_compiler_finds_them() {
    if has_jdk() {
        let java = "import java.util.*; class T { int f(SortedMap<String, String> m, \
                    Map<String, String> n, Iterator<String> i) \
                    { m.hashCode(); n.hashCode(); return i.hashCode(); } }";
        let sorted = if CLASSES.release() < 18 { "java.lang.Object" } else { "java.util.Map" };
        let mut expected = ["java.lang.Object", "java.util.Map", sorted]
            .map(|class| format!("lib:{class}.hashCode"))
            .to_vec();
        expected.sort();
        expected.dedup();
        assert_eq!(calls(java), expected);
    }
}

/// Since 18 too, if two interfaces declare them and neither extends the other.
#[test]
fn methods_of_object_in_two_interfaces_are_those_of_object() {
    if has_jdk() {
        let java = "import java.util.*; interface Both extends Comparator<String>, Set<String> { } \
                    class T { boolean f(Both b) { return b.equals(null); } }";
        assert_eq!(calls(java), ["lib:java.lang.Object.equals"]);
    }
}

/// What stands for the type parameters of the classes around it is part of a type.
#[test]
fn inner_classes_have_the_type_arguments_of_those_around_them() {
    if has_jdk() {
        let java = "import java.util.*;
            class Chain<T> {
                class Node { T value; Node next; T get() { return value; } class Deep { T t; } }
                class Pair<U> { T first; U second; }
                class Walk implements Iterator<T> {
                    public boolean hasNext() { return false; }
                    public T next() { return null; }
                }
                Node head; Walk walk; Pair<Long> pair;
                Pair<T> twice() { return new Pair<>(); }
            }
            class Words extends Chain<String> { int n() { return head.next.get().length(); } }
            class T {
                void f(Chain<String> c, Chain<String>.Node n, Words w) {
                    n.next.value.trim(); w.walk.next().strip(); w.new Node().get().intern();
                    Chain<String>.Pair<Thread> p = c.new Pair<>();
                    p.second.start(); p.first.isBlank(); c.twice().second.isEmpty();
                    c.new Pair<Runnable>().second.run(); c.pair.second.longValue();
                    Chain<String>.Node.Deep d = null; d.t.lines();
                }
            }";
        let mut found = calls(java);
        found.retain(|name| name != "Method_Invocation");
        found.sort();
        let strings = ["intern", "isBlank", "isEmpty", "length", "lines", "strip", "trim"];
        let mut expected = vec![
            "lib:java.lang.Long.longValue".to_owned(),
            "lib:java.lang.Runnable.run".to_owned(),
        ];
        expected.extend(strings.map(|name| format!("lib:java.lang.String.{name}")));
        expected.push("lib:java.lang.Thread.start".to_owned());
        assert_eq!(found, expected);
    }
}

/// Of two interfaces above that both declare a method, javac took the sources' before
/// release 22, since then the one that comes later by name.
#[test]
fn of_two_interfaces_the_one_that_the_jdks_compiler_takes_declares_a_method() {
    if has_jdk() {
        let java = "package a; import java.util.*; interface Own<K> { K getKey(); } \
                    interface Both extends Own<String>, Map.Entry<String, String> { } \
                    class T { Object f(Both b) { return b.getKey(); } }";
        let own = CLASSES.release() < 22;
        let expected = if own { "Method_Invocation" } else { "lib:java.util.Map$Entry.getKey" };
        assert_eq!(calls(java), [expected]);
    }
}

/// Operations of guessed kinds are counted once, however many of their operands are unknown.
#[test]
fn guesses_are_counted_by_operation() {
    use crate::blocks::{Granularity, divide};
    let text = "class T { int f() { return a + b * c + 1; } int g(int x) { return x + 1; } }";
    let files = [crate::java::SourceFile::parse("T.java", text)];
    let blocks = [divide(&files[0], Granularity::Statement)];
    let counted = super::count(&files, &blocks, &crate::java::ClassPath::empty());
    assert!((3..=4).contains(&counted.guessed), "{}: {:?}", counted.guessed, counted.findings);
}

/// How many names the class path is asked for by `count` classes of one package, all named
/// in each of a dozen inner classes that have many ancestors.
fn names_asked(count: usize) -> usize {
    let classes = ClassPath::open(&[]).unwrap();
    let declared: String = (0..count).map(|i| format!("class T{i} {{ }}\n")).collect();
    let fields: String = (0..count).map(|i| format!("T{i} f{i};")).collect();
    let inner = |i| format!("class I{i} extends java.util.TreeMap {{ {fields} }}\n");
    let inner: String = (0..12).map(inner).collect();
    scan_with(&format!("{declared}class A extends java.util.ArrayList {{ {inner} }}"), &classes);
    classes.lookup_count()
}

/// A class file names its member classes, so that a simple name is not looked for in each
/// class above each of those around it.
#[test]
fn names_of_the_sources_are_not_asked_of_the_class_path() {
    assert_eq!(names_asked(20), names_asked(60));
}
