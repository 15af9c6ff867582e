//! Several boards for one command: naming them, and a campaign that is spread over them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use clap::Args;

use crate::build::VariantBuilder;
use crate::campaign::{PlannedCase, PlannedRun, assign};
use crate::device::RECONNECT_LIMIT;
use crate::run::{
    Enough, Member, Progress, RunOptions, RunSummary, WhenLost, read_assignment, read_journal,
    run_fleet,
};
use crate::scenario::Scenario;

use super::Failure;
use super::driver::{BoardDriver, Jars, Time};
use super::output::Output;
use super::run::{run_bar, show};
use super::sessions::{BoardChoice, OpenBoard, namesakes};

/// `--board`, as often as there are boards.
#[derive(Debug, Clone, Args)]
pub struct BoardArguments {
    /// `virtual` (`virtual:pixel` and others: see `board virtual`), `jvm` (this machine), or
    /// a serial that `adb devices` lists. Several serials, apart by commas or with a flag
    /// each, share the work.
    #[arg(
        long,
        visible_alias = "serial",
        default_value = "virtual",
        value_delimiter = ',',
        value_name = "BOARD"
    )]
    pub board: Vec<BoardChoice>,
}

impl BoardArguments {
    /// Refuses what can't go together.
    pub fn check(&self) -> Result<(), Failure> {
        let mut seen = Vec::new();
        for choice in &self.board {
            if self.board.len() > 1 && !matches!(choice, BoardChoice::Serial(_)) {
                return Err(Failure::Usage(
                    "`virtual` and `jvm` are one board each; for several boards give their \
                     serials with --board (virtual ones: start them with `wattline board virtual \
                     --name NAME`)"
                        .into(),
                ));
            }
            if seen.contains(&choice) {
                return Err(Failure::Usage(format!("--board names {choice:?} twice")));
            }
            seen.push(choice);
        }
        Ok(())
    }
}

/// What becomes of the runs of boards that are lost.
#[derive(Debug, Clone, Args)]
pub struct LostArguments {
    /// With several boards: the others make what one that is lost, or not named any more,
    /// left open. Else it stays open until that board is back.
    #[arg(long = "move")]
    moves: bool,
    /// Seconds for which a board that is lost is waited for.
    #[arg(long, value_name = "SECONDS", default_value_t = RECONNECT_LIMIT.as_secs(),
          value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    wait: u64,
}

impl LostArguments {
    /// How long a board is waited for.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.wait)
    }

    /// As a policy.
    pub fn policy(&self) -> WhenLost {
        if self.moves { WhenLost::Move } else { WhenLost::KeepOpen }
    }
}

/// Whether a folder's campaign is spread over several boards.
pub fn is_spread(output: &Output) -> bool {
    // A folder without a journal has no campaign; a damaged one is told of when it is opened.
    read_assignment(output.folder()).is_ok_and(|assignment| assignment.is_some())
}

/// What is measured.
pub struct Campaign<'c> {
    /// The scenario.
    pub scenario: &'c Scenario,
    /// Its cases.
    pub cases: &'c [PlannedCase],
    /// All runs, on whichever board.
    pub order: &'c [PlannedRun],
    /// Folder, seed, limits.
    pub options: &'c RunOptions,
}

/// Makes all runs that the journal does not have yet, on all boards at the same time. Writes
/// assignment.csv.
pub fn measure(
    campaign: &Campaign<'_>,
    builder: &mut VariantBuilder<'_>,
    boards: &[OpenBoard],
    output: &Output,
    when_lost: WhenLost,
    enough: &mut Enough<'_>,
) -> Result<RunSummary, Failure> {
    let Campaign { scenario, cases, order, options } = *campaign;
    let serials = names(boards)?;
    same_rails(boards)?;
    let before = check_journal(boards, output)?;
    let folders: Result<Vec<_>, _> = boards.iter().map(|_| tempfile::tempdir()).collect();
    let folders = folders.map_err(Failure::io("create", std::env::temp_dir()))?;
    let jars = Jars::new(scenario, builder);
    let mut drivers: Vec<BoardDriver<'_, '_, '_>> = boards
        .iter()
        .zip(&folders)
        .map(|(board, folder)| BoardDriver::new(scenario, cases, &jars, board, folder.path()))
        .collect();
    let members: Vec<Member<'_>> = serials
        .iter()
        .zip(&mut drivers)
        .map(|(board, driver)| Member { board: board.clone(), driver })
        .collect();
    let began = Instant::now();
    let bar = run_bar(scenario, order);
    let fresh = assign(cases, &serials, options.seed);
    let mut show = |progress: &Progress<'_>| {
        bar.set_length(progress.total as u64);
        show(&bar, &options.folder, progress);
    };
    let ended = run_fleet(order, fresh, members, options, when_lost, enough, &mut show);
    drop(bar);
    let written = write_assignment(output);
    let summary = ended?;
    written?;
    let mut time = Time::default();
    drivers.iter_mut().for_each(|driver| time += std::mem::take(&mut driver.time));
    time.say_of_fleet(began.elapsed(), summary.records.len() - before, boards.len());
    Ok(summary)
}

/// Writes assignment.csv, over that of an earlier start: the journal is what holds.
fn write_assignment(output: &Output) -> Result<(), Failure> {
    if let Ok(Some(assignment)) = read_assignment(output.folder()) {
        output.replacing().write("assignment.csv", assignment.to_csv())?;
    }
    Ok(())
}

/// The boards' names in records, which must tell them apart.
fn names(boards: &[OpenBoard]) -> Result<Vec<String>, Failure> {
    let names: Vec<String> = boards.iter().map(OpenBoard::recorded_serial).collect();
    match namesakes(&names) {
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

/// Boards that share a campaign are measured by the same rails.
fn same_rails(boards: &[OpenBoard]) -> Result<(), Failure> {
    let kind = |board: &OpenBoard| (board.meter, board.rails.clone());
    let odd = boards.windows(2).find(|pair| kind(&pair[0]) != kind(&pair[1]));
    let Some([one, other]) = odd else { return Ok(()) };
    let what = |board: &OpenBoard| {
        format!("{} by {} ({})", board.serial(), board.meter, board.rails.join(", "))
    };
    Err(Failure::Usage(format!(
        "the boards of a campaign need the same meter and rails; {} is measured otherwise than {}: \
         name what both have in `board.meter` and `board.rails`",
        what(one),
        what(other)
    )))
}

/// A campaign that was begun on one board stays there, and every board keeps its meter.
/// Returns how many runs there are.
fn check_journal(boards: &[OpenBoard], output: &Output) -> Result<usize, Failure> {
    let records = read_journal(output.folder()).unwrap_or_default();
    let folder = output.folder().display();
    if let Some(first) = records.first().filter(|_| !is_spread(output)) {
        return Err(Failure::Usage(format!(
            "{folder} was begun on board {} alone; go on with that one, or give another --out",
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        boards: BoardArguments,
    }

    fn parse(words: &[&str]) -> BoardArguments {
        let words = [&["wattline"], words].concat();
        Line::try_parse_from(words).unwrap().boards
    }

    #[test]
    fn boards_are_named_once_each_in_either_form() {
        assert_eq!(parse(&[]).board, [BoardChoice::Virtual("odroid-xu-e")]);
        assert_eq!(parse(&["--board", "virtual:phone"]).board, [BoardChoice::Virtual("phone")]);
        assert!("virtual:toaster".parse::<BoardChoice>().unwrap_err().contains("pixel"));
        let two = ["A", "B"].map(|serial| BoardChoice::Serial(serial.into()));
        assert_eq!(parse(&["--serial", "A", "--serial", "B"]).board, two);
        assert_eq!(parse(&["--board", "A,B"]).board, two);
        assert!(parse(&["--board", "A,B"]).check().is_ok());
        for wrong in ["A,virtual", "jvm,A", "A,A"] {
            assert!(parse(&["--board", wrong]).check().is_err(), "{wrong}");
        }
    }
}
