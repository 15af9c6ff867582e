//! Queries on single nodes by the grammar's kinds and fields, with constants for these. The
//! grammar is tree-sitter-java-orchard.

use std::borrow::Borrow;

use super::kinds::{Field, Kind};
use super::syntax_tree::SyntaxNode;

/// Node kinds.
pub(crate) mod kind {
    use super::Kind;

    pub(crate) const PACKAGE_DECLARATION: Kind = Kind::PackageDeclaration;
    pub(crate) const CLASS_DECLARATION: Kind = Kind::ClassDeclaration;
    pub(crate) const CLASS_BODY: Kind = Kind::ClassBody;
    pub(crate) const INTERFACE_BODY: Kind = Kind::InterfaceBody;
    pub(crate) const ENUM_BODY: Kind = Kind::EnumBody;
    pub(crate) const ENUM_BODY_DECLARATIONS: Kind = Kind::EnumBodyDeclarations;
    pub(crate) const ANNOTATION_TYPE_BODY: Kind = Kind::AnnotationTypeBody;
    pub(crate) const ENUM_CONSTANT: Kind = Kind::EnumConstant;
    pub(crate) const FIELD_DECLARATION: Kind = Kind::FieldDeclaration;
    pub(crate) const CONSTANT_DECLARATION: Kind = Kind::ConstantDeclaration;
    pub(crate) const METHOD_DECLARATION: Kind = Kind::MethodDeclaration;
    pub(crate) const CONSTRUCTOR_DECLARATION: Kind = Kind::ConstructorDeclaration;
    pub(crate) const COMPACT_CONSTRUCTOR_DECLARATION: Kind = Kind::CompactConstructorDeclaration;
    pub(crate) const CONSTRUCTOR_BODY: Kind = Kind::ConstructorBody;
    pub(crate) const EXPLICIT_CONSTRUCTOR_INVOCATION: Kind = Kind::ExplicitConstructorCall;
    pub(crate) const STATIC_INITIALIZER: Kind = Kind::StaticInitializer;
    pub(crate) const MODIFIERS: Kind = Kind::Modifiers;
    pub(crate) const FORMAL_PARAMETER: Kind = Kind::FormalParameter;
    pub(crate) const SPREAD_PARAMETER: Kind = Kind::SpreadParameter;
    pub(crate) const CATCH_FORMAL_PARAMETER: Kind = Kind::CatchParameter;
    pub(crate) const CATCH_TYPE: Kind = Kind::CatchType;
    pub(crate) const VARIABLE_DECLARATOR: Kind = Kind::VariableDeclarator;
    pub(crate) const TYPE_ARGUMENTS: Kind = Kind::TypeArguments;
    pub(crate) const GENERIC_TYPE: Kind = Kind::GenericType;
    pub(crate) const ANNOTATION: Kind = Kind::Annotation;
    pub(crate) const MARKER_ANNOTATION: Kind = Kind::MarkerAnnotation;

    pub const BLOCK: Kind = Kind::Block;
    pub(crate) const LOCAL_VARIABLE_DECLARATION: Kind = Kind::LocalVariable;
    pub(crate) const EXPRESSION_STATEMENT: Kind = Kind::ExpressionStatement;
    pub(crate) const LABELED_STATEMENT: Kind = Kind::Labeled;
    pub(crate) const IF_STATEMENT: Kind = Kind::If;
    pub(crate) const WHILE_STATEMENT: Kind = Kind::While;
    pub(crate) const DO_STATEMENT: Kind = Kind::Do;
    pub(crate) const FOR_STATEMENT: Kind = Kind::For;
    pub(crate) const ENHANCED_FOR_STATEMENT: Kind = Kind::EnhancedFor;
    pub(crate) const SWITCH_EXPRESSION: Kind = Kind::Switch;
    pub(crate) const SWITCH_GROUP: Kind = Kind::SwitchGroup;
    pub(crate) const SWITCH_RULE: Kind = Kind::SwitchRule;
    pub(crate) const SWITCH_LABEL: Kind = Kind::SwitchLabel;
    pub const PATTERN: Kind = Kind::Pattern;
    pub(crate) const RECORD_PATTERN: Kind = Kind::RecordPattern;
    pub(crate) const GUARD: Kind = Kind::Guard;
    pub(crate) const SYNCHRONIZED_STATEMENT: Kind = Kind::Synchronized;
    pub(crate) const TRY_STATEMENT: Kind = Kind::Try;
    pub(crate) const TRY_WITH_RESOURCES_STATEMENT: Kind = Kind::TryWithResources;
    pub(crate) const RESOURCE: Kind = Kind::Resource;
    pub(crate) const CATCH_CLAUSE: Kind = Kind::CatchClause;
    pub(crate) const FINALLY_CLAUSE: Kind = Kind::FinallyClause;
    pub(crate) const BREAK_STATEMENT: Kind = Kind::Break;
    pub(crate) const CONTINUE_STATEMENT: Kind = Kind::Continue;
    pub(crate) const RETURN_STATEMENT: Kind = Kind::Return;
    pub(crate) const THROW_STATEMENT: Kind = Kind::Throw;
    pub(crate) const YIELD_STATEMENT: Kind = Kind::Yield;
    pub(crate) const ASSERT_STATEMENT: Kind = Kind::Assert;
    pub const SEMICOLON: Kind = Kind::Semicolon;
    pub(crate) const COLON: Kind = Kind::Colon;
    pub(crate) const ARROW: Kind = Kind::Arrow;
    pub(crate) const OPEN_BRACE: Kind = Kind::OpenBrace;
    pub(crate) const CLOSE_BRACE: Kind = Kind::CloseBrace;

    pub(crate) const ARGUMENT_LIST: Kind = Kind::ArgumentList;
    pub const METHOD_INVOCATION: Kind = Kind::Call;
    pub(crate) const METHOD_REFERENCE: Kind = Kind::MethodReference;
    pub(crate) const OBJECT_CREATION_EXPRESSION: Kind = Kind::Creation;
    pub(crate) const ARRAY_CREATION_EXPRESSION: Kind = Kind::ArrayCreation;
    pub(crate) const ARRAY_INITIALIZER: Kind = Kind::ArrayInitializer;
    pub(crate) const LAMBDA_EXPRESSION: Kind = Kind::Lambda;
    pub(crate) const BINARY_EXPRESSION: Kind = Kind::Binary;
    pub(crate) const UNARY_EXPRESSION: Kind = Kind::Unary;
    pub(crate) const TERNARY_EXPRESSION: Kind = Kind::Ternary;
    pub(crate) const PARENTHESIZED_EXPRESSION: Kind = Kind::Parenthesized;
    pub(crate) const ASSIGNMENT_EXPRESSION: Kind = Kind::Assignment;
    pub(crate) const UPDATE_EXPRESSION: Kind = Kind::Update;
    pub(crate) const INSTANCEOF_EXPRESSION: Kind = Kind::InstanceOf;
    pub(crate) const CAST_EXPRESSION: Kind = Kind::Cast;
    pub(crate) const FIELD_ACCESS: Kind = Kind::FieldAccess;
    pub(crate) const ARRAY_ACCESS: Kind = Kind::ArrayAccess;
    pub(crate) const IDENTIFIER: Kind = Kind::Identifier;
    pub(crate) const NULL_LITERAL: Kind = Kind::NullLiteral;
    pub(crate) const CLASS_LITERAL: Kind = Kind::ClassLiteral;
    pub(crate) const THIS: Kind = Kind::This;
    pub const TRUE: Kind = Kind::True;
    pub const FALSE: Kind = Kind::False;
    pub(crate) const STRING_LITERAL: Kind = Kind::StringLiteral;
    pub(crate) const CHARACTER_LITERAL: Kind = Kind::Character;
    pub(crate) const INTEGRAL_TYPE: Kind = Kind::IntegralType;
    pub(crate) const FLOATING_POINT_TYPE: Kind = Kind::FloatingPointType;
    pub(crate) const BOOLEAN_TYPE: Kind = Kind::BooleanType;
    pub(crate) const VOID_TYPE: Kind = Kind::VoidType;
    pub(crate) const LINE_COMMENT: Kind = Kind::LineComment;
    pub(crate) const BLOCK_COMMENT: Kind = Kind::BlockComment;
}

/// Field names.
pub(crate) mod field {
    use super::Field;

    pub const NAME: Field = Field::Name;
    pub const TYPE: Field = Field::Type;
    pub(crate) const TYPE_ARGUMENTS: Field = Field::TypeArguments;
    pub const BODY: Field = Field::Body;
    pub(crate) const PARAMETERS: Field = Field::Parameters;
    pub(crate) const DIMENSIONS: Field = Field::Dimensions;
    pub(crate) const DECLARATOR: Field = Field::Declarator;
    pub(crate) const CONDITION: Field = Field::Condition;
    pub(crate) const CONSEQUENCE: Field = Field::Consequence;
    pub(crate) const ALTERNATIVE: Field = Field::Alternative;
    pub const INIT: Field = Field::Init;
    pub(crate) const UPDATE: Field = Field::Update;
    pub const VALUE: Field = Field::Value;
    pub(crate) const RESOURCES: Field = Field::Resources;
    pub(crate) const ARGUMENTS: Field = Field::Arguments;
    pub(crate) const OBJECT: Field = Field::Object;
    pub(crate) const OPERATOR: Field = Field::Operator;
    pub(crate) const OPERAND: Field = Field::Operand;
    pub const LEFT: Field = Field::Left;
    pub const RIGHT: Field = Field::Right;
    pub const FIELD: Field = Field::FieldName;
    pub const PATTERN: Field = Field::Pattern;
}

/// Returns the kind of `node`, given by value or by reference.
pub(crate) fn kind_of<'t>(node: impl Borrow<SyntaxNode<'t>>) -> Kind {
    node.borrow().kind()
}

/// Whether `node` is a comment.
pub fn is_comment(node: SyntaxNode<'_>) -> bool {
    matches!(kind_of(node), kind::LINE_COMMENT | kind::BLOCK_COMMENT)
}

/// Returns all children but comments, punctuation included.
pub fn children<'t>(node: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    node.children().filter(|child| !is_comment(*child)).collect()
}

/// Returns the named children but comments.
pub fn named_children<'t>(node: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    node.named_children().filter(|child| !is_comment(*child)).collect()
}

/// Visits `node` and all named nodes below it, parents first, in source order. `visit` gets the
/// depth below `node`, and returns whether to descend.
pub fn walk<'t>(node: SyntaxNode<'t>, mut visit: impl FnMut(SyntaxNode<'t>, usize) -> bool) {
    node.walk(|node, depth| node.is_named() && visit(node, depth));
}

/// Returns the first child of kind `kind`.
pub(crate) fn child_of_kind<'t>(node: SyntaxNode<'t>, kind: Kind) -> Option<SyntaxNode<'t>> {
    node.children().find(|child| kind_of(*child) == kind)
}

/// Returns all children of kind `kind`.
pub(crate) fn children_of_kind<'t>(node: SyntaxNode<'t>, kind: Kind) -> Vec<SyntaxNode<'t>> {
    node.children().filter(|child| kind_of(*child) == kind).collect()
}

/// Returns the child in `field`.
pub fn field(node: SyntaxNode<'_>, field: Field) -> Option<SyntaxNode<'_>> {
    node.children().find(|child| child.field() == field)
}

/// Returns all children in `field`.
pub fn fields(node: SyntaxNode<'_>, field: Field) -> Vec<SyntaxNode<'_>> {
    let children = node.children().filter(|child| child.field() == field);
    children.filter(|child| !is_comment(*child)).collect()
}

/// Returns the statements of a `{ }`: its children but the braces and comments; an empty
/// statement (`;`) is one of them.
pub fn statements<'t>(block: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    let is_brace =
        |child: &SyntaxNode<'_>| matches!(child.kind(), kind::OPEN_BRACE | kind::CLOSE_BRACE);
    block.children().filter(|child| !is_brace(child) && !is_comment(*child)).collect()
}

/// Returns the expression inside any number of parentheses.
pub fn without_parentheses<'t>(mut node: SyntaxNode<'t>) -> SyntaxNode<'t> {
    while kind_of(node) == kind::PARENTHESIZED_EXPRESSION {
        match named_children(node).first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}

/// Whether `node` declares a named class, interface, enum, record or annotation type.
pub(crate) fn is_type_declaration(node: SyntaxNode<'_>) -> bool {
    node.kind().is_class_declaration()
}

/// Whether the modifiers of `declaration` include the keyword `modifier`.
pub(crate) fn has_modifier(declaration: SyntaxNode<'_>, modifier: &str, text: &str) -> bool {
    child_of_kind(declaration, kind::MODIFIERS)
        .is_some_and(|list| list.children().any(|child| &text[child.byte_range()] == modifier))
}

/// Returns the types that a type declaration extends and implements.
pub fn supertypes<'t>(declaration: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    let clauses = [Kind::Superclass, Kind::SuperInterfaces, Kind::ExtendsInterfaces];
    let clauses = clauses.into_iter().filter_map(|clause| child_of_kind(declaration, clause));
    let parts = clauses.flat_map(named_children);
    let types =
        |n: SyntaxNode<'t>| if n.kind() == Kind::TypeList { named_children(n) } else { vec![n] };
    parts.flat_map(types).collect()
}

/// Returns the members of a class, interface, enum, record or annotation body, in source order;
/// an enum's constants come first.
pub fn members<'t>(body: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
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

/// Returns the operator of a binary, unary or assignment expression.
pub fn operator<'t>(node: SyntaxNode<'t>) -> Option<&'t str> {
    field(node, field::OPERATOR).map(|operator| operator.kind_name())
}
