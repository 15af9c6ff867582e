//! The context of an operation: what the source around it tells about the instructions
//! that a compiler makes of it. One operation name covers reads and writes, numbers and
//! objects; the catalogue counts them as one, microbenchmarks measure them apart, so that
//! an application's cost of the operation follows from its own mix of contexts.

use compact_str::CompactString;

use super::counter::{OperationCounter, joined};
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Type, ValueKind};

impl OperationCounter<'_> {
    /// How a field of this type is used: `[static ]read|write|update`, then what moves, then
    /// whether a branch tests it.
    pub(super) fn access(&self, node: NodeId) -> CompactString {
        let place = if self.is_static(node) { "static " } else { "" };
        let tested = if self.is_tested(node) { " tested" } else { "" };
        joined([place, self.use_of(node), " ", moved(self.ty(node)), tested])
    }

    /// How an element is used: as a field, then whether a loop [counts](Self::is_counted) its
    /// index, else whether a branch tests it.
    pub(super) fn element(&mut self, node: NodeId) -> CompactString {
        match self.is_counted(node) {
            true => joined([self.use_of(node), " ", moved(self.ty(node)), " counted"]),
            false => self.access(node),
        }
    }

    /// A read of an element that no expression names.
    pub(super) fn load(ty: &Type) -> CompactString {
        joined(["read ", moved(ty), " counted"])
    }

    /// A store without a read: initialisers of fields and elements.
    pub(super) fn store(ty: &Type) -> CompactString {
        joined(["write ", moved(ty)])
    }

    fn use_of(&self, node: NodeId) -> &'static str {
        let tree = self.tree();
        let Some((node, parent)) = self.around(node) else { return "read" };
        match tree.kind(parent) {
            Kind::Assignment if tree.field(node) == Field::Left => {
                if self.operator(parent).0 == Kind::Equals { "write" } else { "update" }
            }
            Kind::Update => "update",
            _ => "read",
        }
    }

    fn is_static(&self, node: NodeId) -> bool {
        *self.facts.symbol(node) == Symbol::StaticField
    }

    /// Where an assigned value goes and comes from: into a field or element, or into a
    /// local variable, straight from another one (or a constant) or computed.
    pub(super) fn transfer(&self, place: NodeId, value: Option<NodeId>) -> CompactString {
        let is_local = matches!(self.facts.symbol(place), Symbol::Local | Symbol::None);
        if !is_local || self.tree().kind(place) == Kind::ArrayAccess {
            return "member".into();
        }
        match value {
            Some(value) if self.is_at_hand(value) => "moved".into(),
            _ => "computed".into(),
        }
    }

    /// A local variable or a constant: nothing is computed.
    fn is_at_hand(&self, value: NodeId) -> bool {
        let value = self.stripped(value);
        let kind = self.tree().kind(value);
        self.facts.is_constant(value)
            || *self.facts.symbol(value) == Symbol::Local
            || matches!(kind, Kind::NullLiteral | Kind::This)
    }

    /// The target of `++` and `--`.
    pub(super) fn stepped(&self, node: NodeId) -> CompactString {
        if self.stepped_local(node).is_some() { "local".into() } else { "member".into() }
    }

    /// A comparison or logical operator whose value is kept instead of branched on.
    pub(super) fn outcome(&self, node: NodeId) -> CompactString {
        if self.is_tested(node) { "tested".into() } else { "value".into() }
    }

    /// A comparison with the constant 0, which needs no second operand.
    pub(super) fn comparison(&self, node: NodeId, right: NodeId) -> CompactString {
        let right = self.stripped(right);
        let is_int = self.ty(right).kind() == Some(ValueKind::Int);
        let zero = is_int && self.file.text(right) == "0";
        match (self.is_tested(node), zero) {
            (true, false) => "tested".into(),
            (true, true) => "zero".into(),
            (false, _) => "value".into(),
        }
    }

    /// What a call is compiled to, then whether what it names is more than compilers inline
    /// wherever they meet it, else whether a branch tests its value.
    pub(super) fn dispatch(&self, node: NodeId, method: &str) -> CompactString {
        let form = match self.facts.symbol(node) {
            Symbol::StaticSource => "static",
            _ if method == "<init>" => "constructor",
            _ => "virtual",
        };
        match self.facts.callee(node) {
            Some(callee) if callee.is_large => joined([form, " large"]),
            _ if self.is_tested(node) => joined([form, " tested"]),
            _ => form.into(),
        }
    }

    /// Whether a branch follows from the node's value.
    fn is_tested(&self, node: NodeId) -> bool {
        let tree = self.tree();
        let Some((node, parent)) = self.around(node) else { return false };
        match tree.kind(parent) {
            Kind::If | Kind::While | Kind::Do | Kind::For | Kind::Ternary => {
                tree.field(node) == Field::Condition
            }
            Kind::Binary => matches!(self.operator(parent).0, Kind::AndAnd | Kind::OrOr),
            Kind::Unary => self.operator(parent).0 == Kind::Not,
            _ => false,
        }
    }

    /// The node without the parentheses around it, from outside, and its parent.
    fn around(&self, node: NodeId) -> Option<(NodeId, NodeId)> {
        let tree = self.tree();
        let (mut node, mut parent) = (node, tree.parent(node)?);
        while tree.kind(parent) == Kind::Parenthesized {
            (node, parent) = (parent, tree.parent(parent)?);
        }
        Some((node, parent))
    }
}

/// A conversion of numbers.
pub(super) fn conversion(from: ValueKind, to: ValueKind) -> CompactString {
    joined([from.name(), " to ", to.name()])
}

/// What a load or store of this type moves: a word, two of them, or a reference.
fn moved(ty: &Type) -> &'static str {
    match ty.kind() {
        Some(ValueKind::Float) => "float",
        Some(ValueKind::Long) => "long",
        Some(ValueKind::Double) => "double",
        Some(ValueKind::Object) | None => "object",
        Some(ValueKind::Boolean | ValueKind::Int) => "int",
    }
}
