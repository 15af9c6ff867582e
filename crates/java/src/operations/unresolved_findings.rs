//! Findings on the names of a file that nothing declares, whatever their operations count as.

use std::collections::BTreeMap;

use crate::finding::{Finding, FindingKind};
use crate::java::attribute::{AttributedFacts, Symbol};
use crate::java::file_unit::FileUnit;
use crate::java::kinds::{Field, Kind};
use crate::java::resolver::Resolver;
use crate::java::syntax_tree::NodeId;
use crate::java::type_names::MISSING_CLASS_PREFIX;
use crate::java::types::{Name, Type};
use crate::unresolved_name::UnresolvedName;

pub(super) fn findings(
    file: &FileUnit<'_>,
    facts: &AttributedFacts,
    resolver: &Resolver<'_>,
) -> Vec<Finding> {
    // Without a JDK hardly any name is known, and that is said once.
    if resolver.class(&Name::from("java.lang.Object")).is_none() {
        return Vec::new();
    }
    // First line and uses by name.
    let mut names: BTreeMap<String, (u32, u64)> = BTreeMap::new();
    let uses = type_uses(file, &missing_types(file, resolver));
    let uses = uses.into_iter().chain(annotation_names(file, resolver));
    for (node, name) in uses.chain(expression_names(file, facts)) {
        let line = file.tree.line(node);
        let name = UnresolvedName::up_to_class(&name).to_owned();
        let known = names.entry(name).or_insert((line, 0));
        *known = (known.0.min(line), known.1 + 1);
    }
    // An import is no use; where nothing else names the class, javac refuses it all the same.
    for (node, name) in imported_names(file, resolver) {
        let name = UnresolvedName::up_to_class(&name).to_owned();
        names.entry(name).or_insert((file.tree.line(node), 1));
    }
    let finding = |(name, (line, uses)): (String, (u32, u64))| Finding {
        file: file.source.path.clone(),
        line,
        kind: FindingKind::UnresolvedName,
        message: UnresolvedName { name, uses }.to_string(),
    };
    names.into_iter().map(finding).collect()
}

/// Returns the types that are not found, by the first part of their names: those in bodies, and
/// those of superclasses, fields and methods.
fn missing_types(file: &FileUnit<'_>, resolver: &Resolver<'_>) -> BTreeMap<String, String> {
    let mut found = resolver.names.missing_types();
    for class in file.classes.iter().filter_map(|class| resolver.class(&class.name)) {
        let types = class.superclass.iter().chain(&class.interfaces);
        let fields = class.fields.values().map(|field| &field.ty);
        types.chain(fields).for_each(|ty| add_missing(ty, &mut found));
        for method in class.methods.values().flatten() {
            method
                .parameters
                .iter()
                .chain([&method.returns])
                .for_each(|t| add_missing(t, &mut found));
        }
    }
    let first = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    found.iter().map(|name| (first(name), with_import(file, name))).collect()
}

fn add_missing(ty: &Type, found: &mut Vec<String>) {
    if let Some(element) = ty.element() {
        return add_missing(element, found);
    }
    if let Type::Class(class) = ty {
        found.extend(class.name.strip_prefix(MISSING_CLASS_PREFIX).map(str::to_owned));
        class.args.iter().for_each(|argument| add_missing(argument, found));
    }
}

/// Returns the nodes that name missing types, with the types' names.
fn type_uses(file: &FileUnit<'_>, missing: &BTreeMap<String, String>) -> Vec<(NodeId, String)> {
    let tree = &file.tree;
    let is_first = |node: NodeId| {
        let above = tree.parent(node).filter(|a| tree.kind(*a) == Kind::ScopedTypeIdentifier);
        above.is_none_or(|above| tree.children(above).next() == Some(node))
    };
    let types = tree.nodes().filter(|node| tree.kind(*node) == Kind::TypeIdentifier);
    let named = types.filter_map(|node| Some((node, missing.get(file.text(node))?.clone())));
    named.filter(|(node, _)| is_first(*node)).collect()
}

/// Returns the annotations whose types are not found. Their arguments are no code.
fn annotation_names(file: &FileUnit<'_>, resolver: &Resolver<'_>) -> Vec<(NodeId, String)> {
    let nodes = file.tree.nodes().filter(|node| file.tree.kind(*node).is_annotation());
    let named = nodes.filter_map(|node| Some((node, annotation_name(file.text(node))?)));
    let missing = named.filter(|(_, name)| !is_annotation_type(file, resolver, name));
    missing.map(|(node, name)| (node, with_import(file, &name))).collect()
}

/// Returns `a.B` of `@a.B(...)`; `None` where a comment is in the name.
fn annotation_name(text: &str) -> Option<String> {
    let written = text.strip_prefix('@')?.split('(').next()?;
    let name: String = written.chars().filter(|letter| !letter.is_whitespace()).collect();
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '_' | '$');
    name.chars().all(is_part).then_some(name)
}

/// Whether a type of this name is visible in the file, or a member of one of its classes.
fn is_annotation_type(file: &FileUnit<'_>, resolver: &Resolver<'_>, name: &str) -> bool {
    let types = &resolver.names;
    let parts: Vec<&str> = name.split('.').collect();
    let is_member_of = |class: &Name| {
        let step = |class: Name, part: &&str| types.member_class(&class, part);
        parts.iter().try_fold(class.clone(), step).is_some()
    };
    types.class_by_parts(&parts).is_some()
        || file.classes.iter().any(|class| is_member_of(&class.name))
}

/// Returns the classes that imports name, alone or for a member, and that are not found.
fn imported_names(file: &FileUnit<'_>, resolver: &Resolver<'_>) -> Vec<(NodeId, String)> {
    let imports = &file.imports;
    let class_of = |node: NodeId| -> Option<String> {
        let name = file.qualified_name(node);
        let (before, simple) = name.rsplit_once('.')?;
        let is_of_members = imports.static_single.get(simple);
        match imports.single.get(simple) == Some(&name) {
            true => Some(name),
            false => is_of_members?.iter().find(|class| *class == before).cloned(),
        }
    };
    let nodes = file.tree.nodes().filter(|node| file.tree.kind(*node) == Kind::ImportDeclaration);
    let named = nodes.filter_map(|node| Some((node, class_of(node)?)));
    let is_missing = |name: &str| resolver.names.lookup.class_by_qualified_name(name).is_none();
    named.filter(|(_, name)| is_missing(name)).collect()
}

/// Returns the names in expressions that are no variable, and in which no class is found.
fn expression_names(file: &FileUnit<'_>, facts: &AttributedFacts) -> Vec<(NodeId, String)> {
    let tree = &file.tree;
    // `a.b` of `a.b.C`, whose class is found.
    let leads_on = |node: NodeId| {
        let above = tree.parent(node).filter(|above| tree.kind(*above) == Kind::FieldAccess);
        tree.field(node) == Field::Object
            && above.is_some_and(|a| matches!(facts.symbol(a), Symbol::Type | Symbol::Package))
    };
    let is_missing = |node: &NodeId| match (tree.kind(*node), facts.symbol(*node)) {
        (Kind::Identifier, Symbol::Unresolved) => true,
        (Kind::Identifier | Kind::FieldAccess, Symbol::Package) => !leads_on(*node),
        _ => false,
    };
    let whole = |mut node: NodeId| {
        while let Some(above) = tree.parent(node).filter(|a| tree.kind(*a) == Kind::FieldAccess) {
            node = above;
        }
        file.text(node)
    };
    tree.nodes().filter(is_missing).map(|node| (node, with_import(file, whole(node)))).collect()
}

/// Returns the name with its package, where an import has it.
fn with_import(file: &FileUnit<'_>, text: &str) -> String {
    let parts: Vec<&str> = text.split('.').map(str::trim).collect();
    match parts.split_first().and_then(|(first, _)| file.imports.single.get(*first)) {
        Some(first) => [&[first.as_str()], &parts[1..]].concat().join("."),
        None => parts.join("."),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{CLASSES, scan_with};
    use super::*;

    /// First line, name and uses of what nothing declares.
    fn unresolved(java: &str) -> Vec<(u32, String, u64)> {
        let (_, findings) = scan_with(java, &CLASSES);
        let names =
            findings.iter().filter_map(|found| Some((found.line, UnresolvedName::of(found)?)));
        names.map(|(line, name)| (line, name.name, name.uses)).collect()
    }

    #[test]
    fn every_name_that_nothing_declares_is_a_finding() {
        if !CLASSES.has_jdk() {
            return crate::skip::because("no JDK");
        }
        let java = "package a;\nimport android.util.Log;\nimport androidx.app.Act;\n\
            class T extends Act {\n  int x = R.id.button;\n  Missing m;\n  void f(T t) {\n    \
            Log.d(\"x\");\n    t.g(R.layout.main);\n    int y = Consts.K + RESULT_OK;\n    \
            java.util.List<String> l = java.util.List.of();\n    x = lib.Tools.make();\n  }\n  \
            void g(int id) { Runnable r = () -> f(null); Object o = Missing[].class; }\n}\n";
        let expected = [
            (4, "androidx.app.Act", 1),
            (5, "R", 2),
            (6, "Missing", 2),
            (8, "android.util.Log", 1),
            (10, "Consts", 1),
            (10, "RESULT_OK", 1),
            (12, "lib.Tools", 1),
        ];
        assert_eq!(
            unresolved(java),
            expected.map(|(line, name, uses)| (line, name.to_owned(), uses))
        );
    }

    #[test]
    fn annotations_and_imports_that_nothing_declares_are_findings() {
        if !CLASSES.has_jdk() {
            return crate::skip::because("no JDK");
        }
        let java = "package a;\nimport androidx.annotation.StringRes;\nimport x.Unused;\n\
            import static y.Z.q;\nimport java.util.List;\nimport static java.lang.Math.max;\n\
            @Deprecated class T {\n  @StringRes int x;\n  @Own @b.C(R.id.x) int y;\n  \
            @Override @T.Own public String toString(@StringRes int p) {\n    \
            @SuppressWarnings(\"x\") int k = 0;\n    return \"\";\n  }\n  @interface Own { }\n}\n";
        let expected = [
            (3, "x.Unused", 1),
            (4, "y.Z", 1),
            (8, "androidx.annotation.StringRes", 2),
            (9, "b.C", 1),
        ];
        assert_eq!(
            unresolved(java),
            expected.map(|(line, name, uses)| (line, name.to_owned(), uses))
        );
    }

    /// Types that a class within a method inherits, its type variables, and its other classes are
    /// known in it and in its member classes.
    #[test]
    fn classes_within_methods_know_their_types() {
        if !CLASSES.has_jdk() {
            return crate::skip::because("no JDK");
        }
        let java = "class B {\n  interface S { interface In { int k(); } }\n  \
            interface R { interface Deep { int k(); } }\n  int f() {\n    \
            class L<T extends Comparable<T>> implements S {\n      In g() { return null; }\n      \
            class N { T t; In in; class P { int p() { return 1; } } class M { P p; In in; } }\n      \
            class Q implements R { Deep d() { return null; } }\n    }\n    \
            L<String> l = new L<>();\n    L<String>.N n = l.new N();\n    \
            return l.g().k() + n.in.k() + n.t.compareTo(\"a\") + l.new Q().d().k();\n  }\n  \
            int h() {\n    return new S() {\n      In g() { return null; }\n      \
            class N { In in; class P { int p() { return 1; } } class M { P p; \
            int q() { return p.p(); } } }\n      int x() { return new N().in.k() + g().k(); }\n    \
            }.x();\n  }\n}\n";
        let (_, findings) = scan_with(java, &CLASSES);
        let messages: Vec<&str> = findings.iter().map(|found| found.message.as_str()).collect();
        assert_eq!(messages, [""; 0]);
    }
}
