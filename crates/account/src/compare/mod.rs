//! Did it get worse? Two campaigns, a campaign and a patch, or recordings of `monitor`, held
//! against each other:
//! changes in joules with 95 % intervals, and a verdict that a build can end with.
//!
//! Owns no input or output. `measured` compares what was measured, `other_work` takes back
//! what can't be compared, `methods` is what a model says of methods and classes, `patch`
//! carries counts over to changed sources, `recorded` and `stability` compare recordings,
//! `budget` holds energies against a budget file;
//! `text`, `markdown`, `json` and `junit` write the result down. `docs/compare.md` has the
//! definitions and the error rates.

pub mod budget;
mod called;
pub(crate) mod change;
pub mod json;
pub mod junit;
pub mod markdown;
pub(crate) mod measured;
pub mod methods;
mod other_work;
#[cfg(test)]
mod output_tests;
mod pairing;
pub(crate) mod patch;
mod priced;
mod reconciled;
mod recorded;
mod recorded_text;
mod sampled;
mod shares;
mod stability;
mod subject;
pub mod text;
mod text_cells;
pub(crate) mod uncertain;
mod unpriced;

pub use budget::{BudgetRow, Budgets};
pub use change::{AllowedIncrease, EnergyChange, GateVerdict};
pub use change::{judge, shares_of};
pub use measured::{InputRuns, Measurement, Repeat, compare_measured};
pub use methods::{MethodChanges, Side, SidePrices, compare_methods, compare_patch};
pub use other_work::take_back_other_work;
pub use patch::{Carried, Patched, carry};
pub use reconciled::MeasuredChange;
pub use recorded::{RecordedRun, RecordedSides};
pub use shares::{RecordedShares, ShareRow, SideStability, Stability};
pub use subject::Subject;
pub use uncertain::Uncertain;
pub use unpriced::UnpricedOperations;

use crate::account::Interval;
use crate::units::Joules;

/// One line of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeRow {
    /// What it is about.
    pub subject: Subject,
    /// The figures.
    pub change: EnergyChange,
    /// What the figures say of the limit; absent for rows that no gate looks at.
    pub verdict: Option<GateVerdict>,
    /// Why there is no figure, or what it leaves out; empty where there is nothing to say.
    pub remark: String,
}

/// Where the new figures come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareMode {
    /// Both sides were measured.
    Measured,
    /// The new side is a patch: its sources, the base's counts, the model.
    Predicted,
    /// Both sides are recordings of `monitor`.
    Recorded,
}

/// A whole comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Where the new figures come from.
    pub mode: CompareMode,
    /// The limit that the gate has.
    pub limit: AllowedIncrease,
    /// What the gate looks at: the scenario, or what recordings hold.
    pub headline: ChangeRow,
    /// The input sequences, or the parts of recordings that are no methods.
    pub inputs: Vec<ChangeRow>,
    /// Classes that changed, the largest change first.
    pub classes: Vec<ChangeRow>,
    /// Methods that changed, the largest change first.
    pub methods: Vec<ChangeRow>,
    /// Methods whose counts and prices are the same on both sides.
    pub unchanged: usize,
    /// Held against the budget file.
    pub budgets: Vec<BudgetRow>,
    /// How long the new side's power runs took together, in seconds; 0 for a patch.
    pub duration_s: f64,
    /// What the reader must know: virtual board, other model, left-out methods.
    pub notes: Vec<String>,
    /// Parts of the whole and how alike repeats are, of recordings.
    pub recorded: Option<RecordedShares>,
}

impl Comparison {
    /// What the build should do: missing data goes before an increase, as it hides one.
    pub fn verdict(&self) -> GateVerdict {
        let own = self.headline.verdict.unwrap_or(GateVerdict::NoData);
        let budgets = self.budgets.iter().map(|row| row.verdict);
        budgets.chain([own]).max().unwrap_or(GateVerdict::NoData)
    }
}

/// An interval around a difference, which may be negative.
fn around(energy: f64, half: f64) -> Interval {
    Interval { lo: Joules(energy - half), hi: Joules(energy + half) }
}

/// Two remarks as one; either may be empty.
fn joined(remarks: [String; 2]) -> String {
    remarks.into_iter().filter(|remark| !remark.is_empty()).collect::<Vec<_>>().join("; ")
}
