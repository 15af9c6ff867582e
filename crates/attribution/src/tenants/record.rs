//! What all inputs are turned into.

use super::meter::MeterId;
use super::names::TenantId;

/// Number of counters beside the cycles that a record can have.
pub const OTHER_COUNTERS: usize = 6;

/// Counters read at a context switch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Counts {
    /// Unhalted cycles; `None` where the input does not count them.
    pub cycles: Option<f64>,
    /// Other events, in the order of the stream's names.
    pub others: [f64; OTHER_COUNTERS],
}

/// Tenant and thread that run on a CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunningTenant {
    /// Whose it is.
    pub tenant: TenantId,
    /// The thread or virtual CPU; tells whether records are missing in between.
    pub thread: i64,
}

/// Record of an input: a switch, a loss, a reading and others. Times are nanoseconds of one clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TenantRecord {
    /// A CPU goes from one runner to the next.
    Switch {
        /// When.
        at_ns: u64,
        /// On which CPU.
        cpu: u32,
        /// Who leaves; `None` where the input does not tell.
        outgoing: Option<RunningTenant>,
        /// Who comes; `None` where the input does not tell.
        incoming: Option<RunningTenant>,
        /// What the CPU counted; `None` where the input counts nothing.
        counts: Option<Counts>,
    },
    /// A tenant's use of CPUs in an interval, already summed by the input.
    Use {
        /// Begin.
        start_ns: u64,
        /// End.
        end_ns: u64,
        /// Whose.
        tenant: TenantId,
        /// Nanoseconds of CPU time.
        cpu_ns: f64,
        /// Counters.
        counts: Option<Counts>,
    },
    /// A reading of a meter that accumulates.
    Energy {
        /// When.
        at_ns: u64,
        /// The meter.
        meter: MeterId,
        /// Its raw count.
        reading: u64,
    },
    /// A CPU goes off line or comes back.
    Hotplug {
        /// When.
        at_ns: u64,
        /// The CPU.
        cpu: u32,
        /// Comes back.
        is_online: bool,
    },
    /// The recorder lost records.
    Lost {
        /// Of one CPU, or of any.
        cpu: Option<u32>,
        /// How many; 1 where it does not say.
        records: u64,
    },
}

impl TenantRecord {
    /// Returns the time in nanoseconds; `None` for a record without one.
    #[must_use]
    pub fn at_ns(&self) -> Option<u64> {
        match self {
            Self::Switch { at_ns, .. } | Self::Energy { at_ns, .. } => Some(*at_ns),
            Self::Hotplug { at_ns, .. } => Some(*at_ns),
            Self::Use { end_ns, .. } => Some(*end_ns),
            Self::Lost { .. } => None,
        }
    }
}
