//! What sensors found out at one moment: sums since the machine's start. What a sensor did
//! not read is absent, not zero.

use std::collections::BTreeMap;

use super::containers::Container;

pub use wattline_units::power::machine_load::TICKS_PER_S;

/// Id of a process or thread: its number and start time, which distinguishes reused numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// Ticks after the machine's start.
    pub start_ticks: u64,
}

/// Name and CPU ticks of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Its name.
    pub name: String,
    /// Processor ticks, in user mode and in the kernel.
    pub ticks: u64,
}

/// Busy and idle ticks of a core, or of all cores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoreTimes {
    /// Ticks with work of any kind.
    pub busy: u64,
    /// Ticks without.
    pub idle: u64,
}

/// Cores with a common clock, and their times by frequency.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Policy {
    /// Their numbers.
    pub cores: Vec<u32>,
    /// Seconds by frequency in kHz.
    pub states_s: BTreeMap<u64, f64>,
}

/// Counters of a network interface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interface {
    /// Bytes received.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Its present throughput mode in megabits a second; absent where it has none.
    pub speed_mbps: Option<f64>,
}

/// Facts of a machine from one reading of all sensors.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostFacts {
    /// When, in seconds since the machine's start.
    pub uptime_s: f64,
    /// All cores together.
    pub processor: Option<CoreTimes>,
    /// Each core that is on.
    pub cores: BTreeMap<u32, CoreTimes>,
    /// All processes.
    pub processes: BTreeMap<ProcessId, ProcessUsage>,
    /// Threads of the watched processes, by process number.
    pub threads: BTreeMap<(u32, ProcessId), ProcessUsage>,
    /// Clocks of the cores, by the policy's number.
    pub policies: BTreeMap<u32, Policy>,
    /// The power meter's own words.
    pub meter: Option<String>,
    /// Network interfaces by name.
    pub interfaces: BTreeMap<String, Interface>,
    /// Bytes by user, where the system counts them (Android).
    pub user_bytes: BTreeMap<u32, u64>,
    /// The container of each process that is in one, where asked for.
    pub containers: BTreeMap<u32, Container>,
    /// The user of each process, where asked for.
    pub users: BTreeMap<u32, u32>,
}
