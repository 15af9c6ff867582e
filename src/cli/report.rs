//! `wattline report`: writes the HTML page of a campaign's folder and prints its summary.

use std::path::PathBuf;

use clap::Args;

use crate::campaign_report;
use crate::failure::Failure;
use crate::folder::{CampaignFolder, OnExisting, Output, names};

use super::answer::FormatArgument;
use super::monitor::recording;
use super::{activities, progress};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline report target/demo
  wattline report target/rec --mapping mapping.txt

Prints the summary and writes report.html into the folder: one file, without network.")]
pub struct Arguments {
    /// The campaign's folder, as `pipeline` wrote it, or a recording of `monitor`.
    folder: PathBuf,
    /// Mapping file of ProGuard or R8, for recordings of an obfuscated application.
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Replace an existing report.html.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output =
        Output::open(&arguments.folder, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    output.check_free(&[names::REPORT])?;
    if recording::is_recording(&arguments.folder) {
        let report = recording::write_report(&output, arguments.mapping.as_deref())?;
        arguments.format.print("report", &report.figures, || report.summary);
        progress::say(format!("written: {}", output.path(names::REPORT).display()));
        return Ok(());
    }
    recording::no_mapping_here(arguments.mapping.as_deref())?;
    let folder = output.campaign();
    if is_of_activities(&folder) {
        let page = folder.file(activities::ACTIVITIES_PAGE);
        let why = format!("these are results of `activities`; their page is {}", page.display());
        return Err(Failure::Usage(why));
    }
    let report = campaign_report::report_of(&folder, &progress::TERMINAL)?;
    output.write(names::REPORT, &report.html)?;
    arguments.format.print("report", &report.figures, || report.summary);
    progress::say(format!("written: {}", output.path(names::REPORT).display()));
    Ok(())
}

/// Whether a folder contains results of `wattline activities`.
fn is_of_activities(folder: &CampaignFolder) -> bool {
    folder.file(activities::ACTIVITIES_PAGE).is_file() && !folder.file(names::PLAN).is_file()
}
