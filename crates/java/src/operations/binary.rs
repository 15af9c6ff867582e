//! Counting of operators on values (rules 6, 7, 8, 13) and casts (rule 12).

use compact_str::CompactString;
use wattline_units::operation::{CONSTANT_CONTEXT, Operation, SMALLER_TO_INT_CONTEXT};

use super::context::conversion_context;
use super::counter::OperationCounter;
use super::operation_verb::OperationVerb;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Primitive, Type, ValueKind};

/// Returns the verb of a binary operator or of the one in a compound assignment.
fn verb_of(operator: Kind) -> Option<OperationVerb> {
    Some(match operator {
        Kind::Plus | Kind::PlusAssign => OperationVerb::ADDITION,
        Kind::Minus | Kind::MinusAssign => OperationVerb::SUBTRACTION,
        Kind::Times | Kind::TimesAssign => OperationVerb::MULTI,
        Kind::Divide | Kind::DivideAssign => OperationVerb::DIVISION,
        Kind::Remainder | Kind::RemainderAssign => OperationVerb::MODULO,
        Kind::And | Kind::AndAssign => OperationVerb::BIT_AND,
        Kind::Or | Kind::OrAssign => OperationVerb::BIT_OR,
        Kind::Xor | Kind::XorAssign => OperationVerb::BIT_XOR,
        Kind::ShiftLeft | Kind::ShiftLeftAssign => OperationVerb::SHIFT,
        Kind::ShiftRight | Kind::ShiftRightAssign => OperationVerb::SHIFT,
        Kind::ShiftUnsigned | Kind::ShiftUnsignedAssign => OperationVerb::SHIFT,
        Kind::Less => OperationVerb::LESS,
        Kind::LessEqual => OperationVerb::LESS_EQUAL,
        Kind::Greater => OperationVerb::GREATER,
        Kind::GreaterEqual => OperationVerb::GREATER_EQUAL,
        Kind::Equal => OperationVerb::EQUAL,
        Kind::NotEqual => OperationVerb::NOT_EQUAL,
        _ => return None,
    })
}

impl OperationCounter<'_> {
    pub(super) fn binary(&mut self, node: NodeId) {
        let tree = self.tree();
        let (operator, line) = self.operator(node);
        let (Some(left), Some(right)) =
            (tree.child(node, Field::Left), tree.child(node, Field::Right))
        else {
            return;
        };
        match operator {
            Kind::AndAnd => self.logical(node, Operation::AND, [left, right], line),
            Kind::OrOr => self.logical(node, Operation::OR, [left, right], line),
            Kind::Plus if self.ty(node).is_string() => self.add(Operation::STRING_CONCAT, line),
            Kind::Equal | Kind::NotEqual => self.equality(node, operator, left, right, line),
            _ => {
                self.arithmetic(node, operator, left, right, line);
            }
        }
    }

    /// Counts `&&` or `||`; with a constant on one side only the other side remains.
    fn logical(&mut self, node: NodeId, operation: Operation, sides: [NodeId; 2], line: u32) {
        let context = match sides.into_iter().any(|side| self.facts.is_constant(side)) {
            true => CompactString::const_new(CONSTANT_CONTEXT),
            false => self.outcome_context(node),
        };
        self.add_in(context, operation, line);
    }

    /// Counts the operation within a compound assignment; returns its promoted kind, if it has one.
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
            self.add(Operation::STRING_CONCAT, line);
            return None;
        }
        self.arithmetic(node, operator, left, right, line)
    }

    /// Counts an arithmetic operator (rule 6); returns the promoted kind.
    fn arithmetic(
        &mut self,
        node: NodeId,
        operator: Kind,
        left: NodeId,
        right: NodeId,
        line: u32,
    ) -> Option<ValueKind> {
        let verb = verb_of(operator)?;
        let (a, b) = self.operand_kinds(left, right);
        if verb == OperationVerb::SHIFT {
            let kind = if a == ValueKind::Long { a } else { ValueKind::Int };
            self.add_kind(verb, kind, line);
            return Some(kind);
        }
        Some(self.numeric(node, verb, [left, right], [a, b], line))
    }

    /// Counts the operator on operands of kinds `a` and `b`; returns the promoted kind.
    fn numeric(
        &mut self,
        node: NodeId,
        verb: OperationVerb,
        operands: [NodeId; 2],
        [a, b]: [ValueKind; 2],
        line: u32,
    ) -> ValueKind {
        let kind = a.max(b);
        let int_float = a != b && a.min(b) == ValueKind::Int && kind == ValueKind::Float;
        // A constant is converted when it is compiled; what meets a wider one is when it runs.
        let mut of_kinds = operands.into_iter().zip([a, b]);
        let constant = of_kinds.any(|(side, of)| of != kind && self.facts.is_constant(side));
        let conversion = || match constant {
            true => CompactString::const_new(CONSTANT_CONTEXT),
            false => conversion_context(a.min(b), kind),
        };
        let context = match verb.is_comparison() {
            true if constant => CompactString::const_new(CONSTANT_CONTEXT),
            true => self.comparison_context(node, operands[1]),
            false => CompactString::default(),
        };
        if let Some(mixed) = verb.of_int_and_float().filter(|_| int_float) {
            let context = if verb.is_comparison() { context } else { conversion() };
            self.add_in(context, mixed, line);
            return kind;
        }
        if a != b {
            self.add_in(conversion(), Operation::CAST_NUMERIC, line);
        }
        self.add_in(context, verb.of(kind), line);
        kind
    }

    /// Returns the kinds of two operands after unboxing; an unknown one is as the other, two
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

    /// Counts `==` or `!=` (rule 7).
    fn equality(&mut self, node: NodeId, operator: Kind, left: NodeId, right: NodeId, line: u32) {
        let context = self.comparison_context(node, right);
        let (verb, with_null) = match operator {
            Kind::Equal => (OperationVerb::EQUAL, Operation::EQUAL_OBJECT_NULL),
            _ => (OperationVerb::NOT_EQUAL, Operation::NOT_EQUAL_OBJECT_NULL),
        };
        if self.is_null(left) || self.is_null(right) {
            return self.add_in(context, with_null, line);
        }
        let (a, b) = (self.ty(left), self.ty(right));
        let reference = |t: &Type| t.is_reference();
        let unknown = |t: &Type| *t == Type::Unknown;
        if reference(a) && reference(b) {
            return self.add_in(context, verb.of(ValueKind::Object), line);
        }
        if (reference(a) && unknown(b)) || (unknown(a) && reference(b)) {
            self.report_unknown(if unknown(a) { left } else { right }, ValueKind::Object);
            return self.add_in(context, verb.of(ValueKind::Object), line);
        }
        let (a, b) = self.operand_kinds(left, right);
        self.numeric(node, verb, [left, right], [a, b], line);
    }

    /// Counts a unary operator (rule 8); unary plus counts nothing.
    pub(super) fn unary(&mut self, node: NodeId) {
        let (operator, line) = self.operator(node);
        if operator == Kind::Not {
            return self.add_in(self.outcome_context(node), Operation::NOT, line);
        }
        let verb = match operator {
            Kind::Minus => OperationVerb::NEGATION,
            Kind::Complement => OperationVerb::BIT_XOR,
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
        self.add_kind(verb, kind, line);
    }

    pub(super) fn update(&mut self, node: NodeId) {
        let tree = self.tree();
        let token = |kind| tree.children(node).find(move |c| tree.kind(*c) == kind);
        if let Some(token) = token(Kind::Increment) {
            self.add_in(self.increment_context(node), Operation::INCREMENT, tree.line(token));
        } else if let Some(token) = token(Kind::Decrement) {
            self.add_in(self.increment_context(node), Operation::DECREMENT, tree.line(token));
        }
    }

    /// Counts a cast (rule 12).
    pub(super) fn cast(&mut self, node: NodeId) {
        let tree = self.tree();
        let Some(value) = tree.child(node, Field::Value) else { return };
        let (target, source) = (self.ty(node), self.ty(value));
        let line = tree.line(node);
        match (target, source) {
            (Type::Primitive(a), Type::Primitive(b)) if a != b => {
                let context = match a {
                    Primitive::Int if b.kind() == ValueKind::Int => SMALLER_TO_INT_CONTEXT.into(),
                    _ => conversion_context(b.kind(), a.kind()),
                };
                self.add_in(context, Operation::CAST_NUMERIC, line);
            }
            (Type::Primitive(_), Type::Primitive(_)) => {}
            (Type::Primitive(to), Type::Unknown) => self.report_unknown(value, to.kind()),
            (Type::Primitive(_), _) | (_, Type::Primitive(_)) => {}
            (_, Type::Unknown) if !self.is_function(value) => {
                self.report_unknown(value, ValueKind::Object);
                self.add(Operation::CAST_OBJECT, line);
            }
            _ => self.add(Operation::CAST_OBJECT, line),
        }
    }

    fn is_function(&self, node: NodeId) -> bool {
        matches!(self.tree().kind(node), Kind::Lambda | Kind::MethodReference)
    }
}
