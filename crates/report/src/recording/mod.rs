//! A recording: a folder of what the monitor saw, cycle by cycle, from which the accounts
//! are made again at any time, and which other commands take like a campaign's.
//!
//! `monitor.toml` says what was measured and how; `cycles.csv`, `processes.csv`,
//! `threads.csv`, `methods.csv`, `stacks.csv` and `jvm.csv` hold a row per cycle and thing,
//! `nodes.csv` a row per node of the tree of calls. Energies are
//! whole femtojoules, so that sums are exact.

mod accounts;
mod names;
mod page;
mod rows;
mod stacks;
mod tables;

use serde::{Deserialize, Serialize};

use crate::format::counted;

pub use accounts::{MethodSum, ProcessSum, RecordedMethodKey, Sums, accounts_of, sums};
pub use page::{page, summary_text};
#[cfg(test)]
pub(crate) use rows::{CycleRow, NodeRow, ProcessRow, StackRow, ThreadRow};
pub use rows::{
    FirstRow, JvmRow, JvmSeen, MethodRow, Recording, cycle_rows, jvm_rows, node_rows, process_rows,
    read_rows, stack_rows, thread_rows, to_csv,
};
pub use stacks::call_accounts;
pub(crate) use tables::ledger_rows;
pub use tables::{ledger_csv, tables};

/// The file that makes a folder a recording.
pub const MONITOR_FILE: &str = "monitor.toml";

/// What was measured, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// The format's version: 1.
    pub recording: u32,
    /// The machine.
    pub host: String,
    /// Whether the machine is a virtual board.
    pub is_virtual: bool,
    /// Cycles in the recording.
    pub cycles: u64,
    /// Their length together, in seconds.
    pub duration_s: f64,
    /// What the processor's energy is shared by.
    pub share: String,
    /// The formulas.
    pub formulas: Vec<FormulaAbout>,
    /// The JVM whose methods were measured, if any.
    pub jvm: Option<JvmAbout>,
    /// What to know, in sentences.
    pub notes: Vec<String>,
}

/// A formula that ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormulaAbout {
    /// The part of the machine.
    pub part: String,
    /// Its name.
    pub name: String,
    /// `measured` or `model`.
    pub basis: String,
    /// What it takes its figures from.
    pub from: String,
}

/// A JVM.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JvmAbout {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub java: String,
    /// `sampling` or `instrumentation`.
    pub way: String,
    /// Methods whose probes were taken out, as they were called too often: their calls are
    /// not counted from then on.
    pub folded: Vec<FoldedMethod>,
    /// Methods whose calls were counted in windows of time from some moment on: their
    /// counts are estimates.
    #[serde(default)]
    pub estimated: Vec<String>,
}

/// What a count of calls is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallCountKind {
    /// Of all calls.
    #[default]
    All,
    /// An estimate: calls were counted in windows of time.
    Estimated,
    /// Of the calls up to the end of this cycle: then the method lost its probe.
    Until(u64),
}

impl CallCountKind {
    /// The count for reading, marked where it is not that of all calls.
    pub fn mark(self, count: String) -> String {
        match self {
            CallCountKind::All => count,
            CallCountKind::Estimated => format!("~{count}"),
            CallCountKind::Until(_) => format!("{count}+"),
        }
    }
}

impl std::fmt::Display for CallCountKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CallCountKind::All => f.write_str("all"),
            CallCountKind::Estimated => f.write_str("estimated"),
            CallCountKind::Until(cycle) => write!(f, "until cycle {cycle}"),
        }
    }
}

/// What the marks of counts mean.
pub const MARKS: &str = "calls: ~ estimated from windows of time; + counted until the method lost \
                         its probe, as it was called too often; - no probe";

/// A method that lost its probe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldedMethod {
    /// Class, name and parameter types.
    pub method: String,
    /// Calls up to then, all threads together.
    pub calls: u64,
    /// Whether these are an estimate, in part or in all.
    pub is_estimate: bool,
    /// The cycle after which it has none, from 1.
    pub after_cycle: u64,
}

impl FoldedMethod {
    /// The method and its calls, for reading.
    pub fn line(&self) -> String {
        let about = if self.is_estimate { "about " } else { "" };
        format!("{} ({about}{} until then)", self.method, counted(self.calls, "call"))
    }
}

impl JvmAbout {
    /// What the count of a method's calls is.
    pub fn counted(&self, class: &str, method: &str) -> CallCountKind {
        let name = format!("{class}.{method}");
        match self.folded.iter().find(|folded| folded.method == name) {
            Some(folded) => CallCountKind::Until(folded.after_cycle),
            None if self.estimated.contains(&name) => CallCountKind::Estimated,
            None => CallCountKind::All,
        }
    }

    /// The methods that are named beside the rows.
    fn other_names(&self) -> impl Iterator<Item = &str> {
        let folded = self.folded.iter().map(|folded| folded.method.as_str());
        folded.chain(self.estimated.iter().map(String::as_str))
    }

    fn other_names_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.folded.iter_mut().map(|folded| &mut folded.method).chain(&mut self.estimated)
    }
}

impl RecordingHeader {
    /// Whether any figure is no measurement.
    pub fn is_model(&self) -> bool {
        self.formulas.iter().any(|formula| formula.basis != "measured")
    }

    /// The formulas in a line.
    pub fn meter(&self) -> String {
        let of = |formula: &FormulaAbout| {
            format!("{} {} ({})", formula.part, formula.name, formula.basis)
        };
        self.formulas.iter().map(of).collect::<Vec<_>>().join(", ")
    }
}
