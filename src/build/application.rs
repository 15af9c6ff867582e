//! An application, loaded and analysed: syntax trees, blocks, dictionary.

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::blocks::{BlockId, FileBlocks, Granularity, divide};
use crate::finding::Finding;
use crate::instrument;
use crate::java::SourceFile;
use crate::java::classpath::ClassPath;
use crate::operations::{self, Dictionary};
use crate::scenario::Role;

use super::{BuildError, Sources};

/// An analysed application.
#[derive(Debug)]
pub struct Application {
    /// What was loaded.
    pub sources: Sources,
    /// The analysed files; block ids run over them in this order.
    pub files: Vec<SourceFile>,
    /// Blocks and their operations; `removable` says what a variant may leave out.
    pub dictionary: Dictionary,
    /// What could not be parsed or resolved.
    pub findings: Vec<Finding>,
    /// At which granularity blocks were divided.
    pub granularity: Granularity,
}

impl Application {
    /// Parses, divides and counts.
    pub fn analyse(sources: Sources, granularity: Granularity) -> Result<Application, BuildError> {
        let files: Vec<SourceFile> = sources
            .files
            .par_iter()
            .filter(|file| file.analyse)
            .map(|file| SourceFile::parse(&file.path, &file.text))
            .collect();
        let classes = ClassPath::open(&sources.libraries)
            .map_err(|error| BuildError::ClassPath(error.to_string()))?;
        let blocks = divide_all(&files, granularity);
        let (mut dictionary, mut findings) =
            operations::count(&files, &blocks, &classes, granularity);
        findings.extend(sources.findings.iter().cloned());
        let kept = files_that_stay(&sources);
        mark_removable(&mut dictionary, &files, &blocks, &kept);
        findings.sort();
        drop(blocks);
        Ok(Application { sources, files, dictionary, findings, granularity })
    }

    /// The blocks of every analysed file, in block id order.
    pub fn blocks(&self) -> Vec<FileBlocks<'_>> {
        divide_all(&self.files, self.granularity)
    }

    /// The ids of the blocks that a variant may leave out.
    pub fn removable(&self) -> BTreeSet<BlockId> {
        self.dictionary.blocks.iter().filter(|block| block.removable).map(|b| b.id).collect()
    }
}

fn divide_all(files: &[SourceFile], granularity: Granularity) -> Vec<FileBlocks<'_>> {
    files.par_iter().map(|file| divide(file, granularity)).collect()
}

/// Paths of files none of whose blocks may be removed.
fn files_that_stay(sources: &Sources) -> BTreeSet<&str> {
    let drivers = sources.files.iter().filter(|file| file.role == Role::Driver);
    drivers.map(|file| file.path.as_str()).collect()
}

fn mark_removable(
    dictionary: &mut Dictionary,
    files: &[SourceFile],
    blocks: &[FileBlocks<'_>],
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
