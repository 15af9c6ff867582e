//! The data set of a campaign, made from its runs: the table that models are fitted to.

use std::collections::BTreeMap;

use crate::campaign::{PlannedCase, ResidualCounts, RunPhase, count_operations};
use crate::failure::Failure;
use crate::folder::names::{self, JOURNAL};
use crate::folder::{CampaignFolder, MeasuredCampaign, Output};
use crate::format::{counted, counted_as, counted_operations};
use crate::model::table::LibraryTop;
use crate::operations::OperationMix;
use crate::run::{JudgeSettings, RunRecord};
use crate::scenario::{CampaignProtocol, FrequencyChoice, Scenario};
use crate::toolchain::artifact::hash_of_bytes;

use super::session_windows::{self, WindowSource};
use super::{
    AssembleOptions, CampaignData, CaseMixes, Dataset, DatasetFacts, DatasetOmission, Provenance,
    TracedCase, TracedRuns, assemble, dataset_to_csv, dataset_to_toml, energies_to_csv,
};

/// The data set of a campaign: cases without probes, and the rows that models are fitted to.
#[derive(Debug)]
pub struct CampaignDataset {
    /// Data set of the cases that ran without probes.
    pub plain: Dataset,
    /// Data set that models are fitted to: that of `plain`, or of windows of sessions with probes.
    pub dataset: Dataset,
    /// Executions by operation and context, by row of the data set.
    pub mixes: CaseMixes,
    /// Provenance of the data set.
    pub provenance: Provenance,
}

/// Makes the data set of a campaign. `folder` has the raw logs, which are read if the scenario sets
/// windows of sessions.
pub fn assemble_dataset(
    scenario: &Scenario,
    campaign: &MeasuredCampaign,
    residual_counts: &ResidualCounts,
    folder: &CampaignFolder,
) -> Result<CampaignDataset, Failure> {
    let MeasuredCampaign { dictionary, cases, records, executions, .. } = campaign;
    let traced = TracedRuns { dictionary, residual_counts, executions };
    let options = AssembleOptions {
        library: LibraryTop::default(),
        idle: scenario.campaign.idle,
        duration_mismatch: scenario.limits.duration_mismatch,
    };
    let has_windows = scenario.campaign.protocol == CampaignProtocol::Windows;
    // With windows most cases have no runs without probes.
    let has_power = |case: &&PlannedCase| {
        !has_windows
            || records.iter().any(|record| record.is_good_run_of(&case.name, RunPhase::Power))
    };
    let without_probes: Vec<PlannedCase> = cases.iter().filter(has_power).cloned().collect();
    let (mut mixes, mut counts) = (CaseMixes::default(), BTreeMap::new());
    for TracedCase { case, blocks, executions } in traced.traced_cases(&without_probes) {
        let mix = OperationMix::new(&blocks, |block| executions.get(block).copied().unwrap_or(0));
        mixes.0.insert(case.name.clone(), mix);
        counts.insert(case.name.clone(), count_operations(&blocks, executions));
    }
    let plain = assemble(&without_probes, records, &counts, &options)
        .map_err(|error| Failure::input(folder.file(JOURNAL), error))?;
    let mut dataset = plain.clone();
    if has_windows {
        let source = WindowSource {
            folder,
            records,
            cases: cases.iter().map(|case| (case, traced.variant_dictionary(case))).collect(),
            plain: dataset
                .cases
                .iter()
                .map(|case| ((case.name.clone(), case.device.clone()), case.energy))
                .collect(),
            judge: JudgeSettings::from(scenario),
            window_s: scenario.campaign.window_s,
        };
        let made = session_windows::make_window_cases(&source)?;
        mixes = made.mixes;
        dataset.left_out.extend(made.left_out);
        dataset = dataset.with_windows(made.cases, made.lumped, made.windows);
    }
    Ok(CampaignDataset { plain, dataset, mixes, provenance: provenance(scenario, records) })
}

impl CampaignDataset {
    /// Writes the data set; returns the SHA-256 of the file that models are fitted to.
    pub fn write(&self, output: &Output) -> Result<String, Failure> {
        output.write(names::ENERGIES, energies_to_csv(&self.plain))?;
        let text = dataset_to_csv(&self.dataset);
        let sha256 = hash_of_bytes(text.as_bytes());
        output.write(names::DATASET, text)?;
        output.write_artifact(&self.mixes)?;
        output.write(names::DATASET_FACTS, dataset_to_toml(&self.dataset, &self.provenance))?;
        Ok(sha256)
    }

    /// The data that costs are fitted to; `sha256` is the hash of the data set's file.
    pub fn data(&self, sha256: String) -> CampaignData {
        let Provenance { scenario, board, virtual_board, meter, rails, frequency_khz, .. } =
            self.provenance.clone();
        let facts = DatasetFacts {
            scenario: Some(scenario),
            board: Some(board),
            virtual_board: Some(virtual_board),
            meter: Some(meter),
            rails,
            frequency_khz,
            left_out: self.dataset.left_out.clone(),
            has_windows: !self.dataset.windows.is_empty(),
        };
        CampaignData { table: self.dataset.table(), mixes: self.mixes.clone(), facts, sha256 }
    }

    /// Sentences about the unremoved cases that have no row, with the reason.
    pub fn missing_bases(&self, cases: &[PlannedCase]) -> Vec<String> {
        let is_measured = |case: &&PlannedCase| {
            self.plain.cases.iter().any(|measured| measured.name == case.name)
        };
        let bases = cases.iter().filter(|case| case.removed.is_empty());
        let missing = bases.filter(|case| !is_measured(case)).map(|case| {
            let out = self.plain.left_out.iter().find(|out| out.what == case.name);
            let reason = out.map_or("it was not measured", |out| out.reason.as_str());
            format!(
                "the base case {} is not in the data set, and costs are fitted without it: {reason}",
                case.name
            )
        });
        missing.collect()
    }

    /// A line about the data set, and one about the cost of probes on each board.
    pub fn summary(&self) -> String {
        let dataset = &self.dataset;
        let one = if dataset.windows.is_empty() { "case" } else { "window" };
        let mut text = format!(
            "{}, {}; {} left out",
            counted(dataset.cases.len(), one),
            counted_operations(dataset.features.len()),
            counted_as(dataset.left_out.len(), "run or case", "runs or cases")
        );
        if let Some(DatasetOmission { what, reason }) = dataset.left_out.first() {
            let more = match dataset.left_out.len() {
                1 => "",
                _ => "; dataset.toml has the others",
            };
            text += &format!(" ({what}: {reason}{more})");
        }
        for windows in &dataset.windows {
            let nano = |joules: Option<f64>| match joules {
                Some(joules) => format!("{:.2} nJ", 1e9 * joules),
                None => "none".into(),
            };
            let on = match dataset.windows.len() {
                1 => String::new(),
                _ => format!("on {} ", windows.device),
            };
            text += &format!(
                "\n{on}probes cost {} as a statement and {} in a condition (standard deviation over \
                 cases: {} a probe), {:.1} % of the energy without; it is subtracted",
                nano(Some(windows.probe_energy_j)),
                nano(Some(windows.condition_probe_energy_j)),
                nano(windows.probe_spread_j),
                100.0 * windows.probe_share
            );
        }
        text
    }
}

fn provenance(scenario: &Scenario, records: &[RunRecord]) -> Provenance {
    // This machine's frequency is neither set nor read.
    let has_frequency = |record: &RunRecord| record.conditions.frequency_after_khz.is_some();
    let is_read = records.is_empty() || records.iter().any(has_frequency);
    let board = records.first().map(|record| record.board.clone()).unwrap_or_default();
    Provenance {
        scenario: scenario.name.clone(),
        board: if board.model.is_empty() { board.serial } else { board.model },
        virtual_board: board.is_virtual,
        simulated_model: board.simulated_model,
        runtime: board.runtime,
        // Records of older versions name neither meter nor rails.
        meter: match board.meter.as_str() {
            "" => "ina231".to_string(),
            meter => meter.to_string(),
        },
        rails: match board.rails.is_empty() {
            true => scenario.board.rails.clone(),
            false => board.rails,
        },
        idle: scenario.campaign.idle.name(),
        frequency_khz: match scenario.board.frequency_khz {
            FrequencyChoice::Khz(khz) => Some(khz).filter(|_| is_read),
            FrequencyChoice::Auto | FrequencyChoice::Leave => board.fixed_khz.map(u64::from),
        },
        seed: scenario.campaign.seed,
        tool_version: env!("CARGO_PKG_VERSION").to_string(),
    }
}
