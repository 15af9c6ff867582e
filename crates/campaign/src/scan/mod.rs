//! Java sources -> the rows of their tables, file by file, and a line on what stands in them.

mod memory;
mod rows;
mod shard;
mod totals;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::blocks::Granularity;
use crate::build::{BuildError, LoadedSource, OtherLanguageFiles, Sources, survey};
use crate::finding::Finding;
use crate::java::fingerprints::ClassFingerprints;
use crate::java::{ClassPath, SourceFile};
use crate::operations::{Calls, CountedFile, Prepared, ResolvedProgram, Unit, on_deep_stacks};
use crate::progress::Progress;
use crate::toolchain::Store;
use crate::toolchain::store::Key;

use memory::{CountedRows, KeptRows, ScanCache};
use shard::ShardDivision;

pub use rows::ScanRows;
pub use shard::Shard;
pub use totals::{Totals, summary};

/// Bytes of what earlier scans found that are kept; that of the two largest modules of the
/// JDK takes a fiftieth.
pub const CACHE_BYTES_MAX: u64 = 1 << 30;

/// How to scan.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Whether blocks end within expressions.
    pub granularity: Granularity,
    /// Which of the files are counted.
    pub shard: Shard,
    /// Where what is found is kept, and looked up first.
    pub cache: Option<Store>,
}

/// What a scan says beside its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Findings about files that could not be read, or are no part of an application.
    pub unread: Vec<Finding>,
    /// Files of languages that are not analysed.
    pub other_languages: OtherLanguageFiles,
    /// Files whose rows were taken from the cache.
    pub remembered: usize,
}

/// Hands the rows of each file of the shard to `take`, in the order of the files. The rows
/// are the same whatever is in the cache, and the ids of blocks whatever the shards are.
///
/// # Errors
/// If the class path can't be opened.
pub fn scan(
    sources: Sources,
    options: &ScanOptions,
    mut take: impl FnMut(ScanRows) + Send,
    progress: &dyn Progress,
) -> Result<Scanned, BuildError> {
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
    on_deep_stacks(|| work.scan(files, &classes, |rows| rows.into_iter().for_each(&mut take)));
    if let Some(trouble) = memory.and_then(ScanCache::finish) {
        progress.warn(&format!("not all is kept for the next scan: {trouble}"));
    }
    Ok(Scanned { unread, other_languages, remembered: remembered.into_inner() })
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

/// A scan at work.
struct ScanWork<'s> {
    granularity: Granularity,
    division: &'s ShardDivision,
    memory: Option<&'s ScanCache>,
    /// Files whose rows were remembered and hold.
    remembered: &'s AtomicUsize,
}

/// What is known of a file besides its text and what others see of it.
struct KnownFile {
    /// None if nothing of it is to be kept.
    key: Option<Key>,
    state: FileState,
}

enum FileState {
    /// It was parsed now.
    Parsed,
    /// What others see of it was remembered, its rows were not.
    Seen,
    /// Its rows were remembered, too.
    Counted(KeptRows),
}

impl ScanWork<'_> {
    fn scan(
        &self,
        files: Vec<LoadedSource>,
        classes: &ClassPath,
        take: impl FnMut(Option<ScanRows>) + Send,
    ) {
        let files = files.into_par_iter().enumerate().with_max_len(survey::FILES_MAX);
        let read = files.map(|(index, file)| self.read(index, file));
        let (files, read): (Vec<SourceFile>, Vec<(Unit, KnownFile)>) = read.unzip();
        let (parts, known): (Vec<Unit>, Vec<KnownFile>) = read.into_iter().unzip();
        let mut program = ResolvedProgram::of(&files, parts, classes);
        let answers = self.memory.map(|_| program.answers());
        program.complete(self.again(&files, &known, answers.as_ref()));
        let make =
            |turn: CountedFile<'_, '_>| self.rows(&turn, &known[turn.index], answers.as_ref());
        program.each(Calls::Counted, make, take);
    }

    /// A file, remembered or parsed.
    fn read(&self, index: usize, file: LoadedSource) -> (SourceFile, (Unit, KnownFile)) {
        let LoadedSource { path, text, .. } = file;
        let key = self.memory.map(|memory| memory.key(&path, &text));
        let head = self.memory.zip(key).and_then(|(memory, key)| memory.recall(&key));
        let file = match head {
            None => SourceFile::parse(path, text),
            Some(remembered) => {
                let file = SourceFile::unparsed(path, text);
                if let Some((part, rows)) = remembered.part(&file.text) {
                    let state = rows.map_or(FileState::Seen, FileState::Counted);
                    return (file, (part, KnownFile { key, state }));
                }
                file.parsed_again()
            }
        };
        // How far the parser comes in its time is not for the next scan to know.
        let key = key.filter(|_| !file.gave_up);
        let (file, prepared) = survey::prepare(file, self.granularity);
        let part = match self.division.has_file(index) {
            true => Unit::Whole(prepared),
            false => prepared.seen(),
        };
        (file, (part, KnownFile { key, state: FileState::Parsed }))
    }

    /// The files of the shard whose rows were not remembered, or hold no longer.
    fn again(
        &self,
        files: &[SourceFile],
        known: &[KnownFile],
        answers: Option<&ClassFingerprints>,
    ) -> Vec<(usize, Prepared)> {
        let must = |index: &usize| match &known[*index].state {
            FileState::Parsed => false,
            FileState::Seen => true,
            FileState::Counted(rows) => answers.is_none_or(|answers| !rows.hold(answers)),
        };
        let indices = (0..files.len()).into_par_iter();
        let indices = indices.filter(|index| self.division.has_file(*index)).filter(must);
        let prepared = indices
            .map(|index| (index, survey::prepare(files[index].parsed_again(), self.granularity).1));
        prepared.collect()
    }

    /// The rows of a file, if it is in the shard. What is new is remembered.
    fn rows(
        &self,
        turn: &CountedFile<'_, '_>,
        known: &KnownFile,
        answers: Option<&ClassFingerprints>,
    ) -> Option<ScanRows> {
        let keep = |rows: Option<CountedRows<'_>>| {
            if let (Some(memory), Some(key)) = (self.memory, &known.key) {
                memory.keep(key, &turn.surface(), turn.blocks, rows);
            }
        };
        match (&turn.counted, &known.state) {
            (Some(counted), _) => {
                let rows = ScanRows::of(counted);
                keep(answers.map(|answers| CountedRows {
                    first: turn.first,
                    talk: answers.to(counted.asked.clone()),
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
            (None, FileState::Seen) => None,
        }
    }
}
