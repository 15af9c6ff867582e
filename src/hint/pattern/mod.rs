//! Shapes of Java syntax that hints look for: loops, counters, calls, names that a
//! piece of code writes. The only place of this module that spells node kinds and
//! fields of the grammar.

mod counter;
mod names;

use crate::java::Node;

use crate::java::SourceFile;

pub use counter::{Counter, counter, index_offset};
pub use names::{Field, fields, local_names, written_names};

/// What sort of loop it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoopKind {
    /// `for (init; test; update)`.
    For,
    /// `for (T x : xs)`.
    Foreach,
    /// `while (test)`.
    While,
    /// `do ... while (test)`.
    Do,
}

/// A loop statement in parts.
#[derive(Debug, Clone)]
pub struct Loop<'t> {
    /// What sort of loop.
    pub kind: LoopKind,
    /// The whole statement.
    pub node: Node<'t>,
    /// Initialisation of a `for`.
    pub init: Vec<Node<'t>>,
    /// The condition, without its parentheses.
    pub test: Option<Node<'t>>,
    /// Updates of a `for`.
    pub update: Vec<Node<'t>>,
    /// What an enhanced `for` iterates over.
    pub iterated: Option<Node<'t>>,
    /// The variable of an enhanced `for`.
    pub variable: Option<Node<'t>>,
    /// The body.
    pub body: Node<'t>,
}

/// A method call in parts.
#[derive(Debug, Clone)]
pub struct Call<'t> {
    /// What stands before the dot.
    pub object: Option<Node<'t>>,
    /// The method's name.
    pub name: Node<'t>,
    /// The arguments.
    pub arguments: Vec<Node<'t>>,
}

/// All nodes of a subtree that are named, in source order, the root first.
pub fn descendants(root: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        found.push(node);
        stack.extend(children(node).into_iter().rev());
    }
    found
}

/// The named children of a node, comments left out.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children().filter(|child| !child.is_extra()).collect()
}

/// The children in one field.
fn field<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    node.children_by_field_name(name).filter(Node::is_named).collect()
}

/// All loops of a file, in source order.
pub fn loops(file: &SourceFile) -> Vec<Loop<'_>> {
    descendants(file.tree.root_node()).into_iter().filter_map(as_loop).collect()
}

/// Takes a loop statement apart; `None` for anything else.
fn as_loop(node: Node<'_>) -> Option<Loop<'_>> {
    let kind = match node.kind() {
        "for_statement" => LoopKind::For,
        "enhanced_for_statement" => LoopKind::Foreach,
        "while_statement" => LoopKind::While,
        "do_statement" => LoopKind::Do,
        _ => return None,
    };
    Some(Loop {
        kind,
        node,
        init: field(node, "init"),
        test: node.child_by_field_name("condition").map(without_parentheses),
        update: field(node, "update"),
        iterated: node.child_by_field_name("value"),
        variable: node.child_by_field_name("name"),
        body: node.child_by_field_name("body")?,
    })
}

/// What stands in parentheses.
pub fn without_parentheses(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        match children(node).first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}

/// The parentheses around a node, or itself.
pub fn with_parentheses(node: Node<'_>) -> Node<'_> {
    let parent = node.parent().filter(|parent| parent.kind() == "parenthesized_expression");
    parent.unwrap_or(node)
}

/// Whether a subtree holds a loop, a branch or anything else that splits blocks.
pub fn is_straight(body: Node<'_>) -> bool {
    const SPLITTING: [&str; 14] = [
        "for_statement",
        "enhanced_for_statement",
        "while_statement",
        "do_statement",
        "if_statement",
        "switch_expression",
        "try_statement",
        "try_with_resources_statement",
        "break_statement",
        "continue_statement",
        "return_statement",
        "throw_statement",
        "lambda_expression",
        "class_body",
    ];
    descendants(body).iter().all(|node| !SPLITTING.contains(&node.kind()))
}

/// The statements of a body: those of its braces, or itself.
pub fn statements(body: Node<'_>) -> Vec<Node<'_>> {
    if body.kind() == "block" { children(body) } else { vec![body] }
}

/// The expression of an expression statement.
pub fn expression(statement: Node<'_>) -> Option<Node<'_>> {
    let is = statement.kind() == "expression_statement";
    is.then(|| children(statement).first().copied()).flatten()
}

/// Takes a call apart; `None` for anything else.
pub fn as_call(node: Node<'_>) -> Option<Call<'_>> {
    if node.kind() != "method_invocation" {
        return None;
    }
    Some(Call {
        object: node.child_by_field_name("object"),
        name: node.child_by_field_name("name")?,
        arguments: children(node.child_by_field_name("arguments")?),
    })
}

/// Left and right side of a plain assignment.
pub fn as_assignment<'t>(file: &SourceFile, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    if node.kind() != "assignment_expression" {
        return None;
    }
    let operator = node.child_by_field_name("operator")?;
    let plain = file.text_of(operator) == "=";
    plain.then_some((node.child_by_field_name("left")?, node.child_by_field_name("right")?))
}

/// Array and index of an element access.
pub fn as_element(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    if node.kind() != "array_access" {
        return None;
    }
    Some((node.child_by_field_name("array")?, node.child_by_field_name("index")?))
}

/// Operands of a binary operator, if it is one of `operators`.
pub fn as_binary<'t>(
    file: &SourceFile,
    node: Node<'t>,
    operators: &[&str],
) -> Option<(Node<'t>, Node<'t>)> {
    if node.kind() != "binary_expression" {
        return None;
    }
    let operator = node.child_by_field_name("operator")?;
    let fits = operators.contains(&file.text_of(operator));
    fits.then_some((node.child_by_field_name("left")?, node.child_by_field_name("right")?))
}

/// Whether a node is a plain place: a name, `this.x`, `a.b.c`.
pub fn is_place(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "this" => true,
        "field_access" => node.child_by_field_name("object").is_some_and(is_place),
        _ => false,
    }
}

/// Object and field name of `a.b`.
pub fn as_field(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    if node.kind() != "field_access" {
        return None;
    }
    Some((node.child_by_field_name("object")?, node.child_by_field_name("field")?))
}

/// Whether a node is `this`.
pub fn is_this(node: Node<'_>) -> bool {
    node.kind() == "this"
}

/// Whether a node is a name that stands for a variable: not a method's name, not the
/// field after a dot, not a label or a declared name.
pub fn is_variable(node: Node<'_>) -> bool {
    if node.kind() != "identifier" {
        return false;
    }
    let Some(parent) = node.parent() else { return false };
    let is = |name: &str| parent.child_by_field_name(name) == Some(node);
    match parent.kind() {
        "method_invocation" | "variable_declarator" | "formal_parameter" => !is("name"),
        "field_access" => !is("field"),
        "labeled_statement" | "break_statement" | "continue_statement" => false,
        "enhanced_for_statement" => !is("name"),
        "lambda_expression" => !is("parameters"),
        _ => true,
    }
}

/// Whether a subtree stands in a lambda or a class body below `root`: its code belongs
/// to another unit.
pub fn in_other_unit(node: Node<'_>, root: Node<'_>) -> bool {
    let mut node = node;
    while node != root {
        if matches!(node.kind(), "lambda_expression" | "class_body") {
            return true;
        }
        match node.parent() {
            Some(parent) => node = parent,
            None => return false,
        }
    }
    false
}

/// Whether code between `node` and the statement `root` decides if `node` is evaluated:
/// a branch, the right side of `&&` or `||`, an arm of `?:`, a body of a loop within.
pub fn is_guarded(node: Node<'_>, root: Node<'_>) -> bool {
    let mut node = node;
    while let Some(parent) = node.parent().filter(|parent| *parent != root) {
        let is = |name: &str| parent.child_by_field_name(name) == Some(node);
        let decides = match parent.kind() {
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

/// Whether an operator may leave its right side out.
fn is_shortcut(binary: Node<'_>) -> bool {
    let operator = binary.child_by_field_name("operator");
    operator.is_some_and(|operator| matches!(operator.kind(), "&&" | "||"))
}

/// First line of a node, from 1.
pub fn line(node: Node<'_>) -> u32 {
    node.first_row() as u32 + 1
}

/// Last line of a node, from 1.
pub fn last_line(node: Node<'_>) -> u32 {
    node.last_row() as u32 + 1
}
