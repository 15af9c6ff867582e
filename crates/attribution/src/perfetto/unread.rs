//! What a trace has that is not read, and that could hold what is asked for: kinds of
//! packets that are known and left alone, and fields that are newer than this reader. Each
//! is counted and named, so that an empty answer is never taken for an empty trace.
//!
//! To know a newer Perfetto: raise [`NEWEST_KNOWN_PERFETTO`] and the numbers of [`PACKET`] and the messages
//! below it; a kind that could hold an answer gets a line in [`KNOWN_UNREAD_KINDS`].

use std::collections::BTreeMap;
use std::fmt;

use super::fields::{FieldValue, message_fields};

/// Version of Perfetto whose definitions are known here.
const NEWEST_KNOWN_PERFETTO: &str = "Perfetto 58";

/// Content that an unread kind of record may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordContent {
    /// Who ran on which CPU.
    Scheduling,
    /// Energies or powers.
    Energy,
    /// Sections of threads and tracks.
    Sections,
    /// Any of these.
    Anything,
}

/// Kind of record that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct UnreadKind {
    /// The message, and its field: its name where it is known.
    message: &'static str,
    name: Option<&'static str>,
    field: u32,
    holds: RecordContent,
}

/// Numbers of unread records in a trace, by kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnreadCounts(BTreeMap<UnreadKind, u64>);

/// Message whose fields are checked for unknown ones.
struct KnownMessage {
    name: &'static str,
    /// The highest field number of [`NEWEST_KNOWN_PERFETTO`].
    highest: u32,
    /// Known numbers above it.
    beyond: &'static [u32],
    holds: RecordContent,
    inner: &'static [(u32, &'static KnownMessage)],
}

const fn leaf_message(name: &'static str, highest: u32, holds: RecordContent) -> KnownMessage {
    KnownMessage { name, highest, beyond: &[], holds, inner: &[] }
}

static COMPACT_SCHED: KnownMessage = leaf_message("compact_sched", 12, RecordContent::Scheduling);
static RAIL: KnownMessage = leaf_message("rail_descriptor", 4, RecordContent::Energy);
static ENERGY: KnownMessage = leaf_message("energy_data", 3, RecordContent::Energy);
static BATTERY: KnownMessage = leaf_message("battery", 7, RecordContent::Energy);
static TRACK_EVENT: KnownMessage = leaf_message("track_event", 58, RecordContent::Sections);
static BUNDLE: KnownMessage = KnownMessage {
    name: "ftrace_events",
    highest: 11,
    beyond: &[512],
    holds: RecordContent::Scheduling,
    inner: &[(2, &EVENT), (4, &COMPACT_SCHED)],
};
/// Kinds of kernel events grow with every kernel; those that matter are in [`KNOWN_UNREAD_KINDS`].
static EVENT: KnownMessage = leaf_message("ftrace_event", u32::MAX, RecordContent::Anything);
static RAILS: KnownMessage = KnownMessage {
    name: "power_rails",
    highest: 3,
    beyond: &[],
    holds: RecordContent::Energy,
    inner: &[(1, &RAIL), (2, &ENERGY)],
};
static PACKET: KnownMessage = KnownMessage {
    name: "packet",
    highest: 140,
    // Of Perfetto's own tests.
    beyond: &[900],
    holds: RecordContent::Anything,
    inner: &[(1, &BUNDLE), (11, &TRACK_EVENT), (38, &BATTERY), (40, &RAILS)],
};

/// Kinds that are known and not read: message, field, name, content.
const KNOWN_UNREAD_KINDS: [(&str, u32, &str, RecordContent); 17] = [
    ("packet", 5, "chrome_events", RecordContent::Anything),
    ("packet", 77, "android_energy_estimation_breakdown", RecordContent::Energy),
    ("packet", 95, "etw_events", RecordContent::Scheduling),
    ("packet", 117, "generic_kernel_task_state_event", RecordContent::Scheduling),
    ("packet", 118, "generic_kernel_cpu_freq_event", RecordContent::Scheduling),
    ("packet", 122, "generic_kernel_process_tree", RecordContent::Scheduling),
    ("packet", 125, "protovms", RecordContent::Anything),
    ("ftrace_events", 512, "broken_abi_trace_page", RecordContent::Scheduling),
    ("ftrace_event", 80, "tracing_mark_write", RecordContent::Sections),
    ("ftrace_event", 333, "sde_tracing_mark_write", RecordContent::Sections),
    ("ftrace_event", 348, "dpu_tracing_mark_write", RecordContent::Sections),
    ("ftrace_event", 349, "g2d_tracing_mark_write", RecordContent::Sections),
    ("ftrace_event", 350, "mali_tracing_mark_write", RecordContent::Sections),
    ("ftrace_event", 467, "lwis_tracing_mark_write", RecordContent::Sections),
    ("ftrace_event", 484, "samsung_tracing_mark_write", RecordContent::Sections),
    SWITCH_WITH_COUNTERS,
    ("track_event", 6, "legacy_event", RecordContent::Sections),
];

/// Kind of switch that some kernels record beside `sched_switch`, with the same content.
const SWITCH_WITH_COUNTERS: (&str, u32, &str, RecordContent) =
    ("ftrace_event", 487, "sched_switch_with_ctrs", RecordContent::Scheduling);

impl UnreadCounts {
    /// Counts the records in a packet that are not read.
    pub fn packet(&mut self, packet: &[u8]) {
        self.count_message(&PACKET, packet);
    }

    /// Removes kinds that only repeat switches that were read.
    pub(crate) fn forget_read_switches(&mut self) {
        let (message, field, ..) = SWITCH_WITH_COUNTERS;
        self.0.retain(|kind, _| (kind.message, kind.field) != (message, field));
    }

    /// Whether no unread record was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a sentence for each kind that may have one of these contents, or any.
    #[must_use]
    pub fn findings(&self, wanted: &[RecordContent]) -> Vec<String> {
        let is_wanted = |kind: &UnreadKind| {
            kind.holds == RecordContent::Anything || wanted.contains(&kind.holds)
        };
        let kinds = self.0.iter().filter(|(kind, _)| is_wanted(kind));
        kinds.map(|(kind, count)| format!("{count} of {kind}")).collect()
    }

    fn count_message(&mut self, known: &'static KnownMessage, message: &[u8]) {
        for (field, value) in message_fields(message) {
            let is_known = field <= known.highest || known.beyond.contains(&field);
            let left = KNOWN_UNREAD_KINDS
                .iter()
                .find(|(of, number, ..)| (*of, *number) == (known.name, field));
            if let Some((_, _, name, holds)) = left {
                self.count(known.name, Some(name), field, *holds);
            } else if !is_known {
                self.count(known.name, None, field, known.holds);
            }
            let inner = known.inner.iter().find(|(number, _)| *number == field);
            if let (Some((_, inner)), FieldValue::Bytes(bytes)) = (inner, value) {
                self.count_message(inner, bytes);
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
        holds: RecordContent,
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
                "field {field} of {message}, which is newer than {NEWEST_KNOWN_PERFETTO}, could hold {holds} and is not read"
            ),
        }
    }
}

impl fmt::Display for RecordContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheduling => "who ran",
            Self::Energy => "energies",
            Self::Sections => "sections",
            Self::Anything => "anything",
        })
    }
}
