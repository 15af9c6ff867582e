//! Type hierarchy of the sources: which methods override others, and which calls may run an
//! overriding one.

use std::collections::{BTreeSet, HashMap};

use crate::java::{SourceFile, SyntaxNode};

use super::{as_call, children, creation, descendants, modifiers};

/// All types of some sources by simple name; types of equal names are all candidates.
#[derive(Debug, Default)]
pub struct TypeHierarchy<'s> {
    types: Vec<DeclaredType<'s>>,
    by_name: HashMap<&'s str, Vec<usize>>,
    /// Index of a type by file and first byte of the body.
    by_body: HashMap<(&'s str, usize), usize>,
    /// Methods that each file calls.
    calls: HashMap<&'s str, BTreeSet<MethodName<'s>>>,
}

/// Name of a method and its number of parameters.
type MethodName<'s> = (&'s str, usize);

/// A class, interface, enum or record, anonymous ones included.
#[derive(Debug)]
struct DeclaredType<'s> {
    /// Names of its superclass and interfaces.
    above: Vec<&'s str>,
    /// Its own methods that can override or be overridden.
    methods: BTreeSet<MethodName<'s>>,
    /// Whether it is an interface, whose methods are called through it.
    is_interface: bool,
}

/// Types outside the sources with the methods that may be overridden; only few are known.
const KNOWN_ABOVE: [(&str, &[MethodName<'static>]); 6] = [
    ("Object", &[]),
    ("Record", &[]),
    ("Serializable", &[]),
    ("Cloneable", &[]),
    ("RandomAccess", &[]),
    ("Comparable", &[("compareTo", 1)]),
];

/// Methods of `Object` that a class may override.
const OF_OBJECT: [MethodName<'static>; 5] =
    [("equals", 1), ("hashCode", 0), ("toString", 0), ("clone", 0), ("finalize", 0)];

impl<'s> TypeHierarchy<'s> {
    /// Collects the types of these files.
    pub fn of(files: &'s [SourceFile]) -> TypeHierarchy<'s> {
        let mut found = TypeHierarchy::default();
        for file in files {
            for node in descendants(file.tree.root_node()) {
                found.add_types(file, node);
            }
        }
        found
    }

    fn add_types(&mut self, file: &'s SourceFile, node: SyntaxNode<'s>) {
        if let Some(call) = as_call(node) {
            let calls = self.calls.entry(&file.path).or_default();
            calls.insert((file.text_of(call.name), call.arguments.len()));
        }
        let Some((body, name)) = type_body(file, node) else { return };
        let number = self.types.len();
        self.types.push(DeclaredType {
            above: supertype_names(file, node),
            methods: overridable_methods(file, body),
            is_interface: body.kind_name() == "interface_body",
        });
        self.by_name.entry(name).or_default().push(number);
        self.by_body.insert((&file.path, body.start_byte()), number);
    }

    /// Whether the sources call some method of this name and number of arguments.
    pub fn is_called(&self, file: &SourceFile, method: SyntaxNode<'_>) -> bool {
        let name = method_name(file, method);
        self.calls.values().any(|calls| calls.contains(&name))
    }

    /// Whether this file calls some method of this name and number of arguments.
    pub(crate) fn is_called_in(&self, file: &SourceFile, method: SyntaxNode<'_>) -> bool {
        let calls = self.calls.get(file.path.as_str());
        calls.is_some_and(|calls| calls.contains(&method_name(file, method)))
    }

    /// Whether calls of the method run exactly it, and calls of other methods never do: as far as
    /// the sources show, it neither overrides nor implements a method, and none overrides it.
    pub(crate) fn is_called_as_itself(&self, file: &SourceFile, method: SyntaxNode<'_>) -> bool {
        let modifiers = modifiers(file, method);
        let has = |word: &str| modifiers.contains(&word);
        if has("private") || has("static") {
            return true;
        }
        let Some(own) = type_around(method).and_then(|body| self.of_body(file, body)) else {
            return false;
        };
        let overrides = modifiers.iter().any(|word| word.ends_with("Override"));
        let may_implement = has("public") || has("protected");
        let name = method_name(file, method);
        !overrides
            && !self.types[own].is_interface
            && !OF_OBJECT.contains(&name)
            && !self.supertype_has(own, name, may_implement)
            && !self.subtype_has(own, name)
    }

    fn of_body(&self, file: &SourceFile, body: SyntaxNode<'_>) -> Option<usize> {
        self.by_body.get(&(file.path.as_str(), body.start_byte())).copied()
    }

    /// Whether a supertype has the method; an unknown supertype may have any that may implement
    /// one of another package.
    fn supertype_has(&self, of: usize, name: MethodName<'_>, may_implement: bool) -> bool {
        let (all, unknown) = self.all_supertypes(of);
        let known = |above: &str| {
            let known = KNOWN_ABOVE.iter().find(|(known, _)| *known == above);
            known.is_some_and(|(_, methods)| !methods.contains(&name))
        };
        all.iter().any(|above| self.types[*above].methods.contains(&name))
            || (may_implement && unknown.iter().any(|above| !known(above)))
    }

    /// Whether a subtype has the method.
    fn subtype_has(&self, of: usize, name: MethodName<'_>) -> bool {
        let mut others = self.types.iter().enumerate();
        others.any(|(number, other)| {
            other.methods.contains(&name)
                && number != of
                && self.all_supertypes(number).0.contains(&of)
        })
    }

    /// All supertypes of a type, and the names of those outside the sources.
    fn all_supertypes(&self, of: usize) -> (BTreeSet<usize>, BTreeSet<&'s str>) {
        let (mut all, mut unknown, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![of]);
        while let Some(number) = open.pop() {
            for name in &self.types[number].above {
                match self.by_name.get(name) {
                    Some(found) => open.extend(found.iter().filter(|one| all.insert(**one))),
                    None => drop(unknown.insert(*name)),
                }
            }
        }
        (all, unknown)
    }
}

/// Body and name of a type; the name is empty for an anonymous class and an enum constant.
fn type_body<'s>(file: &'s SourceFile, node: SyntaxNode<'s>) -> Option<(SyntaxNode<'s>, &'s str)> {
    let named = node.kind_name().ends_with("_declaration");
    let body = match node.kind_name() {
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "enum_constant" => node.child_by_field_name("body")?,
        "object_creation_expression" => {
            children(node).into_iter().find(|child| child.kind_name() == "class_body")?
        }
        _ => return None,
    };
    let name = node.child_by_field_name("name").filter(|_| named);
    Some((body, name.map_or("", |name| file.text_of(name))))
}

/// Body of the type that declares a member.
fn type_around(member: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let parent = member.parent()?;
    match parent.kind_name() {
        "enum_body_declarations" => parent.parent(),
        _ => Some(parent),
    }
}

/// Names of a type's superclass and interfaces.
fn supertype_names<'s>(file: &'s SourceFile, node: SyntaxNode<'s>) -> Vec<&'s str> {
    match node.kind_name() {
        "object_creation_expression" => {
            let ty = node.child_by_field_name("type");
            return ty.map(|ty| creation::simple_name(file, ty)).into_iter().collect();
        }
        "enum_constant" => {
            let of = node.parent().and_then(|body| body.parent());
            let name = of.and_then(|of| of.child_by_field_name("name"));
            return name.map(|name| file.text_of(name)).into_iter().collect();
        }
        _ => {}
    }
    const LISTS: [&str; 3] = ["superclass", "super_interfaces", "extends_interfaces"];
    let lists = children(node).into_iter().filter(|child| LISTS.contains(&child.kind_name()));
    let types = lists.flat_map(children).flat_map(|ty| match ty.kind_name() {
        "type_list" => children(ty),
        _ => vec![ty],
    });
    types.map(|ty| creation::simple_name(file, ty)).collect()
}

/// Methods of a type that can override or be overridden.
fn overridable_methods<'s>(file: &'s SourceFile, body: SyntaxNode<'s>) -> BTreeSet<MethodName<'s>> {
    let members = children(body).into_iter().flat_map(|member| match member.kind_name() {
        "enum_body_declarations" => children(member),
        _ => vec![member],
    });
    let methods = members.filter(|member| member.kind_name() == "method_declaration");
    let alone = |method: &SyntaxNode<'_>| {
        modifiers(file, *method).iter().any(|word| ["private", "static"].contains(word))
    };
    methods.filter(|method| !alone(method)).map(|method| method_name(file, method)).collect()
}

fn method_name<'s>(file: &'s SourceFile, method: SyntaxNode<'_>) -> MethodName<'s> {
    let name = method.child_by_field_name("name").map_or("", |name| file.text_of(name));
    let parameters = method.child_by_field_name("parameters");
    let parameters = parameters.map_or(Vec::new(), children).into_iter();
    let own = parameters.filter(|parameter| parameter.kind_name() != "receiver_parameter");
    (name, own.count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::pattern::methods_with_body;

    const SHAPES: &str = "package a;
        interface Shape { int area(); default int twice() { return 2; } static int one() { return 1; } }
        abstract class Base implements Shape {
            int side; int side() { return side; } public int name() { return 1; }
            protected int drawn() { return 2; } public final int kept() { return 3; }
        }
        class Square extends Base implements java.io.Serializable, Comparable<Square> {
            public int area() { return side * side; }
            int side() { return -side; }
            public int compareTo(Square other) { return 0; }
            public int hashCode() { return 1; }
            public int perimeter() { return 4 * side; }
            private int own() { return 1; }
        }
        class Panel extends android.view.View {
            public void onDraw(Object canvas) { }
            void helper() { }
            @Override void marked() { }
        }
        enum Kind { A { int weight() { return 1; } }, B; int weight() { return 2; } int other() { return 3; } }
        class Users {
            Shape s = new Shape() { public int area() { return 1; } int helped() { return 2; } private int hidden() { return 3; } };
            int area() { return 5; }
        }";

    /// The methods that a call runs as they are.
    #[test]
    fn overriding_and_overridden_methods_are_told_from_others() {
        let files = [SourceFile::parse("a/Shapes.java", SHAPES)];
        let types = TypeHierarchy::of(&files);
        let alone =
            |(method, _): &(SyntaxNode<'_>, _)| types.is_called_as_itself(&files[0], *method);
        let found = methods_with_body(&files[0]).into_iter().filter(alone);
        let lines: Vec<String> =
            found.map(|(method, _)| method_name(&files[0], method).0.to_string()).collect();
        let expected = [
            "one",
            "name",
            "drawn",
            "kept",
            "perimeter",
            "own",
            "helper",
            "other",
            "helped",
            "hidden",
            "area",
        ];
        assert_eq!(lines, expected);
    }

    /// A superclass of another file, and one that is nowhere.
    #[test]
    fn supertypes_are_found_in_all_files() {
        let files = [
            SourceFile::parse("a/Top.java", "package a; class Top { int run() { return 1; } }"),
            SourceFile::parse("a/Mid.java", "package a; class Mid extends Top<Mid> { }"),
            SourceFile::parse(
                "a/Low.java",
                "package a; class Low extends Mid { int run() { return 2; } public int go() { return run(); } }",
            ),
        ];
        let types = TypeHierarchy::of(&files);
        let alone: Vec<bool> = files
            .iter()
            .flat_map(|file| {
                methods_with_body(file).into_iter().map(move |(method, _)| (file, method))
            })
            .map(|(file, method)| types.is_called_as_itself(file, method))
            .collect();
        assert_eq!(alone, [false, false, true]);
        let called = |number: usize, method: usize| {
            types.is_called(&files[number], methods_with_body(&files[number])[method].0)
        };
        assert!(called(2, 0) && !called(2, 1));
    }
}
