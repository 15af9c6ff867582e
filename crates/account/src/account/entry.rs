//! Entries of an account; leaves, the smallest parts (an operation on a line of a block); and
//! sums of leaves.

use std::collections::BTreeMap;
use std::iter::Sum;
use std::ops::AddAssign;

use crate::account::cost::{CostIndex, CountVector, IndexedModel};
use crate::assumptions::Assumptions;
use crate::blocks::BlockId;
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::operations::{BlockEntry, Dictionary, OperationCount};
use crate::units::Joules;

/// Energy and executions of one entry of an account level in the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct AccountEntry<K> {
    /// What the entry is about: an operation, a block, a line, a method, a class.
    pub key: K,
    /// Number of executions: occurrences of an operation, runs of a block, runs of the most
    /// executed block on a line, entries of a method's body; their sum for a class.
    pub executions: u64,
    /// Energy: the sum over operations with known costs.
    pub energy: Femtojoules,
    /// 95 % interval; absent where the model has none, and where an operation has no cost.
    pub interval: Option<Interval>,
    /// Share of the scenario's energy above idle, 0..1; absent where that is not positive.
    pub share: Option<f64>,
    /// Executions of operations without a cost in the model; their energy is in the ledger's
    /// unexplained row.
    pub unknown: u64,
    /// Whether the cases alone determine the energy, even if not each cost in it; otherwise the
    /// prior contributes.
    pub determined: bool,
}

impl<K> AccountEntry<K> {
    /// The energy in joules.
    pub fn joules(&self) -> Joules {
        self.energy.joules()
    }
}

/// Key of a source line: file and number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineKey {
    /// Path relative to its source root.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
}

/// Key of a method, constructor, initialiser or lambda: class and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodKey {
    /// Binary class name with package.
    pub class: String,
    /// Method with parameter types, as in the dictionary.
    pub method: String,
}

/// Key of a line within one method. Methods may share a line: a lambda and the method around it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodLineKey {
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
    /// Executions of the operation: its count in the block x executions of the block.
    pub executions: u64,
    /// Executions weighted by the context: equivalent executions at the operation's mean cost.
    pub weighted: f64,
    /// Cost that applies; absent for an operation without one in the model.
    pub cost: Option<CostIndex>,
    /// Cost x weighted executions, rounded to the femtojoule; zero without a cost.
    pub energy: Femtojoules,
    /// Standard error in joules from the price of the context.
    pub context_error_j: f64,
    /// Index of the line estimate that it is a part of; absent without samples.
    pub line_estimate: Option<usize>,
}

impl Leaf<'_> {
    /// Executions of the operation; zero where a compiler removes it.
    pub fn instructions(&self) -> u64 {
        if self.operation.is_compiled_away() { 0 } else { self.executions }
    }

    /// The line of the block that the leaf is on.
    pub fn block_line(&self) -> BlockLine {
        (self.block.id, self.operation.line)
    }
}

/// All leaves of the blocks that ran.
pub(super) fn leaves<'a>(
    dictionary: &'a Dictionary,
    executions: &BTreeMap<BlockId, u64>,
    costs: &IndexedModel<'_>,
) -> Vec<Leaf<'a>> {
    let mut leaves = Vec::new();
    for (block, runs) in executed_blocks(dictionary, executions) {
        for operation in &block.operations {
            let count = runs.saturating_mul(u64::from(operation.count));
            let cost = costs.of(operation.operation.name());
            let weighted = count as f64 * costs.context_factor(operation);
            let energy = cost.map_or(Joules::ZERO, |cost| costs.cost(cost) * weighted);
            let energy = Femtojoules::from_joules(energy);
            let unsure = count as f64 * costs.context_factor_se(operation);
            let context_error_j = cost.map_or(0.0, |cost| costs.cost(cost).0 * unsure);
            leaves.push(Leaf {
                block,
                operation,
                executions: count,
                weighted,
                cost,
                energy,
                context_error_j,
                line_estimate: None,
            });
        }
    }
    leaves
}

/// Blocks with executions, and their number, in the dictionary's order.
pub(super) fn executed_blocks<'a>(
    dictionary: &'a Dictionary,
    executions: &BTreeMap<BlockId, u64>,
) -> impl Iterator<Item = (&'a BlockEntry, u64)> {
    dictionary.blocks.iter().filter_map(|block| {
        let runs = executions.get(&block.id).copied().unwrap_or(0);
        (runs > 0).then_some((block, runs))
    })
}

/// A line of a block: block number and line.
pub(super) type BlockLine = (BlockId, u32);

/// Energy and executions of some leaves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct LeafTotals {
    /// Sum of the leaves' energies.
    pub energy: Femtojoules,
    /// Sum of the executions of the leaves' operations.
    pub executions: u64,
}

impl LeafTotals {
    /// Mean energy of an execution of any operation, in joules.
    pub(crate) fn mean_execution_j(&self) -> f64 {
        self.energy.joules().0 / self.executions.max(1) as f64
    }

    /// Typical energy in joules: the mean of the energy and of the executions at
    /// `mean_execution_j` joules each, since costs of single operations may be far too low.
    pub(crate) fn typical_j(&self, once_j: f64) -> f64 {
        (self.energy.joules().0 + once_j * self.executions as f64) / 2.0
    }
}

impl From<&Leaf<'_>> for LeafTotals {
    fn from(leaf: &Leaf<'_>) -> Self {
        Self { energy: leaf.energy, executions: leaf.instructions() }
    }
}

impl AddAssign for LeafTotals {
    fn add_assign(&mut self, other: Self) {
        self.energy += other.energy;
        self.executions = self.executions.saturating_add(other.executions);
    }
}

impl Sum for LeafTotals {
    fn sum<I: Iterator<Item = Self>>(portions: I) -> Self {
        portions.fold(Self::default(), |mut sum, portion| {
            sum += portion;
            sum
        })
    }
}

/// Sum of leaves, with what its interval is computed from.
#[derive(Debug, Clone, Default)]
pub(super) struct Bundle<'a> {
    /// Sum of the leaves' energies.
    pub energy: Femtojoules,
    /// How often each cost occurs.
    pub counts: CountVector,
    /// Executions of operations without a cost.
    pub unknown: u64,
    /// Standard errors in joules from prices of contexts, by operation and context.
    contexts: BTreeMap<(&'a str, &'a str), f64>,
    /// For each line estimate, energy and executions of the bundle's part by code location.
    pub line_estimates: BTreeMap<usize, BTreeMap<BlockLine, LeafTotals>>,
    /// Energy in joules by file and line.
    lines: BTreeMap<(&'a str, u32), f64>,
}

impl<'a> Bundle<'a> {
    /// Adds one leaf.
    pub fn add(&mut self, leaf: &Leaf<'a>) {
        self.add_part(leaf, 1.0, leaf.energy, leaf.executions);
    }

    /// Adds a part of a leaf, or a multiple, with the energy and executions of this part.
    pub fn add_part(&mut self, leaf: &Leaf<'a>, part: f64, energy: Femtojoules, executions: u64) {
        self.energy += energy;
        let OperationCount { operation, context, line, .. } = leaf.operation;
        let executions = if leaf.operation.is_compiled_away() { 0 } else { executions };
        *self.lines.entry((&leaf.block.file, *line)).or_default() += energy.joules().0;
        if let Some(line_estimate) = leaf.line_estimate {
            let places = self.line_estimates.entry(line_estimate).or_default();
            *places.entry(leaf.block_line()).or_default() += LeafTotals { energy, executions };
        }
        if leaf.context_error_j != 0.0 {
            *self.contexts.entry((operation.name(), context)).or_default() +=
                leaf.context_error_j * part;
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
        for (line_estimate, places) in &other.line_estimates {
            let own = self.line_estimates.entry(*line_estimate).or_default();
            places.iter().for_each(|(place, part)| *own.entry(*place).or_default() += *part);
        }
        for (key, energy) in &other.lines {
            *self.lines.entry(*key).or_default() += energy;
        }
    }

    /// The 95 % interval of the bundle; absent where a part has no cost.
    pub fn interval(&self, costs: &IndexedModel<'_>) -> Option<Interval> {
        let known = if self.unknown > 0 { None } else { costs.interval(&self.counts) };
        known.map(|interval| {
            interval.widened(self.energy.joules(), self.further_variance(costs.assumed()))
        })
    }

    /// Variance of the error of the part that has costs, in J^2.
    pub fn variance(&self, costs: &IndexedModel<'_>) -> Option<f64> {
        let known = costs.variance(&self.counts)?;
        Some(known + self.further_variance(costs.assumed()))
    }

    /// Variance in J^2 beyond the covariance of the costs: from prices of contexts, and from the
    /// spread of lines about their operations.
    fn further_variance(&self, assumed: &Assumptions) -> f64 {
        let part = assumed.simulated_chip_vocabulary_error;
        let contexts: f64 = self.contexts.values().map(|error| error * error).sum();
        let lines: f64 = self.lines.values().map(|e| (part * e).powi(2)).sum();
        contexts + lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assumptions::ASSUMED;

    /// Of 40 uJ on two lines operations can't say 5 % each; doubled, 10 %.
    #[test]
    fn what_lines_are_assumed_to_hide_widens_their_intervals() {
        let lines = BTreeMap::from([(("A.java", 1), 20e-6), (("A.java", 2), 20e-6)]);
        let bundle = Bundle { lines, ..Bundle::default() };
        let se = |assumed: &Assumptions| bundle.further_variance(assumed).sqrt();
        let close = |found: f64, expected: f64| (found / expected - 1.0).abs() < 1e-12;
        assert!(close(se(&ASSUMED), 1e-6 * 2f64.sqrt()));
        let simulated_chip_vocabulary_error = 2.0 * ASSUMED.simulated_chip_vocabulary_error;
        let doubled = Assumptions { simulated_chip_vocabulary_error, ..ASSUMED };
        assert!(close(se(&doubled), 2.0 * se(&ASSUMED)));
    }
}
