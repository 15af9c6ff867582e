//! What a trace has that is not read, and that could hold what is asked for: kinds of
//! packets that are known and left alone, and fields that are newer than this reader. Each
//! is counted and named, so that an empty answer is never taken for an empty trace.
//!
//! To know a newer Perfetto: raise [`NEWEST`] and the numbers of [`PACKET`] and the messages
//! below it; a kind that could hold an answer gets a line in [`LEFT_ALONE`].

use std::collections::BTreeMap;
use std::fmt;

use super::fields::{FieldValue, fields};

/// The Perfetto whose definitions are known here.
const NEWEST: &str = "Perfetto 58";

/// What an unread kind could hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// Who ran on which CPU.
    Scheduling,
    /// Energies or powers.
    Energy,
    /// Sections of threads and tracks.
    Sections,
    /// Any of these.
    Anything,
}

/// A kind of record that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnreadKind {
    /// The message, and its field: its name where it is known.
    message: &'static str,
    name: Option<&'static str>,
    field: u32,
    holds: Holds,
}

/// How often each kind stands in a trace.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnreadCounts(BTreeMap<UnreadKind, u64>);

/// A message whose fields are looked at.
struct KnownMessage {
    name: &'static str,
    /// The highest field number of [`NEWEST`].
    highest: u32,
    /// Known numbers above it.
    beyond: &'static [u32],
    holds: Holds,
    inner: &'static [(u32, &'static KnownMessage)],
}

const fn leaf(name: &'static str, highest: u32, holds: Holds) -> KnownMessage {
    KnownMessage { name, highest, beyond: &[], holds, inner: &[] }
}

static COMPACT_SCHED: KnownMessage = leaf("compact_sched", 12, Holds::Scheduling);
static RAIL: KnownMessage = leaf("rail_descriptor", 4, Holds::Energy);
static ENERGY: KnownMessage = leaf("energy_data", 3, Holds::Energy);
static BATTERY: KnownMessage = leaf("battery", 7, Holds::Energy);
static TRACK_EVENT: KnownMessage = leaf("track_event", 58, Holds::Sections);
static BUNDLE: KnownMessage = KnownMessage {
    name: "ftrace_events",
    highest: 11,
    beyond: &[512],
    holds: Holds::Scheduling,
    inner: &[(2, &EVENT), (4, &COMPACT_SCHED)],
};
/// Kinds of kernel events grow with every kernel; those that matter are in [`LEFT_ALONE`].
static EVENT: KnownMessage = leaf("ftrace_event", u32::MAX, Holds::Anything);
static RAILS: KnownMessage = KnownMessage {
    name: "power_rails",
    highest: 3,
    beyond: &[],
    holds: Holds::Energy,
    inner: &[(1, &RAIL), (2, &ENERGY)],
};
static PACKET: KnownMessage = KnownMessage {
    name: "packet",
    highest: 140,
    // Of Perfetto's own tests.
    beyond: &[900],
    holds: Holds::Anything,
    inner: &[(1, &BUNDLE), (11, &TRACK_EVENT), (38, &BATTERY), (40, &RAILS)],
};

/// Kinds that are known and not read: message, field, name, what they hold.
const LEFT_ALONE: [(&str, u32, &str, Holds); 17] = [
    ("packet", 5, "chrome_events", Holds::Anything),
    ("packet", 77, "android_energy_estimation_breakdown", Holds::Energy),
    ("packet", 95, "etw_events", Holds::Scheduling),
    ("packet", 117, "generic_kernel_task_state_event", Holds::Scheduling),
    ("packet", 118, "generic_kernel_cpu_freq_event", Holds::Scheduling),
    ("packet", 122, "generic_kernel_process_tree", Holds::Scheduling),
    ("packet", 125, "protovms", Holds::Anything),
    ("ftrace_events", 512, "broken_abi_trace_page", Holds::Scheduling),
    ("ftrace_event", 80, "tracing_mark_write", Holds::Sections),
    ("ftrace_event", 333, "sde_tracing_mark_write", Holds::Sections),
    ("ftrace_event", 348, "dpu_tracing_mark_write", Holds::Sections),
    ("ftrace_event", 349, "g2d_tracing_mark_write", Holds::Sections),
    ("ftrace_event", 350, "mali_tracing_mark_write", Holds::Sections),
    ("ftrace_event", 467, "lwis_tracing_mark_write", Holds::Sections),
    ("ftrace_event", 484, "samsung_tracing_mark_write", Holds::Sections),
    SWITCH_WITH_COUNTERS,
    ("track_event", 6, "legacy_event", Holds::Sections),
];

/// Some kernels have it beside `sched_switch`, which says the same.
const SWITCH_WITH_COUNTERS: (&str, u32, &str, Holds) =
    ("ftrace_event", 487, "sched_switch_with_ctrs", Holds::Scheduling);

impl UnreadCounts {
    /// Counts what a packet has that is not read.
    pub fn packet(&mut self, packet: &[u8]) {
        self.message(&PACKET, packet);
    }

    /// Forgets kinds that say again what switches said that were read.
    pub(crate) fn switches_were_read(&mut self) {
        let (message, field, ..) = SWITCH_WITH_COUNTERS;
        self.0.retain(|kind, _| (kind.message, kind.field) != (message, field));
    }

    /// Whether nothing that could hold an answer was passed over.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A sentence for each kind that could hold one of these, or anything.
    #[must_use]
    pub fn findings(&self, wanted: &[Holds]) -> Vec<String> {
        let is_wanted =
            |kind: &UnreadKind| kind.holds == Holds::Anything || wanted.contains(&kind.holds);
        let kinds = self.0.iter().filter(|(kind, _)| is_wanted(kind));
        kinds.map(|(kind, count)| format!("{count} of {kind}")).collect()
    }

    fn message(&mut self, known: &'static KnownMessage, message: &[u8]) {
        for (field, value) in fields(message) {
            let is_known = field <= known.highest || known.beyond.contains(&field);
            let left =
                LEFT_ALONE.iter().find(|(of, number, ..)| (*of, *number) == (known.name, field));
            if let Some((_, _, name, holds)) = left {
                self.count(known.name, Some(name), field, *holds);
            } else if !is_known {
                self.count(known.name, None, field, known.holds);
            }
            let inner = known.inner.iter().find(|(number, _)| *number == field);
            if let (Some((_, inner)), FieldValue::Bytes(bytes)) = (inner, value) {
                self.message(inner, bytes);
            }
        }
    }
}

impl UnreadCounts {
    fn count(
        &mut self,
        message: &'static str,
        name: Option<&'static str>,
        field: u32,
        holds: Holds,
    ) {
        *self.0.entry(UnreadKind { message, name, field, holds }).or_default() += 1;
    }
}

impl fmt::Display for UnreadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { message, name, field, holds } = self;
        match name {
            Some(name) => write!(
                f,
                "{message}.{name} (field {field}), which could hold {holds} and is not read"
            ),
            None => write!(
                f,
                "field {field} of {message}, which is newer than {NEWEST}, could hold {holds} and is not read"
            ),
        }
    }
}

impl fmt::Display for Holds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheduling => "who ran",
            Self::Energy => "energies",
            Self::Sections => "sections",
            Self::Anything => "anything",
        })
    }
}
