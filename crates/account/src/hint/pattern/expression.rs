//! Parsers of expressions: calls, assignments, operators, variables, literals.

use crate::java::{SourceFile, SyntaxNode};

use super::{children, field};

/// Parts of a method call: object, name, arguments.
#[derive(Debug, Clone)]
pub struct MethodCall<'t> {
    /// Expression before the dot.
    pub object: Option<SyntaxNode<'t>>,
    /// Name of the method.
    pub name: SyntaxNode<'t>,
    /// Arguments in order.
    pub arguments: Vec<SyntaxNode<'t>>,
}

/// The expression of an expression statement.
pub fn expression(statement: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let is = statement.kind_name() == "expression_statement";
    is.then(|| children(statement).first().copied()).flatten()
}

/// Parses a method call; `None` for other nodes.
pub fn as_call(node: SyntaxNode<'_>) -> Option<MethodCall<'_>> {
    if node.kind_name() != "method_invocation" {
        return None;
    }
    Some(MethodCall {
        object: node.child_by_field_name("object"),
        name: node.child_by_field_name("name")?,
        arguments: children(node.child_by_field_name("arguments")?),
    })
}

/// Left and right side of a plain assignment; `None` for other nodes.
pub fn as_assignment<'t>(
    file: &SourceFile,
    node: SyntaxNode<'t>,
) -> Option<(SyntaxNode<'t>, SyntaxNode<'t>)> {
    if node.kind_name() != "assignment_expression" {
        return None;
    }
    let operator = node.child_by_field_name("operator")?;
    let plain = file.text_of(operator) == "=";
    plain.then_some((node.child_by_field_name("left")?, node.child_by_field_name("right")?))
}

/// Array and index of an element access.
pub fn as_element(node: SyntaxNode<'_>) -> Option<(SyntaxNode<'_>, SyntaxNode<'_>)> {
    if node.kind_name() != "array_access" {
        return None;
    }
    Some((node.child_by_field_name("array")?, node.child_by_field_name("index")?))
}

/// Operands of a binary operator, if it is one of `operators`.
pub fn as_binary<'t>(
    file: &SourceFile,
    node: SyntaxNode<'t>,
    operators: &[&str],
) -> Option<(SyntaxNode<'t>, SyntaxNode<'t>)> {
    if node.kind_name() != "binary_expression" {
        return None;
    }
    let operator = node.child_by_field_name("operator")?;
    let fits = operators.contains(&file.text_of(operator));
    fits.then_some((node.child_by_field_name("left")?, node.child_by_field_name("right")?))
}

/// Whether a node is a variable or a chain of fields: a name, `this.x`, `a.b.c`.
pub fn is_place(node: SyntaxNode<'_>) -> bool {
    match node.kind_name() {
        "identifier" | "this" => true,
        "field_access" => node.child_by_field_name("object").is_some_and(is_place),
        _ => false,
    }
}

/// Object and field name of `a.b`.
pub fn as_field(node: SyntaxNode<'_>) -> Option<(SyntaxNode<'_>, SyntaxNode<'_>)> {
    if node.kind_name() != "field_access" {
        return None;
    }
    Some((node.child_by_field_name("object")?, node.child_by_field_name("field")?))
}

/// Operands of a compound assignment, and its operator without the `=`.
pub fn as_compound<'t>(
    file: &SourceFile,
    node: SyntaxNode<'t>,
) -> Option<(SyntaxNode<'t>, String, SyntaxNode<'t>)> {
    if node.kind_name() != "assignment_expression" {
        return None;
    }
    let operator = file.text_of(node.child_by_field_name("operator")?);
    let operator = operator.strip_suffix('=').filter(|rest| !rest.is_empty())?.to_owned();
    Some((node.child_by_field_name("left")?, operator, node.child_by_field_name("right")?))
}

/// The operand of `x++`, `++x`, `x--`, `--x`.
pub fn as_step(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    (node.kind_name() == "update_expression").then(|| children(node).first().copied()).flatten()
}

/// Type and value of a cast.
pub fn as_cast(node: SyntaxNode<'_>) -> Option<(SyntaxNode<'_>, SyntaxNode<'_>)> {
    if node.kind_name() != "cast_expression" {
        return None;
    }
    Some((node.child_by_field_name("type")?, node.child_by_field_name("value")?))
}

/// Name and value of the declarators of a local declaration, with its type.
pub fn as_locals(
    node: SyntaxNode<'_>,
) -> Vec<(SyntaxNode<'_>, SyntaxNode<'_>, Option<SyntaxNode<'_>>)> {
    let is = node.kind_name() == "local_variable_declaration";
    let Some(ty) = is.then(|| node.child_by_field_name("type")).flatten() else {
        return Vec::new();
    };
    let name = |d: SyntaxNode<'_>| d.child_by_field_name("name").is_some();
    let declarators = field(node, "declarator").into_iter().filter(|d| name(*d));
    declarators
        .filter_map(|d| Some((ty, d.child_by_field_name("name")?, d.child_by_field_name("value"))))
        .collect()
}

/// Whether a node is a literal.
pub fn is_literal(node: SyntaxNode<'_>) -> bool {
    node.kind_name().ends_with("_literal") || is_boolean_literal(node)
}

/// Whether a node is a literal of type String.
pub fn is_string_literal(node: SyntaxNode<'_>) -> bool {
    node.kind_name() == "string_literal"
}

/// Whether a node is a literal of type char.
pub fn is_char_literal(node: SyntaxNode<'_>) -> bool {
    node.kind_name() == "character_literal"
}

/// Whether a node is `true` or `false`.
pub fn is_boolean_literal(node: SyntaxNode<'_>) -> bool {
    matches!(node.kind_name(), "true" | "false")
}

/// Whether a node is a literal of type double: `0.5`, `1e3`, `2d`.
pub fn is_double_literal(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    node.kind_name() == "decimal_floating_point_literal"
        && !file.text_of(node).ends_with(['f', 'F'])
}

/// Whether a node is a side-effect-free operation on numbers: `+ - * / %`, a sign.
pub fn is_arithmetic(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    let operator = node.child_by_field_name("operator").map_or("", |node| file.text_of(node));
    match node.kind_name() {
        "binary_expression" => ["+", "-", "*", "/", "%", "<<", ">>"].contains(&operator),
        "unary_expression" => ["+", "-"].contains(&operator),
        "parenthesized_expression" => true,
        _ => false,
    }
}

/// Operands of an operation, or the expression in parentheses.
pub fn operands(node: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    children(node)
}

/// Whether a node is `super`.
pub fn is_super(node: SyntaxNode<'_>) -> bool {
    node.kind_name() == "super"
}

/// Whether a node is `null`.
pub fn is_null(node: SyntaxNode<'_>) -> bool {
    node.kind_name() == "null_literal"
}

/// Whether a node is a `synchronized` statement.
pub fn is_synchronized(node: SyntaxNode<'_>) -> bool {
    node.kind_name() == "synchronized_statement"
}

/// Whether a node is `this`.
pub fn is_this(node: SyntaxNode<'_>) -> bool {
    node.kind_name() == "this"
}

/// Whether a node is a name that refers to a variable: not the name of a method, of a field after
/// a dot, of a label or in a declaration.
pub fn is_variable(node: SyntaxNode<'_>) -> bool {
    if node.kind_name() != "identifier" {
        return false;
    }
    let Some(parent) = node.parent() else { return false };
    let is = |name: &str| parent.child_by_field_name(name) == Some(node);
    match parent.kind_name() {
        "method_invocation" | "variable_declarator" | "formal_parameter" => !is("name"),
        "field_access" => !is("field"),
        "switch_label" | "marker_annotation" | "annotation" | "element_value_pair" => false,
        "method_reference" => parent.named_children().next() == Some(node),
        "labeled_statement" | "break_statement" | "continue_statement" => false,
        "enhanced_for_statement" => !is("name"),
        "lambda_expression" => !is("parameters"),
        _ => true,
    }
}
