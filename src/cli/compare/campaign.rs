//! A campaign's folder, as far as comparisons read it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::campaign::{PlannedCase, RunPhase};
use crate::compare::{InputRuns, Measurement, PowerRunEnergy};
use crate::dataset::{DatasetFacts, idle_runs_of};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::CampaignFolder;
use crate::model::Model;
use crate::power::FigureBasis;
use crate::run::RunRecord;
use crate::scenario::IdlePolicy;

/// Campaign to compare, as read from its folder by both modes.
pub(super) struct Campaign {
    pub(super) folder: CampaignFolder,
    pub(super) about: DatasetFacts,
    pub(super) scenario: String,
    pub(super) records: Vec<RunRecord>,
    pub(super) measurement: Measurement,
}

impl Campaign {
    pub(super) fn read(folder: &Path, between_campaigns: f64) -> Result<Campaign, Failure> {
        let folder = CampaignFolder::new(folder);
        let (cases, records) = (folder.cases()?, folder.records()?);
        let scenario = folder.scenario().ok();
        let about = folder.dataset_facts()?;
        let idle = scenario.as_ref().map(|scenario| scenario.campaign.idle).unwrap_or_default();
        let name = about.scenario.clone().or(scenario.map(|scenario| scenario.name));
        let mut measurement = measurement(&cases, &records, idle);
        measurement.between_campaigns = between_campaigns / 100.0;
        Ok(Campaign {
            folder,
            scenario: name.unwrap_or_else(|| "scenario".into()),
            about,
            records,
            measurement,
        })
    }

    pub(super) fn facts_and_model(&self) -> Result<(ScenarioFacts, Model), Failure> {
        let model = self.folder.read::<Model>()?;
        Ok((ScenarioFacts::read(&self.folder, None)?, model))
    }

    /// Returns board and settings as text.
    pub(super) fn board(&self) -> String {
        let board = self.records.first().map(|record| record.board.clone()).unwrap_or_default();
        let name = if board.model.is_empty() { board.serial } else { board.model };
        let simulated_model = board
            .simulated_model
            .map(|simulated_model| format!(", simulated energy model {simulated_model}"));
        let sort = match board.is_virtual {
            true => format!(" (virtual{})", simulated_model.unwrap_or_default()),
            false => String::new(),
        };
        let frequency = self.about.frequency_khz.map(|khz| format!(", {khz} kHz"));
        let meter = self.about.meter.as_ref().map(|meter| format!(", meter {meter}"));
        let rails = self.about.rails.join("+");
        let settings = [frequency, meter].into_iter().flatten().collect::<String>();
        format!("{name}{sort}{settings}, rails {rails}")
    }
}

/// The good runs of the unremoved cases, with the idle runs that their idle power comes from.
fn measurement(cases: &[PlannedCase], records: &[RunRecord], idle: IdlePolicy) -> Measurement {
    let idle_powers_w = |case: &str, idle: IdlePolicy| {
        let runs = idle_runs_of(records, case, idle).filter_map(|run| run.measured.as_ref());
        runs.map(|run| run.mean_power_w()).collect::<Vec<f64>>()
    };
    let mut inputs: BTreeMap<String, InputRuns> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.removed.is_empty()) {
        let good = records.iter().filter(|run| run.is_good_run_of(&case.name, RunPhase::Power));
        let repeats = good
            .filter_map(|run| run.measured.as_ref())
            .map(|run| PowerRunEnergy { energy_j: run.energy_j, duration_s: run.duration_s });
        let input = inputs.entry(case.input.clone()).or_default();
        input.repeats.extend(repeats);
        if idle == IdlePolicy::Paired {
            input.idle_powers_w.extend(idle_powers_w(&case.name, idle));
        }
    }
    let idle_powers_w = idle_powers_w("", IdlePolicy::Campaign);
    Measurement { inputs, idle_powers_w, between_campaigns: 0.0 }
}

/// Returns notes on the campaigns that a reader of the comparison needs.
pub(super) fn campaign_notes(base: &Campaign, new: &Campaign) -> Vec<String> {
    let mut notes = Vec::new();
    let records = [base, new].into_iter().flat_map(|side| &side.records);
    let bases: BTreeSet<FigureBasis> =
        records.map(|run| FigureBasis::of_board(run.board.is_virtual, &run.board.meter)).collect();
    if bases.contains(&FigureBasis::Simulated) {
        notes.push("measured on the VIRTUAL board".into());
    }
    if bases.contains(&FigureBasis::Estimated) {
        notes.push("energies are estimated from CPU time, not measured by a meter".into());
    }
    let repeats = |side: &Campaign| {
        side.measurement.inputs.values().map(|runs| runs.repeats.len()).min().unwrap_or(0)
    };
    let fewest = repeats(base).min(repeats(new));
    if (2..5).contains(&fewest) {
        notes.push(format!("only {fewest} power runs of an input: few for an interval"));
    }
    notes
}
