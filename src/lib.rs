//! wattline tells an Android or Java developer how much energy every operation,
//! basic block, line and method of their source spends, how sure that is, and
//! what to change.
//!
//! [`pipeline()`] does all of it for a scenario file: it plans, measures on a board, fits and
//! accounts. Each of its stages can be had alone; this divides a source into blocks, fits
//! costs to cases that somebody has measured, and says what a line spends:
//!
//! ```
//! use wattline::account::{AccountInput, MeasuredEnergies, account};
//! use wattline::blocks::{BlockId, Granularity};
//! use wattline::build::{AnalysedApplication, Sources};
//! use wattline::model::table::{ColumnChoice, Table};
//! use wattline::model::{FitOptions, Solver, fit};
//! use wattline::units::Joules;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let java = "class Sum {\n  static int of(int n) {\n    int sum = 0;\n    \
//!             for (int i = 0; i < n; i++) {\n      sum += i;\n    }\n    return sum;\n  }\n}";
//! let sources = Sources::of_texts([("Sum.java", java)]);
//! let dictionary = AnalysedApplication::analyse(sources, Granularity::Expression)?.dictionary;
//!
//! let measured = "case,energy_j,Addition_int_int,Less_int_int,Assign_int_int\n\
//!                 a,5e-6,1000,2000,500\nb,9e-6,3000,2000,1000\nc,4e-6,500,500,1250\n\
//!                 d,8e-6,2000,3000,500\ne,7e-6,1500,1500,2000\n";
//! let table = Table::from_csv(measured, &ColumnChoice::default())?;
//! let model = fit(&table, &FitOptions::new(Solver::Nnls))?;
//!
//! let runs = [1, 1, 1001, 1000, 1000, 1]; // of the blocks of Sum.of(1000)
//! let executions = (0..).map(BlockId).zip(runs).collect();
//! let measured = MeasuredEnergies { total: Joules(5e-6), ..MeasuredEnergies::default() };
//! let accounts = account(&AccountInput {
//!     dictionary: &dictionary,
//!     executions: &executions,
//!     model: &model,
//!     measured: &measured,
//!     samples: &[],
//!     calls: None,
//! });
//! let costliest = &accounts.lines[0];
//! assert_eq!((costliest.key.file.as_str(), costliest.key.line), ("Sum.java", 5));
//! println!("line {}: {} J", costliest.key.line, costliest.energy.joules().0);
//! # Ok(())
//! # }
//! ```
//!
//! The modules are listed in the order of the data flow. A module uses only the
//! modules above it (and `units`, `finding`, `quantile` and `root`); `cli` uses everything:
//!
//! java source -> blocks -> operations -> instrumented variants -> campaign ->
//! runs -> data set -> model -> accounts -> hints -> reports.

// Commands print by `cli::standard_output` and tell by `cli::progress`, where what can't be
// written makes an exit code; these macros would panic.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub use wattline_account::{
    account, compare, facts, found_hints, ground_truth, hint, recorded_calls, scenario_accounts,
    unseen_inputs, verification,
};
pub use wattline_attribution as attribution;
pub(crate) use wattline_campaign::input_file;
pub use wattline_campaign::{
    boards, build, campaign, dataset, device, failure, fit, folder, load, measure, microbenchmarks,
    pattern_counts, plan, progress, project, run, scan, scenario, stacks, toolchain, trial,
    truth_folder,
};
pub use wattline_java::{blocks, finding, instrument, java, operations, unresolved_name};
pub use wattline_model as model;
pub use wattline_private_files as private_files;
pub(crate) use wattline_report::recording;
pub use wattline_report::{campaign_report, report};
pub use wattline_report::{energies, export};
pub use wattline_units::{assumptions, atto, exact, interval, power, units};
pub(crate) use wattline_units::{csv_text, file_schema, format};
pub use wattline_virtual_board as virtual_board;

mod log_file;

pub mod pipeline;

pub mod cli;

pub use load::ScenarioOrigin;
pub use pipeline::{PipelineOptions, PipelineResult, pipeline};

#[cfg(test)]
#[path = "../crates/account/src/account/sample.rs"]
#[allow(dead_code)] // what only tests of accounts use
mod sample_accounts;
