//! Division of structured statements: the blocks that each opens, and the parts that stay in the
//! block before.

use crate::java::SyntaxNode;

use super::{BlockOpening, DivisionTask, FlowDivision};
use crate::blocks::BlockKind;
use crate::blocks::undivided_code::BlockContent;
use crate::java::syntax::{self, field, kind};

impl<'t> FlowDivision<'t, '_> {
    /// Returns the end task of a structured statement whose blocks are about to be opened.
    pub(super) fn end(&self, run: usize, node: SyntaxNode<'t>) -> DivisionTask<'t> {
        let blocks_before = self.blocks.blocks.len();
        DivisionTask::End { run, node, blocks_before, jumped: false }
    }

    pub(super) fn labeled(&mut self, run: usize, node: SyntaxNode<'t>) {
        self.current_block(run, node);
        let children = syntax::children(node);
        if let (Some(label), Some(body)) = (children.first(), children.get(2)) {
            self.labels.push((self.file.text_of(*label), false));
            self.push([
                DivisionTask::Statement { run, node: *body },
                DivisionTask::LabelEnd { run, node },
            ]);
        }
    }

    pub(super) fn synchronized(&mut self, run: usize, node: SyntaxNode<'t>) {
        let block = self.current_block(run, node);
        self.begin(block, node);
        if let Some(body) = syntax::field(node, field::BODY) {
            self.tasks.push(DivisionTask::Statement { run, node: body });
        }
        if let Some(lock) = syntax::child_of_kind(node, kind::PARENTHESIZED_EXPRESSION) {
            let end = self.end(run, lock);
            self.add_part(block, lock);
            self.push([DivisionTask::Scan { block, node: lock }, end]);
        }
    }

    pub(super) fn opening(
        &self,
        kind: BlockKind,
        suffix: String,
        construct: SyntaxNode<'t>,
        anchor: Option<SyntaxNode<'t>>,
    ) -> Option<DivisionTask<'t>> {
        let anchor = anchor?;
        let content = BlockContent::statement(anchor);
        Some(DivisionTask::Open(BlockOpening { kind, suffix, construct, anchor, content }))
    }

    pub(super) fn header(
        &self,
        kind: BlockKind,
        suffix: String,
        construct: SyntaxNode<'t>,
        parts: Vec<SyntaxNode<'t>>,
    ) -> Option<DivisionTask<'t>> {
        let anchor = *parts.first()?;
        let content = BlockContent::parts(parts);
        Some(DivisionTask::Open(BlockOpening { kind, suffix, construct, anchor, content }))
    }

    /// Queues those of `tasks` that exist, in order, and the end of statement `node`.
    pub(super) fn push_structure<const N: usize>(
        &mut self,
        run: usize,
        node: SyntaxNode<'t>,
        tasks: [Option<DivisionTask<'t>>; N],
    ) {
        let end = self.end(run, node);
        self.tasks.push(end);
        self.tasks.extend(tasks.into_iter().rev().flatten());
    }

    /// Adds an expression that statement `node` evaluates in the block before it.
    pub(super) fn evaluate(
        &mut self,
        run: usize,
        node: SyntaxNode<'t>,
        part: Option<SyntaxNode<'t>>,
    ) -> Option<DivisionTask<'t>> {
        let block = self.current_block(run, node);
        let part = part?;
        self.begin(block, node);
        self.add_part(block, part);
        Some(DivisionTask::Scan { block, node: part })
    }

    pub(super) fn if_statement(&mut self, run: usize, node: SyntaxNode<'t>) {
        let scan = self.evaluate(run, node, syntax::field(node, field::CONDITION));
        let n = self.next_number("if");
        let then = syntax::field(node, field::CONSEQUENCE);
        let otherwise = syntax::field(node, field::ALTERNATIVE);
        let then = self.opening(BlockKind::Then, format!("if_{n}"), node, then);
        let otherwise = self.opening(BlockKind::Else, format!("else_{n}"), node, otherwise);
        self.push_structure(run, node, [scan, then, otherwise]);
    }

    pub(super) fn for_statement(&mut self, run: usize, node: SyntaxNode<'t>) {
        self.current_block(run, node);
        let n = self.next_number("for");
        let init = syntax::fields(node, field::INIT);
        let test = syntax::fields(node, field::CONDITION);
        let update = syntax::fields(node, field::UPDATE);
        let init = self.header(BlockKind::ForInit, format!("for_{n}.init"), node, init);
        let test = self.header(BlockKind::ForTest, format!("for_{n}.test"), node, test);
        let update = self.header(BlockKind::ForUpdate, format!("for_{n}.update"), node, update);
        let body = syntax::field(node, field::BODY);
        let body = self.opening(BlockKind::ForBody, format!("for_{n}"), node, body);
        self.push_structure(run, node, [init, test, update, body]);
    }

    pub(super) fn enhanced_for(&mut self, run: usize, node: SyntaxNode<'t>) {
        let scan = self.evaluate(run, node, syntax::field(node, field::VALUE));
        let n = self.next_number("foreach");
        let body = syntax::field(node, field::BODY);
        let body = self.opening(BlockKind::ForeachBody, format!("foreach_{n}"), node, body);
        self.push_structure(run, node, [scan, body]);
    }

    pub(super) fn while_statement(&mut self, run: usize, node: SyntaxNode<'t>) {
        self.current_block(run, node);
        let n = self.next_number("while");
        let test = syntax::fields(node, field::CONDITION);
        let test = self.header(BlockKind::WhileTest, format!("while_{n}.test"), node, test);
        let body = syntax::field(node, field::BODY);
        let body = self.opening(BlockKind::WhileBody, format!("while_{n}"), node, body);
        self.push_structure(run, node, [test, body]);
    }

    pub(super) fn do_statement(&mut self, run: usize, node: SyntaxNode<'t>) {
        self.current_block(run, node);
        let n = self.next_number("do");
        let body = syntax::field(node, field::BODY);
        let body = self.opening(BlockKind::DoBody, format!("do_{n}"), node, body);
        let test = syntax::fields(node, field::CONDITION);
        let test = self.header(BlockKind::DoTest, format!("do_{n}.test"), node, test);
        self.push_structure(run, node, [body, test]);
    }

    pub(super) fn switch_statement(&mut self, run: usize, node: SyntaxNode<'t>) {
        let scan = self.evaluate(run, node, syntax::field(node, field::CONDITION));
        let number = self.next_number("switch");
        let arms = DivisionTask::Arms { switch: node, number, is_value: false };
        self.push_structure(run, node, [scan, Some(arms)]);
    }

    pub(super) fn try_statement(&mut self, run: usize, node: SyntaxNode<'t>) {
        let block = self.current_block(run, node);
        let resources = syntax::field(node, field::RESOURCES);
        let resources: Vec<_> = resources
            .into_iter()
            .flat_map(|list| syntax::children_of_kind(list, kind::RESOURCE))
            .collect();
        let n = self.next_number("try");
        let end = self.end(run, node);
        self.tasks.push(end);
        self.tasks.extend(self.handlers(node, n).into_iter().rev());
        let body = syntax::field(node, field::BODY);
        self.tasks.extend(self.opening(BlockKind::TryBody, format!("try_{n}"), node, body));
        for resource in &resources {
            self.begin(block, node);
            self.add_part(block, *resource);
        }
        let scans = resources.into_iter().rev().map(|node| DivisionTask::Scan { block, node });
        self.tasks.extend(scans);
    }

    /// Returns the tasks for the `catch` and `finally` blocks of `try_N`.
    pub(super) fn handlers(&self, node: SyntaxNode<'t>, n: u32) -> Vec<DivisionTask<'t>> {
        let clauses = syntax::children_of_kind(node, kind::CATCH_CLAUSE);
        let mut tasks = Vec::new();
        for (index, clause) in clauses.into_iter().enumerate() {
            let suffix = format!("try_{n}.catch_{}", index + 1);
            let body = syntax::field(clause, field::BODY);
            tasks.extend(self.opening(BlockKind::Catch, suffix, clause, body));
        }
        if let Some(clause) = syntax::child_of_kind(node, kind::FINALLY_CLAUSE) {
            let body = syntax::child_of_kind(clause, kind::BLOCK);
            let suffix = format!("try_{n}.finally");
            tasks.extend(self.opening(BlockKind::Finally, suffix, clause, body));
        }
        tasks
    }
}
