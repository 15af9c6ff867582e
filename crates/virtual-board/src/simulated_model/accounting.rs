//! A family of chips: what counters stand for, and what their counts spend.

use std::io;

use super::share::{CallFrame, ExecutedCode, ReadingShare};
use super::truth::TruthRows;

/// Attojoules and bytes of a reading.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadingUse {
    /// Attojoules.
    pub energy: u128,
    /// Bytes that were allocated.
    pub bytes: u64,
}

/// One chip's books of one process.
pub(super) trait Accounting: Send {
    /// Takes whole lines of the agent's map.
    ///
    /// # Errors
    /// Lines that are not of the format, patterns without a cost.
    fn feed(&mut self, text: &str) -> io::Result<()>;

    /// How many counters have prices.
    fn counters(&self) -> usize;

    /// Spends what was executed since the last reading: counters below
    /// [`counters`](Self::counters), with their executions.
    fn spend(&mut self, executed: &[(usize, u64)]) -> ReadingUse;

    /// Which code the energy of the last reading went to, given what was executed in it.
    fn shares(&self, executed: &[(usize, u64)]) -> Vec<ReadingShare>;

    /// The frames of a code, the innermost first.
    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame>;

    /// All that was spent so far.
    fn truth(&self) -> TruthRows<'_>;
}
