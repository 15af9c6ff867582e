//! Assembly of a campaign's data set from records and counts. Unusable runs and cases are left out
//! with a reason, never silently.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::campaign::{PlannedCase, RunPhase};
use crate::run::compared_time::ComparedTime;
use crate::run::{MeasuredSession, RunRecord};
use crate::scenario::IdlePolicy;

use super::energy::{CaseEnergy, IdleRun, PowerRun, case_energy, case_energy_of_pairs, mean};
use super::idle_runs::idle_runs_of;
use crate::model::table::{Case, Table};
use crate::model::table::{GARBAGE_COLLECTION, LibraryTop, lump_library_functions};
use crate::operations::FeatureColumn;

/// Options of [`assemble`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssembleOptions {
    /// Library functions with a column of their own.
    pub library: LibraryTop,
    /// Source of the idle power.
    pub idle: IdlePolicy,
    /// Furthest a power run's time, by which it is compared, may be from the median of its case, as
    /// a share.
    pub duration_mismatch: f64,
}

/// Error of a campaign without a usable case.
#[derive(Debug, Error, PartialEq)]
pub enum DatasetError {
    /// All cases are left out.
    #[error("no case can be used; the first is left out because {reason}")]
    NoCase {
        /// Reason why the first case is left out.
        reason: String,
    },
}

/// A run or case that is left out of the data set, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DatasetOmission {
    /// Folder of the run, or name of the case.
    pub what: String,
    /// One sentence.
    pub reason: String,
}

/// A case of the data set on one board: its energy and counts.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCase {
    /// Name of the case. A case measured on several boards has a row for each.
    pub name: String,
    /// The input sequence.
    pub group: String,
    /// Serial of the board.
    pub device: String,
    /// Energy of the case.
    pub energy: CaseEnergy,
    /// Exact executions of each feature that ran.
    pub counts: BTreeMap<String, u128>,
}

/// The data set of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The usable cases, in the order of the plan.
    pub cases: Vec<MeasuredCase>,
    /// Operations, then library functions, each sorted by name.
    pub features: Vec<String>,
    /// Library functions in `lib:other`, with their counts, most executed first.
    pub lumped: Vec<(String, u128)>,
    /// Runs that failed a check and cases without the runs they need.
    pub left_out: Vec<DatasetOmission>,
    /// Mean of |trapezoid - right endpoint| / energy over the power runs used.
    pub rule_difference: f64,
    /// Largest residual of the markers that align the clocks, in seconds.
    pub clock_residual_s: Option<f64>,
    /// Least and largest delay of the meter's readings, in seconds.
    pub lag_s: [f64; 2],
    /// The meter's refresh period as a share of the shortest power run; the ends of that run lose a
    /// third of this share of the energy above idle.
    pub refresh_share: f64,
    /// Facts about the windows of each board, if the cases are windows of sessions.
    pub windows: Vec<SessionWindows>,
}

/// Facts about the windows of one board's sessions, which were counted and measured at the same
/// time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionWindows {
    /// The board.
    pub device: String,
    /// Length of a window in seconds.
    pub window_s: f64,
    /// Sessions.
    pub sessions: usize,
    /// Energy in joules of one executed probe that is a statement; subtracted from every window.
    pub probe_energy_j: f64,
    /// Energy in joules of one executed probe in a condition; subtracted from every window.
    pub condition_probe_energy_j: f64,
    /// Standard deviation of single cases around that cost, in joules per probe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_spread_j: Option<f64>,
    /// Energy of probes in the cases that also ran without, as a share of the cases' energy.
    pub probe_share: f64,
    /// Standard deviation in joules of the energies of idle windows of that length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_noise_j: Option<f64>,
}

/// Makes the data set. `counts` has, for each case with a good traced run, the executions of each
/// operation. The order in which the runs were made makes no difference, since boards that measure
/// at the same time finish in any order.
pub fn assemble(
    plan: &[PlannedCase],
    records: &[RunRecord],
    counts: &BTreeMap<String, BTreeMap<String, u128>>,
    options: &AssembleOptions,
) -> Result<Dataset, DatasetError> {
    let records = &sorted(records);
    let bad = records.iter().filter(|record| !record.is_good());
    let mut left_out: Vec<DatasetOmission> = bad
        .map(|record| DatasetOmission { what: record.folder.clone(), reason: record.reasons() })
        .collect();
    let mut used: Vec<&MeasuredSession> = Vec::new();
    let mut cases = Vec::new();
    for (case, device) in plan.iter().flat_map(|case| on_devices(case, records)) {
        let runs = match case_runs(case, device, records, options, &mut left_out) {
            Ok(runs) => runs,
            Err(reason) => {
                left_out.push(DatasetOmission { what: case.name.clone(), reason });
                continue;
            }
        };
        let Some(mut counts) = counts.get(&case.name).cloned() else {
            let reason = "it has no good traced run".to_string();
            left_out.push(DatasetOmission { what: case.name.clone(), reason });
            continue;
        };
        let collections: Vec<f64> = runs.power.iter().map(|run| run.collections as f64).collect();
        let collections = mean(&collections).map_or(0.0, f64::round) as u128;
        if collections > 0 {
            counts.insert(GARBAGE_COLLECTION.into(), collections);
        }
        used.extend(&runs.power);
        cases.push(MeasuredCase {
            name: case.name.clone(),
            group: case.input.clone(),
            device: device.unwrap_or_default().to_string(),
            energy: runs.energy,
            counts,
        });
    }
    if cases.is_empty() {
        let first = left_out.iter().find(|out| plan.iter().any(|case| case.name == out.what));
        let reason = first.map_or("the plan has none", |out| &out.reason).to_string();
        return Err(DatasetError::NoCase { reason });
    }
    let lumped = lump_cases(&mut cases, options.library);
    Ok(Dataset { features: features_of(&cases), cases, lumped, left_out, ..quality(&used) })
}

/// The records, sorted by board, case, phase and repeat.
fn sorted(records: &[RunRecord]) -> Vec<&RunRecord> {
    let mut records: Vec<&RunRecord> = records.iter().collect();
    records.sort_by(|a, b| {
        let key = |record: &'_ RunRecord| (record.run.phase, record.run.repeat, record.attempt);
        let place = a.board.serial.cmp(&b.board.serial).then_with(|| a.run.case.cmp(&b.run.case));
        place.then_with(|| key(a).cmp(&key(b)))
    });
    records
}

/// A pair for each board with good power runs of the case; a single pair without a board if there
/// is none.
fn on_devices<'r>(
    case: &'r PlannedCase,
    records: &[&'r RunRecord],
) -> Vec<(&'r PlannedCase, Option<&'r str>)> {
    let good = records.iter().filter(|record| record.is_good_run_of(&case.name, RunPhase::Power));
    let devices: BTreeSet<&str> = good.map(|record| record.board.serial.as_str()).collect();
    match devices.is_empty() {
        true => vec![(case, None)],
        false => devices.into_iter().map(|device| (case, Some(device))).collect(),
    }
}

/// The usable power runs of one case on one board, and the case's energy from them.
struct CaseRuns<'r> {
    power: Vec<&'r MeasuredSession>,
    energy: CaseEnergy,
}

fn case_runs<'r>(
    case: &PlannedCase,
    device: Option<&str>,
    records: &[&'r RunRecord],
    options: &AssembleOptions,
    left_out: &mut Vec<DatasetOmission>,
) -> Result<CaseRuns<'r>, String> {
    let here = |r: &&&'r RunRecord| device.is_none_or(|device| r.board.serial == device);
    let own = records.iter().filter(here).copied();
    let good = |phase| own.clone().filter(move |r| r.is_good_run_of(&case.name, phase));
    let times = good(RunPhase::Power).filter_map(RunRecord::compared_time);
    let mut times_s: Vec<f64> = times.map(ComparedTime::seconds).collect();
    times_s.sort_by(f64::total_cmp);
    let median = times_s.get(times_s.len() / 2).copied().unwrap_or(0.0);
    let (mut power, mut power_repeats) = (Vec::new(), Vec::new());
    for record in good(RunPhase::Power) {
        let Some(measured) = &record.measured else { continue };
        let time = ComparedTime::of(measured, &record.board.meter);
        if times_s.len() > 2 && time.is_off(median, options.duration_mismatch) {
            let reason = format!("{}, the case's median is {median:.2} s", time.text());
            left_out.push(DatasetOmission { what: record.folder.clone(), reason });
        } else {
            power.push(measured);
            power_repeats.push(record.run.repeat);
        }
    }
    if let Some(reason) = power.iter().find_map(|measured| measured.too_short_reason()) {
        return Err(reason);
    }
    let (mut idle, mut idle_repeats) = (Vec::new(), Vec::new());
    for record in idle_runs_of(own.clone(), &case.name, options.idle) {
        let Some(measured) = &record.measured else { continue };
        idle.push(IdleRun { power_w: measured.mean_power_w() });
        idle_repeats.push(record.run.repeat);
    }
    let runs: Vec<PowerRun> = power.iter().map(|run| PowerRun::from(*run)).collect();
    let are_pairs = options.idle == IdlePolicy::Paired && power_repeats == idle_repeats;
    let energy = match are_pairs {
        true => case_energy_of_pairs(&runs, &idle),
        false => case_energy(&runs, &idle),
    };
    let energy = energy.ok_or_else(|| match (runs.is_empty(), options.idle) {
        (true, _) => "it has no good power run".to_string(),
        (false, IdlePolicy::Campaign) => "it has no good idle run".to_string(),
        (false, IdlePolicy::Paired) => "it has no good idle run of its own; `idle = \"campaign\"` \
                                        in [campaign] takes those of all cases"
            .to_string(),
    })?;
    if energy.is_zero() {
        let remedy = "raise `frames` in [session]";
        return Err(format!("the meter saw it spend nothing beside idle: {remedy}"));
    }
    Ok(CaseRuns { power, energy })
}

/// Sums up the counts of library functions that get no column of their own; returns these
/// functions.
pub fn lump_cases(cases: &mut [MeasuredCase], top: LibraryTop) -> Vec<(String, u128)> {
    let mut rows: Vec<BTreeMap<String, u128>> =
        cases.iter_mut().map(|case| std::mem::take(&mut case.counts)).collect();
    let lumped = lump_library_functions(&mut rows, top);
    for (case, row) in cases.iter_mut().zip(rows) {
        case.counts = row;
    }
    lumped
}

/// Operations first, then library functions.
pub(super) fn features_of(cases: &[MeasuredCase]) -> Vec<String> {
    let names: BTreeSet<(bool, &String)> = cases
        .iter()
        .flat_map(|c| c.counts.keys())
        .map(|n| (FeatureColumn::is_library(n), n))
        .collect();
    names.into_iter().map(|(_, name)| name.clone()).collect()
}

/// A data set without cases, with the quality figures of the runs used.
fn quality(used: &[&MeasuredSession]) -> Dataset {
    let difference =
        |run: &&MeasuredSession| ((run.energy_trapezoid_j - run.energy_j) / run.energy_j).abs();
    let differences: Vec<f64> =
        used.iter().map(difference).filter(|difference| difference.is_finite()).collect();
    let residuals = used.iter().filter_map(|run| run.clock_residual_s);
    let lags = used.iter().map(|run| run.lag_s);
    let refreshes =
        used.iter().map(|run| run.update_period_us.unwrap_or(0) as f64 * 1e-6 / run.duration_s);
    Dataset {
        cases: Vec::new(),
        features: Vec::new(),
        lumped: Vec::new(),
        left_out: Vec::new(),
        rule_difference: mean(&differences).unwrap_or(0.0),
        clock_residual_s: residuals.reduce(f64::max),
        refresh_share: refreshes.fold(0.0, f64::max),
        windows: Vec::new(),
        lag_s: [lags.clone().reduce(f64::min), lags.reduce(f64::max)].map(|lag| lag.unwrap_or(0.0)),
    }
}

impl Dataset {
    /// The table that models are fitted to. Counts above 2^53 lose their last digits
    /// here; in `dataset.csv` they are exact.
    pub fn table(&self) -> Table {
        let case = |case: &MeasuredCase| Case {
            name: case.name.clone(),
            group: case.group.clone(),
            device: case.device.clone(),
            duration_s: Some(case.energy.duration_s),
            energy_j: case.energy.energy_j,
            energy_se_j: case.energy.energy_se_j,
            weight: None,
            executions: None,
        };
        let count = |case: &MeasuredCase, feature: &String| {
            case.counts.get(feature).copied().unwrap_or(0) as f64
        };
        let row = |case| self.features.iter().map(move |feature| count(case, feature));
        Table {
            cases: self.cases.iter().map(case).collect(),
            features: self.features.clone(),
            counts: self.cases.iter().flat_map(row).collect(),
        }
    }
}

#[cfg(test)]
#[path = "assemble_tests.rs"]
pub(crate) mod tests;
