//! Syntax around a node: the unit, the loop, the branches that decide whether it runs, and
//! whether it is read or written.

use crate::java::SyntaxNode;

use super::as_loop;

/// Whether a lambda or class body below `root` contains the node: its code belongs to another
/// unit.
pub fn is_in_other_unit(node: SyntaxNode<'_>, root: SyntaxNode<'_>) -> bool {
    let mut node = node;
    while node != root {
        if matches!(node.kind_name(), "lambda_expression" | "class_body") {
            return true;
        }
        match node.parent() {
            Some(parent) => node = parent,
            None => return false,
        }
    }
    false
}

/// Innermost body around a node that is a unit of its own: of a method, constructor, initialiser,
/// lambda or class.
pub fn innermost_code(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    const BODIES: [&str; 6] = [
        "lambda_expression",
        "class_body",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "static_initializer",
    ];
    let mut node = node;
    while let Some(parent) = node.parent() {
        if BODIES.contains(&parent.kind_name()) {
            return Some(parent);
        }
        node = parent;
    }
    None
}

/// Whether a `try` that does not contain `outer` contains `node`: an exception could be caught,
/// or followed by code, where `outer` is still in scope.
pub fn is_in_try(node: SyntaxNode<'_>, outer: SyntaxNode<'_>) -> bool {
    let seen_in = outer.parent().and_then(|declaration| declaration.parent());
    let mut node = node;
    while let Some(parent) = node.parent().filter(|parent| Some(*parent) != seen_in) {
        if matches!(parent.kind_name(), "try_statement" | "try_with_resources_statement") {
            return true;
        }
        node = parent;
    }
    false
}

/// Whether an expression is a whole statement: its value is unused.
pub fn is_statement_of(expression: SyntaxNode<'_>) -> bool {
    expression.parent().is_some_and(|parent| parent.kind_name() == "expression_statement")
}

/// Whether a node is a `return`.
pub fn is_return(node: SyntaxNode<'_>) -> bool {
    node.kind_name() == "return_statement"
}

/// Whether code between `node` and the statement `root` decides if `node` is evaluated: a branch,
/// the right side of `&&` or `||`, an arm of `?:`, the body of an inner loop.
pub fn is_guarded(node: SyntaxNode<'_>, root: SyntaxNode<'_>) -> bool {
    let mut node = node;
    while let Some(parent) = node.parent().filter(|parent| *parent != root) {
        let is = |name: &str| parent.child_by_field_name(name) == Some(node);
        let decides = match parent.kind_name() {
            "if_statement" | "while_statement" | "ternary_expression" => !is("condition"),
            "for_statement" => !is("init") && !is("condition"),
            "enhanced_for_statement" => !is("value"),
            "binary_expression" => is("right") && is_shortcut(parent),
            "switch_block" | "catch_clause" => true,
            _ => false,
        };
        if decides {
            return true;
        }
        node = parent;
    }
    false
}

/// Whether an operator may skip its right side.
fn is_shortcut(binary: SyntaxNode<'_>) -> bool {
    let operator = binary.child_by_field_name("operator");
    operator.is_some_and(|operator| matches!(operator.kind_name(), "&&" | "||"))
}

/// Innermost loop whose test, update or body contains a node.
pub fn innermost_loop(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut node = node;
    while let Some(parent) = node.parent() {
        let once = |name: &str| parent.children_by_field_name(name).any(|part| part == node);
        if as_loop(parent).is_some() && !once("init") && !once("value") {
            return Some(parent);
        }
        node = parent;
    }
    None
}

/// A statement with its labels, and whether a declaration may precede it: it is among other
/// statements.
pub fn outermost_statement(statement: SyntaxNode<'_>) -> (SyntaxNode<'_>, bool) {
    let mut root = statement;
    while let Some(parent) =
        root.parent().filter(|parent| parent.kind_name() == "labeled_statement")
    {
        root = parent;
    }
    let among = ["block", "constructor_body", "switch_block_statement_group"];
    let others = root.parent().is_some_and(|parent| among.contains(&parent.kind_name()));
    (root, others)
}

/// Whether a variable, field or element is assigned, incremented or decremented.
pub fn is_written(place: SyntaxNode<'_>) -> bool {
    let Some(parent) = place.parent() else { return false };
    match parent.kind_name() {
        "assignment_expression" => parent.child_by_field_name("left") == Some(place),
        "update_expression" => true,
        "parenthesized_expression" => is_written(parent),
        _ => false,
    }
}

/// Whether an array's name is used only to read an element or the length, or to iterate over all
/// elements.
pub fn is_read_only(name: SyntaxNode<'_>) -> bool {
    let Some(parent) = name.parent() else { return false };
    let is = |field: &str| parent.child_by_field_name(field) == Some(name);
    match parent.kind_name() {
        "array_access" => is("array") && !is_written(parent),
        "field_access" => is("object"),
        "enhanced_for_statement" => is("value"),
        _ => false,
    }
}
