//! Options of instrumentation.

use std::collections::BTreeSet;

use crate::blocks::BlockId;

/// Kind of probe that runs when a block is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Probe {
    /// No probe: the sources stay as they are, but for removed blocks. For power runs.
    Plain,
    /// Adds one to the block's counter.
    #[default]
    Count,
    /// Counts, and appends the block's id to the stream of its thread.
    Log,
    /// Counts, with a snapshot of the counts four times a second.
    Window,
    /// Counts per thread and call path, with probes at the ends of methods. For runs on a JVM, not
    /// on a device.
    Calls,
}

impl Probe {
    /// Whether the probe only counts, so that blocks may follow from others.
    pub(super) fn only_counts(self) -> bool {
        matches!(self, Probe::Count | Probe::Window)
    }
}

/// Options of instrumentation: probe, removed blocks, switches.
#[derive(Debug, Clone, Default)]
pub struct InstrumentOptions {
    /// Kind of probe in each block.
    pub probe: Probe,
    /// Blocks whose own statements are left out.
    pub removed: BTreeSet<BlockId>,
    /// Blocks to be left without a probe, each with a finding: those whose probe a
    /// compiler refused.
    pub skip: BTreeSet<BlockId>,
    /// Whether the sources hold all callers of their methods: no reflection, no library
    /// and no other code calls them. Then small methods need no probe.
    pub closed_world: bool,
    /// Blocks whose statements get a switch each: with them, one build does what the
    /// variants without these blocks do.
    pub switched: BTreeSet<BlockId>,
    /// Whether `assert` statements are left out, as in Android's release builds.
    pub without_assertions: bool,
    /// Whether no loop is watched: loops that call nothing then need more probes, and the
    /// JVM's own exceptions keep their messages as long as without probes.
    pub without_watched_loops: bool,
    /// Name of these sources among the parts of one program that have probes and block ids of their
    /// own: letters, digits and `_`. Their runtime and the files that it writes have this name.
    pub part: Option<String>,
}
