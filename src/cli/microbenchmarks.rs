//! `wattline microbenchmarks`: measures microbenchmarks for the operations that an application
//! executes most, and fits costs to them.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::{CampaignFolder, OnExisting, Output, names};
use crate::microbenchmarks::{open_boards, run_microbenchmarks};
use crate::scenario::read_scenario;
use crate::toolchain::Jdk;

use super::answer::FormatArgument;
use super::boards::BoardArguments;
use super::progress;

/// Names of the files written beside the sessions.
const MICROBENCHMARK_FILES: [&str; 5] = [
    names::MICROBENCHMARKS,
    names::MICROBENCHMARKS_COVARIANCE,
    names::MICROBENCHMARK_CASES,
    names::MICROBENCHMARK_WINDOWS,
    names::MICROBENCHMARKS_DEVICES,
];

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline microbenchmarks scenarios/orbit.toml --for target/orbit --board virtual --out target/mb

Writes microbenchmarks.csv (cost and standard error per operation), for `fit --prior`,
microbenchmark-windows.csv (all runs) and microbenchmark-cases.csv (energy and counts of a
million iterations). Repeat the command to continue after an interruption. With several boards
the costs are those of the first by name.")]
pub struct Arguments {
    /// The scenario: meter, rails, frequency, and its [microbenchmarks].
    scenario: PathBuf,
    /// The campaign's folder, whose operations are measured.
    #[arg(long = "for")]
    campaign: PathBuf,
    #[command(flatten)]
    boards: BoardArguments,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let chosen = arguments.boards.choices()?;
    let output = open_output(&arguments.out, arguments.force, &MICROBENCHMARK_FILES)?;
    let scenario = read_scenario(&arguments.scenario)?;
    let jdk = Jdk::find()?;
    let mix = ScenarioFacts::read(&CampaignFolder::new(&arguments.campaign), None)?.operation_mix();
    let boards = open_boards(&chosen, &scenario, &output, &progress::TERMINAL)?;
    let measured =
        run_microbenchmarks(&mix, &scenario, &jdk, &boards, &output, &progress::TERMINAL)?;
    measured.write(&output)?;
    let figures = json!({
        "microbenchmarks": measured.microbenchmarks,
        "runs": measured.runs.len(),
        "operations_without_microbenchmark": measured.unmeasured,
        "devices": measured.prices.devices,
        "costs": measured.prices.prices,
    });
    arguments.format.print("microbenchmarks", &figures, || measured.summary());
    progress::say(format!("written: {}", output.path(names::MICROBENCHMARKS).display()));
    Ok(())
}

/// Opens a folder for results and sessions; with `force` removes existing ones.
pub(super) fn open_output(folder: &Path, force: bool, results: &[&str]) -> Result<Output, Failure> {
    let output = Output::open(folder, OnExisting::from(force), &progress::TERMINAL)?;
    output.check_free(results)?;
    if force {
        output.discard(&[names::MICROBENCHMARK_RUNS])?;
    }
    Ok(output)
}
