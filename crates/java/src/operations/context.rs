//! Context of an operation: properties of the source around it that determine the instructions
//! a compiler generates. One operation name covers reads and writes, numbers and
//! objects; the catalogue counts them as one, microbenchmarks measure them apart, so that
//! an application's cost of the operation follows from its own mix of contexts.

use compact_str::CompactString;

use super::counter::{OperationCounter, concatenate};
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Type, ValueKind};

impl OperationCounter<'_> {
    /// Returns the context of a field access: `[static ]read|write|update`, then the kind of value
    /// moved, then whether a branch tests it.
    pub(super) fn access_context(&self, node: NodeId) -> CompactString {
        let place = if self.is_static(node) { "static " } else { "" };
        let tested = if self.is_tested(node) { " tested" } else { "" };
        concatenate([place, self.use_of(node), " ", moved(self.ty(node)), tested])
    }

    /// Returns the context of an array access: as of a field, then whether a loop
    /// [counts](Self::is_index_loop_counter) its index, else whether a branch tests it.
    pub(super) fn element_context(&mut self, node: NodeId) -> CompactString {
        match self.is_index_loop_counter(node) {
            true => concatenate([self.use_of(node), " ", moved(self.ty(node)), " counted"]),
            false => self.access_context(node),
        }
    }

    /// Returns the context of a read of an element that no expression names.
    pub(super) fn load_context(ty: &Type) -> CompactString {
        concatenate(["read ", moved(ty), " counted"])
    }

    /// Returns the context of a store without a read: initialisers of fields and elements.
    pub(super) fn store_context(ty: &Type) -> CompactString {
        concatenate(["write ", moved(ty)])
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

    /// Returns the context of an assignment, by target and source of its value: into a field or
    /// element, or into a local variable, straight from another one (or a constant) or computed.
    pub(super) fn transfer_context(&self, place: NodeId, value: Option<NodeId>) -> CompactString {
        let is_local = matches!(self.facts.symbol(place), Symbol::Local | Symbol::None);
        if !is_local || self.tree().kind(place) == Kind::ArrayAccess {
            return "member".into();
        }
        match value {
            Some(value) if self.is_at_hand(value) => "moved".into(),
            _ => "computed".into(),
        }
    }

    /// Whether a value is a local variable or a constant, so that nothing is computed.
    fn is_at_hand(&self, value: NodeId) -> bool {
        let value = self.without_parentheses(value);
        let kind = self.tree().kind(value);
        self.facts.is_constant(value)
            || *self.facts.symbol(value) == Symbol::Local
            || matches!(kind, Kind::NullLiteral | Kind::This)
    }

    /// Returns the context of `++` and `--`, by its target.
    pub(super) fn increment_context(&self, node: NodeId) -> CompactString {
        if self.stepped_local(node).is_some() { "local".into() } else { "member".into() }
    }

    /// Returns the context of a comparison or logical operator: whether its value is stored instead
    /// of branched on.
    pub(super) fn outcome_context(&self, node: NodeId) -> CompactString {
        if self.is_tested(node) { "tested".into() } else { "value".into() }
    }

    /// Returns the context of a comparison; one with the constant 0 needs no second operand.
    pub(super) fn comparison_context(&self, node: NodeId, right: NodeId) -> CompactString {
        let right = self.without_parentheses(right);
        let is_int = self.ty(right).kind() == Some(ValueKind::Int);
        let zero = is_int && self.file.text(right) == "0";
        match (self.is_tested(node), zero) {
            (true, false) => "tested".into(),
            (true, true) => "zero".into(),
            (false, _) => "value".into(),
        }
    }

    /// Returns the context of a call: the instruction it is compiled to, then whether its method is
    /// too large for compilers to inline at every call, else whether a branch tests its value.
    pub(super) fn dispatch_context(&self, node: NodeId, method: &str) -> CompactString {
        let form = match self.facts.symbol(node) {
            Symbol::StaticSource => "static",
            _ if method == "<init>" => "constructor",
            _ => "virtual",
        };
        match self.facts.callee(node) {
            Some(callee) if callee.is_large => concatenate([form, " large"]),
            _ if self.is_tested(node) => concatenate([form, " tested"]),
            _ => form.into(),
        }
    }

    /// Whether a branch tests the node's value.
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

    /// Returns the outermost parentheses around a node, or the node, and its parent.
    fn around(&self, node: NodeId) -> Option<(NodeId, NodeId)> {
        let tree = self.tree();
        let (mut node, mut parent) = (node, tree.parent(node)?);
        while tree.kind(parent) == Kind::Parenthesized {
            (node, parent) = (parent, tree.parent(parent)?);
        }
        Some((node, parent))
    }
}

/// Returns the context of a numeric conversion.
pub(super) fn conversion_context(from: ValueKind, to: ValueKind) -> CompactString {
    concatenate([from.name(), " to ", to.name()])
}

/// Returns what a load or store of this type moves: one word, two words, or a reference.
fn moved(ty: &Type) -> &'static str {
    match ty.kind() {
        Some(ValueKind::Float) => "float",
        Some(ValueKind::Long) => "long",
        Some(ValueKind::Double) => "double",
        Some(ValueKind::Object) | None => "object",
        Some(ValueKind::Boolean | ValueKind::Int) => "int",
    }
}
