//! Counting of object creation (rule 4) and patterns, which test and declare (rule 10).

use wattline_units::operation::Operation;

use super::counter::OperationCounter;
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;

impl OperationCounter<'_> {
    pub(super) fn creation(&mut self, node: NodeId) {
        let line = self.line_of(node, Field::Type);
        self.add_in("instance", Operation::NEW_OBJECT, line);
        self.invocation(node, "<init>", line);
    }

    pub(super) fn enum_constant(&mut self, node: NodeId) {
        let line = self.line_of(node, Field::Name);
        self.add_in("instance", Operation::NEW_OBJECT, line);
        self.invocation(node, "<init>", line);
    }

    /// Whether a method reference has an expression (`value::name`) that is evaluated.
    pub(super) fn reference_has_receiver(&self, node: NodeId) -> bool {
        let tree = self.tree();
        let Some(first) = tree.children(node).next() else { return false };
        !tree.kind(first).is_type() && *self.facts.symbol(first) != Symbol::Type
    }

    pub(super) fn instance_of(&mut self, node: NodeId) {
        let tree = self.tree();
        let right = [Field::Right, Field::Pattern].into_iter().find_map(|f| tree.child(node, f));
        let line = tree.line(right.unwrap_or(node));
        self.add(Operation::INSTANCE_OF, line);
        if let Some(name) = tree.child(node, Field::Name) {
            self.declaration(name);
        }
        if let Some(pattern) = tree.child(node, Field::Pattern) {
            self.record_parts(pattern);
        }
    }

    /// Counts a pattern of a `case`.
    pub(super) fn pattern(&mut self, node: NodeId) {
        let tree = self.tree();
        for pattern in tree.children(node) {
            self.add(Operation::INSTANCE_OF, tree.line(pattern));
            match tree.kind(pattern) {
                Kind::TypePattern => self.component(pattern),
                _ => self.record_parts(pattern),
            }
        }
    }

    fn component(&mut self, pattern: NodeId) {
        // `_` declares nothing.
        let name = self.tree().first_of_kind(pattern, Kind::Identifier);
        if let Some(name) = name.filter(|n| self.file.text(*n) != "_") {
            self.declaration(name);
        }
    }

    /// Counts the components of a record pattern: each record within is a test of its own.
    fn record_parts(&mut self, pattern: NodeId) {
        let tree = self.tree();
        let mut todo = vec![pattern];
        while let Some(pattern) = todo.pop() {
            let body = tree.first_of_kind(pattern, Kind::RecordPatternBody);
            for part in body.into_iter().flat_map(|b| tree.children(b)) {
                match tree.kind(part) {
                    Kind::RecordPattern => {
                        self.add(Operation::INSTANCE_OF, tree.line(part));
                        todo.push(part);
                    }
                    _ => self.component(part),
                }
            }
        }
    }
}
