//! Comparisons of two campaigns, of a campaign and a patch, or of recordings of `monitor`:
//! changes in joules with 95 % intervals, and a verdict that a build can end with.
//!
//! Owns no input or output. `measurement` compares measured energies, `other_work` removes
//! incomparable figures, `methods` computes methods and classes by a model, `patch` transfers
//! counts to changed sources, `recorded` and `stability` compare recordings, `budget` checks
//! energies against a budget file; `text`, `markdown`, `json` and `junit` format the result.
//! `docs/internals/compare.md` has the definitions and the error rates.

pub mod budget;
mod budget_schema;
mod call_changes;
pub(crate) mod change;
pub mod json;
pub mod junit;
pub mod markdown;
pub(crate) mod measurement;
pub mod methods;
mod other_work;
#[cfg(test)]
mod output_tests;
mod pairing;
pub(crate) mod patch;
mod priced_sides;
mod reconciliation;
mod recorded;
mod recorded_text;
mod sampled_changes;
mod shares;
mod stability;
mod subject;
pub mod text;
mod text_cells;
pub(crate) mod uncertain_energy;
mod unpriced_operations;

pub use budget::{BudgetRow, Budgets};
pub use budget_schema::{budget_json_schema, budget_sections};
pub use change::{AllowedIncrease, EnergyChange, GateVerdict};
pub use change::{interval_in_shares, judge_change};
pub use measurement::{InputRuns, Measurement, PowerRunEnergy, compare_measured};
pub use methods::{ComparedSide, MethodChanges, SidePrices, compare_methods, compare_patch};
pub use other_work::take_back_other_work;
pub use patch::{CarriedCounts, PatchedProgram, carry_counts};
pub use reconciliation::MeasuredChange;
pub use recorded::{RecordedRun, RecordedSides};
pub use shares::{RecordedShares, ShareRow, SideStability, Stability};
pub use subject::Subject;
pub use uncertain_energy::UncertainEnergy;
pub use unpriced_operations::UnpricedOperations;

use crate::account::Interval;
use crate::units::Joules;

/// One row of a comparison: subject, change, verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRow {
    /// Subject of the row.
    pub subject: Subject,
    /// The figures.
    pub change: EnergyChange,
    /// Verdict against the limit; absent for rows that no check covers.
    pub verdict: Option<GateVerdict>,
    /// Why there is no figure, or what it omits; empty where there is nothing to remark.
    pub remark: String,
}

/// Source of the new side's figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareMode {
    /// Both sides were measured.
    Measured,
    /// The new side is a patch: its sources, the base's counts and the model.
    Predicted,
    /// Both sides are recordings of `monitor`.
    Recorded,
}

/// A complete comparison of two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Source of the new side's figures.
    pub mode: CompareMode,
    /// Limit of the check.
    pub limit: AllowedIncrease,
    /// The row that the check covers: the scenario, or what recordings hold.
    pub headline: ChangeRow,
    /// The input sequences, or the parts of recordings that are no methods.
    pub inputs: Vec<ChangeRow>,
    /// Classes that changed, the largest change first.
    pub classes: Vec<ChangeRow>,
    /// Methods that changed, the largest change first.
    pub methods: Vec<ChangeRow>,
    /// Number of methods with equal counts and prices on both sides.
    pub unchanged: usize,
    /// Budgets with their verdicts.
    pub budgets: Vec<BudgetRow>,
    /// Total duration of the new side's power runs in seconds; 0 for a patch.
    pub duration_s: f64,
    /// Notes for the reader: virtual board, other model, left-out methods.
    pub notes: Vec<String>,
    /// Parts of the whole and how alike repeats are, of recordings.
    pub recorded: Option<RecordedShares>,
}

impl Comparison {
    /// Overall verdict; missing data takes precedence over an increase, which it may hide.
    pub fn verdict(&self) -> GateVerdict {
        let own = self.headline.verdict.unwrap_or(GateVerdict::NoData);
        let budgets = self.budgets.iter().map(|row| row.verdict);
        budgets.chain([own]).max().unwrap_or(GateVerdict::NoData)
    }
}

/// Interval of half width `half` around a difference, which may be negative.
fn around(energy: f64, half: f64) -> Interval {
    Interval { lo: Joules(energy - half), hi: Joules(energy + half) }
}

/// Joins two remarks; either may be empty.
fn joined(remarks: [String; 2]) -> String {
    remarks.into_iter().filter(|remark| !remark.is_empty()).collect::<Vec<_>>().join("; ")
}
