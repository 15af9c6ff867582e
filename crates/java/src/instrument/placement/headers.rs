//! Placement of probes inside expressions: loop headers, operands, conditional expressions.

use crate::java::SyntaxNode;

use super::{PlacementResult, ProbePlacer};
use crate::blocks::BlockKind;
use crate::instrument::condition_binding::{self, ConditionBinding};
use crate::instrument::constant_value::{ConstantValue, evaluate_constant};
use crate::java::syntax::{self, field, kind};

impl<'t> ProbePlacer<'_, 't> {
    pub(super) fn for_init(&mut self, index: usize) -> PlacementResult {
        let anchor = self.anchor(index);
        let (at, text) = match anchor.kind() {
            kind::LOCAL_VARIABLE_DECLARATION => {
                let start = self.facts.start_of(self.construct(index)).start_byte();
                (start, format!("{} ", self.probes.statement(index)))
            }
            _ => (anchor.start_byte(), format!("{}, ", self.probes.list(index))),
        };
        self.edits.open(at, index, text);
        Ok(())
    }

    pub(super) fn test(&mut self, index: usize) -> PlacementResult {
        let anchor = self.anchor(index);
        let constant = evaluate_constant(self.file, self.facts, anchor);
        match (
            self.blocks.blocks[index].kind,
            constant,
            condition_binding::strictest_binding(anchor),
        ) {
            (BlockKind::DoTest, Some(ConstantValue::True), _) => self.endless_do(index),
            (BlockKind::DoTest, Some(ConstantValue::Other), _) => {
                Err("its condition is constant, and nothing here knows its value")
            }
            (BlockKind::WhileTest | BlockKind::ForTest, Some(_), _) => {
                // It compiles, so it is true: tests and bodies come in pairs. Count at
                // the body's start.
                let body =
                    syntax::field(self.construct(index), field::BODY).ok_or("it has no body")?;
                let probe = self.probes.statement(index);
                self.body(index, body, &probe);
                Ok(())
            }
            // What is assigned or declared after the loop is what holds if it is false.
            (BlockKind::DoTest, _, _) => self.operand(index, false, "||"),
            (
                BlockKind::WhileTest,
                _,
                ConditionBinding::Assigns | ConditionBinding::AssignsSometimes,
            ) => self.while_as_if(index),
            (_, _, ConditionBinding::PatternElsewhere) => {
                Err("its condition declares a pattern variable that may be in scope after the loop")
            }
            (_, _, ConditionBinding::Assigns) => self.operand(index, true, "&"),
            _ => self.operand(index, true, "&&"),
        }
    }

    /// Rewrites an operand `c` to `(probe() && (c))`.
    pub(super) fn operand(&mut self, index: usize, value: bool, operator: &str) -> PlacementResult {
        let inner = syntax::without_parentheses(self.anchor(index));
        let probe = self.probes.truth(index, value);
        self.edits.open(inner.start_byte(), index, format!("({probe} {operator} ("));
        self.edits.close(inner.end_byte(), index, "))");
        Ok(())
    }

    /// Rewrites `while (c) s` to `while (true) { probe; if (!(c)) break; s }`, which leaves
    /// definite assignment as it was, in the loop and after it.
    pub(super) fn while_as_if(&mut self, index: usize) -> PlacementResult {
        let anchor = self.anchor(index);
        let body = syntax::field(self.construct(index), field::BODY).ok_or("it has no body")?;
        let probe = self.probes.statement(index);
        let (start, end) = (anchor.start_byte() + 1, anchor.end_byte());
        self.edits.open(start, index, format!("true) {{ {probe} if (!("));
        self.edits.close(end - 1, index, ")");
        self.edits.open(end, index, " break;");
        self.edits.close(body.end_byte(), index, " }");
        Ok(())
    }

    /// Rewrites `do s while (true);` to `for (;; probe) s`: the update is where the test was.
    pub(super) fn endless_do(&mut self, index: usize) -> PlacementResult {
        let probe = self.probes.list(index);
        for child in syntax::children(self.construct(index)) {
            match child.kind_name() {
                "do" => self.edits.replace(child.byte_range(), format!("for (;; {probe})")),
                "while" | ";" => self.edits.replace(child.byte_range(), ""),
                _ if child == self.anchor(index) => {
                    self.edits.replace(child.byte_range(), "");
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Rewrites `c ? a : b` to `probe(true's id, false's id, c) ? a : b`: types stay.
    pub(super) fn conditional(&mut self, index: usize) -> PlacementResult {
        let condition = self.plain_condition(index)?;
        let no = self.false_arm(index).ok_or("its other arm has no block")?;
        self.conditionals.insert(self.blocks.blocks[index].construct);
        let (package, first) = (self.probes.package, self.probes.first);
        let open = format!("{package}.W.b({}, {}, ", first + index, first + no);
        self.edits.open(condition.start_byte(), index, open);
        self.edits.close(condition.end_byte(), index, ")");
        Ok(())
    }

    /// Returns the condition of a `?:`, if a call can be put around it.
    pub(super) fn plain_condition(&self, index: usize) -> Result<SyntaxNode<'t>, &'static str> {
        let condition = syntax::field(self.construct(index), field::CONDITION);
        condition
            .filter(|node| condition_binding::strictest_binding(*node) == ConditionBinding::None)
            .ok_or("the condition of its `?:` binds names")
    }

    /// Returns the block of the other arm of the `?:` whose true arm is block `index`.
    pub(super) fn false_arm(&self, index: usize) -> Option<usize> {
        let construct = self.blocks.blocks[index].construct;
        let rest = self.blocks.blocks.iter().enumerate().skip(index + 1);
        let mut rest = rest.filter(|(_, b)| b.kind == BlockKind::ConditionalFalse);
        rest.find(|(_, b)| b.construct == construct).map(|(i, _)| i)
    }
}
