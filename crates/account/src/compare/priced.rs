//! One side of a comparison, summed up by a key (a method, a class): what its operations
//! cost, and the parts that its error is made of.

use std::collections::BTreeMap;

use crate::account::{CountVector, IndexedModel};
use crate::blocks::BlockId;
use crate::operations::{BlockEntry, OperationCount};

use super::{Side, SidePrices};

/// Operation, context, count in the text: what a line consists of.
type Signature<'a> = Vec<(&'a str, &'a str, u32)>;

/// What one key costs on one side.
#[derive(Debug, Default)]
pub(super) struct PricedKey<'a> {
    /// Energy in joules.
    pub energy_j: f64,
    /// How often each cost occurs.
    pub counts: CountVector,
    /// Executions of operations that the model has no cost for.
    pub unpriced: BTreeMap<&'a str, u64>,
    /// By operation and context, what the price of the context leaves unsure, in joules.
    contexts: BTreeMap<(&'a str, &'a str), f64>,
    /// By file and line: its operations, and their energy in joules.
    lines: BTreeMap<(&'a str, u32), (Signature<'a>, f64)>,
}

impl<'a> PricedKey<'a> {
    fn add(
        &mut self,
        block: &'a BlockEntry,
        found: &'a OperationCount,
        runs: f64,
        costs: &IndexedModel,
    ) {
        let count = runs * f64::from(found.count);
        let cost = costs.of(found.operation.name());
        let one = cost.map_or(0.0, |cost| costs.cost(cost).0);
        let weighted = count * costs.relative(found);
        match cost {
            Some(cost) => self.counts.add(cost, weighted),
            None => {
                let unpriced = self.unpriced.entry(found.operation.name()).or_default();
                *unpriced = unpriced.saturating_add(count as u64);
            }
        }
        self.energy_j += one * weighted;
        let unsure = one * count * costs.relative_se(found);
        if unsure != 0.0 {
            *self.contexts.entry((found.operation.name(), &found.context)).or_default() += unsure;
        }
        let line = self.lines.entry((&block.file, found.line)).or_default();
        line.0.push((found.operation.name(), &found.context, found.count));
        line.1 += one * weighted;
    }

    /// Energies in joules of all lines that consist of the same operations, in order.
    fn by_signature(&self) -> BTreeMap<Signature<'a>, Vec<f64>> {
        let mut lines: BTreeMap<Signature<'a>, Vec<f64>> = BTreeMap::new();
        for (signature, energy_j) in self.lines.values() {
            let mut signature = signature.clone();
            signature.sort_unstable();
            lines.entry(signature).or_default().push(*energy_j);
        }
        lines
    }
}

/// Sums a side up by a key.
pub(super) fn priced<'a, K: Ord>(
    side: Side<'a>,
    costs: &IndexedModel<'_>,
    key: impl Fn(&'a BlockEntry) -> K,
) -> BTreeMap<K, PricedKey<'a>> {
    let mut all: BTreeMap<K, PricedKey<'a>> = BTreeMap::new();
    let runs = |id: BlockId| side.executions.get(&id).copied().unwrap_or(0);
    for block in side.dictionary.blocks.iter().filter(|block| runs(block.id) > 0) {
        let sum = all.entry(key(block)).or_default();
        for found in &block.operations {
            sum.add(block, found, runs(block.id) as f64, costs);
        }
    }
    all
}

/// Both sides by key, and the models that price them.
pub(super) struct PricedSides<'a, K> {
    pub(super) base: BTreeMap<K, PricedKey<'a>>,
    pub(super) new: BTreeMap<K, PricedKey<'a>>,
    pub(super) costs: [IndexedModel<'a>; 2],
    /// Whether one model prices both sides.
    pub(super) is_shared: bool,
}

impl<'a, K: Ord> PricedSides<'a, K> {
    pub(super) fn of(
        base: Side<'a>,
        new: Side<'a>,
        prices: SidePrices<'a>,
        key: impl Fn(&BlockEntry) -> K,
    ) -> Self {
        let (models, is_shared) = match prices {
            SidePrices::Shared(model) => ([model, model], true),
            SidePrices::Own { base, new } => ([base, new], false),
        };
        let costs = models.map(IndexedModel::new);
        let [base, new] =
            [(base, &costs[0]), (new, &costs[1])].map(|(side, costs)| priced(side, costs, &key));
        Self { base, new, costs, is_shared }
    }
}

/// Variance in J^2 of `new - base` under one model, whose errors both share: costs and
/// contexts by the difference of the counts; what operations can't say about a line by
/// the difference of lines that consist of the same operations. `None` where the model
/// has no errors, or the sides differ by operations that it has no cost for.
pub(super) fn shared_variance(
    base: &PricedKey,
    new: &PricedKey,
    costs: &IndexedModel,
) -> Option<f64> {
    if base.unpriced != new.unpriced {
        return None;
    }
    variance_of_priced(base, new, costs)
}

/// The same of those operations alone that the model has costs for.
fn variance_of_priced(base: &PricedKey, new: &PricedKey, costs: &IndexedModel) -> Option<f64> {
    let mut difference = CostErrors::default();
    difference.add(new, 1.0);
    difference.add(base, -1.0);
    let lines = line_pairs(base, new).map(|(before, now)| (now - before).powi(2));
    Some(difference.variance(costs)? + line_variance(lines, costs))
}

/// Variance in J^2 of a side by itself.
pub(super) fn own_variance(side: &PricedKey, costs: &IndexedModel) -> Option<f64> {
    shared_variance(&PricedKey::default(), side, costs)
}

/// Variance in J^2 of [`PricedKey::energy_j`], which leaves out what has no cost.
pub(super) fn energy_variance(side: &PricedKey, costs: &IndexedModel) -> Option<f64> {
    variance_of_priced(&PricedKey::default(), side, costs)
}

/// What a sum of keys has of the errors of one model that its keys share: how often it takes each
/// cost, and what the prices of contexts leave unsure, in joules.
#[derive(Debug, Clone, Default)]
pub(super) struct CostErrors<'a> {
    counts: CountVector,
    contexts: BTreeMap<(&'a str, &'a str), f64>,
}

impl<'a> CostErrors<'a> {
    /// Adds a key so many times.
    pub(super) fn add(&mut self, key: &PricedKey<'a>, times: f64) {
        for (&cost, &count) in &key.counts.0 {
            self.counts.add(cost, times * count);
        }
        for (&context, error) in &key.contexts {
            *self.contexts.entry(context).or_default() += times * error;
        }
    }

    fn variance(&self, costs: &IndexedModel) -> Option<f64> {
        let contexts: f64 = self.contexts.values().map(|error| error * error).sum();
        Some(costs.variance(&self.counts)? + contexts)
    }

    /// Covariance in J^2 with another sum: by the variances of their sum and their difference.
    pub(super) fn covariance(&self, other: &CostErrors<'a>, costs: &IndexedModel) -> Option<f64> {
        let with = |times: f64| {
            let mut counts = self.counts.clone();
            other.counts.0.iter().for_each(|(&cost, &count)| counts.add(cost, times * count));
            costs.variance(&counts)
        };
        let contexts: f64 = self
            .contexts
            .iter()
            .map(|(context, error)| error * other.contexts.get(context).copied().unwrap_or(0.0))
            .sum();
        Some((with(1.0)? - with(-1.0)?) / 4.0 + contexts)
    }
}

/// Energies in joules of the lines of both sides, paired in order among those that consist of the
/// same operations; 0 where a side has none.
pub(super) fn line_pairs(
    base: &PricedKey,
    new: &PricedKey,
) -> impl Iterator<Item = (f64, f64)> + use<> {
    let (base, mut new) = (base.by_signature(), new.by_signature());
    let mut pairs = Vec::new();
    for (signature, before) in base {
        let now = new.remove(&signature).unwrap_or_default();
        let at = |side: &[f64], i: usize| side.get(i).copied().unwrap_or(0.0);
        pairs.extend((0..before.len().max(now.len())).map(|i| (at(&before, i), at(&now, i))));
    }
    pairs.extend(new.into_values().flatten().map(|now| (0.0, now)));
    pairs.into_iter()
}

/// What products of lines' energies in J^2 have of the error that operations can't tell of a line.
pub(super) fn line_variance(products: impl Iterator<Item = f64>, costs: &IndexedModel) -> f64 {
    let part = costs.assumed().simulated_chip_vocabulary_error;
    part * part * products.sum::<f64>()
}
