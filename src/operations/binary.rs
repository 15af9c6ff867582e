//! Operators on values (rules 6, 7, 8, 13) and casts (rule 12).

use compact_str::CompactString;

use super::context::conversion;
use super::counter::{Counter, joined, paired};
use crate::java::kinds::{Field, Kind};
use crate::java::tree::NodeId;
use crate::java::types::{Primitive, Type, ValueKind};

/// The operation of a binary operator or of the one in a compound assignment.
fn operation(operator: Kind) -> Option<&'static str> {
    Some(match operator {
        Kind::Plus | Kind::PlusAssign => "Addition",
        Kind::Minus | Kind::MinusAssign => "Subtraction",
        Kind::Times | Kind::TimesAssign => "Multi",
        Kind::Divide | Kind::DivideAssign => "Division",
        Kind::Remainder | Kind::RemainderAssign => "Modulo",
        Kind::And | Kind::AndAssign => "BitAnd",
        Kind::Or | Kind::OrAssign => "BitOr",
        Kind::Xor | Kind::XorAssign => "BitXor",
        Kind::ShiftLeft | Kind::ShiftLeftAssign => "Shift",
        Kind::ShiftRight | Kind::ShiftRightAssign => "Shift",
        Kind::ShiftUnsigned | Kind::ShiftUnsignedAssign => "Shift",
        Kind::Less => "Less",
        Kind::LessEqual => "LessEqual",
        Kind::Greater => "Greater",
        Kind::GreaterEqual => "GreaterEqual",
        Kind::Equal => "Equal",
        Kind::NotEqual => "NotEqual",
        Kind::AndAnd => "And",
        Kind::OrOr => "Or",
        _ => return None,
    })
}

impl Counter<'_> {
    pub(super) fn binary(&mut self, node: NodeId) {
        let tree = self.tree();
        let (operator, line) = self.operator(node);
        let (Some(left), Some(right)) =
            (tree.child(node, Field::Left), tree.child(node, Field::Right))
        else {
            return;
        };
        match operator {
            Kind::AndAnd => self.add_in(self.outcome(node), "And", line),
            Kind::OrOr => self.add_in(self.outcome(node), "Or", line),
            Kind::Plus if self.ty(node).is_string() => self.add("String_Concat", line),
            Kind::Equal | Kind::NotEqual => self.equality(node, operator, left, right, line),
            _ => {
                self.arithmetic(node, operator, left, right, line);
            }
        }
    }

    /// The operation within a compound assignment; its promoted kind, if it has one.
    pub(super) fn compound(
        &mut self,
        node: NodeId,
        operator: Kind,
        left: NodeId,
        right: NodeId,
        line: u32,
    ) -> Option<ValueKind> {
        let makes_string = self.ty(node).is_string()
            || (self.ty(right).is_string() && self.ty(left).unboxed().is_none());
        if operator == Kind::PlusAssign && makes_string {
            self.add("String_Concat", line);
            return None;
        }
        self.arithmetic(node, operator, left, right, line)
    }

    /// Rule 6; the promoted kind.
    fn arithmetic(
        &mut self,
        node: NodeId,
        operator: Kind,
        left: NodeId,
        right: NodeId,
        line: u32,
    ) -> Option<ValueKind> {
        let name = operation(operator)?;
        let (a, b) = self.operand_kinds(left, right);
        if name == "Shift" {
            let kind = if a == ValueKind::Long { a } else { ValueKind::Int };
            self.add_kind(name, kind, line);
            return Some(kind);
        }
        Some(self.numeric(node, name, [left, right], [a, b], line))
    }

    /// The operator on operands of kinds `a` and `b`; the promoted kind.
    fn numeric(
        &mut self,
        node: NodeId,
        name: &str,
        operands: [NodeId; 2],
        [a, b]: [ValueKind; 2],
        line: u32,
    ) -> ValueKind {
        let kind = a.max(b);
        let int_float = a != b && a.min(b) == ValueKind::Int && kind == ValueKind::Float;
        // A constant is converted when it is compiled.
        let constant = operands.into_iter().any(|operand| self.facts.is_constant(operand));
        let conversion = || match constant {
            true => CompactString::const_new("constant"),
            false => conversion(a.min(b), kind),
        };
        let context = match name {
            "Less" | "LessEqual" | "Greater" | "GreaterEqual" | "Equal" | "NotEqual" => {
                if a != b && constant {
                    "constant".into()
                } else {
                    self.comparison(node, operands[1])
                }
            }
            _ => "".into(),
        };
        match name {
            "Addition" | "Subtraction" | "Multi" | "Division" if int_float => {
                self.add_in(conversion(), joined([name, "_int_float"]), line);
                return kind;
            }
            "Less" | "LessEqual" if int_float => {
                self.add_in(context, "Less_int_float", line);
                return kind;
            }
            "Greater" | "GreaterEqual" if int_float => {
                self.add_in(context, "Greater_int_float", line);
                return kind;
            }
            _ => {}
        }
        if a != b {
            self.add_in(conversion(), "Cast_numeric", line);
        }
        let counted = match (name, kind) {
            ("Modulo", ValueKind::Float) => ValueKind::Double,
            ("BitAnd" | "BitOr" | "BitXor", ValueKind::Boolean) => ValueKind::Int,
            _ => kind,
        };
        self.add_in(context, paired(name, counted), line);
        kind
    }

    /// The kinds of two operands after unboxing; an unknown one is like the other, two
    /// unknown ones are int.
    fn operand_kinds(&mut self, left: NodeId, right: NodeId) -> (ValueKind, ValueKind) {
        let kind = |node| self.ty(node).unboxed().map(Primitive::kind);
        let (a, b) = (kind(left), kind(right));
        let guess = a.or(b).unwrap_or(ValueKind::Int);
        for (node, known) in [(left, a), (right, b)] {
            if known.is_none() {
                self.report_unknown(node, guess);
            }
        }
        (a.unwrap_or(guess), b.unwrap_or(guess))
    }

    /// Rule 7.
    fn equality(&mut self, node: NodeId, operator: Kind, left: NodeId, right: NodeId, line: u32) {
        let context = self.comparison(node, right);
        let name = if operator == Kind::Equal { "Equal" } else { "NotEqual" };
        if self.is_null(left) || self.is_null(right) {
            return self.add_in(context, joined([name, "_Object_null"]), line);
        }
        let (a, b) = (self.ty(left), self.ty(right));
        let reference = |t: &Type| t.is_reference();
        let unknown = |t: &Type| *t == Type::Unknown;
        if reference(a) && reference(b) {
            return self.add_in(context, joined([name, "_Object_Object"]), line);
        }
        if (reference(a) && unknown(b)) || (unknown(a) && reference(b)) {
            self.report_unknown(if unknown(a) { left } else { right }, ValueKind::Object);
            return self.add_in(context, joined([name, "_Object_Object"]), line);
        }
        let (a, b) = self.operand_kinds(left, right);
        self.numeric(node, name, [left, right], [a, b], line);
    }

    /// Rule 8; unary plus counts nothing.
    pub(super) fn unary(&mut self, node: NodeId) {
        let (operator, line) = self.operator(node);
        if operator == Kind::Not {
            return self.add_in(self.outcome(node), "Not", line);
        }
        let name = match operator {
            Kind::Minus => "Negation",
            Kind::Complement => "BitXor",
            _ => return,
        };
        let Some(operand) = self.tree().child(node, Field::Operand) else { return };
        let kind = match self.ty(operand).unboxed() {
            Some(primitive) => primitive.kind(),
            None => {
                self.report_unknown(operand, ValueKind::Int);
                ValueKind::Int
            }
        };
        match name {
            "Negation" => self.add_kind(name, kind, line),
            _ => self.add_pair(name, kind, line),
        }
    }

    pub(super) fn update(&mut self, node: NodeId) {
        let tree = self.tree();
        let token = |kind| tree.children(node).find(move |c| tree.kind(*c) == kind);
        if let Some(token) = token(Kind::Increment) {
            self.add_in(self.stepped(node), "Increment", tree.line(token));
        } else if let Some(token) = token(Kind::Decrement) {
            self.add_in(self.stepped(node), "Decrement", tree.line(token));
        }
    }

    /// Rule 12.
    pub(super) fn cast(&mut self, node: NodeId) {
        let tree = self.tree();
        let Some(value) = tree.child(node, Field::Value) else { return };
        let (target, source) = (self.ty(node), self.ty(value));
        let line = tree.line(node);
        match (target, source) {
            (Type::Primitive(a), Type::Primitive(b)) if a != b => {
                self.add_in(conversion(b.kind(), a.kind()), "Cast_numeric", line);
            }
            (Type::Primitive(_), Type::Primitive(_)) => {}
            (Type::Primitive(to), Type::Unknown) => self.report_unknown(value, to.kind()),
            (Type::Primitive(_), _) | (_, Type::Primitive(_)) => {}
            (_, Type::Unknown) if !self.is_function(value) => {
                self.report_unknown(value, ValueKind::Object);
                self.add("Cast_Object", line);
            }
            _ => self.add("Cast_Object", line),
        }
    }

    fn is_function(&self, node: NodeId) -> bool {
        matches!(self.tree().kind(node), Kind::Lambda | Kind::MethodReference)
    }
}
