//! Formulas: what sensors found out at two moments -> the energy of a part of the machine
//! between them. They know physics and tables, and nothing of operating systems.
//!
//! To add a formula: a file with a type that implements [`EnergyFormula`].

mod dvfs;
mod meter;
mod network;
mod soc;
mod soc_file;

use super::facts::{CoreTimes, HostFacts};
use wattline_units::power::FigureBasis;

pub use dvfs::{DesignPower, VoltageTable, parse_voltages};
pub use meter::Metered;
pub use network::{NetworkModes, parse_modes};
pub use soc::SocPower;
pub use soc_file::{SocError, SocTable, parse_soc};

/// Error of a formula that has no figure for a cycle, instead of a figure of 0 J.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("formula {formula}: {problem}")]
pub struct FormulaError {
    /// Its name.
    pub formula: &'static str,
    /// What is missing, and what to do.
    pub problem: String,
}

/// Part of the machine, whose energy processes share by CPU time or by bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MachinePart {
    /// Processors, shared by CPU time.
    Cpu,
    /// Network cards, shared by bytes.
    Network,
}

impl MachinePart {
    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            MachinePart::Cpu => "cpu",
            MachinePart::Network => "network",
        }
    }
}

/// Time of a cycle that the energy of a CPU formula covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covers {
    /// All of the cycle: a meter's.
    Everything,
    /// Time with work alone: what idle processors draw is not in it.
    BusyTime,
}

/// Energy of a part of the machine in a cycle, by a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct PartEnergy {
    /// Joules.
    pub joules: f64,
    /// What time it is for.
    pub covers: Covers,
    /// Bytes that it is for; absent for what is no network.
    pub bytes: Option<f64>,
    /// What to know about it, in sentences.
    pub remarks: Vec<String>,
}

/// Formula for the energy of a part of the machine.
pub trait EnergyFormula: std::fmt::Debug {
    /// Its name.
    fn name(&self) -> &'static str;

    /// The part of the machine it is about.
    fn part(&self) -> MachinePart;

    /// Measurement or model.
    fn basis(&self) -> FigureBasis;

    /// What it takes its figures from, in a sentence.
    fn describe(&self) -> String;

    /// The sensors that it can't do without.
    fn needs(&self) -> &'static [&'static str];

    /// Those that it also uses if they have something to say.
    fn also_uses(&self) -> &'static [&'static str] {
        &[]
    }

    /// The energy between two moments.
    ///
    /// # Errors
    /// What is missing for a figure.
    fn energy(&self, before: &HostFacts, after: &HostFacts) -> Result<PartEnergy, FormulaError>;
}

/// Returns the ticks between two readings; `None` if a counter decreased.
pub(super) fn passed(before: CoreTimes, after: CoreTimes) -> Option<CoreTimes> {
    let busy = after.busy.checked_sub(before.busy)?;
    // Time in idle may go back a little: the kernel estimates the part spent waiting.
    Some(CoreTimes { busy, idle: after.idle.saturating_sub(before.idle) })
}

/// Seconds in each state between two readings of a clock.
fn state_times(before: &super::facts::Policy, after: &super::facts::Policy) -> Vec<(u64, f64)> {
    let difference = |(khz, now): (&u64, &f64)| {
        let then = before.states_s.get(khz).copied().unwrap_or(0.0);
        (*khz, (now - then).max(0.0))
    };
    after.states_s.iter().map(difference).collect()
}
