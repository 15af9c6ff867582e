//! `wattline hints`: finds changes to sources that save energy.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use crate::campaign_report::repository::source_location;
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::names::HINTS;
use crate::folder::{CampaignFolder, OnExisting, Output};
use crate::format::counted;
use crate::hint::{self, FoundHints};
use crate::java::SourceFile;
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::model::Model;
use crate::power::FigureBasis;
use crate::verification::VerifiedRewrites;
use crate::{found_hints, report};

use super::account::basis_of;
use super::answer::FormatArgument;
use super::progress;
use super::quantity::{PRINTED_ROWS_MAX, whole_number_between};

/// File name of the diff with applied hints.
const PATCH_FILE: &str = "hints.patch";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline hints target/demo
  wattline hints target/demo --only bulk-copy --apply 1 --out target/rewritten

Lists the hints, the largest certain saving first, and writes hints.sarif into the folder.
--apply writes a copy of the sources with the first N automatic fixes, and hints.patch beside
it for `git apply`. Check the condition of each fix, then build, test and measure.")]
pub struct Arguments {
    /// The campaign's folder, with its model.
    folder: PathBuf,
    /// How many hints are printed.
    #[arg(long, default_value_t = 10, value_parser = whole_number_between(0, PRINTED_ROWS_MAX))]
    limit: usize,
    /// These patterns only.
    #[arg(long, value_name = "PATTERN", value_parser = pattern_names())]
    only: Vec<String>,
    /// Apply the first N automatic fixes to a copy of the sources, and write hints.patch.
    #[arg(long, value_name = "N", requires = "out", value_parser = whole_number_between(0, PRINTED_ROWS_MAX))]
    apply: Option<usize>,
    /// Folder for the copy.
    #[arg(long, requires = "apply")]
    out: Option<PathBuf>,
    /// Where the source root lies in the repository (`src/main/java`), for the paths in
    /// hints.sarif; found by itself inside a git work tree that holds the sources.
    #[arg(long, value_name = "PATH", conflicts_with = "apply")]
    source_prefix: Option<String>,
    /// Replace a hints.sarif that says something else, or a copy.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

/// Parser of `--only` with the names of all patterns.
fn pattern_names() -> PossibleValuesParser {
    PossibleValuesParser::new(hint::PATTERNS.iter().map(|pattern| pattern.name))
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let (Some(limit), Some(out)) = (arguments.apply, &arguments.out) {
        return apply_hints(arguments, limit, out);
    }
    let output =
        Output::open(&arguments.folder, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    let CampaignHints { mut found, basis, .. } = find_hints(&output.campaign())?;
    let files = found.hints.iter().map(|hint| hint.file.as_str());
    let repository = source_location(arguments.source_prefix.as_deref(), files);
    output.write_if_free(HINTS, report::sarif(&found.hints, &repository).as_bytes())?;
    found.keep_only(&arguments.only);
    let mut figures = report::hint_list_figures(&found, arguments.limit);
    figures["basis"] = json!(basis.name());
    arguments.format.print("hints", &figures, || {
        report::hints_text(&found, arguments.limit).trim_end().to_owned()
    });
    progress::say(format!("written: {}", output.path(HINTS).display()));
    Ok(())
}

/// Writes a copy of the sources with the first automatic fixes, and the diff.
fn apply_hints(arguments: &Arguments, limit: usize, out: &Path) -> Result<(), Failure> {
    let output = Output::open(out, OnExisting::from(arguments.force), &progress::TERMINAL)?;
    let folder = CampaignFolder::new(&arguments.folder);
    let CampaignHints { mut found, sources, basis } = find_hints(&folder)?;
    found.keep_only(&arguments.only);
    let applied = hint::apply(&found.hints, &sources, limit);
    let mut figures = report::applied_figures(&applied);
    figures["basis"] = json!(basis.name());
    let text = || report::applied_text(&applied).trim_end().to_owned();
    let print = || arguments.format.print("hints", &figures, text);
    if applied.done.is_empty() {
        print();
        progress::say("nothing is written");
        return Ok(());
    }
    let mut names: Vec<&str> = sources.iter().map(|file| file.path.as_str()).collect();
    names.push(PATCH_FILE);
    output.check_free(&names)?;
    for file in &sources {
        output.write(&file.path, applied.files.get(&file.path).unwrap_or(&file.text))?;
    }
    output.write(PATCH_FILE, applied.patch(&sources))?;
    print();
    let (folder, patch) = (out.display(), output.path(PATCH_FILE));
    let files = counted(sources.len(), "file");
    progress::say(format!("written: {folder} ({files}), {}", patch.display()));
    Ok(())
}

/// Hints of a campaign, with their sources and the basis of their energies.
struct CampaignHints {
    found: FoundHints,
    sources: Vec<SourceFile>,
    basis: FigureBasis,
}

/// Finds the hints of a campaign's folder with a model.
fn find_hints(folder: &CampaignFolder) -> Result<CampaignHints, Failure> {
    let (facts, model) = (ScenarioFacts::read(folder, None)?, folder.read::<Model>()?);
    let sources = folder.parsed_sources()?;
    let accounts = facts.accounts(&model);
    let pairs = folder.read_if_there::<Vec<MeasuredPair>>()?.unwrap_or_default();
    let mut found = found_hints::hints(&sources, &facts, &model, &accounts, &pairs);
    VerifiedRewrites::read(folder)?.attach_to(&mut found);
    Ok(CampaignHints { found, sources, basis: basis_of(&facts) })
}
