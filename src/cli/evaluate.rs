//! `wattline evaluate`: accounts against the truth of a virtual board.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::account::{Evaluation, Truth, evaluate};
use crate::model::Model;

use super::Failure;
use super::account::read_model;
use super::output::{Existing, Output, read_text};
use super::progress;
use super::scenario_facts::ScenarioFacts;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline evaluate target/demo target/demo/truth --out target/evaluation

A truth folder has lines.csv (file,line,energy_j) and methods.csv (class,method,energy_j).
Writes evaluation.csv: the errors over the lines, blocks and methods that make 95 % of the
true energy.")]
pub struct Arguments {
    /// The campaign's folder, with its accounts and model.
    accounts: PathBuf,
    /// The truth folder.
    truth: PathBuf,
    /// Another model than the folder's.
    #[arg(long)]
    model: Option<PathBuf>,
    /// Folder for the result.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Replace an existing result.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, Existing::from(arguments.force))?;
    output.check_free(&["evaluation.csv"])?;
    let folder = campaign_folder(&arguments.accounts);
    let model = arguments.model.clone().unwrap_or_else(|| folder.join("model.json"));
    let evaluation = against(folder, &read_model(&model)?, &arguments.truth)?;
    output.write("evaluation.csv", evaluation.csv())?;
    progress::result(evaluation.csv().trim_end());
    progress::say(format!("written: {}", output.path("evaluation.csv").display()));
    Ok(())
}

/// Evaluates a folder that holds its truth.
pub fn make(output: &Output) -> Result<(), Failure> {
    let model = read_model(&output.path("model.json"))?;
    let evaluation = against(output.folder(), &model, &output.path("truth"))?;
    output.write("evaluation.csv", evaluation.csv())?;
    Ok(())
}

/// The accounts of a campaign by `model`, held against a truth folder.
pub fn against(folder: &Path, model: &Model, truth: &Path) -> Result<Evaluation, Failure> {
    let facts = ScenarioFacts::read(folder)?;
    let truth = read_truth(truth)?;
    Ok(evaluate(&facts.accounts(model), &facts.dictionary, &truth))
}

/// Reads a truth folder; `operations.csv` need not be there.
pub fn read_truth(folder: &Path) -> Result<Truth, Failure> {
    let operations = folder.join("operations.csv");
    let operations = if operations.is_file() { read_text(&operations)? } else { String::new() };
    let lines = read_text(&folder.join("lines.csv"))?;
    let methods = read_text(&folder.join("methods.csv"))?;
    Truth::parse(&lines, &methods, &operations).map_err(|error| Failure::input(folder, error))
}

/// The folder itself, also when its `accounts` were named.
fn campaign_folder(path: &Path) -> &Path {
    match (path.file_name(), path.parent()) {
        (Some(name), Some(parent)) if name == "accounts" => parent,
        _ => path,
    }
}
