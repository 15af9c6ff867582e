//! Leaves grouped by the method name that samples show for their code.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::entry::{Leaf, LeafTotals, MethodKey};
use crate::account::matching::{MethodSignature, find_method, signature};
use crate::account::profile::Hits;
use crate::blocks::BlockId;
use crate::model::areas::{RepeatedRuns, RunSpread, run_spread};

use super::block_effect_scale::block_effect_scale_j;
use super::inlined_edges::{CallEdgeSamples, CallPaths, InlinedEdges};
use super::sampled_case::SampledCase;

/// Distinguishes method names with parameters in samples from names without.
pub(super) struct SampledNames {
    /// Class and method of those that are named without parameters: their overloads are one.
    bare: BTreeSet<(String, String)>,
}

impl SampledNames {
    pub fn of(cases: &[SampledCase]) -> Self {
        let names = cases.iter().flat_map(|case| case.hits.methods.keys());
        let bare = names.filter(|(_, method)| !method.contains('('));
        let name = |(class, method): &(String, String)| {
            let signature = signature(class, method);
            (signature.class, signature.name)
        };
        Self { bare: bare.map(name).collect() }
    }

    fn signature(&self, method: &MethodKey) -> MethodSignature {
        let mut signature = signature(&method.class, &method.method);
        if self.bare.contains(&(signature.class.clone(), signature.name.clone())) {
            signature.parameters = None;
        }
        signature
    }
}

/// Leaves by method group: groups of methods that samples cannot separate, and the group of each
/// leaf.
pub(super) struct GroupedLeaves {
    /// Sampled signature of each group, with its methods.
    pub groups: Vec<(MethodSignature, Vec<MethodKey>)>,
    /// Group index of each leaf.
    pub group_of_leaf: Vec<usize>,
}

impl GroupedLeaves {
    pub fn of(leaves: &[Leaf<'_>], names: SampledNames) -> Self {
        let group_of_leaf: Vec<MethodKey> =
            leaves.iter().map(|leaf| MethodKey::of(leaf.block)).collect();
        let methods: BTreeSet<&MethodKey> = group_of_leaf.iter().collect();
        let signatures: BTreeMap<&MethodKey, MethodSignature> =
            methods.into_iter().map(|method| (method, names.signature(method))).collect();
        let mut by: BTreeMap<&MethodSignature, Vec<MethodKey>> = BTreeMap::new();
        for (method, signature) in &signatures {
            by.entry(signature).or_default().push((*method).clone());
        }
        let places: BTreeMap<&MethodSignature, usize> = by.keys().copied().zip(0..).collect();
        let places = group_of_leaf.iter().map(|method| places[&signatures[method]]).collect();
        let groups = by.into_iter().map(|(signature, methods)| (signature.clone(), methods));
        let groups = groups.collect();
        Self { groups, group_of_leaf: places }
    }

    /// The group of each block, and how many of `samples` samples the costs predict for it.
    pub fn expected_samples(
        &self,
        leaves: &[Leaf<'_>],
        samples: u64,
    ) -> (BTreeMap<BlockId, usize>, BTreeMap<BlockId, f64>) {
        let (mut groups, mut expected): (_, BTreeMap<BlockId, f64>) = Default::default();
        let joules = |leaf: &Leaf<'_>| leaf.energy.joules().0.max(0.0);
        let energy: f64 = leaves.iter().map(joules).sum();
        let of_a_joule = if energy > 0.0 { samples as f64 / energy } else { 0.0 };
        for (leaf, group) in leaves.iter().zip(&self.group_of_leaf) {
            BTreeMap::insert(&mut groups, leaf.block.id, *group);
            *expected.entry(leaf.block.id).or_default() += joules(leaf) * of_a_joule;
        }
        (groups, expected)
    }

    /// Samples by call edge between groups, from the cases and their sample counts per group.
    pub fn call_edge_samples(&self, cases: &[SampledCase], samples: &[u64]) -> CallEdgeSamples {
        let alone = samples.iter().map(|samples| *samples as f64).collect();
        let mut met = CallEdgeSamples { called: BTreeMap::new(), alone };
        for ((caller, callee), count) in cases.iter().flat_map(|case| &case.hits.calls) {
            let place = |(class, method): &(String, String)| self.group_of(class, method);
            if let (Some(caller), Some(callee)) = (place(caller), place(callee)) {
                *met.called.entry((caller, callee)).or_default() += *count as f64;
                met.alone[callee] -= *count as f64;
            }
        }
        met
    }

    /// The same groups with inlined leaves split among the groups whose compiled code contains
    /// them.
    pub fn with_inlined(
        self,
        leaves: &mut Vec<Leaf<'_>>,
        inlined: &InlinedEdges,
        paths: &CallPaths<'_>,
    ) -> Self {
        let (divided, group_of_leaf) =
            inlined.split_leaves(std::mem::take(leaves), &self.group_of_leaf, paths);
        *leaves = divided;
        let used: BTreeSet<usize> = group_of_leaf.iter().copied().collect();
        let places: BTreeMap<usize, usize> = used.iter().copied().zip(0..).collect();
        let group_of_leaf = group_of_leaf.iter().map(|group| places[group]).collect();
        let groups = self.groups.into_iter().enumerate().filter(|(group, _)| used.contains(group));
        let groups = groups.map(|(_, group)| group).collect();
        Self { groups, group_of_leaf }
    }

    /// Indices of each group's leaves.
    pub(crate) fn leaves_by_group(&self) -> Vec<Vec<usize>> {
        let mut leaves = vec![Vec::new(); self.groups.len()];
        for (leaf, group) in self.group_of_leaf.iter().enumerate() {
            leaves[*group].push(leaf);
        }
        leaves
    }

    /// How often each cost occurs in each group: `costs` numbers per group.
    pub fn counts_by_group(&self, leaves: &[Leaf<'_>], costs: usize) -> Vec<Vec<f64>> {
        let mut counts = vec![vec![0.0; costs]; self.groups.len()];
        for (leaf, group) in leaves.iter().zip(&self.group_of_leaf) {
            if let Some(cost) = leaf.cost {
                counts[*group][cost.0] += leaf.weighted;
            }
        }
        counts
    }

    /// Scale of each group's block effect in joules: root sum of squares over its blocks, whose
    /// effects are independent.
    pub fn block_effect_scales(&self, leaves: &[Leaf<'_>]) -> Vec<f64> {
        let once_j = leaves.iter().map(LeafTotals::from).sum::<LeafTotals>().mean_execution_j();
        let scale =
            |own: &Vec<usize>| block_effect_scale_j(own.iter().map(|leaf| &leaves[*leaf]), once_j);
        self.leaves_by_group().iter().map(scale).collect()
    }

    /// Samples of each group.
    pub fn samples(&self, hits: &Hits) -> Vec<u64> {
        let mut samples = vec![0; self.groups.len()];
        for ((class, method), count) in &hits.methods {
            if let Some(group) = self.group_of(class, method) {
                samples[group] += count;
            }
        }
        samples
    }

    /// Spread of a group's samples between the runs of a case.
    pub fn run_spread(&self, cases: &[SampledCase]) -> Option<RunSpread> {
        let of_case = |case: &SampledCase| {
            RepeatedRuns::of_all(case.runs.iter().map(|run| self.samples(run)).collect())
        };
        run_spread(&cases.iter().map(of_case).collect::<Vec<RepeatedRuns>>())
    }

    /// The group of a method named as in a profile.
    pub fn group_of(&self, class: &str, method: &str) -> Option<usize> {
        find_method(&self.groups, |(own, _)| own, &signature(class, method))
    }
}
