//! `wattline hints`: accounts and sources -> what to change.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::account::Accounts;
use crate::account::calls::CallTree;
use crate::hint::{self, Hint, HintInput, HintOptions};
use crate::java::SourceFile;
use crate::model::Model;
use crate::report;

use super::Failure;
use super::account::read_model;
use super::calls;
use super::folder;
use super::output::{Existing, Output};
use super::progress;
use super::repository::repository;
use super::scenario_facts::ScenarioFacts;

/// The diff of a copy with hints applied.
const PATCH: &str = "hints.patch";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline hints target/demo
  wattline hints target/demo --apply 3 --out target/rewritten
  wattline hints target/demo --only bulk-copy --apply 1 --out target/rewritten

Prints the hints, what surely saves most first, and writes hints.sarif into the folder. With
--apply nothing in the folder changes: the first N hints that can be applied without a
person (loop-invariant, field-in-loop and bulk-copy, where the source shows that they do
the same) go into a copy of the sources, and as a diff into hints.patch beside it, which
`git apply` and `patch -p1` take in the source root. Read each one's condition, build, test,
measure.")]
pub struct Arguments {
    /// The campaign's folder, with its model.
    folder: PathBuf,
    /// How many hints are printed.
    #[arg(long, default_value_t = 10)]
    limit: usize,
    /// These patterns only.
    #[arg(long, value_name = "PATTERN", value_parser = patterns())]
    only: Vec<String>,
    /// Apply the first N mechanical hints to a copy of the sources, and write hints.patch.
    #[arg(long, value_name = "N", requires = "out")]
    apply: Option<usize>,
    /// Folder for the copy.
    #[arg(long, requires = "apply")]
    out: Option<PathBuf>,
    /// Where the source root lies in the repository (`src/main/java`), for the paths in
    /// hints.sarif; found by itself inside a git work tree that holds the sources.
    #[arg(long, value_name = "PATH", conflicts_with = "apply")]
    source_prefix: Option<String>,
    /// Replace an existing hints.sarif or copy.
    #[arg(long)]
    force: bool,
}

/// The names that `--only` takes.
fn patterns() -> PossibleValuesParser {
    PossibleValuesParser::new(hint::PATTERNS.iter().map(|pattern| pattern.name))
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let (Some(limit), Some(out)) = (arguments.apply, &arguments.out) {
        return apply(arguments, limit, out);
    }
    let output = Output::open(&arguments.folder, Existing::from(arguments.force))?;
    output.check_free(&["hints.sarif"])?;
    let mut hints = make(&output, arguments.source_prefix.as_deref())?;
    keep_only(&mut hints, &arguments.only);
    progress::result(report::hints_text(&hints, arguments.limit).trim_end());
    progress::say(format!("written: {}", output.path("hints.sarif").display()));
    Ok(())
}

fn keep_only(hints: &mut Vec<Hint>, only: &[String]) {
    hints.retain(|hint| only.is_empty() || only.iter().any(|name| name == hint.pattern));
}

/// Writes the sources with the first mechanical hints.
fn apply(arguments: &Arguments, limit: usize, out: &Path) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let output = Output::open(out, Existing::from(arguments.force))?;
    let facts = ScenarioFacts::read(folder)?;
    let model = read_model(&folder.join("model.json"))?;
    let sources = parsed_sources(folder)?;
    let calls = calls::read(folder)?;
    let mut hints = find_in(&sources, calls.as_ref(), &facts, &model, &facts.accounts(&model));
    keep_only(&mut hints, &arguments.only);
    let applied = hint::apply(&hints, &sources, limit);
    let mut names: Vec<&str> = sources.iter().map(|file| file.path.as_str()).collect();
    names.push(PATCH);
    output.check_free(&names)?;
    for file in &sources {
        output.write(&file.path, applied.files.get(&file.path).unwrap_or(&file.text))?;
    }
    output.write(PATCH, applied.patch(&sources))?;
    progress::result(report::applied_text(&applied).trim_end());
    let (folder, patch) = (out.display(), output.path(PATCH));
    progress::say(format!("written: {folder} ({} files), {}", sources.len(), patch.display()));
    Ok(())
}

/// Finds and writes the hints of a folder that holds its model.
pub fn make(output: &Output, source_prefix: Option<&str>) -> Result<Vec<Hint>, Failure> {
    let facts = ScenarioFacts::read(output.folder())?;
    let model = read_model(&output.path("model.json"))?;
    let accounts = facts.accounts(&model);
    let hints = find(output.folder(), &facts, &model, &accounts)?;
    let repository = repository(source_prefix, hints.iter().map(|hint| hint.file.as_str()));
    output.write("hints.sarif", report::sarif(&hints, &repository))?;
    Ok(hints)
}

/// The hints of a campaign.
pub fn find(
    folder: &Path,
    facts: &ScenarioFacts,
    model: &Model,
    accounts: &Accounts,
) -> Result<Vec<Hint>, Failure> {
    let calls = calls::read(folder)?;
    Ok(find_in(&parsed_sources(folder)?, calls.as_ref(), facts, model, accounts))
}

fn parsed_sources(folder: &Path) -> Result<Vec<SourceFile>, Failure> {
    let texts = folder::read_sources(folder)?;
    Ok(texts.into_iter().map(|(path, text)| SourceFile::parse(path, text)).collect())
}

fn find_in(
    sources: &[SourceFile],
    calls: Option<&CallTree>,
    facts: &ScenarioFacts,
    model: &Model,
    accounts: &Accounts,
) -> Vec<Hint> {
    let input = HintInput {
        dictionary: &facts.dictionary,
        executions: &facts.executions,
        model,
        accounts,
        calls,
        sources,
    };
    hint::hints(input, &HintOptions::default())
}
