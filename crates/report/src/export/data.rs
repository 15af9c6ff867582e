//! Inputs of all exports.

use std::collections::BTreeMap;

use crate::account::Accounts;
use crate::account::calls::CallAccounts;
use crate::power::{FigureBasis, PowerTrace, Window};
use crate::report::Repository;

/// A measured session with its power trace.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionTrace {
    /// Case and phase: `base-north power 1`.
    pub name: String,
    /// Samples of all rails; absent where they are unreadable.
    pub trace: Option<PowerTrace>,
    /// Window in which the application ran, on the samples' clock.
    pub window: Window,
    /// Energy of the window in joules, idle included.
    pub energy_j: f64,
}

/// Energies and durations of the power runs of one case without removals.
#[derive(Debug, Clone, PartialEq)]
pub struct InputEnergies {
    /// Energy of each run in microjoules, idle included.
    pub total_uj: Vec<f64>,
    /// Energy of each run above idle, in microjoules; absent where the idle power is unknown.
    pub above_idle_uj: Option<Vec<f64>>,
    /// Length of each run in seconds.
    pub duration_s: Vec<f64>,
}

/// Everything that an export is written from.
#[derive(Debug, Clone)]
pub struct ExportData<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Package of the application.
    pub package: &'a str,
    /// The board's model or serial.
    pub board: &'a str,
    /// Basis of its energies.
    pub basis: FigureBasis,
    /// Meter of its energies.
    pub meter: &'a str,
    /// Fixed CPU frequency in Hz; absent where it was not fixed.
    pub frequency_hz: Option<u64>,
    /// The accounts.
    pub accounts: &'a Accounts,
    /// Cases without removals, by input sequence.
    pub inputs: &'a BTreeMap<String, InputEnergies>,
    /// Sessions of these cases in the order of measurement.
    pub sessions: &'a [SessionTrace],
    /// Accounts by call path, if recorded and requested: stacks are then calls.
    pub calls: Option<&'a CallAccounts>,
    /// Location of the sources in their repository.
    pub repository: &'a Repository,
    /// Depth of flame graph stacks that are not calls.
    pub depth: StackDepth,
}

impl ExportData<'_> {
    /// What kind of board it is, as text.
    pub(super) fn board_kind(&self) -> &'static str {
        match self.basis {
            FigureBasis::Measured => "board",
            FigureBasis::Estimated => "board, energy estimated and not measured,",
            FigureBasis::Simulated => "VIRTUAL board",
        }
    }

    /// What the callers of a line's stack are, as text.
    pub(super) fn caller_kind(&self) -> &'static str {
        if self.calls.is_some() { "calls" } else { "packages and classes" }
    }
}

/// Last level of the stacks of a flame graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum StackDepth {
    /// Packages alone.
    Package,
    /// Packages and classes.
    Class,
    /// Packages, classes and methods.
    Method,
    /// Packages, classes, methods and blocks.
    #[default]
    Block,
}

impl StackDepth {
    /// Number of frames of a stack.
    pub(super) fn frames(self) -> usize {
        self as usize + 1
    }
}
