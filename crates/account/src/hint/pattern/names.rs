//! Names that code writes or declares, and the fields of the enclosing class.

use std::collections::BTreeSet;

use crate::java::SyntaxNode;

use super::{NameKind, as_field, children, declaration_of, descendants, field};
use crate::java::SourceFile;

/// Names that a subtree assigns, increments or declares: `x` of `x = 1`, `x++`, `this.x = 1`,
/// `int x`; not `a` of `a[i] = 1`, which leaves `a` itself unchanged.
pub fn written_names<'s>(file: &'s SourceFile, root: SyntaxNode<'_>) -> BTreeSet<&'s str> {
    let mut names = BTreeSet::new();
    for node in descendants(root) {
        let target = match node.kind_name() {
            "assignment_expression" => node.child_by_field_name("left"),
            "update_expression" => children(node).first().copied(),
            "variable_declarator" | "enhanced_for_statement" | "resource" => {
                node.child_by_field_name("name")
            }
            "instanceof_expression" => node.child_by_field_name("name"),
            _ => None,
        };
        if let Some(target) = target {
            let target = as_field(target).map_or(target, |(_, name)| name);
            if target.kind_name() == "identifier" {
                names.insert(file.text_of(target));
            }
        }
    }
    names
}

/// Names that the method around a node declares: parameters, locals, lambda parameters.
pub fn local_names<'s>(file: &'s SourceFile, inside: SyntaxNode<'_>) -> BTreeSet<&'s str> {
    let units = [
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "static_initializer",
        "program",
    ];
    let body = enclosing(inside, &units);
    let mut names = BTreeSet::new();
    for node in body.map(descendants).unwrap_or_default() {
        let declared = match node.kind_name() {
            "variable_declarator"
            | "formal_parameter"
            | "catch_formal_parameter"
            | "resource"
            | "enhanced_for_statement"
            | "instanceof_expression" => node.child_by_field_name("name"),
            "lambda_expression" => node.child_by_field_name("parameters"),
            "inferred_parameters" | "type_pattern" | "record_pattern_component" => {
                names.extend(children(node).into_iter().map(|name| file.text_of(name)));
                None
            }
            _ => None,
        };
        names.extend(declared.map(|name| file.text_of(name)));
    }
    names
}

/// Names of fields that a file assigns outside constructors and initialisers of the object
/// itself, and that may so change while a loop runs.
pub fn reassigned_fields(file: &SourceFile) -> BTreeSet<&str> {
    let outside = |node: SyntaxNode<'_>, target: SyntaxNode<'_>| {
        let own = super::as_field(target).is_none_or(|(object, _)| super::is_this(object));
        !own || !is_in_constructor(node)
    };
    assigned_fields(file, file.tree.root_node(), outside)
}

/// Names of fields that methods of the enclosing class assign, for methods that the code calls
/// directly or through each other.
pub fn fields_assigned_by_calls<'s>(
    file: &'s SourceFile,
    code: SyntaxNode<'s>,
) -> BTreeSet<&'s str> {
    let reached = called_methods(file, code).into_iter();
    reached.flat_map(|method| assigned_fields(file, method, |_, _| true)).collect()
}

/// Methods of the enclosing class that the code calls by name, directly or through each other.
pub fn called_methods<'s>(file: &SourceFile, code: SyntaxNode<'s>) -> Vec<SyntaxNode<'s>> {
    let class = enclosing(code, &["class_body", "enum_body_declarations"]);
    let own: Vec<SyntaxNode<'s>> = class.map_or(Vec::new(), children);
    let (mut reached, mut open): (Vec<SyntaxNode<'s>>, _) = (Vec::new(), vec![code]);
    while let Some(part) = open.pop() {
        for call in descendants(part).into_iter().filter_map(super::as_call) {
            let name = file.text_of(call.name);
            let is_called = |member: &&SyntaxNode<'s>| {
                member.kind_name() == "method_declaration"
                    && member.child_by_field_name("name").is_some_and(|n| file.text_of(n) == name)
            };
            for method in own.iter().filter(is_called) {
                if !reached.contains(method) {
                    reached.push(*method);
                    open.push(*method);
                }
            }
        }
    }
    reached
}

/// Names of fields that a subtree assigns or increments, if `counts` holds for the assignment and
/// its target.
fn assigned_fields<'s>(
    file: &'s SourceFile,
    root: SyntaxNode<'s>,
    counts: impl Fn(SyntaxNode<'s>, SyntaxNode<'s>) -> bool,
) -> BTreeSet<&'s str> {
    let mut names = BTreeSet::new();
    for node in descendants(root) {
        let target = match node.kind_name() {
            "assignment_expression" => node.child_by_field_name("left"),
            "update_expression" => children(node).first().copied(),
            _ => None,
        };
        let Some(target) = target else { continue };
        let is_local =
            declaration_of(file, target).is_some_and(|found| found.place != NameKind::Field);
        if is_local || !counts(node, target) {
            continue;
        }
        let name = as_field(target).map_or(target, |(_, name)| name);
        if name.kind_name() == "identifier" {
            names.insert(file.text_of(name));
        }
    }
    names
}

/// Whether a node is in a constructor or an initialiser, not in a method or lambda.
fn is_in_constructor(node: SyntaxNode<'_>) -> bool {
    let mut node = node;
    while let Some(parent) = node.parent() {
        match parent.kind_name() {
            "method_declaration" | "lambda_expression" => return false,
            "constructor_declaration"
            | "compact_constructor_declaration"
            | "class_body"
            | "static_initializer" => return true,
            _ => node = parent,
        }
    }
    false
}

/// All identifiers of a file, including types.
pub fn identifiers_of(file: &SourceFile) -> BTreeSet<&str> {
    let leaves = descendants(file.tree.root_node()).into_iter().filter(|node| node.is_leaf());
    leaves.map(|node| file.text_of(node)).collect()
}

/// Names of the private fields and methods of a file's types.
pub fn private_names(file: &SourceFile) -> BTreeSet<&str> {
    let all = descendants(file.tree.root_node()).into_iter();
    let members = all.filter(|node| {
        matches!(node.kind_name(), "field_declaration" | "method_declaration")
            && super::modifiers(file, *node).contains(&"private")
    });
    members.flat_map(|member| super::member_names(file, member)).collect()
}

/// A field of the class around a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassField<'s> {
    /// Name of the field.
    pub name: &'s str,
    /// Source text of its type, including dimensions after the name.
    pub type_text: String,
    /// Qualifier before the dot: `this`, or the class of a static field.
    pub owner: &'s str,
    /// Whether it is `final`.
    pub is_final: bool,
    /// Whether it is `static`.
    pub is_static: bool,
    /// Whether it is `volatile`.
    pub is_volatile: bool,
}

/// Fields that the innermost class around a node declares itself.
pub fn fields<'s>(file: &'s SourceFile, inside: SyntaxNode<'_>) -> Vec<ClassField<'s>> {
    let body = enclosing(inside, &["class_body", "enum_body_declarations"]);
    let class =
        body.and_then(|body| body.parent()).and_then(|class| class.child_by_field_name("name"));
    let class = class.map_or("this", |name| file.text_of(name));
    let mut found = Vec::new();
    for declaration in body.map(children).unwrap_or_default() {
        if declaration.kind_name() != "field_declaration" {
            continue;
        }
        let modifiers = children(declaration).into_iter().find(|n| n.kind_name() == "modifiers");
        let modifiers = modifiers.map_or("", |node| file.text_of(node));
        let has = |word: &str| modifiers.split_whitespace().any(|part| part == word);
        let type_text = declaration.child_by_field_name("type").map_or("", |n| file.text_of(n));
        for declarator in field(declaration, "declarator") {
            let Some(name) = declarator.child_by_field_name("name") else { continue };
            let dimensions = declarator.child_by_field_name("dimensions");
            let dimensions = dimensions.map_or("", |node| file.text_of(node));
            found.push(ClassField {
                name: file.text_of(name),
                type_text: format!("{type_text}{dimensions}"),
                owner: if has("static") { class } else { "this" },
                is_final: has("final"),
                is_static: has("static"),
                is_volatile: has("volatile"),
            });
        }
    }
    found
}

/// The innermost node around `inside` of one of these kinds.
fn enclosing<'t>(inside: SyntaxNode<'t>, kinds: &[&str]) -> Option<SyntaxNode<'t>> {
    let mut node = inside;
    while let Some(parent) = node.parent() {
        if kinds.contains(&parent.kind_name()) {
            return Some(parent);
        }
        node = parent;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::pattern::loops;

    #[test]
    fn written_names_are_those_whose_value_changes() {
        let file = SourceFile::parse(
            "A.java",
            "class A { void m() { while (t) { a[i] = 1; this.f = 2; j++; int k = 0; o.g += 1; } } }",
        );
        let names = written_names(&file, loops(&file)[0].body);
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ["f", "g", "j", "k"]);
    }
}
