//! Who called: what a method spends itself and with all that it calls, and what each
//! thread spends. A traced run with the call-tree probe counts blocks by thread and by
//! path of calls; the energy of a block, as the accounts have it, is divided by these
//! counts, so that every level adds up to the accounts exactly.
//!
//! Of what runs often, executions are sampled for their paths: how often each block ran is
//! exact, and which part of it was on a path has an error, which widens its intervals.
//!
//! A path holds a method once: a recursive call leads back to where the method stands on
//! it. So a method's cumulative energy counts each of its activations once.

mod energy;
mod file;
mod log;
mod sampling;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::account::entry::MethodKey;
use crate::blocks::BlockId;
use crate::format::counted;

pub use energy::call_accounts;
pub use energy::{CallAccounts, MethodCalls, NodeAccount, SpentEnergy};
pub use file::CallsFileError;
pub use log::add_log;
pub use sampling::PathSampling;
pub use tables::call_tables;

/// The thread of blocks that the run with the call-tree probe did not execute.
pub(crate) const NOT_SEEN: &str = "(not seen in the run with the call-tree probe)";

/// What was counted, by thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallTree {
    /// Threads by name; those of one name are one.
    pub threads: BTreeMap<String, ThreadCalls>,
    /// Threads that there was no room for.
    pub lost_threads: u64,
    /// Runs that were ended at their limit, so that their ends are missing.
    pub over_time: usize,
}

/// The paths of one thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadCalls {
    /// Parents stand before their children.
    pub nodes: Vec<CallNode>,
    children: BTreeMap<(Option<usize>, MethodKey), usize>,
}

/// A method on a path of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallNode {
    /// Who called; none at the thread's begin.
    pub parent: Option<usize>,
    /// The method.
    pub method: MethodKey,
    /// How often each of its blocks ran on this path.
    pub executions: BTreeMap<BlockId, u64>,
    /// Of those that were sampled, sum of `w (w - 1)` over samples that stand for `w` executions.
    pub sampled: BTreeMap<BlockId, u64>,
}

impl ThreadCalls {
    /// Where a call of `method` leads from `from`: to itself if it runs on this path
    /// already, else to a child.
    fn step(&mut self, from: Option<usize>, method: &MethodKey) -> usize {
        let mut here = from;
        while let Some(node) = here {
            if self.nodes[node].method == *method {
                return node;
            }
            here = self.nodes[node].parent;
        }
        let next = self.nodes.len();
        let at = *self.children.entry((from, method.clone())).or_insert(next);
        if at == next {
            self.nodes.push(CallNode::new(from, method.clone()));
        }
        at
    }

    fn count(&mut self, node: usize, block: BlockId, executions: u64, sampled: u64) {
        let node = &mut self.nodes[node];
        let count = node.executions.entry(block).or_default();
        *count = count.saturating_add(executions);
        if sampled > 0 {
            let sum = node.sampled.entry(block).or_default();
            *sum = sum.saturating_add(sampled);
        }
    }
}

impl CallNode {
    /// One of which nothing has run yet.
    fn new(parent: Option<usize>, method: MethodKey) -> Self {
        Self { parent, method, executions: BTreeMap::new(), sampled: BTreeMap::new() }
    }
}

impl CallTree {
    /// How often each block ran, over all threads.
    pub fn executions(&self) -> BTreeMap<BlockId, u64> {
        let mut sums: BTreeMap<BlockId, u64> = BTreeMap::new();
        let nodes = self.threads.values().flat_map(|thread| &thread.nodes);
        for (block, count) in nodes.flat_map(|node| &node.executions) {
            let sum = sums.entry(*block).or_default();
            *sum = sum.saturating_add(*count);
        }
        sums
    }

    /// Paths of calls, over all threads.
    pub fn paths(&self) -> usize {
        self.threads.values().map(|thread| thread.nodes.len()).sum()
    }

    /// How many blocks were sampled for their paths, and how far off a part of one is.
    pub fn sampling(&self) -> PathSampling {
        PathSampling::of(self)
    }

    /// How far the counts are those of another run.
    pub fn agreement(&self, executions: &BTreeMap<BlockId, u64>) -> CountAgreement {
        let own = self.executions();
        let blocks: BTreeSet<BlockId> = own.keys().chain(executions.keys()).copied().collect();
        let sum = |counts: &BTreeMap<BlockId, u64>| counts.values().map(|n| *n as f64).sum::<f64>();
        let (ours, theirs) = (sum(&own).max(1.0), sum(executions).max(1.0));
        let mut agreement = CountAgreement { length: ours / theirs, ..CountAgreement::default() };
        for block in blocks {
            let count = |counts: &BTreeMap<BlockId, u64>| counts.get(&block).copied().unwrap_or(0);
            let (here, there) = (count(&own), count(executions));
            agreement.blocks += usize::from(here.max(there) > 0);
            agreement.same += usize::from(here == there && here > 0);
            agreement.differing += here.abs_diff(there) as f64 / theirs;
            agreement.elsewhere += (here as f64 / ours - there as f64 / theirs).abs() / 2.0;
        }
        agreement
    }
}

/// How well the run that recorded calls agrees with the campaign's traced runs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CountAgreement {
    /// Blocks that ran equally often in both.
    pub same: usize,
    /// Blocks that ran in either.
    pub blocks: usize,
    /// Sum over blocks of the differences of executions, as a part of the campaign's.
    pub differing: f64,
    /// Executions of all blocks, by the campaign's: 1 where both did as much.
    pub length: f64,
    /// The part of the executions that is in other blocks than the campaign's, 0..1, whichever
    /// run was longer.
    pub elsewhere: f64,
}

/// A run that did less than this part of the other's work, or more than its inverse, is compared
/// by where it spent it: one with the extras of dry runs may be made to be short.
const ALIKE: f64 = 0.8;

impl std::fmt::Display for CountAgreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CountAgreement { same, blocks, differing, length, elsewhere } = self;
        if !(ALIKE..=1.0 / ALIKE).contains(length) {
            return write!(
                f,
                "all blocks together ran {:.2} % as often as in the campaign's traced runs \
                 (`dry_extras`); {:.2} % of that is in other blocks",
                100.0 * length,
                100.0 * elsewhere
            );
        }
        write!(
            f,
            "{same} of {} ran as often as in the campaign's traced runs; counts differ by {:.2} % \
             of all executions",
            counted(blocks, "block"),
            100.0 * differing
        )
    }
}
