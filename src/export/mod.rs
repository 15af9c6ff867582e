//! Accounts -> what other tools open: flame graphs, profilers, trace viewers, editors'
//! gutters, dashboards. Weights are microjoules. Pure: values in, bytes out; one file per
//! format.
//!
//! A stack is package, class, method, block: where energy is spent, not who called; where
//! calls were recorded, it is the thread and the methods that called each other.
//!
//! To add a format: a file with one function from [`ExportData`] to bytes, and a line in
//! [`FORMATS`].

mod benchmark_json;
mod calls;
mod collapsed;
mod jacoco;
mod lcov;
mod openmetrics;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod perfetto;
mod pprof;
mod sampled;
mod speedscope;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
pub(crate) mod tools_tests;

use std::collections::BTreeMap;

use crate::account::calls::CallAccounts;
use crate::account::{Accounts, BlockAccount, Femtojoules};
use crate::power::{PowerTrace, Window};
use crate::report::Repository;

pub use calls::collapsed as collapsed_calls;
pub(crate) use collapsed::collapsed;

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
    fn frames(self) -> usize {
        self as usize + 1
    }
}

/// One format.
#[derive(Debug, Clone, Copy)]
pub struct ExportFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// The file it is written to, unless another is asked for.
    pub file: &'static str,
    /// Makes the bytes.
    pub write: fn(&ExportData<'_>) -> Vec<u8>,
}

/// All formats.
pub const FORMATS: [ExportFormat; 8] = [
    ExportFormat {
        name: "collapsed",
        file: "energy.collapsed",
        write: |data| match data.calls {
            Some(calls) => calls::collapsed(calls).into_bytes(),
            None => collapsed(data.accounts, data.depth).into_bytes(),
        },
    },
    ExportFormat {
        name: "speedscope",
        file: "energy.speedscope.json",
        write: speedscope::speedscope,
    },
    ExportFormat { name: "pprof", file: "energy.pb", write: pprof::pprof },
    ExportFormat { name: "perfetto", file: "energy.perfetto-trace", write: perfetto::perfetto },
    ExportFormat { name: "lcov", file: "energy.lcov", write: lcov::lcov },
    ExportFormat { name: "jacoco", file: "energy.jacoco.xml", write: jacoco::jacoco },
    ExportFormat {
        name: "benchmark-json",
        file: "energy-benchmarkData.json",
        write: benchmark_json::benchmark_json,
    },
    ExportFormat {
        name: "openmetrics",
        file: "energy.openmetrics.txt",
        write: openmetrics::openmetrics,
    },
];

/// An energy in whole microjoules; negative ones are zero.
fn microjoules(energy: Femtojoules) -> u64 {
    (energy.joules().0 * 1e6).round().max(0.0) as u64
}

/// A block's whole microjoules by line: of an energy that is its own or a part of it, in
/// the proportions of its lines. They add up; all stand on the block's first line where
/// its lines are not known.
fn microjoules_by_line(block: &BlockAccount, energy: Femtojoules) -> Vec<(u32, u64)> {
    let whole = microjoules(energy);
    let positive = || block.lines.iter().filter(|(_, energy)| energy.0 > 0);
    let total: i128 = positive().map(|(_, energy)| energy.0).sum();
    if total == 0 {
        return vec![(block.start_line, whole)];
    }
    let (mut sum, mut given) = (0, 0);
    let of_line = |(line, energy): (&u32, &Femtojoules)| {
        sum += energy.0;
        let until = (sum as f64 / total as f64 * whole as f64).round() as u64;
        let own = until - given;
        given = until;
        (*line, own)
    };
    positive().map(of_line).collect()
}

/// A block's package, class and the part of its method: `entry`, `for_1`.
fn frames(block: &BlockAccount) -> [&str; 4] {
    let (package, class) = block.class.rsplit_once('.').unwrap_or(("(default)", &block.class));
    let part = block.name.rsplit_once(").").map_or("entry", |(_, part)| part);
    [package, class, &block.method, part]
}

/// Text for XML, without the characters that XML can't hold.
fn escaped(text: &str) -> String {
    let is_held = |c: char| !(c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'));
    let held: String = text.chars().map(|c| if is_held(c) { c } else { '\u{fffd}' }).collect();
    crate::format::markup(&held)
}
