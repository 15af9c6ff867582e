//! What a campaign's folder says about its scenario: the unremoved cases, summed over
//! input sequences. Accounts, hints and reports are about these.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::account::calls::{CallAccounts, call_accounts};
use crate::account::{self, Accounts, Measured, SampledCase, profile};
use crate::blocks::BlockId;
use crate::campaign::{Phase, PlannedCase, parse_executions};
use crate::model::Model;
use crate::operations::Dictionary;
use crate::run::{self, RunRecord};
use crate::units::Joules;

use super::Failure;
use super::folder;
use super::run::read_cases;

/// The folder's own story, read once.
pub struct ScenarioFacts {
    /// Blocks and what they hold.
    pub dictionary: Dictionary,
    /// The plan's cases.
    pub cases: Vec<PlannedCase>,
    /// All runs.
    pub records: Vec<RunRecord>,
    /// Executions per block in the unremoved cases' traced runs, summed.
    pub executions: BTreeMap<BlockId, u64>,
    /// Energy of the unremoved cases on `device`, summed.
    pub measured: Measured,
    /// What samplers saw of the unremoved cases; empty unless each has samples.
    pub samples: Vec<SampledCase>,
    /// The board that `measured` and all accounts are about, where the campaign has several.
    pub device: Option<String>,
    /// All its boards then, sorted.
    pub devices: Vec<String>,
}

impl ScenarioFacts {
    /// Reads dictionary, plan, journal and counts. Of several boards the facts are about the
    /// first by name.
    pub fn read(folder: &Path) -> Result<ScenarioFacts, Failure> {
        Self::read_on(folder, None)
    }

    /// The same for one of the boards.
    pub fn read_on(folder: &Path, device: Option<&str>) -> Result<ScenarioFacts, Failure> {
        let dictionary = folder::read_dictionary(folder)?;
        let cases = read_cases(&folder.join("plan.csv"))?;
        let records = run::read_journal(folder)?;
        let (device, devices) = device_of(&records, device)?;
        let mut executions = BTreeMap::new();
        let mut measured = Measured::default();
        let mut uncertainty = Uncertainty::default();
        let of_device: Vec<RunRecord> =
            records.iter().filter(|record| is_on(record, device.as_deref())).cloned().collect();
        let stacks = run::read_stacks(folder, &of_device)?;
        let mut samples = Vec::new();
        let by_case = executions_by_case(folder, &records, dictionary.blocks.len())?;
        for case in cases.iter().filter(|case| case.removed.is_empty()) {
            let counts = by_case.get(&case.name).ok_or_else(|| {
                let message = format!("case {} has no good traced run", case.name);
                Failure::input(folder.join("journal.jsonl"), message)
            })?;
            for (block, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                *executions.entry(BlockId(block as u32)).or_insert(0) += count;
            }
            let of = (case.name.as_str(), device.as_deref());
            let energy = add_energy(&records, of, &mut measured, &mut uncertainty)?;
            if let Some(hits) = hits_of(&case.name, &stacks, &dictionary)? {
                samples.push(SampledCase { energy, hits });
            }
        }
        if samples.len() < cases.iter().filter(|case| case.removed.is_empty()).count() {
            samples.clear();
        }
        measured.total_se = uncertainty.total.map(|variance| Joules(variance.sqrt()));
        measured.idle_se = uncertainty.idle.map(|variance| Joules(variance.sqrt()));
        Ok(ScenarioFacts {
            dictionary,
            cases,
            records,
            executions,
            measured,
            samples,
            device,
            devices,
        })
    }

    /// The accounts by calls, where the folder has a record of them.
    pub fn call_accounts(
        &self,
        folder: &Path,
        model: &Model,
        accounts: &Accounts,
    ) -> Result<Option<CallAccounts>, Failure> {
        let tree = super::calls::read(folder)?;
        let model = self.own(model);
        Ok(tree.map(|tree| call_accounts(&self.scenario(&model), accounts, &tree)))
    }

    /// The accounts by a model.
    ///
    /// A model of several boards is taken for the facts' own; the caller has seen to it that
    /// it knows that board ([`Self::check`]).
    pub fn accounts(&self, model: &Model) -> Accounts {
        account::account(&self.scenario(&self.own(model)))
    }

    /// The model of the facts' board.
    fn own<'m>(&self, model: &'m Model) -> Cow<'m, Model> {
        let own = self.device.as_deref().and_then(|device| model.on_device(device));
        own.map_or(Cow::Borrowed(model), Cow::Owned)
    }

    fn scenario<'a>(&'a self, model: &'a Model) -> account::Scenario<'a> {
        account::Scenario {
            dictionary: &self.dictionary,
            executions: &self.executions,
            model,
            measured: &self.measured,
            samples: &self.samples,
        }
    }

    /// Refuses a model that was fitted to other boards than the one these facts are about.
    pub fn check(&self, model: &Model) -> Result<(), Failure> {
        let known = |device: &str| model.devices.iter().any(|factor| factor.device == device);
        match &self.device {
            Some(device) if !model.devices.is_empty() && !known(device) => {
                let names: Vec<&str> = model.devices.iter().map(|f| f.device.as_str()).collect();
                Err(Failure::Usage(format!(
                    "the model does not know board {device}, only {}; name one with --device",
                    names.join(", ")
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Whether a run is of the board that is asked for, if any is.
fn is_on(record: &RunRecord, device: Option<&str>) -> bool {
    device.is_none_or(|name| record.board.serial == name)
}

/// What the samples of a case's runs fell into, summed; `None` without any.
fn hits_of(
    case: &str,
    stacks: &BTreeMap<String, Vec<String>>,
    dictionary: &Dictionary,
) -> Result<Option<profile::Hits>, Failure> {
    let mut all = profile::Profile::default();
    for text in stacks.get(case).into_iter().flatten() {
        let profile = profile::parse(text)
            .map_err(|error| Failure::input("runs", format!("samples of case {case}: {error}")))?;
        all.merge(profile);
    }
    Ok((all.samples() > 0).then(|| all.hits(dictionary)))
}

/// The board that is asked for, or the first by name, and all of them; nothing where there
/// is only one.
fn device_of(
    records: &[RunRecord],
    wanted: Option<&str>,
) -> Result<(Option<String>, Vec<String>), Failure> {
    let good = records.iter().filter(|record| record.is_good());
    let devices: BTreeSet<&str> = good.map(|record| record.board.serial.as_str()).collect();
    let devices: Vec<String> = devices.into_iter().map(str::to_owned).collect();
    if let Some(wanted) = wanted.filter(|wanted| !devices.iter().any(|device| device == wanted)) {
        let known = devices.join(", ");
        return Err(Failure::Usage(format!("there is no board {wanted}: the runs are of {known}")));
    }
    Ok(match devices.len() {
        0 | 1 => (None, Vec::new()),
        _ => {
            (wanted.map_or_else(|| devices.first().cloned(), |wanted| Some(wanted.into())), devices)
        }
    })
}

/// Executions per block of every case with a good traced run, by case.
pub fn executions_by_case(
    folder: &Path,
    records: &[RunRecord],
    blocks: usize,
) -> Result<BTreeMap<String, Vec<u64>>, Failure> {
    let parsed = run::read_counts(folder, records)?.into_iter().map(|(case, text)| {
        let executions = parse_executions(&text, blocks)
            .map_err(|error| Failure::input(folder, format!("traced run of {case}: {error}")))?;
        Ok((case, executions))
    });
    parsed.collect()
}

/// Variances in J^2; none as soon as one case has no repeats.
struct Uncertainty {
    total: Option<f64>,
    idle: Option<f64>,
}

impl Default for Uncertainty {
    fn default() -> Self {
        Uncertainty { total: Some(0.0), idle: Some(0.0) }
    }
}

/// Adds a case's energies; returns what it spends above idle.
fn add_energy(
    records: &[RunRecord],
    (case, device): (&str, Option<&str>),
    measured: &mut Measured,
    uncertainty: &mut Uncertainty,
) -> Result<Joules, Failure> {
    let of_phase = |phase| {
        let here = |record: &&RunRecord| is_on(record, device);
        let good = records.iter().filter(here);
        let good = good.filter(move |record| record.is_good_run_of(case, phase));
        good.filter_map(|record| record.measured.as_ref()).collect::<Vec<_>>()
    };
    let (power, idle) = (of_phase(Phase::Power), of_phase(Phase::Idle));
    let totals: Vec<f64> = power.iter().map(|run| run.energy_j).collect();
    let durations: Vec<f64> = power.iter().map(|run| run.duration_s).collect();
    let idle_powers: Vec<f64> = idle.iter().map(|run| run.mean_power_w()).collect();
    let (Some(total), Some(duration), Some(idle_power)) =
        (mean(&totals), mean(&durations), mean(&idle_powers))
    else {
        let on = device.map_or(String::new(), |device| format!(" on board {device}"));
        let message = format!("case {case} has no good power or idle run{on}");
        return Err(Failure::input("journal.jsonl", message));
    };
    measured.total += Joules(total);
    measured.idle += Joules(idle_power * duration);
    measured.collections += power.first().map_or(0, |run| run.collections);
    let add = |sum: Option<f64>, variance: Option<f64>| Some(sum? + variance?);
    uncertainty.total = add(uncertainty.total, variance_of_mean(&totals));
    let idle_variance = variance_of_mean(&idle_powers).map(|v| v * duration * duration);
    uncertainty.idle = add(uncertainty.idle, idle_variance);
    Ok(Joules(total - idle_power * duration))
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn variance_of_mean(values: &[f64]) -> Option<f64> {
    let (n, mean) = (values.len() as f64, mean(values)?);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (n - 1.0) / n)
}
