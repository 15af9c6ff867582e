//! Division of one unit into basic blocks: the division table of `docs/internals/blocks.md`, with a list
//! of tasks instead of recursion.

mod expressions;
mod statements;

use std::collections::HashMap;

use crate::java::SyntaxNode;

use super::undivided_code::{BlockContent, PendingUnit, UndividedCode};
use super::{Block, BlockKind, BodyUnit, FileBlocks, Granularity, UnitIndex};
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// Divides the unit `found`, appends it and its blocks to `blocks`, and returns the lambdas and
/// classes in it, in source order.
pub(super) fn divide_unit<'t>(
    file: &'t SourceFile,
    granularity: Granularity,
    found: PendingUnit<'t>,
    blocks: &mut FileBlocks,
) -> Vec<UndividedCode<'t>> {
    let index = UnitIndex(u32::try_from(blocks.units.len()).expect("fewer than 2^32 units"));
    let PendingUnit { kind, class, name, node, anchor, content } = found;
    let entry = blocks.blocks.len();
    let unit = BodyUnit { kind, class: class.clone(), name: name.clone(), node: node.id(), entry };
    blocks.units.push(unit);
    let mut flow = FlowDivision {
        file,
        granularity,
        unit: index,
        name,
        class,
        blocks,
        runs: Vec::new(),
        labels: Vec::new(),
        counters: HashMap::new(),
        tasks: Vec::new(),
        found: Vec::new(),
    };
    let kind = BlockKind::Entry;
    flow.open(BlockOpening { kind, suffix: String::new(), construct: node, anchor, content });
    while let Some(task) = flow.tasks.pop() {
        flow.perform(task);
    }
    flow.finish(entry);
    flow.found
}

/// Block that is to be opened, with its kind, name and content.
struct BlockOpening<'t> {
    kind: BlockKind,
    /// Part of the block's name after the unit's; empty for the entry.
    suffix: String,
    construct: SyntaxNode<'t>,
    anchor: SyntaxNode<'t>,
    content: BlockContent<'t>,
}

/// Run of statements that follow one another; nested `{ }` belong to the run around them.
struct StatementRun<'t> {
    /// Block of the next statement, unless [`ended_by`](Self::ended_by) is set.
    block: usize,
    /// Statement that ended the block, so that the next one opens a continuation.
    ended_by: Option<SyntaxNode<'t>>,
}

enum DivisionTask<'t> {
    Statement {
        run: usize,
        node: SyntaxNode<'t>,
    },
    /// After a statement: ends the run's block if the statement opened blocks or jumped away.
    End {
        run: usize,
        node: SyntaxNode<'t>,
        blocks_before: usize,
        jumped: bool,
    },
    /// After a labelled statement: ends the run's block if a `break` targets the label.
    LabelEnd {
        run: usize,
        node: SyntaxNode<'t>,
    },
    Open(BlockOpening<'t>),
    /// Searches an expression of `block` for lambdas, classes and blocks.
    Scan {
        block: usize,
        node: SyntaxNode<'t>,
    },
    /// The arms of a `switch`.
    Arms {
        switch: SyntaxNode<'t>,
        number: u32,
        is_value: bool,
    },
    /// The right operand of `&&` or `||`, or the arms of `?:`.
    Operands(SyntaxNode<'t>),
}

struct FlowDivision<'t, 'b> {
    file: &'t SourceFile,
    granularity: Granularity,
    unit: UnitIndex,
    name: String,
    class: String,
    blocks: &'b mut FileBlocks,
    runs: Vec<StatementRun<'t>>,
    /// Labels of the enclosing statements, and whether a `break` targets them.
    labels: Vec<(&'t str, bool)>,
    counters: HashMap<&'static str, u32>,
    tasks: Vec<DivisionTask<'t>>,
    found: Vec<UndividedCode<'t>>,
}

impl<'t> FlowDivision<'t, '_> {
    fn perform(&mut self, task: DivisionTask<'t>) {
        match task {
            DivisionTask::Statement { run, node } => self.statement(run, node),
            DivisionTask::End { run, node, blocks_before, jumped } => {
                if jumped || self.blocks.blocks.len() > blocks_before {
                    self.runs[run].ended_by = Some(node);
                }
            }
            DivisionTask::LabelEnd { run, node } => {
                if let Some((_, true)) = self.labels.pop() {
                    self.runs[run].ended_by = Some(node);
                }
            }
            DivisionTask::Open(opening) => self.open(opening),
            DivisionTask::Scan { block, node } => self.scan(block, node),
            DivisionTask::Arms { switch, number, is_value } => self.arms(switch, number, is_value),
            DivisionTask::Operands(node) => self.operands(node),
        }
    }

    /// Queues `tasks`, the first to be performed next.
    fn push<const N: usize>(&mut self, tasks: [DivisionTask<'t>; N]) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// Returns the next number of `keyword` in this unit.
    fn next_number(&mut self, keyword: &'static str) -> u32 {
        let counter = self.counters.entry(keyword).or_insert(0);
        *counter += 1;
        *counter
    }

    fn open(&mut self, opening: BlockOpening<'t>) {
        let BlockOpening { kind, suffix, construct, anchor, content } = opening;
        let block = self.blocks.blocks.len();
        let name = match suffix.as_str() {
            "" => self.name.clone(),
            suffix => format!("{}.{suffix}", self.name),
        };
        self.blocks.blocks.push(Block {
            unit: self.unit,
            kind,
            name,
            construct: construct.id(),
            anchor: anchor.id(),
            parts: Vec::new(),
            start_line: 0,
            end_line: 0,
            removable: false,
        });
        let run = self.runs.len();
        self.runs.push(StatementRun { block, ended_by: None });
        let statements = content.statements.into_iter().rev();
        self.tasks.extend(statements.map(|node| DivisionTask::Statement { run, node }));
        for part in content.parts.iter().rev() {
            self.tasks.push(DivisionTask::Scan { block, node: *part });
        }
        for part in content.parts {
            self.add_part(block, part);
        }
    }

    fn add_part(&mut self, block: usize, part: SyntaxNode<'t>) {
        self.blocks.owners.add(part.id(), block);
        self.begin(block, part);
        let block = &mut self.blocks.blocks[block];
        block.parts.push(part.id());
        block.end_line = self.file.last_line(part);
    }

    /// Notes that `node` is in `block`; the first one determines the block's start line.
    fn begin(&mut self, block: usize, node: SyntaxNode<'t>) {
        let block = &mut self.blocks.blocks[block];
        if block.start_line == 0 {
            block.start_line = node.line();
        }
    }

    /// Returns the block of statement `node`, opening a continuation if one is due.
    fn current_block(&mut self, run: usize, node: SyntaxNode<'t>) -> usize {
        if let Some(construct) = self.runs[run].ended_by.take() {
            let kind = BlockKind::Continuation;
            let suffix = format!("after_{}", self.next_number("after"));
            self.runs[run].block = self.blocks.blocks.len();
            let content = BlockContent::default();
            self.open(BlockOpening { kind, suffix, construct, anchor: node, content });
        }
        self.runs[run].block
    }

    fn statement(&mut self, run: usize, node: SyntaxNode<'t>) {
        match syntax::kind_of(node) {
            kind::BLOCK | kind::CONSTRUCTOR_BODY => {
                let statements = syntax::statements(node).into_iter().rev();
                self.tasks.extend(statements.map(|node| DivisionTask::Statement { run, node }));
            }
            kind::LABELED_STATEMENT => self.labeled(run, node),
            kind::SYNCHRONIZED_STATEMENT => self.synchronized(run, node),
            kind::IF_STATEMENT => self.if_statement(run, node),
            kind::FOR_STATEMENT => self.for_statement(run, node),
            kind::ENHANCED_FOR_STATEMENT => self.enhanced_for(run, node),
            kind::WHILE_STATEMENT => self.while_statement(run, node),
            kind::DO_STATEMENT => self.do_statement(run, node),
            kind::SWITCH_EXPRESSION => self.switch_statement(run, node),
            kind::TRY_STATEMENT | kind::TRY_WITH_RESOURCES_STATEMENT => {
                self.try_statement(run, node);
            }
            kind::SEMICOLON | kind::ASSERT_STATEMENT => {
                let block = self.current_block(run, node);
                self.begin(block, node);
            }
            _ if syntax::is_type_declaration(node) => {
                self.current_block(run, node);
                self.found.extend(syntax::field(node, field::BODY).map(UndividedCode::Class));
            }
            kind::EXPRESSION_STATEMENT => match syntax::named_children(node).first() {
                // A statement, then `;`: the grammar can't tell.
                Some(switch) if syntax::kind_of(switch) == kind::SWITCH_EXPRESSION => {
                    let semicolon = syntax::child_of_kind(node, kind::SEMICOLON);
                    self.tasks.extend(semicolon.map(|node| DivisionTask::Statement { run, node }));
                    self.switch_statement(run, *switch);
                }
                _ => self.simple(run, node),
            },
            _ => self.simple(run, node),
        }
    }

    fn simple(&mut self, run: usize, node: SyntaxNode<'t>) {
        let block = self.current_block(run, node);
        let jumped = matches!(
            syntax::kind_of(node),
            kind::BREAK_STATEMENT
                | kind::CONTINUE_STATEMENT
                | kind::RETURN_STATEMENT
                | kind::THROW_STATEMENT
                | kind::YIELD_STATEMENT
        );
        if syntax::kind_of(node) == kind::BREAK_STATEMENT
            && let Some(label) = syntax::named_children(node).first()
        {
            let label = self.file.text_of(*label);
            let target = self.labels.iter_mut().rfind(|(name, _)| *name == label);
            target.into_iter().for_each(|(_, broken)| *broken = true);
        }
        self.add_part(block, node);
        let blocks_before = self.blocks.blocks.len();
        let end = DivisionTask::End { run, node, blocks_before, jumped };
        self.push([DivisionTask::Scan { block, node }, end]);
    }

    /// Gives blocks without statements the line of their anchor.
    fn finish(&mut self, entry: usize) {
        for block in &mut self.blocks.blocks[entry..] {
            if block.start_line == 0 {
                block.start_line = self.file.node(block.anchor).line();
            }
            block.end_line = block.end_line.max(block.start_line);
        }
    }
}
