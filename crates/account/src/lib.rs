//! Energies of operations, blocks, lines, methods and calls with their errors; hints; and
//! comparisons of two versions.
//!
//! The modules are listed in the order of the data flow. A module uses only the modules above it.

// Commands print, and say what their output could not take; these macros would panic.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub(crate) use wattline_campaign::{
    boards, build, campaign, dataset, device, failure, fit, folder, load, measure, microbenchmarks,
    plan, progress, run, scenario, stacks, toolchain, truth_folder,
};
pub(crate) use wattline_java::{blocks, instrument, java, operations};
pub(crate) use wattline_model as model;
pub(crate) use wattline_private_files as private_files;
pub(crate) use wattline_units::{
    assumptions, csv_text, exact, format, interval, power, quantile, root, units,
};

pub mod account;

pub mod hint;

pub mod compare;

pub mod facts;

pub mod ground_truth;

pub mod scenario_accounts;

pub mod recorded_calls;

pub mod unseen_inputs;

pub mod found_hints;

pub mod verification;

#[cfg(test)]
#[path = "../../../tests/common/schema.rs"]
mod schema;

#[cfg(test)]
#[path = "../../../tests/common/run_record.rs"]
mod run_record;
