//! `wattline dataset`: the runs of a campaign -> the table that models are fitted to.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use crate::campaign::{Phase, PlannedCase, count_operations};
use crate::dataset::{
    AssembleOptions, CaseMixes, Dataset, IdlePolicy, LibraryTop, Provenance, assemble,
    dataset_to_csv, dataset_to_toml, energies_to_csv,
};
use crate::operations::Mix;
use crate::run::{JudgeSettings, RunRecord, read_journal};
use crate::scenario::{Protocol, Scenario};

use super::Failure;
use super::folder;
use super::output::{Existing, Output};
use super::progress;
use super::run::read_cases;
use super::traced_runs::TracedRuns;
use super::windows::{self, Source};

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline dataset target/demo

Writes dataset.csv (energy above idle and exact counts per case), contexts.csv (the counts by
context), energies.csv (total and
idle energy), and dataset.toml (where it comes from, what was left out and why).")]
pub struct Arguments {
    /// The campaign's folder, as `run` wrote it.
    folder: PathBuf,
    /// Replace an existing data set.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.folder, Existing::from(arguments.force))?;
    output.check_free(&["dataset.csv"])?;
    progress::result(make(&folder::read_scenario_copy(output.folder())?, &output)?);
    progress::say(format!("written: {}", output.path("dataset.csv").display()));
    Ok(())
}

/// Makes the data set of a folder; returns a line about it.
pub fn make(scenario: &Scenario, output: &Output) -> Result<String, Failure> {
    let folder = output.folder();
    let dictionary = folder::read_dictionary(folder)?;
    let cases = read_cases(&output.path("plan.csv"))?;
    let records = read_journal(folder)?;
    let traced = TracedRuns::read(folder, &dictionary, &records)?;
    let options = AssembleOptions {
        library: LibraryTop::default(),
        idle: IdlePolicy::Campaign,
        duration_mismatch: scenario.limits.duration_mismatch,
    };
    let windows = scenario.campaign.protocol == Protocol::Windows;
    // With windows most cases have no runs without probes.
    let has_power = |case: &&PlannedCase| {
        !windows || records.iter().any(|record| record.is_good_run_of(&case.name, Phase::Power))
    };
    let plain: Vec<PlannedCase> = cases.iter().filter(has_power).cloned().collect();
    let (mut mixes, mut counts) = (CaseMixes::default(), BTreeMap::new());
    for (case, variant, runs) in traced.of(&plain) {
        let mix = Mix::new(&variant, |block| runs.get(block).copied().unwrap_or(0));
        mixes.0.insert(case.name.clone(), mix);
        counts.insert(case.name.clone(), count_operations(&variant, runs));
    }
    let mut dataset = assemble(&plain, &records, &counts, &options)
        .map_err(|error| Failure::input(folder.join("journal.jsonl"), error))?;
    output.write("energies.csv", energies_to_csv(&dataset))?;
    if windows {
        let source = Source {
            folder,
            records: &records,
            cases: cases.iter().map(|case| (case, traced.variant(case))).collect(),
            plain: dataset
                .cases
                .iter()
                .map(|case| ((case.name.clone(), case.device.clone()), case.energy))
                .collect(),
            judge: JudgeSettings::from(scenario),
            window_s: scenario.campaign.window_s,
        };
        let made = windows::make(&source)?;
        mixes = made.mixes;
        dataset.left_out.extend(made.left_out);
        dataset = dataset.with_windows(made.cases, made.lumped, made.windows);
    }
    output.write("dataset.csv", dataset_to_csv(&dataset))?;
    let contexts = mixes.to_csv().map_err(|error| Failure::input("contexts.csv", error))?;
    output.write("contexts.csv", contexts)?;
    output.write("dataset.toml", dataset_to_toml(&dataset, &provenance(scenario, &records)))?;
    Ok(summary(&dataset))
}

fn summary(dataset: &Dataset) -> String {
    let (rows, columns, out) =
        (dataset.cases.len(), dataset.features.len(), dataset.left_out.len());
    let what = if dataset.windows.is_empty() { "cases" } else { "windows" };
    let mut text = format!(
        "{rows} {what}, {columns} operations and library functions; {out} runs or cases left out"
    );
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

fn provenance(scenario: &Scenario, records: &[RunRecord]) -> Provenance {
    // This machine's frequency is neither set nor read.
    let has_frequency = |record: &RunRecord| record.conditions.frequency_after_khz.is_some();
    let is_fixed = records.is_empty() || records.iter().any(has_frequency);
    let board = records.first().map(|record| record.board.clone()).unwrap_or_default();
    Provenance {
        scenario: scenario.name.clone(),
        board: if board.model.is_empty() { board.serial } else { board.model },
        virtual_board: board.is_virtual,
        runtime: board.runtime,
        // Records of older versions name neither meter nor rails.
        meter: match board.meter.as_str() {
            "" => "ina231".to_string(),
            "software" => "software (an estimate)".to_string(),
            meter => meter.to_string(),
        },
        rails: match board.rails.is_empty() {
            true => scenario.board.rails.clone(),
            false => board.rails,
        },
        frequency_khz: scenario.board.frequency_khz.filter(|_| is_fixed),
        seed: scenario.campaign.seed,
        tool_version: env!("CARGO_PKG_VERSION").to_string(),
    }
}
