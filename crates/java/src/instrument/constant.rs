//! Constant expressions (JLS 15.29), as far as one file tells: the compiler's
//! reachability depends on conditions that are constant, so no probe may stand in them.

use crate::java::Node;

use super::facts::Facts;
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Deepest nesting of expressions and initialisers that is followed.
const DEPTH_MAX: u32 = 100;

/// What is known of a constant expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constant {
    True,
    False,
    /// A number, a string, or a comparison of some.
    Other,
}

/// The constant that `expression` is, if it is one.
pub fn constant(file: &SourceFile, facts: &Facts<'_>, expression: Node<'_>) -> Option<Constant> {
    Evaluation { file, facts }.of(expression, 0)
}

struct Evaluation<'a, 't> {
    file: &'a SourceFile,
    facts: &'a Facts<'t>,
}

impl Evaluation<'_, '_> {
    fn of(&self, expression: Node<'_>, depth: u32) -> Option<Constant> {
        if depth > DEPTH_MAX {
            return None;
        }
        let node = syntax::without_parentheses(expression);
        match node.kind() {
            kind::TRUE => Some(Constant::True),
            kind::FALSE => Some(Constant::False),
            kind::NULL_LITERAL | kind::CLASS_LITERAL => None,
            literal if literal.is_literal() => Some(Constant::Other),
            kind::IDENTIFIER => self.name(self.file.text_of(node), depth),
            kind::UNARY_EXPRESSION => {
                let operand = self.of(syntax::field(node, field::OPERAND)?, depth + 1)?;
                Some(if syntax::operator(node) == Some("!") { not(operand) } else { operand })
            }
            kind::BINARY_EXPRESSION => self.binary(node, depth),
            kind::TERNARY_EXPRESSION => {
                let parts = syntax::named_children(node);
                let constant = parts.into_iter().all(|part| self.of(part, depth + 1).is_some());
                constant.then_some(Constant::Other)
            }
            _ => None,
        }
    }

    /// All declarations of a name must agree, as nothing here tells them apart.
    fn name(&self, name: &str, depth: u32) -> Option<Constant> {
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

    fn binary(&self, node: Node<'_>, depth: u32) -> Option<Constant> {
        let right = syntax::field(node, field::RIGHT)?;
        let operator = syntax::operator(node);
        if matches!(operator, Some("/" | "%")) && self.file.text_of(right) == "0" {
            return None;
        }
        let left = self.of(syntax::field(node, field::LEFT)?, depth + 1)?;
        let right = self.of(right, depth + 1)?;
        Some(match (operator, left, right) {
            (Some("&&"), Constant::True, Constant::True) => Constant::True,
            (Some("&&"), Constant::False, _) | (Some("&&"), _, Constant::False) => Constant::False,
            (Some("||"), Constant::False, Constant::False) => Constant::False,
            (Some("||"), Constant::True, _) | (Some("||"), _, Constant::True) => Constant::True,
            _ => Constant::Other,
        })
    }
}

fn not(constant: Constant) -> Constant {
    match constant {
        Constant::True => Constant::False,
        Constant::False => Constant::True,
        Constant::Other => Constant::Other,
    }
}
