//! `wattline run`: the runs of a campaign on a board.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;

use crate::build::VariantBuilder;
use crate::campaign::{Phase, PlannedCase, PlannedRun, order_runs, read_plan};
use crate::power::crash_in;
use crate::run::{
    Basis, ExitState, JudgeSettings, Progress, RunOptions, RunRecord, RunSummary, Start, Stopped,
    Trouble, WhenLost, changes_of_basis, read_journal, read_logs, run_campaign_until, troubles,
};
use crate::scenario::Scenario;
use crate::toolchain::Jdk;
use crate::toolchain::artifact::hash_of_bytes;

use super::Failure;
use super::driver::{BoardDriver, Jars};
use super::fleet::{self, BoardArguments, LostArguments};
use super::folder::{self, Loaded};
use super::kept::{self, Kept};
use super::output::{Existing, Output, read_text};
use super::plan;
use super::progress::{self, Bar};
use super::sampled;
use super::sessions::{self, OpenBoard, VirtualSettings};
use super::stop_rule::StopRule;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline run scenarios/orbit.toml --board virtual --out target/orbit
  wattline run scenarios/orbit.toml --board 0123456789ABCDEF --out target/orbit --resume
  wattline run scenarios/orbit.toml --serial A1B2C3 --serial D4E5F6 --out target/orbit

Plans first, where the folder has no plan. Every finished run is in the journal at once: a
campaign that was stopped goes on with --resume, and measures nothing twice. Several boards
share a campaign and measure at the same time (docs/boards.md); assignment.csv says which
has which case.")]
pub struct Arguments {
    /// The scenario file.
    scenario: PathBuf,
    #[command(flatten)]
    boards: BoardArguments,
    #[command(flatten)]
    lost: LostArguments,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Go on with the campaign that the folder holds.
    #[arg(long)]
    resume: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.boards.check()?;
    let output = Output::open(&arguments.out, Existing::Keep)?;
    let start = if arguments.resume { Start::Resume } else { Start::New };
    if start == Start::New && output.path("journal.jsonl").exists() {
        refuse_another(output.folder(), false)?;
    }
    kept::begin(output.folder());
    let jdk = Jdk::find()?;
    let loaded = folder::load(&arguments.scenario)?;
    let mut builder = plan::builder(&loaded, &jdk)?;
    let plan_file = output.path("plan.csv");
    if !plan_file.exists() {
        progress::result(plan::summary(&plan::make(&loaded, &jdk, &mut builder, &output)?));
    }
    let cases = read_cases(&plan_file)?;
    let boards = open_boards((&arguments.boards, &arguments.lost), &loaded.scenario, &output)?;
    let start = (start, arguments.lost.policy());
    let summary = measure(&loaded, &cases, &mut builder, &boards, &output, start)?;
    progress::result(summary_text(&summary));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Fails if a folder has a campaign, since another one is to be made there.
pub fn refuse_another(folder: &Path, can_force: bool) -> Result<(), Failure> {
    match Kept::of(folder) {
        None => Ok(()),
        Some(kept) => Err(Failure::Campaign { folder: folder.to_path_buf(), kept, can_force }),
    }
}

/// Reads `plan.csv`.
pub fn read_cases(path: &Path) -> Result<Vec<PlannedCase>, Failure> {
    read_plan(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

/// Opens the campaign's boards; one that is started for it leaves its truth in the folder.
/// Where a campaign on several is gone on with, one that is not there is told and left out.
pub fn open_boards(
    (boards, lost): (&BoardArguments, &LostArguments),
    scenario: &Scenario,
    output: &Output,
) -> Result<Vec<OpenBoard>, Failure> {
    sessions::check_logs(&boards.board, &scenario.board)?;
    let truth = output.path("board-truth");
    let settings = VirtualSettings { truth: Some(truth), seed: scenario.seed };
    let mut opened = Vec::new();
    let mut failed = None;
    for choice in &boards.board {
        match sessions::open(choice, scenario, &settings) {
            Ok(mut board) => {
                board.patience = lost.patience();
                opened.push(board);
            }
            Err(Failure::Device(error)) if boards.board.len() > 1 && fleet::is_spread(output) => {
                progress::warn(format!("{error}; the other boards go on without it"));
                failed = Some(error);
            }
            Err(failure) => return Err(failure),
        }
    }
    match (opened.is_empty(), failed) {
        (true, Some(error)) => Err(error.into()),
        _ => Ok(opened),
    }
}

/// Makes all runs of the plan that the journal does not have yet.
pub fn measure(
    loaded: &Loaded,
    cases: &[PlannedCase],
    builder: &mut VariantBuilder<'_>,
    boards: &[OpenBoard],
    output: &Output,
    (start, when_lost): (Start, WhenLost),
) -> Result<RunSummary, Failure> {
    let scenario = &loaded.scenario;
    let order = order_runs(cases, &sampled::on(&scenario.campaign, boards)?);
    let rails = boards.first().map(|board| board.rails.clone()).unwrap_or_default();
    let options = RunOptions {
        folder: output.folder().to_path_buf(),
        start,
        basis: basis(loaded, cases)?,
        fingerprint: fingerprint(scenario, output)?,
        seed: scenario.campaign.seed,
        max_retries: scenario.campaign.max_retries,
        judge: JudgeSettings { rails, ..JudgeSettings::from(scenario) },
    };
    take_up(scenario, &options, output)?;
    let dictionary = &loaded.application.dictionary;
    let rule = StopRule { scenario, cases, dictionary, folder: output.folder() };
    let mut enough = |records: &[RunRecord]| Ok(rule.enough(records)?);
    let board = match boards {
        [board] if !fleet::is_spread(output) => board,
        _ => {
            let campaign = fleet::Campaign { scenario, cases, order: &order, options: &options };
            return fleet::measure(&campaign, builder, boards, output, when_lost, &mut enough);
        }
    };
    let before = check_board(board, output)?;
    let folder = tempfile::tempdir().map_err(Failure::io("create", std::env::temp_dir()))?;
    let jars = Jars::new(scenario, builder);
    let mut driver = BoardDriver::new(scenario, cases, &jars, board, folder.path());
    let began = Instant::now();
    let bar = run_bar(scenario, &order);
    let mut show = |progress: &Progress<'_>| show(&bar, &options.folder, progress);
    let summary = run_campaign_until(&order, &mut driver, &options, &mut enough, &mut show)?;
    drop(bar);
    driver.time.say(began.elapsed(), summary.records.len() - before);
    Ok(summary)
}

/// The bar of a campaign's runs.
pub(super) fn run_bar(scenario: &Scenario, order: &[PlannedRun]) -> Bar {
    let each_s = scenario.session.duration_s + scenario.session.rest_s;
    progress::bar_on_board(order.len() as u64, "measuring", order.len() as f64 * each_s)
}

/// Shows how far a campaign is, and what went wrong.
pub(super) fn show(bar: &Bar, folder: &Path, progress: &Progress<'_>) {
    let done = progress.done as u64;
    let Some(record) = progress.record else { return bar.found_up_to(done) };
    bar.made_up_to(done);
    let warning = match record.is_good() {
        false => Some(format!("run {} is bad: {}", record.folder, record.reasons())),
        true => too_short(record),
    };
    if let Some(warning) = warning {
        let crash = crash(folder, record).map_or(String::new(), |crash| format!("\n{crash}"));
        bar.suspend(|| progress::warn(format!("{warning}{crash}")));
    }
}

/// The stack trace of a first attempt's crash.
fn crash(folder: &Path, record: &RunRecord) -> Option<String> {
    let died = record.conditions.exit == ExitState::Died && record.attempt == 0;
    died.then(|| crash_in(&read_logs(folder, record).ok()?.logcat)).flatten()
}

/// Said once of a case, while there is time to stop and raise it.
fn too_short(record: &RunRecord) -> Option<String> {
    let first = record.run.phase == Phase::Power && record.run.repeat == 1;
    let reason = record.measured.as_ref().filter(|_| first)?.too_short()?;
    Some(format!("case {} will be left out: {reason}", record.run.case))
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

/// What the campaign's runs depend on.
fn basis(loaded: &Loaded, cases: &[PlannedCase]) -> Result<Basis, Failure> {
    let Loaded { scenario, application } = loaded;
    let blocks = application.dictionary.blocks.iter();
    let blocks: Vec<&str> = blocks.map(|block| block.name.as_str()).collect();
    let files = application.sources.hashes()?;
    Ok(Basis::new(&scenario.keys, files, &blocks.join("\n"), cases))
}

/// Says what changed since the campaign was last gone on with; its folder's scenario is
/// this one from now on.
fn take_up(scenario: &Scenario, options: &RunOptions, output: &Output) -> Result<(), Failure> {
    let changes = changes_of_basis(&options.folder, &options.basis);
    if let Some(changes) = changes.filter(|_| options.start == Start::Resume) {
        changes.iter().for_each(|line| progress::say(format!("  {line}")));
        folder::write_scenario_copy(scenario, &output.replacing())?;
    }
    Ok(())
}

/// What versions before the basis told campaigns apart by: scenario and plan.
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
    if let Some(Stopped { after, saved, reason }) = &summary.stopped {
        text += &format!("\n  ended after round {after}, {saved} runs saved: {reason}");
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
