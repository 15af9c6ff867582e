//! `wattline scan`: finds blocks, operations and findings in sources.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::blocks::Granularity;
use crate::build::OtherLanguageFiles;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::folder::{Output, UnfinishedFile, names};
use crate::format::counted;
use crate::operations::{DictionaryTables, findings_csv};
use crate::private_files::cache_folder;
use crate::scan::{self, CACHE_BYTES_MAX, ScanOptions, ScanOutcome, ScanRows, ScanTotals, Shard};
use crate::toolchain::Store;

use super::answer::{FormatArgument, path_text};
use super::progress;
use super::source_arguments::{ProcessorArguments, SourceArguments};

/// Names of the files that a scan writes.
pub const FILES: [&str; 4] = [names::BLOCKS, names::OPERATIONS, names::LINES, names::FINDINGS];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline scan src/main/java --classpath libs/guava.jar --out target/scan
  wattline scan repositories --shard 2/8 --out target/scan-2
  wattline scan --maven core --project ../library --out target/scan

Writes blocks.csv (every basic block), operations.csv and lines.csv (operations of one
execution, by block and by line) and findings.csv (code that could not be parsed or resolved).")]
pub struct Arguments {
    #[command(flatten)]
    sources: SourceArguments,
    #[command(flatten)]
    processors: ProcessorArguments,
    /// Whether blocks end at &&, || and ?: too.
    #[arg(long, value_enum, default_value = "statement")]
    granularity: GranularityArgument,
    /// Count a part of the files, of N about equal ones: the tables of all parts after one
    /// another, with one header, are those of a whole scan.
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE, hide_default_value = true)]
    shard: Shard,
    #[command(flatten)]
    cache: CacheArguments,
    /// Folder for the results.
    #[arg(long)]
    out: PathBuf,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    format: FormatArgument,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum GranularityArgument {
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

/// Cache of scan results: its folder, or none.
#[derive(Debug, Args)]
struct CacheArguments {
    /// Folder where what is found in a file is kept, for scans in which neither it nor the
    /// declarations that it uses have changed [default: scan in the user's cache folder].
    #[arg(long, value_name = "DIR", conflicts_with = "no_cache")]
    cache: Option<PathBuf>,
    /// Count all files, and keep nothing for later scans.
    #[arg(long)]
    no_cache: bool,
}

impl CacheArguments {
    /// Opens the cache. One of `--cache` must exist; the user's own may be missing.
    fn open_store(&self) -> Result<Option<Store>, Failure> {
        if self.no_cache {
            return Ok(None);
        }
        match &self.cache {
            Some(folder) => Store::open(folder, CACHE_BYTES_MAX)
                .map(Some)
                .map_err(Failure::io("create", folder)),
            None => Ok(user_store()),
        }
    }
}

/// Opens the cache in the user's cache folder; warns if that fails.
fn user_store() -> Option<Store> {
    let folder = match cache_folder() {
        Ok(cache) => cache.join("scan"),
        Err(error) => {
            progress::warn(format!("nothing is kept for later scans: {error}"));
            return None;
        }
    };
    let store = Store::open(&folder, CACHE_BYTES_MAX);
    let warn = |error| {
        let folder = folder.display();
        progress::warn(format!("nothing is kept for later scans: {folder}: {error}"));
    };
    store.map_err(warn).ok()
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, arguments.force.into(), &progress::TERMINAL)?;
    output.check_free(&FILES)?;
    let options = ScanOptions {
        granularity: arguments.granularity.into(),
        shard: arguments.shard,
        cache: arguments.cache.open_store()?,
    };
    let mut loaded = arguments.sources.load(&output)?;
    loaded.warn_of_obstacles();
    arguments.processors.run_named(&mut loaded)?;
    let mut all = ScanResults::create(&output)?;
    let ScanOutcome { unread, other_languages, remembered } =
        scan::scan(loaded.sources, &options, |rows| all.add(rows), &progress::TERMINAL)?;
    let ScanResults { tables, totals, mut findings, written } = all;
    written?;
    tables.into_iter().try_for_each(|table| table.finish().map(drop))?;
    findings.extend(unread);
    findings.sort();
    output.write(names::FINDINGS, findings_csv(&findings))?;
    let mut figures = scan_figures(&totals, &findings, &other_languages);
    figures["files_of_earlier_scans"] = json!(remembered);
    figures["folder"] = json!(path_text(output.folder()));
    arguments.format.print("scan", &figures, || totals.summary_line(&findings, &other_languages));
    if remembered > 0 {
        progress::say(format!("{} as in earlier scans", counted(remembered, "file")));
    }
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Figures of a scan, for programs.
pub fn scan_figures(
    totals: &ScanTotals,
    findings: &[Finding],
    others: &OtherLanguageFiles,
) -> Value {
    let mut by_kind: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        *by_kind.entry(finding.kind.to_string()).or_default() += 1;
    }
    json!({
        "files": totals.files,
        "blocks": totals.blocks,
        "operations": totals.operations,
        "library_calls": totals.library,
        "unresolved_calls": totals.unresolved,
        "with_unresolved_types": totals.guessed,
        "findings": findings.len(),
        "findings_by_kind": by_kind,
        "other_languages": others.summary(findings),
    })
}

/// Counts of a scan so far; the rows are in the open files.
struct ScanResults {
    tables: [UnfinishedFile; 3],
    totals: ScanTotals,
    findings: Vec<Finding>,
    written: Result<(), Failure>,
}

impl ScanResults {
    /// Creates the files of the tables.
    fn create(output: &Output) -> Result<ScanResults, Failure> {
        let [blocks, operations, lines, _] = FILES;
        let tables = [output.begin(blocks)?, output.begin(operations)?, output.begin(lines)?];
        let (totals, findings) = (ScanTotals::default(), Vec::new());
        let mut results = ScanResults { tables, totals, findings, written: Ok(()) };
        results.write(&DictionaryTables::headers());
        Ok(results)
    }

    /// Adds the rows and counts of the next file.
    fn add(&mut self, file: ScanRows) {
        self.totals.add(&file.totals);
        self.findings.extend(file.findings);
        self.write(&file.tables);
    }

    /// Writes rows to the files of the tables.
    fn write(&mut self, rows: &DictionaryTables) {
        let [blocks, operations, lines] = &mut self.tables;
        let add = |_| {
            blocks.add(&rows.blocks)?;
            operations.add(&rows.operations)?;
            lines.add(&rows.lines)
        };
        self.written = std::mem::replace(&mut self.written, Ok(())).and_then(add);
    }
}
