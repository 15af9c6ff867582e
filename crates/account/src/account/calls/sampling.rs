//! Errors of path energies from sampling executions for their paths.
//!
//! A thread's executions of a block are counted, `N`; on the path of a sample are the `w`
//! executions since the one before. Of these, a part `p` on some paths is off with the variance
//! `(1 - p)^2 X + p^2 Y` executions, where `X` is the sum of `w (w - 1)` over samples on these
//! paths and `Y` that on all others: nothing where each execution is a sample, or all are on one
//! side. Blocks and threads are sampled independently.

use std::collections::{BTreeMap, BTreeSet};

use super::{CallNode, CallTree, ThreadCalls};
use crate::account::entry::MethodKey;
use crate::blocks::BlockId;
use crate::format::counted;
use crate::interval::NORMAL_975;

/// Executions of sampled blocks, by block.
#[derive(Debug, Clone, Default, PartialEq)]
struct SampledBlocks(BTreeMap<BlockId, SampledCount>);

/// Executions of one block, and `spread`, its sum of `w (w - 1)`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct SampledCount {
    executions: f64,
    spread: f64,
}

impl SampledCount {
    /// Variance of the executions `here`, a part of these.
    fn variance(self, here: SampledCount) -> f64 {
        if self.executions <= 0.0 {
            return 0.0;
        }
        let part = (here.executions / self.executions).min(1.0);
        let elsewhere = (self.spread - here.spread).max(0.0);
        (1.0 - part).powi(2) * here.spread + part.powi(2) * elsewhere
    }
}

impl SampledBlocks {
    /// The blocks of a node that were sampled anywhere in its thread.
    fn of(node: &CallNode, is_sampled: impl Fn(&BlockId) -> bool) -> Self {
        let blocks = node.executions.iter().filter(|(block, _)| is_sampled(block));
        let count = |(block, executions): (&BlockId, &u64)| {
            let spread = node.sampled.get(block).copied().unwrap_or(0) as f64;
            (*block, SampledCount { executions: *executions as f64, spread })
        };
        Self(blocks.map(count).collect())
    }

    /// Adds the counts of other paths.
    fn merge(&mut self, mut other: SampledBlocks) {
        if other.0.len() > self.0.len() {
            std::mem::swap(self, &mut other);
        }
        for (block, count) in other.0 {
            let own = self.0.entry(block).or_default();
            own.executions += count.executions;
            own.spread += count.spread;
        }
    }
}

/// Sampled blocks of a thread, with the energy of one execution of each block.
struct ThreadSampling<'j> {
    all: SampledBlocks,
    /// Energy of one execution of a block, in joules.
    joules: &'j dyn Fn(BlockId) -> f64,
}

impl<'j> ThreadSampling<'j> {
    /// Collects the sampled blocks of a thread; `joules` is the energy of one execution of a
    /// block.
    fn of(thread: &ThreadCalls, joules: &'j dyn Fn(BlockId) -> f64) -> Self {
        let mut all = SampledBlocks::default();
        for block in thread.nodes.iter().flat_map(|node| node.sampled.keys()) {
            all.0.entry(*block).or_default();
        }
        for node in &thread.nodes {
            all.merge(SampledBlocks::of(node, |block| all.0.contains_key(block)));
        }
        Self { all, joules }
    }

    /// The sampled blocks of one node.
    fn of_node(&self, node: &CallNode) -> SampledBlocks {
        SampledBlocks::of(node, |block| self.all.0.contains_key(block))
    }

    /// Half widths of the 95 % intervals of a node's shares of its sampled blocks.
    fn half_intervals(&self, node: &CallNode) -> Vec<f64> {
        let part = |(block, here): (BlockId, SampledCount)| {
            let all = self.all.0.get(&block).copied().unwrap_or_default();
            NORMAL_975 * all.variance(here).sqrt() / all.executions.max(1.0)
        };
        self.of_node(node).0.into_iter().map(part).collect()
    }

    /// Variance of the energy of these executions, in J^2.
    fn variance_j2(&self, part: &SampledBlocks) -> f64 {
        let of_block = |(block, here): (&BlockId, &SampledCount)| {
            let all = self.all.0.get(block).copied().unwrap_or_default();
            (self.joules)(*block).powi(2) * all.variance(*here)
        };
        part.0.iter().map(of_block).sum()
    }
}

/// Sums of sampled blocks over a thread's call paths, from the last node to the first: callees
/// close before their callers.
pub(super) struct SampledPaths<'t> {
    sampling: ThreadSampling<'t>,
    below: Vec<SampledBlocks>,
    methods: BTreeMap<&'t MethodKey, SampledBlocks>,
}

/// Variances in J^2 of a path's self and inclusive energy from path sampling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PathVariances {
    /// Variance of the self energy.
    pub own_j2: f64,
    /// Variance of the inclusive energy.
    pub cumulative_j2: f64,
}

impl<'t> SampledPaths<'t> {
    /// The sums before any node is closed; `mean_execution_j` is the energy of one execution of a
    /// block in joules.
    pub fn of(thread: &ThreadCalls, once_j: &'t dyn Fn(BlockId) -> f64) -> Self {
        Self {
            sampling: ThreadSampling::of(thread, once_j),
            below: vec![SampledBlocks::default(); thread.nodes.len()],
            methods: BTreeMap::new(),
        }
    }

    /// Adds a node after all its callees; returns its variances.
    pub fn close(&mut self, number: usize, node: &'t CallNode) -> PathVariances {
        let own = self.sampling.of_node(node);
        let own_j2 = self.sampling.variance_j2(&own);
        let mut cumulative = std::mem::take(&mut self.below[number]);
        cumulative.merge(own);
        let cumulative_j2 = self.sampling.variance_j2(&cumulative);
        if !cumulative.0.is_empty() {
            self.methods.entry(&node.method).or_default().merge(cumulative.clone());
            if let Some(parent) = node.parent {
                self.below[parent].merge(cumulative);
            }
        }
        PathVariances { own_j2, cumulative_j2 }
    }

    /// Methods with the variance of their inclusive energy, in J^2.
    pub fn variances_by_method(self) -> impl Iterator<Item = (&'t MethodKey, f64)> {
        let Self { sampling, methods, .. } = self;
        methods.into_iter().map(move |(method, part)| (method, sampling.variance_j2(&part)))
    }
}

/// Extent and error of path sampling in a call tree.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PathSampling {
    /// Blocks whose executions were sampled for their paths in some thread.
    pub sampled: usize,
    /// Blocks that ran.
    pub blocks: usize,
    /// Largest error of the share of such a block's executions on one path of a thread, 0..1:
    /// half the width of its 95 % interval.
    pub error: f64,
}

impl PathSampling {
    /// Evaluates all threads of a call tree.
    pub(super) fn of(tree: &CallTree) -> Self {
        let (mut sampled, mut error) = (BTreeSet::new(), 0.0);
        for thread in tree.threads.values() {
            let sampling = ThreadSampling::of(thread, &|_| 1.0);
            sampled.extend(sampling.all.0.keys().copied());
            let parts = thread.nodes.iter().flat_map(|node| sampling.half_intervals(node));
            error = parts.fold(error, f64::max);
        }
        Self { sampled: sampled.len(), blocks: tree.executions().len(), error }
    }
}

impl std::fmt::Display for PathSampling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { sampled, blocks, error } = self;
        write!(
            f,
            "{sampled} of {} ran so often that their executions were sampled for their paths: the \
             part on one path is off by {:.1} points at most (95 %)",
            counted(blocks, "block"),
            100.0 * error
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: BlockId = BlockId(0);

    /// Nodes of the block with executions and sums.
    fn thread(nodes: &[(u64, u64)]) -> ThreadCalls {
        let mut thread = ThreadCalls::default();
        for (number, (executions, sampled)) in nodes.iter().enumerate() {
            let method = MethodKey { class: "a.A".into(), method: format!("m{number}()") };
            let node = thread.step(None, &method);
            thread.count(node, BLOCK, *executions, *sampled);
        }
        thread
    }

    fn sd_j(nodes: &[(u64, u64)]) -> f64 {
        let thread = thread(nodes);
        let sampling = ThreadSampling::of(&thread, &|_| 1e-3);
        sampling.variance_j2(&sampling.of_node(&thread.nodes[0])).sqrt()
    }

    /// A thousand samples of 10 executions each, a quarter of them here: the root of
    /// 0.25 x 0.75 / 1000 of ten thousand executions of 1 mJ, less what counts by itself.
    #[test]
    fn a_part_is_off_as_that_of_so_many_samples() {
        let found = sd_j(&[(2500, 250 * 90), (7500, 750 * 90)]);
        let expected = 10.0 * (0.25f64 * 0.75 / 1000.0 * 0.9).sqrt();
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        assert_eq!(sd_j(&[(2500, 0), (7500, 0)]), 0.0, "each was counted");
        assert_eq!(sd_j(&[(2500, 22_500)]), 0.0, "all are here");
    }

    #[test]
    fn all_paths_together_are_exact() {
        let thread = thread(&[(2500, 22_500), (7500, 67_500)]);
        let sampling = ThreadSampling::of(&thread, &|_| 1.0);
        let mut both = sampling.of_node(&thread.nodes[0]);
        both.merge(sampling.of_node(&thread.nodes[1]));
        assert_eq!(sampling.variance_j2(&both), 0.0);
    }
}
