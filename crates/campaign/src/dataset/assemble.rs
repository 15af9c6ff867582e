//! Records and counts -> the data set of a campaign. What can't be used is left out with
//! its reason, never in silence.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::campaign::{PlannedCase, RunPhase};
use crate::run::{MeasuredSession, RunRecord};

use super::energy::{CaseEnergy, IdleRun, PowerRun, case_energy, mean};
use crate::model::table::{Case, Table};
use crate::model::table::{GARBAGE_COLLECTION, LibraryTop, lump};
use crate::operations::FeatureColumn;

/// Whose idle runs a case's idle power comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IdlePolicy {
    /// The case's own: the paper's pairing.
    #[default]
    OwnCase,
    /// Those of the whole campaign on the same board: less noise, where it does not drift.
    Campaign,
}

/// How a data set is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssembleOptions {
    /// Library functions with a column of their own.
    pub library: LibraryTop,
    /// Where idle power comes from.
    pub idle: IdlePolicy,
    /// Furthest a power run's duration may be from the median of its case, as a share.
    pub duration_mismatch: f64,
}

/// A campaign without a single usable case, or without its counts.
#[derive(Debug, Error, PartialEq)]
pub enum DatasetError {
    /// Nothing is left.
    #[error("no case can be used; the first is left out because {reason}")]
    NoCase {
        /// Why the first case is left out.
        reason: String,
    },
}

/// A run or case that is not in the data set.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// Folder of the run, or name of the case.
    pub what: String,
    /// One sentence.
    pub reason: String,
}

/// One case of the data set.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredCase {
    /// Name of the case. One that several boards measured is there once for each.
    pub name: String,
    /// The input sequence.
    pub group: String,
    /// Serial of the board.
    pub device: String,
    /// Its energy.
    pub energy: CaseEnergy,
    /// Executions of each feature, exact; features that never ran are not there.
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
    pub left_out: Vec<LeftOut>,
    /// Mean of |trapezoid - right endpoint| / energy over the power runs used.
    pub rule_difference: f64,
    /// Largest distance between the marks that align the clocks, in seconds.
    pub clock_residual_s: Option<f64>,
    /// How late the meter was read at least, at most, in seconds.
    pub lag_s: [f64; 2],
    /// The meter's refresh period as a share of the shortest power run: a third of it is
    /// what the ends of that run lose of the energy above idle.
    pub refresh_share: f64,
    /// What is to be said of windows by board, where the cases are windows of sessions.
    pub windows: Vec<SessionWindows>,
}

/// Windows of one board's sessions that counted and were measured at once.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SessionWindows {
    /// The board.
    pub device: String,
    /// Length of a window in seconds.
    pub window_s: f64,
    /// Sessions.
    pub sessions: usize,
    /// What one executed probe costs that is a statement, in joules: it is subtracted from
    /// every window.
    pub probe_energy_j: f64,
    /// The same of a probe in a condition.
    pub condition_probe_energy_j: f64,
    /// How far single cases are from that, as a standard deviation in joules a probe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_spread_j: Option<f64>,
    /// What probes added to the cases that also ran without, as a share of their energy.
    pub probe_share: f64,
    /// Standard deviation of idle windows of that length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_noise_j: Option<f64>,
}

/// Makes the data set. `counts` has, for each case with a good traced run, the
/// executions of each operation. The order in which the runs were made makes no difference:
/// boards that measure at the same time finish in any.
pub fn assemble(
    plan: &[PlannedCase],
    records: &[RunRecord],
    counts: &BTreeMap<String, BTreeMap<String, u128>>,
    options: &AssembleOptions,
) -> Result<Dataset, DatasetError> {
    let records = &sorted(records);
    let bad = records.iter().filter(|record| !record.is_good());
    let mut left_out: Vec<LeftOut> = bad
        .map(|record| LeftOut { what: record.folder.clone(), reason: record.reasons() })
        .collect();
    let mut used: Vec<&MeasuredSession> = Vec::new();
    let mut cases = Vec::new();
    for (case, device) in plan.iter().flat_map(|case| on_devices(case, records)) {
        let runs = match case_runs(case, device, records, options, &mut left_out) {
            Ok(runs) => runs,
            Err(reason) => {
                left_out.push(LeftOut { what: case.name.clone(), reason });
                continue;
            }
        };
        let Some(mut counts) = counts.get(&case.name).cloned() else {
            let reason = "it has no good traced run".to_string();
            left_out.push(LeftOut { what: case.name.clone(), reason });
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

/// The records by board, case, phase and repeat.
fn sorted(records: &[RunRecord]) -> Vec<&RunRecord> {
    let mut records: Vec<&RunRecord> = records.iter().collect();
    records.sort_by(|a, b| {
        let key = |record: &'_ RunRecord| (record.run.phase, record.run.repeat, record.attempt);
        let place = a.board.serial.cmp(&b.board.serial).then_with(|| a.run.case.cmp(&b.run.case));
        place.then_with(|| key(a).cmp(&key(b)))
    });
    records
}

/// A case with each board that has good power runs of it; with none where there are none.
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

/// The runs of one case on one board that are used, and their energy.
struct CaseRuns<'r> {
    power: Vec<&'r MeasuredSession>,
    energy: CaseEnergy,
}

fn case_runs<'r>(
    case: &PlannedCase,
    device: Option<&str>,
    records: &[&'r RunRecord],
    options: &AssembleOptions,
    left_out: &mut Vec<LeftOut>,
) -> Result<CaseRuns<'r>, String> {
    let here = |r: &&&'r RunRecord| device.is_none_or(|device| r.board.serial == device);
    let own = records.iter().filter(here).copied();
    let good = |phase| own.clone().filter(move |r| r.is_good_run_of(&case.name, phase));
    let mut durations: Vec<f64> =
        good(RunPhase::Power).filter_map(|r| r.measured.as_ref()).map(|m| m.duration_s).collect();
    durations.sort_by(f64::total_cmp);
    let median = durations.get(durations.len() / 2).copied().unwrap_or(0.0);
    let mut power = Vec::new();
    for record in good(RunPhase::Power) {
        let Some(measured) = &record.measured else { continue };
        let apart = (measured.duration_s - median).abs();
        if durations.len() > 2 && apart > options.duration_mismatch * median {
            let lasted = measured.duration_s;
            let reason = format!("it lasted {lasted:.2} s, the case's median is {median:.2} s");
            left_out.push(LeftOut { what: record.folder.clone(), reason });
        } else {
            power.push(measured);
        }
    }
    if let Some(reason) = power.iter().find_map(|measured| measured.too_short()) {
        return Err(reason);
    }
    let idle: Vec<IdleRun> = own
        .clone()
        .filter(|record| record.is_good() && record.run.phase == RunPhase::Idle)
        .filter(|record| options.idle == IdlePolicy::Campaign || record.run.case == case.name)
        .filter_map(|record| record.measured.as_ref())
        .map(|measured| IdleRun { power_w: measured.mean_power_w() })
        .collect();
    let runs: Vec<PowerRun> = power.iter().map(|run| PowerRun::from(*run)).collect();
    let energy = case_energy(&runs, &idle).ok_or_else(|| {
        let missing = if runs.is_empty() { "power" } else { "idle" };
        format!("it has no good {missing} run")
    })?;
    if energy.is_nothing() {
        let remedy = "raise `frames` in [session]";
        return Err(format!("the meter saw it spend nothing beside idle: {remedy}"));
    }
    Ok(CaseRuns { power, energy })
}

/// Sums up the library functions that have no column of their own.
pub fn lump_cases(cases: &mut [MeasuredCase], top: LibraryTop) -> Vec<(String, u128)> {
    let mut rows: Vec<BTreeMap<String, u128>> =
        cases.iter_mut().map(|case| std::mem::take(&mut case.counts)).collect();
    let lumped = lump(&mut rows, top);
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

/// A data set without cases that says how good the runs used are.
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
