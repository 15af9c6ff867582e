//! Sources and their blocks -> sources with probes, without removed blocks, and the
//! runtime file that counts. What a probe must not change is in `docs/probes.md`.
//!
//! To add a probe: a variant of [`Probe`], and what it does in `W.java`.

mod assertions;
mod closed;
mod condition;
mod constant;
mod derive;
mod edit;
mod facts;
mod lambda;
mod place;
mod removal;
mod runtime;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::blocks::{BlockId, FileBlocks};
use crate::finding::{Finding, FindingKind};
use crate::java::SourceFile;

pub use removal::{Removals, removable};

use removal::Switch;

/// What a block does when it is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Probe {
    /// Nothing: the sources stay as they are, but for removed blocks. For power runs.
    Plain,
    /// Adds one to the block's counter.
    #[default]
    Count,
    /// Counts, and appends the block's id to the stream of its thread.
    Log,
    /// Counts, with a snapshot of the counts four times a second.
    Window,
    /// Counts per thread and path of calls: methods also say when they end. For runs on a
    /// JVM, not on a device.
    Calls,
}

impl Probe {
    /// Whether it counts and no more, so that blocks may follow from others.
    fn only_counts(self) -> bool {
        matches!(self, Probe::Count | Probe::Window)
    }
}

/// How to instrument.
#[derive(Debug, Clone, Default)]
pub struct InstrumentOptions {
    /// What is put into each block.
    pub probe: Probe,
    /// Blocks whose own statements are left out.
    pub removed: BTreeSet<BlockId>,
    /// Blocks to be left without a probe, each with a finding: those whose probe a
    /// compiler refused.
    pub skip: BTreeSet<BlockId>,
    /// Whether the sources hold all callers of their methods: no reflection, no library
    /// and no other code calls them. Then small methods need no probe.
    pub closed_world: bool,
    /// Blocks whose statements get a switch each: with them, one build does what the
    /// variants without these blocks do.
    pub switched: BTreeSet<BlockId>,
    /// Whether `assert` statements are left out, as in Android's release builds.
    pub without_assertions: bool,
    /// Whether no loop is watched: loops that call nothing then need more probes, and the
    /// JVM's own exceptions keep their messages as long as without probes.
    pub without_watched_loops: bool,
}

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Path relative to the source root, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A statement: number of its file and offset of its first byte.
pub type Statement = (usize, usize);

/// Instrumented sources.
#[derive(Debug, Clone, Default)]
pub struct Instrumented {
    /// One file per source file, in their order, with the same lines.
    pub files: Vec<GeneratedFile>,
    /// The runtime file; none without probes.
    pub runtime: Option<GeneratedFile>,
    /// The file that the switches ask; none without switches.
    pub switch_file: Option<GeneratedFile>,
    /// The statements that have a switch, by its number.
    pub switches: Vec<Statement>,
    /// Whether each block, by id, has a probe. Those without are never counted: their
    /// executions are unknown, not zero.
    pub probed: Vec<bool>,
    /// Blocks without a probe and blocks that could not be removed.
    pub findings: Vec<Finding>,
}

/// Puts probes into `files` and leaves out the removed blocks. `blocks[i]` are the
/// blocks of `files[i]`; block ids are dense, in the order of files and their blocks.
/// Every statement stays on its line.
pub fn instrument(
    files: &[SourceFile],
    blocks: &[FileBlocks<'_>],
    options: &InstrumentOptions,
) -> Instrumented {
    instrument_where(files, blocks, options, |_| true)
}

/// The files of [`instrument`] that have removed blocks; all others are as without
/// removal.
pub fn instrument_changed(
    files: &[SourceFile],
    blocks: &[FileBlocks<'_>],
    options: &InstrumentOptions,
) -> Vec<GeneratedFile> {
    instrument_where(files, blocks, options, |removed| !removed.is_empty()).files
}

/// The class that the probes of these files call, as a JVM names it. Its method `end` writes
/// all counts.
pub fn runtime_class(files: &[SourceFile]) -> String {
    runtime::package(files) + ".W"
}

/// Instruments the files of whose removed blocks `wanted` holds.
fn instrument_where(
    files: &[SourceFile],
    blocks: &[FileBlocks<'_>],
    options: &InstrumentOptions,
    wanted: impl Fn(&BTreeSet<usize>) -> bool,
) -> Instrumented {
    let package = runtime::package(files);
    let mut out = Instrumented::default();
    let mut first = 0;
    let mut sums = runtime::Sums::new();
    let callers = match options.closed_world && options.probe.only_counts() {
        true => closed::derive(files, blocks),
        false => vec![derive::Derived::new(); files.len()],
    };
    for (number, ((file, blocks), callers)) in files.iter().zip(blocks).zip(callers).enumerate() {
        let removed = local_ids(&options.removed, first, blocks);
        if !wanted(&removed) {
            first += blocks.blocks.len();
            continue;
        }
        let mut edits = edit::Edits::default();
        let mut report = BlockFindings { file, blocks, findings: &mut out.findings };
        removal::remove(file, blocks, &removed, &mut edits, &mut report);
        if options.without_assertions {
            assertions::leave_out(file, &mut edits);
        }
        let skip = local_ids(&options.skip, first, blocks);
        let facts = facts::DeclaredNames::gather(file);
        let mut plan = match options.probe.only_counts() {
            true => derive::derive(file, blocks, &facts, &skip, !options.without_watched_loops),
            // A log and a path of calls have every block in its place.
            false => derive::ProbePlan::default(),
        };
        plan.derived.extend(callers);
        let target = place::ProbeTarget {
            file,
            blocks,
            facts: &facts,
            package: &package,
            first,
            skip,
            plan: &plan,
            frames: options.probe == Probe::Calls,
        };
        let placed = match options.probe {
            Probe::Plain => {
                let probed = vec![false; blocks.blocks.len()];
                place::Placement { probed, derived: derive::Derived::new() }
            }
            Probe::Count | Probe::Window | Probe::Log | Probe::Calls => {
                place::place(&target, &mut edits, &mut report)
            }
        };
        sums.extend(placed.derived.into_iter().map(|(index, sum)| (first, index, sum)));
        out.probed.extend(placed.probed);
        let switched = local_ids(&options.switched, first, blocks);
        let switch = Switch { package: &package, first: out.switches.len() };
        let starts = removal::guard(file, blocks, &switched, &switch, &mut edits);
        out.switches.extend(starts.into_iter().map(|start| (number, start)));
        let text = edits.apply(&file.text);
        out.files.push(GeneratedFile { path: file.path.clone(), text });
        first += blocks.blocks.len();
    }
    out.switch_file = runtime::switches(&package, out.switches.len());
    out.runtime = runtime::runtime(&package, first, options.probe, &sums);
    out
}

/// The ids that lie in a file whose blocks begin at id `first`, as indices into it.
fn local_ids(ids: &BTreeSet<BlockId>, first: usize, blocks: &FileBlocks<'_>) -> BTreeSet<usize> {
    let end = first + blocks.blocks.len();
    let ids = ids.iter().map(|id| id.0 as usize).filter(|id| (first..end).contains(id));
    ids.map(|id| id - first).collect()
}

/// Collects findings about blocks of one file.
struct BlockFindings<'a, 't> {
    file: &'a SourceFile,
    blocks: &'a FileBlocks<'t>,
    findings: &'a mut Vec<Finding>,
}

impl BlockFindings<'_, '_> {
    fn block(&mut self, index: usize, kind: FindingKind, why: &str) {
        let block = &self.blocks.blocks[index];
        let verb = match kind {
            FindingKind::NotRemoved => "not removed",
            _ => "not counted",
        };
        self.findings.push(Finding {
            file: self.file.path.clone(),
            line: block.start_line,
            kind,
            message: format!("{} is {verb}: {why}", block.name),
        });
    }
}
