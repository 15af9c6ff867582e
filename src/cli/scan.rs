//! `wattline scan`: sources -> blocks, operations, findings.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::blocks::Granularity;
use crate::build::{Survey, sources};
use crate::finding::Finding;
use crate::operations::{Calls, Counted, Tables, findings_csv};

use super::progress;
use crate::stage::Failure;
use crate::stage::folder::names;
use crate::stage::folder::{Output, Unfinished};
use crate::stage::scan::Totals;

/// Files that a scan writes.
pub const FILES: [&str; 4] = [names::BLOCKS, names::OPERATIONS, names::LINES, names::FINDINGS];

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
    output.write(names::FINDINGS, findings_csv(&findings))?;
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
