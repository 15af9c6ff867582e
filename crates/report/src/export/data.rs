//! What exports are made of.

use std::collections::BTreeMap;

use crate::account::Accounts;
use crate::account::calls::CallAccounts;
use crate::power::{PowerTrace, Window};
use crate::report::Repository;

/// A measured session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionTrace {
    /// Case and phase: `base-north power 1`.
    pub name: String,
    /// Samples of all rails; absent where they can't be read.
    pub trace: Option<PowerTrace>,
    /// When the application ran, on the samples' clock.
    pub window: Window,
    /// Energy of the window in joules, idle included.
    pub energy_j: f64,
}

/// Power runs of one unremoved case.
#[derive(Debug, Clone, PartialEq)]
pub struct InputEnergies {
    /// Energy of each run in microjoules, idle included.
    pub total_uj: Vec<f64>,
    /// The same above idle.
    pub above_idle_uj: Vec<f64>,
    /// Length of each run in seconds.
    pub duration_s: Vec<f64>,
}

/// Everything that an export may use.
#[derive(Debug, Clone)]
pub struct ExportData<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Package of the application.
    pub package: &'a str,
    /// The board's model or serial.
    pub board: &'a str,
    /// Whether it is the virtual board.
    pub is_virtual: bool,
    /// Fixed frequency in Hz, where it was fixed.
    pub frequency_hz: Option<u64>,
    /// The accounts.
    pub accounts: &'a Accounts,
    /// Unremoved cases by input sequence.
    pub inputs: &'a BTreeMap<String, InputEnergies>,
    /// Sessions of the unremoved cases, in the order in which they were measured.
    pub sessions: &'a [SessionTrace],
    /// Who called, where it is known and wanted: then stacks are calls.
    pub calls: Option<&'a CallAccounts>,
    /// Where the sources lie in their repository.
    pub repository: &'a Repository,
    /// How deep the stacks of flame graphs are, where they aren't calls.
    pub depth: Depth,
}

/// The last level of a flame graph's stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Depth {
    /// Packages alone.
    Package,
    /// Packages and classes.
    Class,
    /// Packages, classes and methods.
    Method,
    /// All of it.
    #[default]
    Block,
}

impl Depth {
    /// How many frames a stack has.
    pub(super) fn frames(self) -> usize {
        self as usize + 1
    }
}
