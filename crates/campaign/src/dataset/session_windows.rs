//! The data set of a campaign whose sessions were counted and measured at the same time. Idle
//! power, noise and the cost of probes are each board's own.

use std::collections::{BTreeMap, BTreeSet};

use crate::campaign::{OperationMatrix, PlannedCase, RunPhase, parse_snapshots};
use crate::failure::Failure;
use crate::folder::CampaignFolder;
use crate::folder::names::JOURNAL;
use crate::model::table::LibraryTop;
use crate::operations::{Dictionary, OperationMix};
use crate::power::{Window, parse_samples, parse_session_log};
use crate::run::{JudgeSettings, MeasuredSession, RunRecord};
use crate::scenario::IdlePolicy;

use super::energy::PowerRun;
use super::idle_runs::idle_runs_of;
use super::probe_cost::{ProbeCost, ProbePair, probe_cost};
use super::windows::{CountedSession, SessionPiece, idle_power_w, noise_j, window_energy};
use super::{CaseEnergy, CaseMixes, DatasetOmission, MeasuredCase, SessionWindows, lump_cases};

/// The inputs from which the windows of a campaign are made.
pub(crate) struct WindowSource<'s> {
    /// The campaign's folder.
    pub folder: &'s CampaignFolder,
    /// Records of the campaign's runs.
    pub records: &'s [RunRecord],
    /// Cases of the campaign, each with the dictionary of its variant.
    pub cases: Vec<(&'s PlannedCase, Dictionary)>,
    /// Energies of the cases that also ran without probes, by name and board.
    pub plain: BTreeMap<(String, String), CaseEnergy>,
    /// Settings with rails and markers.
    pub judge: JudgeSettings,
    /// Length of a window in seconds.
    pub window_s: f64,
}

/// The windows as cases of a data set, with facts about them and counts by context.
pub(crate) struct WindowCases {
    /// A row for each window.
    pub cases: Vec<MeasuredCase>,
    /// Library functions in `lib:other`.
    pub lumped: Vec<(String, u128)>,
    /// Cost of probes and noise of windows, by board.
    pub windows: Vec<SessionWindows>,
    /// Executions by operation and context, by row.
    pub mixes: CaseMixes,
    /// Boards and windows that are left out, with reasons.
    pub left_out: Vec<DatasetOmission>,
}

/// A session with the index of its case and its record.
struct WindowRun<'s> {
    place: usize,
    record: &'s RunRecord,
    session: CountedSession,
    measured: &'s MeasuredSession,
}

/// Idle power, noise and cost of probes of a board, which are subtracted from its windows.
struct BoardDeductions {
    idle_power_w: f64,
    noise_j: Option<f64>,
    cost: ProbeCost,
}

/// Reads the sessions of a campaign and makes their windows.
pub fn make_window_cases(source: &WindowSource<'_>) -> Result<WindowCases, Failure> {
    let bad = |message: &str| Failure::input(source.folder.file(JOURNAL), message);
    let mut made = WindowCases {
        cases: Vec::new(),
        lumped: Vec::new(),
        windows: Vec::new(),
        mixes: CaseMixes::default(),
        left_out: Vec::new(),
    };
    let boards = source.boards();
    for board in &boards {
        let runs = probed_runs(source, board)?;
        let deductions = match deductions(&idle_sessions(source, board)?, &runs, source, board) {
            Ok(deductions) => deductions,
            Err(reason) if boards.len() == 1 => return Err(bad(reason)),
            Err(reason) => {
                let what = format!("the windows of board {board}");
                made.left_out.push(DatasetOmission { what, reason: reason.into() });
                continue;
            }
        };
        let suffix = if boards.len() > 1 { format!("-on-{board}") } else { String::new() };
        for run in &runs {
            rows(source, run, &deductions, &suffix, &mut made)?;
        }
        made.windows.push(SessionWindows {
            device: board.to_string(),
            window_s: source.window_s,
            sessions: runs.len(),
            probe_energy_j: deductions.cost.energy_j[0],
            condition_probe_energy_j: deductions.cost.energy_j[1],
            probe_spread_j: deductions.cost.spread_j,
            probe_share: deductions.cost.share,
            window_noise_j: deductions.noise_j,
        });
    }
    if made.cases.is_empty() {
        let window_s = source.window_s;
        return Err(bad(&format!("no session holds a window of {window_s} s")));
    }
    made.lumped = lump_cases(&mut made.cases, LibraryTop::default());
    Ok(made)
}

/// The deductions of a board's windows, or the reason why they are unknown.
fn deductions(
    idle: &[CountedSession],
    runs: &[WindowRun<'_>],
    source: &WindowSource<'_>,
    board: &str,
) -> Result<BoardDeductions, &'static str> {
    let idle_power_w = idle_power_w(idle).ok_or("there is no good idle run")?;
    let cost = probe_cost(&pairs(source, runs, board, idle_power_w))
        .ok_or("no case has good runs with probes and without: what probes cost is not known")?;
    Ok(BoardDeductions { idle_power_w, noise_j: noise_j(idle, source.window_s), cost })
}

fn idle_sessions(source: &WindowSource<'_>, board: &str) -> Result<Vec<CountedSession>, Failure> {
    // Of this policy, which all such campaigns have, the idle runs are of no case.
    let idle = idle_runs_of(source.on(board), "", IdlePolicy::Campaign);
    idle.filter_map(|record| Some((record, record.measured.as_ref()?)))
        .map(|(record, measured)| session(source, record, measured))
        .collect()
}

/// Reads the sessions with probes of a board, in the order of cases and repeats.
fn probed_runs<'s>(
    source: &'s WindowSource<'_>,
    board: &str,
) -> Result<Vec<WindowRun<'s>>, Failure> {
    let mut runs = Vec::new();
    for (place, (case, _)) in source.cases.iter().enumerate() {
        let is_own = |record: &&RunRecord| record.is_good_run_of(&case.name, RunPhase::Traced);
        let mut own: Vec<&RunRecord> = source.on(board).filter(is_own).collect();
        own.sort_by_key(|record| (record.run.repeat, record.attempt));
        for record in own {
            let Some(measured) = &record.measured else { continue };
            let session = session(source, record, measured)?;
            runs.push(WindowRun { place, record, session, measured });
        }
    }
    Ok(runs)
}

fn session(
    source: &WindowSource<'_>,
    record: &RunRecord,
    measured: &MeasuredSession,
) -> Result<CountedSession, Failure> {
    let bad = |message: String| Failure::input(source.folder.file(&record.folder), message);
    let logs = source.folder.logs(record)?;
    let trace = parse_samples(&logs.samples).map_err(|error| bad(error.to_string()))?;
    let rails = match record.board.rails.is_empty() {
        true => &source.judge.rails,
        false => &record.board.rails,
    };
    let series = trace.series(rails).map_err(|error| bad(error.to_string()))?;
    let snapshots = logs.windows.as_deref().map(parse_snapshots).transpose();
    Ok(CountedSession {
        series,
        timing: trace.timing(),
        window: Window { start_s: measured.start_uptime_s, end_s: measured.end_uptime_s },
        snapshots: snapshots.map_err(|error| bad(error.to_string()))?.unwrap_or_default(),
        in_condition: source.in_condition(),
        collections_s: collections(&logs.logcat, source),
    })
}

/// Times of the application's GC runs on the board's clock, in seconds; empty if its log has no
/// times.
fn collections(logcat: &str, source: &WindowSource<'_>) -> Vec<f64> {
    let log = parse_session_log(logcat, &source.judge.marks);
    let (Ok(alignment), Ok(session)) = (log.alignment(), log.session_markers()) else {
        return Vec::new();
    };
    let own = log.gcs_of(session.begin.pid);
    own.filter_map(|logged| Some(logged.wall_s? + alignment.offset_s)).collect()
}

/// Kinds of blocks whose probe is in a condition. (The count of a `for` condition mostly follows
/// from other blocks.)
const IN_CONDITION: [&str; 6] =
    ["while_test", "do_test", "and_right", "or_right", "conditional_true", "conditional_false"];

impl<'s> WindowSource<'s> {
    fn boards(&self) -> BTreeSet<&'s str> {
        self.records.iter().map(|record| record.board.serial.as_str()).collect()
    }

    fn on(&self, board: &str) -> impl Iterator<Item = &'s RunRecord> {
        self.records.iter().filter(move |record| record.board.serial == board)
    }

    fn in_condition(&self) -> Vec<bool> {
        let blocks = self.cases.first().map(|(_, dictionary)| dictionary.blocks.iter());
        let is_in = |kind: &str| IN_CONDITION.contains(&kind);
        blocks.into_iter().flatten().map(|block| is_in(&block.kind)).collect()
    }
}

/// Pairs of each session with probes of a board and its case's energy without probes.
fn pairs(
    source: &WindowSource<'_>,
    runs: &[WindowRun<'_>],
    board: &str,
    idle_power_w: f64,
) -> Vec<ProbePair> {
    let pair = |run: &WindowRun<'_>| {
        let plain = source.plain.get(&(run.record.run.case.clone(), board.to_string()))?;
        let probed_j = PowerRun::from(run.measured).application_j(idle_power_w);
        Some(ProbePair { probed_j, plain_j: plain.energy_j, probes: run.session.probes() })
    };
    runs.iter().filter_map(pair).collect()
}

/// Adds the windows of a session to the cases. `suffix` makes the names of the boards' windows of
/// one case differ.
fn rows(
    source: &WindowSource<'_>,
    run: &WindowRun<'_>,
    deductions: &BoardDeductions,
    suffix: &str,
    made: &mut WindowCases,
) -> Result<(), Failure> {
    let (case, dictionary) = &source.cases[run.place];
    let bad = |message: String| Failure::input(source.folder.file(&run.record.folder), message);
    let matrix = OperationMatrix::new(dictionary);
    for (number, piece) in run.session.pieces(source.window_s).iter().enumerate() {
        let total_j = run.session.energy_j(piece.window).map_err(|error| bad(error.to_string()))?;
        let executions = executions(piece, dictionary.blocks.len())
            .ok_or_else(|| bad("a snapshot has a block that the plan has not".into()))?;
        let name = format!("{}@{}.{:03}{suffix}", case.name, run.record.run.repeat, number + 1);
        let BoardDeductions { idle_power_w, noise_j, cost } = *deductions;
        let energy = window_energy(total_j, piece, idle_power_w, cost, noise_j)
            .without_runtime(run.measured.runtime_shares());
        if energy.is_zero() {
            let reason = "the meter saw nothing beside idle in it: raise `window_s` in [campaign]";
            made.left_out.push(DatasetOmission { what: name, reason: reason.into() });
            continue;
        }
        let mix = OperationMix::new(dictionary, |block| executions[block]);
        made.mixes.0.insert(name.clone(), mix);
        let mut counts = matrix.counts(&executions);
        if piece.collections > 0 {
            counts.insert(crate::model::table::GARBAGE_COLLECTION.into(), piece.collections);
        }
        made.cases.push(MeasuredCase {
            name,
            group: case.name.clone(),
            device: run.record.board.serial.clone(),
            energy,
            counts,
        });
    }
    Ok(())
}

/// Executions per block of a piece of a session; none if it has a block beyond the dictionary.
fn executions(piece: &SessionPiece, blocks: usize) -> Option<Vec<u64>> {
    let mut executions = vec![0; blocks];
    for (block, count) in &piece.executions {
        *executions.get_mut(*block)? += count;
    }
    Some(executions)
}
