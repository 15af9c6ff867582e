//! Control flow between the blocks of a file: the points where blocks start and end, joined to
//! junctions.

use std::collections::{BTreeSet, HashSet};

use super::junctions::{Junctions, Point};
use super::sums::DerivedSums;
use super::tree::{self, Edge};
use crate::blocks::{BlockKind, FileBlocks};

/// Value of leaving a block without a probe: loops around it, fewer branches around it, and how
/// much its probe would disturb.
type Weight = (u32, std::cmp::Reverse<u32>, u32);

/// Blocks of a file and the junctions between them.
pub(crate) struct BlockFlow<'a> {
    pub(super) blocks: &'a FileBlocks,
    pub(super) junctions: Junctions,
    /// Flow of each block; none where its unit isn't followed.
    pub(super) steps: Vec<Option<FlowStep>>,
    /// All loops, inner ones first.
    pub(super) loops: Vec<FlowLoop>,
}

/// Flow properties of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlowStep {
    pub may_throw: bool,
    /// Number of loops around it.
    pub loops: u32,
    /// Number of branches around it.
    pub branches: u32,
}

/// Loop that was followed, by its points.
#[derive(Debug, Clone)]
pub(super) struct FlowLoop {
    /// Points that each iteration passes, the end of its body first.
    pub passes: [Point; 3],
    /// Point after the loop.
    pub after: Point,
    /// Index of the first loop inside; all from there up to this one are inside.
    pub inner: usize,
}

/// Returns the point where the block `index` starts.
pub(super) fn start_point(index: usize) -> Point {
    1 + 2 * index
}

/// Returns the point where the block `index` ends.
pub(super) fn end_point(index: usize) -> Point {
    2 + 2 * index
}

impl<'a> BlockFlow<'a> {
    /// Makes a flow in which no unit is followed yet.
    pub(super) fn of(blocks: &'a FileBlocks) -> BlockFlow<'a> {
        let count = blocks.blocks.len();
        BlockFlow {
            blocks,
            junctions: Junctions::new(2 * count),
            steps: vec![None; count],
            loops: Vec::new(),
        }
    }

    /// Whether the control flow into and out of a block is known.
    pub(crate) fn is_followed(&self, block: usize) -> bool {
        self.steps[block].is_some()
    }

    /// Whether an exception may leave a block, or the block may call or wait.
    pub(crate) fn may_throw(&self, block: usize) -> bool {
        self.steps[block].is_none_or(|step| step.may_throw)
    }

    /// Derives the executions of blocks from others, if the exceptions that leave those of
    /// `counted` are counted.
    pub fn derive(&mut self, counted: &BTreeSet<usize>) -> DerivedSums {
        for block in 0..self.steps.len() {
            if self.may_throw(block) && !counted.contains(&block) {
                self.junctions.join(end_point(block), Junctions::OUT);
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
                start: start_point(block),
                end: end_point(block),
                throws: step.may_throw && counted.contains(&block),
                // At its probe the stack may overflow: then nothing of the unit has run.
                weight: (kind != BlockKind::Entry).then_some(weight),
            })
        };
        let edges: Vec<Edge<Weight>> = (0..self.steps.len()).filter_map(edge).collect();
        tree::derive(edges, &mut self.junctions)
    }

    /// Joins a point of each loop to the outside, so that a thread that stays in a loop for ever
    /// does not affect the blocks around it: best where no inner loop ends, as there its end is
    /// needed.
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
