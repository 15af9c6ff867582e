//! Quantities of wattline: units as types, exact energies, intervals, quantiles, roots, how all
//! of them are written, and the energy of measured windows: samples and readings of meters, the
//! lines of a log, the lag between two clocks; names of what energy is spent on
//! ([`operation`]); and all that is assumed about the world ([`assumptions`]). Text in, values
//! out.

// Only the command line prints.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod assumptions;
pub mod atto;
pub mod csv_text;
pub mod dialect;
pub mod exact;
pub mod exposition;
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
