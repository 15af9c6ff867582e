//! Inputs of a report. All come from the files of a campaign's folder, so that a report can be
//! written again.

use std::collections::BTreeMap;

use crate::account::calls::CallAccounts;
use crate::account::{AccountEvaluation, Accounts, UnseenInputs};
use crate::facts::MeasuringOverheads;
use crate::hint::{Hint, JointSaving, WithheldPlaces};
use crate::model::table::Table;
use crate::model::{CvRow, Model, OperationEstimability};
use crate::power::FigureBasis;

/// The measured board, its meter and frequency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedBoard {
    /// Model or serial.
    pub name: String,
    /// Basis of its energies, which the headline states.
    pub basis: FigureBasis,
    /// Simulated energy model of a virtual board, where its records name it.
    pub simulated_model: Option<String>,
    /// The meter: `INA231 (arm, mem, g3d, kfc)`.
    pub meter: String,
    /// Fixed frequency with its unit; absent where it was not fixed.
    pub frequency: Option<String>,
}

/// Numbers of cases and runs of a campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CampaignFacts {
    /// Input sequences of the scenario.
    pub sequences: usize,
    /// Execution cases: input sequences x removed sets.
    pub cases: usize,
    /// Valid power runs.
    pub power_runs: usize,
    /// Valid idle runs.
    pub idle_runs: usize,
    /// Valid traced runs.
    pub traced_runs: usize,
    /// Stored runs that failed a check.
    pub failed_runs: usize,
    /// Microbenchmarks measured on the same board.
    pub microbenchmarks: usize,
}

/// An additional section of the report, placed before the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportSection {
    /// Anchor of the section.
    pub id: &'static str,
    /// Heading, also in the page's navigation.
    pub title: &'static str,
    /// Introductory sentence.
    pub sentence: &'static str,
    /// Additional style rules.
    pub style: &'static str,
    /// Contents as HTML, with text escaped.
    pub html: String,
}

/// Everything that a campaign's page and summary show.
#[derive(Debug, Clone, Copy)]
pub struct ReportData<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    /// The measured board.
    pub board: &'a ReportedBoard,
    /// Numbers of cases and runs.
    pub campaign: CampaignFacts,
    /// How much more traced and sampled runs take than power runs.
    pub overheads: MeasuringOverheads,
    /// The data set that the model was fitted to.
    pub table: &'a Table,
    /// The fitted model.
    pub model: &'a Model,
    /// Cross-validation of the model, then of the baselines.
    pub cv: &'a [CvRow],
    /// Estimability of each operation's cost.
    pub estimability: &'a [OperationEstimability],
    /// Accounts and ledger.
    pub accounts: &'a Accounts,
    /// Accounts by call path, where calls were recorded.
    pub calls: Option<&'a CallAccounts>,
    /// Why calls of the application cannot be recorded; `None` where they can.
    pub no_calls: Option<&'a str>,
    /// The comparison with the ground truth, where one is known.
    pub evaluation: Option<&'a AccountEvaluation>,
    /// Inputs predicted from the others, where there are several.
    pub unseen: Option<&'a UnseenInputs>,
    /// Hints by descending significant saving.
    pub hints: &'a [Hint],
    /// Why there is no hint; empty where there is one.
    pub no_hints: &'a str,
    /// Code locations without a hint on this board, by pattern.
    pub withheld: &'a [WithheldPlaces],
    /// Measured saving of all verified rewrites together, where there are several.
    pub joint: Option<&'a JointSaving>,
    /// Findings by kind: code that could not be parsed, resolved, probed, removed.
    pub findings: &'a BTreeMap<String, usize>,
    /// Source text by the dictionary's file names.
    pub sources: &'a BTreeMap<String, String>,
    /// Notes that the reader must see: fewer repeats than a real board needs, ...
    pub notes: &'a [String],
    /// Sections of other modules.
    pub parts: &'a [ReportSection],
}
