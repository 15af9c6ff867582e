//! Attribution of `switch`, as a statement and as an expression.

use super::{Attributor, BodyContext};
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Primitive, Type, ValueKind};

impl Attributor<'_> {
    /// Attributes selector and arms; returns the type of the values, `void` if there are none.
    pub(super) fn switch(&mut self, node: NodeId, expected: Option<&Type>) -> Type {
        let tree = self.tree();
        let selector = tree.child(node, Field::Condition);
        let matched = selector.map_or(Type::Unknown, |s| self.expression(s, None));
        let Some(body) = tree.child(node, Field::Body) else { return Type::Void };
        let returns = expected.cloned().unwrap_or_default();
        let is_value = self.is_value(node);
        if is_value {
            self.bodies.push(BodyContext { returns, values: Vec::new() });
        }
        let (mark, levels) = (self.scope.mark(), self.resolver.names.levels.len());
        for arm in tree.children(body) {
            self.arm(arm, &matched, expected, is_value);
        }
        self.scope.release(mark);
        self.resolver.names.levels.truncate(levels);
        if !is_value {
            return Type::Void;
        }
        let values = self.bodies.pop().map_or_else(Vec::new, |b| b.values);
        self.common_type(&values, expected)
    }

    /// Gives a switch expression at `node`, also in parentheses, the target type of its assignment
    /// or parameter, whatever its values are (JLS 15.28.1). Without a target it has the type that
    /// its values have in common.
    pub(super) fn adopt_target_type(&mut self, node: NodeId, target: &Type) {
        if self.is_switch(node) && !matches!(target, Type::Unknown | Type::Void) {
            let mut node = node;
            while self.tree().kind(node) == Kind::Parenthesized {
                self.set_type(node, target.clone());
                let Some(inner) = self.tree().children(node).next() else { return };
                node = inner;
            }
            self.set_type(node, target.clone());
        }
    }

    /// Whether the expression is a `switch`, be it in parentheses.
    pub(super) fn is_switch(&self, node: NodeId) -> bool {
        let tree = self.tree();
        let inner = |node: &NodeId| match tree.kind(*node) {
            Kind::Parenthesized => tree.children(*node).next(),
            _ => None,
        };
        std::iter::successors(Some(node), inner).any(|n| tree.kind(n) == Kind::Switch)
    }

    /// Collects the expressions whose values a switch expression may have: those of arrow arms and
    /// of `yield`.
    pub(super) fn results(&self, switch: NodeId) -> Vec<NodeId> {
        let tree = self.tree();
        let arms = tree.child(switch, Field::Body).into_iter().flat_map(|b| tree.children(b));
        let (mut found, mut statements) = (Vec::new(), Vec::new());
        for part in arms.flat_map(|arm| tree.children(arm)) {
            let is_result = tree.kind(part) == Kind::ExpressionStatement
                && tree.parent(part).is_some_and(|arm| tree.kind(arm) == Kind::SwitchRule);
            match is_result {
                true => found.extend(tree.children(part).next()),
                false => statements.push(part),
            }
        }
        while let Some(node) = statements.pop() {
            let kind = tree.kind(node);
            let is_statement = kind == Kind::Switch && !self.is_value(node);
            if kind == Kind::Yield {
                found.extend(tree.children(node).find(|c| self.is_expression(*c)));
            } else if is_statement || !(self.is_expression(node) || kind.is_class_declaration()) {
                statements.extend(tree.children(node));
            }
        }
        found
    }

    /// Whether a `switch` is an expression whose value is used.
    fn is_value(&self, node: NodeId) -> bool {
        if matches!(self.tree().field(node), Field::Condition | Field::Value) {
            return true;
        }
        let parent = self.tree().parent(node).map(|p| self.tree().kind(p));
        !matches!(
            parent,
            Some(
                Kind::Block
                    | Kind::ConstructorBody
                    | Kind::ExpressionStatement
                    | Kind::SwitchGroup
                    | Kind::If
                    | Kind::While
                    | Kind::For
                    | Kind::EnhancedFor
                    | Kind::Do
                    | Kind::Labeled
            )
        ) || self.is_arrow_value(node)
    }

    /// Whether a `switch` is the value of an arm: `case X -> switch (...) {...};` within a `switch`
    /// that has a value.
    fn is_arrow_value(&self, node: NodeId) -> bool {
        let tree = self.tree();
        let above = |n: NodeId, kind| tree.parent(n).filter(|p| tree.kind(*p) == kind);
        above(node, Kind::ExpressionStatement)
            .and_then(|s| above(s, Kind::SwitchRule))
            .and_then(|r| above(r, Kind::SwitchBlock))
            .and_then(|b| above(b, Kind::Switch))
            .is_some_and(|switch| self.is_value(switch))
    }

    /// Attributes a group of statements or an arrow arm. Locals of a group stay in scope.
    fn arm(&mut self, arm: NodeId, matched: &Type, expected: Option<&Type>, is_value: bool) {
        let tree = self.tree();
        let is_rule = tree.kind(arm) == Kind::SwitchRule;
        let mark = self.scope.mark();
        for child in tree.children(arm) {
            match tree.kind(child) {
                Kind::SwitchLabel => self.label(child, matched),
                Kind::ExpressionStatement if is_rule && is_value => {
                    if let Some(value) = tree.children(child).next() {
                        let ty = self.expression(value, expected);
                        if let Some(body) = self.bodies.last_mut() {
                            body.values.push(ty);
                        }
                    }
                }
                _ => self.statement(child),
            }
        }
        if is_rule {
            self.scope.release(mark);
        }
    }

    /// Attributes patterns and guards of a label; constants in labels are not counted and not
    /// attributed.
    fn label(&mut self, label: NodeId, matched: &Type) {
        let tree = self.tree();
        self.pattern_types(label, matched);
        self.introduce_pattern(label);
        if let Some(guard) = tree.first_of_kind(label, Kind::Guard)
            && let Some(condition) = tree.children(guard).find(|c| self.is_expression(*c))
        {
            self.expression(condition, Some(&Type::BOOLEAN));
            self.introduce(condition, true);
        }
    }

    /// Returns the type of a conditional or switch expression with values of these types
    /// (JLS 15.25).
    pub(super) fn common_type(&self, values: &[Type], expected: Option<&Type>) -> Type {
        let values: Vec<Type> = values.iter().map(|v| self.inference.resolve_deep(v)).collect();
        let Some((first, rest)) = values.split_first() else {
            return expected.cloned().unwrap_or_default();
        };
        if rest.iter().all(|v| v == first) {
            return first.clone();
        }
        let unboxed: Option<Vec<Primitive>> = values.iter().map(Type::unboxed).collect();
        if let Some(primitives) = unboxed {
            if primitives.iter().all(|p| *p == Primitive::Boolean) {
                return Type::BOOLEAN;
            }
            if primitives.iter().all(|p| *p != Primitive::Boolean) {
                return Type::Primitive(widest(&primitives));
            }
        }
        if let Some(expected) = expected.filter(|e| e.is_reference()) {
            return expected.clone();
        }
        let is_reference = values.iter().any(Type::is_reference);
        let value = |v: &Type| if is_reference { v.boxed() } else { v.clone() };
        let both = |a: Type, b: &Type| self.resolver.least_upper_bound(&a, &value(b));
        rest.iter().fold(value(first), both)
    }
}

/// Returns the type that all primitives widen to; among kinds of int the exact one does not
/// matter, unless all are the same.
fn widest(primitives: &[Primitive]) -> Primitive {
    let first = primitives[0];
    if primitives.iter().all(|p| *p == first) {
        return first;
    }
    match primitives.iter().map(|p| p.kind()).max() {
        Some(ValueKind::Long) => Primitive::Long,
        Some(ValueKind::Float) => Primitive::Float,
        Some(ValueKind::Double) => Primitive::Double,
        _ => Primitive::Int,
    }
}
