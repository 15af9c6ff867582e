//! Executions of blocks as sums of what is counted.

use std::collections::BTreeMap;

/// What is counted while the program runs; blocks as indices into the file's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DerivedCounter {
    /// The executions of a block.
    Block(usize),
    /// The exceptions that left a block of a watched loop.
    Thrown(usize),
}

/// Counters, and how often each is added; negative if it is taken away.
pub type Sum = BTreeMap<DerivedCounter, i64>;

/// Block -> what its executions are the sum of.
pub type Derived = BTreeMap<usize, Sum>;
