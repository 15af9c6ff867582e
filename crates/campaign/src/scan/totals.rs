//! Totals of scanned sources, and their summary line.

use serde::{Deserialize, Serialize};

use crate::build::{AnalysedApplication, OtherLanguageFiles};
use crate::finding::Finding;
use crate::format::counted;
use crate::operations::BlockEntry;
use crate::unresolved_name::unresolved_packages;

/// Summary line of an application.
pub fn summary(application: &AnalysedApplication) -> String {
    let AnalysedApplication { files, dictionary, findings, guessed, sources, .. } = application;
    let counted = ScanTotals::of(&dictionary.blocks);
    let totals = ScanTotals { files: files.len(), guessed: *guessed, ..counted };
    totals.summary_line(findings, &sources.other_languages)
}

/// Numbers of files, blocks and operations of sources, and of those with unresolved types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScanTotals {
    /// Number of analysed files.
    pub files: usize,
    /// Number of blocks in these files.
    pub blocks: usize,
    /// Number of operations in the source text.
    pub operations: u64,
    /// Number of library calls in the source text.
    pub library: u64,
    /// Number of unresolved library calls.
    pub unresolved: u64,
    /// Number of operations and calls with unresolved types.
    pub guessed: u64,
}

impl ScanTotals {
    /// Totals of blocks.
    pub fn of(blocks: &[BlockEntry]) -> ScanTotals {
        let mut totals = ScanTotals { blocks: blocks.len(), ..ScanTotals::default() };
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

    /// Adds the totals of a file.
    pub fn add(&mut self, file: &ScanTotals) {
        self.files += file.files;
        self.blocks += file.blocks;
        self.operations += file.operations;
        self.library += file.library;
        self.unresolved += file.unresolved;
        self.guessed += file.guessed;
    }

    /// Summary line of the totals, with the numbers of findings and of files in other languages.
    pub fn summary_line(&self, findings: &[Finding], others: &OtherLanguageFiles) -> String {
        let ScanTotals { files, blocks, operations, library, unresolved, guessed } = self;
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
