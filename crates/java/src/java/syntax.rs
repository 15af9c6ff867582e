//! The few questions about a single node that need the grammar's node kinds and fields,
//! and what those kinds and fields are called here. The grammar is
//! tree-sitter-java-orchard.

use std::borrow::Borrow;

use super::kinds::{Field, Kind};
use super::syntax_tree::SyntaxNode;

/// Node kinds.
pub(crate) mod kind {
    use super::Kind;

    pub const PACKAGE_DECLARATION: Kind = Kind::PackageDeclaration;
    pub const CLASS_DECLARATION: Kind = Kind::ClassDeclaration;
    pub const CLASS_BODY: Kind = Kind::ClassBody;
    pub const INTERFACE_BODY: Kind = Kind::InterfaceBody;
    pub const ENUM_BODY: Kind = Kind::EnumBody;
    pub const ENUM_BODY_DECLARATIONS: Kind = Kind::EnumBodyDeclarations;
    pub const ANNOTATION_TYPE_BODY: Kind = Kind::AnnotationTypeBody;
    pub const ENUM_CONSTANT: Kind = Kind::EnumConstant;
    pub const FIELD_DECLARATION: Kind = Kind::FieldDeclaration;
    pub const CONSTANT_DECLARATION: Kind = Kind::ConstantDeclaration;
    pub const METHOD_DECLARATION: Kind = Kind::MethodDeclaration;
    pub const CONSTRUCTOR_DECLARATION: Kind = Kind::ConstructorDeclaration;
    pub const COMPACT_CONSTRUCTOR_DECLARATION: Kind = Kind::CompactConstructorDeclaration;
    pub const CONSTRUCTOR_BODY: Kind = Kind::ConstructorBody;
    pub const EXPLICIT_CONSTRUCTOR_INVOCATION: Kind = Kind::ExplicitConstructorCall;
    pub const STATIC_INITIALIZER: Kind = Kind::StaticInitializer;
    pub const MODIFIERS: Kind = Kind::Modifiers;
    pub const FORMAL_PARAMETER: Kind = Kind::FormalParameter;
    pub const SPREAD_PARAMETER: Kind = Kind::SpreadParameter;
    pub const CATCH_FORMAL_PARAMETER: Kind = Kind::CatchParameter;
    pub const CATCH_TYPE: Kind = Kind::CatchType;
    pub const VARIABLE_DECLARATOR: Kind = Kind::VariableDeclarator;
    pub const TYPE_ARGUMENTS: Kind = Kind::TypeArguments;
    pub const GENERIC_TYPE: Kind = Kind::GenericType;
    pub const ANNOTATION: Kind = Kind::Annotation;
    pub const MARKER_ANNOTATION: Kind = Kind::MarkerAnnotation;

    pub const BLOCK: Kind = Kind::Block;
    pub const LOCAL_VARIABLE_DECLARATION: Kind = Kind::LocalVariable;
    pub const EXPRESSION_STATEMENT: Kind = Kind::ExpressionStatement;
    pub const LABELED_STATEMENT: Kind = Kind::Labeled;
    pub const IF_STATEMENT: Kind = Kind::If;
    pub const WHILE_STATEMENT: Kind = Kind::While;
    pub const DO_STATEMENT: Kind = Kind::Do;
    pub const FOR_STATEMENT: Kind = Kind::For;
    pub const ENHANCED_FOR_STATEMENT: Kind = Kind::EnhancedFor;
    pub const SWITCH_EXPRESSION: Kind = Kind::Switch;
    pub const SWITCH_GROUP: Kind = Kind::SwitchGroup;
    pub const SWITCH_RULE: Kind = Kind::SwitchRule;
    pub const SWITCH_LABEL: Kind = Kind::SwitchLabel;
    pub const PATTERN: Kind = Kind::Pattern;
    pub const RECORD_PATTERN: Kind = Kind::RecordPattern;
    pub const GUARD: Kind = Kind::Guard;
    pub const SYNCHRONIZED_STATEMENT: Kind = Kind::Synchronized;
    pub const TRY_STATEMENT: Kind = Kind::Try;
    pub const TRY_WITH_RESOURCES_STATEMENT: Kind = Kind::TryWithResources;
    pub const RESOURCE: Kind = Kind::Resource;
    pub const CATCH_CLAUSE: Kind = Kind::CatchClause;
    pub const FINALLY_CLAUSE: Kind = Kind::FinallyClause;
    pub const BREAK_STATEMENT: Kind = Kind::Break;
    pub const CONTINUE_STATEMENT: Kind = Kind::Continue;
    pub const RETURN_STATEMENT: Kind = Kind::Return;
    pub const THROW_STATEMENT: Kind = Kind::Throw;
    pub const YIELD_STATEMENT: Kind = Kind::Yield;
    pub const ASSERT_STATEMENT: Kind = Kind::Assert;
    pub const SEMICOLON: Kind = Kind::Semicolon;
    pub const COLON: Kind = Kind::Colon;
    pub const ARROW: Kind = Kind::Arrow;
    pub const OPEN_BRACE: Kind = Kind::OpenBrace;
    pub const CLOSE_BRACE: Kind = Kind::CloseBrace;

    pub const ARGUMENT_LIST: Kind = Kind::ArgumentList;
    pub const METHOD_INVOCATION: Kind = Kind::Call;
    pub const METHOD_REFERENCE: Kind = Kind::MethodReference;
    pub const OBJECT_CREATION_EXPRESSION: Kind = Kind::Creation;
    pub const ARRAY_CREATION_EXPRESSION: Kind = Kind::ArrayCreation;
    pub const ARRAY_INITIALIZER: Kind = Kind::ArrayInitializer;
    pub const LAMBDA_EXPRESSION: Kind = Kind::Lambda;
    pub const BINARY_EXPRESSION: Kind = Kind::Binary;
    pub const UNARY_EXPRESSION: Kind = Kind::Unary;
    pub const TERNARY_EXPRESSION: Kind = Kind::Ternary;
    pub const PARENTHESIZED_EXPRESSION: Kind = Kind::Parenthesized;
    pub const ASSIGNMENT_EXPRESSION: Kind = Kind::Assignment;
    pub const UPDATE_EXPRESSION: Kind = Kind::Update;
    pub const INSTANCEOF_EXPRESSION: Kind = Kind::InstanceOf;
    pub const CAST_EXPRESSION: Kind = Kind::Cast;
    pub const FIELD_ACCESS: Kind = Kind::FieldAccess;
    pub const ARRAY_ACCESS: Kind = Kind::ArrayAccess;
    pub const IDENTIFIER: Kind = Kind::Identifier;
    pub const NULL_LITERAL: Kind = Kind::NullLiteral;
    pub const CLASS_LITERAL: Kind = Kind::ClassLiteral;
    pub const THIS: Kind = Kind::This;
    pub const TRUE: Kind = Kind::True;
    pub const FALSE: Kind = Kind::False;
    pub const STRING_LITERAL: Kind = Kind::StringLiteral;
    pub const CHARACTER_LITERAL: Kind = Kind::Character;
    pub const INTEGRAL_TYPE: Kind = Kind::IntegralType;
    pub const FLOATING_POINT_TYPE: Kind = Kind::FloatingPointType;
    pub const BOOLEAN_TYPE: Kind = Kind::BooleanType;
    pub const VOID_TYPE: Kind = Kind::VoidType;
    pub const LINE_COMMENT: Kind = Kind::LineComment;
    pub const BLOCK_COMMENT: Kind = Kind::BlockComment;
}

/// Field names.
pub(crate) mod field {
    use super::Field;

    pub const NAME: Field = Field::Name;
    pub const TYPE: Field = Field::Type;
    pub const TYPE_ARGUMENTS: Field = Field::TypeArguments;
    pub const BODY: Field = Field::Body;
    pub const PARAMETERS: Field = Field::Parameters;
    pub const DIMENSIONS: Field = Field::Dimensions;
    pub const DECLARATOR: Field = Field::Declarator;
    pub const CONDITION: Field = Field::Condition;
    pub const CONSEQUENCE: Field = Field::Consequence;
    pub const ALTERNATIVE: Field = Field::Alternative;
    pub const INIT: Field = Field::Init;
    pub const UPDATE: Field = Field::Update;
    pub const VALUE: Field = Field::Value;
    pub const RESOURCES: Field = Field::Resources;
    pub const ARGUMENTS: Field = Field::Arguments;
    pub const OBJECT: Field = Field::Object;
    pub const OPERATOR: Field = Field::Operator;
    pub const OPERAND: Field = Field::Operand;
    pub const LEFT: Field = Field::Left;
    pub const RIGHT: Field = Field::Right;
    pub const FIELD: Field = Field::FieldName;
    pub const PATTERN: Field = Field::Pattern;
}

/// The kind of `node`, one of `Kind` if it is named there.
pub fn kind_of<'t>(node: impl Borrow<SyntaxNode<'t>>) -> Kind {
    node.borrow().kind()
}

/// Whether `node` is a comment.
pub fn is_comment(node: SyntaxNode<'_>) -> bool {
    matches!(kind_of(node), kind::LINE_COMMENT | kind::BLOCK_COMMENT)
}

/// All children but comments, punctuation included.
pub fn children<'t>(node: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    node.children().filter(|child| !is_comment(*child)).collect()
}

/// The named children but comments.
pub fn named_children<'t>(node: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    node.named_children().filter(|child| !is_comment(*child)).collect()
}

/// Visits `node` and all named nodes below it, a node before those below it, in source
/// order. `visit` gets how deep below `node` it is, and says whether to go on below.
pub fn walk<'t>(node: SyntaxNode<'t>, mut visit: impl FnMut(SyntaxNode<'t>, usize) -> bool) {
    node.walk(|node, depth| node.is_named() && visit(node, depth));
}

/// The first child of kind `kind`.
pub fn child_of_kind<'t>(node: SyntaxNode<'t>, kind: Kind) -> Option<SyntaxNode<'t>> {
    node.children().find(|child| kind_of(*child) == kind)
}

/// All children of kind `kind`.
pub fn children_of_kind<'t>(node: SyntaxNode<'t>, kind: Kind) -> Vec<SyntaxNode<'t>> {
    node.children().filter(|child| kind_of(*child) == kind).collect()
}

/// The child in `field`.
pub fn field(node: SyntaxNode<'_>, field: Field) -> Option<SyntaxNode<'_>> {
    node.children().find(|child| child.field() == field)
}

/// All children in `field`.
pub fn fields(node: SyntaxNode<'_>, field: Field) -> Vec<SyntaxNode<'_>> {
    let children = node.children().filter(|child| child.field() == field);
    children.filter(|child| !is_comment(*child)).collect()
}

/// The statements of a `{ }`: its children but the braces and comments; an empty
/// statement (`;`) is one of them.
pub fn statements<'t>(block: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    let is_brace =
        |child: &SyntaxNode<'_>| matches!(child.kind(), kind::OPEN_BRACE | kind::CLOSE_BRACE);
    block.children().filter(|child| !is_brace(child) && !is_comment(*child)).collect()
}

/// The expression inside any number of parentheses.
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
pub fn is_type_declaration(node: SyntaxNode<'_>) -> bool {
    node.kind().is_class_declaration()
}

/// Whether `declaration`'s modifiers hold the keyword `modifier`.
pub fn has_modifier(declaration: SyntaxNode<'_>, modifier: &str, text: &str) -> bool {
    child_of_kind(declaration, kind::MODIFIERS)
        .is_some_and(|list| list.children().any(|child| &text[child.byte_range()] == modifier))
}

/// The types that a type declaration extends and implements.
pub fn supertypes<'t>(declaration: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    let clauses = [Kind::Superclass, Kind::SuperInterfaces, Kind::ExtendsInterfaces];
    let clauses = clauses.into_iter().filter_map(|clause| child_of_kind(declaration, clause));
    let parts = clauses.flat_map(named_children);
    let types =
        |n: SyntaxNode<'t>| if n.kind() == Kind::TypeList { named_children(n) } else { vec![n] };
    parts.flat_map(types).collect()
}

/// The members of a class, interface, enum, record or annotation body, in source
/// order; an enum's constants come first.
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

/// The operator of a binary, unary or assignment expression.
pub fn operator<'t>(node: SyntaxNode<'t>) -> Option<&'t str> {
    field(node, field::OPERATOR).map(|operator| operator.kind_name())
}
