//! Measuring of a campaign: makes the runs of a plan's cases, on one board or several.

pub mod driver;
mod fleet;
pub mod run_display;
pub mod sampled_runs;
mod stop_rule;

use std::time::{Duration, Instant};

use crate::boards::{self, BoardChoice, OpenBoard, VirtualSettings};
use crate::build::VariantBuilder;
use crate::campaign::{PlannedCase, order_runs};
use crate::device::DeviceError;
use crate::failure::Failure;
use crate::folder::{Output, PlannedCampaign};
use crate::format::counted;
use crate::load::LoadedScenario;
use crate::private_files::TemporaryFolder;
use crate::progress::Progress;
use crate::run::{
    CampaignBasis, CampaignOutcome, EarlyStop, JudgeSettings, LostBoardPolicy, OnExisting,
    RunOptions, RunProblem, RunProgress, RunRecord, changes_of_basis, read_journal,
    run_campaign_until, run_problems,
};
use crate::scenario::Scenario;
use crate::truth_folder;

use driver::{BoardDriver, VariantBuilds};
use run_display::{run_bar, show};
use stop_rule::StopRule;

/// Policies for an existing campaign and for lost boards.
#[derive(Debug, Clone, Copy)]
pub struct ResumeOptions {
    /// Policy for a campaign that the folder has already.
    pub existing: OnExisting,
    /// Policy for the runs of lost boards.
    pub when_lost: LostBoardPolicy,
}

/// Opens the campaign's boards; a virtual board that is started writes its ground truth to the
/// folder. When a campaign on several boards is resumed, a missing board is reported and left out.
pub fn open_boards<'p>(
    choices: &[BoardChoice],
    patience: Duration,
    scenario: &Scenario,
    output: &Output,
    progress: &'p dyn Progress,
) -> Result<Vec<OpenBoard<'p>>, Failure> {
    boards::check_logs(choices, &scenario.board)?;
    let truth = truth_folder::board_folder(output);
    let settings = VirtualSettings { truth: Some(truth), seed: scenario.seed };
    let mut opened = Vec::new();
    let mut failed = None;
    for choice in choices {
        match boards::open(choice, scenario, &settings, output.folder(), progress) {
            Ok(mut board) => {
                board.patience = patience;
                opened.push(board);
            }
            // A board that another campaign has is not lost.
            Err(failure @ Failure::Device(DeviceError::Held { .. })) => return Err(failure),
            Err(Failure::Device(error))
                if choices.len() > 1 && fleet::is_on_several_boards(&output.campaign()) =>
            {
                progress.warn(&format!("{error}; the other boards continue without it"));
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
    loaded: &LoadedScenario,
    planned: &PlannedCampaign,
    builder: &mut VariantBuilder<'_>,
    boards: &[OpenBoard<'_>],
    output: &Output,
    ResumeOptions { existing, when_lost }: ResumeOptions,
    progress: &dyn Progress,
) -> Result<CampaignOutcome, Failure> {
    let scenario = &loaded.scenario;
    let cases = planned.cases.as_slice();
    let order = order_runs(cases, &sampled_runs::settings_for(&scenario.campaign, boards)?);
    let options = RunOptions {
        folder: output.folder().to_path_buf(),
        existing,
        basis: basis(loaded, cases)?,
        seed: scenario.campaign.seed,
        max_retries: scenario.campaign.max_retries,
        judge: boards
            .first()
            .map_or_else(|| JudgeSettings::from(scenario), |board| board.judge_settings(scenario)),
    };
    take_up(scenario, &options, output, progress)?;
    let dictionary = &loaded.application.dictionary;
    let rule = StopRule { scenario, planned, dictionary, folder: &output.campaign() };
    let mut enough = |records: &[RunRecord]| Ok(rule.enough(records)?);
    let board = match boards {
        [board] if !fleet::is_on_several_boards(&output.campaign()) => board,
        _ => {
            let campaign =
                fleet::SharedCampaign { scenario, cases, order: &order, options: &options };
            return fleet::measure(
                &campaign,
                builder,
                boards,
                output,
                when_lost,
                &mut enough,
                progress,
            );
        }
    };
    let before = check_board(board, output)?;
    let folder =
        TemporaryFolder::new("measure").map_err(Failure::io("create", std::env::temp_dir()))?;
    let builds = VariantBuilds::new(scenario, builder);
    let mut driver = BoardDriver::new(scenario, cases, &builds, board, folder.path());
    let began = Instant::now();
    let bar = run_bar(&order, progress);
    let mut show = |run: &RunProgress<'_>| show(bar.as_ref(), &options.folder, run, progress);
    let summary = run_campaign_until(&order, &mut driver, &options, &mut enough, &mut show)?;
    drop(bar);
    driver.time.say(began.elapsed(), summary.records.len() - before, progress);
    Ok(summary)
}

/// Fails if the campaign was begun on another board. Returns the number of runs in the journal.
fn check_board(board: &OpenBoard<'_>, output: &Output) -> Result<usize, Failure> {
    // A folder without a journal has no campaign; a damaged one is told of when it is opened.
    let records = read_journal(output.folder()).unwrap_or_default();
    let (own, meter) = (board.recorded_serial(), board.meter);
    let other = |record: &&RunRecord| record.board.serial != own || record.board.meter != meter;
    match records.iter().find(other) {
        None => check_same_simulated_model(&records, board, output).map(|()| records.len()),
        Some(record) => Err(Failure::Usage(format!(
            "{} was begun on board {} with meter {}, and this is {own} with {meter}; \
             resume it there, or give another --out",
            output.folder().display(),
            record.board.serial,
            record.board.meter
        ))),
    }
}

/// Fails if a virtual board's campaign was begun with another simulated energy model.
fn check_same_simulated_model(
    records: &[RunRecord],
    board: &OpenBoard<'_>,
    output: &Output,
) -> Result<(), Failure> {
    let Some(own) = &board.facts.simulated_model else { return Ok(()) };
    let others = records.iter().filter_map(|record| record.board.simulated_model.as_ref());
    match others.into_iter().find(|simulated_model| *simulated_model != own) {
        None => Ok(()),
        Some(simulated_model) => Err(Failure::Usage(format!(
            "{} was begun with the simulated energy model {simulated_model}, and this board has \
             {own}; give --simulated-model {simulated_model}, or another --out",
            output.folder().display()
        ))),
    }
}

/// The basis of the campaign: everything that its runs depend on.
fn basis(loaded: &LoadedScenario, cases: &[PlannedCase]) -> Result<CampaignBasis, Failure> {
    let LoadedScenario { scenario, application, own_package } = loaded;
    let blocks = application.dictionary.blocks.iter();
    let blocks: Vec<&str> = blocks.map(|block| block.name.as_str()).collect();
    let mut files = application.sources.hashes()?;
    let package = own_package.as_ref().map(|package| package.sha256().to_owned());
    files.extend(package.map(|hash| ("application.apk".to_owned(), hash)));
    Ok(CampaignBasis::new(&scenario.keys, files, &blocks.join("\n"), cases))
}

/// Prints what changed since the campaign was last resumed, and writes this scenario to the folder.
fn take_up(
    scenario: &Scenario,
    options: &RunOptions,
    output: &Output,
    progress: &dyn Progress,
) -> Result<(), Failure> {
    let changes = changes_of_basis(&options.folder, &options.basis);
    if let Some(changes) = changes.filter(|_| options.existing == OnExisting::Resume) {
        changes.iter().for_each(|line| progress.say(&format!("  {line}")));
        output.replacing().write_scenario(scenario)?;
    }
    Ok(())
}

/// Lines about the number of runs, failed entries, and problems.
pub fn summary_text(summary: &CampaignOutcome) -> String {
    let good = summary.records.iter().filter(|record| record.is_good()).count();
    let bad = summary.records.len() - good;
    let mut text = format!("{}, {}", counted(good, "good run"), counted(bad, "bad one"));
    if summary.resumed > 0 {
        text += &format!(", {} of them from before", summary.resumed);
    }
    if let Some(EarlyStop { after, saved, reason }) = &summary.stopped {
        text +=
            &format!("\n  ended after round {after}, {} saved: {reason}", counted(*saved, "run"));
    }
    for trouble in run_problems(&summary.records) {
        let RunProblem { reason, runs, first } = trouble;
        text += &format!("\n  {runs} x {reason} (first: {first})");
    }
    for (run, reason) in &summary.given_up {
        text += &format!("\n  stopped after repeated failures: {}: {reason}", run.id());
    }
    text
}
