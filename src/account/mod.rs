//! Costs x counts: what every operation, line, block, method and class of one scenario
//! spends, with 95 % intervals from the model's covariance, and the ledger that adds
//! up to what was measured. Also the comparison with a known ground truth (`evaluate()`).
//!
//! Owns no input or output: dictionary, counts and model in, values and CSV text out.
//! See `docs/accounts.md`.

pub(crate) mod areas;
pub mod calls;
pub(crate) mod class;
pub(crate) mod cost;
pub(crate) mod cumulative;
pub(crate) mod entry;
pub(crate) mod evaluate;
mod expected;
mod input_spread;
pub(crate) mod ledger;
mod level;
pub(crate) mod matching;
mod pairs;
pub(crate) mod predicted;
mod pricing;
pub mod profile;
pub(crate) mod table;
pub(crate) mod truth;
mod unseen;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod schema_tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::assumptions::ASSUMED;
use crate::blocks::BlockId;
use crate::model::Model;
use crate::operations::{Dictionary, Feature};
use crate::units::Joules;

pub use crate::exact::Femtojoules;
pub use crate::interval::Interval;
pub use areas::{MethodGroup, MethodGroups, SampledCase};
pub use class::{CLASSES, OperationClass};
pub(crate) use cost::{CountVector, IndexedModel};
pub use entry::{AccountEntry, LineKey, MethodKey, PartKey};
pub use evaluate::{AccountEvaluation, LevelEvaluation};
pub(crate) use evaluate::{evaluate, evaluations_csv};
pub use expected::ExpectedError;
pub use input_spread::InputSpread;
pub use ledger::{Ledger, LedgerEntry, LedgerRow, MeasuredEnergies, RuntimeEnergy};
pub use predicted::Predicted;
pub(crate) use truth::GroundTruth;
pub use unseen::{UnseenInput, UnseenInputs};

use areas::CountBasedCosts;
use calls::CallTree;
use pricing::Pricing;

/// Executions that the paper's second view of blocks shows.
pub(crate) const VIEW_EXECUTIONS: f64 = 3000.0;

/// What an account is made of.
#[derive(Debug, Clone, Copy)]
pub struct AccountInput<'a> {
    /// The blocks and what they hold.
    pub dictionary: &'a Dictionary,
    /// How often each block ran, over all input sequences of the scenario.
    pub executions: &'a BTreeMap<BlockId, u64>,
    /// The costs.
    pub model: &'a Model,
    /// What was measured for the same runs.
    pub measured: &'a MeasuredEnergies,
    /// What samplers saw of them, case by case; empty where there was no sampler.
    pub samples: &'a [SampledCase],
    /// Who called whom, where it was recorded.
    pub calls: Option<&'a CallTree>,
}

impl AccountInput<'_> {
    /// The smallest parts with their energies, and the areas that samples tell.
    fn priced(&self) -> PricedParts<'_> {
        self.sampled().unwrap_or_else(|| PricedParts {
            leaves: self.leaves(self.model),
            areas: None,
            model: Cow::Borrowed(self.model),
        })
    }

    /// The same by samples, where there are any.
    fn sampled(&self) -> Option<PricedParts<'_>> {
        if self.samples.is_empty() {
            return None;
        }
        let (words, mut leaves) =
            CountBasedCosts::of(self.model, &ASSUMED, |model| self.leaves(model));
        let level = self.level(&IndexedModel::new(words.model()));
        let cases: Vec<SampledCase> = self.samples.iter().map(|case| case.scaled(level)).collect();
        let (areas, model) = MethodGroups::price(&mut leaves, &cases, self.calls, words)?;
        Some(PricedParts { leaves, areas: Some(areas), model })
    }

    fn leaves(&self, model: &Model) -> Vec<entry::Leaf<'_>> {
        entry::leaves(self.dictionary, self.executions, &IndexedModel::new(model))
    }

    /// What was measured of a joule of the sampled cases. Their sessions say how they are to
    /// each other, sampled ones too, which cost a little more; and the runtime's own threads,
    /// which samplers of Java don't see, are in them where these are not told apart.
    fn level(&self, costs: &IndexedModel<'_>) -> f64 {
        let sampled: f64 = self.samples.iter().map(|case| case.energy.0).sum();
        match sampled > 0.0 {
            true => (self.own_energy(costs).0 / sampled).max(0.0),
            false => 1.0,
        }
    }

    /// The energy above idle without the ledger's rows of the runtime's compilers and its
    /// collector.
    pub(crate) fn own_energy(&self, costs: &IndexedModel<'_>) -> Joules {
        let above_idle = self.measured.total - self.measured.idle;
        above_idle - self.measured.collector(costs) - self.measured.compiler()
    }
}

/// The smallest parts of a scenario with their energies.
struct PricedParts<'a> {
    leaves: Vec<entry::Leaf<'a>>,
    /// What samples tell; absent without.
    areas: Option<MethodGroups>,
    /// The price list: the scenario's, with what samples taught.
    model: Cow<'a, Model>,
}

/// An operation or library function in the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationAccount {
    /// Its figure.
    pub entry: AccountEntry<Feature>,
    /// Energy of one execution; absent when the model doesn't know it.
    pub cost: Option<Joules>,
    /// Whether the cases alone determine the cost; absent with the cost.
    pub estimable: Option<bool>,
    /// Name of the cost that it takes: its own, or `lib:other`.
    pub costed_as: Option<String>,
}

/// A block in the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockAccount {
    /// Its figure.
    pub entry: AccountEntry<BlockId>,
    /// Name as in the dictionary.
    pub name: String,
    /// How it is entered, snake case.
    pub kind: String,
    /// Binary class name with package.
    pub class: String,
    /// Method with parameter types.
    pub method: String,
    /// Path relative to its source root.
    pub file: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// Energy of one execution.
    pub cost: Joules,
    /// Its 95 % interval.
    pub cost_interval: Option<Interval>,
    /// Energy in the scenario by class, in the order of [`CLASSES`].
    pub classes: [Femtojoules; 8],
    /// Energy in the scenario by line of the file; adds up to the block's. Empty where
    /// lines are not known.
    pub lines: BTreeMap<u32, Femtojoules>,
}

impl BlockAccount {
    /// The paper's second view: the energy of 3000 executions.
    pub fn energy_of_3000(&self) -> Joules {
        self.cost * VIEW_EXECUTIONS
    }

    /// Part of the block's energy that a class has, 0..1; absent for a block without
    /// positive energy.
    pub fn class_share(&self, class: OperationClass) -> Option<f64> {
        crate::exact::share(self.classes[class::index_of(class)], self.entry.energy)
    }
}

/// All accounts of one scenario. Every level is sorted by energy, the largest first, and
/// every level's energies add up to [`Accounts::explained`], to the last digit.
#[derive(Debug, Clone, PartialEq)]
pub struct Accounts {
    /// Operations and library functions.
    pub operations: Vec<OperationAccount>,
    /// Lines.
    pub lines: Vec<AccountEntry<LineKey>>,
    /// Blocks.
    pub blocks: Vec<BlockAccount>,
    /// Methods, constructors, initialisers, lambdas.
    pub methods: Vec<AccountEntry<MethodKey>>,
    /// Lines by method: those of a method add up to it.
    pub parts: Vec<AccountEntry<PartKey>>,
    /// Classes, nested ones apart from what they are nested in.
    pub classes: Vec<AccountEntry<String>>,
    /// Packages.
    pub packages: Vec<AccountEntry<String>>,
    /// What samples and counts say of methods; absent without samples.
    pub areas: Option<MethodGroups>,
    /// The ledger.
    pub ledger: Ledger,
}

impl Accounts {
    /// What the model explains of the source: operations and library, without GC.
    pub fn explained(&self) -> Femtojoules {
        self.ledger.energy(LedgerEntry::Operations) + self.ledger.energy(LedgerEntry::Library)
    }

    /// Energy above idle that no entry of a level holds: compilers, GC and what is unexplained.
    pub fn unattributed(&self) -> Femtojoules {
        self.ledger.above_idle() - self.explained()
    }

    /// The account of a block; `None` for one that didn't run.
    pub fn block(&self, id: BlockId) -> Option<&BlockAccount> {
        self.blocks.iter().find(|block| block.entry.key == id)
    }

    /// Energy of the scenario's blocks by class, in the order of [`CLASSES`].
    pub fn class_totals(&self) -> [Femtojoules; 8] {
        let mut totals = [Femtojoules::ZERO; 8];
        for block in &self.blocks {
            for (total, energy) in totals.iter_mut().zip(block.classes) {
                *total += energy;
            }
        }
        totals
    }
}

/// Accounts for a scenario.
pub fn account(scenario: &AccountInput<'_>) -> Accounts {
    let PricedParts { leaves, areas, model } = scenario.priced();
    let costs = IndexedModel::new(&model);
    let above_idle = scenario.measured.above_idle();
    let pricing = Pricing { costs: &costs, above_idle, areas: areas.as_ref() };
    let explained = level::explained(&leaves, &pricing);
    let ledger = ledger::ledger(scenario.measured, &explained, &pricing);
    Accounts {
        operations: level::operations(&leaves, &pricing),
        lines: level::lines(scenario, &leaves, &pricing),
        blocks: level::blocks(scenario, &leaves, &pricing),
        methods: level::methods(scenario, &leaves, &pricing),
        parts: level::parts(scenario, &leaves, &pricing),
        classes: level::classes(scenario, &leaves, &pricing),
        packages: level::packages(scenario, &leaves, &pricing),
        areas: areas.clone(),
        ledger,
    }
}
