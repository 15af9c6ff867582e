//! What was spent and what to change: energies of operations, blocks, lines, methods and calls,
//! how far off they are, hints, and comparisons of two versions.
//!
//! The modules are listed in the order of the data flow. A module uses only the modules above it.

// Commands print, and say what their output could not take; these macros would panic.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub(crate) use wattline_campaign::{microbenchmarks, scenario};
pub(crate) use wattline_java::{blocks, java, operations};
pub(crate) use wattline_model as model;
pub(crate) use wattline_units::{
    assumptions, csv_text, exact, format, interval, quantile, root, units,
};

pub mod account;

pub mod hint;

pub mod compare;

#[cfg(test)]
#[path = "../../../tests/common/schema.rs"]
mod schema;
