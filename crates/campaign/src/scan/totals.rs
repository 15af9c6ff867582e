//! How much stands in sources, in a line.

use serde::{Deserialize, Serialize};

use crate::build::{AnalysedApplication, OtherLanguageFiles};
use crate::finding::Finding;
use crate::format::counted;
use crate::operations::BlockEntry;
use crate::unresolved_name::unresolved_packages;

/// One line about an application.
pub fn summary(application: &AnalysedApplication) -> String {
    let AnalysedApplication { files, dictionary, findings, guessed, sources, .. } = application;
    let counted = Totals::of(&dictionary.blocks);
    let totals = Totals { files: files.len(), guessed: *guessed, ..counted };
    totals.line(findings, &sources.other_languages)
}

/// How much there is, and how much of it rests on types that are not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Analysed files.
    pub files: usize,
    /// Their blocks.
    pub blocks: usize,
    /// Operations in their text.
    pub operations: u64,
    /// Library calls in their text.
    pub library: u64,
    /// Those of them that are not resolved.
    pub unresolved: u64,
    /// Operations and calls that rest on types that are not known.
    pub guessed: u64,
}

impl Totals {
    /// The blocks and what they hold.
    pub fn of(blocks: &[BlockEntry]) -> Totals {
        let mut totals = Totals { blocks: blocks.len(), ..Totals::default() };
        for count in blocks.iter().flat_map(|block| &block.operations) {
            let n = u64::from(count.count);
            match count.operation.library() {
                Some(function) => {
                    totals.library += n;
                    totals.unresolved += if function.is_resolved() { 0 } else { n };
                }
                None => totals.operations += n,
            }
        }
        totals
    }

    /// Adds what is in others.
    pub fn add(&mut self, file: &Totals) {
        self.files += file.files;
        self.blocks += file.blocks;
        self.operations += file.operations;
        self.library += file.library;
        self.unresolved += file.unresolved;
        self.guessed += file.guessed;
    }

    /// The line.
    pub fn line(&self, findings: &[Finding], others: &OtherLanguageFiles) -> String {
        let Totals { files, blocks, operations, library, unresolved, guessed } = self;
        let share = 100.0 * *guessed as f64 / (operations + library).max(1) as f64;
        let missing = unresolved_packages(findings).map_or_else(String::new, |packages| {
            format!("; names that nothing declares: {packages}: give their class path")
        });
        let others = others.summary(findings).map_or_else(String::new, |said| format!("; {said}"));
        format!(
            "{}, {}, {} and {} in the text ({} not resolved; {share:.2} % have unresolved types), \
             {}{missing}{others}",
            counted(files, "file"),
            counted(blocks, "block"),
            counted(operations, "operation"),
            counted(library, "library call"),
            counted(unresolved, "call"),
            counted(findings.len(), "finding"),
        )
    }
}
