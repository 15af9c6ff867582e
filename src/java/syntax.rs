//! The names of the grammar's node kinds and fields, and the few questions about a
//! single node that need them: the only module, beside the operation catalogue,
//! that spells them. The grammar is tree-sitter-java-orchard.

use std::borrow::Borrow;

use super::syntax_tree::Node;

/// Node kinds.
#[allow(missing_docs)]
pub mod kind {
    pub const PACKAGE_DECLARATION: &str = "package_declaration";
    pub const CLASS_DECLARATION: &str = "class_declaration";
    pub const INTERFACE_DECLARATION: &str = "interface_declaration";
    pub const ENUM_DECLARATION: &str = "enum_declaration";
    pub const RECORD_DECLARATION: &str = "record_declaration";
    pub const ANNOTATION_TYPE_DECLARATION: &str = "annotation_type_declaration";
    pub const CLASS_BODY: &str = "class_body";
    pub const INTERFACE_BODY: &str = "interface_body";
    pub const ENUM_BODY: &str = "enum_body";
    pub const ENUM_BODY_DECLARATIONS: &str = "enum_body_declarations";
    pub const ANNOTATION_TYPE_BODY: &str = "annotation_type_body";
    pub const ENUM_CONSTANT: &str = "enum_constant";
    pub const FIELD_DECLARATION: &str = "field_declaration";
    pub const CONSTANT_DECLARATION: &str = "constant_declaration";
    pub const METHOD_DECLARATION: &str = "method_declaration";
    pub const CONSTRUCTOR_DECLARATION: &str = "constructor_declaration";
    pub const COMPACT_CONSTRUCTOR_DECLARATION: &str = "compact_constructor_declaration";
    pub const CONSTRUCTOR_BODY: &str = "constructor_body";
    pub const EXPLICIT_CONSTRUCTOR_INVOCATION: &str = "explicit_constructor_invocation";
    pub const STATIC_INITIALIZER: &str = "static_initializer";
    pub const MODIFIERS: &str = "modifiers";
    pub const FORMAL_PARAMETERS: &str = "formal_parameters";
    pub const FORMAL_PARAMETER: &str = "formal_parameter";
    pub const SPREAD_PARAMETER: &str = "spread_parameter";
    pub const CATCH_FORMAL_PARAMETER: &str = "catch_formal_parameter";
    pub const CATCH_TYPE: &str = "catch_type";
    pub const VARIABLE_DECLARATOR: &str = "variable_declarator";
    pub const TYPE_ARGUMENTS: &str = "type_arguments";
    pub const GENERIC_TYPE: &str = "generic_type";
    pub const ANNOTATION: &str = "annotation";
    pub const MARKER_ANNOTATION: &str = "marker_annotation";
    pub const DIMENSIONS: &str = "dimensions";

    pub const BLOCK: &str = "block";
    pub const LOCAL_VARIABLE_DECLARATION: &str = "local_variable_declaration";
    pub const EXPRESSION_STATEMENT: &str = "expression_statement";
    pub const LABELED_STATEMENT: &str = "labeled_statement";
    pub const IF_STATEMENT: &str = "if_statement";
    pub const WHILE_STATEMENT: &str = "while_statement";
    pub const DO_STATEMENT: &str = "do_statement";
    pub const FOR_STATEMENT: &str = "for_statement";
    pub const ENHANCED_FOR_STATEMENT: &str = "enhanced_for_statement";
    pub const SWITCH_EXPRESSION: &str = "switch_expression";
    pub const SWITCH_BLOCK: &str = "switch_block";
    pub const SWITCH_GROUP: &str = "switch_block_statement_group";
    pub const SWITCH_RULE: &str = "switch_rule";
    pub const SWITCH_LABEL: &str = "switch_label";
    pub const PATTERN: &str = "pattern";
    pub const RECORD_PATTERN: &str = "record_pattern";
    pub const GUARD: &str = "guard";
    pub const SYNCHRONIZED_STATEMENT: &str = "synchronized_statement";
    pub const TRY_STATEMENT: &str = "try_statement";
    pub const TRY_WITH_RESOURCES_STATEMENT: &str = "try_with_resources_statement";
    pub const RESOURCE: &str = "resource";
    pub const CATCH_CLAUSE: &str = "catch_clause";
    pub const FINALLY_CLAUSE: &str = "finally_clause";
    pub const BREAK_STATEMENT: &str = "break_statement";
    pub const CONTINUE_STATEMENT: &str = "continue_statement";
    pub const RETURN_STATEMENT: &str = "return_statement";
    pub const THROW_STATEMENT: &str = "throw_statement";
    pub const YIELD_STATEMENT: &str = "yield_statement";
    pub const ASSERT_STATEMENT: &str = "assert_statement";
    pub const SEMICOLON: &str = ";";

    pub const ARGUMENT_LIST: &str = "argument_list";
    pub const METHOD_INVOCATION: &str = "method_invocation";
    pub const METHOD_REFERENCE: &str = "method_reference";
    pub const OBJECT_CREATION_EXPRESSION: &str = "object_creation_expression";
    pub const ARRAY_CREATION_EXPRESSION: &str = "array_creation_expression";
    pub const ARRAY_INITIALIZER: &str = "array_initializer";
    pub const LAMBDA_EXPRESSION: &str = "lambda_expression";
    pub const BINARY_EXPRESSION: &str = "binary_expression";
    pub const UNARY_EXPRESSION: &str = "unary_expression";
    pub const TERNARY_EXPRESSION: &str = "ternary_expression";
    pub const PARENTHESIZED_EXPRESSION: &str = "parenthesized_expression";
    pub const ASSIGNMENT_EXPRESSION: &str = "assignment_expression";
    pub const UPDATE_EXPRESSION: &str = "update_expression";
    pub const INSTANCEOF_EXPRESSION: &str = "instanceof_expression";
    pub const CAST_EXPRESSION: &str = "cast_expression";
    pub const FIELD_ACCESS: &str = "field_access";
    pub const ARRAY_ACCESS: &str = "array_access";
    pub const IDENTIFIER: &str = "identifier";
    pub const NULL_LITERAL: &str = "null_literal";
    pub const CLASS_LITERAL: &str = "class_literal";
    pub const THIS: &str = "this";
    pub const SUPER: &str = "super";
    pub const TRUE: &str = "true";
    pub const FALSE: &str = "false";
    pub const STRING_LITERAL: &str = "string_literal";
    pub const CHARACTER_LITERAL: &str = "character_literal";
    pub const INTEGRAL_TYPE: &str = "integral_type";
    pub const FLOATING_POINT_TYPE: &str = "floating_point_type";
    pub const BOOLEAN_TYPE: &str = "boolean_type";
    pub const VOID_TYPE: &str = "void_type";
    pub const TYPE_IDENTIFIER: &str = "type_identifier";
    pub const LINE_COMMENT: &str = "line_comment";
    pub const BLOCK_COMMENT: &str = "block_comment";
}

/// Field names.
#[allow(missing_docs)]
pub mod field {
    pub const NAME: &str = "name";
    pub const TYPE: &str = "type";
    pub const TYPE_ARGUMENTS: &str = "type_arguments";
    pub const BODY: &str = "body";
    pub const PARAMETERS: &str = "parameters";
    pub const DIMENSIONS: &str = "dimensions";
    pub const DECLARATOR: &str = "declarator";
    pub const CONDITION: &str = "condition";
    pub const CONSEQUENCE: &str = "consequence";
    pub const ALTERNATIVE: &str = "alternative";
    pub const INIT: &str = "init";
    pub const UPDATE: &str = "update";
    pub const VALUE: &str = "value";
    pub const RESOURCES: &str = "resources";
    pub const ARGUMENTS: &str = "arguments";
    pub const OBJECT: &str = "object";
    pub const OPERATOR: &str = "operator";
    pub const OPERAND: &str = "operand";
    pub const LEFT: &str = "left";
    pub const RIGHT: &str = "right";
    pub const FIELD: &str = "field";
    pub const PATTERN: &str = "pattern";
}

/// The kind of `node`, one of [`kind`] if it is named there.
pub fn kind_of<'t>(node: impl Borrow<Node<'t>>) -> &'static str {
    node.borrow().kind()
}

/// Whether `node` is a comment.
pub fn is_comment(node: Node<'_>) -> bool {
    matches!(kind_of(node), kind::LINE_COMMENT | kind::BLOCK_COMMENT)
}

/// All children but comments, punctuation included.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.children().filter(|child| !is_comment(*child)).collect()
}

/// The named children but comments.
pub fn named_children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.named_children().filter(|child| !is_comment(*child)).collect()
}

/// Visits `node` and all named nodes below it, a node before those below it, in source
/// order. `visit` gets how deep below `node` it is, and says whether to go on below.
pub fn walk<'t>(node: Node<'t>, mut visit: impl FnMut(Node<'t>, usize) -> bool) {
    node.walk(|node, depth| node.is_named() && visit(node, depth));
}

/// The first child of kind `kind`.
pub fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.children().find(|child| kind_of(*child) == kind)
}

/// All children of kind `kind`.
pub fn children_of_kind<'t>(node: Node<'t>, kind: &str) -> Vec<Node<'t>> {
    node.children().filter(|child| kind_of(*child) == kind).collect()
}

/// The child in field `name`.
pub fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// All children in field `name`.
pub fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    node.children_by_field_name(name).filter(|child| !is_comment(*child)).collect()
}

/// The statements of a `{ }`: its children but the braces and comments; an empty
/// statement (`;`) is one of them.
pub fn statements<'t>(block: Node<'t>) -> Vec<Node<'t>> {
    children(block).into_iter().filter(|child| !matches!(kind_of(*child), "{" | "}")).collect()
}

/// The expression inside any number of parentheses.
pub fn without_parentheses<'t>(mut node: Node<'t>) -> Node<'t> {
    while kind_of(node) == kind::PARENTHESIZED_EXPRESSION {
        match named_children(node).first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}

/// First line of `node`, from 1.
pub fn first_line(node: Node<'_>) -> u32 {
    line_number(node.first_row())
}

/// Last line of `node`, from 1.
pub fn last_line(node: Node<'_>) -> u32 {
    line_number(node.last_row())
}

fn line_number(row: usize) -> u32 {
    u32::try_from(row).map_or(u32::MAX, |row| row.saturating_add(1))
}

/// Whether `node` declares a named class, interface, enum, record or annotation type.
pub fn is_type_declaration(node: Node<'_>) -> bool {
    matches!(
        kind_of(node),
        kind::CLASS_DECLARATION
            | kind::INTERFACE_DECLARATION
            | kind::ENUM_DECLARATION
            | kind::RECORD_DECLARATION
            | kind::ANNOTATION_TYPE_DECLARATION
    )
}

/// Whether `declaration`'s modifiers hold the keyword `modifier`.
pub fn has_modifier(declaration: Node<'_>, modifier: &str, text: &str) -> bool {
    child_of_kind(declaration, kind::MODIFIERS).is_some_and(|list| {
        children(list).iter().any(|child| &text[child.byte_range()] == modifier)
    })
}

/// The types that a type declaration extends and implements.
pub fn supertypes<'t>(declaration: Node<'t>) -> Vec<Node<'t>> {
    let clauses = ["superclass", "super_interfaces", "extends_interfaces"];
    let clauses = clauses.iter().filter_map(|clause| child_of_kind(declaration, clause));
    let lists = clauses.flat_map(named_children);
    lists.flat_map(|n| if n.kind() == "type_list" { named_children(n) } else { vec![n] }).collect()
}

/// The members of a class, interface, enum, record or annotation body, in source
/// order; an enum's constants come first.
pub fn members<'t>(body: Node<'t>) -> Vec<Node<'t>> {
    let mut members = Vec::new();
    for child in named_children(body) {
        if kind_of(child) == kind::ENUM_BODY_DECLARATIONS {
            members.extend(named_children(child));
        } else {
            members.push(child);
        }
    }
    members
}

/// The operator of a binary, unary or assignment expression.
pub fn operator<'t>(node: Node<'t>) -> Option<&'t str> {
    field(node, field::OPERATOR).map(kind_of)
}
