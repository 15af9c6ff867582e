//! Scan of Java sources: rows of the tables, file by file, and a summary line.

mod cache;
mod rows;
mod shard;
mod totals;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::blocks::Granularity;
use crate::build::{BuildError, LoadedSource, OtherLanguageFiles, Sources, source_analysis};
use crate::finding::Finding;
use crate::java::fingerprints::ClassFingerprints;
use crate::java::{ClassPath, SourceFile};
use crate::operations::{
    CallResolution, CountedFile, PreparedFile, ResolvedProgram, Unit, run_on_deep_stacks,
};
use crate::progress::Progress;
use crate::toolchain::Store;
use crate::toolchain::store::StoreKey;

use cache::{CachedRows, CountedRows, ScanCache};
use shard::ShardDivision;

pub use rows::ScanRows;
pub use shard::Shard;
pub use totals::{ScanTotals, summary};

/// Size limit of the cache in bytes; the results of the two largest modules of the JDK take a
/// fiftieth.
pub const CACHE_BYTES_MAX: u64 = 1 << 30;

/// Options of a scan.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Whether expressions are divided into several blocks.
    pub granularity: Granularity,
    /// The shard of files to count.
    pub shard: Shard,
    /// The cache of results; `None` for no cache.
    pub cache: Option<Store>,
}

/// Results of a scan beside its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanOutcome {
    /// Findings about files that could not be read, or are no part of an application.
    pub unread: Vec<Finding>,
    /// Files of languages that are not analysed.
    pub other_languages: OtherLanguageFiles,
    /// Number of files whose rows were taken from the cache.
    pub remembered: usize,
}

/// Counts the files of the shard, and calls `take` with the rows of each in the order of the files.
/// The rows do not depend on the cache, nor the block ids on the shards.
///
/// # Errors
/// If the class path can't be opened.
pub fn scan(
    sources: Sources,
    options: &ScanOptions,
    mut take: impl FnMut(ScanRows) + Send,
    progress: &dyn Progress,
) -> Result<ScanOutcome, BuildError> {
    let classes = sources.open_classes()?;
    let memory =
        options.cache.as_ref().and_then(|store| remember(store, options, &classes, progress));
    let Sources { files, findings: mut unread, other_languages, .. } = sources;
    let files: Vec<LoadedSource> = files.into_iter().filter(|file| file.analyse).collect();
    let division = ShardDivision::of(&files, options.shard);
    unread.retain(|finding| division.has_path(&finding.file));
    let remembered = AtomicUsize::new(0);
    let work = ScanWork {
        granularity: options.granularity,
        division: &division,
        memory: memory.as_ref(),
        remembered: &remembered,
    };
    run_on_deep_stacks(|| work.scan(files, &classes, |rows| rows.into_iter().for_each(&mut take)));
    if let Some(trouble) = memory.and_then(ScanCache::finish) {
        progress.warn(&format!("not all is kept for the next scan: {trouble}"));
    }
    Ok(ScanOutcome { unread, other_languages, remembered: remembered.into_inner() })
}

fn remember(
    store: &Store,
    options: &ScanOptions,
    classes: &ClassPath,
    progress: &dyn Progress,
) -> Option<ScanCache> {
    match ScanCache::of(store.clone(), options.granularity, classes) {
        Ok(memory) => Some(memory),
        Err(error) => {
            progress.warn(&format!("nothing is taken from earlier scans: {error}"));
            None
        }
    }
}

/// State of a running scan.
struct ScanWork<'s> {
    granularity: Granularity,
    division: &'s ShardDivision,
    memory: Option<&'s ScanCache>,
    /// Number of files whose rows were cached and valid.
    remembered: &'s AtomicUsize,
}

/// Cache data of a file while it is scanned.
struct KnownFile {
    /// Cache key; `None` if nothing is to be cached.
    key: Option<StoreKey>,
    state: FileState,
}

enum FileState {
    /// Parsed in this scan.
    Parsed,
    /// API stub from the cache, without rows.
    StubCached,
    /// Rows from the cache, too.
    Counted(CachedRows),
}

impl ScanWork<'_> {
    fn scan(
        &self,
        files: Vec<LoadedSource>,
        classes: &ClassPath,
        take: impl FnMut(Option<ScanRows>) + Send,
    ) {
        let files = files.into_par_iter().enumerate().with_max_len(source_analysis::FILES_MAX);
        let read = files.map(|(index, file)| self.read(index, file));
        let (files, read): (Vec<SourceFile>, Vec<(Unit, KnownFile)>) = read.unzip();
        let (parts, known): (Vec<Unit>, Vec<KnownFile>) = read.into_iter().unzip();
        let mut program = ResolvedProgram::of(&files, parts, classes);
        let answers = self.memory.map(|_| program.class_fingerprints());
        program.replace_stubs(self.recount(&files, &known, answers.as_ref()));
        let make =
            |turn: CountedFile<'_, '_>| self.rows(&turn, &known[turn.index], answers.as_ref());
        program.count_each_file(CallResolution::Counted, make, take);
    }

    /// Reads a file from the cache, or parses it.
    fn read(&self, index: usize, file: LoadedSource) -> (SourceFile, (Unit, KnownFile)) {
        let LoadedSource { path, text, .. } = file;
        let key = self.memory.map(|memory| memory.key(&path, &text));
        let head = self.memory.zip(key).and_then(|(memory, key)| memory.look_up(&key));
        let file = match head {
            None => SourceFile::parse(path, text),
            Some(remembered) => {
                let file = SourceFile::unparsed(path, text);
                if let Some((part, rows)) = remembered.into_unit(&file.text) {
                    let state = rows.map_or(FileState::StubCached, FileState::Counted);
                    return (file, (part, KnownFile { key, state }));
                }
                file.reparse()
            }
        };
        // How far the parser comes in its time is not for the next scan to know.
        let key = key.filter(|_| !file.is_timed_out);
        let (file, prepared) = source_analysis::prepare_file(file, self.granularity);
        let part = match self.division.has_file(index) {
            true => Unit::Whole(prepared),
            false => prepared.into_stub(),
        };
        (file, (part, KnownFile { key, state: FileState::Parsed }))
    }

    /// Counts the files of the shard without valid cached rows.
    fn recount(
        &self,
        files: &[SourceFile],
        known: &[KnownFile],
        answers: Option<&ClassFingerprints>,
    ) -> Vec<(usize, PreparedFile)> {
        let must = |index: &usize| match &known[*index].state {
            FileState::Parsed => false,
            FileState::StubCached => true,
            FileState::Counted(rows) => answers.is_none_or(|answers| !rows.are_valid(answers)),
        };
        let indices = (0..files.len()).into_par_iter();
        let indices = indices.filter(|index| self.division.has_file(*index)).filter(must);
        let prepared = indices.map(|index| {
            (index, source_analysis::prepare_file(files[index].reparse(), self.granularity).1)
        });
        prepared.collect()
    }

    /// The rows of a file, if it is in the shard; newly counted ones are written to the cache.
    fn rows(
        &self,
        turn: &CountedFile<'_, '_>,
        known: &KnownFile,
        answers: Option<&ClassFingerprints>,
    ) -> Option<ScanRows> {
        let keep = |rows: Option<CountedRows<'_>>| {
            if let (Some(memory), Some(key)) = (self.memory, &known.key) {
                memory.keep(key, &turn.api_stub(), turn.blocks, rows);
            }
        };
        match (&turn.counted, &known.state) {
            (Some(counted), _) => {
                let rows = ScanRows::of(counted);
                keep(answers.map(|answers| CountedRows {
                    first: turn.first,
                    dependencies: answers.fingerprint_of(counted.asked.clone()),
                    rows: &rows,
                }));
                Some(rows)
            }
            (None, FileState::Counted(rows)) => self.division.has_file(turn.index).then(|| {
                self.remembered.fetch_add(1, Ordering::Relaxed);
                rows.unpacked(turn.first)
            }),
            (None, FileState::Parsed) => {
                keep(None);
                None
            }
            (None, FileState::StubCached) => None,
        }
    }
}
