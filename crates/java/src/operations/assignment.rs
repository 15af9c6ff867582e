//! Counting of assignments, initialisers and declarations (rules 9 and 10).

use wattline_units::operation::{CONSTANT_CONTEXT, Operation};

use super::context::conversion_context;
use super::counter::OperationCounter;
use super::operation_verb::OperationVerb;
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Primitive, Type, ValueKind};

impl OperationCounter<'_> {
    /// Counts the assignment of a value to a target of type `target` at the node `place` (rule 9).
    pub(super) fn assign(
        &mut self,
        target: &Type,
        value: Option<NodeId>,
        place: NodeId,
        line: u32,
    ) {
        let kind = match target {
            Type::Unknown | Type::Void => {
                let guess = value.and_then(|v| self.ty(v).kind()).unwrap_or(ValueKind::Object);
                self.report_unknown(place, guess);
                guess
            }
            other => other.kind().unwrap_or(ValueKind::Object),
        };
        if kind != ValueKind::Object {
            if let Some(value) = value.filter(|v| self.is_converted(*v, kind)) {
                let from = self.ty(value).kind().unwrap_or(kind);
                let context = match self.is_of_constants(value) {
                    true => CONSTANT_CONTEXT.into(),
                    false => conversion_context(from, kind),
                };
                self.add_in(context, Operation::CAST_NUMERIC, line);
            }
            let context = self.transfer_context(place, value);
            return self.add_in(context, OperationVerb::ASSIGN.of(kind), line);
        }
        let is_null = value.is_some_and(|v| self.is_null(v));
        let operation = match target.element() {
            _ if is_null => Operation::ASSIGN_OBJECT_NULL,
            Some(Type::Primitive(Primitive::Char)) => Operation::ASSIGN_CHARS,
            Some(_) => Operation::ASSIGN_ARRAY,
            None => Operation::ASSIGN_OBJECT_OBJECT,
        };
        let context = self.transfer_context(place, value);
        self.add_in(context, operation, line);
    }

    /// Whether a value is primitive, no constant, and of another kind than `kind`.
    fn is_converted(&self, value: NodeId, kind: ValueKind) -> bool {
        let primitive = self.ty(value).primitive();
        !self.facts.is_constant(value) && primitive.is_some_and(|p| p.kind() != kind)
    }

    /// Whether each value that an expression can have is a constant: javac then loads it with the
    /// target's kind, but not within parentheses, where it does not know the target.
    fn is_of_constants(&self, value: NodeId) -> bool {
        let tree = self.tree();
        let is_way = |field| tree.child(value, field).is_some_and(|way| self.is_of_constants(way));
        self.facts.is_constant(value)
            || tree.kind(value) == Kind::Ternary
                && is_way(Field::Consequence)
                && is_way(Field::Alternative)
    }

    pub(super) fn assignment(&mut self, node: NodeId) {
        let tree = self.tree();
        let (Some(left), Some(right)) =
            (tree.child(node, Field::Left), tree.child(node, Field::Right))
        else {
            return;
        };
        let (operator, line) = self.operator(node);
        if operator == Kind::Equals {
            return self.assign(self.ty(left), Some(right), left, line);
        }
        let target = self.ty(left);
        let promoted = self.compound(node, operator, left, right, line);
        let kind = target.unboxed().map(Primitive::kind);
        if let (Some(promoted), Some(kind)) = (promoted, kind)
            && promoted != kind
        {
            self.add_in(conversion_context(promoted, kind), Operation::CAST_NUMERIC, line);
        }
        let context = self.transfer_context(left, None);
        match target {
            Type::Primitive(primitive) => {
                let kind = primitive.kind();
                self.add_in(context, OperationVerb::ASSIGN.of(kind), line);
            }
            Type::Unknown => {
                let kind = promoted.unwrap_or(ValueKind::Object);
                self.add_in(context, OperationVerb::ASSIGN.of(kind), line);
            }
            _ => self.add_in(context, Operation::ASSIGN_OBJECT_OBJECT, line),
        }
    }

    /// Counts the declaration of a local variable named at `name` (rule 10); returns its kind.
    pub(super) fn declaration(&mut self, name: NodeId) -> ValueKind {
        let kind = self.kind_of(name);
        self.add_kind(OperationVerb::DECLARATION, kind, self.tree().line(name));
        kind
    }

    /// Counts a declarator of a local variable or a field; returns whether to descend below it.
    pub(super) fn declarator(&mut self, node: NodeId) -> bool {
        let tree = self.tree();
        let Some(name) = tree.child(node, Field::Name) else { return true };
        let line = tree.line(name);
        let value = tree.child(node, Field::Value);
        let parent = tree.parent(node).map(|p| tree.kind(p));
        if parent == Some(Kind::LocalVariable) {
            self.declaration(name);
        } else if self.facts.is_constant(name) {
            return false;
        } else if value.is_some() {
            self.add_in(Self::store_context(self.ty(name)), Operation::FIELD_REFERENCE, line);
        }
        if let Some(value) = value {
            self.assign(self.ty(name), Some(value), name, line);
        }
        true
    }

    pub(super) fn resource(&mut self, node: NodeId) {
        let tree = self.tree();
        let (Some(name), Some(value)) =
            (tree.child(node, Field::Name), tree.child(node, Field::Value))
        else {
            return;
        };
        self.declaration(name);
        self.assign(self.ty(name), Some(value), name, tree.line(name));
    }

    /// Counts an initialiser `{..}`: the array, unless `new` counts it, and its elements.
    pub(super) fn array_initializer(&mut self, node: NodeId) {
        let tree = self.tree();
        if tree.parent(node).is_none_or(|p| tree.kind(p) != Kind::ArrayCreation) {
            self.add(Operation::NEW_ARRAY, tree.line(node));
        }
        let element = self.ty(node).element().cloned().unwrap_or_default();
        for value in tree.children(node) {
            let line = tree.line(value);
            self.add_in(Self::store_context(&element), Operation::ARRAY_REFERENCE, line);
            self.assign(&element, Some(value), value, line);
        }
    }

    /// Counts a name in an expression.
    pub(super) fn identifier(&mut self, node: NodeId) {
        if matches!(self.facts.symbol(node), Symbol::Field | Symbol::StaticField) {
            self.add_in(
                self.access_context(node),
                Operation::FIELD_REFERENCE,
                self.tree().line(node),
            );
        }
    }
}
