//! Recognition of quiet code, which surely completes: nothing in it throws, calls, initialises a
//! class or waits. Where only such code lies between two probes, one follows from the other.
//! Errors of the virtual machine (no memory left) are left out of account.

use std::collections::{HashMap, HashSet};

use crate::java::SyntaxNode;

use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Deepest nesting of expressions that is followed.
const DEPTH_MAX: u32 = 100;

/// Test for quiet code in one unit, by whether its variables are primitive: reading one can't
/// fail, while a reference may have to be unboxed.
#[derive(Debug, Default)]
pub(crate) struct QuietCode<'t> {
    primitive: HashMap<&'t str, bool>,
    /// Names of methods that surely complete when they are called on `this`.
    methods: HashSet<&'t str>,
}

impl<'t> QuietCode<'t> {
    /// Makes the test for the unit at `node`, from its parameters and locals, and the fields of the
    /// class that declares it. Calls of `methods` surely complete.
    pub fn of_unit(
        file: &'t SourceFile,
        node: SyntaxNode<'t>,
        methods: HashSet<&'t str>,
    ) -> QuietCode<'t> {
        let mut quiet = QuietCode { methods, ..QuietCode::default() };
        syntax::walk(node, |node, _| {
            quiet.declaration(file, node);
            true
        });
        let fields = node.parent().map(syntax::named_children).unwrap_or_default();
        for member in fields.into_iter().filter(|node| node.kind() == kind::FIELD_DECLARATION) {
            quiet.declaration(file, member);
        }
        quiet
    }

    /// Whether a statement surely completes.
    pub fn is_quiet_statement(&self, file: &SourceFile, node: SyntaxNode<'_>) -> bool {
        match node.kind() {
            kind::SEMICOLON => true,
            kind::EXPRESSION_STATEMENT => syntax::named_children(node)
                .iter()
                .all(|part| self.is_quiet_expression(file, *part)),
            kind::LOCAL_VARIABLE_DECLARATION => {
                let is_primitive = syntax::field(node, field::TYPE).is_some_and(is_primitive);
                syntax::fields(node, field::DECLARATOR).into_iter().all(|declarator| {
                    let value = syntax::field(declarator, field::VALUE);
                    value.is_none_or(|value| is_primitive && self.is_quiet_expression(file, value))
                })
            }
            _ => false,
        }
    }

    /// Whether a statement, a jump or an expression is surely carried out to its end.
    pub fn is_quiet_part(&self, file: &SourceFile, node: SyntaxNode<'_>) -> bool {
        match node.kind() {
            kind::RETURN_STATEMENT => syntax::named_children(node)
                .iter()
                .all(|value| self.is_quiet_expression(file, *value)),
            kind::BREAK_STATEMENT | kind::CONTINUE_STATEMENT => true,
            _ => self.is_quiet_statement(file, node) || self.is_quiet_expression(file, node),
        }
    }

    /// Whether an expression surely completes.
    pub fn is_quiet_expression(&self, file: &SourceFile, node: SyntaxNode<'_>) -> bool {
        self.at_depth(file, node, 0)
    }

    fn at_depth(&self, file: &SourceFile, node: SyntaxNode<'_>, depth: u32) -> bool {
        if depth > DEPTH_MAX {
            return false;
        }
        let all =
            |nodes: Vec<SyntaxNode<'_>>| nodes.iter().all(|n| self.at_depth(file, *n, depth + 1));
        match node.kind() {
            kind::TRUE | kind::FALSE | kind::CHARACTER_LITERAL => true,
            kind::STRING_LITERAL | kind::NULL_LITERAL | kind::CLASS_LITERAL => false,
            literal if literal.is_literal() => true,
            kind::IDENTIFIER => self.primitive.get(file.text_of(node)).copied().unwrap_or(false),
            kind::PARENTHESIZED_EXPRESSION
            | kind::UNARY_EXPRESSION
            | kind::UPDATE_EXPRESSION
            | kind::TERNARY_EXPRESSION => all(syntax::named_children(node)),
            kind::BINARY_EXPRESSION | kind::ASSIGNMENT_EXPRESSION => {
                let divides = matches!(syntax::operator(node), Some("/" | "%" | "/=" | "%="));
                let right = syntax::field(node, field::RIGHT);
                let by_zero = divides && !right.is_some_and(|right| is_not_zero(file, right));
                !by_zero && all(syntax::named_children(node))
            }
            kind::CAST_EXPRESSION => {
                let value = syntax::field(node, field::VALUE);
                syntax::field(node, field::TYPE).is_some_and(is_primitive)
                    && value.is_some_and(|value| self.at_depth(file, value, depth + 1))
            }
            kind::METHOD_INVOCATION => {
                let name = syntax::field(node, field::NAME);
                let object = syntax::field(node, field::OBJECT);
                let arguments = syntax::field(node, field::ARGUMENTS);
                name.is_some_and(|name| self.methods.contains(file.text_of(name)))
                    && object.is_none_or(|object| object.kind() == kind::THIS)
                    && arguments.is_some_and(|list| all(syntax::named_children(list)))
            }
            kind::FIELD_ACCESS => {
                let object = syntax::field(node, field::OBJECT);
                let name = syntax::field(node, field::FIELD);
                object.is_some_and(|object| object.kind() == kind::THIS)
                    && name.is_some_and(|name| self.at_depth(file, name, depth + 1))
            }
            _ => false,
        }
    }

    fn declaration(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>) {
        let primitive = syntax::field(node, field::TYPE).is_some_and(is_primitive);
        match node.kind() {
            kind::LOCAL_VARIABLE_DECLARATION | kind::FIELD_DECLARATION => {
                for declarator in syntax::fields(node, field::DECLARATOR) {
                    let is_array = syntax::field(declarator, field::DIMENSIONS).is_some();
                    self.add(file, declarator, primitive && !is_array);
                }
            }
            kind::FORMAL_PARAMETER | kind::ENHANCED_FOR_STATEMENT => {
                let is_array = syntax::field(node, field::DIMENSIONS).is_some();
                self.add(file, node, primitive && !is_array);
            }
            kind::CATCH_FORMAL_PARAMETER
            | kind::RESOURCE
            | kind::VARIABLE_DECLARATOR
            | kind::INSTANCEOF_EXPRESSION => {
                let counted = node.parent().is_some_and(|parent| {
                    matches!(
                        parent.kind(),
                        kind::LOCAL_VARIABLE_DECLARATION | kind::FIELD_DECLARATION
                    )
                });
                if !counted {
                    self.add(file, node, false);
                }
            }
            kind::LAMBDA_EXPRESSION => {
                // A parameter without a type may be a reference.
                let parameters = syntax::field(node, field::PARAMETERS);
                let names = parameters.map(|p| match p.kind() {
                    kind::IDENTIFIER => vec![p],
                    _ => syntax::children_of_kind(p, kind::IDENTIFIER),
                });
                for name in names.unwrap_or_default() {
                    self.primitive.insert(file.text_of(name), false);
                }
            }
            kind::PATTERN | kind::RECORD_PATTERN => {
                syntax::walk(node, |inner, _| {
                    if inner.kind() == kind::IDENTIFIER {
                        self.primitive.insert(file.text_of(inner), false);
                    }
                    true
                });
            }
            _ => {}
        }
    }

    fn add(&mut self, file: &'t SourceFile, node: SyntaxNode<'t>, primitive: bool) {
        if let Some(name) = syntax::field(node, field::NAME) {
            let all = self.primitive.entry(file.text_of(name)).or_insert(true);
            *all &= primitive;
        }
    }
}

fn is_primitive(ty: SyntaxNode<'_>) -> bool {
    matches!(ty.kind(), kind::INTEGRAL_TYPE | kind::FLOATING_POINT_TYPE | kind::BOOLEAN_TYPE)
}

/// Whether a divisor is a literal other than zero.
fn is_not_zero(file: &SourceFile, node: SyntaxNode<'_>) -> bool {
    let text = file.text_of(node);
    text.starts_with(|c: char| c.is_ascii_digit()) && text.contains(|c| matches!(c, '1'..='9'))
}
