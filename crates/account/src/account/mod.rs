//! Accounts: energy of every operation, line, block, method and class of one scenario as costs x
//! counts, with 95 % intervals from the model's covariance, and the ledger that adds up to the
//! measured energy. Also the comparison with a known ground truth (`evaluate()`).
//!
//! Owns no input or output: dictionary, counts and model in, values and CSV text out.
//! See `docs/internals/accounts.md`.

pub(crate) mod accounts;
pub mod calls;
pub mod class;
mod concentration;
pub(crate) mod cost;
pub(crate) mod entry;
pub mod evaluate;
mod expected_error;
pub(crate) mod input;
mod input_spread;
pub mod ledger;
mod level;
pub mod matching;
pub(crate) mod method_groups;
pub mod predicted_energy;
mod priced_parts;
mod pricing;
pub mod profile;
pub mod table;
mod table_columns;
pub(crate) mod truth;
mod truth_pairs;
mod unseen;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod schema_tests;

pub use crate::exact::Femtojoules;
pub use crate::interval::Interval;
pub use accounts::VIEW_EXECUTIONS;
pub use accounts::{Accounts, BlockAccount, OperationAccount};
pub use class::{CLASSES, OperationClass};
pub use concentration::{BlocksOfHalf, Concentration, EnergyShare, RankedOperations};
pub use cost::{CountVector, IndexedModel};
pub use entry::{AccountEntry, LineKey, MethodKey, MethodLineKey};
pub use evaluate::{AccountEvaluation, LevelEvaluation};
pub use evaluate::{evaluate, evaluations_csv};
pub use expected_error::ExpectedLineError;
pub use input::AccountInput;
pub use input_spread::InputSpread;
pub use ledger::{Ledger, LedgerEntry, LedgerRow, MeasuredEnergies, RuntimeEnergy};
pub use method_groups::{MethodGroup, MethodGroups, SampledCase};
pub use predicted_energy::PredictedEnergy;
pub use table_columns::{account_table_schemas, evaluation_table_schemas};
pub use truth::GroundTruth;
pub use unseen::{UnseenInput, UnseenInputs};

use priced_parts::PricedParts;
use pricing::Pricing;

/// Computes the accounts of a scenario from counts, costs, samples and measured energies.
pub fn account(scenario: &AccountInput<'_>) -> Accounts {
    let PricedParts { leaves, method_groups, model } = scenario.priced();
    let costs = IndexedModel::new(&model);
    let above_idle = scenario.measured.above_idle();
    let pricing = Pricing { costs: &costs, above_idle, method_groups: method_groups.as_ref() };
    let explained = level::explained_energy(&leaves, &pricing);
    let ledger = ledger::ledger(scenario.measured, &explained, &pricing);
    let operations = level::accounts_by_operation(&leaves, &pricing);
    let blocks = level::accounts_by_block(scenario, &leaves, &pricing);
    Accounts {
        concentration: concentration::concentration(&leaves, (&operations, &blocks), &pricing),
        operations,
        lines: level::accounts_by_line(scenario, &leaves, &pricing),
        blocks,
        methods: level::accounts_by_method(scenario, &leaves, &pricing),
        parts: level::accounts_by_part(scenario, &leaves, &pricing),
        classes: level::accounts_by_class(scenario, &leaves, &pricing),
        packages: level::accounts_by_package(scenario, &leaves, &pricing),
        method_groups: method_groups.clone(),
        ledger,
    }
}
