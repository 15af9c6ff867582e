//! The energy of areas among their methods, blocks and leaves.

use std::collections::BTreeMap;

use crate::account::cost::IndexedModel;
use crate::account::entry::Leaf;

use super::blocks;
use super::grouped::Grouped;
use super::line_samples::LineSamples;
use super::method_group::MethodGroup;
use super::parts::{move_to, parts};

/// Gives each leaf its part of its area's energy. An area with several methods (compiled into
/// it, or not told apart) is divided among them by the costs that fit the cases, for methods are
/// what totals of cases are made of; a method among its [`blocks`], and these by their leaves'
/// own energies. Where samples name lines they say what places are off by: there its leaves
/// share a method's energy by their own. All leaves' energies are off by `level`.
pub(super) fn share_out(
    leaves: &mut [Leaf<'_>],
    grouped: &Grouped,
    areas: &[MethodGroup],
    lined: &[LineSamples],
    of_methods: &IndexedModel<'_>,
    level: f64,
) {
    for ((account, lined), own) in areas.iter().zip(lined).zip(grouped.leaves_of_areas()) {
        let methods = by_method(leaves, own);
        let said = shares_of_methods(leaves, &methods, of_methods);
        for (own, energy) in methods.iter().zip(parts(account.energy, &said)) {
            match lined.is_empty() {
                true => blocks::divide(leaves, own, energy, level),
                false => move_to(leaves, own, energy),
            }
        }
    }
}

/// By what methods share an area's energy: what they spend by these costs, or as their leaves
/// do where that is nothing.
fn shares_of_methods(
    leaves: &[Leaf<'_>],
    methods: &[Vec<usize>],
    costs: &IndexedModel<'_>,
) -> Vec<f64> {
    let by = |of_leaf: &dyn Fn(&Leaf<'_>) -> f64| -> Vec<f64> {
        let sum = |own: &Vec<usize>| own.iter().map(|leaf| of_leaf(&leaves[*leaf])).sum();
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

/// Leaves of an area by their methods.
fn by_method(leaves: &[Leaf<'_>], own: Vec<usize>) -> Vec<Vec<usize>> {
    let mut methods: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for leaf in own {
        let block = leaves[leaf].block;
        methods.entry((&block.class, &block.method)).or_default().push(leaf);
    }
    methods.into_values().collect()
}
