//! Hints for lines whose calls a rewrite replaces. The energy of the lines comes from the
//! accounts, the share that the rewrite saves from before/after microbenchmarks alone.

use std::collections::BTreeSet;

use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{PatternMatch, hint};
use crate::hint::pattern;
use crate::hint::prediction_basis::PredictionBasis;
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{BlockEntry, Feature, LibraryFunction};

/// Lines of a file whose code a rewrite replaces.
pub(crate) struct ReplacedLines<'a> {
    file: &'a SourceFile,
    lines: BTreeSet<u32>,
}

impl<'a> ReplacedLines<'a> {
    /// Collects the first lines of these nodes.
    pub fn at(file: &'a SourceFile, nodes: &[SyntaxNode<'_>]) -> Self {
        ReplacedLines { file, lines: nodes.iter().map(|node| pattern::line(*node)).collect() }
    }

    /// Executions of the most executed block with code on one of the lines.
    pub fn runs(&self, context: &HintContext<'_>) -> u64 {
        self.block(context).map_or(0, |block| context.runs(block))
    }

    /// Number of calls on the lines of library functions for which `is_one` holds, by the types
    /// of the whole program.
    pub fn calls(
        &self,
        context: &HintContext<'_>,
        is_one: impl Fn(&LibraryFunction) -> bool,
    ) -> u32 {
        self.count(context, |feature| feature.library().is_some_and(&is_one))
    }

    /// Number of operations on the lines for which `is_one` holds.
    pub fn count(&self, context: &HintContext<'_>, is_one: impl Fn(&Feature) -> bool) -> u32 {
        let all = context.blocks_of(&self.file.path).iter().flat_map(|block| &block.operations);
        let own = all.filter(|found| self.lines.contains(&found.line) && is_one(&found.operation));
        own.map(|found| found.count).sum()
    }

    /// The most executed block with code on one of the lines.
    fn block<'c>(&self, context: &HintContext<'c>) -> Option<&'c BlockEntry> {
        let has_code = |block: &&&BlockEntry| {
            block.operations.iter().any(|found| self.lines.contains(&found.line))
        };
        let blocks = context.blocks_of(&self.file.path).iter().filter(has_code);
        blocks.copied().max_by_key(|block| context.runs(block))
    }

    /// Hint for the lines; `None` where none of them ran. `saved` of the finding is unchanged.
    pub fn hint(&self, context: &HintContext<'_>, finding: PatternMatch) -> Option<Hint> {
        let block = self.block(context).filter(|block| context.runs(block) > 0)?;
        let lines = (*self.lines.first()?, *self.lines.last()?);
        let spent = context.energy_of_lines(&self.file.path, &self.lines);
        let made = hint(context, block, &[block], lines, finding);
        Some(Hint {
            basis: PredictionBasis::Lines,
            saving: spent,
            by_costs: spent,
            bound: spent,
            ..made
        })
    }
}

/// Unknown saving by costs: no counts.
pub fn unknown_saving() -> PricedOperations {
    PricedOperations::default()
}
