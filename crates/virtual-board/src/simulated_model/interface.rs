//! Interface of a simulated energy model to the board, the same for all families.

use std::io;
use std::path::Path;

use super::share::{CallFrame, ExecutedCode, ReadingShare};

/// Energy and allocations of an application since the last reading.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Dynamic energy of the executed code in joules, at the reference voltage.
    pub energy_j: f64,
    /// Bytes that the application allocated on the heap.
    pub allocated_bytes: u64,
}

/// Simulated energy model that counts what one process executes.
pub trait SimulatedModel: Send {
    /// Reads the counters and returns the usage since the last call. The agent brings the counters
    /// up to date before each message on the clock's connection.
    fn advance(&mut self) -> Usage;

    /// Parts of the last reading's energy by executed code.
    fn shares(&self) -> Vec<ReadingShare>;

    /// Frames of executed code, the innermost first; none for the compiler, which is not the
    /// application's.
    fn frames(&self, code: ExecutedCode) -> Vec<CallFrame>;

    /// Writes the ground truth so far: `lines.csv`, `methods.csv`, `patterns.csv`,
    /// `library.csv` and `total.csv` in `dir`, which is created.
    ///
    /// # Errors
    /// Files that can't be written, or counters that couldn't be read.
    fn write_ground_truth(&mut self, dir: &Path) -> io::Result<()>;
}
