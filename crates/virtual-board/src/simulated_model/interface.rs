//! What the board sees of a chip, of whichever family.

use std::io;
use std::path::Path;

use super::share::{CallFrame, ExecutedCode, ReadingShare};

/// What the application used since the last reading.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Dynamic energy of the executed code in joules, at the reference voltage.
    pub energy_j: f64,
    /// Bytes the application allocated on the heap.
    pub allocated_bytes: u64,
}

/// A chip that counts what a process executes.
pub trait SimulatedModel: Send {
    /// Reads the counters; the usage since the last call. The agent brings the
    /// counters up to date before each message on the clock's connection.
    fn advance(&mut self) -> Usage;

    /// Which code the energy of the last reading went to.
    fn shares(&self) -> Vec<ReadingShare>;

    /// The frames of a code, the innermost first; none of the compiler, which is not the
    /// application's.
    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame>;

    /// Writes the ground truth so far: `lines.csv`, `methods.csv`, `patterns.csv`,
    /// `library.csv` and `total.csv` in `dir`, which is created.
    ///
    /// # Errors
    /// Files that can't be written, or counters that couldn't be read.
    fn write_truth(&mut self, dir: &Path) -> io::Result<()>;
}
