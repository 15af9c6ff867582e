//! Options of a stream of records.

use super::basis::SharingBasis;

/// Windows in which the time and counts of a record are charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordWindow {
    /// Evenly over the time since the last record: a tenant that runs through several
    /// windows counts in each.
    Spread,
    /// Whole, in the window of its own time: XeMPower's way.
    Whole,
}

/// Mode of the counters in records: cleared at each switch, or running on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterMode {
    /// The count since the last switch: they are cleared at each.
    Cleared,
    /// They run on, and wrap after so many bits.
    Running {
        /// 40 or 48 on Intel.
        bits: u32,
    },
}

/// Source of a window's energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EnergySource {
    /// Readings of meters in the stream.
    Meters,
    /// No meter, but a stated model: so much when no CPU is busy, so much when all are.
    Stated {
        /// Watts when idle.
        idle_w: f64,
        /// Watts when all CPUs are busy.
        busy_w: f64,
    },
    /// No meter, but a model of each CPU's power: the sum of a counter of the records is
    /// the energy, and the share as well.
    Modelled {
        /// Number of the counter among those beside the cycles.
        counter: usize,
        /// Joules of a count.
        joules_per_count: f64,
    },
    /// None: shares only.
    None,
}

/// Options of a stream: windows, charging of records, counters, energy.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamOptions {
    /// Length of a window in ns.
    pub window_ns: u64,
    /// Windows held for late records and views.
    pub ring: usize,
    /// Windows in which a record is charged.
    pub charging: RecordWindow,
    /// Mode of the counters.
    pub counting: CounterMode,
    /// Source of energy.
    pub energy: EnergySource,
    /// What cycles are, if any record has them.
    pub cycles: SharingBasis,
    /// Weight of a second of idle CPU against a busy one, where CPU time is the weight: 0
    /// as halted time has no unhalted cycles.
    pub idle_weight: f64,
}

impl Default for StreamOptions {
    /// The paper's windows of 100 ms in a ring of 100.
    fn default() -> Self {
        Self {
            window_ns: 100_000_000,
            ring: 100,
            charging: RecordWindow::Spread,
            counting: CounterMode::Cleared,
            energy: EnergySource::Meters,
            cycles: SharingBasis::Cycles,
            idle_weight: 0.0,
        }
    }
}
