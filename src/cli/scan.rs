//! `wattline scan`: sources -> blocks, operations, findings.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::blocks::Granularity;
use crate::build::{Application, Survey, sources};
use crate::finding::Finding;
use crate::operations::{BlockEntry, Calls, Counted, Tables, findings_csv};

use super::Failure;
use super::output::{Output, Unfinished};
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
    let mut all = Results::begin(&output)?;
    let take = |file| all.add(file);
    let unread =
        Survey::each(sources, arguments.granularity.into(), Calls::Counted, Rows::of, take)?;
    let Results { tables, totals, mut findings, written } = all;
    written?;
    tables.into_iter().try_for_each(|table| table.finish().map(drop))?;
    findings.extend(unread);
    findings.sort();
    output.write("findings.csv", findings_csv(&findings))?;
    progress::result(totals.line(&findings));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// What one file adds to the results. A large application's dictionary takes many times
/// the memory of its tables, so rows are made as soon as a file is counted.
struct Rows {
    tables: Tables,
    findings: Vec<Finding>,
    totals: Totals,
}

impl Rows {
    fn of(counted: Counted) -> Rows {
        let blocks = &counted.dictionary.blocks;
        let totals = Totals { files: 1, guessed: counted.guessed, ..Totals::of(blocks) };
        Rows { tables: Tables::rows(blocks), findings: counted.findings, totals }
    }
}

/// What a scan has found so far; the rows are in their files already.
struct Results {
    tables: [Unfinished; 3],
    totals: Totals,
    findings: Vec<Finding>,
    written: Result<(), Failure>,
}

impl Results {
    fn begin(output: &Output) -> Result<Results, Failure> {
        let [blocks, operations, lines, _] = FILES;
        let tables = [output.begin(blocks)?, output.begin(operations)?, output.begin(lines)?];
        let (totals, findings) = (Totals::default(), Vec::new());
        let mut results = Results { tables, totals, findings, written: Ok(()) };
        results.write(&Tables::headers());
        Ok(results)
    }

    /// Adds the next file.
    fn add(&mut self, file: Rows) {
        self.totals.add(&file.totals);
        self.findings.extend(file.findings);
        self.write(&file.tables);
    }

    fn write(&mut self, rows: &Tables) {
        let [blocks, operations, lines] = &mut self.tables;
        let add = |_| {
            blocks.add(&rows.blocks)?;
            operations.add(&rows.operations)?;
            lines.add(&rows.lines)
        };
        self.written = std::mem::replace(&mut self.written, Ok(())).and_then(add);
    }
}

/// Writes the dictionary and the findings of an application.
pub fn write(application: &Application, output: &Output) -> Result<(), Failure> {
    let (dictionary, findings) = (&application.dictionary, &application.findings);
    output.write("blocks.csv", dictionary.blocks_csv())?;
    output.write("operations.csv", dictionary.operations_csv())?;
    output.write("lines.csv", dictionary.operation_lines_csv())?;
    output.write("findings.csv", findings_csv(findings))?;
    Ok(())
}

/// One line about an application.
pub fn summary(application: &Application) -> String {
    let Application { files, dictionary, findings, guessed, .. } = application;
    let counted = Totals::of(&dictionary.blocks);
    Totals { files: files.len(), guessed: *guessed, ..counted }.line(findings)
}

/// How much there is, and how much of it rests on types that are not known.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    files: usize,
    blocks: usize,
    operations: u64,
    library: u64,
    unresolved: u64,
    guessed: u64,
}

impl Totals {
    /// The blocks and what they hold.
    fn of(blocks: &[BlockEntry]) -> Totals {
        let mut totals = Totals { blocks: blocks.len(), ..Totals::default() };
        for count in blocks.iter().flat_map(|block| &block.operations) {
            let n = u64::from(count.count);
            match count.operation.strip_prefix("lib:") {
                Some(name) => {
                    totals.library += n;
                    totals.unresolved += if name.starts_with("?.") { n } else { 0 };
                }
                None => totals.operations += n,
            }
        }
        totals
    }

    /// Adds what is in others.
    fn add(&mut self, file: &Totals) {
        self.files += file.files;
        self.blocks += file.blocks;
        self.operations += file.operations;
        self.library += file.library;
        self.unresolved += file.unresolved;
        self.guessed += file.guessed;
    }

    fn line(&self, findings: &[Finding]) -> String {
        let Totals { files, blocks, operations, library, unresolved, guessed } = self;
        let share = 100.0 * *guessed as f64 / (operations + library).max(1) as f64;
        format!(
            "{files} files, {blocks} blocks, {operations} operations and {library} library calls \
             in the text ({unresolved} calls not resolved; {share:.2} % rest on unknown types), {} \
             findings",
            findings.len(),
        )
    }
}
