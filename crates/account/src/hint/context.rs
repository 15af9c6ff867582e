//! Prices of the source's operations in the scenario: counts of costs, and energies with
//! intervals.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use compact_str::CompactString;

use crate::account::calls::CallTree;
use crate::account::{
    AccountEntry, Accounts, CountVector, IndexedModel, Interval, LineKey, MethodKey,
};
use crate::assumptions::Assumptions;
use crate::blocks::BlockId;
use crate::hint::callers::{self, CallerCounts};
use crate::hint::pattern::{self, TypeHierarchy};
use crate::interval::NORMAL_975;
use crate::java::SourceFile;
use crate::model::Model;
use crate::operations::{
    BlockEntry, Dictionary, Feature, LibraryFunction, Operation, OperationCount,
};
use crate::units::Joules;

/// Everything that hints are computed from: counts, costs, accounts, calls and sources.
#[derive(Clone, Copy)]
pub struct HintInput<'a> {
    /// Blocks with their operations.
    pub dictionary: &'a Dictionary,
    /// Executions of each block.
    pub executions: &'a BTreeMap<BlockId, u64>,
    /// Costs of operations.
    pub model: &'a Model,
    /// The scenario's accounts.
    pub accounts: &'a Accounts,
    /// Call paths, where they were recorded.
    pub calls: Option<&'a CallTree>,
    /// Sources, under the dictionary's file names.
    pub sources: &'a [SourceFile],
}

/// Counts of operations with the standard errors of their prices. Counts are negative where a
/// rewrite executes an operation instead of another.
#[derive(Debug, Clone, Default)]
pub struct PricedOperations {
    /// How often each cost occurs.
    pub counts: CountVector,
    /// Whether some operations have no cost.
    pub incomplete: bool,
    /// Standard errors in joules from prices of contexts, by operation and context.
    contexts: BTreeMap<(String, String), f64>,
    /// Energy in joules by block and line.
    lines: BTreeMap<(BlockId, u32), f64>,
}

impl PricedOperations {
    /// Adds all counts and errors of `other`.
    pub fn add_all(&mut self, other: &PricedOperations) {
        for (&cost, &count) in &other.counts.0 {
            self.counts.add(cost, count);
        }
        for (context, unsure) in &other.contexts {
            *self.contexts.entry(context.clone()).or_default() += unsure;
        }
        for (&line, energy_j) in &other.lines {
            *self.lines.entry(line).or_default() += energy_j;
        }
        self.incomplete |= other.incomplete;
    }

    /// Variance in J^2 from prices of contexts, and from the spread of lines about their
    /// operations.
    fn further_variance(&self, assumed: &Assumptions) -> f64 {
        let part = assumed.simulated_chip_vocabulary_error;
        let square = |sum: f64, x: &f64| sum + x * x;
        let lines = self.lines.values().fold(0.0, square);
        self.contexts.values().fold(0.0, square) + part * part * lines
    }
}

/// An operation in a context, as microbenchmarks price it.
#[derive(Debug, Clone)]
pub struct PricedForm {
    /// The operation or library function.
    pub operation: Feature,
    /// Its context; empty for the mean over all contexts.
    pub context: CompactString,
}

impl From<Operation> for PricedForm {
    fn from(operation: Operation) -> PricedForm {
        PricedForm::from((operation, ""))
    }
}

impl From<LibraryFunction> for PricedForm {
    fn from(function: LibraryFunction) -> PricedForm {
        PricedForm { operation: function.into(), context: CompactString::default() }
    }
}

impl From<(Operation, &str)> for PricedForm {
    fn from((operation, context): (Operation, &str)) -> PricedForm {
        PricedForm { operation: operation.into(), context: context.into() }
    }
}

impl From<&OperationCount> for PricedForm {
    fn from(found: &OperationCount) -> PricedForm {
        PricedForm { operation: found.operation.clone(), context: found.context.clone() }
    }
}

/// An energy with its interval, in joules and as a share of the scenario.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyAmount {
    /// The energy.
    pub energy: Joules,
    /// Its 95 % interval; absent where the model has none.
    pub interval: Option<Interval>,
    /// Share of the scenario's energy above idle, 0..1; absent where that is not positive.
    pub share: Option<f64>,
}

impl EnergyAmount {
    /// The interval as shares of the scenario; `None` without an interval.
    pub fn share_interval(&self) -> Option<(f64, f64)> {
        let (interval, share) = (self.interval?, self.share?);
        let whole = self.energy / Joules(1.0) / share;
        let usable = whole.is_finite() && whole > 0.0;
        usable.then(|| (interval.lo.0 / whole, interval.hi.0 / whole))
    }

    /// One standard deviation in joules; `None` without an interval.
    pub(super) fn standard_deviation_j(&self) -> Option<f64> {
        // The upper end may be cut off at the whole; the lower never is.
        Some((self.energy.0 - self.interval?.lo.0) / NORMAL_975)
    }

    /// Mean of two independent estimates of one quantity, weighted by the inverse of their
    /// variances. If only one has an interval, the result is that one; if neither has, it is the
    /// second.
    pub fn combined_with(&self, other: &EnergyAmount) -> EnergyAmount {
        let variance = |amount: &EnergyAmount| Some(amount.standard_deviation_j()?.powi(2));
        let (own, others) = match (variance(self), variance(other)) {
            (Some(own), Some(others)) if own + others > 0.0 => (own, others),
            (Some(_), None) => return *self,
            _ => return *other,
        };
        let weight = others / (own + others);
        let mean = |own: f64, others: f64| weight * own + (1.0 - weight) * others;
        let energy = Joules(mean(self.energy.0, other.energy.0));
        let interval = Interval::of_difference(energy, weight * own);
        let share = self.share.zip(other.share).map(|(own, others)| mean(own, others));
        EnergyAmount { energy, interval: Some(interval), share }
    }
}

/// The input of the hints, with indexes over it.
pub struct HintContext<'a> {
    /// The input that is indexed.
    pub input: HintInput<'a>,
    /// Costs of operations.
    pub costs: IndexedModel<'a>,
    files: HashMap<&'a str, Vec<&'a BlockEntry>>,
    lines: OnceCell<HashMap<(&'a str, u32), &'a AccountEntry<LineKey>>>,
    reassigned: OnceCell<BTreeSet<&'a str>>,
    types: OnceCell<TypeHierarchy<'a>>,
    callers: OnceCell<CallerCounts<'a>>,
}

impl<'a> HintContext<'a> {
    /// Indexes the input; indexes that few patterns need are built on first use.
    pub fn new(input: HintInput<'a>) -> HintContext<'a> {
        let mut files: HashMap<&str, Vec<&BlockEntry>> = HashMap::new();
        for block in &input.dictionary.blocks {
            files.entry(block.file.as_str()).or_default().push(block);
        }
        HintContext {
            input,
            costs: IndexedModel::new(input.model),
            files,
            lines: OnceCell::new(),
            reassigned: OnceCell::new(),
            types: OnceCell::new(),
            callers: OnceCell::new(),
        }
    }

    /// Executions of a block by caller, where calls were recorded; the key `None` is a thread
    /// that began with the block's method.
    pub(super) fn callers_of(
        &self,
        block: BlockId,
    ) -> Option<&BTreeMap<Option<&'a MethodKey>, u64>> {
        let calls = self.input.calls?;
        self.callers.get_or_init(|| callers::callers_by_block(calls)).get(&block)
    }

    /// The blocks of a file, in source order.
    pub(crate) fn blocks_of(&self, file: &str) -> &[&'a BlockEntry] {
        self.files.get(file).map_or(&[], Vec::as_slice)
    }

    /// Whether no method of the sources assigns a field of this name outside of its object's
    /// construction.
    pub(crate) fn is_set_once(&self, field: &str) -> bool {
        let sources = self.input.sources;
        let all = || sources.iter().flat_map(pattern::reassigned_fields).collect();
        !self.reassigned.get_or_init(all).contains(field)
    }

    /// The types that the sources declare.
    pub fn types(&self) -> &TypeHierarchy<'a> {
        self.types.get_or_init(|| TypeHierarchy::of(self.input.sources))
    }

    /// Executions of a block.
    pub fn runs(&self, block: &BlockEntry) -> u64 {
        self.input.executions.get(&block.id).copied().unwrap_or(0)
    }

    /// Counts of the operations of these blocks in the scenario for which `wanted` holds.
    pub fn count_operations(
        &self,
        blocks: &[&BlockEntry],
        wanted: impl Fn(&OperationCount) -> bool,
    ) -> PricedOperations {
        let mut counted = PricedOperations::default();
        for block in blocks {
            let runs = self.runs(block) as f64;
            for operation in block.operations.iter().filter(|operation| wanted(operation)) {
                self.add_found(&mut counted, block, operation, runs * f64::from(operation.count));
            }
        }
        counted
    }

    /// Adds executions of an operation of the source, at the price of its context.
    pub(crate) fn add_found(
        &self,
        counted: &mut PricedOperations,
        block: &BlockEntry,
        found: &OperationCount,
        count: f64,
    ) {
        let energy_j = self.add_one(counted, found, count);
        *counted.lines.entry((block.id, found.line)).or_default() += energy_j;
    }

    /// Adds executions of an operation in a context (`Field_Reference [read int]`).
    pub fn add(&self, counted: &mut PricedOperations, form: impl Into<PricedForm>, count: f64) {
        let PricedForm { operation, context } = form.into();
        self.add_one(counted, &OperationCount { operation, context, line: 0, count: 1 }, count);
    }

    /// Adds executions of an operation that is small beside the others: without a cost it counts
    /// as free.
    pub(crate) fn add_known(
        &self,
        counted: &mut PricedOperations,
        form: impl Into<PricedForm>,
        count: f64,
    ) {
        let form = form.into();
        if self.costs.of(form.operation.name()).is_some() {
            self.add(counted, form, count);
        }
    }

    /// Whether the model has a price of this function itself, not only that of all other
    /// functions.
    pub(crate) fn has_own_price(&self, function: &LibraryFunction) -> bool {
        let name = function.name();
        self.costs.of(name).is_some_and(|cost| self.costs.name(cost) == name)
    }

    /// Adds executions; returns their energy in joules.
    fn add_one(&self, counted: &mut PricedOperations, found: &OperationCount, count: f64) -> f64 {
        let Some(cost) = self.costs.of(found.operation.name()) else {
            counted.incomplete |= count != 0.0;
            return 0.0;
        };
        let one_j = self.costs.cost(cost).0;
        let relative = self.costs.context_factor(found);
        counted.counts.add(cost, count * relative);
        let unsure = one_j * count * self.costs.context_factor_se(found);
        if unsure != 0.0 {
            let context = (found.operation.to_string(), found.context.to_string());
            *counted.contexts.entry(context).or_default() += unsure;
        }
        one_j * count * relative
    }

    /// Energy of lines of a file by the accounts, including samples. The interval treats the
    /// lines' errors as fully correlated, as those of one method are.
    pub fn energy_of_lines(&self, file: &str, lines: &BTreeSet<u32>) -> EnergyAmount {
        let accounts = self.input.accounts;
        let index = || accounts.lines.iter().map(|e| ((e.key.file.as_str(), e.key.line), e));
        let all = self.lines.get_or_init(|| index().collect());
        let own: Vec<_> =
            lines.iter().filter_map(|line| all.get(&(file, *line)).copied()).collect();
        let whole = accounts.ledger.above_idle().joules();
        let energy = Joules(own.iter().map(|entry| entry.joules().0).sum());
        let interval = own.iter().try_fold((0.0, 0.0), |(lo, hi), entry| {
            let own = entry.interval?;
            Some((lo + own.lo.0, hi + own.hi.0))
        });
        EnergyAmount {
            energy,
            interval: interval.map(|(lo, hi)| Interval { lo: Joules(lo), hi: Joules(hi) }),
            share: (whole.0 > 0.0).then(|| energy / whole),
        }
    }

    /// Energy of counts. The interval of a saving may reach below zero (the rewrite costs more),
    /// but not above the scenario's energy.
    pub fn amount(&self, counted: &PricedOperations) -> EnergyAmount {
        let energy = self.costs.energy(&counted.counts);
        let variance = if counted.incomplete { None } else { self.costs.variance(&counted.counts) };
        let variance =
            variance.map(|variance| variance + counted.further_variance(self.costs.assumed()));
        let whole = self.input.accounts.ledger.above_idle().joules();
        let most = if whole > energy { whole } else { energy };
        let interval = |variance| Interval::of_difference(energy, variance).at_most(most);
        EnergyAmount {
            energy,
            interval: variance.map(interval),
            share: (whole.0 > 0.0).then(|| energy / whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(energy_j: f64, sd_j: f64) -> EnergyAmount {
        let interval = Some(Interval::of_difference(Joules(energy_j), sd_j * sd_j));
        EnergyAmount { energy: Joules(energy_j), interval, share: Some(energy_j / 10.0) }
    }

    /// 1 +- 1 J and 2 +- 0.5 J: weights of 1 and 4, so 1.8 J with a variance of 1/5.
    #[test]
    fn two_amounts_are_weighed_by_their_variances() {
        let both = amount(1.0, 1.0).combined_with(&amount(2.0, 0.5));
        assert!((both.energy.0 - 1.8).abs() < 1e-12 && (both.share.unwrap() - 0.18).abs() < 1e-12);
        let half_j = both.energy.0 - both.interval.unwrap().lo.0;
        assert!((half_j - NORMAL_975 * 0.2f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_interval_says_nothing_beside_what_has_one() {
        let (sure, unsure) =
            (amount(1.0, 1.0), EnergyAmount { interval: None, ..amount(2.0, 1.0) });
        assert_eq!(sure.combined_with(&unsure), sure);
        assert_eq!(unsure.combined_with(&sure), sure);
        assert_eq!(unsure.combined_with(&unsure), unsure);
        let exact = amount(3.0, 0.0);
        assert_eq!((exact.combined_with(&sure), sure.combined_with(&exact)), (exact, exact));
        assert_eq!(exact.combined_with(&exact), exact);
    }
}
