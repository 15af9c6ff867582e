//! What is measured: a scenario, the sources of an application, its instrumented variants, the
//! boards that run them, the runs, and the data set that comes of them; microbenchmarks, too.
//!
//! The modules are listed in the order of the data flow. A module uses only the modules above it.

// Commands print, and say what their output could not take; these macros would panic.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub(crate) use wattline_attribution as attribution;
pub(crate) use wattline_java::{blocks, finding, instrument, java, operations, unresolved_name};
pub(crate) use wattline_model as model;
pub(crate) use wattline_private_files as private_files;
pub(crate) use wattline_units::{assumptions, csv_text, format, power, quantile, units};
pub(crate) use wattline_virtual_board as virtual_board;

pub mod input_file;

pub mod progress;

pub mod toolchain;

pub mod apk;

pub mod scenario;

pub mod project;

pub mod campaign;

pub mod build;

pub mod scan;

pub mod stacks;

pub mod device;

pub mod run;

pub mod failure;

pub mod folder;

pub mod dataset;

pub mod load;

pub mod boards;

pub mod pattern_counts;

pub mod microbenchmarks;

pub mod fit;

pub mod truth_folder;

pub mod measure;

pub mod plan;

pub mod trial;

pub mod table_schemas;

#[cfg(test)]
#[path = "../../../tests/common/skip.rs"]
mod skip;

#[cfg(test)]
#[path = "../../../tests/common/run_record.rs"]
mod run_record;
