//! wattline tells an Android or Java developer how much energy every operation,
//! basic block, line and method of their source spends, how sure that is, and
//! what to change.
//!
//! The modules are listed in the order of the data flow. A module uses only the
//! modules above it (and `units`, `finding` and `quantile`); `cli` uses everything:
//!
//! java source -> blocks -> operations -> instrumented variants -> campaign ->
//! runs -> data set -> model -> accounts -> hints -> reports.

pub mod units;

pub mod finding;

pub mod quantile;

pub mod java;

pub mod blocks;

pub mod operations;

pub mod instrument;

pub mod toolchain;

pub mod apk;

pub mod power;

pub mod scenario;

pub mod campaign;

pub mod build;

pub mod device;

pub mod run;

pub mod dataset;

pub mod model;

pub mod kernels;

pub mod account;

pub mod hint;

pub mod report;

pub mod export;

pub mod compare;

pub mod attribution;

pub mod virtual_board;

pub mod cli;
