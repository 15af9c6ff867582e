//! One unit -> its basic blocks: the division table of `docs/blocks.md`, as a list of
//! tasks instead of recursion.

use std::collections::HashMap;

use tree_sitter::Node;

use super::divide::{Found, FoundUnit};
use super::{Block, BlockKind, FileBlocks, Granularity, Unit, UnitIndex, UnitKind};
use crate::java::SourceFile;
use crate::java::syntax::{self, field, kind};

/// What a block begins with: expressions, then statements.
#[derive(Default)]
pub(super) struct Content<'t> {
    pub parts: Vec<Node<'t>>,
    pub statements: Vec<Node<'t>>,
}

impl<'t> Content<'t> {
    fn parts(parts: Vec<Node<'t>>) -> Content<'t> {
        Content { parts, statements: Vec::new() }
    }

    fn statement(statement: Node<'t>) -> Content<'t> {
        Content { parts: Vec::new(), statements: vec![statement] }
    }
}

/// Divides `unit`, appends it and its blocks to `blocks`, and returns the lambdas and
/// classes found in it, in source order.
pub(super) fn divide_unit<'t>(
    file: &'t SourceFile,
    granularity: Granularity,
    found: FoundUnit<'t>,
    blocks: &mut FileBlocks<'t>,
) -> Vec<Found<'t>> {
    let index = UnitIndex(u32::try_from(blocks.units.len()).expect("fewer than 2^32 units"));
    let FoundUnit { kind, class, name, node, anchor, content } = found;
    let entry = blocks.blocks.len();
    blocks.units.push(Unit { kind, class: class.clone(), name: name.clone(), node, entry });
    let mut flow = Flow {
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
    flow.open(Opening { kind, suffix: String::new(), construct: node, anchor, content });
    while let Some(task) = flow.tasks.pop() {
        flow.perform(task);
    }
    flow.finish(entry);
    flow.found
}

/// A block about to be opened.
struct Opening<'t> {
    kind: BlockKind,
    /// What follows the unit's name; empty for the entry.
    suffix: String,
    construct: Node<'t>,
    anchor: Node<'t>,
    content: Content<'t>,
}

/// Statements that follow one another; nested `{ }` belong to the run around them.
struct Run<'t> {
    /// The block that the next statement belongs to,
    block: usize,
    /// unless this statement ended it: then a continuation opens.
    ended_by: Option<Node<'t>>,
}

enum Task<'t> {
    Statement {
        run: usize,
        node: Node<'t>,
    },
    /// After a statement: the run's block ends if it opened blocks or jumped away.
    End {
        run: usize,
        node: Node<'t>,
        blocks_before: usize,
        jumped: bool,
    },
    /// After a labelled statement: the run's block ends if a `break` targets it.
    LabelEnd {
        run: usize,
        node: Node<'t>,
    },
    Open(Opening<'t>),
    /// Looks into an expression of `block` for lambdas, classes and blocks.
    Scan {
        block: usize,
        node: Node<'t>,
    },
    /// The arms of a `switch`.
    Arms {
        switch: Node<'t>,
        number: u32,
        is_value: bool,
    },
    /// The right operand of `&&` or `||`, or the arms of `?:`.
    Operands(Node<'t>),
}

struct Flow<'t, 'b> {
    file: &'t SourceFile,
    granularity: Granularity,
    unit: UnitIndex,
    name: String,
    class: String,
    blocks: &'b mut FileBlocks<'t>,
    runs: Vec<Run<'t>>,
    /// Labels in force, and whether a `break` targets them.
    labels: Vec<(&'t str, bool)>,
    counters: HashMap<&'static str, u32>,
    tasks: Vec<Task<'t>>,
    found: Vec<Found<'t>>,
}

impl<'t> Flow<'t, '_> {
    fn perform(&mut self, task: Task<'t>) {
        match task {
            Task::Statement { run, node } => self.statement(run, node),
            Task::End { run, node, blocks_before, jumped } => {
                if jumped || self.blocks.blocks.len() > blocks_before {
                    self.runs[run].ended_by = Some(node);
                }
            }
            Task::LabelEnd { run, node } => {
                if let Some((_, true)) = self.labels.pop() {
                    self.runs[run].ended_by = Some(node);
                }
            }
            Task::Open(opening) => self.open(opening),
            Task::Scan { block, node } => self.scan(block, node),
            Task::Arms { switch, number, is_value } => self.arms(switch, number, is_value),
            Task::Operands(node) => self.operands(node),
        }
    }

    /// Queues `tasks` so that the first is performed next.
    fn push<const N: usize>(&mut self, tasks: [Task<'t>; N]) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    /// The next number of `keyword` in this unit.
    fn next(&mut self, keyword: &'static str) -> u32 {
        let counter = self.counters.entry(keyword).or_insert(0);
        *counter += 1;
        *counter
    }

    fn open(&mut self, opening: Opening<'t>) {
        let Opening { kind, suffix, construct, anchor, content } = opening;
        let block = self.blocks.blocks.len();
        let name = match suffix.as_str() {
            "" => self.name.clone(),
            suffix => format!("{}.{suffix}", self.name),
        };
        let (unit, parts) = (self.unit, Vec::new());
        let empty =
            Block { unit, kind, name, construct, anchor, parts, start_line: 0, end_line: 0 };
        self.blocks.blocks.push(empty);
        let run = self.runs.len();
        self.runs.push(Run { block, ended_by: None });
        let statements = content.statements.into_iter().rev();
        self.tasks.extend(statements.map(|node| Task::Statement { run, node }));
        for part in content.parts.iter().rev() {
            self.tasks.push(Task::Scan { block, node: *part });
        }
        for part in content.parts {
            self.add_part(block, part);
        }
    }

    fn add_part(&mut self, block: usize, part: Node<'t>) {
        self.blocks.owner.insert(part.id(), block);
        self.begin(block, part);
        let block = &mut self.blocks.blocks[block];
        block.parts.push(part);
        block.end_line = syntax::last_line(part);
    }

    /// Notes that `node` is in `block`: the first one says where the block starts.
    fn begin(&mut self, block: usize, node: Node<'t>) {
        let block = &mut self.blocks.blocks[block];
        if block.start_line == 0 {
            block.start_line = syntax::first_line(node);
        }
    }

    /// The block that statement `node` belongs to; a continuation if one is due.
    fn current(&mut self, run: usize, node: Node<'t>) -> usize {
        if let Some(construct) = self.runs[run].ended_by.take() {
            let kind = BlockKind::Continuation;
            let suffix = format!("after_{}", self.next("after"));
            self.runs[run].block = self.blocks.blocks.len();
            let content = Content::default();
            self.open(Opening { kind, suffix, construct, anchor: node, content });
        }
        self.runs[run].block
    }

    fn statement(&mut self, run: usize, node: Node<'t>) {
        match node.kind() {
            kind::BLOCK | kind::CONSTRUCTOR_BODY => {
                let statements = syntax::statements(node).into_iter().rev();
                self.tasks.extend(statements.map(|node| Task::Statement { run, node }));
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
                let block = self.current(run, node);
                self.begin(block, node);
            }
            _ if syntax::is_type_declaration(node) => {
                self.current(run, node);
                self.found.extend(syntax::field(node, field::BODY).map(Found::Class));
            }
            kind::EXPRESSION_STATEMENT => match syntax::named_children(node).first() {
                // A statement, then `;`: the grammar can't tell.
                Some(switch) if switch.kind() == kind::SWITCH_EXPRESSION => {
                    let semicolon = syntax::child_of_kind(node, kind::SEMICOLON);
                    self.tasks.extend(semicolon.map(|node| Task::Statement { run, node }));
                    self.switch_statement(run, *switch);
                }
                _ => self.simple(run, node),
            },
            _ => self.simple(run, node),
        }
    }

    fn simple(&mut self, run: usize, node: Node<'t>) {
        let block = self.current(run, node);
        let jumped = matches!(
            node.kind(),
            kind::BREAK_STATEMENT
                | kind::CONTINUE_STATEMENT
                | kind::RETURN_STATEMENT
                | kind::THROW_STATEMENT
                | kind::YIELD_STATEMENT
        );
        if node.kind() == kind::BREAK_STATEMENT
            && let Some(label) = syntax::named_children(node).first()
        {
            let label = self.file.text_of(*label);
            let target = self.labels.iter_mut().rfind(|(name, _)| *name == label);
            target.into_iter().for_each(|(_, broken)| *broken = true);
        }
        self.add_part(block, node);
        let blocks_before = self.blocks.blocks.len();
        let end = Task::End { run, node, blocks_before, jumped };
        self.push([Task::Scan { block, node }, end]);
    }

    /// The end of a structured statement that is about to open its blocks.
    fn end(&self, run: usize, node: Node<'t>) -> Task<'t> {
        let blocks_before = self.blocks.blocks.len();
        Task::End { run, node, blocks_before, jumped: false }
    }

    fn labeled(&mut self, run: usize, node: Node<'t>) {
        self.current(run, node);
        let children = syntax::children(node);
        if let (Some(label), Some(body)) = (children.first(), children.get(2)) {
            self.labels.push((self.file.text_of(*label), false));
            self.push([Task::Statement { run, node: *body }, Task::LabelEnd { run, node }]);
        }
    }

    fn synchronized(&mut self, run: usize, node: Node<'t>) {
        let block = self.current(run, node);
        self.begin(block, node);
        if let Some(body) = syntax::field(node, field::BODY) {
            self.tasks.push(Task::Statement { run, node: body });
        }
        if let Some(lock) = syntax::child_of_kind(node, kind::PARENTHESIZED_EXPRESSION) {
            let end = self.end(run, lock);
            self.add_part(block, lock);
            self.push([Task::Scan { block, node: lock }, end]);
        }
    }

    fn opening(
        &self,
        kind: BlockKind,
        suffix: String,
        construct: Node<'t>,
        anchor: Option<Node<'t>>,
    ) -> Option<Task<'t>> {
        let anchor = anchor?;
        let content = Content::statement(anchor);
        Some(Task::Open(Opening { kind, suffix, construct, anchor, content }))
    }

    fn header(
        &self,
        kind: BlockKind,
        suffix: String,
        construct: Node<'t>,
        parts: Vec<Node<'t>>,
    ) -> Option<Task<'t>> {
        let anchor = *parts.first()?;
        let content = Content::parts(parts);
        Some(Task::Open(Opening { kind, suffix, construct, anchor, content }))
    }

    /// Queues what is there of `tasks`, in order, and the end of statement `node`.
    fn push_structure<const N: usize>(
        &mut self,
        run: usize,
        node: Node<'t>,
        tasks: [Option<Task<'t>>; N],
    ) {
        let end = self.end(run, node);
        self.tasks.push(end);
        self.tasks.extend(tasks.into_iter().rev().flatten());
    }

    /// Adds an expression that statement `node` evaluates in the block before it.
    fn evaluate(&mut self, run: usize, node: Node<'t>, part: Option<Node<'t>>) -> Option<Task<'t>> {
        let block = self.current(run, node);
        let part = part?;
        self.begin(block, node);
        self.add_part(block, part);
        Some(Task::Scan { block, node: part })
    }

    fn if_statement(&mut self, run: usize, node: Node<'t>) {
        let scan = self.evaluate(run, node, syntax::field(node, field::CONDITION));
        let n = self.next("if");
        let then = syntax::field(node, field::CONSEQUENCE);
        let otherwise = syntax::field(node, field::ALTERNATIVE);
        let then = self.opening(BlockKind::Then, format!("if_{n}"), node, then);
        let otherwise = self.opening(BlockKind::Else, format!("else_{n}"), node, otherwise);
        self.push_structure(run, node, [scan, then, otherwise]);
    }

    fn for_statement(&mut self, run: usize, node: Node<'t>) {
        self.current(run, node);
        let n = self.next("for");
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

    fn enhanced_for(&mut self, run: usize, node: Node<'t>) {
        let scan = self.evaluate(run, node, syntax::field(node, field::VALUE));
        let n = self.next("foreach");
        let body = syntax::field(node, field::BODY);
        let body = self.opening(BlockKind::ForeachBody, format!("foreach_{n}"), node, body);
        self.push_structure(run, node, [scan, body]);
    }

    fn while_statement(&mut self, run: usize, node: Node<'t>) {
        self.current(run, node);
        let n = self.next("while");
        let test = syntax::fields(node, field::CONDITION);
        let test = self.header(BlockKind::WhileTest, format!("while_{n}.test"), node, test);
        let body = syntax::field(node, field::BODY);
        let body = self.opening(BlockKind::WhileBody, format!("while_{n}"), node, body);
        self.push_structure(run, node, [test, body]);
    }

    fn do_statement(&mut self, run: usize, node: Node<'t>) {
        self.current(run, node);
        let n = self.next("do");
        let body = syntax::field(node, field::BODY);
        let body = self.opening(BlockKind::DoBody, format!("do_{n}"), node, body);
        let test = syntax::fields(node, field::CONDITION);
        let test = self.header(BlockKind::DoTest, format!("do_{n}.test"), node, test);
        self.push_structure(run, node, [body, test]);
    }

    fn switch_statement(&mut self, run: usize, node: Node<'t>) {
        let scan = self.evaluate(run, node, syntax::field(node, field::CONDITION));
        let number = self.next("switch");
        let arms = Task::Arms { switch: node, number, is_value: false };
        self.push_structure(run, node, [scan, Some(arms)]);
    }

    fn try_statement(&mut self, run: usize, node: Node<'t>) {
        let block = self.current(run, node);
        let resources = syntax::field(node, field::RESOURCES);
        let resources: Vec<_> = resources
            .into_iter()
            .flat_map(|list| syntax::children_of_kind(list, kind::RESOURCE))
            .collect();
        let n = self.next("try");
        let end = self.end(run, node);
        self.tasks.push(end);
        self.tasks.extend(self.handlers(node, n).into_iter().rev());
        let body = syntax::field(node, field::BODY);
        self.tasks.extend(self.opening(BlockKind::TryBody, format!("try_{n}"), node, body));
        for resource in &resources {
            self.begin(block, node);
            self.add_part(block, *resource);
        }
        let scans = resources.into_iter().rev().map(|node| Task::Scan { block, node });
        self.tasks.extend(scans);
    }

    /// The `catch` and `finally` blocks of `try_N`.
    fn handlers(&self, node: Node<'t>, n: u32) -> Vec<Task<'t>> {
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

    /// One block per group of statements or arrow arm; labels without statements of
    /// their own go with the next ones.
    fn arms(&mut self, switch: Node<'t>, number: u32, is_value: bool) {
        let Some(body) = syntax::field(switch, field::BODY) else { return };
        let mut tests = Vec::new();
        let mut openings = Vec::new();
        for arm in syntax::named_children(body) {
            let (labels, rest) = split_arm(arm);
            tests.extend(labels.into_iter().flat_map(label_tests));
            if rest.is_empty() {
                continue;
            }
            let mut content = Content { parts: std::mem::take(&mut tests), statements: rest };
            if is_value && arm.kind() == kind::SWITCH_RULE {
                content = value_of_rule(content);
            }
            let (kind, construct) = (BlockKind::SwitchCase, switch);
            let suffix = format!("switch_{number}.case_{}", openings.len() + 1);
            let opening = Opening { kind, suffix, construct, anchor: arm, content };
            openings.push(Task::Open(opening));
        }
        if is_value && !openings.is_empty() {
            self.blocks.owner.insert(body.id(), self.blocks.blocks.len());
        }
        self.tasks.extend(openings.into_iter().rev());
    }

    fn scan(&mut self, block: usize, node: Node<'t>) {
        match node.kind() {
            kind::LAMBDA_EXPRESSION => self.lambda(node),
            kind::CLASS_BODY => self.found.push(Found::Class(node)),
            kind::SWITCH_EXPRESSION => {
                let number = self.next("switch");
                let arms = Task::Arms { switch: node, number, is_value: true };
                self.tasks.push(arms);
                let selector = syntax::field(node, field::CONDITION);
                self.tasks.extend(selector.map(|node| Task::Scan { block, node }));
            }
            kind::BINARY_EXPRESSION | kind::TERNARY_EXPRESSION if self.splits(node) => {
                let first = if node.kind() == kind::BINARY_EXPRESSION {
                    field::LEFT
                } else {
                    field::CONDITION
                };
                self.tasks.push(Task::Operands(node));
                let first = syntax::field(node, first);
                self.tasks.extend(first.map(|node| Task::Scan { block, node }));
            }
            _ => {
                let children = syntax::named_children(node).into_iter().rev();
                self.tasks.extend(children.map(|node| Task::Scan { block, node }));
            }
        }
    }

    fn splits(&self, node: Node<'t>) -> bool {
        self.granularity == Granularity::Expression
            && (node.kind() == kind::TERNARY_EXPRESSION
                || matches!(syntax::operator(node), Some("&&" | "||")))
    }

    fn operands(&mut self, node: Node<'t>) {
        if node.kind() == kind::BINARY_EXPRESSION {
            let (kind, word) = match syntax::operator(node) {
                Some("&&") => (BlockKind::AndRight, "and"),
                _ => (BlockKind::OrRight, "or"),
            };
            let suffix = format!("{word}_{}", self.next(word));
            let right = syntax::fields(node, field::RIGHT);
            self.tasks.extend(self.header(kind, suffix, node, right));
        } else {
            let n = self.next("cond");
            let (yes, no) = (BlockKind::ConditionalTrue, BlockKind::ConditionalFalse);
            let arm = |name| syntax::fields(node, name);
            let yes = self.header(yes, format!("cond_{n}.true"), node, arm(field::CONSEQUENCE));
            let no = self.header(no, format!("cond_{n}.false"), node, arm(field::ALTERNATIVE));
            self.tasks.extend([no, yes].into_iter().flatten());
        }
    }

    fn lambda(&mut self, node: Node<'t>) {
        let n = self.next("lambda");
        let name = format!("{}.lambda_{n}", self.name);
        let Some(body) = syntax::field(node, field::BODY) else { return };
        let content = match body.kind() {
            kind::BLOCK => Content::statement(body),
            _ => Content::parts(vec![body]),
        };
        let (kind, class, anchor) = (UnitKind::Lambda, self.class.clone(), body);
        self.found.push(Found::Unit(FoundUnit { kind, class, name, node, anchor, content }));
    }

    /// Gives blocks without statements the line of what they begin at.
    fn finish(&mut self, entry: usize) {
        for block in &mut self.blocks.blocks[entry..] {
            if block.start_line == 0 {
                block.start_line = syntax::first_line(block.anchor);
            }
            block.end_line = block.end_line.max(block.start_line);
        }
    }
}

/// The labels of a `switch` group or rule, and its statements.
fn split_arm(arm: Node<'_>) -> (Vec<Node<'_>>, Vec<Node<'_>>) {
    let (labels, rest): (Vec<_>, Vec<_>) =
        syntax::children(arm).into_iter().partition(|n| n.kind() == kind::SWITCH_LABEL);
    (labels, rest.into_iter().filter(|n| !matches!(n.kind(), ":" | "->")).collect())
}

/// What a label evaluates: its patterns and its guard; constants are nothing.
fn label_tests(label: Node<'_>) -> Vec<Node<'_>> {
    let mut tests = syntax::children_of_kind(label, kind::PATTERN);
    tests.extend(syntax::children_of_kind(label, kind::GUARD));
    tests
}

/// `case X -> e;` of a `switch` that has a value: `e` is no statement.
fn value_of_rule(mut content: Content<'_>) -> Content<'_> {
    if let [statement] = content.statements[..]
        && statement.kind() == kind::EXPRESSION_STATEMENT
    {
        content.parts.extend(syntax::named_children(statement));
        content.statements.clear();
    }
    content
}
