//! `wattline run`: the runs of a campaign on a board.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use crate::build::VariantBuilder;
use crate::campaign::{PlannedCase, order_runs, read_plan};
use crate::run::{
    JudgeSettings, RunOptions, RunRecord, RunSummary, Start, Trouble, read_journal, run_campaign,
    troubles,
};
use crate::scenario::Scenario;
use crate::toolchain::Jdk;
use crate::toolchain::artifact::hash_of_bytes;

use super::Failure;
use super::driver::BoardDriver;
use super::folder::{self, Loaded};
use super::output::{Existing, Output, read_text};
use super::plan;
use super::progress;
use super::sessions::{self, BoardChoice, OpenBoard, VirtualSettings};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline run scenarios/orbit.toml --board virtual --out target/orbit
  wattline run scenarios/orbit.toml --board 0123456789ABCDEF --out target/orbit --resume

Plans first, where the folder has no plan. Every finished run is in the journal at once: a
campaign that was stopped goes on with --resume, and measures nothing twice.")]
pub struct Arguments {
    /// The scenario file.
    scenario: PathBuf,
    /// `virtual`, `jvm` (this machine), or a serial that `adb devices` lists.
    #[arg(long, default_value = "virtual")]
    board: BoardChoice,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Go on with the campaign that the folder holds.
    #[arg(long)]
    resume: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, Existing::Keep)?;
    let start = if arguments.resume { Start::Resume } else { Start::New };
    let jdk = Jdk::find()?;
    let loaded = folder::load(&arguments.scenario)?;
    let mut builder = plan::builder(&loaded, &jdk)?;
    let plan_file = output.path("plan.csv");
    if !plan_file.exists() {
        progress::result(plan::summary(&plan::make(&loaded, &jdk, &mut builder, &output)?));
    }
    let cases = read_cases(&plan_file)?;
    let board = open_board(&arguments.board, &loaded.scenario, &output)?;
    let summary = measure(&loaded, &cases, &mut builder, &board, &output, start)?;
    progress::result(summary_text(&summary));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Reads `plan.csv`.
pub fn read_cases(path: &Path) -> Result<Vec<PlannedCase>, Failure> {
    read_plan(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

/// Opens the scenario's board; a virtual one leaves its truth in the folder.
pub fn open_board(
    choice: &BoardChoice,
    scenario: &Scenario,
    output: &Output,
) -> Result<OpenBoard, Failure> {
    let truth = output.path("board-truth");
    let settings = VirtualSettings { truth: Some(truth), seed: scenario.seed };
    sessions::open(choice, &scenario.board, &settings)
}

/// Makes all runs of the plan that the journal does not have yet.
pub fn measure(
    loaded: &Loaded,
    cases: &[PlannedCase],
    builder: &mut VariantBuilder<'_>,
    board: &OpenBoard,
    output: &Output,
    start: Start,
) -> Result<RunSummary, Failure> {
    let scenario = &loaded.scenario;
    let before = check_board(board, output)?;
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let order = order_runs(&names, &scenario.campaign);
    let options = RunOptions {
        folder: output.folder().to_path_buf(),
        start,
        fingerprint: fingerprint(scenario, output)?,
        seed: scenario.campaign.seed,
        max_retries: scenario.campaign.max_retries,
        judge: JudgeSettings { rails: board.rails.clone(), ..JudgeSettings::from(scenario) },
    };
    let folder = tempfile::tempdir().map_err(Failure::io("create", std::env::temp_dir()))?;
    let mut driver = BoardDriver::new(scenario, cases, builder, board, folder.path());
    let began = Instant::now();
    let bar = progress::bar(order.len() as u64, "measuring");
    let summary = run_campaign(&order, &mut driver, &options, &mut |progress| {
        bar.set_position(progress.done as u64);
        if let Some(record) = progress.record.filter(|record| !record.is_good()) {
            bar.suspend(|| {
                progress::warn(format!("run {} is bad: {}", record.folder, record.reasons()));
            });
        }
    })?;
    bar.finish_and_clear();
    driver.time.say(began.elapsed(), summary.records.len() - before);
    Ok(summary)
}

/// A campaign is gone on with on the board that it began on. Returns how many runs it has.
fn check_board(board: &OpenBoard, output: &Output) -> Result<usize, Failure> {
    // A folder without a journal has no campaign; a damaged one is told of when it is opened.
    let records = read_journal(output.folder()).unwrap_or_default();
    let (own, meter) = (board.recorded_serial(), board.meter);
    let other = |record: &&RunRecord| record.board.serial != own || record.board.meter != meter;
    match records.iter().find(other) {
        None => Ok(records.len()),
        Some(record) => Err(Failure::Usage(format!(
            "{} was begun on board {} with meter {}, and this is {own} with {meter}; go on with \
             that one, or give another --out",
            output.folder().display(),
            record.board.serial,
            record.board.meter
        ))),
    }
}

/// What tells this campaign from others: scenario and plan.
fn fingerprint(scenario: &Scenario, output: &Output) -> Result<String, Failure> {
    let scenario = read_text(&scenario.file)?;
    let plan = read_text(&output.path("plan.csv"))?;
    Ok(hash_of_bytes(format!("{scenario}\0{plan}").as_bytes()))
}

/// How many runs there are, and what became of those that went wrong.
pub fn summary_text(summary: &RunSummary) -> String {
    let good = summary.records.iter().filter(|record| record.is_good()).count();
    let bad = summary.records.len() - good;
    let mut text = format!("{good} good runs, {bad} bad ones");
    if summary.resumed > 0 {
        text += &format!(", {} of them from before", summary.resumed);
    }
    for trouble in troubles(&summary.records) {
        let Trouble { reason, runs, first } = trouble;
        text += &format!("\n  {runs} x {reason} (first: {first})");
    }
    for (run, reason) in &summary.given_up {
        text += &format!("\n  given up: {}: {reason}", run.id());
    }
    text
}
