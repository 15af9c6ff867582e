//! Scope of pattern variables that a condition introduces when true and when false (JLS 6.3).

use super::Attributor;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::Type;

impl Attributor<'_> {
    /// Brings the pattern variables of `condition` into scope that are bound when it
    /// is `value`.
    pub(super) fn introduce(&mut self, condition: NodeId, value: bool) {
        if !self.may_bind(condition) {
            return;
        }
        let tree = self.tree();
        let mut todo = vec![(condition, value)];
        while let Some((node, value)) = todo.pop() {
            let operator = tree.child(node, Field::Operator).map(|o| tree.kind(o));
            match tree.kind(node) {
                Kind::Parenthesized => todo.extend(tree.children(node).map(|c| (c, value))),
                Kind::Unary if operator == Some(Kind::Not) => {
                    todo.extend(tree.child(node, Field::Operand).map(|c| (c, !value)));
                }
                Kind::Binary
                    if (operator == Some(Kind::AndAnd) && value)
                        || (operator == Some(Kind::OrOr) && !value) =>
                {
                    let operands = [Field::Left, Field::Right].map(|f| tree.child(node, f));
                    todo.extend(operands.into_iter().flatten().map(|c| (c, value)));
                }
                Kind::InstanceOf if value => self.introduce_pattern(node),
                _ => {}
            }
        }
    }

    /// Whether an `instanceof` is below `condition`. Most conditions have none, and need not be
    /// searched.
    pub(super) fn may_bind(&self, condition: NodeId) -> bool {
        let range = self.tree().range(condition);
        let first = self.tests.partition_point(|at| *at < range.start);
        self.tests.get(first).is_some_and(|at| *at < range.end)
    }

    /// Declares the variables of a pattern below `node`, whose types are known.
    pub(super) fn introduce_pattern(&mut self, node: NodeId) {
        for name in self.pattern_names(node) {
            let ty = self.facts.ty(name).clone();
            self.declare(name, ty, false);
        }
    }

    /// Collects the name nodes of the pattern variables below an `instanceof`, a type pattern, a
    /// record pattern or a `case` label.
    pub(super) fn pattern_names(&self, node: NodeId) -> Vec<NodeId> {
        let tree = self.tree();
        let mut names = Vec::new();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            match tree.kind(node) {
                Kind::InstanceOf => {
                    names.extend(tree.child(node, Field::Name));
                    todo.extend(tree.child(node, Field::Pattern));
                }
                Kind::TypePattern | Kind::RecordPatternComponent => {
                    names.extend(tree.first_of_kind(node, Kind::Identifier));
                }
                Kind::Pattern | Kind::RecordPatternBody | Kind::SwitchLabel => {
                    let below: Vec<NodeId> = tree.children(node).collect();
                    todo.extend(below.into_iter().rev().filter(|c| tree.kind(*c) != Kind::Guard));
                }
                Kind::RecordPattern => {
                    todo.extend(tree.first_of_kind(node, Kind::RecordPatternBody))
                }
                _ => {}
            }
        }
        names
    }

    /// Sets the types of the pattern variables for a matched value of type `matched`.
    pub(super) fn pattern_types(&mut self, node: NodeId, matched: &Type) {
        let tree = self.tree();
        let mut todo = vec![(node, matched.clone())];
        while let Some((node, matched)) = todo.pop() {
            match tree.kind(node) {
                Kind::Pattern | Kind::SwitchLabel => {
                    todo.extend(tree.children(node).map(|c| (c, matched.clone())));
                }
                Kind::TypePattern | Kind::RecordPatternComponent => {
                    let ty = tree.first_type(node).map(|t| self.declared_type(t));
                    let ty = ty.map_or(Type::Unknown, |t| t.unwrap_or(matched));
                    if let Some(name) = tree.first_of_kind(node, Kind::Identifier) {
                        self.set_type(name, ty);
                    }
                }
                Kind::RecordPattern => {
                    let components = self.component_types(node);
                    let body = tree.first_of_kind(node, Kind::RecordPatternBody).into_iter();
                    let parts = body.flat_map(|b| tree.children(b));
                    let types = components.into_iter().chain(std::iter::repeat(Type::Unknown));
                    todo.extend(parts.zip(types));
                }
                _ => {}
            }
        }
    }

    /// Returns the component types of the record that a record pattern names.
    fn component_types(&self, pattern: NodeId) -> Vec<Type> {
        let tree = self.tree();
        let ty = tree.children(pattern).next().map(|t| self.resolver.names.ty(t));
        let class = ty.as_ref().and_then(Type::class_name).and_then(|n| self.resolver.class(n));
        class.map_or_else(Vec::new, |c| c.components.iter().map(|(_, t)| t.clone()).collect())
    }
}
