//! Java syntax for hint patterns: loops, counters, calls, names that code writes. The only part
//! of hints that contains node kinds and fields of the grammar.

mod class;
mod counter;
mod creation;
mod declaration;
mod expression;
mod hierarchy;
mod names;
mod surroundings;

use crate::java::SyntaxNode;

use crate::java::SourceFile;

pub use class::{
    after_annotations, class_around, class_for_statics, element_type, enclosing_unit,
    inner_classes, is_referred_to, method_around, methods_beside, methods_of, modifiers, uses_type,
};
pub use counter::{LoopCounter, counter, counter_ends, index_offset, is_int};
pub use creation::{Creation, as_creation};
pub use declaration::{
    Declaration, NameKind, created_class, declaration_of, methods_with_body, simple_type,
};
pub use expression::{
    MethodCall, as_assignment, as_binary, as_call, as_cast, as_compound, as_element, as_field,
    as_locals, as_step, expression, is_arithmetic, is_boolean_literal, is_char_literal,
    is_double_literal, is_literal, is_null, is_place, is_string_literal, is_super, is_synchronized,
    is_this, is_variable, operands,
};
pub use hierarchy::TypeHierarchy;
pub use names::{
    ClassField, called_methods, fields, fields_assigned_by_calls, identifiers_of, local_names,
    private_names, reassigned_fields, written_names,
};
pub use surroundings::{
    innermost_code, innermost_loop, is_guarded, is_in_other_unit, is_in_try, is_read_only,
    is_return, is_statement_of, outermost_statement,
};

use class::member_names;

/// Kind of loop statement.
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

/// Parts of a loop statement.
#[derive(Debug, Clone)]
pub struct LoopParts<'t> {
    /// Kind of the loop.
    pub kind: LoopKind,
    /// The whole statement.
    pub node: SyntaxNode<'t>,
    /// Initialisation of a `for`.
    pub init: Vec<SyntaxNode<'t>>,
    /// The condition, without its parentheses.
    pub test: Option<SyntaxNode<'t>>,
    /// Updates of a `for`.
    pub update: Vec<SyntaxNode<'t>>,
    /// Expression that an enhanced `for` iterates over.
    pub iterated: Option<SyntaxNode<'t>>,
    /// The variable of an enhanced `for`.
    pub variable: Option<SyntaxNode<'t>>,
    /// The body.
    pub body: SyntaxNode<'t>,
}

/// Named nodes of a subtree in source order, the root first.
pub fn descendants(root: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    let mut found = Vec::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        found.push(node);
        stack.extend(children(node).into_iter().rev());
    }
    found
}

/// Named children of a node, without comments.
fn children(node: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    node.named_children().filter(|child| !child.is_extra()).collect()
}

/// Children in one field of the grammar.
fn field<'t>(node: SyntaxNode<'t>, name: &str) -> Vec<SyntaxNode<'t>> {
    node.children_by_field_name(name).filter(SyntaxNode::is_named).collect()
}

/// All loops of a file, in source order.
pub fn loops(file: &SourceFile) -> Vec<LoopParts<'_>> {
    descendants(file.tree.root_node()).into_iter().filter_map(as_loop).collect()
}

/// Parses a loop statement; `None` for other nodes.
fn as_loop(node: SyntaxNode<'_>) -> Option<LoopParts<'_>> {
    let kind = match node.kind_name() {
        "for_statement" => LoopKind::For,
        "enhanced_for_statement" => LoopKind::Foreach,
        "while_statement" => LoopKind::While,
        "do_statement" => LoopKind::Do,
        _ => return None,
    };
    Some(LoopParts {
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

/// The node within parentheses; the node itself without these.
pub fn without_parentheses(mut node: SyntaxNode<'_>) -> SyntaxNode<'_> {
    while node.kind_name() == "parenthesized_expression" {
        match children(node).first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}

/// The parentheses around a node, or the node itself.
pub(crate) fn with_parentheses(node: SyntaxNode<'_>) -> SyntaxNode<'_> {
    let parent = node.parent().filter(|parent| parent.kind_name() == "parenthesized_expression");
    parent.unwrap_or(node)
}

/// The outermost of nested parentheses around a node, or the node itself.
pub(crate) fn with_all_parentheses(mut node: SyntaxNode<'_>) -> SyntaxNode<'_> {
    loop {
        let outer = with_parentheses(node);
        if outer == node {
            return node;
        }
        node = outer;
    }
}

/// Whether a subtree has no loop, branch or anything else that splits blocks.
pub(crate) fn is_straight(body: SyntaxNode<'_>) -> bool {
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
    descendants(body).iter().all(|node| !SPLITTING.contains(&node.kind_name()))
}

/// The statements of a body: those within its braces, or the body itself.
pub fn statements(body: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    if body.kind_name() == "block" { children(body) } else { vec![body] }
}

/// First line of a node, from 1.
pub fn line(node: SyntaxNode<'_>) -> u32 {
    node.line()
}
