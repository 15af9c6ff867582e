//! An application after loading and analysis: syntax trees, blocks, dictionary.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::blocks::{BlockId, FileBlocks, Granularity, divide};
use crate::finding::Finding;
use crate::instrument::{self, Probe};
use crate::java::SourceFile;
use crate::java::classpath::ClassPath;
use crate::operations::{self, CountResult, Dictionary, OperationCount};
use crate::scenario::SourceRole;

use super::unanalysed_classes::UnanalysedClasses;
use super::{BuildError, Sources};

/// An analysed application: sources, syntax trees, blocks and their operations.
pub struct AnalysedApplication {
    /// The loaded sources and class path.
    pub sources: Sources,
    /// The analysed files; block ids are numbered over all files in this order.
    pub files: Vec<SourceFile>,
    /// Blocks and their operations; `removable` marks blocks that variants may leave out.
    pub dictionary: Dictionary,
    /// Findings about code that could not be parsed or resolved.
    pub findings: Vec<Finding>,
    /// Number of operations and calls with unresolved types.
    pub guessed: u64,
    /// The classes on the sources' class path.
    pub classes: ClassPath,
    /// Granularity of the division into blocks.
    pub granularity: Granularity,
}

impl AnalysedApplication {
    /// Parses the sources, divides them into blocks and counts operations.
    pub fn analyse(
        sources: Sources,
        granularity: Granularity,
    ) -> Result<AnalysedApplication, BuildError> {
        let files: Vec<SourceFile> = sources
            .files
            .par_iter()
            .filter(|file| file.analyse)
            .map(|file| SourceFile::parse(&file.path, &file.text))
            .collect();
        let classes = sources.open_classes()?;
        let blocks = divide_files(&files, granularity);
        let CountResult { mut dictionary, mut findings, guessed, .. } =
            operations::count(&files, &blocks, &classes);
        let others = UnanalysedClasses::of(&sources);
        findings.retain(|finding| others.is_unexplained(finding));
        findings.extend(sources.findings.iter().cloned());
        let kept = files_that_stay(&sources);
        mark_removable(&mut dictionary, &files, &blocks, &kept);
        findings.sort();
        drop(blocks);
        Ok(AnalysedApplication {
            sources,
            files,
            dictionary,
            findings,
            guessed,
            classes,
            granularity,
        })
    }

    /// The blocks of each analysed file, in the order of block ids.
    pub fn blocks(&self) -> Vec<FileBlocks> {
        divide_files(&self.files, self.granularity)
    }

    /// The operations that `removed` blocks still have in the variant without their statements:
    /// entry, headers, returns, default values.
    ///
    /// # Errors
    /// The variant is divided into other blocks than the application.
    pub fn residual_counts(
        &self,
        removed: &BTreeSet<BlockId>,
    ) -> Result<BTreeMap<BlockId, Vec<OperationCount>>, BuildError> {
        if removed.is_empty() {
            return Ok(BTreeMap::new());
        }
        let options = instrument::InstrumentOptions {
            probe: Probe::Plain,
            removed: removed.clone(),
            ..instrument::InstrumentOptions::default()
        };
        let texts = instrument::instrument(&self.files, &self.blocks(), &options).files;
        let files: Vec<SourceFile> =
            texts.par_iter().map(|file| SourceFile::parse(&file.path, &file.text)).collect();
        let blocks = divide_files(&files, self.granularity);
        let variant = operations::count(&files, &blocks, &self.classes).dictionary;
        let remains = removed.iter().map(|id| {
            let before = &self.dictionary.blocks[id.0 as usize];
            let after = variant.blocks.get(id.0 as usize).filter(|after| after.name == before.name);
            let after = after.ok_or_else(|| BuildError::Moved(before.name.clone()))?;
            Ok((*id, after.operations.clone()))
        });
        remains.collect()
    }

    /// Ids of the removable blocks.
    pub fn removable(&self) -> BTreeSet<BlockId> {
        self.dictionary.blocks.iter().filter(|block| block.removable).map(|b| b.id).collect()
    }
}

fn divide_files(files: &[SourceFile], granularity: Granularity) -> Vec<FileBlocks> {
    files.par_iter().map(|file| divide(file, granularity)).collect()
}

/// Paths of the files none of whose blocks may be removed.
fn files_that_stay(sources: &Sources) -> BTreeSet<&str> {
    let drivers = sources.files.iter().filter(|file| file.role == SourceRole::Harness);
    drivers.map(|file| file.path.as_str()).collect()
}

fn mark_removable(
    dictionary: &mut Dictionary,
    files: &[SourceFile],
    blocks: &[FileBlocks],
    kept: &BTreeSet<&str>,
) {
    let in_files = files.par_iter().zip(blocks).map(|(file, in_file)| {
        let may = !kept.contains(file.path.as_str());
        let removable = instrument::removable(file, in_file);
        removable.iter().map(|removable| may && removable.is_ok()).collect::<Vec<bool>>()
    });
    let removable: Vec<Vec<bool>> = in_files.collect();
    for (entry, removable) in dictionary.blocks.iter_mut().zip(removable.into_iter().flatten()) {
        entry.removable = removable;
    }
}
