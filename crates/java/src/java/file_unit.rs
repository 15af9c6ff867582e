//! Declarations and imports of one file, read from syntax alone, before any name is resolved.

use super::SourceFile;
use super::class::Visibility;
use super::kinds::{Field, Kind};
use super::syntax;
use super::syntax_tree::{NodeId, SyntaxTree};
use super::types::Name;
use crate::java::fast_hash::Map;

/// File with its pruned tree, or the surface of that, and its declarations.
pub(crate) struct FileUnit<'s> {
    pub source: &'s SourceFile,
    pub tree: SyntaxTree,
    pub imports: Imports,
    pub classes: Vec<ClassDecl>,
}

/// Package and imports of a file; class names in them are as written, with dots.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    pub package: String,
    /// Simple name -> qualified name.
    pub single: Map<String, String>,
    pub on_demand: Vec<String>,
    /// Member name -> classes that it is imported from.
    pub static_single: Map<String, Vec<String>>,
    pub static_on_demand: Vec<String>,
    /// Names of modules, of which all exported packages are imported.
    pub modules: Vec<String>,
}

/// Declaration of a top-level or member class.
#[derive(Debug, Clone)]
pub(crate) struct ClassDecl {
    /// Binary name.
    pub name: Name,
    /// Node of the declaration.
    pub node: NodeId,
    /// Index of the enclosing class in [`FileUnit::classes`].
    pub outer: Option<usize>,
    /// Visibility as a member class.
    pub visibility: Visibility,
    /// Whether it is an inner class, whose objects have one of the enclosing class.
    pub is_inner: bool,
    /// Whether it has type parameters.
    pub is_generic: bool,
    /// Member classes: simple name -> binary name.
    pub members: Map<String, Name>,
}

impl<'s> FileUnit<'s> {
    /// Reads the declarations of `source`, whose pruned tree is `tree`.
    pub fn of(source: &'s SourceFile, tree: SyntaxTree) -> FileUnit<'s> {
        let mut unit = FileUnit { source, tree, imports: Imports::default(), classes: Vec::new() };
        let top: Vec<NodeId> = unit.tree.children(unit.tree.root()).collect();
        for node in &top {
            match unit.tree.kind(*node) {
                Kind::PackageDeclaration => unit.imports.package = unit.qualified_name(*node),
                Kind::ImportDeclaration => unit.import(*node),
                _ => {}
            }
        }
        let prefix = match unit.imports.package.as_str() {
            "" => String::new(),
            package => format!("{package}."),
        };
        for node in top {
            if unit.tree.kind(node).is_class_declaration() {
                declared_classes(&unit.tree, &source.text, node, &prefix, &mut unit.classes);
            }
        }
        unit
    }

    pub fn text(&self, node: NodeId) -> &'s str {
        &self.source.text[self.tree.range(node)]
    }

    /// Whether the declaration at `node` has the modifier.
    pub(crate) fn has_modifier(&self, node: NodeId, modifier: &str) -> bool {
        syntax::has_modifier(self.tree.node(node), modifier, &self.source.text)
    }

    /// Returns the dotted name below a package or import declaration, without white space.
    pub(crate) fn qualified_name(&self, node: NodeId) -> String {
        let name = self
            .tree
            .children(node)
            .find(|c| matches!(self.tree.kind(*c), Kind::Identifier | Kind::ScopedIdentifier));
        name.map(|n| self.text(n).chars().filter(|c| !c.is_whitespace()).collect())
            .unwrap_or_default()
    }

    /// Whether an import is of a module, by its text: a pruned tree has no keywords.
    fn is_of_module(&self, node: NodeId) -> bool {
        let mut words = self.text(node).split_whitespace();
        let is_module = words.next() == Some("import") && words.next() == Some("module");
        // `import module;` imports a class of that name.
        is_module && words.next().is_some_and(|word| !word.starts_with(['.', ';']))
    }

    fn import(&mut self, node: NodeId) {
        let name = self.qualified_name(node);
        let is_static = self.tree.first_of_kind(node, Kind::Static).is_some();
        let on_demand = self.tree.first_of_kind(node, Kind::Asterisk).is_some();
        let is_module = self.is_of_module(node);
        let imports = &mut self.imports;
        if is_module {
            imports.modules.push(name);
            return;
        }
        match (is_static, on_demand) {
            (false, true) => imports.on_demand.push(name),
            (true, true) => imports.static_on_demand.push(name),
            (false, false) => {
                let simple = name.rsplit('.').next().unwrap_or_default().to_owned();
                imports.single.insert(simple, name);
            }
            (true, false) => {
                if let Some((class, member)) = name.rsplit_once('.') {
                    let classes = imports.static_single.entry(member.to_owned()).or_default();
                    classes.push(class.to_owned());
                }
            }
        }
    }
}

/// Appends the class at `node` and its member classes, outer ones first. `prefix` is the part of
/// its binary name before its simple name.
pub(crate) fn declared_classes(
    tree: &SyntaxTree,
    text: &str,
    node: NodeId,
    prefix: &str,
    found: &mut Vec<ClassDecl>,
) {
    let mut todo = vec![(node, prefix.to_owned(), None::<usize>)];
    while let Some((node, prefix, outer)) = todo.pop() {
        let Some(simple) = tree.child(node, Field::Name).map(|n| &text[tree.range(n)]) else {
            continue;
        };
        let name: Name = format!("{prefix}{simple}").into();
        // Names grow with nesting: deeper than anyone writes is left out.
        if name.len() > LONGEST_NAME {
            continue;
        }
        if let Some(outer) = outer {
            let outer: &mut ClassDecl = &mut found[outer];
            outer.members.entry(simple.to_owned()).or_insert_with(|| name.clone());
        }
        let index = found.len();
        let in_interface = tree.parent(node).is_some_and(|p| {
            matches!(tree.kind(p), Kind::InterfaceBody | Kind::AnnotationTypeBody)
        });
        let visibility = match in_interface {
            true => Visibility::Open,
            false => visibility(tree, text, node),
        };
        let is_inner = outer.is_some()
            && !in_interface
            && tree.kind(node) == Kind::ClassDeclaration
            && !syntax::has_modifier(tree.node(node), "static", text);
        let is_generic = tree.child(node, Field::TypeParameters).is_some();
        let inner = format!("{name}$");
        let members = Map::default();
        found.push(ClassDecl { name, node, outer, visibility, is_inner, is_generic, members });
        let below: Vec<NodeId> = self::members(tree, node).collect();
        for member in below.into_iter().rev() {
            if tree.kind(member).is_class_declaration() {
                todo.push((member, inner.clone(), Some(index)));
            }
        }
    }
}

/// Longest binary name in bytes that is followed.
const LONGEST_NAME: usize = 4096;

/// Iterates over the members in the body of a class declaration, of an enum constant or an
/// anonymous class.
pub(crate) fn members(tree: &SyntaxTree, class: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let body = match tree.kind(class) {
        Kind::ClassBody => Some(class),
        _ => tree.child(class, Field::Body),
    };
    let members = body.map_or_else(Vec::new, |body| syntax::members(tree.node(body)));
    members.into_iter().map(|member| member.id())
}

/// Reads the visibility from the modifiers of a declaration in a class.
pub(crate) fn visibility(tree: &SyntaxTree, text: &str, node: NodeId) -> Visibility {
    let Some(list) = tree.first_of_kind(node, Kind::Modifiers) else { return Visibility::Package };
    match tree.first_of_kind(list, Kind::Visibility).map(|v| &text[tree.range(v)]) {
        Some("private") => Visibility::Private,
        Some(_) => Visibility::Open,
        None => Visibility::Package,
    }
}

/// Counts the `[]` in the `dimensions` child of a declaration.
pub(crate) fn extra_dimensions(tree: &SyntaxTree, text: &str, node: NodeId) -> usize {
    tree.child(node, Field::Dimensions).map_or(0, |d| count_dimensions(tree, text, d))
}

/// Counts the `[]` of a `dimensions` node.
pub(crate) fn count_dimensions(tree: &SyntaxTree, text: &str, node: NodeId) -> usize {
    text[tree.range(node)].bytes().filter(|b| *b == b'[').count()
}

/// Returns the type nodes after `extends` and `implements`.
pub(crate) fn supertype_nodes(file: &FileUnit<'_>, class: NodeId) -> Vec<NodeId> {
    let tree = &file.tree;
    let mut nodes = Vec::new();
    nodes.extend(tree.child(class, Field::Superclass).and_then(|s| tree.first_type(s)));
    for list in tree.children(class) {
        if matches!(tree.kind(list), Kind::SuperInterfaces | Kind::ExtendsInterfaces) {
            let list = tree.first_of_kind(list, Kind::TypeList).into_iter();
            nodes.extend(list.flat_map(|l| tree.children(l)).filter(|t| tree.kind(*t).is_type()));
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_imports_and_nested_classes() {
        let source = SourceFile::parse(
            "A.java",
            "package p.q; import java.util.List; import java.io.*; import static a.B.c;\
             import module java.sql; class A { enum E { X; class In {} } interface I {} } class Z {}",
        );
        let unit = FileUnit::of(&source, source.tree.pruned().0);
        assert_eq!(unit.imports.package, "p.q");
        assert_eq!(unit.imports.single["List"], "java.util.List");
        assert_eq!(unit.imports.on_demand, ["java.io"]);
        assert_eq!(unit.imports.static_single["c"], ["a.B"]);
        assert_eq!(unit.imports.modules, ["java.sql"]);
        let names: Vec<&str> = unit.classes.iter().map(|c| &*c.name).collect();
        assert_eq!(names, ["p.q.A", "p.q.A$E", "p.q.A$E$In", "p.q.A$I", "p.q.Z"]);
    }
}
