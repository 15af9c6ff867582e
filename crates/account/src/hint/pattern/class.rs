//! Classes and members around a node: which members are static, and whether the class may have
//! static methods.

use crate::java::{SourceFile, SyntaxNode};

use super::{children, descendants, field};

/// Static members and type parameters of a class.
#[derive(Debug, Clone)]
pub(crate) struct HintClass<'s> {
    /// Whether it may have static methods: it is a top-level or static nested class.
    pub may_have_statics: bool,
    /// Names of its own static fields and methods.
    pub static_names: Vec<&'s str>,
    /// Its type parameters, which static members cannot use.
    pub type_parameters: Vec<&'s str>,
}

/// The innermost named class around a node; `None` in an anonymous class, an interface,
/// an enum or a record.
pub fn class_around<'s>(file: &'s SourceFile, node: SyntaxNode<'_>) -> Option<HintClass<'s>> {
    let body = node.parent().filter(|parent| parent.kind_name() == "class_body")?;
    let class = body.parent().filter(|class| class.kind_name() == "class_declaration")?;
    let top = class.parent().is_some_and(|parent| parent.kind_name() == "program");
    let nested = class.parent().is_some_and(|parent| parent.kind_name() == "class_body");
    let is_static = nested && modifiers(file, class).contains(&"static");
    Some(HintClass {
        may_have_statics: top || is_static,
        static_names: static_names(file, body),
        type_parameters: type_parameters(file, class),
    })
}

/// Names of the type parameters of a declaration.
fn type_parameters<'s>(file: &'s SourceFile, declaration: SyntaxNode<'_>) -> Vec<&'s str> {
    let list = declaration.child_by_field_name("type_parameters");
    let parameters = list.map_or(Vec::new(), children).into_iter();
    let names = parameters.flat_map(|parameter| {
        children(parameter).into_iter().find(|child| !child.kind_name().ends_with("annotation"))
    });
    names.map(|name| file.text_of(name)).collect()
}

/// Whether a declaration uses one of these types, its own type parameters excepted.
pub fn uses_type(file: &SourceFile, declaration: SyntaxNode<'_>, types: &[&str]) -> bool {
    let own = type_parameters(file, declaration);
    let mut nodes = descendants(declaration).into_iter();
    nodes.any(|node| {
        let text = file.text_of(node);
        node.kind_name() == "type_identifier" && types.contains(&text) && !own.contains(&text)
    })
}

/// Whether a file has a method reference to this name on an object: `this::name`.
pub fn is_referred_to(file: &SourceFile, name: &str) -> bool {
    let mut nodes = descendants(file.tree.root_node()).into_iter();
    nodes.any(|node| {
        node.kind_name() == "method_reference"
            && file
                .text_of(node)
                .rsplit("::")
                .next()
                .is_some_and(|referred| referred.trim() == name)
    })
}

/// Byte offset at which new static members visible from a node may be inserted: behind the brace
/// of the innermost top-level or static nested class around it. `None` where an interface, an
/// enum or a record comes first.
pub fn class_for_statics(file: &SourceFile, node: SyntaxNode<'_>) -> Option<usize> {
    let mut node = node;
    while let Some(parent) = node.parent() {
        let kind = parent.kind_name();
        if kind == "class_declaration" && is_top_or_static(file, parent) {
            return Some(parent.child_by_field_name("body")?.start_byte() + 1);
        }
        if kind != "class_declaration" && kind.ends_with("_declaration") && is_type(kind) {
            return None;
        }
        node = parent;
    }
    None
}

/// Whether a node kind is the declaration of a type.
fn is_type(kind: &str) -> bool {
    ["class", "interface", "enum", "record", "annotation_type"]
        .iter()
        .any(|word| kind.strip_suffix("_declaration") == Some(*word))
}

/// Whether a class may have static members in every version of Java.
fn is_top_or_static(file: &SourceFile, class: SyntaxNode<'_>) -> bool {
    let Some(parent) = class.parent() else { return false };
    parent.kind_name() == "program"
        || (parent.kind_name() == "class_body" && modifiers(file, class).contains(&"static"))
}

/// The method or constructor whose body contains a node; `None` in initialisers.
pub fn method_around(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut node = node;
    while let Some(parent) = node.parent() {
        match parent.kind_name() {
            "method_declaration" | "constructor_declaration" => return Some(parent),
            "field_declaration" | "static_initializer" | "class_body" => return None,
            _ => node = parent,
        }
    }
    None
}

/// Return types and numbers of parameters of the methods of this name that the innermost class
/// around a node declares itself.
pub fn methods_beside<'s>(
    file: &'s SourceFile,
    node: SyntaxNode<'_>,
    name: &str,
) -> Vec<(&'s str, usize)> {
    let mut node = node;
    while let Some(parent) = node.parent() {
        if ["class_body", "enum_body_declarations"].contains(&parent.kind_name()) {
            return methods_in(file, parent, name);
        }
        node = parent;
    }
    Vec::new()
}

/// Return types and numbers of parameters of the methods of this name in a class or interface of
/// the file.
pub fn methods_of<'s>(file: &'s SourceFile, class: &str, name: &str) -> Vec<(&'s str, usize)> {
    let is_it = |node: &SyntaxNode<'_>| {
        is_type(node.kind_name())
            && node.child_by_field_name("name").is_some_and(|own| file.text_of(own) == class)
    };
    let found = descendants(file.tree.root_node()).into_iter().find(is_it);
    let body = found.and_then(|class| class.child_by_field_name("body"));
    body.map_or(Vec::new(), |body| methods_in(file, body, name))
}

fn methods_in<'s>(file: &'s SourceFile, body: SyntaxNode<'_>, name: &str) -> Vec<(&'s str, usize)> {
    let methods = children(body).into_iter().filter(|m| m.kind_name() == "method_declaration");
    let named = methods
        .filter(|m| m.child_by_field_name("name").is_some_and(|own| file.text_of(own) == name));
    let shape = |method: SyntaxNode<'_>| {
        let parameters = method.child_by_field_name("parameters").map_or(0, |p| children(p).len());
        Some((file.text_of(method.child_by_field_name("type")?), parameters))
    };
    named.filter_map(shape).collect()
}

/// Names of the static fields and methods of a class.
fn static_names<'s>(file: &'s SourceFile, body: SyntaxNode<'_>) -> Vec<&'s str> {
    let is_static = |member: &SyntaxNode<'_>| modifiers(file, *member).contains(&"static");
    let (statics, others): (Vec<SyntaxNode<'_>>, Vec<SyntaxNode<'_>>) =
        children(body).into_iter().partition(is_static);
    let names = |members: &[SyntaxNode<'_>]| -> Vec<&'s str> {
        members.iter().flat_map(|member| member_names(file, *member)).collect()
    };
    let (mut statics, others) = (names(&statics), names(&others));
    statics.retain(|name| !others.contains(name));
    statics
}

/// Names that a field or method declaration declares.
pub(super) fn member_names<'s>(file: &'s SourceFile, member: SyntaxNode<'_>) -> Vec<&'s str> {
    let own = (member.kind_name() == "method_declaration").then_some(member);
    let nodes = field(member, "declarator").into_iter().chain(own);
    nodes.filter_map(|node| node.child_by_field_name("name")).map(|n| file.text_of(n)).collect()
}

/// The modifiers of a declaration.
pub fn modifiers<'s>(file: &'s SourceFile, declaration: SyntaxNode<'_>) -> Vec<&'s str> {
    let list = children(declaration).into_iter().find(|child| child.kind_name() == "modifiers");
    list.map_or(Vec::new(), |list| file.text_of(list).split_whitespace().collect())
}

/// Byte offset behind a declaration's annotations; `None` if it has none.
pub fn after_annotations(declaration: SyntaxNode<'_>) -> Option<usize> {
    let list = children(declaration).into_iter().find(|child| child.kind_name() == "modifiers")?;
    let annotation = |node: &SyntaxNode<'_>| node.kind_name().ends_with("annotation");
    let last = list.children().filter(annotation).last()?;
    let next = list.children().find(|child| child.start_byte() >= last.end_byte())?;
    Some(next.start_byte())
}

/// Names of classes that need an object of the enclosing class: neither top-level nor static.
pub fn inner_classes(file: &SourceFile) -> Vec<&str> {
    let classes = descendants(file.tree.root_node()).into_iter();
    classes
        .filter(|node| node.kind_name() == "class_declaration")
        .filter(|node| node.parent().is_some_and(|parent| parent.kind_name() != "program"))
        .filter(|node| !modifiers(file, *node).contains(&"static"))
        .filter_map(|node| node.child_by_field_name("name"))
        .map(|name| file.text_of(name))
        .collect()
}

/// The method, constructor, initialiser or class body around a node, or the file.
pub fn enclosing_unit(node: SyntaxNode<'_>) -> SyntaxNode<'_> {
    let mut node = node;
    while let Some(parent) = node.parent() {
        node = parent;
        let units = ["method_declaration", "constructor_declaration", "static_initializer"];
        if units.contains(&node.kind_name()) {
            break;
        }
    }
    node
}

/// The type of an enhanced `for`'s variable.
pub fn element_type(statement: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    statement.child_by_field_name("type")
}
