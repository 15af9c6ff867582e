//! Analysis of Java sources for wattline: syntax trees with names and types, basic blocks, the
//! dictionary of typed energy operations and library calls per block and line, and instrumented
//! source trees with blocks removed. Needs no JDK. A module uses only those above it.

// Only the command line prints.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod finding;

pub mod unresolved_name;

pub mod java;

pub mod blocks;

pub mod operations;

pub mod instrument;

#[cfg(test)]
#[path = "../../../tests/common/skip.rs"]
mod skip;
