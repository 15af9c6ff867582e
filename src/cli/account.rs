//! `wattline account`: a model and a campaign's counts -> accounts and ledger.

use std::path::PathBuf;

use clap::Args;

use crate::stage::folder::{names::LEDGER, read_model};
use crate::stage::{CampaignFolder, Existing, Failure, Output, account};

use super::monitor::recording;
use super::progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline account target/demo/model.json target/demo --out target/accounts
  wattline account target/rec/monitor.toml target/rec --out target/accounts
  wattline account target/rec/monitor.toml target/rec --mapping mapping.txt --out target/named
  wattline account target/two/model.json target/two --device right --out target/right

Writes accounts/{operations,blocks,lines,methods,classes,packages}.csv and ledger.csv, and
where `wattline calls` has recorded who calls, accounts/{calltree,cumulative,threads}.csv.
Every level adds up to the same energy; what the model does not explain is a row of the
ledger. Where the campaign's base cases were sampled, methods are what samples and counts say
together (accounts/areas.csv).")]
pub struct Arguments {
    /// model.json of a fit, or monitor.toml of a recording of `monitor`.
    model: PathBuf,
    /// The campaign's folder, as `run` or `pipeline` wrote it, or the recording's.
    runs: PathBuf,
    /// With a campaign on several boards, the one whose energies are wanted. Default: the
    /// first by name.
    #[arg(long)]
    device: Option<String>,
    /// Folder for the results.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Mapping file of ProGuard or R8, for recordings of an obfuscated application.
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, Existing::from(arguments.force))?;
    output.check_free(&[LEDGER])?;
    if recording::is_monitor_file(&arguments.model) {
        recording::write_accounts(&arguments.runs, arguments.mapping.as_deref(), &output)?;
        progress::say(format!("written: {}", output.folder().display()));
        return Ok(());
    }
    recording::no_mapping_here(arguments.mapping.as_deref())?;
    let folder = CampaignFolder::new(&arguments.runs);
    let facts = folder.facts(arguments.device.as_deref())?;
    let model = read_model(&arguments.model)?;
    let accounted = account::account(&facts, &model)?;
    accounted.remarks().iter().for_each(progress::say);
    output.write_accounts(&accounted)?;
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}
