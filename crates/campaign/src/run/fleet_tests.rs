//! Campaigns on several scripted boards: spread, lost, resumed, moved.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::campaign::{PlannedCase, RunPhase, assign};
use crate::run::campaign::tests::{files, options};
use crate::run::judge::tests::session;
use crate::run::{ExitState, OnExisting, RunRecord, read_assignment, read_journal};

/// A board whose sessions draw a power of its own.
struct Scripted {
    name: &'static str,
    power_w: f64,
    made: Vec<String>,
    /// Lost for good before this many sessions.
    dies_after: Option<usize>,
    /// The host's side fails before this many sessions.
    breaks_after: Option<usize>,
    /// Every session of these cases dies.
    broken: BTreeSet<String>,
}

impl Scripted {
    fn new(name: &'static str, power_w: f64) -> Self {
        let (made, broken) = Default::default();
        Self { name, power_w, made, dies_after: None, breaks_after: None, broken }
    }
}

impl RunDriver for Scripted {
    fn run(&mut self, run: &PlannedRun, _attempt: u32) -> Result<RawRun, DriverError> {
        if self.dies_after.is_some_and(|limit| self.made.len() >= limit) {
            return Err(DriverError::BoardLost("no answer".into()));
        }
        if self.breaks_after.is_some_and(|limit| self.made.len() >= limit) {
            return Err(DriverError::Broken("no javac".into()));
        }
        // The boards are not equally fast: their sessions mix.
        std::thread::sleep(Duration::from_micros(if self.name == "left" { 300 } else { 700 }));
        self.made.push(run.id());
        let mut raw = session(self.power_w + 0.1 * f64::from(run.repeat));
        raw.board.serial = self.name.into();
        if self.broken.contains(&run.case) {
            raw.conditions.exit = ExitState::Died;
        }
        Ok(raw)
    }
}

fn cases() -> Vec<PlannedCase> {
    let case = |name: &str, removed: u32| PlannedCase {
        name: name.into(),
        variant: name.into(),
        input: "north".into(),
        removed: (0..removed).map(crate::blocks::BlockId).collect(),
        executions: 100 - u64::from(removed),
        executions_share: 1.0,
        energy_share: 1.0,
        rank: 1,
    };
    (0..7).map(|n| case(&format!("c{n}"), n)).collect()
}

fn order() -> Vec<PlannedRun> {
    let mut runs = Vec::new();
    for case in cases() {
        for (phase, repeats) in [(RunPhase::Traced, 1), (RunPhase::Power, 2), (RunPhase::Idle, 2)] {
            for repeat in 1..=repeats {
                runs.push(PlannedRun { case: case.name.clone(), phase, repeat });
            }
        }
    }
    // Far from sorted, and not by chance.
    runs.sort_by_key(|run| (run.repeat * 7 + run.case.len() as u32) % 5);
    runs
}

fn run(
    folder: &Path,
    existing: OnExisting,
    boards: &mut [&mut Scripted],
    when_lost: LostBoardPolicy,
) -> Result<CampaignOutcome, RunError> {
    run_until(&order(), folder, existing, boards, when_lost, &mut |_| Ok(None))
}

/// The same with an order of its own, until it is enough.
fn run_until(
    order: &[PlannedRun],
    folder: &Path,
    existing: OnExisting,
    boards: &mut [&mut Scripted],
    when_lost: LostBoardPolicy,
    enough: &mut RepeatCheck<'_>,
) -> Result<CampaignOutcome, RunError> {
    let fresh = assign(&cases(), &["left".into(), "right".into()], 5);
    let members = boards.iter_mut().map(|board| FleetBoard {
        board: board.name.into(),
        driver: &mut **board as &mut (dyn RunDriver + Send),
    });
    let members = members.collect();
    run_fleet(order, fresh, members, &options(folder, existing), when_lost, enough, &mut |_| {})
}

/// All cases in a phase, round by round.
fn rounds(phase: RunPhase, repeats: u32) -> Vec<PlannedRun> {
    let round = |repeat| cases().into_iter().rev().map(move |case| (case.name, repeat));
    let runs = (1..=repeats).flat_map(round);
    runs.map(|(case, repeat)| PlannedRun { case, phase, repeat }).collect()
}

fn two() -> (Scripted, Scripted) {
    (Scripted::new("left", 1.0), Scripted::new("right", 2.0))
}

/// Everything but the order in which the journal got its lines.
fn result(folder: &Path) -> (std::collections::BTreeMap<String, Vec<u8>>, Vec<RunRecord>) {
    let mut found = files(folder);
    found.remove("journal.jsonl");
    let mut records = read_journal(folder).unwrap();
    records.sort_by(|a, b| a.folder.cmp(&b.folder));
    (found, records)
}

#[test]
fn every_run_is_made_once_on_its_board_and_the_path_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut left, mut right) = two();
    let summary = run(
        folder.path(),
        OnExisting::Refuse,
        &mut [&mut left, &mut right],
        LostBoardPolicy::KeepOpen,
    )
    .unwrap();
    assert_eq!((summary.resumed, summary.given_up.len()), (0, 0));
    // The base case on both: 6 + 2 cases of 5 runs.
    assert_eq!(summary.records.len(), 40);
    assert_eq!(left.made.len() + right.made.len(), 40);
    let assignment = read_assignment(folder.path()).unwrap().unwrap();
    for (board, made) in [("left", &left.made), ("right", &right.made)] {
        let queue: Vec<String> =
            assignment.queue(&order(), board).iter().map(PlannedRun::id).collect();
        assert_eq!(*made, queue, "in the campaign's order");
    }
    for record in &summary.records {
        assert!(assignment.has(&record.run.case, &record.board.serial));
        assert!(record.folder.ends_with(&format!("-on-{}", record.board.serial)));
    }
    let again = run(
        folder.path(),
        OnExisting::Resume,
        &mut [&mut left, &mut right],
        LostBoardPolicy::KeepOpen,
    );
    assert_eq!(again.unwrap().resumed, 40);
    assert_eq!(left.made.len() + right.made.len(), 40, "nothing is measured twice");
}

#[test]
fn a_lost_board_does_not_stop_the_other_and_resume_gives_the_same() {
    let undisturbed = tempfile::tempdir().unwrap();
    let (mut left, mut right) = two();
    run(
        undisturbed.path(),
        OnExisting::Refuse,
        &mut [&mut left, &mut right],
        LostBoardPolicy::KeepOpen,
    )
    .unwrap();
    for dies_after in [0, 3, 19] {
        let folder = tempfile::tempdir().unwrap();
        let (mut left, mut right) = two();
        right.dies_after = Some(dies_after);
        let error = run(
            folder.path(),
            OnExisting::Refuse,
            &mut [&mut left, &mut right],
            LostBoardPolicy::KeepOpen,
        )
        .unwrap_err();
        let open = 20 - dies_after;
        let said = format!("{open} runs are open: {open} of right (lost).");
        assert!(error.to_string().starts_with(&said), "{error}");
        assert_eq!(left.made.len(), 20, "the other board is done");
        // Alone, the board that is left has nothing to do, and the runs are still open.
        let error =
            run(folder.path(), OnExisting::Resume, &mut [&mut left], LostBoardPolicy::KeepOpen)
                .unwrap_err();
        assert!(error.to_string().contains("of right (not there)"), "{error}");
        right.dies_after = None;
        run(
            folder.path(),
            OnExisting::Resume,
            &mut [&mut left, &mut right],
            LostBoardPolicy::KeepOpen,
        )
        .unwrap();
        assert_eq!(result(folder.path()), result(undisturbed.path()), "died after {dies_after}");
        assert_eq!((left.made.len(), right.made.len()), (20, 20));
    }
}

#[test]
fn the_runs_of_a_lost_board_move_when_told_so() {
    for at_once in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let (mut left, mut right) = two();
        right.dies_after = Some(7);
        let when = if at_once { LostBoardPolicy::Move } else { LostBoardPolicy::KeepOpen };
        let first = run(folder.path(), OnExisting::Refuse, &mut [&mut left, &mut right], when);
        let summary = match at_once {
            true => first.unwrap(),
            false => {
                assert!(first.is_err());
                run(folder.path(), OnExisting::Resume, &mut [&mut left], LostBoardPolicy::Move)
                    .unwrap()
            }
        };
        let assignment = read_assignment(folder.path()).unwrap().unwrap();
        for case in cases() {
            let good = |phase, board: &str| {
                let good = |r: &&RunRecord| r.is_good_run_of(&case.name, phase);
                summary.records.iter().filter(good).filter(|r| r.board.serial == board).count()
            };
            for board in &assignment.0[&case.name] {
                assert_eq!((good(RunPhase::Power, board), good(RunPhase::Idle, board)), (2, 2));
            }
        }
        assert_eq!(right.made.len(), 7, "what it did is kept");
        assert_eq!(summary.records.iter().filter(|r| r.board.serial == "right").count(), 7);
    }
}

#[test]
fn a_board_on_which_nothing_works_is_lost_and_a_strange_one_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut left, mut right) = two();
    right.broken = cases().into_iter().map(|case| case.name).collect();
    let error = run(
        folder.path(),
        OnExisting::Refuse,
        &mut [&mut left, &mut right],
        LostBoardPolicy::KeepOpen,
    )
    .unwrap_err();
    assert!(error.to_string().contains("of right (lost)"), "{error}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("5 runs in a row failed for good"), "{source}");
    assert_eq!(left.made.len(), 20);
    let mut other = Scripted::new("other", 1.0);
    let error =
        run(folder.path(), OnExisting::Resume, &mut [&mut other], LostBoardPolicy::KeepOpen)
            .unwrap_err();
    assert!(error.to_string().contains("which lies on left, right"), "{error}");
}

#[test]
fn a_fault_of_this_side_brings_the_other_boards_session_home_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let (mut left, mut right) = two();
    left.breaks_after = Some(4);
    let error =
        run(folder.path(), OnExisting::Refuse, &mut [&mut left, &mut right], LostBoardPolicy::Move)
            .unwrap_err();
    assert!(matches!(error, RunError::Driver { .. }), "{error}");
    assert_eq!(left.made.len(), 4);
    let kept = read_journal(folder.path()).unwrap();
    assert_eq!(kept.len(), 4 + right.made.len(), "no session is lost");
    left.breaks_after = None;
    run(folder.path(), OnExisting::Resume, &mut [&mut left, &mut right], LostBoardPolicy::KeepOpen)
        .unwrap();
    assert_eq!((left.made.len(), right.made.len()), (20, 20));
}

/// Without workers, so that it is certain which answer comes first.
#[test]
fn after_a_fault_of_this_side_no_board_is_given_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let (order, options) = (order(), options(folder.path(), OnExisting::Refuse));
    let boards = ["left".to_string(), "right".to_string()];
    let mut journal = open_journal(&options).unwrap();
    journal.assign(assign(&cases(), &boards, 5)).unwrap();
    let mut fleet =
        FleetWriter::new(&order, journal, &options, LostBoardPolicy::Move, &boards).unwrap();
    let (tell, answers) = channel();
    let mut raw = session(2.0);
    raw.board.serial = "right".into();
    let fault = Err(DriverError::Broken("no javac".into()));
    for (board, raw) in [("left", fault), ("right", Ok(raw))] {
        let task = SessionTask { run: fleet.queues[board][0].clone(), attempt: 0 };
        tell.send(SessionResult { board: board.into(), task, raw }).unwrap();
    }
    let (to_left, of_left) = channel();
    let (to_right, of_right) = channel();
    let inboxes = BTreeMap::from([("left".into(), to_left), ("right".into(), to_right)]);
    let error =
        fleet.run(&inboxes, &answers, &mut |_| Ok(None), &mut |_| {}).expect_err("it is broken");
    assert!(matches!(error, RunError::Driver { .. }), "{error}");
    assert_eq!((of_left.try_iter().count(), of_right.try_iter().count()), (1, 1));
    assert_eq!(read_journal(folder.path()).unwrap().len(), 1, "right's session is brought home");
}

/// The same campaign by rounds, of which two are enough; a round is asked about once the runs
/// of both boards are there.
fn run_until_two(
    folder: &Path,
    existing: OnExisting,
    boards: &mut [&mut Scripted],
    when_lost: LostBoardPolicy,
) -> Result<CampaignOutcome, RunError> {
    let mut enough = |records: &[RunRecord]| {
        assert_eq!(records.len() % 8, 0, "whole rounds of 6 + 2 runs");
        let ids: BTreeSet<&str> = records.iter().map(|record| record.folder.as_str()).collect();
        assert_eq!(ids.len(), records.len());
        Ok((records.len() == 16).then(|| "it is known".to_string()))
    };
    run_until(&rounds(RunPhase::Power, 4), folder, existing, boards, when_lost, &mut enough)
}

#[test]
fn rounds_end_on_all_boards_and_a_resumed_campaign_ends_in_the_same() {
    let undisturbed = tempfile::tempdir().unwrap();
    let (mut left, mut right) = two();
    let both = &mut [&mut left, &mut right];
    let summary =
        run_until_two(undisturbed.path(), OnExisting::Refuse, both, LostBoardPolicy::KeepOpen)
            .unwrap();
    let expected = EarlyStop { after: 2, saved: 16, reason: "it is known".into() };
    assert_eq!((summary.stopped, summary.records.len()), (Some(expected.clone()), 16));
    for dies_after in [0, 3, 4, 7] {
        let folder = tempfile::tempdir().unwrap();
        let (mut left, mut right) = two();
        right.dies_after = Some(dies_after);
        let both = &mut [&mut left, &mut right];
        let error =
            run_until_two(folder.path(), OnExisting::Refuse, both, LostBoardPolicy::KeepOpen)
                .unwrap_err();
        assert!(error.to_string().contains("of right (lost)"), "{error}");
        assert_eq!(left.made.len(), if dies_after < 4 { 4 } else { 8 }, "it waits for the other");
        right.dies_after = None;
        let both = &mut [&mut left, &mut right];
        let summary =
            run_until_two(folder.path(), OnExisting::Resume, both, LostBoardPolicy::KeepOpen)
                .unwrap();
        assert_eq!(summary.stopped, Some(expected.clone()));
        assert_eq!(result(folder.path()), result(undisturbed.path()), "died after {dies_after}");
    }
    let again = run_until_two(
        undisturbed.path(),
        OnExisting::Resume,
        &mut [&mut left],
        LostBoardPolicy::Move,
    );
    assert_eq!(again.unwrap().records.len(), 16, "what is over stays so");
    assert_eq!(left.made.len() + right.made.len(), 16);
}

#[test]
fn rounds_go_on_when_the_runs_of_a_lost_board_move() {
    let folder = tempfile::tempdir().unwrap();
    let (mut left, mut right) = two();
    right.dies_after = Some(5);
    let (order, both) = (rounds(RunPhase::Idle, 3), &mut [&mut left, &mut right]);
    let mut enough = |_: &[RunRecord]| Ok(None);
    let summary = run_until(
        &order,
        folder.path(),
        OnExisting::Refuse,
        both,
        LostBoardPolicy::Move,
        &mut enough,
    )
    .unwrap();
    assert_eq!((right.made.len(), summary.stopped), (5, None));
    assert_eq!(left.made.len(), 21, "all cases, three times");
}
