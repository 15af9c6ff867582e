//! What a report is made of. Everything stands in the files of a campaign's folder, so
//! that a report can be made again from them.

use std::collections::BTreeMap;

use crate::account::calls::CallAccounts;
use crate::account::{AccountEvaluation, Accounts, UnseenInputs};
use crate::hint::{Hint, Withheld};
use crate::model::table::Table;
use crate::model::{CvRow, Model, OperationEstimability};

/// The board that was measured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReportedBoard {
    /// Model or serial.
    pub name: String,
    /// Whether it is the virtual board: then the headline says so.
    pub is_virtual: bool,
    /// Whether no meter measured power, but a model of CPU time gave it.
    pub is_estimate: bool,
    /// The chip of a virtual board, where its records name it.
    pub simulated_model: Option<String>,
    /// The meter: `INA231 (arm, mem, g3d, kfc)`.
    pub meter: String,
    /// The fixed frequency, as text with its unit; absent where it wasn't fixed.
    pub frequency: Option<String>,
}

/// Where the energies of a report come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnergyOrigin {
    /// A virtual board computed them.
    Simulated,
    /// A model of power made them of CPU time.
    Estimated,
    /// A power meter measured them.
    Measured,
}

impl ReportedBoard {
    /// Where its energies come from.
    pub fn origin(&self) -> EnergyOrigin {
        match self.is_virtual {
            true => EnergyOrigin::Simulated,
            false if self.is_estimate => EnergyOrigin::Estimated,
            false => EnergyOrigin::Measured,
        }
    }
}

/// How much was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CampaignFacts {
    /// Input sequences of the scenario.
    pub sequences: usize,
    /// Execution cases: input sequences x removed sets.
    pub cases: usize,
    /// Power runs that count.
    pub power_runs: usize,
    /// Idle runs that count.
    pub idle_runs: usize,
    /// Traced runs that count.
    pub traced_runs: usize,
    /// Runs that were kept but failed a check.
    pub failed_runs: usize,
    /// Microbenchmarks measured on the same board.
    pub microbenchmarks: usize,
}

/// A section that another module has made: it stands before the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportSection {
    /// The section's anchor.
    pub id: &'static str,
    /// Its head, also among the page's links.
    pub title: &'static str,
    /// What it shows.
    pub sentence: &'static str,
    /// Style rules of its own.
    pub style: &'static str,
    /// Its contents; text in it is escaped.
    pub html: String,
}

/// Everything that a report shows.
#[derive(Debug, Clone, Copy)]
pub struct ReportData<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    /// The board.
    pub board: &'a ReportedBoard,
    /// How much was measured.
    pub campaign: CampaignFacts,
    /// The data set that the model was fitted to.
    pub table: &'a Table,
    /// The model.
    pub model: &'a Model,
    /// Cross-validation, the model first, then the baselines.
    pub cv: &'a [CvRow],
    /// What the model's sort of data can tell.
    pub estimability: &'a [OperationEstimability],
    /// Accounts and ledger.
    pub accounts: &'a Accounts,
    /// Who called, where it was recorded.
    pub calls: Option<&'a CallAccounts>,
    /// Why nobody's calls can be recorded of the application; none where they can.
    pub no_calls: Option<&'a str>,
    /// The comparison with the ground truth, where one is known.
    pub evaluation: Option<&'a AccountEvaluation>,
    /// Input sequences by the accounts of the others, where there are several.
    pub unseen: Option<&'a UnseenInputs>,
    /// Hints, what saves most first.
    pub hints: &'a [Hint],
    /// Why there is no hint, where there is none.
    pub no_hints: &'a str,
    /// Places that are no hint on this board, by pattern.
    pub withheld: &'a [Withheld],
    /// Findings by sort: what could not be parsed, resolved, probed, removed.
    pub findings: &'a BTreeMap<String, usize>,
    /// Source text by the dictionary's file names.
    pub sources: &'a BTreeMap<String, String>,
    /// Remarks that the reader must see: fewer repeats than a real board needs, ...
    pub notes: &'a [String],
    /// Sections of other modules.
    pub parts: &'a [ReportSection],
}
