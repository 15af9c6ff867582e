//! Sums of leaves as entries of any level.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::cost::{CountVector, IndexedModel};
use super::entry::{AccountEntry, Bundle, Leaf};
use super::method_groups::MethodGroups;
use crate::exact::{Femtojoules, share};
use crate::interval::Interval;

/// Prices, estimates and reference energy that turn a bundle into an entry.
pub(super) struct Pricing<'a, 'm> {
    /// Costs of operations.
    pub costs: &'a IndexedModel<'m>,
    /// The scenario's energy above idle, which shares relate to.
    pub above_idle: Femtojoules,
    /// Estimates of sampled methods; absent without samples.
    pub method_groups: Option<&'a MethodGroups>,
}

impl Pricing<'_, '_> {
    /// The 95 % interval of a bundle.
    pub fn interval(&self, bundle: &Bundle<'_>) -> Option<Interval> {
        match self.method_groups {
            Some(method_groups) => method_groups.interval(bundle, self.costs),
            None => bundle.interval(self.costs),
        }
    }

    /// Variance in J^2 of the error of a bundle plus `further` counts.
    pub fn variance(&self, bundle: &Bundle<'_>, further: &CountVector) -> Option<f64> {
        match self.method_groups {
            Some(method_groups) => {
                Some(method_groups.variance(bundle, self.costs)? + self.costs.variance(further)?)
            }
            None => {
                let mut counts = bundle.counts.clone();
                further.0.iter().for_each(|(&cost, &count)| counts.add(cost, count));
                self.costs.variance(&counts)
            }
        }
    }

    /// An entry from its key, executions and bundle.
    pub fn entry<K>(&self, key: K, executions: u64, bundle: &Bundle<'_>) -> AccountEntry<K> {
        AccountEntry {
            key,
            executions,
            energy: bundle.energy,
            interval: self.interval(bundle),
            share: share(bundle.energy, self.above_idle),
            unknown: bundle.unknown,
            determined: bundle.unknown == 0 && self.costs.are_determined(&bundle.counts),
        }
    }
}

/// Sums leaves by a key. `executions` has the keys and their executions. Sorted by descending
/// energy, then by key.
pub(super) fn sum_leaves_by_key<K: Ord + Clone>(
    leaves: &[Leaf<'_>],
    executions: BTreeMap<K, u64>,
    key: impl Fn(&Leaf<'_>) -> K,
    pricing: &Pricing<'_, '_>,
) -> Vec<AccountEntry<K>> {
    let mut bundles: BTreeMap<K, Bundle<'_>> = BTreeMap::new();
    for key in executions.keys() {
        bundles.insert(key.clone(), Bundle::default());
    }
    for leaf in leaves {
        bundles.entry(key(leaf)).or_default().add(leaf);
    }
    let mut entries: Vec<AccountEntry<K>> = bundles
        .into_iter()
        .map(|(key, bundle)| {
            let executions = executions.get(&key).copied().unwrap_or(0);
            pricing.entry(key, executions, &bundle)
        })
        .collect();
    entries.sort_by_key(|entry| Reverse(entry.energy));
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};
    use crate::blocks::BlockId;
    use crate::model::ContextPrice;

    /// 40 executions of 1 uJ on two lines, in a context that no microbenchmark measured; two that
    /// were measured cost 1.5 and 0.5 of the mean: 0.5 either way, for both lines at once.
    /// What operations can't say is 5 % of 20 uJ, line by line.
    #[test]
    fn contexts_and_lines_are_part_of_the_interval() {
        let mut sample = sample::block_of_30_6_microjoules();
        let unit = ("a.A", "run()");
        let lines = [("Increment", 1, 1), ("Increment", 2, 1)];
        sample.dictionary.blocks = vec![sample::block(0, unit, ("", "entry"), (1, 2), &lines)];
        sample.executions = BTreeMap::from([(BlockId(0), 20)]);
        sample.model = sample::with_relative_error(sample::model(&[("Increment", 1e-6)]), 0.0);
        let price = |context: &str, relative| ContextPrice {
            operation: "Increment".into(),
            context: context.into(),
            relative,
            relative_se: Some(0.1),
        };
        sample.model.contexts = vec![price("tested", 1.5), price("value", 0.5)];
        let accounts = account(&sample.scenario());
        let half = |interval: Option<Interval>| {
            let Interval { lo, hi } = interval.unwrap();
            (hi.0 - lo.0) / 2.0 / 1.959_963_984_540_054
        };
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-6;
        let one = (20e-6f64 * 0.5).hypot(20e-6 * 0.05);
        let hi = accounts.lines[0].interval.unwrap().hi.0;
        assert!(close(hi, 20e-6 + 1.959_963_984_540_054 * one), "{hi}");
        let both = (40e-6f64 * 0.5).hypot(20e-6 * 0.05 * 2f64.sqrt());
        let block = &accounts.blocks[0];
        assert!(close(block.entry.interval.unwrap().hi.0, 40e-6 + 1.959_963_984_540_054 * both));
        assert!(close(half(block.cost_interval) * 20.0, half(block.entry.interval)));
        assert!(block.entry.determined && accounts.methods[0].determined);
    }
}
