//! Executions of blocks as sums of counters.

use std::collections::BTreeMap;

/// Counter of the running program; blocks are indices into the file's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DerivedCounter {
    /// The executions of a block.
    Block(usize),
    /// The exceptions that left a block of a watched loop.
    Thrown(usize),
}

/// Sum of counters, each with its factor; negative if it is subtracted.
pub type CounterSum = BTreeMap<DerivedCounter, i64>;

/// Sums of counters that are the executions of blocks, by index of the block.
pub type DerivedSums = BTreeMap<usize, CounterSum>;
