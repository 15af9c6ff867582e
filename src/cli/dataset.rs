//! `wattline dataset`: the runs of a campaign -> the table that models are fitted to.

use std::path::PathBuf;

use clap::Args;

use crate::dataset::assemble_dataset;
use crate::failure::Failure;
use crate::folder::names::DATASET;
use crate::folder::{OnExisting, Output};

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
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output =
        Output::open(&arguments.folder, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    output.check_free(&[DATASET])?;
    let folder = output.campaign();
    let (scenario, campaign) = (folder.scenario()?, folder.measured_campaign()?);
    let made = assemble_dataset(&scenario, &campaign, &folder.read()?, &folder)?;
    made.write(&output)?;
    progress::result(made.summary());
    made.missing_bases(&campaign.cases).iter().for_each(progress::warn);
    progress::say(format!("written: {}", output.path(DATASET).display()));
    Ok(())
}
