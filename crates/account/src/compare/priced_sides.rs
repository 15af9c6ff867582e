//! One side of a comparison summed by a key (a method, a class): energy by costs, and what its
//! error is computed from.

use std::collections::BTreeMap;

use crate::account::{CountVector, IndexedModel};
use crate::blocks::BlockId;
use crate::operations::{BlockEntry, OperationCount};

use super::{ComparedSide, SidePrices};

/// Operation, context and count in the source: the content of a line.
type Signature<'a> = Vec<(&'a str, &'a str, u32)>;

/// Energy and counts of one key on one side.
#[derive(Debug, Default)]
pub(super) struct PricedCounts<'a> {
    /// Energy in joules.
    pub energy_j: f64,
    /// How often each cost occurs.
    pub counts: CountVector,
    /// Executions of operations without a cost in the model.
    pub unpriced: BTreeMap<&'a str, u64>,
    /// Standard errors in joules from prices of contexts, by operation and context.
    contexts: BTreeMap<(&'a str, &'a str), f64>,
    /// By file and line: operations, and energy in joules.
    lines: BTreeMap<(&'a str, u32), (Signature<'a>, f64)>,
}

impl<'a> PricedCounts<'a> {
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
        let weighted = count * costs.context_factor(found);
        match cost {
            Some(cost) => self.counts.add(cost, weighted),
            None => {
                let unpriced = self.unpriced.entry(found.operation.name()).or_default();
                *unpriced = unpriced.saturating_add(count as u64);
            }
        }
        self.energy_j += one * weighted;
        let unsure = one * count * costs.context_factor_se(found);
        if unsure != 0.0 {
            *self.contexts.entry((found.operation.name(), &found.context)).or_default() += unsure;
        }
        let line = self.lines.entry((&block.file, found.line)).or_default();
        line.0.push((found.operation.name(), &found.context, found.count));
        line.1 += one * weighted;
    }

    /// Energies in joules of the lines, in order, by their operations.
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

/// Sums a side by a key.
pub(super) fn price_side<'a, K: Ord>(
    side: ComparedSide<'a>,
    costs: &IndexedModel<'_>,
    key: impl Fn(&'a BlockEntry) -> K,
) -> BTreeMap<K, PricedCounts<'a>> {
    let mut all: BTreeMap<K, PricedCounts<'a>> = BTreeMap::new();
    let runs = |id: BlockId| side.executions.get(&id).copied().unwrap_or(0);
    for block in side.dictionary.blocks.iter().filter(|block| runs(block.id) > 0) {
        let sum = all.entry(key(block)).or_default();
        for found in &block.operations {
            sum.add(block, found, runs(block.id) as f64, costs);
        }
    }
    all
}

/// Both sides summed by key, with the models that price them.
pub(super) struct PricedSides<'a, K> {
    pub(super) base: BTreeMap<K, PricedCounts<'a>>,
    pub(super) new: BTreeMap<K, PricedCounts<'a>>,
    pub(super) costs: [IndexedModel<'a>; 2],
    /// Whether one model prices both sides.
    pub(super) is_shared: bool,
}

impl<'a, K: Ord> PricedSides<'a, K> {
    pub(super) fn of(
        base: ComparedSide<'a>,
        new: ComparedSide<'a>,
        prices: SidePrices<'a>,
        key: impl Fn(&BlockEntry) -> K,
    ) -> Self {
        let (models, is_shared) = match prices {
            SidePrices::Shared(model) => ([model, model], true),
            SidePrices::Own { base, new } => ([base, new], false),
        };
        let costs = models.map(IndexedModel::new);
        let [base, new] = [(base, &costs[0]), (new, &costs[1])]
            .map(|(side, costs)| price_side(side, costs, &key));
        Self { base, new, costs, is_shared }
    }
}

/// Variance in J^2 of `new - base` under one model, whose errors both sides share: costs and
/// contexts by the difference of the counts, spread of lines by the difference of lines with
/// equal operations. `None` where the model has no errors, or the sides differ by operations
/// without a cost.
pub(super) fn shared_variance(
    base: &PricedCounts,
    new: &PricedCounts,
    costs: &IndexedModel,
) -> Option<f64> {
    if base.unpriced != new.unpriced {
        return None;
    }
    variance_of_priced(base, new, costs)
}

/// Variance in J^2 of `new - base` over the operations that have costs.
fn variance_of_priced(
    base: &PricedCounts,
    new: &PricedCounts,
    costs: &IndexedModel,
) -> Option<f64> {
    let mut difference = CostErrors::default();
    difference.add(new, 1.0);
    difference.add(base, -1.0);
    let lines = line_pairs(base, new).map(|(before, now)| (now - before).powi(2));
    Some(difference.variance(costs)? + line_variance(lines, costs))
}

/// Variance in J^2 of a side by itself.
pub(super) fn own_variance(side: &PricedCounts, costs: &IndexedModel) -> Option<f64> {
    shared_variance(&PricedCounts::default(), side, costs)
}

/// Variance in J^2 of [`PricedCounts::energy_j`], which leaves out what has no cost.
pub(super) fn energy_variance(side: &PricedCounts, costs: &IndexedModel) -> Option<f64> {
    variance_of_priced(&PricedCounts::default(), side, costs)
}

/// Errors that a sum of keys shares with others through one model: counts of each cost, and
/// standard errors from prices of contexts, in joules.
#[derive(Debug, Clone, Default)]
pub(super) struct CostErrors<'a> {
    counts: CountVector,
    contexts: BTreeMap<(&'a str, &'a str), f64>,
}

impl<'a> CostErrors<'a> {
    /// Adds a key `times` times.
    pub(super) fn add(&mut self, key: &PricedCounts<'a>, times: f64) {
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

    /// Covariance in J^2 with another sum, from the variances of their sum and difference.
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

/// Energies in joules of both sides' lines, paired in order among those with equal operations; 0
/// where a side has none.
pub(super) fn line_pairs(
    base: &PricedCounts,
    new: &PricedCounts,
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

/// Variance in J^2 from the spread of lines about their operations, for products of lines'
/// energies.
pub(super) fn line_variance(products: impl Iterator<Item = f64>, costs: &IndexedModel) -> f64 {
    let part = costs.assumed().simulated_chip_vocabulary_error;
    part * part * products.sum::<f64>()
}
