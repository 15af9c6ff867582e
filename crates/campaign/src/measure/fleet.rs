//! A campaign on several boards.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::boards::{OpenBoard, first_duplicate};
use crate::build::VariantBuilder;
use crate::campaign::{PlannedCase, PlannedRun, assign};
use crate::failure::Failure;
use crate::folder::{CampaignFolder, Output};
use crate::private_files::TemporaryFolder;
use crate::progress::Progress;
use crate::run::{
    CampaignOutcome, FleetBoard, LostBoardPolicy, RepeatCheck, RunOptions, RunProgress,
    read_assignment, read_journal, run_fleet,
};
use crate::scenario::Scenario;

use super::driver::{BoardDriver, TimeSpent, VariantBuilds};
use super::run_display::{run_bar, show};

/// Whether a folder's campaign has an assignment to several boards.
pub fn is_on_several_boards(folder: &CampaignFolder) -> bool {
    // A folder without a journal has no campaign; a damaged one is told of when it is opened.
    read_assignment(folder.path()).is_ok_and(|assignment| assignment.is_some())
}

/// The scenario, cases and runs of a campaign on several boards.
pub(crate) struct SharedCampaign<'c> {
    /// The scenario.
    pub scenario: &'c Scenario,
    /// Cases of the plan.
    pub cases: &'c [PlannedCase],
    /// All runs, on whichever board.
    pub order: &'c [PlannedRun],
    /// Folder, basis and settings of the runs.
    pub options: &'c RunOptions,
}

/// Makes all runs that the journal does not have yet, on all boards at the same time, and writes
/// `assignment.csv`.
pub fn measure(
    campaign: &SharedCampaign<'_>,
    builder: &mut VariantBuilder<'_>,
    boards: &[OpenBoard<'_>],
    output: &Output,
    when_lost: LostBoardPolicy,
    enough: &mut RepeatCheck<'_>,
    progress: &dyn Progress,
) -> Result<CampaignOutcome, Failure> {
    let SharedCampaign { scenario, cases, order, options } = *campaign;
    let serials = names(boards)?;
    check_same_rails(boards)?;
    let before = check_journal(boards, output)?;
    let folders: Result<Vec<_>, _> = boards.iter().map(|_| TemporaryFolder::new("fleet")).collect();
    let folders = folders.map_err(Failure::io("create", std::env::temp_dir()))?;
    let builds = VariantBuilds::new(scenario, builder);
    let mut drivers: Vec<BoardDriver<'_, '_, '_>> = boards
        .iter()
        .zip(&folders)
        .map(|(board, folder)| BoardDriver::new(scenario, cases, &builds, board, folder.path()))
        .collect();
    let members: Vec<FleetBoard<'_>> = serials
        .iter()
        .zip(&mut drivers)
        .map(|(board, driver)| FleetBoard { board: board.clone(), driver })
        .collect();
    let began = Instant::now();
    let bar = run_bar(order, progress);
    let fresh = assign(cases, &serials, options.seed);
    let mut show = |run: &RunProgress<'_>| {
        bar.set_length(run.total as u64);
        show(bar.as_ref(), &options.folder, run, progress);
    };
    let ended = run_fleet(order, fresh, members, options, when_lost, enough, &mut show);
    drop(bar);
    let written = write_assignment(output);
    let summary = ended?;
    written?;
    let mut time = TimeSpent::default();
    drivers.iter_mut().for_each(|driver| time += std::mem::take(&mut driver.time));
    let runs = summary.records.len() - before;
    time.say_of_fleet(began.elapsed(), runs, boards.len(), progress);
    Ok(summary)
}

/// Writes `assignment.csv` from the journal, over that of an earlier start.
fn write_assignment(output: &Output) -> Result<(), Failure> {
    if let Ok(Some(assignment)) = read_assignment(output.folder()) {
        output.replacing().write_assignment(&assignment)?;
    }
    Ok(())
}

/// The boards' names in records; fails if two are equal.
fn names(boards: &[OpenBoard<'_>]) -> Result<Vec<String>, Failure> {
    let names: Vec<String> = boards.iter().map(OpenBoard::recorded_serial).collect();
    match first_duplicate(&names) {
        None => Ok(names),
        Some((one, other)) => Err(Failure::Usage(format!(
            "the boards {} and {} both call themselves {:?}; give virtual ones names of their own \
             (`wattline board virtual --name NAME`)",
            boards[one].serial(),
            boards[other].serial(),
            names[one]
        ))),
    }
}

/// Fails unless all boards are measured by the same rails.
fn check_same_rails(boards: &[OpenBoard<'_>]) -> Result<(), Failure> {
    let kind = |board: &OpenBoard<'_>| (board.meter, board.rails.clone(), board.fixed_khz);
    let odd = boards.windows(2).find(|pair| kind(&pair[0]) != kind(&pair[1]));
    let Some([one, other]) = odd else { return Ok(()) };
    let what = |board: &OpenBoard<'_>| {
        let frequency =
            board.fixed_khz.map_or("its own frequency".into(), |khz| format!("{khz} kHz"));
        let rails = board.rails.join(", ");
        format!("{} by {} ({rails}) at {frequency}", board.serial(), board.meter)
    };
    Err(Failure::Usage(format!(
        "the boards of a campaign need the same meter, rails and frequency; {} is measured otherwise \
         than {}: name what both have in `board.meter`, `board.rails` and `board.frequency_khz`",
        what(one),
        what(other)
    )))
}

/// Fails if the campaign was begun on one board, or if a board has another meter than in the
/// journal. Returns the number of runs in the journal.
fn check_journal(boards: &[OpenBoard<'_>], output: &Output) -> Result<usize, Failure> {
    let records = read_journal(output.folder()).unwrap_or_default();
    let folder = output.folder().display();
    if let Some(first) = records.first().filter(|_| !is_on_several_boards(&output.campaign())) {
        return Err(Failure::Usage(format!(
            "{folder} was begun on board {} alone; resume it on that board, or give another --out",
            first.board.serial
        )));
    }
    let meters: BTreeMap<String, &str> =
        boards.iter().map(|board| (board.recorded_serial(), board.meter)).collect();
    let other = records.iter().find(|record| {
        meters.get(&record.board.serial).is_some_and(|meter| *meter != record.board.meter)
    });
    match other {
        None => Ok(records.len()),
        Some(record) => Err(Failure::Usage(format!(
            "{folder} has runs of board {} with meter {}, which is another now; give another --out",
            record.board.serial, record.board.meter
        ))),
    }
}
