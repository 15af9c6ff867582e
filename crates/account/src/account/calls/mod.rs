//! Accounts by call path: self and inclusive energy of methods, and the energy of threads. A
//! traced run with the call-tree probe counts blocks by thread and call path; each block's energy
//! in the accounts is divided by these counts, so that every level adds up to the accounts
//! exactly.
//!
//! Executions of frequent blocks are sampled for their paths: a block's total count is exact, and
//! its share on a path has an error, which widens the intervals.
//!
//! A path contains each method once: a recursive call leads back to the method's node on it. So a
//! method's inclusive energy counts each activation once.

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
pub use energy::{CallAccounts, CallNodeAccount, MethodCallAccount, SpentEnergy};
pub use file::{CallsFileError, calls_table_schema};
pub use log::add_log;
pub use sampling::PathSampling;
pub use tables::call_tables;

/// Pseudo-thread of blocks that the run with the call-tree probe did not execute.
pub(crate) const UNSEEN_THREAD: &str = "(absent from the run with the call-tree probe)";

/// Counted call paths, by thread.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallTree {
    /// Call paths by thread name; threads of equal names are merged.
    pub threads: BTreeMap<String, ThreadCalls>,
    /// Number of threads that the probe had no room for.
    pub lost_threads: u64,
    /// Number of runs that were stopped at their time limit, so that their last counts are
    /// missing.
    pub over_time: usize,
}

/// Call paths of one thread, as a tree of nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThreadCalls {
    /// Nodes, parents before children.
    pub nodes: Vec<CallNode>,
    children: BTreeMap<(Option<usize>, MethodKey), usize>,
}

/// A method on one call path of a thread, with its blocks' executions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallNode {
    /// Index of the caller; none for a thread's first method.
    pub parent: Option<usize>,
    /// The method that runs at this node.
    pub method: MethodKey,
    /// Executions of each of its blocks on this path.
    pub executions: BTreeMap<BlockId, u64>,
    /// For blocks sampled for their paths, the sum of `w (w - 1)` over samples that each stand
    /// for `w` executions.
    pub sampled: BTreeMap<BlockId, u64>,
}

impl ThreadCalls {
    /// The node that a call of `method` from `from` leads to: the method's node on the path if
    /// there is one, else a child, which is added if it is new.
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
    /// A node without executions.
    fn new(parent: Option<usize>, method: MethodKey) -> Self {
        Self { parent, method, executions: BTreeMap::new(), sampled: BTreeMap::new() }
    }
}

impl CallTree {
    /// Executions of each block over all threads.
    pub fn executions(&self) -> BTreeMap<BlockId, u64> {
        let mut sums: BTreeMap<BlockId, u64> = BTreeMap::new();
        let nodes = self.threads.values().flat_map(|thread| &thread.nodes);
        for (block, count) in nodes.flat_map(|node| &node.executions) {
            let sum = sums.entry(*block).or_default();
            *sum = sum.saturating_add(*count);
        }
        sums
    }

    /// Number of call-path nodes over all threads.
    pub fn paths(&self) -> usize {
        self.threads.values().map(|thread| thread.nodes.len()).sum()
    }

    /// How many blocks were sampled for their paths, and the error of their shares.
    pub fn sampling(&self) -> PathSampling {
        PathSampling::of(self)
    }

    /// Compares these counts with those of another run.
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

/// Agreement of the run that recorded calls with the campaign's traced runs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CountAgreement {
    /// Blocks with equal executions in both.
    pub same: usize,
    /// Blocks that ran in either.
    pub blocks: usize,
    /// Sum over blocks of |difference of executions|, relative to the campaign's executions.
    pub differing: f64,
    /// Executions of all blocks, relative to the campaign's: 1 where both did as much work.
    pub length: f64,
    /// Share of the executions that falls into other blocks than in the campaign, 0..1, with both
    /// runs scaled to equal length.
    pub elsewhere: f64,
}

/// Least ratio of the runs' executions at which counts are compared absolutely; runs that differ
/// more (dry runs may use shorter extras) are compared by shares.
const LEAST_WORK_RATIO: f64 = 0.8;

impl std::fmt::Display for CountAgreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let CountAgreement { same, blocks, differing, length, elsewhere } = self;
        if !(LEAST_WORK_RATIO..=1.0 / LEAST_WORK_RATIO).contains(length) {
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
