//! Quantities of wattline: units as types, exact energies, intervals, quantiles, roots, their
//! formatting; the energy of measured windows from samples and readings of meters, lines of a
//! log, and the lag between two clocks ([`power`]); names of operations and library functions
//! ([`operation`]); dialects of tables and limits of input; reference and schemas of files from
//! their types ([`file_schema`]); and the assumed constants
//! ([`assumptions`]). Text in, values out.

// Only the command line prints.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod assumptions;
pub mod atto;
pub mod csv_text;
pub mod dialect;
pub mod exact;
pub mod exposition;
pub mod file_schema;
pub mod foreign;
pub mod format;
pub mod input;
pub mod interval;
pub mod limits;
pub mod operation;
pub mod power;
pub mod px;
pub mod quantile;
pub mod root;
pub mod shortened;
pub mod units;
