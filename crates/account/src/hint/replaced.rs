//! Hints about lines whose calls a rewrite replaces by others. What the lines spend is known
//! from the accounts; how much of it the rewrite saves, from pairs of microbenchmarks alone.

use std::collections::BTreeSet;

use crate::hint::counted::{Context, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::hint_pattern::{PatternMatch, hint};
use crate::hint::pattern;
use crate::hint::prediction_basis::PredictionBasis;
use crate::java::{SourceFile, SyntaxNode};
use crate::operations::{BlockEntry, Feature, LibraryFunction};

/// Lines of a file whose code a rewrite replaces.
pub(crate) struct Replaced<'a> {
    file: &'a SourceFile,
    lines: BTreeSet<u32>,
}

impl<'a> Replaced<'a> {
    /// The lines on which these nodes begin.
    pub fn at(file: &'a SourceFile, nodes: &[SyntaxNode<'_>]) -> Self {
        Replaced { file, lines: nodes.iter().map(|node| pattern::line(*node)).collect() }
    }

    /// How often the most executed block ran that has code on one of the lines.
    pub fn runs(&self, context: &Context<'_>) -> u64 {
        self.block(context).map_or(0, |block| context.runs(block))
    }

    /// How often the lines hold calls of such library functions, as the types of the whole
    /// program tell.
    pub fn calls(&self, context: &Context<'_>, is_one: impl Fn(&LibraryFunction) -> bool) -> u32 {
        self.count(context, |feature| feature.library().is_some_and(&is_one))
    }

    /// How often the lines hold an operation.
    pub fn count(&self, context: &Context<'_>, is_one: impl Fn(&Feature) -> bool) -> u32 {
        let all = context.blocks_of(&self.file.path).iter().flat_map(|block| &block.operations);
        let own = all.filter(|found| self.lines.contains(&found.line) && is_one(&found.operation));
        own.map(|found| found.count).sum()
    }

    /// The most executed block that has code on one of the lines.
    fn block<'c>(&self, context: &Context<'c>) -> Option<&'c BlockEntry> {
        let has_code = |block: &&&BlockEntry| {
            block.operations.iter().any(|found| self.lines.contains(&found.line))
        };
        let blocks = context.blocks_of(&self.file.path).iter().filter(has_code);
        blocks.copied().max_by_key(|block| context.runs(block))
    }

    /// The hint; none where nothing of it ran. `saved` of the finding is left as it is.
    pub fn hint(&self, context: &Context<'_>, finding: PatternMatch) -> Option<Hint> {
        let block = self.block(context).filter(|block| context.runs(block) > 0)?;
        let lines = (*self.lines.first()?, *self.lines.last()?);
        let spent = context.of_lines(&self.file.path, &self.lines);
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

/// What is saved by the costs: nothing is known of it.
pub fn unknown() -> PricedOperations {
    PricedOperations::default()
}
