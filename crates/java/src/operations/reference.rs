//! Counting of references to fields (rule 11).

use wattline_units::operation::Operation;

use super::counter::OperationCounter;
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;

impl OperationCounter<'_> {
    /// Counts `a.b`; returns whether to descend below it (not into names of types and packages).
    pub(super) fn field_access(&mut self, node: NodeId) -> bool {
        let tree = self.tree();
        let line = self.line_of(node, Field::FieldName);
        match self.facts.symbol(node) {
            Symbol::Length => self.add_in("length", Operation::FIELD_REFERENCE, line),
            Symbol::Field | Symbol::StaticField => {
                self.add_in(self.access_context(node), Operation::FIELD_REFERENCE, line)
            }
            Symbol::Type | Symbol::Package => return false,
            Symbol::Unresolved => {
                // A field of something unknown is a field all the same.
                let is_this =
                    tree.child(node, Field::FieldName).is_some_and(|f| tree.kind(f) == Kind::This);
                if !is_this {
                    self.add_in(self.access_context(node), Operation::FIELD_REFERENCE, line);
                }
            }
            _ => {}
        }
        true
    }
}
