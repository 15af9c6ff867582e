//! `wattline account`: a model and a campaign's counts -> accounts and ledger.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::ArgPredicate;
use serde_json::{Value, json};

use crate::energies::of_accounts;
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::names::LEDGER;
use crate::folder::{CampaignFolder, OnExisting, Output, read_artifact};
use crate::model::Model;
use crate::power::FigureBasis;
use crate::report::account_figures;
use crate::scenario_accounts;

use super::answer::{FormatArgument, path_text};
use super::energies::{EnergiesArgument, EnergyRowsFile};
use super::monitor::recording;
use super::progress;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline account target/demo/model.json target/demo --out target/accounts
  wattline account target/rec/monitor.toml target/rec --mapping mapping.txt --out target/named
  wattline account target/two/model.json target/two --device right --out target/right

Writes accounts/{operations,blocks,lines,methods,classes,packages}.csv and ledger.csv, whose
rows add up to the measured energy, and after `calls` also energies by call path and thread.")]
pub struct Arguments {
    /// model.json of a fit, or monitor.toml of a recording of `monitor`.
    model: PathBuf,
    /// The campaign's folder, as `run` or `pipeline` wrote it, or the recording's.
    runs: PathBuf,
    /// With a campaign on several boards, the one whose energies are wanted. Default: the
    /// first by name.
    #[arg(long)]
    device: Option<String>,
    /// Folder for the results; with --partial none, unless given.
    #[arg(long, default_value = ".", default_value_if("partial", ArgPredicate::IsPresent, None))]
    out: Option<PathBuf>,
    #[command(flatten)]
    energies: EnergiesArgument,
    /// Mapping file of ProGuard or R8, for recordings of an obfuscated application.
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let energies = arguments.energies.open(arguments.force)?;
    let has_rows_on_output = energies.as_ref().is_some_and(EnergyRowsFile::is_standard_output);
    arguments.format.check_alone(has_rows_on_output)?;
    let output = arguments.out.as_deref().map(|out| open_output(out, arguments.force.into()));
    let output = output.transpose()?;
    if recording::is_monitor_file(&arguments.model) {
        let mapping = arguments.mapping.as_deref();
        let (output, energies) = (output.as_ref(), energies.as_ref());
        let accounted = recording::account(&arguments.runs, mapping, output, energies)?;
        print_figures(arguments, || accounted.figures(), output);
        return Ok(());
    }
    recording::no_mapping_here(arguments.mapping.as_deref())?;
    let folder = CampaignFolder::new(&arguments.runs);
    let facts = ScenarioFacts::read(&folder, arguments.device.as_deref())?;
    let model: Model = read_artifact(&arguments.model)?;
    let accounted = scenario_accounts::account(&facts, &model)?;
    accounted.remarks().iter().for_each(progress::say);
    if let Some(energies) = &energies {
        let name = arguments.runs.display().to_string();
        energies.write_rows(&name, of_accounts(&accounted.accounts))?;
    }
    if let Some(output) = &output {
        accounted.write(output)?;
    }
    let figures = || {
        let mut figures = account_figures(&accounted.accounts);
        figures["basis"] = json!(basis_of(&facts).name());
        figures["device"] = json!(accounted.device);
        figures["devices"] = json!(accounted.devices);
        figures
    };
    print_figures(arguments, figures, output.as_ref());
    Ok(())
}

/// Basis of a campaign's energies.
pub fn basis_of(facts: &ScenarioFacts) -> FigureBasis {
    let board = facts.records.first().map(|run| run.board.clone()).unwrap_or_default();
    FigureBasis::of_board(board.is_virtual, &board.meter)
}

/// Prints the figures if they are asked for, and where the results were written.
fn print_figures(arguments: &Arguments, figures: impl FnOnce() -> Value, output: Option<&Output>) {
    arguments.format.print_figures("account", || {
        let mut figures = figures();
        figures["folder"] = json!(output.map(|output| path_text(output.folder())));
        figures
    });
    if let Some(output) = output {
        progress::say(format!("written: {}", output.folder().display()));
    }
}

/// Opens the folder of the results; refuses, resumes or replaces existing ones.
fn open_output(out: &Path, existing: OnExisting) -> Result<Output, Failure> {
    let output = Output::open(out, existing, &progress::TERMINAL)?;
    output.check_free(&[LEDGER])?;
    Ok(output)
}
