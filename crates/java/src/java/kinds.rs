//! Node kinds and fields of the grammar as enums, with tables from the grammar's ids to them, so
//! that syntax trees and their readers compare these instead of names.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use tree_sitter::Language;

/// Declares an enum with one variant per grammar name, and the lookup by that name.
macro_rules! names {
    ($(#[$doc:meta])* $enum:ident { $($variant:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum $enum { Other, $($variant),* }

        impl $enum {
            const NAMES: &'static [&'static str] = &["", $($name),*];

            /// Returns the variant with this name; `Other` if there is none.
            pub(super) fn of_name(name: &str) -> $enum {
                match name { $($name => $enum::$variant,)* _ => $enum::Other }
            }

            /// Returns its name in the grammar; that of `Other` is empty.
            pub fn name(self) -> &'static str {
                $enum::NAMES[self as usize]
            }
        }
    };
}

names! {
    /// Kind of a node of a syntax tree. The variants are all names that the grammar has for nodes:
    /// there is a node of kind `Other` in no tree.
    Kind {
        Error = "ERROR", Program = "program",
        PackageDeclaration = "package_declaration", ImportDeclaration = "import_declaration",
        Asterisk = "asterisk", Static = "static", New = "new", Equals = "=",
        ClassDeclaration = "class_declaration", RecordDeclaration = "record_declaration",
        InterfaceDeclaration = "interface_declaration", EnumDeclaration = "enum_declaration",
        AnnotationTypeDeclaration = "annotation_type_declaration",
        ClassBody = "class_body", InterfaceBody = "interface_body", EnumBody = "enum_body",
        EnumBodyDeclarations = "enum_body_declarations",
        AnnotationTypeBody = "annotation_type_body", EnumConstant = "enum_constant",
        FieldDeclaration = "field_declaration", ConstantDeclaration = "constant_declaration",
        MethodDeclaration = "method_declaration",
        ConstructorDeclaration = "constructor_declaration",
        CompactConstructorDeclaration = "compact_constructor_declaration",
        ConstructorBody = "constructor_body", StaticInitializer = "static_initializer",
        AnnotationElement = "annotation_type_element_declaration",
        VariableDeclarator = "variable_declarator", Modifiers = "modifiers",
        Modifier = "modifier", Visibility = "visibility",
        MarkerAnnotation = "marker_annotation", Annotation = "annotation",
        TypeParameters = "type_parameters", TypeParameter = "type_parameter",
        TypeBound = "type_bound", Superclass = "superclass",
        SuperInterfaces = "super_interfaces", ExtendsInterfaces = "extends_interfaces",
        TypeList = "type_list", Permits = "permits", FormalParameters = "formal_parameters",
        FormalParameter = "formal_parameter", SpreadParameter = "spread_parameter",
        ReceiverParameter = "receiver_parameter", Dimensions = "dimensions",
        DimensionsExpr = "dimensions_expr", Throws = "throws",
        VoidType = "void_type", IntegralType = "integral_type",
        FloatingPointType = "floating_point_type", BooleanType = "boolean_type",
        TypeIdentifier = "type_identifier", ScopedTypeIdentifier = "scoped_type_identifier",
        GenericType = "generic_type", ArrayType = "array_type",
        AnnotatedType = "annotated_type", TypeArguments = "type_arguments",
        Wildcard = "wildcard", Identifier = "identifier",
        ScopedIdentifier = "scoped_identifier", This = "this", Super = "super",
        DecimalInteger = "decimal_integer_literal", HexInteger = "hex_integer_literal",
        OctalInteger = "octal_integer_literal", BinaryInteger = "binary_integer_literal",
        DecimalFloat = "decimal_floating_point_literal", HexFloat = "hex_floating_point_literal",
        True = "true", False = "false", Character = "character_literal",
        StringLiteral = "string_literal", NullLiteral = "null_literal",
        ClassLiteral = "class_literal", Assignment = "assignment_expression",
        Binary = "binary_expression", InstanceOf = "instanceof_expression",
        Lambda = "lambda_expression", InferredParameters = "inferred_parameters",
        Ternary = "ternary_expression", Update = "update_expression",
        Unary = "unary_expression", Cast = "cast_expression", Switch = "switch_expression",
        Parenthesized = "parenthesized_expression", Creation = "object_creation_expression",
        ArrayCreation = "array_creation_expression", ArrayInitializer = "array_initializer",
        FieldAccess = "field_access", ArrayAccess = "array_access",
        Call = "method_invocation", ArgumentList = "argument_list",
        MethodReference = "method_reference", Template = "template_expression",
        SwitchBlock = "switch_block", SwitchGroup = "switch_block_statement_group",
        SwitchRule = "switch_rule", SwitchLabel = "switch_label", Pattern = "pattern",
        TypePattern = "type_pattern", RecordPattern = "record_pattern",
        RecordPatternBody = "record_pattern_body",
        RecordPatternComponent = "record_pattern_component",
        UnderscorePattern = "underscore_pattern", Guard = "guard", Block = "block",
        ExpressionStatement = "expression_statement", Labeled = "labeled_statement",
        If = "if_statement", While = "while_statement", For = "for_statement",
        EnhancedFor = "enhanced_for_statement", Do = "do_statement",
        Assert = "assert_statement", Break = "break_statement",
        Continue = "continue_statement", Return = "return_statement",
        Yield = "yield_statement", Synchronized = "synchronized_statement",
        LocalVariable = "local_variable_declaration", Throw = "throw_statement",
        Try = "try_statement", TryWithResources = "try_with_resources_statement",
        CatchClause = "catch_clause", CatchParameter = "catch_formal_parameter",
        CatchType = "catch_type", FinallyClause = "finally_clause",
        ResourceSpecification = "resource_specification", Resource = "resource",
        ExplicitConstructorCall = "explicit_constructor_invocation",
        Plus = "+", Minus = "-", Times = "*", Divide = "/", Remainder = "%", And = "&",
        Or = "|", Xor = "^", ShiftLeft = "<<", ShiftRight = ">>", ShiftUnsigned = ">>>",
        Less = "<", LessEqual = "<=", Greater = ">", GreaterEqual = ">=", Equal = "==",
        NotEqual = "!=", AndAnd = "&&", OrOr = "||", Not = "!", Complement = "~",
        Increment = "++", Decrement = "--", PlusAssign = "+=", MinusAssign = "-=",
        TimesAssign = "*=", DivideAssign = "/=", RemainderAssign = "%=", AndAssign = "&=",
        OrAssign = "|=", XorAssign = "^=", ShiftLeftAssign = "<<=",
        ShiftRightAssign = ">>=", ShiftUnsignedAssign = ">>>=",
        LineComment = "line_comment", BlockComment = "block_comment",
        OpenBrace = "{", CloseBrace = "}", Semicolon = ";", Colon = ":", Arrow = "->",
        OpenParenthesis = "(", CloseParenthesis = ")", OpenBracket = "[", CloseBracket = "]",
        Comma = ",", Dot = ".", Ellipsis = "...", DoubleColon = "::", At = "@", Question = "?",
        Quote = "\"", TripleQuote = "\"\"\"", OpenInterpolation = "\\{",
        StringFragment = "string_fragment", TextBlockFragment = "multiline_string_fragment",
        EscapeSequence = "escape_sequence", StringInterpolation = "string_interpolation",
        AnnotationArguments = "annotation_argument_list",
        AnnotationArgument = "element_value_pair",
        AnnotationArray = "element_value_array_initializer",
        ModuleDeclaration = "module_declaration", ModuleBody = "module_body",
        RequiresDirective = "requires_module_directive",
        RequiresModifier = "requires_modifier",
        ExportsDirective = "exports_module_directive",
        OpensDirective = "opens_module_directive", UsesDirective = "uses_module_directive",
        ProvidesDirective = "provides_module_directive",
        AbstractKeyword = "abstract", AssertKeyword = "assert", BreakKeyword = "break",
        ByteKeyword = "byte", CaseKeyword = "case", CatchKeyword = "catch", CharKeyword = "char",
        ClassKeyword = "class", ContinueKeyword = "continue", DefaultKeyword = "default",
        DoKeyword = "do", DoubleKeyword = "double", ElseKeyword = "else", EnumKeyword = "enum",
        ExportsKeyword = "exports", ExtendsKeyword = "extends", FinalKeyword = "final",
        FinallyKeyword = "finally", FloatKeyword = "float", ForKeyword = "for", IfKeyword = "if",
        ImplementsKeyword = "implements", ImportKeyword = "import",
        InstanceofKeyword = "instanceof", IntKeyword = "int", InterfaceKeyword = "interface",
        LongKeyword = "long", ModuleKeyword = "module", NativeKeyword = "native",
        NonSealedKeyword = "non-sealed", OpenKeyword = "open", OpensKeyword = "opens",
        PackageKeyword = "package", PrivateKeyword = "private", ProtectedKeyword = "protected",
        ProvidesKeyword = "provides", PublicKeyword = "public", RecordKeyword = "record",
        RequiresKeyword = "requires", ReturnKeyword = "return", SealedKeyword = "sealed",
        ShortKeyword = "short", StrictfpKeyword = "strictfp", SwitchKeyword = "switch",
        SynchronizedKeyword = "synchronized", ThrowKeyword = "throw", ToKeyword = "to",
        TransientKeyword = "transient", TransitiveKeyword = "transitive", TryKeyword = "try",
        UsesKeyword = "uses", VolatileKeyword = "volatile", WhenKeyword = "when",
        WhileKeyword = "while", WithKeyword = "with", YieldKeyword = "yield",
    }
}

names! {
    /// Role of a node below its parent. The variants are the grammar's field names; most nodes are
    /// in none of them, but `Other`.
    Field {
        Alternative = "alternative", Annotations = "annotations", Arguments = "arguments",
        Array = "array", Body = "body", Condition = "condition",
        Consequence = "consequence", Constructor = "constructor",
        Declarator = "declarator", Dimensions = "dimensions", Element = "element",
        FieldName = "field", Index = "index", Init = "init", Interfaces = "interfaces",
        Key = "key", Left = "left", Modifiers = "modifiers", Module = "module",
        Modules = "modules", Name = "name", Object = "object", Operand = "operand",
        Operator = "operator", Package = "package", Parameters = "parameters",
        Pattern = "pattern", Permits = "permits", Provided = "provided",
        Provider = "provider", Resources = "resources", Right = "right", Scope = "scope",
        Superclass = "superclass", TemplateArgument = "template_argument",
        TemplateProcessor = "template_processor", Type = "type",
        TypeArguments = "type_arguments", TypeParameters = "type_parameters",
        Update = "update", Value = "value",
    }
}

impl Kind {
    /// Whether it is a declaration of a class, interface, enum, record or annotation type.
    pub(crate) fn is_class_declaration(self) -> bool {
        matches!(
            self,
            Kind::ClassDeclaration
                | Kind::RecordDeclaration
                | Kind::InterfaceDeclaration
                | Kind::EnumDeclaration
                | Kind::AnnotationTypeDeclaration
        )
    }

    /// Whether it denotes a type.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Kind::VoidType
                | Kind::IntegralType
                | Kind::FloatingPointType
                | Kind::BooleanType
                | Kind::TypeIdentifier
                | Kind::ScopedTypeIdentifier
                | Kind::GenericType
                | Kind::ArrayType
                | Kind::AnnotatedType
        )
    }

    /// Whether it is an annotation; nothing below one is code.
    pub(crate) fn is_annotation(self) -> bool {
        matches!(self, Kind::MarkerAnnotation | Kind::Annotation)
    }

    /// Whether it is a number, character, string, `null` or class literal.
    pub fn is_literal(self) -> bool {
        matches!(
            self,
            Kind::DecimalInteger
                | Kind::HexInteger
                | Kind::OctalInteger
                | Kind::BinaryInteger
                | Kind::DecimalFloat
                | Kind::HexFloat
                | Kind::Character
                | Kind::StringLiteral
                | Kind::NullLiteral
                | Kind::ClassLiteral
        )
    }
}

/// Kind for one of the grammar's ids, and whether its nodes are named.
#[derive(Debug, Clone, Copy)]
pub(super) struct KindEntry {
    pub kind: Kind,
    pub is_named: bool,
}

/// Entry of error nodes, whose id lies outside the grammar's table.
const ERROR: KindEntry = KindEntry { kind: Kind::Error, is_named: true };

/// Tables of kinds and fields by the grammar's ids.
pub(super) struct Grammar {
    kinds: Vec<KindEntry>,
    fields: Vec<Field>,
}

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_java_orchard::LANGUAGE.into());

/// Tables of the Java grammar, built once from its own names.
pub(super) static GRAMMAR: LazyLock<Grammar> = LazyLock::new(|| {
    let language: &'static Language = &LANGUAGE;
    let kind = |id: u16| {
        let name = language.node_kind_for_id(id).unwrap_or_default();
        KindEntry { kind: Kind::of_name(name), is_named: language.node_kind_is_named(id) }
    };
    let field = |id: u16| language.field_name_for_id(id).map_or(Field::Other, Field::of_name);
    Grammar {
        kinds: (0..language.node_kind_count()).map(|id| kind(id as u16)).collect(),
        fields: (0..=language.field_count()).map(|id| field(id as u16)).collect(),
    }
});

impl Grammar {
    /// Returns the entry of the kind with the grammar's id.
    pub(super) fn kind(&self, id: u16) -> &KindEntry {
        self.kinds.get(usize::from(id)).unwrap_or(&ERROR)
    }

    /// Returns the field with the grammar's id; 0 is none.
    pub(super) fn field(&self, id: u16) -> Field {
        self.fields.get(usize::from(id)).copied().unwrap_or(Field::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_and_field_of_the_grammar_has_a_name_here() {
        let visible = |id: &u16| LANGUAGE.node_kind_is_visible(*id);
        for id in (0..LANGUAGE.node_kind_count() as u16).filter(visible) {
            assert_eq!(Some(GRAMMAR.kind(id).kind.name()), LANGUAGE.node_kind_for_id(id));
        }
        for id in 1..=LANGUAGE.field_count() as u16 {
            assert_eq!(Some(GRAMMAR.field(id).name()), LANGUAGE.field_name_for_id(id));
        }
    }
}
