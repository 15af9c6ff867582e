//! Interface of a model family: accounts the counts of a process as energy.

use std::io;

use super::ground_truth::GroundTruthRows;
use super::share::{CallFrame, ExecutedCode, ReadingShare};

/// Energy and allocated bytes of the counts in one reading of the agent's map.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadingUsage {
    /// Attojoules.
    pub energy: u128,
    /// Bytes that were allocated.
    pub bytes: u64,
}

/// Accounting of one process's counts by one simulated energy model.
pub(super) trait Accounting: Send {
    /// Adds whole lines of the agent's map.
    ///
    /// # Errors
    /// Lines that are not of the format, patterns without a cost.
    fn add_map_lines(&mut self, text: &str) -> io::Result<()>;

    /// Number of counters that have prices.
    fn counter_count(&self) -> usize;

    /// Spends what was executed since the last reading: counters below
    /// [`counter_count`](Self::counter_count), with their executions.
    fn spend(&mut self, executed: &[(usize, u64)]) -> ReadingUsage;

    /// Parts of the last reading's energy by executed code, given the counters executed in it.
    fn shares(&self, executed: &[(usize, u64)]) -> Vec<ReadingShare>;

    /// Frames of executed code, the innermost first.
    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame>;

    /// Ground truth of everything spent so far.
    fn ground_truth(&self) -> GroundTruthRows<'_>;
}
