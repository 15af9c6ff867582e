//! Findings about blocks of one file.

use crate::blocks::FileBlocks;
use crate::finding::{Finding, FindingKind};
use crate::java::SourceFile;

/// Collector of findings about blocks of one file.
pub(super) struct BlockFindings<'a> {
    pub file: &'a SourceFile,
    pub blocks: &'a FileBlocks,
    pub findings: &'a mut Vec<Finding>,
}

impl BlockFindings<'_> {
    pub fn block(&mut self, index: usize, kind: FindingKind, why: &str) {
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
