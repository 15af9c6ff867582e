//! Sources -> dictionary and findings, for those who need no syntax trees: each tree is
//! dropped as soon as its file is divided, for trees take many times the memory of the text.

use rayon::prelude::*;

use super::not_analysed::ClassesNotAnalysed;
use super::{BuildError, Sources};
use crate::blocks::{Granularity, divide};
use crate::finding::Finding;
use crate::instrument;
use crate::java::SourceFile;
use crate::operations::{CallGraph, Calls, CountResult, Dictionary, Prepared, count_each};

/// Files that one core takes at a time: with more, the others wait for it at the end.
pub(crate) const FILES_MAX: usize = 16;

/// What is known of sources without running them.
#[derive(Debug)]
pub struct SourceAnalysis {
    /// Number of analysed files.
    pub files: usize,
    /// Blocks and their operations.
    pub dictionary: Dictionary,
    /// What could not be read, parsed or resolved.
    pub findings: Vec<Finding>,
    /// How many operations and calls rest on types that are not known.
    pub guessed: u64,
    /// What calls may run; empty unless they were followed.
    pub calls: CallGraph,
}

impl SourceAnalysis {
    /// Parses, divides and counts; every file's blocks may be removed.
    ///
    /// # Errors
    /// If the class path can't be opened.
    pub fn of(
        sources: Sources,
        granularity: Granularity,
        calls: Calls,
    ) -> Result<SourceAnalysis, BuildError> {
        let (mut files, mut all) = (0, CountResult::default());
        let add = |counted| {
            files += 1;
            all.add(counted);
        };
        let mut findings =
            SourceAnalysis::each(sources, granularity, calls, |counted| counted, add)?;
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

    /// As [`SourceAnalysis::of`], for those who need no dictionary of all files at once: `make`
    /// gets what was counted in one file, on any thread and in any order; `take` gets
    /// what it makes of them in the order of the files, while the next are counted. The
    /// findings are those about files that could not be read.
    ///
    /// # Errors
    /// If the class path can't be opened.
    pub fn each<T: Send>(
        sources: Sources,
        granularity: Granularity,
        calls: Calls,
        make: impl Fn(CountResult) -> T + Sync,
        take: impl FnMut(T) + Send,
    ) -> Result<Vec<Finding>, BuildError> {
        let classes = sources.open_classes()?;
        let others = ClassesNotAnalysed::of(&sources);
        let make = |mut counted: CountResult| {
            counted.findings.retain(|finding| others.leave(finding));
            make(counted)
        };
        let files = sources.files.into_par_iter().with_max_len(FILES_MAX);
        let files = files.filter(|file| file.analyse);
        let parsed = files.map(|file| SourceFile::parse(file.path, file.text));
        let (files, prepared): (Vec<SourceFile>, Vec<Prepared>) =
            parsed.map(|file| prepare(file, granularity)).unzip();
        count_each(&files, prepared, &classes, calls, |_, counted| make(counted), take);
        Ok(sources.findings)
    }
}

/// Divides a parsed file, whose tree is forgotten, and makes it ready to be counted.
pub fn prepare(mut file: SourceFile, granularity: Granularity) -> (SourceFile, Prepared) {
    let mut blocks = divide(&file, granularity);
    let removable = instrument::removable(&file, &blocks);
    for (block, removable) in blocks.blocks.iter_mut().zip(removable) {
        block.removable = removable.is_ok();
    }
    let prepared = Prepared::of(&file, blocks);
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
    fn a_survey_counts_what_an_application_counts() {
        let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/targets");
        let sources = sources::load_paths(&[targets], &[]).unwrap();
        for granularity in [Granularity::Statement, Granularity::Expression] {
            let survey = SourceAnalysis::of(sources.clone(), granularity, Calls::Counted).unwrap();
            let application = AnalysedApplication::analyse(sources.clone(), granularity).unwrap();
            assert_eq!(survey.files, application.files.len());
            assert!(survey.dictionary.blocks.iter().any(|block| block.removable));
            assert!(survey.dictionary == application.dictionary);
            assert_eq!(survey.findings, application.findings);
            assert_eq!(survey.guessed, application.guessed);
        }
    }
}
