//! Walk over the statements of a file that follows control from block to block.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::flow::{BlockFlow, FlowLoop, FlowStep, end_point, start_point};
use super::junctions::{Junctions, Point};
use super::quiet_code::QuietCode;
use crate::blocks::{BlockKind, FileBlocks, UnitKind};
use crate::instrument::constant_value::evaluate_constant;
use crate::instrument::declared_names::DeclaredNames;
use crate::java::syntax::{self, field, kind};
use crate::java::{NodeId, SourceFile, SyntaxNode};

/// Deepest nesting of statements that is followed.
const DEPTH_MAX: usize = 100;

/// Follows control in all methods, constructors and lambdas but those with blocks of `skip`.
pub(super) fn follow_file<'a, 't>(
    file: &'t SourceFile,
    blocks: &'a FileBlocks,
    facts: &DeclaredNames<'t>,
    skip: &BTreeSet<usize>,
) -> BlockFlow<'a> {
    let count = blocks.blocks.len();
    let mut flow = BlockFlow::of(blocks);
    for (number, unit) in blocks.units.iter().enumerate() {
        let next = blocks.units.get(number + 1).map_or(count, |unit| unit.entry);
        let is_code =
            matches!(unit.kind, UnitKind::Method | UnitKind::Constructor | UnitKind::Lambda);
        if is_code
            && next > unit.entry + 1
            && !file.node(unit.node).has_error()
            && skip.range(unit.entry..next).next().is_none()
        {
            follow_unit(&mut flow, (file, facts), unit.entry, next);
        }
    }
    for block in 0..count {
        if flow.steps[block].is_none() {
            flow.junctions.join(start_point(block), Junctions::OUT);
            flow.junctions.join(end_point(block), Junctions::OUT);
        }
    }
    flow
}

/// Follows control in the unit whose blocks are those from `entry` to before `next`.
fn follow_unit<'t>(
    flow: &mut BlockFlow<'_>,
    (file, facts): (&'t SourceFile, &DeclaredNames<'t>),
    entry: usize,
    next: usize,
) {
    let blocks = flow.blocks;
    let unit = blocks.unit_of(&blocks.blocks[entry]);
    let body = file.node(blocks.blocks[entry].anchor);
    let mut continuations = HashMap::new();
    let mut openings = HashMap::new();
    for index in entry + 1..next {
        let block = &blocks.blocks[index];
        let of_kind = match block.kind {
            BlockKind::Continuation => &mut continuations,
            _ => &mut openings,
        };
        of_kind.insert(block.anchor, index);
    }
    let quiet = QuietCode::of_unit(file, file.node(unit.node), HashSet::new());
    let loops = flow.loops.len();
    let mut walk = FlowWalk {
        file,
        facts,
        quiet,
        continuations,
        openings,
        flow,
        targets: Vec::new(),
        loops: 0,
        branches: 0,
        depth: 0,
        lost: false,
    };
    let at = walk.open(entry, Junctions::OUT);
    let at = walk.statement(body, at);
    let lost = walk.lost;
    flow.junctions.join(at, Junctions::OUT);
    if lost {
        flow.loops.truncate(loops);
        flow.steps[entry..next].fill(None);
    }
}

/// Target of `break` and `continue`, with its points.
struct JumpTarget<'t> {
    label: Option<&'t str>,
    /// Point after a loop, a `switch` or a labelled statement.
    break_to: Point,
    /// Point of the next iteration; of loops alone.
    continue_to: Option<Point>,
    /// Whether code runs on the way to it, as `finally` does.
    is_barrier: bool,
}

struct FlowWalk<'f, 'a, 't> {
    file: &'t SourceFile,
    facts: &'f DeclaredNames<'t>,
    quiet: QuietCode<'t>,
    /// Continuation blocks by the node that they begin at.
    continuations: HashMap<NodeId, usize>,
    openings: HashMap<NodeId, usize>,
    flow: &'f mut BlockFlow<'a>,
    targets: Vec<JumpTarget<'t>>,
    loops: u32,
    branches: u32,
    depth: usize,
    /// Whether the unit is nested too deeply to be followed.
    lost: bool,
}

impl<'t> FlowWalk<'_, '_, 't> {
    fn add_point(&mut self) -> Point {
        self.flow.junctions.add_point()
    }

    fn join(&mut self, a: Point, b: Point) {
        self.flow.junctions.join(a, b);
    }

    /// Enters block `index` from `from`; returns the point where it ends.
    fn open(&mut self, index: usize, from: Point) -> Point {
        let block = &self.flow.blocks.blocks[index];
        let is_constant =
            matches!(block.kind, BlockKind::ForTest | BlockKind::WhileTest | BlockKind::DoTest)
                && evaluate_constant(self.file, self.facts, self.file.node(block.anchor)).is_some();
        let mut parts = block.parts.iter().map(|part| self.file.node(*part));
        let completes = parts.all(|part| self.quiet.is_quiet_part(self.file, part));
        let may_throw = !completes && !is_constant;
        self.flow.steps[index] =
            Some(FlowStep { may_throw, loops: self.loops, branches: self.branches });
        self.join(start_point(index), from);
        end_point(index)
    }

    /// Enters the block that begins at `node`, if there is one; returns the point where it ends.
    fn open_at(&mut self, node: Option<SyntaxNode<'t>>, from: Point) -> Point {
        match node.and_then(|node| self.openings.get(&node.id()).copied()) {
            Some(index) => self.open(index, from),
            None => from,
        }
    }

    /// Follows a branch from `from`, in a block of its own; returns the point where it ends.
    fn branch(&mut self, node: Option<SyntaxNode<'t>>, from: Point) -> Point {
        let Some(node) = node else { return from };
        self.branches += 1;
        let at = self.open_at(Some(node), from);
        let at = self.statement(node, at);
        self.branches -= 1;
        at
    }

    /// Follows a statement from `at`; returns the point where it ends.
    fn statement(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        if self.depth == DEPTH_MAX {
            self.lost = true;
            return at;
        }
        self.depth += 1;
        let at = match self.continuations.get(&node.id()).copied() {
            Some(index) => self.open(index, at),
            None => at,
        };
        let end = self.followed(node, at);
        self.depth -= 1;
        end
    }

    fn followed(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        match node.kind() {
            kind::BLOCK | kind::CONSTRUCTOR_BODY => {
                let statements = syntax::statements(node);
                statements.into_iter().fold(at, |at, statement| self.statement(statement, at))
            }
            kind::LABELED_STATEMENT => self.labeled(node, at),
            kind::IF_STATEMENT => {
                let then = self.branch(syntax::field(node, field::CONSEQUENCE), at);
                let otherwise = self.branch(syntax::field(node, field::ALTERNATIVE), at);
                self.join(then, otherwise);
                then
            }
            kind::FOR_STATEMENT | kind::WHILE_STATEMENT => self.loop_with_test_first(node, at),
            kind::DO_STATEMENT => self.do_statement(node, at),
            kind::ENHANCED_FOR_STATEMENT => self.enhanced_for(node, at),
            kind::SWITCH_EXPRESSION => self.switch(node, at),
            kind::TRY_STATEMENT | kind::TRY_WITH_RESOURCES_STATEMENT => {
                self.try_statement(node, at)
            }
            kind::SYNCHRONIZED_STATEMENT => {
                let body = syntax::field(node, field::BODY);
                let at = self.outside(at);
                let end = body.map_or(at, |body| self.statement(body, at));
                self.outside(end)
            }
            kind::ASSERT_STATEMENT => self.outside(at),
            kind::BREAK_STATEMENT | kind::CONTINUE_STATEMENT => self.jump(node, at),
            kind::RETURN_STATEMENT | kind::THROW_STATEMENT | kind::YIELD_STATEMENT => {
                self.outside(at);
                self.add_point()
            }
            kind::EXPRESSION_STATEMENT => {
                // A `switch` with what the grammar takes for its semicolon.
                let children = syntax::children(node);
                let is_switch = |child: &SyntaxNode<'t>| child.kind() == kind::SWITCH_EXPRESSION;
                match children.first().is_some_and(is_switch) {
                    true => children.into_iter().fold(at, |at, child| self.statement(child, at)),
                    false => at,
                }
            }
            _ => at,
        }
    }

    /// Joins `at` to the outside, since the number of executions from here on is unknown; returns
    /// [`Junctions::OUT`].
    fn outside(&mut self, at: Point) -> Point {
        self.join(at, Junctions::OUT);
        Junctions::OUT
    }

    fn labeled(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        let children = syntax::children(node);
        let (Some(label), Some(body)) = (children.first(), children.get(2)) else { return at };
        let after = self.add_point();
        let label = Some(self.file.text_of(*label));
        self.targets.push(JumpTarget {
            label,
            break_to: after,
            continue_to: None,
            is_barrier: false,
        });
        let end = self.statement(*body, at);
        self.targets.pop();
        self.join(end, after);
        after
    }

    /// Follows a `break` or `continue` to its target, or to the outside; returns a new point for the
    /// unreachable code after it.
    fn jump(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        let label = syntax::named_children(node).first().map(|label| self.file.text_of(*label));
        let is_break = node.kind() == kind::BREAK_STATEMENT;
        let mut to = Junctions::OUT;
        let mut crosses_barrier = false;
        for target in self.targets.iter().rev() {
            crosses_barrier |= target.is_barrier;
            let is_meant = match (label, is_break) {
                (Some(_), _) => target.label == label,
                (None, true) => target.label.is_none() && !target.is_barrier,
                (None, false) => target.continue_to.is_some() && !target.is_barrier,
            };
            if is_meant {
                to = match is_break {
                    true => target.break_to,
                    false => target.continue_to.unwrap_or(Junctions::OUT),
                };
                break;
            }
        }
        self.join(at, to);
        if crosses_barrier {
            self.outside(at);
        }
        self.add_point()
    }

    /// Follows the body of a loop, which `node` is, from `from`; a `continue` goes to `next`.
    fn body(&mut self, node: SyntaxNode<'t>, from: Point, after: Point, next: Point) {
        // Labels before the loop are its own.
        let mut own = self.targets.len();
        while own > 0 && self.labels(node).contains(&self.targets[own - 1].label) {
            own -= 1;
            self.targets[own].continue_to = Some(next);
        }
        let plain =
            JumpTarget { label: None, break_to: after, continue_to: Some(next), is_barrier: false };
        self.targets.push(plain);
        let body = syntax::field(node, field::BODY);
        let at = self.open_at(body, from);
        let end = body.map_or(at, |body| self.statement(body, at));
        self.join(end, next);
        self.targets.pop();
    }

    /// Returns the labels right before a statement.
    fn labels(&self, node: SyntaxNode<'t>) -> Vec<Option<&'t str>> {
        let mut labels = Vec::new();
        let mut here = node;
        while let Some(parent) = here.parent()
            && parent.kind() == kind::LABELED_STATEMENT
        {
            labels.extend(syntax::children(parent).first().map(|l| Some(self.file.text_of(*l))));
            here = parent;
        }
        labels
    }

    fn loop_with_test_first(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        let inner = self.flow.loops.len();
        let at = self.open_at(syntax::field(node, field::INIT), at);
        let (head, next, after) = (self.add_point(), self.add_point(), self.add_point());
        self.join(at, head);
        self.loops += 1;
        let test = syntax::field(node, field::CONDITION);
        let tested = self.open_at(test, head);
        if test.is_some() {
            self.join(tested, after);
        }
        self.body(node, tested, after, next);
        let updated = self.open_at(syntax::field(node, field::UPDATE), next);
        self.join(updated, head);
        self.loops -= 1;
        self.flow.loops.push(FlowLoop { passes: [next, head, tested], after, inner });
        after
    }

    fn do_statement(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        let inner = self.flow.loops.len();
        let (head, next, after) = (self.add_point(), self.add_point(), self.add_point());
        self.join(at, head);
        self.loops += 1;
        self.body(node, head, after, next);
        let tested = self.open_at(syntax::field(node, field::CONDITION), next);
        self.join(tested, head);
        self.join(tested, after);
        self.loops -= 1;
        self.flow.loops.push(FlowLoop { passes: [next, head, tested], after, inner });
        after
    }

    /// Follows an enhanced `for`; the iterator's code between two iterations is unknown.
    fn enhanced_for(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        self.outside(at);
        self.loops += 1;
        self.body(node, Junctions::OUT, Junctions::OUT, Junctions::OUT);
        self.loops -= 1;
        Junctions::OUT
    }

    fn switch(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        let after = self.add_point();
        let target =
            JumpTarget { label: None, break_to: after, continue_to: None, is_barrier: false };
        self.targets.push(target);
        self.branches += 1;
        let body = syntax::field(node, field::BODY);
        let mut has_default = false;
        let mut before = None;
        for arm in body.map(syntax::named_children).unwrap_or_default() {
            let (labels, rest): (Vec<_>, Vec<_>) = syntax::children(arm)
                .into_iter()
                .filter(|child| !matches!(child.kind(), kind::COLON | kind::ARROW))
                .partition(|child| child.kind() == kind::SWITCH_LABEL);
            for part in labels.into_iter().flat_map(syntax::children) {
                has_default |= part.kind_name() == "default";
                // Tests may throw, and those of arms before this one run too.
                if matches!(part.kind(), kind::PATTERN | kind::GUARD) {
                    self.outside(at);
                }
            }
            let falls_through = arm.kind() == kind::SWITCH_GROUP;
            if let Some(before) = before.filter(|_| falls_through) {
                self.join(before, at);
            }
            let from = self.open_at(Some(arm), at);
            let end = rest.into_iter().fold(from, |at, statement| self.statement(statement, at));
            match falls_through {
                true => before = Some(end),
                false => self.join(end, after),
            }
        }
        if let Some(before) = before {
            self.join(before, after);
        }
        if !has_default {
            self.join(at, after);
        }
        self.branches -= 1;
        self.targets.pop();
        after
    }

    fn try_statement(&mut self, node: SyntaxNode<'t>, at: Point) -> Point {
        let after = self.add_point();
        let finally = syntax::child_of_kind(node, kind::FINALLY_CLAUSE);
        let has_end = finally.is_some() || syntax::field(node, field::RESOURCES).is_some();
        if has_end {
            let barrier =
                JumpTarget { label: None, break_to: after, continue_to: None, is_barrier: true };
            self.targets.push(barrier);
            self.outside(after);
        }
        let body = syntax::field(node, field::BODY);
        let from = self.open_at(body, at);
        let end = body.map_or(from, |body| self.statement(body, from));
        self.join(end, after);
        for clause in syntax::children_of_kind(node, kind::CATCH_CLAUSE) {
            let end = self.branch(syntax::field(clause, field::BODY), Junctions::OUT);
            self.join(end, after);
        }
        if has_end {
            self.targets.pop();
        }
        if let Some(body) = finally.and_then(|clause| syntax::child_of_kind(clause, kind::BLOCK)) {
            let end = self.branch(Some(body), Junctions::OUT);
            self.outside(end);
        }
        after
    }
}
