//! `wattline dataset`: the runs of a campaign -> the table that models are fitted to.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::dataset::{CampaignDataset, assemble_dataset};
use crate::failure::Failure;
use crate::folder::names::DATASET;
use crate::folder::{OnExisting, Output};

use super::answer::FormatArgument;
use super::progress;

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
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output =
        Output::open(&arguments.folder, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    output.check_free(&[DATASET])?;
    let folder = output.campaign();
    let (scenario, campaign) = (folder.scenario()?, folder.measured_campaign()?);
    let made = assemble_dataset(&scenario, &campaign, &folder.read()?, &folder)?;
    made.write(&output)?;
    arguments.format.print("dataset", &figures(&made), || made.summary());
    made.missing_bases(&campaign.cases).iter().for_each(progress::warn);
    progress::say(format!("written: {}", output.path(DATASET).display()));
    Ok(())
}

/// Figures of a data set, for programs.
fn figures(made: &CampaignDataset) -> Value {
    let left_out = made.dataset.left_out.iter();
    let probes = made.dataset.windows.iter().map(|of| {
        json!({
            "device": of.device,
            "probe_energy_j": of.probe_energy_j,
            "condition_probe_energy_j": of.condition_probe_energy_j,
            "probe_energy_sd_j": of.probe_spread_j,
            "probe_share": of.probe_share,
        })
    });
    json!({
        "cases": made.dataset.cases.len(),
        "operations": made.dataset.features.len(),
        "left_out": left_out
            .map(|out| json!({"what": out.what, "reason": out.reason}))
            .collect::<Vec<Value>>(),
        "probes": probes.collect::<Vec<Value>>(),
    })
}
