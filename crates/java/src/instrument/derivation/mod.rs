//! Derivation of the executions of blocks that need no probe from those of others, whatever
//! happens. Blocks are the edges of a graph ([`tree`]) whose vertices are the points between them
//! ([`flow`], which [`flow_walk`] follows). From a block that may throw, call or wait nothing
//! follows for the code after it, unless it is in a loop whose exceptions are counted
//! ([`watched_loops`]).
//!
//! Errors of the virtual machine (no memory left) are left out of account.

mod flow;
mod flow_walk;
mod junctions;
pub mod quiet_code;
mod sums;
mod tree;
mod watched_loops;

use std::collections::{BTreeMap, BTreeSet};

use crate::java::SyntaxNode;

use super::declared_names::DeclaredNames;
use crate::blocks::FileBlocks;
use crate::java::SourceFile;
pub use sums::{CounterSum, DerivedCounter, DerivedSums};

/// Loop in which exceptions are counted by block.
#[derive(Debug, Clone)]
pub(crate) struct WatchedLoop<'t> {
    /// Loop statement, its labels included.
    pub statement: SyntaxNode<'t>,
    /// Index of the first of its blocks.
    pub first: usize,
    /// All of its blocks.
    pub blocks: BTreeSet<usize>,
    /// Those of its blocks that may throw.
    pub throwing: BTreeSet<usize>,
}

/// Blocks without a probe in one file, and the loops watched for them.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProbePlan<'t> {
    /// Blocks without a probe, as sums of counters.
    pub derived: DerivedSums,
    /// Loops that have to be watched for them.
    pub watched: Vec<WatchedLoop<'t>>,
}

/// Finds the blocks of `file` that can do without a probe if all others have one, and if in some
/// loops (with `may_watch`) exceptions are counted. Units with a block of `skip` are left as they
/// are.
pub fn plan_probes<'t>(
    file: &'t SourceFile,
    blocks: &FileBlocks,
    facts: &DeclaredNames<'t>,
    skip: &BTreeSet<usize>,
    may_watch: bool,
) -> ProbePlan<'t> {
    let mut flow = flow_walk::follow_file(file, blocks, facts, skip);
    let mut starts: Vec<(usize, usize)> = (0..blocks.blocks.len())
        .filter(|block| flow.is_followed(*block))
        .map(|block| (file.node(blocks.blocks[block].anchor).start_byte(), block))
        .collect();
    starts.sort_unstable();
    let mut watched = Vec::new();
    let loops = if may_watch { watched_loops::find_loops(file) } else { Vec::new() };
    for node in loops {
        let first = starts.partition_point(|(start, _)| *start < node.start_byte());
        let inside = starts[first..].iter().take_while(|(start, _)| *start < node.end_byte());
        let all: BTreeSet<usize> = inside.map(|(_, block)| *block).collect();
        let Some(first) = all.first().copied() else { continue };
        let throwing = all.iter().copied().filter(|block| flow.may_throw(*block)).collect();
        let statement = facts.start_of(node);
        watched.push(WatchedLoop { statement, first, blocks: all, throwing });
    }
    let counted = watched.iter().flat_map(|watched| watched.throwing.iter().copied());
    let derived = flow.derive(&counted.collect());
    let needed: BTreeSet<DerivedCounter> =
        derived.values().flat_map(BTreeMap::keys).copied().collect();
    watched.retain(|one| one.throwing.iter().any(|b| needed.contains(&DerivedCounter::Thrown(*b))));
    ProbePlan { derived, watched }
}
