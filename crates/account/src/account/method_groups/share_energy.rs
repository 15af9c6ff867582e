//! Distribution of the energy of method groups over their methods, blocks and leaves.

use std::collections::BTreeMap;

use crate::account::cost::IndexedModel;
use crate::account::entry::Leaf;

use super::blocks;
use super::grouped_leaves::GroupedLeaves;
use super::line_samples::LineSamples;
use super::method_group::MethodGroup;
use super::split_energy::{rescale_leaves, split_energy};

/// Distributes each group's energy over its leaves. A group of several methods is divided by the
/// costs that fit the cases, since case totals are sums of methods; a method by its [`blocks`]; a
/// block in proportion to the leaves' energies. Where samples have lines, these already contain
/// the block effects, so the leaves of a method share in proportion to their energies. `level` is
/// the factor between sampled and count-based energy.
pub(super) fn share_energy(
    leaves: &mut [Leaf<'_>],
    grouped: &GroupedLeaves,
    groups: &[MethodGroup],
    lined: &[LineSamples],
    of_methods: &IndexedModel<'_>,
    level: f64,
) {
    for ((account, lined), own) in groups.iter().zip(lined).zip(grouped.leaves_by_group()) {
        let methods = leaves_by_method(leaves, own);
        let said = method_weights(leaves, &methods, of_methods);
        for (own, energy) in methods.iter().zip(split_energy(account.energy, &said)) {
            match lined.is_empty() {
                true => blocks::share_among_blocks(leaves, own, energy, level),
                false => rescale_leaves(leaves, own, energy),
            }
        }
    }
}

/// Weights of a group's methods: their energies by these costs, or the leaves' energies where
/// those are zero.
fn method_weights(
    leaves: &[Leaf<'_>],
    methods: &[Vec<usize>],
    costs: &IndexedModel<'_>,
) -> Vec<f64> {
    let by = |group_of_leaf: &dyn Fn(&Leaf<'_>) -> f64| -> Vec<f64> {
        let sum = |own: &Vec<usize>| own.iter().map(|leaf| group_of_leaf(&leaves[*leaf])).sum();
        methods.iter().map(sum).collect()
    };
    let by_costs = |leaf: &Leaf<'_>| {
        leaf.cost.map_or(0.0, |cost| (costs.cost(cost).0 * leaf.weighted).max(0.0))
    };
    let own = |leaf: &Leaf<'_>| leaf.energy.joules().0.max(0.0);
    let is_some = |shares: &Vec<f64>| shares.iter().sum::<f64>() > 0.0;
    let said = [by(&by_costs), by(&own)].into_iter().find(is_some);
    said.unwrap_or_else(|| by(&|leaf| leaf.instructions() as f64))
}

/// Leaves of a group by method.
fn leaves_by_method(leaves: &[Leaf<'_>], own: Vec<usize>) -> Vec<Vec<usize>> {
    let mut methods: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for leaf in own {
        let block = leaves[leaf].block;
        methods.entry((&block.class, &block.method)).or_default().push(leaf);
    }
    methods.into_values().collect()
}
