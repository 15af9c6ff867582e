//! The data set of a campaign whose sessions counted and were measured at once.

use std::collections::BTreeMap;
use std::path::Path;

use crate::campaign::{OperationMatrix, Phase, PlannedCase, parse_snapshots};
use crate::dataset::probe_cost::{Pair, ProbeCost, probe_cost};
use crate::dataset::windows::{Piece, Session, idle_power_w, noise_j, window_energy};
use crate::dataset::{CaseEnergy, CaseMixes, LibraryTop, MeasuredCase, Windows, lump_cases};
use crate::operations::{Dictionary, Mix};
use crate::power::{Window, parse_samples, parse_session_log};
use crate::run::{JudgeSettings, Measured, RunRecord, read_logs};

use super::Failure;

/// What the windows of a campaign are made of.
pub struct Source<'s> {
    /// The campaign's folder.
    pub folder: &'s Path,
    /// Its runs.
    pub records: &'s [RunRecord],
    /// Its cases, each with the dictionary of its variant.
    pub cases: Vec<(&'s PlannedCase, Dictionary)>,
    /// Energies of the cases that also ran without probes, by name.
    pub plain: BTreeMap<String, CaseEnergy>,
    /// Rails and marks.
    pub judge: JudgeSettings,
    /// Length of a window in seconds.
    pub window_s: f64,
}

/// The windows as cases of a data set, what is to be said of them, and their contexts.
pub struct Made {
    /// A row for each window.
    pub cases: Vec<MeasuredCase>,
    /// Library functions in `lib:other`.
    pub lumped: Vec<(String, u128)>,
    /// What probes cost, and how noisy windows are.
    pub windows: Windows,
    /// Executions by context, by row.
    pub mixes: CaseMixes,
}

/// A session with its case's place and its record.
struct Run<'s> {
    place: usize,
    record: &'s RunRecord,
    session: Session,
    measured: &'s Measured,
}

/// Reads the sessions and makes their windows.
pub fn make(source: &Source<'_>) -> Result<Made, Failure> {
    let bad = |message: &str| Failure::input(source.folder.join("journal.jsonl"), message);
    let idle = idle_sessions(source)?;
    let power_w = idle_power_w(&idle).ok_or_else(|| bad("there is no good idle run"))?;
    let noise_j = noise_j(&idle, source.window_s);
    let runs = probed_runs(source)?;
    let cost = probe_cost(&pairs(source, &runs, power_w)).ok_or_else(|| {
        bad("no case has good runs with probes and without: what probes cost is not known")
    })?;
    let (mut cases, mut mixes) = (Vec::new(), CaseMixes::default());
    for run in &runs {
        rows(source, run, (power_w, noise_j, cost), &mut cases, &mut mixes)?;
    }
    if cases.is_empty() {
        let window_s = source.window_s;
        return Err(bad(&format!("no session holds a window of {window_s} s")));
    }
    let windows = Windows {
        window_s: source.window_s,
        sessions: runs.len(),
        probe_energy_j: cost.energy_j[0],
        condition_probe_energy_j: cost.energy_j[1],
        probe_spread_j: cost.spread_j,
        probe_share: cost.share,
        window_noise_j: noise_j,
    };
    let lumped = lump_cases(&mut cases, LibraryTop::default());
    Ok(Made { cases, lumped, windows, mixes })
}

fn idle_sessions(source: &Source<'_>) -> Result<Vec<Session>, Failure> {
    let good = source.records.iter().filter(|r| r.is_good() && r.run.phase == Phase::Idle);
    good.filter_map(|record| Some((record, record.measured.as_ref()?)))
        .map(|(record, measured)| session(source, record, measured))
        .collect()
}

/// In the order of cases and repeats.
fn probed_runs<'s>(source: &'s Source<'_>) -> Result<Vec<Run<'s>>, Failure> {
    let mut runs = Vec::new();
    for (place, (case, _)) in source.cases.iter().enumerate() {
        let is_own = |record: &&RunRecord| record.is_good_run_of(&case.name, Phase::Traced);
        let mut own: Vec<&RunRecord> = source.records.iter().filter(is_own).collect();
        own.sort_by_key(|record| (record.run.repeat, record.attempt));
        for record in own {
            let Some(measured) = &record.measured else { continue };
            let session = session(source, record, measured)?;
            runs.push(Run { place, record, session, measured });
        }
    }
    Ok(runs)
}

fn session(
    source: &Source<'_>,
    record: &RunRecord,
    measured: &Measured,
) -> Result<Session, Failure> {
    let bad = |message: String| Failure::input(source.folder.join(&record.folder), message);
    let logs = read_logs(source.folder, record)?;
    let trace = parse_samples(&logs.samples).map_err(|error| bad(error.to_string()))?;
    let rails = match record.board.rails.is_empty() {
        true => &source.judge.rails,
        false => &record.board.rails,
    };
    let series = trace.series(rails).map_err(|error| bad(error.to_string()))?;
    let snapshots = logs.windows.as_deref().map(parse_snapshots).transpose();
    Ok(Session {
        series,
        timing: trace.timing(),
        window: Window { start_s: measured.start_uptime_s, end_s: measured.end_uptime_s },
        snapshots: snapshots.map_err(|error| bad(error.to_string()))?.unwrap_or_default(),
        in_condition: source.in_condition(),
        collections_s: collections(&logs.logcat, source),
    })
}

/// When the application collected garbage, on the board's clock; nothing where its log has
/// no times.
fn collections(logcat: &str, source: &Source<'_>) -> Vec<f64> {
    let log = parse_session_log(logcat, &source.judge.marks);
    let (Ok(alignment), Ok((begin, _))) = (log.alignment(), log.session_marks()) else {
        return Vec::new();
    };
    let own = log.collections_of(begin.pid);
    own.filter_map(|logged| Some(logged.wall_s? + alignment.offset_s)).collect()
}

/// Kinds of blocks whose probe stands in a condition. (That of a `for` mostly follows from
/// other blocks.)
const IN_CONDITION: [&str; 6] =
    ["while_test", "do_test", "and_right", "or_right", "conditional_true", "conditional_false"];

impl Source<'_> {
    fn in_condition(&self) -> Vec<bool> {
        let blocks = self.cases.first().map(|(_, dictionary)| dictionary.blocks.iter());
        let is_in = |kind: &str| IN_CONDITION.contains(&kind);
        blocks.into_iter().flatten().map(|block| is_in(&block.kind)).collect()
    }
}

/// The cases with probes and without: each session with probes for itself.
fn pairs(source: &Source<'_>, runs: &[Run<'_>], idle_power_w: f64) -> Vec<Pair> {
    let pair = |run: &Run<'_>| {
        let plain = source.plain.get(&run.record.run.case)?;
        let probed_j = run.measured.energy_j - idle_power_w * run.measured.duration_s;
        Some(Pair { probed_j, plain_j: plain.energy_j, probes: run.session.probes() })
    };
    runs.iter().filter_map(pair).collect()
}

fn rows(
    source: &Source<'_>,
    run: &Run<'_>,
    (idle_power_w, noise_j, cost): (f64, Option<f64>, ProbeCost),
    cases: &mut Vec<MeasuredCase>,
    mixes: &mut CaseMixes,
) -> Result<(), Failure> {
    let (case, dictionary) = &source.cases[run.place];
    let bad = |message: String| Failure::input(source.folder.join(&run.record.folder), message);
    let matrix = OperationMatrix::new(dictionary);
    for (number, piece) in run.session.pieces(source.window_s).iter().enumerate() {
        let total_j = run.session.energy_j(piece.window).map_err(|error| bad(error.to_string()))?;
        let executions = executions(piece, dictionary.blocks.len())
            .ok_or_else(|| bad("a snapshot has a block that the plan has not".into()))?;
        let name = format!("{}@{}.{:03}", case.name, run.record.run.repeat, number + 1);
        let mix = Mix::new(dictionary, |block| executions[block]);
        mixes.0.insert(name.clone(), mix);
        let mut counts = matrix.counts(&executions);
        if piece.collections > 0 {
            counts.insert(crate::dataset::GARBAGE_COLLECTION.into(), piece.collections);
        }
        cases.push(MeasuredCase {
            name,
            group: case.name.clone(),
            device: run.record.board.serial.clone(),
            energy: window_energy(total_j, piece, idle_power_w, cost, noise_j),
            counts,
        });
    }
    Ok(())
}

/// None with a block beyond the dictionary.
fn executions(piece: &Piece, blocks: usize) -> Option<Vec<u64>> {
    let mut executions = vec![0; blocks];
    for (block, count) in &piece.executions {
        *executions.get_mut(*block)? += count;
    }
    Some(executions)
}
