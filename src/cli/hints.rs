//! `wattline hints`: accounts and sources -> what to change.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::account::Accounts;
use crate::hint::{self, Hint, HintInput, HintOptions};
use crate::java::SourceFile;
use crate::model::Model;
use crate::report;

use super::Failure;
use super::account::read_model;
use super::folder;
use super::output::{Existing, Output};
use super::progress;
use super::scenario_facts::ScenarioFacts;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline hints target/demo

Prints the hints, what saves most first, and writes hints.sarif into the folder.")]
pub struct Arguments {
    /// The campaign's folder, with its model.
    folder: PathBuf,
    /// How many hints are printed.
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// Replace an existing hints.sarif.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.folder, Existing::from(arguments.force))?;
    output.check_free(&["hints.sarif"])?;
    let hints = make(&output)?;
    progress::result(report::hints_text(&hints, arguments.limit).trim_end());
    progress::say(format!("written: {}", output.path("hints.sarif").display()));
    Ok(())
}

/// Finds and writes the hints of a folder that holds its model.
pub fn make(output: &Output) -> Result<Vec<Hint>, Failure> {
    let facts = ScenarioFacts::read(output.folder())?;
    let model = read_model(&output.path("model.json"))?;
    let accounts = facts.accounts(&model);
    let hints = find(output.folder(), &facts, &model, &accounts)?;
    output.write("hints.sarif", report::sarif(&hints))?;
    Ok(hints)
}

/// The hints of a campaign.
pub fn find(
    folder: &Path,
    facts: &ScenarioFacts,
    model: &Model,
    accounts: &Accounts,
) -> Result<Vec<Hint>, Failure> {
    let texts = folder::read_sources(folder)?;
    let sources: Vec<SourceFile> =
        texts.into_iter().map(|(path, text)| SourceFile::parse(path, text)).collect();
    let input = HintInput {
        dictionary: &facts.dictionary,
        executions: &facts.executions,
        model,
        accounts,
        sources: &sources,
    };
    Ok(hint::hints(input, &HintOptions::default()))
}
