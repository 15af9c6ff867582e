//! Rewriting of the files of a program, one after the other, with probes and without removed
//! blocks.

use std::collections::BTreeSet;

use super::block_findings::BlockFindings;
use super::declared_names::DeclaredNames;
use super::derivation::{DerivedSums, ProbePlan};
use super::edits::Edits;
use super::instrumented_sources::{GeneratedFile, InstrumentedSources};
use super::local_ids::local_ids;
use super::options::{InstrumentOptions, Probe};
use super::placement::{Placement, ProbeTarget};
use super::removal::SwitchTexts;
use super::{assertions, closed_world, derivation, placement, removal, runtime};
use crate::blocks::{BlockId, FileBlocks};
use crate::java::SourceFile;

/// Instruments the files whose removed blocks (as indices into the file's) `wanted` accepts.
pub(super) fn instrument_where(
    files: &[SourceFile],
    blocks: &[FileBlocks],
    options: &InstrumentOptions,
    wanted: impl Fn(&BTreeSet<usize>) -> bool,
) -> InstrumentedSources {
    let callers = match options.closed_world && options.probe.only_counts() {
        true => closed_world::derive_small_methods(files, blocks),
        false => vec![DerivedSums::new(); files.len()],
    };
    let mut rewriter = SourceRewriter {
        options,
        package: runtime::package(files, options.part.as_deref()),
        out: InstrumentedSources::default(),
        sums: runtime::Sums::new(),
        number: 0,
        first: 0,
    };
    for ((file, blocks), callers) in files.iter().zip(blocks).zip(callers) {
        let removed = rewriter.local(&options.removed, blocks);
        if wanted(&removed) {
            rewriter.rewrite(file, blocks, callers, &removed);
        }
        rewriter.number += 1;
        rewriter.first += blocks.blocks.len();
    }
    rewriter.finish()
}

/// Rewriter of all files, with the output so far.
struct SourceRewriter<'o> {
    options: &'o InstrumentOptions,
    /// The runtime's package.
    package: String,
    out: InstrumentedSources,
    sums: runtime::Sums,
    /// Index of the present file.
    number: usize,
    /// Id of the present file's first block.
    first: usize,
}

impl SourceRewriter<'_> {
    fn local(&self, ids: &BTreeSet<BlockId>, blocks: &FileBlocks) -> BTreeSet<usize> {
        local_ids(ids, self.first, blocks)
    }

    /// Adds a file without its blocks `removed`; entries that follow from `callers` get no probe.
    fn rewrite(
        &mut self,
        file: &SourceFile,
        blocks: &FileBlocks,
        callers: DerivedSums,
        removed: &BTreeSet<usize>,
    ) {
        let mut edits = Edits::default();
        let mut report = BlockFindings { file, blocks, findings: &mut self.out.findings };
        removal::remove(file, blocks, removed, &mut edits, &mut report);
        if self.options.without_assertions {
            assertions::leave_out(file, &mut edits);
        }
        self.put_probes(file, blocks, callers, &mut edits);
        let switched = self.local(&self.options.switched, blocks);
        let switch = SwitchTexts { package: &self.package, first: self.out.switches.len() };
        let starts = removal::guard(file, blocks, &switched, &switch, &mut edits);
        let number = self.number;
        self.out.switches.extend(starts.into_iter().map(|start| (number, start)));
        let text = edits.apply(&file.text);
        self.out.files.push(GeneratedFile { path: file.path.clone(), text });
    }

    fn put_probes(
        &mut self,
        file: &SourceFile,
        blocks: &FileBlocks,
        callers: DerivedSums,
        edits: &mut Edits,
    ) {
        let (options, first) = (self.options, self.first);
        let skip = self.local(&options.skip, blocks);
        let facts = DeclaredNames::gather(file);
        let mut plan = match options.probe.only_counts() {
            true => {
                derivation::plan_probes(file, blocks, &facts, &skip, !options.without_watched_loops)
            }
            // A log and a path of calls have every block in its place.
            false => ProbePlan::default(),
        };
        plan.derived.extend(callers);
        let target = ProbeTarget {
            file,
            blocks,
            facts: &facts,
            package: &self.package,
            first,
            skip,
            plan: &plan,
            frames: options.probe == Probe::Calls,
        };
        let mut report = BlockFindings { file, blocks, findings: &mut self.out.findings };
        let placed = match options.probe {
            Probe::Plain => {
                Placement { probed: vec![false; blocks.blocks.len()], derived: DerivedSums::new() }
            }
            Probe::Count | Probe::Window | Probe::Log | Probe::Calls => {
                placement::place_probes(&target, edits, &mut report)
            }
        };
        self.sums.extend(placed.derived.into_iter().map(|(index, sum)| (first, index, sum)));
        self.out.probed.extend(placed.probed);
    }

    /// Returns all files, with those that probes and switches call.
    fn finish(self) -> InstrumentedSources {
        let SourceRewriter { options, package, mut out, sums, first, .. } = self;
        out.switch_file = runtime::switches_file(&package, out.switches.len());
        out.runtime = runtime::runtime_file(&package, first, options, &sums);
        out
    }
}
