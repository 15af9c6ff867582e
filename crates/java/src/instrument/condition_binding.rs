//! Bindings in loop conditions, which determine how a probe can precede one without changing
//! definite assignment (JLS 16) or the scope of pattern variables (JLS 6.3).

use crate::java::SyntaxNode;

use crate::java::syntax::{self, field, kind};

/// Assignment or pattern by which a condition binds names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionBinding {
    /// No binding.
    None,
    /// An assignment whenever the condition is evaluated.
    Assigns,
    /// An assignment when an operand of `&&`, `||` or `?:` is evaluated.
    AssignsSometimes,
    /// Pattern variables that are in scope when the condition is true.
    PatternIfTrue,
    /// Pattern variables under `!`, `||` or `?:`.
    PatternElsewhere,
}

/// Returns the binding of `condition`; of several the most demanding.
pub(crate) fn strictest_binding(condition: SyntaxNode<'_>) -> ConditionBinding {
    let mut strongest = ConditionBinding::None;
    let mut todo = vec![(condition, false, false)];
    while let Some((node, sometimes, negated)) = todo.pop() {
        let mut negated = negated;
        let here = match node.kind() {
            kind::LAMBDA_EXPRESSION | kind::CLASS_BODY => continue,
            kind::ASSIGNMENT_EXPRESSION if sometimes => ConditionBinding::AssignsSometimes,
            kind::ASSIGNMENT_EXPRESSION => ConditionBinding::Assigns,
            kind::INSTANCEOF_EXPRESSION if !has_pattern(node) => ConditionBinding::None,
            kind::INSTANCEOF_EXPRESSION if negated => ConditionBinding::PatternElsewhere,
            kind::INSTANCEOF_EXPRESSION => ConditionBinding::PatternIfTrue,
            _ => ConditionBinding::None,
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
