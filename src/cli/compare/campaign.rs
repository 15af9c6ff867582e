//! A campaign's folder, as far as comparisons read it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::campaign::{Phase, PlannedCase};
use crate::cli::Failure;
use crate::cli::account::read_model;
use crate::cli::folder::{self, DatasetFacts};
use crate::cli::run::read_cases;
use crate::cli::scenario_facts::ScenarioFacts;
use crate::compare::{InputRuns, Measurement, Repeat};
use crate::model::Model;
use crate::run::{RunRecord, read_journal};

/// What both modes read of a campaign's folder.
pub(super) struct Campaign {
    pub(super) folder: PathBuf,
    pub(super) about: DatasetFacts,
    pub(super) scenario: String,
    pub(super) records: Vec<RunRecord>,
    pub(super) measurement: Measurement,
}

impl Campaign {
    pub(super) fn read(folder: &Path, between_campaigns: f64) -> Result<Campaign, Failure> {
        let cases = read_cases(&folder.join("plan.csv"))?;
        let records = read_journal(folder)?;
        let scenario = folder::read_scenario_copy(folder).map(|scenario| scenario.name);
        let about = DatasetFacts::beside(&folder.join("dataset.csv"))?;
        let name = about.scenario.clone().or(scenario.ok());
        let mut measurement = measurement(&cases, &records);
        measurement.between_campaigns = between_campaigns / 100.0;
        Ok(Campaign {
            folder: folder.to_path_buf(),
            scenario: name.unwrap_or_else(|| "scenario".into()),
            about,
            records,
            measurement,
        })
    }

    pub(super) fn facts_and_model(&self) -> Result<(ScenarioFacts, Model), Failure> {
        let model = read_model(&self.folder.join("model.json"))?;
        Ok((ScenarioFacts::read(&self.folder)?, model))
    }

    /// Board and settings, in words.
    pub(super) fn board(&self) -> String {
        let board = self.records.first().map(|record| record.board.clone()).unwrap_or_default();
        let name = if board.model.is_empty() { board.serial } else { board.model };
        let sort = if board.is_virtual { " (virtual)" } else { "" };
        let frequency = self.about.frequency_khz.map(|khz| format!(", {khz} kHz"));
        let rails = self.about.rails.join("+");
        format!("{name}{sort}{}, rails {rails}", frequency.unwrap_or_default())
    }
}

/// The good runs of the unremoved cases; idle power from all good idle runs.
fn measurement(cases: &[PlannedCase], records: &[RunRecord]) -> Measurement {
    let mut inputs: BTreeMap<String, InputRuns> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.removed.is_empty()) {
        let good = records.iter().filter(|run| run.is_good_run_of(&case.name, Phase::Power));
        let repeats = good
            .filter_map(|run| run.measured.as_ref())
            .map(|run| Repeat { energy_j: run.energy_j, duration_s: run.duration_s });
        inputs.entry(case.input.clone()).or_default().repeats.extend(repeats);
    }
    let idle = records.iter().filter(|run| run.is_good() && run.run.phase == Phase::Idle);
    let idle = idle.filter_map(|run| run.measured.as_ref()).map(|run| run.mean_power_w());
    Measurement { inputs, idle_powers_w: idle.collect(), between_campaigns: 0.0 }
}

/// What a reader must know about the campaigns.
pub(super) fn campaign_notes(base: &Campaign, new: &Campaign) -> Vec<String> {
    let mut notes = Vec::new();
    if [base, new].iter().any(|side| side.records.iter().any(|run| run.board.is_virtual)) {
        notes.push("measured on the VIRTUAL board".into());
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
