//! A recording: a folder with the monitor's data, cycle by cycle, from which accounts can be
//! recomputed, and which other commands accept like a campaign's folder.
//!
//! `monitor.toml` describes what was measured and how; `cycles.csv`, `processes.csv`,
//! `threads.csv`, `methods.csv`, `stacks.csv` and `jvm.csv` have a row per cycle and item,
//! `nodes.csv` a row per node of the call tree. Energies are whole femtojoules, so that sums are
//! exact.

mod accounts;
mod figures;
mod names;
mod page;
mod rows;
mod stacks;
mod tables;

use serde::{Deserialize, Serialize};

use crate::format::counted;
use crate::power::FigureBasis;

pub use accounts::{
    MethodSum, ProcessSum, RecordedMethodKey, RecordingSums, accounts_of, kind_of_thread,
    sum_recording,
};
pub use figures::recording_figures;
pub use page::{recording_page, summary_text};
#[cfg(test)]
pub(crate) use rows::{CycleRow, NodeRow, ProcessRow, StackRow, ThreadRow};
pub use rows::{
    HeaderRow, JvmCycleData, JvmRow, MethodRow, Recording, cycle_rows, jvm_rows, node_rows,
    process_rows, read_rows, stack_rows, thread_rows, to_csv,
};
pub use stacks::call_accounts;
pub(crate) use tables::ledger_rows;
pub use tables::{ledger_csv, recording_table_schemas, tables};

/// Name of the file that marks a folder as a recording.
pub const MONITOR_FILE: &str = "monitor.toml";

/// Contents of `monitor.toml`: machine, duration, formulas and JVM of a recording.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// Version of the format: 1.
    pub recording: u32,
    /// Name of the machine.
    pub host: String,
    /// Whether the machine is a virtual board.
    pub is_virtual: bool,
    /// Number of cycles.
    pub cycles: u64,
    /// Total duration of the cycles in seconds.
    pub duration_s: f64,
    /// Basis for sharing the CPU's energy among processes.
    pub share: String,
    /// Formulas in use, by part of the machine.
    pub formulas: Vec<FormulaDescription>,
    /// The JVM whose methods were measured, if any.
    pub jvm: Option<JvmDescription>,
    /// Notes in sentences.
    pub notes: Vec<String>,
}

/// Power formula of one part of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormulaDescription {
    /// Part of the machine: `cpu` or `network`.
    pub part: String,
    /// Name of the formula.
    pub name: String,
    /// `measured` or `estimated`.
    pub basis: String,
    /// Source of its figures.
    pub from: String,
}

/// The measured JVM and how its methods were measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JvmDescription {
    /// Process number.
    pub pid: u32,
    /// Java version.
    pub java: String,
    /// `sampling` or `instrumentation`.
    pub way: String,
    /// Methods whose probes were removed because of too many calls, which are not counted from
    /// then on.
    pub folded: Vec<FoldedMethod>,
    /// Methods whose calls were counted in time windows from some moment on, so that their counts
    /// are estimates.
    #[serde(default)]
    pub estimated: Vec<String>,
}

/// Coverage of a count of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallCountKind {
    /// All calls.
    #[default]
    All,
    /// Estimate from calls in time windows.
    Estimated,
    /// Calls up to the end of this cycle, in which the method lost its probe.
    Until(u64),
}

impl CallCountKind {
    /// Marks a count that does not cover all calls.
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

/// Legend of the marks of counts.
pub const COUNT_MARKS_LEGEND: &str = "calls: ~ estimated from windows of time; + counted until the method lost \
                         its probe, as it was called too often; - no probe";

/// A method whose probe was removed, with its calls up to then.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoldedMethod {
    /// Class, name and parameter types.
    pub method: String,
    /// Calls before the removal, over all threads.
    pub calls: u64,
    /// Whether the count is an estimate, in part or in all.
    pub is_estimate: bool,
    /// Last cycle with the probe, from 1.
    pub after_cycle: u64,
}

impl FoldedMethod {
    /// Line of text with the method and its calls.
    pub fn line(&self) -> String {
        let about = if self.is_estimate { "about " } else { "" };
        format!("{} ({about}{} until then)", self.method, counted(self.calls, "call"))
    }
}

impl JvmDescription {
    /// Coverage of the count of a method's calls.
    pub fn counted(&self, class: &str, method: &str) -> CallCountKind {
        let name = format!("{class}.{method}");
        match self.folded.iter().find(|folded| folded.method == name) {
            Some(folded) => CallCountKind::Until(folded.after_cycle),
            None if self.estimated.contains(&name) => CallCountKind::Estimated,
            None => CallCountKind::All,
        }
    }

    /// Names of methods outside the rows of the recording's files.
    fn other_names(&self) -> impl Iterator<Item = &str> {
        let folded = self.folded.iter().map(|folded| folded.method.as_str());
        folded.chain(self.estimated.iter().map(String::as_str))
    }

    fn other_names_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.folded.iter_mut().map(|folded| &mut folded.method).chain(&mut self.estimated)
    }
}

impl RecordingHeader {
    /// Whether any figure comes from a model instead of a measurement.
    pub fn is_model(&self) -> bool {
        self.formulas.iter().any(|formula| formula.basis != FigureBasis::Measured.name())
    }

    /// Basis of the recording as a whole: no better than that of any figure in it.
    pub fn basis(&self) -> FigureBasis {
        match (self.is_virtual, self.is_model()) {
            (true, _) => FigureBasis::Simulated,
            (false, true) => FigureBasis::Estimated,
            (false, false) => FigureBasis::Measured,
        }
    }

    /// The formulas as one line of text.
    pub fn meter(&self) -> String {
        let of = |formula: &FormulaDescription| {
            format!("{} {} ({})", formula.part, formula.name, formula.basis)
        };
        self.formulas.iter().map(of).collect::<Vec<_>>().join(", ")
    }
}
