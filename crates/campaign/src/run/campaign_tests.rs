//! Campaigns with a scripted board: bad runs, crashes, kills at any moment.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::campaign::RunPhase;
use crate::run::RunVerdict;
use crate::run::basis::{CampaignBasis, CaseBasis};
use crate::run::judge::tests::{session, settings};
use crate::run::record::ExitState;
use crate::run::store::read_logs;

/// Makes all runs of `order` that the journal does not have.
fn run_campaign(
    order: &[PlannedRun],
    driver: &mut dyn RunDriver,
    options: &RunOptions,
    progress: &mut dyn FnMut(&RunProgress<'_>),
) -> Result<CampaignOutcome, RunError> {
    run_campaign_until(order, driver, options, &mut |_| Ok(None), progress)
}

pub(crate) fn record(case: &str, repeat: u32) -> RunRecord {
    let run = PlannedRun { case: case.into(), phase: RunPhase::Power, repeat };
    RunRecord {
        folder: run.id(),
        run,
        attempt: 0,
        verdict: RunVerdict::Bad { reasons: vec!["a \"b\"\n".into()] },
        board: Default::default(),
        conditions: Default::default(),
        measured: None,
        tool_version: "1".into(),
        seed: 1,
    }
}

/// What goes wrong in a run.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    Crash,
    NoEnd,
    Hang,
    BoardLost,
}

/// Brings sessions whose power depends on the run, with faults by run and attempt.
#[derive(Default)]
struct Scripted {
    faults: BTreeMap<(String, u32), Fault>,
    made: Vec<String>,
    /// Stops with an error before this many sessions.
    dies_after: Option<usize>,
}

impl RunDriver for Scripted {
    fn run(&mut self, run: &PlannedRun, attempt: u32) -> Result<RawRun, DriverError> {
        let lost = || Err(DriverError::BoardLost("no answer".into()));
        if self.dies_after == Some(self.made.len()) {
            return lost();
        }
        self.made.push(RunEntry { run, board: None }.folder(attempt));
        let mut raw = session(1.0 + f64::from(run.repeat));
        match self.faults.get(&(run.id(), attempt)) {
            Some(Fault::Crash) => raw.conditions.exit = ExitState::Died,
            Some(Fault::NoEnd) => raw.logs.logcat = raw.logs.logcat.replace(": end", ""),
            Some(Fault::Hang) => raw.conditions.exit = ExitState::TimedOut,
            Some(Fault::BoardLost) => return lost(),
            None => {}
        }
        Ok(raw)
    }
}

fn order() -> Vec<PlannedRun> {
    let run = |case: &str, phase, repeat| PlannedRun { case: case.into(), phase, repeat };
    vec![
        run("base-a", RunPhase::Power, 1),
        run("r01-a", RunPhase::Traced, 1),
        run("base-a", RunPhase::Idle, 1),
        run("r01-a", RunPhase::Power, 1),
        run("base-a", RunPhase::Traced, 1),
        run("r01-a", RunPhase::Idle, 1),
    ]
}

/// Of the cases of all tests here and of the fleet's.
pub(crate) fn basis() -> CampaignBasis {
    let case = |name: &str| {
        let input = name.rsplit('-').next().unwrap_or_default().to_string();
        (name.to_string(), CaseBasis { input, removed: String::new() })
    };
    let scenario = BTreeMap::from([("campaign.repeats".to_string(), "1".to_string())]);
    let cases = ["base-a", "r01-a", "base-b"].map(case).into();
    CampaignBasis { scenario, cases, ..CampaignBasis::default() }
}

pub(crate) fn options(folder: &Path, existing: OnExisting) -> RunOptions {
    RunOptions {
        folder: folder.into(),
        existing,
        basis: basis(),
        seed: 3,
        max_retries: 2,
        judge: settings(),
    }
}

fn run(
    folder: &Path,
    existing: OnExisting,
    driver: &mut Scripted,
) -> Result<CampaignOutcome, RunError> {
    run_campaign(&order(), driver, &options(folder, existing), &mut |_| {})
}

fn faulty() -> Scripted {
    let fault = |id: &str, attempt, fault| ((id.to_string(), attempt), fault);
    let faults = BTreeMap::from([
        fault("r01-a-traced-1", 0, Fault::Crash),
        fault("base-a-idle-1", 0, Fault::NoEnd),
        fault("base-a-idle-1", 1, Fault::Crash),
        fault("base-a-traced-1", 0, Fault::Crash),
        fault("base-a-traced-1", 1, Fault::Crash),
        fault("base-a-traced-1", 2, Fault::Crash),
    ]);
    Scripted { faults, ..Scripted::default() }
}

/// All files below a folder with their bytes.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let name = |path: &Path| path.strip_prefix(folder).unwrap().display().to_string();
    files.map(|entry| (name(entry.path()), std::fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn bad_runs_are_kept_and_repeated_up_to_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = faulty();
    let summary = run(folder.path(), OnExisting::Refuse, &mut driver).unwrap();
    let verdicts: Vec<_> =
        summary.records.iter().map(|record| (record.folder.as_str(), record.is_good())).collect();
    let expected = [
        ("base-a-power-1", true),
        ("r01-a-traced-1", false),
        ("r01-a-traced-1-retry-1", true),
        ("base-a-idle-1", false),
        ("base-a-idle-1-retry-1", false),
        ("base-a-idle-1-retry-2", true),
        ("r01-a-power-1", true),
        ("base-a-traced-1", false),
        ("base-a-traced-1-retry-1", false),
        ("base-a-traced-1-retry-2", false),
        ("r01-a-idle-1", true),
    ];
    assert_eq!(verdicts, expected);
    assert_eq!(summary.given_up.len(), 1);
    assert_eq!(summary.given_up[0].0.id(), "base-a-traced-1");
    assert_eq!(summary.given_up[0].1, "the application died");
    let counts = crate::run::read_counts(folder.path(), &summary.records).unwrap();
    let expected = BTreeMap::from([("r01-a".to_string(), session(1.0).logs.counts.unwrap())]);
    assert_eq!(counts, expected);
    for record in &summary.records {
        let logs = read_logs(folder.path(), record).unwrap();
        assert_eq!(logs.samples, session(2.0).logs.samples, "{}", record.folder);
    }
}

#[test]
fn repeats_of_what_was_given_up_are_tried_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut again = order();
    again.iter_mut().for_each(|run| run.repeat = 2);
    let order = [order(), again].concat();
    let mut driver = faulty();
    for attempt in 0..3 {
        driver.faults.insert(("base-a-traced-2".into(), attempt), Fault::Crash);
    }
    driver.faults.insert(("r01-a-power-2".into(), 0), Fault::Crash);
    let options = options(folder.path(), OnExisting::Refuse);
    let summary = run_campaign(&order, &mut driver, &options, &mut |_| {}).unwrap();
    let given_up: Vec<String> = summary.given_up.iter().map(|(run, _)| run.id()).collect();
    assert_eq!(given_up, ["base-a-traced-1", "base-a-traced-2"]);
    let tries = |case: &str, phase| {
        let is_it =
            |r: &&RunRecord| r.run.repeat == 2 && r.run.case == case && r.run.phase == phase;
        summary.records.iter().filter(is_it).count()
    };
    assert_eq!((tries("base-a", RunPhase::Traced), tries("r01-a", RunPhase::Power)), (1, 2));
}

/// The cases r01-a and r01-b are without the same blocks: what hangs with one input is not waited
/// for with the other. A session that hung once is made again.
#[test]
fn a_variant_that_hangs_is_left_out_everywhere() {
    let run = |case: &str, repeat| PlannedRun { case: case.into(), phase: RunPhase::Power, repeat };
    let order: Vec<PlannedRun> = (1..=2)
        .flat_map(|repeat| ["base-a", "r01-a", "r01-b", "r02-a"].map(|case| run(case, repeat)))
        .collect();
    let removed = [("base-a", ""), ("r01-a", "7 8"), ("r01-b", "7 8"), ("r02-a", "9")];
    let case = |(name, removed): (&str, &str)| {
        let input = name.rsplit('-').next().unwrap().to_string();
        let removed = crate::run::basis::short_hash(removed.as_bytes());
        (name.to_string(), CaseBasis { input, removed })
    };
    let of = |faults: &[(&str, u32)]| {
        let folder = tempfile::tempdir().unwrap();
        let fault = |(id, attempt): &(&str, u32)| ((id.to_string(), *attempt), Fault::Hang);
        let faults = faults.iter().map(fault).collect();
        let mut driver = Scripted { faults, ..Scripted::default() };
        let basis = CampaignBasis { cases: removed.map(case).into(), ..basis() };
        let options = RunOptions { basis, ..options(folder.path(), OnExisting::Refuse) };
        let summary = run_campaign(&order, &mut driver, &options, &mut |_| {}).unwrap();
        (driver.made, summary)
    };
    let (made, summary) = of(&[("r01-a-power-1", 0), ("r01-a-power-1", 1)]);
    let expected = [
        "base-a-power-1",
        "r01-a-power-1",
        "r01-a-power-1-retry-1",
        "r02-a-power-1",
        "base-a-power-2",
        "r02-a-power-2",
    ];
    assert_eq!(made, expected);
    let given_up: Vec<String> = summary.given_up.iter().map(|(run, _)| run.id()).collect();
    assert_eq!(given_up, ["r01-a-power-1", "r01-b-power-1", "r01-a-power-2", "r01-b-power-2"]);
    assert!(summary.given_up[1].1.contains("r01-a-power-1 hung"), "{}", summary.given_up[1].1);
    let (made, summary) = of(&[("r01-a-power-1", 0), ("base-a-power-1", 0), ("base-a-power-1", 1)]);
    assert_eq!(made.len(), order.len() + 3, "the board was at fault");
    assert!(summary.given_up.is_empty());
}

#[test]
fn a_campaign_stopped_anywhere_and_resumed_equals_an_undisturbed_one() {
    let undisturbed = tempfile::tempdir().unwrap();
    let mut driver = faulty();
    run(undisturbed.path(), OnExisting::Refuse, &mut driver).unwrap();
    for stop in (0..driver.made.len()).step_by(5) {
        let folder = tempfile::tempdir().unwrap();
        let mut first = Scripted { dies_after: Some(stop), ..faulty() };
        let error = run(folder.path(), OnExisting::Refuse, &mut first).unwrap_err();
        assert!(matches!(error, RunError::Driver { .. }), "{error}");
        let mut second = faulty();
        run(folder.path(), OnExisting::Resume, &mut second).unwrap();
        let made: Vec<String> = first.made.iter().chain(&second.made).cloned().collect();
        assert_eq!(made, driver.made, "stopped before run {stop}");
        assert_eq!(files(folder.path()), files(undisturbed.path()));
    }
}

/// Killed after the folder was renamed and before (or while) the journal line was
/// written, or while the folder was written.
#[test]
fn a_run_without_its_journal_line_is_made_again() {
    let undisturbed = tempfile::tempdir().unwrap();
    run(undisturbed.path(), OnExisting::Refuse, &mut faulty()).unwrap();
    let journal = std::fs::read(undisturbed.path().join("journal.jsonl")).unwrap();
    let lines: Vec<usize> =
        journal.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(i, _)| i + 1).collect();
    for cut in [lines[2], lines[5] - 1] {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), OnExisting::Refuse, &mut faulty()).unwrap();
        std::fs::write(folder.path().join("journal.jsonl"), &journal[..cut]).unwrap();
        let half = folder.path().join("runs/.unfinished-r01-a-idle-1");
        std::fs::create_dir_all(&half).unwrap();
        std::fs::write(half.join("samples.txt.zst"), "half").unwrap();
        let orphan = folder.path().join("runs/r01-a-power-1/record.json");
        std::fs::write(orphan, "{}").unwrap();
        run(folder.path(), OnExisting::Resume, &mut faulty()).unwrap();
        assert_eq!(files(folder.path()), files(undisturbed.path()), "cut at {cut}");
    }
}

#[test]
fn a_finished_campaign_is_not_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let first = run(folder.path(), OnExisting::Refuse, &mut faulty()).unwrap();
    let mut driver = faulty();
    let again = run(folder.path(), OnExisting::Resume, &mut driver).unwrap();
    assert!(driver.made.is_empty());
    assert_eq!((&again.records, again.given_up), (&first.records, first.given_up));
    assert_eq!(again.resumed, 6);
    let error = run(folder.path(), OnExisting::Refuse, &mut driver).unwrap_err();
    assert!(matches!(error, RunError::Exists { .. }));
    let mut other = options(folder.path(), OnExisting::Resume);
    other.basis.scenario.insert("seed".into(), "2".into());
    let error = run_campaign(&order(), &mut driver, &other, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("seed was not set and is 2"), "{error}");
    let run = |options: &RunOptions| {
        let mut driver = Scripted::default();
        let summary = run_campaign(&order(), &mut driver, options, &mut |_| {}).unwrap();
        (driver.made, summary.records)
    };
    other.basis = basis();
    other.basis.scenario.insert("microbenchmarks.repeats".into(), "5".into());
    assert_eq!(run(&other), (vec![], again.records), "microbenchmarks are none of its runs");
}

#[test]
fn runs_of_another_input_are_made_again_and_hold_again_when_it_is_set_back() {
    let folder = tempfile::tempdir().unwrap();
    let run = |frames: &str, order: &[PlannedRun]| {
        let mut options = options(folder.path(), OnExisting::Resume);
        options.basis.scenario.insert("input.b.frames".into(), frames.into());
        let mut driver = Scripted::default();
        run_campaign(order, &mut driver, &options, &mut |_| {}).unwrap();
        driver.made
    };
    let of_b = |phase| PlannedRun { case: "base-b".into(), phase, repeat: 1 };
    let mut order = order();
    order.extend([of_b(RunPhase::Idle), of_b(RunPhase::Power), of_b(RunPhase::Traced)]);
    assert_eq!(run("1", &order).len(), 9);
    let changed = &order[..8];
    assert_eq!(run("2", changed), ["base-b-power-1"], "the idle run does not depend on it");
    assert_eq!(crate::run::read_journal(folder.path()).unwrap().len(), 8);
    // The first power run's folder is gone, the traced run's is still there.
    assert_eq!(run("1", &order), ["base-b-power-1"]);
    assert_eq!(crate::run::read_journal(folder.path()).unwrap().len(), 9);
}

#[test]
fn a_campaign_in_which_nothing_works_stops() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Scripted::default();
    for run in order() {
        for attempt in 0..3 {
            driver.faults.insert((run.id(), attempt), Fault::Crash);
        }
    }
    let error = run(folder.path(), OnExisting::Refuse, &mut driver).unwrap_err();
    let expected = "5 runs in a row failed for good, the last one (base-a-traced-1) because: \
                    the application died";
    assert_eq!(error.to_string(), expected);
    assert_eq!(driver.made.len(), 15);
}

#[test]
fn a_lost_board_stops_the_campaign_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut driver = Scripted::default();
    driver.faults.insert(("base-a-idle-1".into(), 0), Fault::BoardLost);
    let mut told = Vec::new();
    let options = options(folder.path(), OnExisting::Refuse);
    let error = run_campaign(&order(), &mut driver, &options, &mut |progress| {
        told.push((progress.done, progress.total));
    });
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "run base-a-idle-1 was not made; what is done is kept");
    assert_eq!(told, [(1, 6), (2, 6)]);
    assert_eq!(crate::run::read_journal(folder.path()).unwrap().len(), 2);
}
