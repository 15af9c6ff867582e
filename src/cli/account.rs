//! `wattline account`: a model and a campaign's counts -> accounts and ledger.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::account::calls::call_tables;
use crate::account::{AreaAccount, Areas, table};
use crate::model::{DeviceFactor, Model};

use super::Failure;
use super::monitor::recording;
use super::output::{Existing, Output, read_text};
use super::progress;
use super::scenario_facts::ScenarioFacts;

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
    output.check_free(&["ledger.csv"])?;
    if recording::is_monitor_file(&arguments.model) {
        recording::write_accounts(&arguments.runs, arguments.mapping.as_deref(), &output)?;
        progress::say(format!("written: {}", output.folder().display()));
        return Ok(());
    }
    recording::no_mapping_here(arguments.mapping.as_deref())?;
    let facts = ScenarioFacts::read_on(&arguments.runs, arguments.device.as_deref())?;
    write(&facts, &arguments.runs, &read_model(&arguments.model)?, &output)?;
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Says of which board the energies beside it are, where the campaign has several.
const DEVICE_FILE: &str = "accounts/device.toml";

/// The board and the others' factors by it.
fn device_toml(device: &str, model: &Model) -> Result<String, Failure> {
    #[derive(serde::Serialize)]
    struct About<'a> {
        device: &'a str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        devices: Vec<DeviceFactor>,
    }
    let devices = model.on_device(device).map(|model| model.devices).unwrap_or_default();
    toml::to_string(&About { device, devices }).map_err(|error| Failure::input(DEVICE_FILE, error))
}

/// Accounts of a folder that holds its model.
pub fn make(output: &Output) -> Result<(), Failure> {
    let model = read_model(&output.path("model.json"))?;
    write(&ScenarioFacts::read(output.folder())?, output.folder(), &model, output)
}

/// Reads `model.json`.
pub fn read_model(path: &Path) -> Result<Model, Failure> {
    Model::from_json(&read_text(path)?).map_err(|error| Failure::input(path, error))
}

/// What samples made of the methods, in a line.
fn sampled(areas: &Areas) -> String {
    let samples: u64 = areas.areas.iter().map(|area| area.samples).sum();
    let weight = |area: &AreaAccount| area.weight * area.energy.joules().0;
    let energy: f64 = areas.areas.iter().map(|area| area.energy.joules().0).sum();
    format!(
        "methods by {samples} samples and by counts: {:.0} % of their energy is the samples' word; \
         what words alone say is off by {:.0} % (place factor)",
        100.0 * areas.areas.iter().map(weight).sum::<f64>() / energy,
        100.0 * areas.place_factor
    )
}

fn write(
    facts: &ScenarioFacts,
    folder: &Path,
    model: &Model,
    output: &Output,
) -> Result<(), Failure> {
    facts.check(model)?;
    if let Some(device) = &facts.device {
        output.write(DEVICE_FILE, device_toml(device, model)?)?;
        progress::say(format!("  energies are those of board {device}"));
    }
    let accounts = facts.accounts(model);
    if let Some(areas) = &accounts.areas {
        progress::say(format!("  {}", sampled(areas)));
    }
    let calls = facts.call_accounts(folder, model, &accounts)?;
    let calls = calls.map(|calls| call_tables(&calls, &accounts)).unwrap_or_default();
    for file in table::tables(&accounts).into_iter().chain(calls) {
        output.write(&format!("accounts/{}", file.name), &file.text)?;
    }
    output.write("ledger.csv", table::ledger_csv(&accounts))?;
    Ok(())
}
