//! Counting of calls (rule 3).

use wattline_units::operation::{LibraryFunction, Operation};

use super::counter::OperationCounter;
use super::operation_verb::OperationVerb;
use crate::finding::FindingKind;
use crate::java::attribute::Symbol;
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;

impl OperationCounter<'_> {
    pub(super) fn call(&mut self, node: NodeId) {
        let tree = self.tree();
        let name = tree.child(node, Field::Name);
        let method = name.map_or("?", |n| self.file.text(n));
        let line = self.line_of(node, Field::Name);
        self.invocation(node, method, line);
    }

    pub(super) fn explicit_constructor_call(&mut self, node: NodeId) {
        let line = self.line_of(node, Field::Constructor);
        self.invocation(node, "<init>", line);
    }

    /// Counts a call of the method or constructor that `node` refers to.
    pub(super) fn invocation(&mut self, node: NodeId, method: &str, line: u32) {
        self.keep_call(node);
        match self.facts.symbol(node) {
            Symbol::Source | Symbol::StaticSource => {
                let context = self.dispatch_context(node, method);
                self.add_in(context, Operation::METHOD_INVOCATION, line);
                self.parameters(node);
            }
            Symbol::Library(class) => self.add(LibraryFunction::new(class, method), line),
            _ => {
                let function = LibraryFunction::unresolved(method);
                let message = format!(
                    "the class that declares {method} is not known; it counts as {function}"
                );
                self.report(FindingKind::UnresolvedCall, line, message);
                self.add(function, line);
            }
        }
    }

    /// Records a call that may run code of the sources; an anonymous class has some.
    fn keep_call(&mut self, node: NodeId) {
        let is_library = matches!(self.facts.symbol(node), Symbol::Library(_));
        if !is_library || self.tree().first_of_kind(node, Kind::ClassBody).is_some() {
            self.calls.push((self.block, node));
        }
    }

    fn parameters(&mut self, node: NodeId) {
        let tree = self.tree();
        let Some(list) = tree.child(node, Field::Arguments) else { return };
        for argument in tree.children(list).filter(|a| tree.kind(*a) != Kind::Error) {
            let kind = self.kind_of(argument);
            self.add_kind(OperationVerb::PARAMETER, kind, tree.line(argument));
        }
    }
}
