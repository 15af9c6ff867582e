//! Constant expressions (JLS 15.29), as far as one file determines them: the compiler's
//! reachability depends on conditions that are constant, so no probe may be put into them.

use crate::java::SyntaxNode;

use super::declared_names::DeclaredNames;
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Deepest nesting of expressions and initialisers that is followed.
const DEPTH_MAX: u32 = 100;

/// Value of a constant expression, as far as it matters for reachability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConstantValue {
    True,
    False,
    /// A number, a string, or a comparison of some.
    Other,
}

/// Evaluates `expression`; `None` if it is no constant.
pub fn evaluate_constant(
    file: &SourceFile,
    facts: &DeclaredNames<'_>,
    expression: SyntaxNode<'_>,
) -> Option<ConstantValue> {
    ConstantEvaluation { file, facts }.of(expression, 0)
}

struct ConstantEvaluation<'a, 't> {
    file: &'a SourceFile,
    facts: &'a DeclaredNames<'t>,
}

impl ConstantEvaluation<'_, '_> {
    fn of(&self, expression: SyntaxNode<'_>, depth: u32) -> Option<ConstantValue> {
        if depth > DEPTH_MAX {
            return None;
        }
        let node = syntax::without_parentheses(expression);
        match node.kind() {
            kind::TRUE => Some(ConstantValue::True),
            kind::FALSE => Some(ConstantValue::False),
            kind::NULL_LITERAL | kind::CLASS_LITERAL => None,
            literal if literal.is_literal() => Some(ConstantValue::Other),
            kind::IDENTIFIER => self.name(self.file.text_of(node), depth),
            kind::UNARY_EXPRESSION => {
                let operand = self.of(syntax::field(node, field::OPERAND)?, depth + 1)?;
                Some(if syntax::operator(node) == Some("!") { not(operand) } else { operand })
            }
            kind::BINARY_EXPRESSION => self.binary(node, depth),
            kind::TERNARY_EXPRESSION => {
                let parts = syntax::named_children(node);
                let constant = parts.into_iter().all(|part| self.of(part, depth + 1).is_some());
                constant.then_some(ConstantValue::Other)
            }
            _ => None,
        }
    }

    /// Evaluates a name, on whose value all its declarations must agree, since scopes are not
    /// resolved.
    fn name(&self, name: &str, depth: u32) -> Option<ConstantValue> {
        let mut values = self.facts.initialisers(name);
        let first = self.of((*values.next()?)?, depth + 1)?;
        for value in values {
            let same = self.of((*value)?, depth + 1)? == first;
            if !same {
                return None;
            }
        }
        Some(first)
    }

    fn binary(&self, node: SyntaxNode<'_>, depth: u32) -> Option<ConstantValue> {
        let right = syntax::field(node, field::RIGHT)?;
        let operator = syntax::operator(node);
        if matches!(operator, Some("/" | "%")) && self.file.text_of(right) == "0" {
            return None;
        }
        let left = self.of(syntax::field(node, field::LEFT)?, depth + 1)?;
        let right = self.of(right, depth + 1)?;
        Some(match (operator, left, right) {
            (Some("&&"), ConstantValue::True, ConstantValue::True) => ConstantValue::True,
            (Some("&&"), ConstantValue::False, _) | (Some("&&"), _, ConstantValue::False) => {
                ConstantValue::False
            }
            (Some("||"), ConstantValue::False, ConstantValue::False) => ConstantValue::False,
            (Some("||"), ConstantValue::True, _) | (Some("||"), _, ConstantValue::True) => {
                ConstantValue::True
            }
            _ => ConstantValue::Other,
        })
    }
}

fn not(constant: ConstantValue) -> ConstantValue {
    match constant {
        ConstantValue::True => ConstantValue::False,
        ConstantValue::False => ConstantValue::True,
        ConstantValue::Other => ConstantValue::Other,
    }
}
