//! Counting of control flow (rules 5, 14, 15): entries of blocks, loops, `return`.

use wattline_units::operation::{CONSTANT_CONTEXT, LibraryFunction, Operation};

use super::context::conversion_context;
use super::counter::OperationCounter;
use super::operation_verb::OperationVerb;
use crate::blocks::{Block, BlockKind, BodyUnit, UnitKind};
use crate::java::kinds::{Field, Kind};
use crate::java::syntax_tree::NodeId;
use crate::java::types::{Type, ValueKind};

/// Returns the operation that entering a block of this kind counts, if any.
fn goto(kind: BlockKind) -> Option<Operation> {
    Some(match kind {
        BlockKind::Then => Operation::GOTO_IF,
        BlockKind::Else => Operation::GOTO_ELSE,
        BlockKind::ForTest | BlockKind::ForUpdate | BlockKind::ForBody => Operation::GOTO_FOR,
        BlockKind::ForeachBody => Operation::GOTO_FOREACH,
        BlockKind::WhileTest | BlockKind::WhileBody => Operation::GOTO_WHILE,
        BlockKind::DoBody | BlockKind::DoTest => Operation::GOTO_DO,
        BlockKind::SwitchCase => Operation::GOTO_SWITCH,
        BlockKind::Catch | BlockKind::Finally => Operation::GOTO_TRY,
        // `&&`, `||` and `?:` count at the operator.
        BlockKind::Entry
        | BlockKind::ForInit
        | BlockKind::TryBody
        | BlockKind::Continuation
        | BlockKind::AndRight
        | BlockKind::OrRight
        | BlockKind::ConditionalTrue
        | BlockKind::ConditionalFalse => return None,
    })
}

impl OperationCounter<'_> {
    /// Counts the entry of a block.
    pub(super) fn entered(&mut self, block: &Block, unit: &BodyUnit) {
        if let Some(operation) = goto(block.kind) {
            let (context, line) = match block.kind {
                BlockKind::Then => self.first_way(block),
                _ => ("", block.start_line),
            };
            self.add_in(context, operation, line);
        }
        match block.kind {
            BlockKind::ForeachBody => self.iteration(block.construct),
            BlockKind::Entry
                if unit.kind == UnitKind::Method
                    && self.file.has_modifier(unit.node, "synchronized") =>
            {
                self.add(Operation::SYNCHRONIZED, self.line_of(unit.node, Field::Name));
            }
            _ => {}
        }
    }

    /// Returns context and line of the first branch of an `if`. A jump ends it if there is another
    /// branch and the code after the `if` is reached from both; its line is that of the branch's
    /// end.
    fn first_way(&self, block: &Block) -> (&'static str, u32) {
        let way = |field| self.tree().child(block.construct, field);
        let (context, line) = match (way(Field::Consequence), way(Field::Alternative)) {
            (Some(first), Some(_)) if self.file.can_complete(first) => {
                ("with else", self.file.last_instruction_line(first))
            }
            _ => ("alone", block.start_line),
        };
        (self.decision_context(block.construct, context), line)
    }

    /// Returns the context of an `if` or `?:`; a constant condition leaves no branch of it.
    pub(super) fn decision_context(&self, node: NodeId, context: &'static str) -> &'static str {
        let condition = self.tree().child(node, Field::Condition);
        let is_constant =
            condition.is_some_and(|c| self.facts.is_constant(self.without_parentheses(c)));
        if is_constant { CONSTANT_CONTEXT } else { context }
    }

    /// Counts the operations of a statement in the block that contains its header expression.
    pub(super) fn construct_around(&mut self, part: NodeId) {
        let tree = self.tree();
        let Some(parent) = tree.parent(part) else { return };
        match tree.kind(parent) {
            Kind::Synchronized if tree.kind(part) == Kind::Parenthesized => {
                self.add(Operation::SYNCHRONIZED, tree.line(parent));
            }
            Kind::EnhancedFor
                if tree.field(part) == Field::Value && self.ty(part).element().is_none() =>
            {
                self.add(LibraryFunction::new("java.lang.Iterable", "iterator"), tree.line(part));
            }
            _ => {}
        }
    }

    /// Counts one iteration of an enhanced `for` (rule 15).
    fn iteration(&mut self, node: NodeId) {
        let tree = self.tree();
        let (Some(value), Some(name)) =
            (tree.child(node, Field::Value), tree.child(node, Field::Name))
        else {
            return;
        };
        let line = tree.line(name);
        let iterated = self.ty(value);
        if *iterated == Type::Unknown {
            self.report_unknown(value, ValueKind::Object);
        }
        let kind = self.declaration(name);
        if let Some(element) = iterated.element() {
            let element_read = Self::load_context(element);
            self.add_in("tested", Operation::LESS_INT_INT, line);
            self.add_in(element_read, Operation::ARRAY_REFERENCE, line);
            self.add_in("local", Operation::INCREMENT, line);
            if let Some(primitive) = element.primitive()
                && kind != ValueKind::Object
                && primitive.kind() != kind
            {
                self.add_in(
                    conversion_context(primitive.kind(), kind),
                    Operation::CAST_NUMERIC,
                    line,
                );
            }
        } else {
            for method in ["hasNext", "next"] {
                self.add(LibraryFunction::new("java.util.Iterator", method), line);
            }
        }
        self.assign(self.ty(name), None, name, line);
    }

    pub(super) fn return_statement(&mut self, node: NodeId) {
        let tree = self.tree();
        let line = tree.line(node);
        let Some(value) = tree.children(node).next() else {
            return self.add(Operation::RETURN_VOID, line);
        };
        match self.ty(node).kind() {
            Some(kind) => self.add_kind(OperationVerb::RETURN, kind, line),
            // A lambda whose target is not known: its value says what it returns.
            None => {
                let kind = self.ty(value).kind().unwrap_or(ValueKind::Object);
                self.report_unknown(value, kind);
                self.add_kind(OperationVerb::RETURN, kind, line);
            }
        }
    }
}
