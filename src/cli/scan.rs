//! `wattline scan`: sources -> blocks, operations, findings.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::blocks::Granularity;
use crate::build::{Application, Survey, sources};
use crate::finding::Finding;
use crate::operations::{Dictionary, findings_csv};

use super::Failure;
use super::output::Output;
use super::progress;

/// Files that a scan writes.
pub const FILES: [&str; 4] = ["blocks.csv", "operations.csv", "lines.csv", "findings.csv"];

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  wattline scan src/main/java --classpath libs/guava.jar --out target/scan

Writes blocks.csv (name, place, kind of every basic block), operations.csv (what one
execution of it holds), lines.csv (the same by line) and findings.csv (what could not be
parsed or resolved).")]
pub struct Arguments {
    /// Source folders, .java files or source jars.
    #[arg(required = true)]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    classes: ClassPathArguments,
    /// Whether blocks end at &&, || and ?: too.
    #[arg(long, value_enum, default_value = "statement")]
    granularity: GranularityArgument,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
}

/// `--classpath`, for all commands that read sources.
#[derive(Debug, Args)]
pub struct ClassPathArguments {
    /// Jars and class folders, separated as Java does; the JDK is found by itself.
    #[arg(long, default_value = "")]
    pub classpath: String,
}

impl ClassPathArguments {
    /// The entries as paths.
    pub fn paths(&self) -> Vec<PathBuf> {
        std::env::split_paths(&self.classpath).filter(|path| !path.as_os_str().is_empty()).collect()
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GranularityArgument {
    /// The paper's: an expression belongs to one block.
    Statement,
    /// Right operands and the arms of ?: are blocks of their own.
    Expression,
}

impl From<GranularityArgument> for Granularity {
    fn from(argument: GranularityArgument) -> Self {
        match argument {
            GranularityArgument::Statement => Granularity::Statement,
            GranularityArgument::Expression => Granularity::Expression,
        }
    }
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, arguments.force.into())?;
    output.check_free(&FILES)?;
    let sources = sources::load_paths(&arguments.sources, &arguments.classes.paths())?;
    let survey = Survey::of(sources, arguments.granularity.into())?;
    write_tables(&survey.dictionary, &survey.findings, &output)?;
    progress::result(totals(survey.files, &survey.dictionary, &survey.findings, survey.guessed));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Writes the dictionary and the findings of an application.
pub fn write(application: &Application, output: &Output) -> Result<(), Failure> {
    write_tables(&application.dictionary, &application.findings, output)
}

fn write_tables(
    dictionary: &Dictionary,
    findings: &[Finding],
    output: &Output,
) -> Result<(), Failure> {
    output.write("blocks.csv", dictionary.blocks_csv())?;
    output.write("operations.csv", dictionary.operations_csv())?;
    output.write("lines.csv", dictionary.operation_lines_csv())?;
    output.write("findings.csv", findings_csv(findings))?;
    Ok(())
}

/// One line about an application.
pub fn summary(application: &Application) -> String {
    let Application { files, dictionary, findings, guessed, .. } = application;
    totals(files.len(), dictionary, findings, *guessed)
}

/// One line: how much there is, and how much of it rests on types that are not known.
fn totals(files: usize, dictionary: &Dictionary, findings: &[Finding], guessed: u64) -> String {
    let blocks = &dictionary.blocks;
    let counts = blocks.iter().flat_map(|block| &block.operations);
    let (mut operations, mut library, mut unresolved) = (0u64, 0u64, 0u64);
    for count in counts {
        let n = u64::from(count.count);
        match count.operation.strip_prefix("lib:") {
            Some(name) => {
                library += n;
                unresolved += if name.starts_with("?.") { n } else { 0 };
            }
            None => operations += n,
        }
    }
    let share = 100.0 * guessed as f64 / (operations + library).max(1) as f64;
    format!(
        "{files} files, {} blocks, {operations} operations and {library} library calls in the text \
         ({unresolved} calls not resolved; {share:.2} % rest on unknown types), {} findings",
        blocks.len(),
        findings.len(),
    )
}
