//! Facts of a campaign about its scenario: counts and energies of the cases without removals,
//! summed over input sequences. Accounts, hints and reports are computed from these.

mod mean_case_energy;
mod overhead;
mod read;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::account::calls::{CallAccounts, CallTree, call_accounts};
use crate::account::{
    self, Accounts, IndexedModel, MeasuredEnergies, PredictedEnergy, SampledCase, profile,
};
use crate::blocks::BlockId;
use crate::campaign::PlannedCase;
use crate::dataset::energy::relative_spread;
use crate::failure::Failure;
use crate::folder::MeasuredCampaign;
use crate::model::Model;
use crate::operations::{Dictionary, OperationMix};
use crate::run::RunRecord;
use crate::scenario::{IdlePolicy, UnanalysedLanguage};
use crate::stacks;
use crate::units::Joules;

use mean_case_energy::{EnergyVariances, MeanCaseEnergy, NO_RUNTIME_ENERGY};
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
    energies: MeanCaseEnergy,
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
        let energies = MeanCaseEnergy::of(campaign, &case.name, boards)?;
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
    /// Idle runs that the idle power of a case comes from.
    pub idle: IdlePolicy,
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
        let MeasuredCampaign { dictionary, cases, records, unanalysed, idle, .. } = campaign;
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
            idle,
        };
        Ok(nothing.with_inputs(inputs))
    }

    /// The facts with the sums over these inputs.
    fn with_inputs(self, inputs: Vec<InputFacts>) -> Self {
        let mut executions = BTreeMap::new();
        let mut measured =
            MeasuredEnergies { runtime: Some(NO_RUNTIME_ENERGY), ..MeasuredEnergies::default() };
        let mut variances = EnergyVariances::default();
        for input in &inputs {
            for (block, count) in &input.executions {
                *executions.entry(*block).or_insert(0) += count;
            }
            input.energies.add_to(&mut measured, &mut variances);
        }
        measured.total_se = variances.total_se();
        measured.idle_se = variances.idle_se();
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
