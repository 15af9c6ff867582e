//! Declarations of names, and their types as far as the file shows them.

use crate::java::SyntaxNode;

use super::{as_creation, as_field, children, creation, field, is_this};
use crate::java::SourceFile;

/// Kind of variable that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// A local variable, also of a `for` or a resource.
    Local,
    /// A parameter of a method, a lambda or a catch clause.
    Parameter,
    /// A field of the enclosing class.
    Field,
}

/// Declaration of a variable: kind, type, initial value and node.
#[derive(Debug, Clone)]
pub struct Declaration<'t> {
    /// Kind of the variable.
    pub place: NameKind,
    /// Type as written, including dimensions after the name; the created class for `var x = new
    /// T()`; empty where the file does not show it.
    pub type_text: String,
    /// Initial value, if there is one.
    pub value: Option<SyntaxNode<'t>>,
    /// Syntax node of the declarator or parameter.
    pub node: SyntaxNode<'t>,
}

/// Declaration of `x` or `this.x` visible at a node: locals and parameters around it, then fields
/// of the innermost class. `None` for a name declared elsewhere.
pub fn declaration_of<'t>(file: &SourceFile, use_of: SyntaxNode<'t>) -> Option<Declaration<'t>> {
    if let Some((object, name)) = as_field(use_of) {
        return if is_this(object) {
            field_declaration(file, use_of, file.text_of(name))
        } else {
            None
        };
    }
    if use_of.kind_name() != "identifier" {
        return None;
    }
    let name = file.text_of(use_of);
    let mut node = use_of;
    while let Some(parent) = node.parent() {
        if let Some(found) = declaration_among(file, parent, node, name) {
            return Some(found);
        }
        if matches!(parent.kind_name(), "class_body" | "enum_body_declarations" | "interface_body")
        {
            return field_declaration(file, use_of, name);
        }
        node = parent;
    }
    None
}

/// Declaration of `name` in `parent` that is visible at its child `node`.
fn declaration_among<'t>(
    file: &SourceFile,
    parent: SyntaxNode<'t>,
    node: SyntaxNode<'t>,
    name: &str,
) -> Option<Declaration<'t>> {
    let before = |child: &SyntaxNode<'t>| child.start_byte() < node.start_byte() || *child == node;
    match parent.kind_name() {
        "block"
        | "switch_block_statement_group"
        | "constructor_body"
        | "for_statement"
        | "resource_specification"
        | "local_variable_declaration" => children(parent)
            .into_iter()
            .filter(before)
            .chain((parent.kind_name() == "local_variable_declaration").then_some(parent))
            .filter_map(|child| declarator(file, child, name, NameKind::Local))
            .next_back(),
        "try_with_resources_statement" => {
            let resources = parent.child_by_field_name("resources")?;
            children(resources)
                .into_iter()
                .find_map(|child| declarator(file, child, name, NameKind::Local))
        }
        "enhanced_for_statement" => {
            let own = parent.child_by_field_name("name")?;
            let in_body = parent.child_by_field_name("body") == Some(node);
            (in_body && file.text_of(own) == name)
                .then(|| typed(file, parent, None, NameKind::Local))
        }
        "method_declaration" | "constructor_declaration" | "lambda_expression" | "catch_clause" => {
            parameter_declaration(file, parent, name)
        }
        _ => None,
    }
}

/// Declaration of a parameter of a method, lambda or catch clause.
fn parameter_declaration<'t>(
    file: &SourceFile,
    unit: SyntaxNode<'t>,
    name: &str,
) -> Option<Declaration<'t>> {
    let list = unit.child_by_field_name("parameters");
    let lists = list
        .into_iter()
        .chain(children(unit).into_iter().filter(|c| c.kind_name() == "catch_formal_parameter"));
    for list in lists {
        if list.kind_name() == "identifier" && file.text_of(list) == name {
            return Some(untyped(list));
        }
        for child in children(list).into_iter().chain([list]) {
            if child.kind_name() == "identifier" && file.text_of(child) == name {
                return Some(untyped(child));
            }
            let own = child.child_by_field_name("name");
            if own.is_some_and(|own| file.text_of(own) == name) {
                return Some(typed(file, child, None, NameKind::Parameter));
            }
            if let Some(found) = declarator(file, child, name, NameKind::Parameter) {
                let type_text = format!("{}[]", found.type_text);
                return Some(Declaration { type_text, ..found });
            }
        }
    }
    None
}

/// Declaration of a parameter without a type.
fn untyped(node: SyntaxNode<'_>) -> Declaration<'_> {
    Declaration { place: NameKind::Parameter, type_text: String::new(), value: None, node }
}

/// Declaration of `name` among locals, fields or a resource.
fn declarator<'t>(
    file: &SourceFile,
    declaration: SyntaxNode<'t>,
    name: &str,
    place: NameKind,
) -> Option<Declaration<'t>> {
    let kinds = ["local_variable_declaration", "field_declaration", "resource", "spread_parameter"];
    if !kinds.contains(&declaration.kind_name()) {
        return None;
    }
    let own = field(declaration, "declarator").into_iter().chain(
        children(declaration)
            .into_iter()
            .filter(|child| child.kind_name() == "variable_declarator"),
    );
    let is = |node: &SyntaxNode<'_>| {
        node.child_by_field_name("name").is_some_and(|own| file.text_of(own) == name)
    };
    let found = own.chain([declaration]).find(is)?;
    let ty = declaration.child_by_field_name("type").or_else(|| {
        children(declaration).into_iter().find(|child| {
            child.kind_name().ends_with("_type") || child.kind_name() == "type_identifier"
        })
    });
    let mut declared = typed(file, found, ty, place);
    declared.value = found.child_by_field_name("value");
    if declared.type_text == "var" {
        declared.type_text = declared.value.and_then(as_creation).map_or(String::new(), |made| {
            let array = if made.is_array {
                "[]".repeat(made.arguments.len().max(1))
            } else {
                String::new()
            };
            format!("{}{array}", file.text_of(made.ty))
        });
    }
    Some(declared)
}

/// A declaration with its type as written.
fn typed<'t>(
    file: &SourceFile,
    node: SyntaxNode<'t>,
    ty: Option<SyntaxNode<'t>>,
    place: NameKind,
) -> Declaration<'t> {
    let ty = ty.or_else(|| node.child_by_field_name("type"));
    let dimensions = node.child_by_field_name("dimensions").map_or("", |n| file.text_of(n));
    let text = ty.map_or("", |ty| file.text_of(ty));
    Declaration { place, type_text: format!("{text}{dimensions}"), value: None, node }
}

/// Declaration of a field of the innermost class.
fn field_declaration<'t>(
    file: &SourceFile,
    inside: SyntaxNode<'t>,
    name: &str,
) -> Option<Declaration<'t>> {
    let mut node = inside;
    while let Some(parent) = node.parent() {
        if matches!(parent.kind_name(), "class_body" | "enum_body_declarations" | "interface_body")
        {
            return children(parent)
                .into_iter()
                .find_map(|child| declarator(file, child, name, NameKind::Field));
        }
        node = parent;
    }
    None
}

/// A type without package, type arguments and white space: `List` of
/// `java.util.List<String>`, `float[]` of `float [ ]`.
pub fn simple_type(type_text: &str) -> String {
    let dimensions = "[]".repeat(type_text.matches('[').count());
    let raw = type_text.split(['<', '[']).next().unwrap_or_default();
    let raw = raw.rsplit('.').next().unwrap_or(raw).trim();
    format!("{raw}{dimensions}")
}

/// Methods that classes declare, each with its body.
pub fn methods_with_body<'t>(file: &'t SourceFile) -> Vec<(SyntaxNode<'t>, SyntaxNode<'t>)> {
    let all = super::descendants(file.tree.root_node()).into_iter();
    all.filter(|node| node.kind_name() == "method_declaration")
        .filter_map(|node| Some((node, node.child_by_field_name("body")?)))
        .collect()
}

/// Simple name of the created class, without package and type arguments.
pub fn created_class<'s>(file: &'s SourceFile, made: &super::Creation<'_>) -> &'s str {
    creation::simple_name(file, made.ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::pattern::{descendants, is_variable};

    #[test]
    fn names_have_the_type_of_their_nearest_declaration() {
        let text = "class A { int x; float y[]; List<String> z;
            void m(double x, long... v) {
                use(x, y, this.x, v);
                { short x2 = 1; use(x2); }
                for (byte b : bytes) { use(b); }
                var made = new java.util.ArrayList<String>(); use(made, z, w);
                Runnable r = () -> use(r2);
                for (int i = 0, j; i < 3; i++) use(i, j);
                try (In in = open()) { use(in); } catch (E | F e) { use(e); }
            } }";
        let file = SourceFile::parse("A.java", text);
        let mut types = Vec::new();
        for call in descendants(file.tree.root_node()) {
            if let Some(call) =
                super::super::as_call(call).filter(|call| file.text_of(call.name) == "use")
            {
                for argument in call.arguments {
                    assert!(is_variable(argument) || argument.kind_name() == "field_access");
                    types.push(
                        declaration_of(&file, argument)
                            .map_or("?".into(), |d| simple_type(&d.type_text)),
                    );
                }
            }
        }
        let expected = [
            "double",
            "float[]",
            "int",
            "long[]",
            "short",
            "byte",
            "ArrayList",
            "List",
            "?",
            "?",
            "int",
            "int",
            "In",
            "",
        ];
        assert_eq!(types, expected);
    }
}
