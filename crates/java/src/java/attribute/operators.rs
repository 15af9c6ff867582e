//! Result types (JLS 15.14 to 15.26) and constancy of operators.

use super::Attributor;
use crate::java::constants::divides_by_zero;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Primitive, Type};

/// Returns the type after binary numeric promotion (JLS 5.6).
pub(crate) fn binary_promotion(a: Primitive, b: Primitive) -> Primitive {
    a.promoted().max(b.promoted())
}

impl Attributor<'_> {
    /// Attributes a chain of binary operators, going down the left operands in a loop.
    pub(super) fn binary(&mut self, node: NodeId) -> Type {
        let tree = self.tree();
        let mut spine = vec![node];
        let mut at = node;
        let leftmost = loop {
            match tree.child(at, Field::Left) {
                Some(left) if tree.kind(left) == Kind::Binary => {
                    spine.push(left);
                    at = left;
                }
                left => break left,
            }
        };
        let mut ty = leftmost.map_or(Type::Unknown, |l| self.operand(l, None));
        while let Some(node) = spine.pop() {
            ty = self.binary_step(node, ty);
            self.set_type(node, ty.clone());
        }
        ty
    }

    /// Attributes `left op right`, the type of `left` being known; returns its type.
    fn binary_step(&mut self, node: NodeId, left_type: Type) -> Type {
        let tree = self.tree();
        let operator = tree.child(node, Field::Operator).map_or(Kind::Other, |o| tree.kind(o));
        let (Some(left), Some(right)) =
            (tree.child(node, Field::Left), tree.child(node, Field::Right))
        else {
            return Type::Unknown;
        };
        let mark = self.scope.mark();
        match operator {
            Kind::AndAnd => self.introduce(left, true),
            Kind::OrOr => self.introduce(left, false),
            _ => {}
        }
        let right_type = self.operand(right, None);
        self.scope.release(mark);
        let constant = self.facts.is_constant(left)
            && self.facts.is_constant(right)
            && !divides_by_zero(self.file, node);
        self.set_constant(node, constant);
        result_type(operator, &left_type, &right_type)
    }

    pub(super) fn unary(&mut self, node: NodeId) -> Type {
        let tree = self.tree();
        let Some(operand) = tree.child(node, Field::Operand) else { return Type::Unknown };
        let ty = self.operand(operand, None);
        self.set_constant(node, self.facts.is_constant(operand));
        match tree.child(node, Field::Operator).map(|o| tree.kind(o)) {
            Some(Kind::Not) => Type::BOOLEAN,
            _ => ty.unboxed().map_or(Type::Unknown, |p| Type::Primitive(p.promoted())),
        }
    }

    pub(super) fn update(&mut self, node: NodeId) -> Type {
        let operand = self.tree().children(node).find(|c| self.is_expression(*c));
        operand.map_or(Type::Unknown, |o| self.operand(o, None))
    }

    pub(super) fn assignment(&mut self, node: NodeId) -> Type {
        let tree = self.tree();
        let left = tree.child(node, Field::Left);
        let ty = left.map_or(Type::Unknown, |l| self.operand(l, None));
        if let Some(right) = tree.child(node, Field::Right) {
            self.expression(right, Some(&ty).filter(|t| **t != Type::Unknown));
            let operator = tree.child(node, Field::Operator).map(|o| tree.kind(o));
            if operator == Some(Kind::Equals) {
                self.adopt_target_type(right, &ty);
            }
        }
        ty
    }

    pub(super) fn cast(&mut self, node: NodeId) -> Type {
        let tree = self.tree();
        let ty = tree.child(node, Field::Type).map_or(Type::Unknown, |t| self.resolver.names.ty(t));
        let Some(value) = tree.child(node, Field::Value) else { return ty };
        self.expression(value, Some(&ty).filter(|t| t.is_reference()));
        let keeps = ty.primitive().is_some() || ty.is_string();
        self.set_constant(node, keeps && self.facts.is_constant(value));
        ty
    }

    pub(super) fn instance_of(&mut self, node: NodeId) -> Type {
        let tree = self.tree();
        let left = tree.child(node, Field::Left);
        let matched = left.map_or(Type::Unknown, |l| self.operand(l, None));
        let right = tree.child(node, Field::Right).map(|t| self.resolver.names.ty(t));
        if let (Some(ty), Some(name)) = (right, tree.child(node, Field::Name)) {
            self.set_type(name, ty);
        }
        if let Some(pattern) = tree.child(node, Field::Pattern) {
            self.pattern_types(pattern, &matched);
        }
        Type::BOOLEAN
    }

    pub(super) fn ternary(&mut self, node: NodeId, expected: Option<&Type>) -> Type {
        let tree = self.tree();
        let parts = [Field::Condition, Field::Consequence, Field::Alternative];
        let [Some(condition), Some(yes), Some(no)] = parts.map(|f| tree.child(node, f)) else {
            return Type::Unknown;
        };
        self.expression(condition, Some(&Type::BOOLEAN));
        let mut types = Vec::with_capacity(2);
        for (arm, value) in [(yes, true), (no, false)] {
            let mark = self.scope.mark();
            self.introduce(condition, value);
            types.push(self.expression(arm, expected));
            self.scope.release(mark);
        }
        let constant = [condition, yes, no].iter().all(|n| self.facts.is_constant(*n));
        self.set_constant(node, constant);
        self.common_type(&types, expected)
    }
}

/// Returns the type of a binary operation on these operand types.
fn result_type(operator: Kind, left: &Type, right: &Type) -> Type {
    match operator {
        Kind::AndAnd | Kind::OrOr | Kind::Less | Kind::LessEqual | Kind::Greater => Type::BOOLEAN,
        Kind::GreaterEqual | Kind::Equal | Kind::NotEqual => Type::BOOLEAN,
        Kind::Plus if left.is_string() || right.is_string() => Type::string(),
        Kind::ShiftLeft | Kind::ShiftRight | Kind::ShiftUnsigned => {
            left.unboxed().map_or(Type::Unknown, |p| Type::Primitive(p.promoted()))
        }
        _ => match (left.unboxed(), right.unboxed()) {
            (Some(Primitive::Boolean), Some(Primitive::Boolean)) => Type::BOOLEAN,
            (Some(a), Some(b)) => Type::Primitive(binary_promotion(a, b)),
            _ => Type::Unknown,
        },
    }
}
