//! Loop conditions: how a probe can stand before one without changing definite
//! assignment (JLS 16) or the scope of pattern variables (JLS 6.3).

use crate::java::SyntaxNode;

use crate::java::syntax::{self, field, kind};

/// What in a condition binds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Nothing.
    None,
    /// It assigns whenever it is evaluated.
    Assigns,
    /// It assigns when an operand of `&&`, `||` or `?:` is evaluated.
    AssignsSometimes,
    /// It declares pattern variables that are in scope when it is true.
    PatternIfTrue,
    /// It declares pattern variables under `!`, `||` or `?:`.
    PatternElsewhere,
}

/// What `condition` binds; of several the most demanding.
pub(crate) fn binding(condition: SyntaxNode<'_>) -> Binding {
    let mut strongest = Binding::None;
    let mut todo = vec![(condition, false, false)];
    while let Some((node, sometimes, negated)) = todo.pop() {
        let mut negated = negated;
        let here = match node.kind() {
            kind::LAMBDA_EXPRESSION | kind::CLASS_BODY => continue,
            kind::ASSIGNMENT_EXPRESSION if sometimes => Binding::AssignsSometimes,
            kind::ASSIGNMENT_EXPRESSION => Binding::Assigns,
            kind::INSTANCEOF_EXPRESSION if !has_pattern(node) => Binding::None,
            kind::INSTANCEOF_EXPRESSION if negated => Binding::PatternElsewhere,
            kind::INSTANCEOF_EXPRESSION => Binding::PatternIfTrue,
            _ => Binding::None,
        };
        strongest = if here as u8 > strongest as u8 { here } else { strongest };
        let operator = syntax::operator(node);
        negated |= node.kind() == kind::TERNARY_EXPRESSION || matches!(operator, Some("!" | "||"));
        let skips = node.kind() == kind::TERNARY_EXPRESSION
            || matches!(operator, Some("&&" | "||"))
            || node.kind() == kind::SWITCH_EXPRESSION;
        for (index, child) in syntax::named_children(node).into_iter().enumerate() {
            // The first operand is always evaluated.
            todo.push((child, sometimes || (skips && index > 0), negated));
        }
    }
    strongest
}

fn has_pattern(node: SyntaxNode<'_>) -> bool {
    syntax::field(node, field::NAME).is_some() || syntax::field(node, field::PATTERN).is_some()
}
