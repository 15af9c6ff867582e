//! Outputs for readers and tools: reports as pages and text, exports, recordings, and energy
//! tables.
//!
//! The modules are listed in the order of the data flow. A module uses only the modules above it.

// Commands print, and say what their output could not take; these macros would panic.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub(crate) use wattline_account::{
    account, compare, facts, found_hints, ground_truth, hint, recorded_calls, scenario_accounts,
    unseen_inputs, verification,
};
pub(crate) use wattline_attribution as attribution;
#[cfg(test)]
pub(crate) use wattline_campaign::toolchain;
pub(crate) use wattline_campaign::{
    campaign, dataset, failure, fit, folder, microbenchmarks, progress, run, scenario,
};
pub(crate) use wattline_java::blocks;
pub(crate) use wattline_java::java;
#[cfg(test)]
pub(crate) use wattline_java::operations;
pub(crate) use wattline_model as model;
pub(crate) use wattline_units::{
    atto, csv_text, exact, exposition, format, power, px, quantile, units,
};

pub mod report;

pub mod campaign_report;

pub mod export;

pub mod recording;

pub mod energies;

#[cfg(test)]
#[path = "../../../tests/common/python.rs"]
mod python;

#[cfg(test)]
#[path = "../../../tests/common/skip.rs"]
mod skip;

#[cfg(test)]
#[path = "../../account/src/account/sample.rs"]
#[allow(dead_code)] // what only tests of accounts use
mod sample_accounts;
