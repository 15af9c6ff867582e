//! `wattline instrument`: writes a copy of the sources with probes, or without some blocks.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::blocks::{BlockId, Granularity};
use crate::build::AnalysedApplication;
use crate::failure::Failure;
use crate::folder::Output;
use crate::instrument::{self, InstrumentOptions, Probe};
use crate::java::encoding::SourceEncoding;
use crate::scan::ScanTotals;

use super::answer::{FormatArgument, path_text};
use super::source_arguments::SourceArguments;
use super::{progress, scan};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline instrument src/main/java --probe count --out target/instrumented
  wattline instrument src/main/java --probe plain --remove 17,42 --out target/without

The instrumented tree is complete: compile it in place of the original. Block ids are
those of blocks.csv, which is written beside it.")]
pub struct Arguments {
    #[command(flatten)]
    sources: SourceArguments,
    /// What is put into each block.
    #[arg(long, value_enum, default_value = "count")]
    probe: ProbeArgument,
    /// Blocks whose statements are left out: ids of blocks.csv.
    #[arg(long, value_delimiter = ',')]
    remove: Vec<u32>,
    /// All callers are in the sources: small methods are counted by their callers. Not for
    /// libraries, nor where reflection calls.
    #[arg(long)]
    closed_world: bool,
    /// Fewer probes in loops that call nothing. The JVM may then drop message and trace of
    /// an exception of its own sooner, where it is thrown again and again.
    #[arg(long)]
    watch_loops: bool,
    /// The name of these sources, if they are a part of a program that is instrumented part by
    /// part: the class that counts and its files, wattline-NAME-counts-1.csv, are the part's own.
    #[arg(long, value_name = "NAME", value_parser = part_name)]
    part: Option<String>,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

/// Value of `--probe`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ProbeArgument {
    /// No probe: only blocks are removed.
    Plain,
    /// Count the executions of each block.
    Count,
    /// Count, with a snapshot of the counts four times a second.
    Window,
    /// Count, and log the order of blocks.
    Log,
    /// Count per thread and path of calls.
    Calls,
}

impl From<ProbeArgument> for Probe {
    fn from(argument: ProbeArgument) -> Self {
        match argument {
            ProbeArgument::Plain => Probe::Plain,
            ProbeArgument::Count => Probe::Count,
            ProbeArgument::Window => Probe::Window,
            ProbeArgument::Log => Probe::Log,
            ProbeArgument::Calls => Probe::Calls,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, arguments.force.into(), &progress::TERMINAL)?;
    output.check_free(&scan::FILES)?;
    let loaded = arguments.sources.load(&output)?;
    loaded.warn_of_obstacles();
    loaded.sources.check_encodings()?;
    let mut application = AnalysedApplication::analyse(loaded.sources, Granularity::Statement)?;
    let removed = removed_blocks(&arguments.remove, &application)?;
    let options = InstrumentOptions {
        probe: arguments.probe.into(),
        removed,
        closed_world: arguments.closed_world,
        without_watched_loops: !arguments.watch_loops,
        part: arguments.part.clone(),
        ..InstrumentOptions::default()
    };
    let made = instrument::instrument(&application.files, &application.blocks(), &options);
    for file in made.files.iter().chain(&made.runtime) {
        output.write(&file.path, &file.text)?;
    }
    application.findings.extend(made.findings);
    output.write_scan(&application)?;
    let AnalysedApplication { files, dictionary, findings, guessed, sources, .. } = &application;
    let counted = ScanTotals::of(&dictionary.blocks);
    let totals = ScanTotals { files: files.len(), guessed: *guessed, ..counted };
    let mut figures = scan::scan_figures(&totals, findings, &sources.other_languages);
    figures["folder"] = json!(path_text(output.folder()));
    let text = || totals.summary_line(findings, &sources.other_languages);
    arguments.format.print("instrument", &figures, text);
    let encoding = arguments.sources.encoding();
    if let Some(encoding) = encoding.filter(|encoding| *encoding != SourceEncoding::UTF_8) {
        progress::warn(format!(
            "the files are written in UTF-8: compile them with `-encoding UTF-8`, not {}",
            encoding.name
        ));
    }
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Parses a part's name, which becomes part of class and file names.
fn part_name(name: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match !name.is_empty() && name.chars().all(fits) {
        true => Ok(name.to_owned()),
        false => Err("a name of ASCII letters, digits and `_`, as `core_api`".to_owned()),
    }
}

/// Ids of `--remove` as block ids; refuses those that the application does not have.
pub fn removed_blocks(
    ids: &[u32],
    application: &AnalysedApplication,
) -> Result<BTreeSet<BlockId>, Failure> {
    let blocks = application.dictionary.blocks.len();
    match ids.iter().find(|&&id| id as usize >= blocks) {
        Some(id) => Err(Failure::Usage(format!(
            "--remove {id}: there is no such block; ids run from 0 to {}",
            blocks.saturating_sub(1)
        ))),
        None => Ok(ids.iter().map(|&id| BlockId(id)).collect()),
    }
}
