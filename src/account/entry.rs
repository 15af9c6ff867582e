//! One entry of an account, and how the smallest parts (an operation on a line of a
//! block) are summed up to entries of any level.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::account::areas::Areas;
use crate::account::cost::{CostIndex, Costs, CountVector, Interval};
use crate::account::exact::Femtojoules;
use crate::blocks::BlockId;
use crate::operations::{BlockEntry, Dictionary, OperationCount};
use crate::units::Joules;

/// How far the energy of a line is from what its operations say, relative, when all their
/// costs are right: a compiler makes more or less of the same words from place to place.
/// Costs fitted to the true energies of lines, on three engines, left median errors of
/// 2-5 % and 13-18 % at the 90th percentile (`docs/models.md`).
pub(crate) const VOCABULARY_ERROR: f64 = 0.05;

/// What one entry spends in the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<K> {
    /// What the entry is about: an operation, a block, a line, a method, a class.
    pub key: K,
    /// How often it ran: occurrences of an operation, runs of a block, runs of the most
    /// executed block on a line, entries of a method's body, sum of these for a class.
    pub executions: u64,
    /// Its energy: the sum of its operations' known costs.
    pub energy: Femtojoules,
    /// 95 % interval; absent where the model has none, and where operations of unknown
    /// cost take part.
    pub interval: Option<Interval>,
    /// Part of the scenario's energy above idle, 0..1; absent where that isn't positive.
    pub share: Option<f64>,
    /// Executions of operations whose cost the model doesn't know; their energy is in
    /// the ledger's unexplained row.
    pub unknown: u64,
    /// Whether the cases alone determine the energy, though they may not determine each
    /// cost in it; what they don't comes from the prior.
    pub determined: bool,
}

impl<K> Entry<K> {
    /// The energy as a quantity.
    pub fn joules(&self) -> Joules {
        self.energy.joules()
    }
}

/// A line of a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineKey {
    /// Path relative to its source root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// A body: method, constructor, initialiser or lambda.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodKey {
    /// Binary class name with package.
    pub class: String,
    /// Method with parameter types, as in the dictionary.
    pub method: String,
}

/// A line as far as a method executes it: two methods may share one, as a lambda does with
/// the method around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartKey {
    /// The method.
    pub method: MethodKey,
    /// The line.
    pub line: LineKey,
}

impl MethodKey {
    /// The method of a block.
    pub fn of(block: &BlockEntry) -> Self {
        Self { class: block.class.clone(), method: block.method.clone() }
    }
}

/// The smallest part of an account: one operation on one line of one executed block.
pub(super) struct Leaf<'a> {
    /// The block.
    pub block: &'a BlockEntry,
    /// The operation on its line.
    pub operation: &'a OperationCount,
    /// Executions of the operation here: count x executions of the block.
    pub executions: u64,
    /// The same in executions at the operation's mean cost: weighted by the context.
    pub weighted: f64,
    /// The cost it takes; absent when unknown to the model.
    pub cost: Option<CostIndex>,
    /// Cost x executions, rounded to the femtojoule; zero when unknown.
    pub energy: Femtojoules,
    /// What the price of the context leaves unsure of it, in joules.
    pub context_error_j: f64,
    /// The sampled area that it is a part of; absent without samples.
    pub area: Option<usize>,
}

/// All leaves of the blocks that ran.
pub(super) fn leaves<'a>(
    dictionary: &'a Dictionary,
    executions: &BTreeMap<BlockId, u64>,
    costs: &Costs<'_>,
) -> Vec<Leaf<'a>> {
    let mut leaves = Vec::new();
    for (block, runs) in executed(dictionary, executions) {
        for operation in &block.operations {
            let count = runs.saturating_mul(u64::from(operation.count));
            let cost = costs.of(&operation.operation);
            let weighted = count as f64 * costs.relative(operation);
            let energy = cost.map_or(Joules::ZERO, |cost| costs.cost(cost) * weighted);
            let energy = Femtojoules::from_joules(energy);
            let unsure = count as f64 * costs.relative_se(operation);
            let context_error_j = cost.map_or(0.0, |cost| costs.cost(cost).0 * unsure);
            leaves.push(Leaf {
                block,
                operation,
                executions: count,
                weighted,
                cost,
                energy,
                context_error_j,
                area: None,
            });
        }
    }
    leaves
}

/// The blocks that ran, with how often, in the dictionary's order.
pub(super) fn executed<'a>(
    dictionary: &'a Dictionary,
    executions: &BTreeMap<BlockId, u64>,
) -> impl Iterator<Item = (&'a BlockEntry, u64)> {
    dictionary.blocks.iter().filter_map(|block| {
        let runs = executions.get(&block.id).copied().unwrap_or(0);
        (runs > 0).then_some((block, runs))
    })
}

/// What leaves add up to.
#[derive(Debug, Clone, Default)]
pub(super) struct Bundle<'a> {
    /// Sum of the leaves' energies.
    pub energy: Femtojoules,
    /// How often each cost occurs.
    pub counts: CountVector,
    /// Executions of operations without a cost.
    pub unknown: u64,
    /// By operation and context, what the price of the context leaves unsure, in joules.
    contexts: BTreeMap<(&'a str, &'a str), f64>,
    /// By sampled area, energy.
    pub areas: BTreeMap<usize, Femtojoules>,
    /// By file and line, energy in joules.
    lines: BTreeMap<(&'a str, u32), f64>,
}

impl<'a> Bundle<'a> {
    /// Adds one leaf.
    pub fn add(&mut self, leaf: &Leaf<'a>) {
        self.add_part(leaf, 1.0, leaf.energy, leaf.executions);
    }

    /// Adds a part of a leaf, 0..1, with the whole numbers that this part has.
    pub fn add_part(&mut self, leaf: &Leaf<'a>, part: f64, energy: Femtojoules, executions: u64) {
        self.energy += energy;
        let OperationCount { operation, context, line, .. } = leaf.operation;
        *self.lines.entry((&leaf.block.file, *line)).or_default() += energy.joules().0;
        if let Some(area) = leaf.area {
            *self.areas.entry(area).or_default() += energy;
        }
        if leaf.context_error_j != 0.0 {
            *self.contexts.entry((operation, context)).or_default() += leaf.context_error_j * part;
        }
        match leaf.cost {
            Some(cost) => self.counts.add(cost, leaf.weighted * part),
            None => self.unknown = self.unknown.saturating_add(executions),
        }
    }

    /// Adds all of another bundle.
    pub fn merge(&mut self, other: &Bundle<'a>) {
        self.energy += other.energy;
        self.unknown = self.unknown.saturating_add(other.unknown);
        other.counts.0.iter().for_each(|(cost, count)| self.counts.add(*cost, *count));
        for (key, error) in &other.contexts {
            *self.contexts.entry(*key).or_default() += error;
        }
        for (area, energy) in &other.areas {
            *self.areas.entry(*area).or_default() += *energy;
        }
        for (key, energy) in &other.lines {
            *self.lines.entry(*key).or_default() += energy;
        }
    }

    /// The 95 % interval of the whole bundle; absent when a part of it has no cost.
    pub fn interval(&self, costs: &Costs<'_>) -> Option<Interval> {
        let known = if self.unknown > 0 { None } else { costs.interval(&self.counts) };
        known.map(|interval| interval.widened(self.energy.joules(), self.further_variance()))
    }

    /// What the covariance of the costs leaves out, in J^2: what contexts cost, and what
    /// operations can't say about a line.
    fn further_variance(&self) -> f64 {
        let contexts: f64 = self.contexts.values().map(|error| error * error).sum();
        let lines: f64 = self.lines.values().map(|e| (VOCABULARY_ERROR * e).powi(2)).sum();
        contexts + lines
    }
}

/// Sums leaves up by a key; `executions` says how often each key ran, and which keys
/// there are. Sorted by energy, the largest first, then by key.
pub(super) fn group<K: Ord + Clone>(
    leaves: &[Leaf<'_>],
    executions: BTreeMap<K, u64>,
    key: impl Fn(&Leaf<'_>) -> K,
    pricing: &Pricing<'_, '_>,
) -> Vec<Entry<K>> {
    let mut bundles: BTreeMap<K, Bundle<'_>> = BTreeMap::new();
    for key in executions.keys() {
        bundles.insert(key.clone(), Bundle::default());
    }
    for leaf in leaves {
        bundles.entry(key(leaf)).or_default().add(leaf);
    }
    let mut entries: Vec<Entry<K>> = bundles
        .into_iter()
        .map(|(key, bundle)| {
            let executions = executions.get(&key).copied().unwrap_or(0);
            pricing.entry(key, executions, &bundle)
        })
        .collect();
    entries.sort_by_key(|entry| Reverse(entry.energy));
    entries
}

/// What turns a bundle into an entry.
pub(super) struct Pricing<'a, 'm> {
    /// The price list.
    pub costs: &'a Costs<'m>,
    /// The scenario's energy above idle: what shares are parts of.
    pub above_idle: Femtojoules,
    /// What samples tell of methods.
    pub areas: Option<&'a Areas>,
}

impl Pricing<'_, '_> {
    /// The 95 % interval of a bundle.
    pub fn interval(&self, bundle: &Bundle<'_>) -> Option<Interval> {
        match self.areas {
            Some(areas) => areas.interval(bundle, self.costs),
            None => bundle.interval(self.costs),
        }
    }

    /// One entry.
    pub fn entry<K>(&self, key: K, executions: u64, bundle: &Bundle<'_>) -> Entry<K> {
        Entry {
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

/// `part / whole`; absent where the whole isn't positive.
pub(crate) fn share(part: Femtojoules, whole: Femtojoules) -> Option<f64> {
    (whole.0 > 0).then(|| part.0 as f64 / whole.0 as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};
    use crate::model::ContextPrice;

    /// 40 executions of 1 uJ on two lines, in a context that no kernel measured; two that
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
