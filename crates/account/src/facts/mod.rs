//! What a campaign's folder says about its scenario: the unremoved cases, summed over
//! input sequences. Accounts, hints and reports are about these.

mod read;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::account::calls::{CallAccounts, CallTree, call_accounts};
use crate::account::{
    self, Accounts, IndexedModel, MeasuredEnergies, Predicted, RuntimeEnergy, SampledCase, profile,
};
use crate::blocks::BlockId;
use crate::campaign::{PlannedCase, RunPhase};
use crate::dataset::energy::{PowerRun, mean, relative_spread, variance};
use crate::failure::Failure;
use crate::folder::MeasuredCampaign;
use crate::model::Model;
use crate::operations::{Dictionary, Mix};
use crate::power::RuntimeShares;
use crate::run::{self, RunRecord};
use crate::scenario::UnanalysedLanguage;
use crate::stacks;
use crate::units::Joules;

/// Why a campaign says nothing of its scenario.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// It is not known what a case executed.
    #[error("case {case} has no good traced run")]
    NoTracedRun {
        /// The case.
        case: String,
    },
    /// It is not known what a case spends.
    #[error("case {case} has no good power or idle run{on}")]
    NoEnergy {
        /// The case.
        case: String,
        /// ` on board NAME`, where there are several.
        on: String,
    },
    /// The samples of a case's runs can't be read.
    #[error("samples of case {case}: {message}")]
    Samples {
        /// The case.
        case: String,
        /// What is wrong with them.
        message: String,
    },
}

/// What one input sequence executed and spent, nothing removed.
#[derive(Debug, Clone)]
pub struct InputFacts {
    /// The sequence's name.
    pub input: String,
    /// Executions per block in its traced run.
    pub executions: BTreeMap<BlockId, u64>,
    /// What samplers saw of it.
    samples: Option<SampledCase>,
    energies: CaseEnergies,
}

impl InputFacts {
    fn of(
        case: &PlannedCase,
        campaign: &MeasuredCampaign,
        boards: &Boards,
        stacks: &BTreeMap<String, Vec<String>>,
    ) -> Result<Self, FactsError> {
        let counts = campaign
            .executions
            .get(&case.name)
            .ok_or_else(|| FactsError::NoTracedRun { case: case.name.clone() })?;
        let blocks = (0..).map(BlockId).zip(counts.iter().copied());
        let energies = CaseEnergies::of(&campaign.records, &case.name, boards)?;
        let runs = runs_of(&case.name, stacks, &campaign.dictionary)?;
        Ok(Self {
            input: case.input.clone(),
            executions: blocks.filter(|(_, count)| *count > 0).collect(),
            samples: energies.of_session().and_then(|energy| SampledCase::of(energy, runs)),
            energies,
        })
    }
}

/// The campaign's own story of its unremoved cases.
#[derive(Debug, Clone)]
pub struct ScenarioFacts {
    /// Blocks and what they hold.
    pub dictionary: Dictionary,
    /// The plan's cases.
    pub cases: Vec<PlannedCase>,
    /// All runs.
    pub records: Vec<RunRecord>,
    /// The unremoved cases, one for each input sequence; what follows are their sums.
    pub inputs: Vec<InputFacts>,
    /// Executions per block in the unremoved cases' traced runs, summed.
    pub executions: BTreeMap<BlockId, u64>,
    /// Energy of the unremoved cases on `device`, summed.
    pub measured: MeasuredEnergies,
    /// What samplers saw of the unremoved cases; empty unless each has samples.
    pub samples: Vec<SampledCase>,
    /// Who called whom in them, where it was recorded.
    pub calls: Option<CallTree>,
    /// The board that `measured` and all accounts are about, where the campaign has several.
    pub device: Option<String>,
    /// All its boards then, sorted.
    pub devices: Vec<String>,
    /// Languages of the application that are not analysed.
    pub unanalysed: Vec<UnanalysedLanguage>,
}

impl ScenarioFacts {
    /// The facts about one board. `stacks` are what samplers saw of its cases, by case and run.
    pub fn of(
        campaign: MeasuredCampaign,
        boards: Boards,
        stacks: &BTreeMap<String, Vec<String>>,
    ) -> Result<ScenarioFacts, FactsError> {
        let unremoved = campaign.unremoved();
        let inputs = unremoved.map(|case| InputFacts::of(case, &campaign, &boards, stacks));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let MeasuredCampaign { dictionary, cases, records, unanalysed, .. } = campaign;
        let Boards { device, devices } = boards;
        let nothing = Self {
            dictionary,
            cases,
            records,
            inputs: Vec::new(),
            executions: BTreeMap::new(),
            measured: MeasuredEnergies::default(),
            samples: Vec::new(),
            calls: None,
            device,
            devices,
            unanalysed,
        };
        Ok(nothing.with(inputs))
    }

    /// The same of these inputs.
    fn with(self, inputs: Vec<InputFacts>) -> Self {
        let mut executions = BTreeMap::new();
        let mut measured =
            MeasuredEnergies { runtime: Some(NOTHING), ..MeasuredEnergies::default() };
        let mut uncertainty = Uncertainty::default();
        for input in &inputs {
            for (block, count) in &input.executions {
                *executions.entry(*block).or_insert(0) += count;
            }
            input.energies.add_to(&mut measured, &mut uncertainty);
        }
        measured.total_se = uncertainty.total.map(|variance| Joules(variance.sqrt()));
        measured.idle_se = uncertainty.idle.map(|variance| Joules(variance.sqrt()));
        let sessions = inputs.iter().map(|input| input.energies.sessions_j.as_slice());
        let session_spread = relative_spread(sessions);
        let sampled = |input: &InputFacts| {
            let sessions = input.energies.sessions_j.len();
            Some(SampledCase { sessions, session_spread, ..input.samples.clone()? })
        };
        let samples: Option<Vec<_>> = inputs.iter().map(sampled).collect();
        let samples = samples.unwrap_or_default();
        Self { inputs, executions, measured, samples, ..self }
    }

    /// The same of some of the inputs.
    pub(crate) fn of_inputs(&self, wanted: impl Fn(&InputFacts) -> bool) -> Self {
        self.clone().with(self.inputs.iter().filter(|input| wanted(input)).cloned().collect())
    }

    /// Length of the unremoved cases' sessions together.
    pub fn duration_s(&self) -> f64 {
        self.inputs.iter().map(|input| input.energies.duration_s).sum()
    }

    /// What they spent above idle, without the runtime's own threads.
    pub(crate) fn own_energy(&self, model: &Model) -> Joules {
        let model = self.own(model);
        self.counted(&model).own_energy(&IndexedModel::new(&model))
    }

    /// What so many executions of each block spend, by the accounts by a model.
    pub fn predicted(&self, model: &Model, executions: &BTreeMap<BlockId, u64>) -> Predicted {
        account::predicted::predicted(&self.counted(&self.own(model)), executions)
    }

    /// How often the unremoved cases executed each operation, by context.
    pub fn mix(&self) -> Mix {
        let runs = |block: usize| self.executions.get(&BlockId(block as u32)).copied();
        Mix::new(&self.dictionary, |block| runs(block).unwrap_or(0))
    }

    /// The accounts by calls, where these were recorded.
    pub fn call_accounts(&self, model: &Model, accounts: &Accounts) -> Option<CallAccounts> {
        let model = self.own(model);
        let calls = self.calls.as_ref()?;
        Some(call_accounts(&self.counted(&model), accounts, calls))
    }

    /// The accounts by a model.
    ///
    /// A model of several boards is taken for the facts' own; the caller has seen to it that
    /// it knows that board ([`Self::check`]).
    pub fn accounts(&self, model: &Model) -> Accounts {
        let mut accounts = account::account(&self.counted(&self.own(model)));
        accounts.ledger.unanalysed.clone_from(&self.unanalysed);
        accounts
    }

    /// The model of the facts' board.
    fn own<'m>(&self, model: &'m Model) -> Cow<'m, Model> {
        let own = self.device.as_deref().and_then(|device| model.on_device(device));
        own.map_or(Cow::Borrowed(model), Cow::Owned)
    }

    fn counted<'a>(&'a self, model: &'a Model) -> account::AccountInput<'a> {
        account::AccountInput {
            dictionary: &self.dictionary,
            executions: &self.executions,
            model,
            measured: &self.measured,
            samples: &self.samples,
            calls: self.calls.as_ref(),
        }
    }

    /// Whether a run is of the board that the facts are about.
    pub fn is_own(&self, record: &RunRecord) -> bool {
        is_on(record, self.device.as_deref())
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

/// What the samples of a case's runs fell into, run by run.
fn runs_of(
    case: &str,
    stacks: &BTreeMap<String, Vec<String>>,
    dictionary: &Dictionary,
) -> Result<Vec<profile::Hits>, FactsError> {
    let hits = |text: &String| {
        let profile = stacks::parse(text).map_err(|error| FactsError::Samples {
            case: case.to_string(),
            message: error.to_string(),
        })?;
        Ok(profile::Hits::of(&profile, dictionary))
    };
    stacks.get(case).into_iter().flatten().map(hits).collect()
}

/// The boards of a campaign's good runs, where it has several.
#[derive(Debug, Clone, Default)]
pub struct Boards {
    /// The one that is asked for, or the first by name.
    pub device: Option<String>,
    /// All of them, sorted.
    pub devices: Vec<String>,
}

impl Boards {
    /// Whether a run is of the board that is asked for, if any is.
    pub fn is_own(&self, record: &RunRecord) -> bool {
        is_on(record, self.device.as_deref())
    }
}

fn is_on(record: &RunRecord, device: Option<&str>) -> bool {
    device.is_none_or(|name| record.board.serial == name)
}

/// The board that is asked for, or the first by name, and all of them; nothing where there
/// is only one.
pub(crate) fn device_of(records: &[RunRecord], wanted: Option<&str>) -> Result<Boards, Failure> {
    let good = records.iter().filter(|record| record.is_good());
    let devices: BTreeSet<&str> = good.map(|record| record.board.serial.as_str()).collect();
    let devices: Vec<String> = devices.into_iter().map(str::to_owned).collect();
    if let Some(wanted) = wanted.filter(|wanted| !devices.iter().any(|device| device == wanted)) {
        let known = devices.join(", ");
        return Err(Failure::Usage(format!("there is no board {wanted}: the runs are of {known}")));
    }
    if devices.len() < 2 {
        return Ok(Boards::default());
    }
    let device = wanted.map_or_else(|| devices.first().cloned(), |wanted| Some(wanted.into()));
    Ok(Boards { device, devices })
}

/// What the runtime's threads spent of nothing, exactly.
const NOTHING: RuntimeEnergy = RuntimeEnergy {
    compiler: Joules::ZERO,
    compiler_se: Some(Joules::ZERO),
    collector: Joules::ZERO,
    collector_se: Some(Joules::ZERO),
};

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

/// What a case spends, by its repeats.
#[derive(Debug, Clone)]
struct CaseEnergies {
    total_j: f64,
    idle_w: f64,
    duration_s: f64,
    collections: u64,
    /// What each power and each sampled run spent above idle, without the runtime's threads: a
    /// sampler costs little beside what a compiler decides anew in each process.
    sessions_j: Vec<f64>,
    /// Variances of the means, in J^2 and W^2; absent without repeats.
    total_variance: Option<f64>,
    idle_variance: Option<f64>,
    /// Of the runtime's threads; absent where their times are not known of every run.
    runtime: Option<RuntimeEnergies>,
}

/// What the runtime's threads spent in the repeats of a case.
#[derive(Debug, Clone)]
struct RuntimeEnergies {
    compiler: MeanEnergy,
    collector: MeanEnergy,
}

/// The mean of repeats, with its variance where there are several.
#[derive(Debug, Clone)]
struct MeanEnergy {
    energy_j: f64,
    variance_j2: Option<f64>,
}

impl MeanEnergy {
    fn of(energies_j: &[f64]) -> Option<Self> {
        let energy_j = mean(energies_j)?;
        Some(Self { energy_j, variance_j2: variance_of_mean(energies_j) })
    }
}

impl RuntimeEnergies {
    fn of(power: &[&run::MeasuredSession], idle_w: f64) -> Option<Self> {
        let shares: Vec<_> = power.iter().map(|run| run.runtime_shares()).collect::<Option<_>>()?;
        let energies = |part: fn(&RuntimeShares) -> f64| {
            let above = power.iter().map(|run| PowerRun::from(*run).above_idle_j(idle_w));
            let parts = above.zip(&shares).map(|(above, shares)| above * part(shares));
            MeanEnergy::of(&parts.collect::<Vec<_>>())
        };
        let (compiler, collector) = (energies(|s| s.compiler)?, energies(|s| s.collector)?);
        Some(Self { compiler, collector })
    }

    fn added_to(&self, sum: RuntimeEnergy) -> RuntimeEnergy {
        let se = |se: Option<Joules>, own: &MeanEnergy| {
            let (se, variance) = se.zip(own.variance_j2)?;
            Some(Joules(se.0.hypot(variance.sqrt())))
        };
        RuntimeEnergy {
            compiler: sum.compiler + Joules(self.compiler.energy_j),
            compiler_se: se(sum.compiler_se, &self.compiler),
            collector: sum.collector + Joules(self.collector.energy_j),
            collector_se: se(sum.collector_se, &self.collector),
        }
    }
}

impl CaseEnergies {
    fn of(records: &[RunRecord], case: &str, boards: &Boards) -> Result<Self, FactsError> {
        let of_phase = |phase| {
            let good = records.iter().filter(|record| boards.is_own(record));
            let good = good.filter(move |record| record.is_good_run_of(case, phase));
            good.filter_map(|record| record.measured.as_ref()).collect::<Vec<_>>()
        };
        let (power, idle) = (of_phase(RunPhase::Power), of_phase(RunPhase::Idle));
        let totals: Vec<f64> = power.iter().map(|run| run.energy_j).collect();
        let durations: Vec<f64> = power.iter().map(|run| run.duration_s).collect();
        let idle_powers: Vec<f64> = idle.iter().map(|run| run.mean_power_w()).collect();
        let (Some(total_j), Some(duration_s), Some(idle_w)) =
            (mean(&totals), mean(&durations), mean(&idle_powers))
        else {
            let on = boards.device.as_ref();
            let on = on.map_or(String::new(), |device| format!(" on board {device}"));
            return Err(FactsError::NoEnergy { case: case.to_string(), on });
        };
        let own_j = |run: &&run::MeasuredSession| PowerRun::from(*run).own_j(idle_w);
        Ok(CaseEnergies {
            total_j,
            idle_w,
            duration_s,
            sessions_j: power.iter().chain(&of_phase(RunPhase::Sampled)).map(own_j).collect(),
            collections: power.first().map_or(0, |run| run.collections),
            total_variance: variance_of_mean(&totals),
            idle_variance: variance_of_mean(&idle_powers),
            runtime: RuntimeEnergies::of(&power, idle_w),
        })
    }

    /// What a session spends above idle, without the runtime's threads where these are known.
    fn of_session(&self) -> Option<Joules> {
        mean(&self.sessions_j).map(Joules)
    }

    fn add_to(&self, measured: &mut MeasuredEnergies, uncertainty: &mut Uncertainty) {
        let duration_s = self.duration_s;
        measured.total += Joules(self.total_j);
        measured.idle += Joules(self.idle_w * duration_s);
        measured.collections += self.collections;
        // A case whose threads nobody saw leaves the sum unknown.
        measured.runtime =
            measured.runtime.take().zip(self.runtime.as_ref()).map(|(sum, own)| own.added_to(sum));
        let add = |sum: Option<f64>, variance: Option<f64>| Some(sum? + variance?);
        uncertainty.total = add(uncertainty.total, self.total_variance);
        let idle_variance = self.idle_variance.map(|v| v * duration_s * duration_s);
        uncertainty.idle = add(uncertainty.idle, idle_variance);
    }
}

fn variance_of_mean(values: &[f64]) -> Option<f64> {
    Some(variance(values)? / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power::RuntimeThreads;
    use crate::run_record::record;

    /// Idle power is 1 W. The power run spends 30 J in 10 s, a quarter of which is a compiler's;
    /// of the sampled one nobody knows a compiler.
    #[test]
    fn sampled_runs_are_sessions_and_compilers_are_nobodys_samples() {
        let mut power = record("a", RunPhase::Power, 1, 30.0, 10.0);
        let threads = RuntimeThreads { process_s: 10.0, compiler_s: 2.5, collector_s: 0.0 };
        power.measured.as_mut().unwrap().threads = Some(threads);
        let records = [
            power,
            record("a", RunPhase::Sampled, 1, 35.0, 10.0),
            record("b", RunPhase::Sampled, 1, 90.0, 10.0),
            record("a", RunPhase::Idle, 1, 5.0, 5.0),
        ];
        let energies = CaseEnergies::of(&records, "a", &Boards::default()).unwrap();
        assert_eq!(energies.sessions_j, [15.0, 25.0]);
        assert_eq!(energies.of_session(), Some(Joules(20.0)));
    }
}
