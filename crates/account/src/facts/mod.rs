//! Facts of a campaign about its scenario: counts and energies of the cases without removals,
//! summed over input sequences. Accounts, hints and reports are computed from these.

mod overhead;
mod read;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::account::calls::{CallAccounts, CallTree, call_accounts};
use crate::account::{
    self, Accounts, IndexedModel, MeasuredEnergies, PredictedEnergy, RuntimeEnergy, SampledCase,
    profile,
};
use crate::blocks::BlockId;
use crate::campaign::{PlannedCase, RunPhase};
use crate::dataset::energy::{PowerRun, mean, relative_spread, variance};
use crate::failure::Failure;
use crate::folder::MeasuredCampaign;
use crate::model::Model;
use crate::operations::{Dictionary, OperationMix};
use crate::power::RuntimeShares;
use crate::run::{self, RunRecord};
use crate::scenario::UnanalysedLanguage;
use crate::stacks;
use crate::units::Joules;

pub use overhead::{MeasuringOverheads, RelativeIncrease, RunOverhead};

/// Reason why a campaign's folder has no facts about its scenario.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioFactsError {
    /// A case has no traced run, so its executions are unknown.
    #[error("case {case} has no good traced run")]
    NoTracedRun {
        /// The case.
        case: String,
    },
    /// A case has no valid run with energy.
    #[error("case {case} has no good power or idle run{on}")]
    NoEnergy {
        /// The case.
        case: String,
        /// ` on board NAME`, where there are several.
        on: String,
    },
    /// Malformed samples of a case's runs.
    #[error("samples of case {case}: {message}")]
    Samples {
        /// The case.
        case: String,
        /// What is wrong with them.
        message: String,
    },
}

/// Executions, energies and samples of one input sequence without removals.
#[derive(Debug, Clone)]
pub struct InputFacts {
    /// Name of the sequence.
    pub input: String,
    /// Executions per block in its traced run.
    pub executions: BTreeMap<BlockId, u64>,
    /// Samples of the case, where it was sampled.
    samples: Option<SampledCase>,
    energies: CaseEnergies,
}

impl InputFacts {
    fn of(
        case: &PlannedCase,
        campaign: &MeasuredCampaign,
        boards: &BoardSelection,
        stacks: &BTreeMap<String, Vec<String>>,
    ) -> Result<Self, ScenarioFactsError> {
        let counts = campaign
            .executions
            .get(&case.name)
            .ok_or_else(|| ScenarioFactsError::NoTracedRun { case: case.name.clone() })?;
        let blocks = (0..).map(BlockId).zip(counts.iter().copied());
        let energies = CaseEnergies::of(&campaign.records, &case.name, boards)?;
        let runs = hits_by_run(&case.name, stacks, &campaign.dictionary)?;
        Ok(Self {
            input: case.input.clone(),
            executions: blocks.filter(|(_, count)| *count > 0).collect(),
            samples: energies.session_energy().and_then(|energy| SampledCase::of(energy, runs)),
            energies,
        })
    }
}

/// Counts, energies, samples and calls of a campaign's cases without removals, on one board.
#[derive(Debug, Clone)]
pub struct ScenarioFacts {
    /// Blocks with their operations.
    pub dictionary: Dictionary,
    /// Cases of the plan.
    pub cases: Vec<PlannedCase>,
    /// All runs.
    pub records: Vec<RunRecord>,
    /// The cases without removals, one for each input sequence; the fields below are their sums.
    pub inputs: Vec<InputFacts>,
    /// Executions per block in these cases' traced runs, summed.
    pub executions: BTreeMap<BlockId, u64>,
    /// Energy of these cases on `device`, summed.
    pub measured: MeasuredEnergies,
    /// Samples of these cases; empty unless each has samples.
    pub samples: Vec<SampledCase>,
    /// Call paths of these cases, where they were recorded.
    pub calls: Option<CallTree>,
    /// The board that `measured` and all accounts relate to, where the campaign has several.
    pub device: Option<String>,
    /// All boards of the campaign where it has several, sorted.
    pub devices: Vec<String>,
    /// Languages of the application that are not analysed.
    pub unanalysed: Vec<UnanalysedLanguage>,
}

impl ScenarioFacts {
    /// Facts for one board. `stacks` has the sampled stacks of each run, by case.
    pub fn of(
        campaign: MeasuredCampaign,
        boards: BoardSelection,
        stacks: &BTreeMap<String, Vec<String>>,
    ) -> Result<ScenarioFacts, ScenarioFactsError> {
        let unremoved = campaign.unremoved_cases();
        let inputs = unremoved.map(|case| InputFacts::of(case, &campaign, &boards, stacks));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let MeasuredCampaign { dictionary, cases, records, unanalysed, .. } = campaign;
        let BoardSelection { device, devices } = boards;
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
        Ok(nothing.with_inputs(inputs))
    }

    /// The facts with the sums over these inputs.
    fn with_inputs(self, inputs: Vec<InputFacts>) -> Self {
        let mut executions = BTreeMap::new();
        let mut measured =
            MeasuredEnergies { runtime: Some(NO_RUNTIME_ENERGY), ..MeasuredEnergies::default() };
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

    /// The facts of some of the inputs.
    pub(crate) fn of_inputs(&self, wanted: impl Fn(&InputFacts) -> bool) -> Self {
        self.clone()
            .with_inputs(self.inputs.iter().filter(|input| wanted(input)).cloned().collect())
    }

    /// Total duration of these cases' sessions in seconds.
    pub fn duration_s(&self) -> f64 {
        self.inputs.iter().map(|input| input.energies.duration_s).sum()
    }

    /// Energy above idle of these cases, without the runtime's own threads.
    pub(crate) fn energy_without_runtime(&self, model: &Model) -> Joules {
        let model = self.model_of_board(model);
        self.account_input(&model).energy_without_runtime(&IndexedModel::new(&model))
    }

    /// Predicts the energy of given executions of each block, by the accounts with a model.
    pub fn predict_energy(
        &self,
        model: &Model,
        executions: &BTreeMap<BlockId, u64>,
    ) -> PredictedEnergy {
        account::predicted_energy::predict_energy(
            &self.account_input(&self.model_of_board(model)),
            executions,
        )
    }

    /// Executions of each operation in these cases, by context.
    pub fn operation_mix(&self) -> OperationMix {
        let runs = |block: usize| self.executions.get(&BlockId(block as u32)).copied();
        OperationMix::new(&self.dictionary, |block| runs(block).unwrap_or(0))
    }

    /// Accounts by call path, where calls were recorded.
    pub fn call_accounts(&self, model: &Model, accounts: &Accounts) -> Option<CallAccounts> {
        let model = self.model_of_board(model);
        let calls = self.calls.as_ref()?;
        Some(call_accounts(&self.account_input(&model), accounts, calls))
    }

    /// Accounts by a model. A model of several boards is reduced to this board, which the caller
    /// has checked that it contains ([`Self::check`]).
    pub fn accounts(&self, model: &Model) -> Accounts {
        let mut accounts = account::account(&self.account_input(&self.model_of_board(model)));
        accounts.ledger.unanalysed.clone_from(&self.unanalysed);
        accounts
    }

    /// The model reduced to the facts' board.
    fn model_of_board<'m>(&self, model: &'m Model) -> Cow<'m, Model> {
        let own = self.device.as_deref().and_then(|device| model.on_device(device));
        own.map_or(Cow::Borrowed(model), Cow::Owned)
    }

    fn account_input<'a>(&'a self, model: &'a Model) -> account::AccountInput<'a> {
        account::AccountInput {
            dictionary: &self.dictionary,
            executions: &self.executions,
            model,
            measured: &self.measured,
            samples: &self.samples,
            calls: self.calls.as_ref(),
        }
    }

    /// Whether a run is on the facts' board.
    pub fn is_own(&self, record: &RunRecord) -> bool {
        is_on(record, self.device.as_deref())
    }

    /// Fails for a model that was fitted to other boards than the facts' board.
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

/// Methods and lines of the samples of a case's runs, run by run.
fn hits_by_run(
    case: &str,
    stacks: &BTreeMap<String, Vec<String>>,
    dictionary: &Dictionary,
) -> Result<Vec<profile::Hits>, ScenarioFactsError> {
    let hits = |text: &String| {
        let profile = stacks::parse(text).map_err(|error| ScenarioFactsError::Samples {
            case: case.to_string(),
            message: error.to_string(),
        })?;
        Ok(profile::Hits::of(&profile, dictionary))
    };
    stacks.get(case).into_iter().flatten().map(hits).collect()
}

/// Selected board and all boards of a campaign's valid runs; empty where it has only one.
#[derive(Debug, Clone, Default)]
pub struct BoardSelection {
    /// The requested board, or the first by name.
    pub device: Option<String>,
    /// All boards, sorted.
    pub devices: Vec<String>,
}

impl BoardSelection {
    /// Whether a run is on the selected board, or no board is selected.
    pub fn is_own(&self, record: &RunRecord) -> bool {
        is_on(record, self.device.as_deref())
    }
}

fn is_on(record: &RunRecord, device: Option<&str>) -> bool {
    device.is_none_or(|name| record.board.serial == name)
}

/// Selects the requested board, or the first by name; an empty selection where there is only one.
pub(crate) fn select_board(
    records: &[RunRecord],
    wanted: Option<&str>,
) -> Result<BoardSelection, Failure> {
    let good = records.iter().filter(|record| record.is_good());
    let devices: BTreeSet<&str> = good.map(|record| record.board.serial.as_str()).collect();
    let devices: Vec<String> = devices.into_iter().map(str::to_owned).collect();
    if let Some(wanted) = wanted.filter(|wanted| !devices.iter().any(|device| device == wanted)) {
        let known = devices.join(", ");
        return Err(Failure::Usage(format!("there is no board {wanted}: the runs are of {known}")));
    }
    if devices.len() < 2 {
        return Ok(BoardSelection::default());
    }
    let device = wanted.map_or_else(|| devices.first().cloned(), |wanted| Some(wanted.into()));
    Ok(BoardSelection { device, devices })
}

/// Energy of the runtime's threads for no session: exactly zero.
const NO_RUNTIME_ENERGY: RuntimeEnergy = RuntimeEnergy {
    compiler: Joules::ZERO,
    compiler_se: Some(Joules::ZERO),
    collector: Joules::ZERO,
    collector_se: Some(Joules::ZERO),
};

/// Variances in J^2 of summed energies; none once one case has no repeats.
struct Uncertainty {
    total: Option<f64>,
    idle: Option<f64>,
}

impl Default for Uncertainty {
    fn default() -> Self {
        Uncertainty { total: Some(0.0), idle: Some(0.0) }
    }
}

/// Mean energies of a case's sessions, with variances from its repeats.
#[derive(Debug, Clone)]
struct CaseEnergies {
    total_j: f64,
    idle_w: f64,
    duration_s: f64,
    collections: u64,
    /// Energy above idle of each power run and each sampled run, without the runtime's threads:
    /// the overhead of a sampler is small against the differences between processes.
    sessions_j: Vec<f64>,
    /// Variances of the means, in J^2 and W^2; absent without repeats.
    total_variance: Option<f64>,
    idle_variance: Option<f64>,
    /// Energies of the runtime's threads; absent where their CPU times are unknown for some run.
    runtime: Option<RuntimeEnergies>,
}

/// Mean energies of the runtime's threads over the repeats of a case.
#[derive(Debug, Clone)]
struct RuntimeEnergies {
    compiler: MeanEnergy,
    collector: MeanEnergy,
}

/// Mean over repeats, with its variance where there are several.
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

    fn plus(&self, sum: RuntimeEnergy) -> RuntimeEnergy {
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
    fn of(
        records: &[RunRecord],
        case: &str,
        boards: &BoardSelection,
    ) -> Result<Self, ScenarioFactsError> {
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
            return Err(ScenarioFactsError::NoEnergy { case: case.to_string(), on });
        };
        let own_j = |run: &&run::MeasuredSession| PowerRun::from(*run).application_j(idle_w);
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

    /// Energy of a session above idle, without the runtime's threads where these are known.
    fn session_energy(&self) -> Option<Joules> {
        mean(&self.sessions_j).map(Joules)
    }

    fn add_to(&self, measured: &mut MeasuredEnergies, uncertainty: &mut Uncertainty) {
        let duration_s = self.duration_s;
        measured.total += Joules(self.total_j);
        measured.idle += Joules(self.idle_w * duration_s);
        measured.collections += self.collections;
        // A case whose threads nobody saw leaves the sum unknown.
        measured.runtime =
            measured.runtime.take().zip(self.runtime.as_ref()).map(|(sum, own)| own.plus(sum));
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
    use crate::power::RuntimeThreadTimes;
    use crate::run_record::record;

    /// Idle power is 1 W. The power run spends 30 J in 10 s, a quarter of which is a compiler's;
    /// of the sampled one nobody knows a compiler.
    #[test]
    fn sampled_runs_are_sessions_and_compilers_are_nobodys_samples() {
        let mut power = record("a", RunPhase::Power, 1, 30.0, 10.0);
        let threads = RuntimeThreadTimes { process_s: 10.0, compiler_s: 2.5, collector_s: 0.0 };
        power.measured.as_mut().unwrap().threads = Some(threads);
        let records = [
            power,
            record("a", RunPhase::Sampled, 1, 35.0, 10.0),
            record("b", RunPhase::Sampled, 1, 90.0, 10.0),
            record("a", RunPhase::Idle, 1, 5.0, 5.0),
        ];
        let energies = CaseEnergies::of(&records, "a", &BoardSelection::default()).unwrap();
        assert_eq!(energies.sessions_j, [15.0, 25.0]);
        assert_eq!(energies.session_energy(), Some(Joules(20.0)));
    }
}
