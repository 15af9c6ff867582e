//! Blocks -> typed energy operations and library calls per block: the dictionary.
//! The 120 operations are data (`catalogue.csv`), the counting rules are code.

pub mod dictionary;

pub use dictionary::{BlockEntry, Dictionary, OperationCount};
