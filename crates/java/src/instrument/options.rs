//! How sources are instrumented.

use std::collections::BTreeSet;

use crate::blocks::BlockId;

/// What a block does when it is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Probe {
    /// Nothing: the sources stay as they are, but for removed blocks. For power runs.
    Plain,
    /// Adds one to the block's counter.
    #[default]
    Count,
    /// Counts, and appends the block's id to the stream of its thread.
    Log,
    /// Counts, with a snapshot of the counts four times a second.
    Window,
    /// Counts per thread and path of calls: methods also say when they end. For runs on a
    /// JVM, not on a device.
    Calls,
}

impl Probe {
    /// Whether it counts and no more, so that blocks may follow from others.
    pub(super) fn only_counts(self) -> bool {
        matches!(self, Probe::Count | Probe::Window)
    }
}

/// How to instrument.
#[derive(Debug, Clone, Default)]
pub struct InstrumentOptions {
    /// What is put into each block.
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
    /// The name of these sources among the parts of one program that have probes and block ids of
    /// their own: letters, digits and `_`. Their runtime and the files that it writes bear it.
    pub part: Option<String>,
}
