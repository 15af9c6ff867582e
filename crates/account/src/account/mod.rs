//! Costs x counts: what every operation, line, block, method and class of one scenario
//! spends, with 95 % intervals from the model's covariance, and the ledger that adds
//! up to what was measured. Also the comparison with a known ground truth (`evaluate()`).
//!
//! Owns no input or output: dictionary, counts and model in, values and CSV text out.
//! See `docs/accounts.md`.

pub(crate) mod accounts;
pub(crate) mod areas;
pub mod calls;
pub mod class;
mod concentration;
pub(crate) mod cost;
pub(crate) mod entry;
pub mod evaluate;
mod expected;
pub(crate) mod input;
mod input_spread;
pub mod ledger;
mod level;
pub mod matching;
mod pairs;
pub mod predicted;
mod priced_parts;
mod pricing;
pub mod profile;
pub mod table;
pub(crate) mod truth;
mod unseen;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod schema_tests;

pub use crate::exact::Femtojoules;
pub use crate::interval::Interval;
pub use accounts::VIEW_EXECUTIONS;
pub use accounts::{Accounts, BlockAccount, OperationAccount};
pub use areas::{MethodGroup, MethodGroups, SampledCase};
pub use class::{CLASSES, OperationClass};
pub use concentration::{BlocksOfHalf, Concentration, EnergyShare, RankedOperations};
pub use cost::{CountVector, IndexedModel};
pub use entry::{AccountEntry, LineKey, MethodKey, PartKey};
pub use evaluate::{AccountEvaluation, LevelEvaluation};
pub use evaluate::{evaluate, evaluations_csv};
pub use expected::ExpectedError;
pub use input::AccountInput;
pub use input_spread::InputSpread;
pub use ledger::{Ledger, LedgerEntry, LedgerRow, MeasuredEnergies, RuntimeEnergy};
pub use predicted::Predicted;
pub use truth::GroundTruth;
pub use unseen::{UnseenInput, UnseenInputs};

use priced_parts::PricedParts;
use pricing::Pricing;

/// Accounts for a scenario.
pub fn account(scenario: &AccountInput<'_>) -> Accounts {
    let PricedParts { leaves, areas, model } = scenario.priced();
    let costs = IndexedModel::new(&model);
    let above_idle = scenario.measured.above_idle();
    let pricing = Pricing { costs: &costs, above_idle, areas: areas.as_ref() };
    let explained = level::explained(&leaves, &pricing);
    let ledger = ledger::ledger(scenario.measured, &explained, &pricing);
    let operations = level::operations(&leaves, &pricing);
    let blocks = level::blocks(scenario, &leaves, &pricing);
    Accounts {
        concentration: concentration::concentration(&leaves, (&operations, &blocks), &pricing),
        operations,
        lines: level::lines(scenario, &leaves, &pricing),
        blocks,
        methods: level::methods(scenario, &leaves, &pricing),
        parts: level::parts(scenario, &leaves, &pricing),
        classes: level::classes(scenario, &leaves, &pricing),
        packages: level::packages(scenario, &leaves, &pricing),
        areas: areas.clone(),
        ledger,
    }
}
