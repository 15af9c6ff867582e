//! Analysis of sources to dictionary and findings, for callers that need no syntax trees: each tree
//! is dropped as soon as its file is divided, since trees take many times the memory of the text.

use rayon::prelude::*;

use super::unanalysed_classes::UnanalysedClasses;
use super::{BuildError, Sources};
use crate::blocks::{Granularity, divide};
use crate::finding::Finding;
use crate::instrument;
use crate::java::SourceFile;
use crate::operations::{
    CallGraph, CallResolution, CountResult, Dictionary, PreparedFile, count_each,
};

/// Greatest number of files in one task: with more, other cores would wait at the end.
pub(crate) const FILES_MAX: usize = 16;

/// Static analysis of sources: dictionary, findings and call graph.
#[derive(Debug)]
pub struct SourceAnalysis {
    /// Number of analysed files.
    pub files: usize,
    /// Blocks and their operations.
    pub dictionary: Dictionary,
    /// Findings about code that could not be read, parsed or resolved.
    pub findings: Vec<Finding>,
    /// Number of operations and calls with unresolved types.
    pub guessed: u64,
    /// Graph of possible calls; empty unless calls were followed.
    pub calls: CallGraph,
}

impl SourceAnalysis {
    /// Parses, divides and counts the sources; the blocks of all files count as removable.
    ///
    /// # Errors
    /// The class path can't be opened.
    pub fn of(
        sources: Sources,
        granularity: Granularity,
        calls: CallResolution,
    ) -> Result<SourceAnalysis, BuildError> {
        let (mut files, mut all) = (0, CountResult::default());
        let add = |counted| {
            files += 1;
            all.add(counted);
        };
        let mut findings =
            SourceAnalysis::count_files(sources, granularity, calls, |counted| counted, add)?;
        findings.extend(all.findings);
        findings.sort();
        let calls = CallGraph::of(&all.dictionary, &all.calls);
        Ok(SourceAnalysis {
            files,
            dictionary: all.dictionary,
            findings,
            guessed: all.guessed,
            calls,
        })
    }

    /// Counts each file, for callers that do not need one dictionary of all files: `make` gets the
    /// result of one file, on any thread and in any order; `take` gets its return values in the
    /// order of the files, while the next are counted. Returns the findings about files that could
    /// not be read.
    ///
    /// # Errors
    /// The class path can't be opened.
    pub fn count_files<T: Send>(
        sources: Sources,
        granularity: Granularity,
        calls: CallResolution,
        make: impl Fn(CountResult) -> T + Sync,
        take: impl FnMut(T) + Send,
    ) -> Result<Vec<Finding>, BuildError> {
        let classes = sources.open_classes()?;
        let others = UnanalysedClasses::of(&sources);
        let make = |mut counted: CountResult| {
            counted.findings.retain(|finding| others.is_unexplained(finding));
            make(counted)
        };
        let files = sources.files.into_par_iter().with_max_len(FILES_MAX);
        let files = files.filter(|file| file.analyse);
        let parsed = files.map(|file| SourceFile::parse(file.path, file.text));
        let (files, prepared): (Vec<SourceFile>, Vec<PreparedFile>) =
            parsed.map(|file| prepare_file(file, granularity)).unzip();
        count_each(&files, prepared, &classes, calls, |_, counted| make(counted), take);
        Ok(sources.findings)
    }
}

/// Divides a parsed file and prepares it for counting; drops its syntax tree.
pub fn prepare_file(mut file: SourceFile, granularity: Granularity) -> (SourceFile, PreparedFile) {
    let mut blocks = divide(&file, granularity);
    let removable = instrument::removable(&file, &blocks);
    for (block, removable) in blocks.blocks.iter_mut().zip(removable) {
        block.removable = removable.is_ok();
    }
    let prepared = PreparedFile::of(&file, blocks);
    file.forget_tree();
    (file, prepared)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::build::{AnalysedApplication, sources};

    /// The two ways from sources to a dictionary: one that forgets each tree at once, one
    /// that keeps all.
    #[test]
    fn an_analysis_counts_what_an_application_counts() {
        let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/targets");
        let sources = sources::load_paths(&[targets], &[]).unwrap();
        for granularity in [Granularity::Statement, Granularity::Expression] {
            let analysis =
                SourceAnalysis::of(sources.clone(), granularity, CallResolution::Counted).unwrap();
            let application = AnalysedApplication::analyse(sources.clone(), granularity).unwrap();
            assert_eq!(analysis.files, application.files.len());
            assert!(analysis.dictionary.blocks.iter().any(|block| block.removable));
            assert!(analysis.dictionary == application.dictionary);
            assert_eq!(analysis.findings, application.findings);
            assert_eq!(analysis.guessed, application.guessed);
        }
    }
}
