//! Where control goes between the blocks of a file: which of the points where blocks
//! start and end are one junction.

use std::collections::{BTreeSet, HashSet};

use super::junctions::{Junctions, Point};
use super::sums::Derived;
use super::tree::{self, Edge};
use crate::blocks::{BlockKind, FileBlocks};

/// How much it is worth that a block has no probe: loops around it, fewer branches
/// around it, and how much its probe would stand in the way.
type Weight = (u32, std::cmp::Reverse<u32>, u32);

/// The blocks of a file and the junctions between them.
pub(crate) struct BlockFlow<'a> {
    pub(super) blocks: &'a FileBlocks,
    pub(super) junctions: Junctions,
    /// For each block; none where its unit isn't followed.
    pub(super) steps: Vec<Option<FlowStep>>,
    /// All loops, inner ones before outer ones.
    pub(super) loops: Vec<FlowLoop>,
}

/// What is known of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowStep {
    pub may_throw: bool,
    /// Loops around it,
    pub loops: u32,
    /// and branches.
    pub branches: u32,
}

/// A loop that was followed.
#[derive(Debug, Clone)]
pub(super) struct FlowLoop {
    /// Points that each of its rounds passes, the end of its body first.
    pub passes: [Point; 3],
    /// Where it ends.
    pub after: Point,
    /// Number of the first loop inside; those up to this one are.
    pub inner: usize,
}

/// Where the block `index` starts,
pub(super) fn start(index: usize) -> Point {
    1 + 2 * index
}

/// and where it ends.
pub(super) fn end(index: usize) -> Point {
    2 + 2 * index
}

impl<'a> BlockFlow<'a> {
    /// Nothing is followed yet.
    pub(super) fn of(blocks: &'a FileBlocks) -> BlockFlow<'a> {
        let count = blocks.blocks.len();
        BlockFlow {
            blocks,
            junctions: Junctions::new(2 * count),
            steps: vec![None; count],
            loops: Vec::new(),
        }
    }

    /// Whether it is known where control comes from and goes to.
    pub(crate) fn is_followed(&self, block: usize) -> bool {
        self.steps[block].is_some()
    }

    /// Whether an exception may leave it, or it may call or wait.
    pub(crate) fn may_throw(&self, block: usize) -> bool {
        self.steps[block].is_none_or(|step| step.may_throw)
    }

    /// The blocks that follow from others, if the exceptions that leave those of `counted`
    /// are counted.
    pub fn derive(&mut self, counted: &BTreeSet<usize>) -> Derived {
        for block in 0..self.steps.len() {
            if self.may_throw(block) && !counted.contains(&block) {
                self.junctions.join(end(block), Junctions::OUT);
            }
        }
        self.cut_loops();
        let edge = |block: usize| {
            let step = self.steps[block]?;
            let kind = self.blocks.blocks[block].kind;
            let in_the_way = match kind {
                BlockKind::ForTest | BlockKind::WhileTest | BlockKind::DoTest => 3,
                BlockKind::ForUpdate => 2,
                BlockKind::ForInit => 1,
                _ => 0,
            };
            let weight = (step.loops, std::cmp::Reverse(step.branches), in_the_way);
            Some(Edge {
                block,
                start: start(block),
                end: end(block),
                throws: step.may_throw && counted.contains(&block),
                // At its probe the stack may overflow: then nothing of the unit has run.
                weight: (kind != BlockKind::Entry).then_some(weight),
            })
        };
        let edges: Vec<Edge<Weight>> = (0..self.steps.len()).filter_map(edge).collect();
        tree::derive(edges, &mut self.junctions)
    }

    /// Each round of a loop passes the outside, so that a thread that stays in a loop for
    /// ever has no part in what is known of the blocks around it: best where no inner
    /// loop ends, as there its end is needed.
    fn cut_loops(&mut self) {
        for number in 0..self.loops.len() {
            let FlowLoop { passes, inner, .. } = self.loops[number].clone();
            let ends: HashSet<Point> =
                (inner..number).map(|inner| self.junctions.of(self.loops[inner].after)).collect();
            let passes: Vec<Point> = passes.iter().map(|point| self.junctions.of(*point)).collect();
            let cut = passes.iter().find(|point| !ends.contains(point)).unwrap_or(&passes[0]);
            if !passes.contains(&Junctions::OUT) {
                self.junctions.join(*cut, Junctions::OUT);
            }
        }
    }
}
