//! Definition of a hint pattern, and the construction of a hint from a match.

use crate::hint::confidence::Confidence;
use crate::hint::context::{HintContext, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::Rewrite;
use crate::hint::site::LoopSite;
use crate::operations::BlockEntry;

/// Definition of a hint pattern: name, texts, and the function that finds it.
pub struct HintPattern {
    /// Name, also the id of its SARIF rule: `bulk-copy`.
    pub name: &'static str,
    /// A short title.
    pub title: &'static str,
    /// Description, cost, advice and exceptions in a few sentences.
    pub help: &'static str,
    /// Source that describes or measured the pattern.
    pub reference: &'static str,
    /// Reference of its predictions.
    pub basis: PredictionBasis,
    /// Finds matches in sources and loops.
    pub find: fn(&HintContext<'_>, &[LoopSite<'_>]) -> Vec<Hint>,
}

/// A match of a pattern at one code location: the parts of a hint that differ between patterns.
pub(crate) struct PatternMatch {
    pub pattern: &'static str,
    pub sentence: String,
    pub advice: String,
    pub rewrite: String,
    pub condition: String,
    pub saved: PricedOperations,
    pub confidence: Confidence,
    pub automatic_fix: Option<Rewrite>,
}

/// Constructs a hint about `block`, whose code location consists of the blocks `place`.
pub(crate) fn hint(
    context: &HintContext<'_>,
    block: &BlockEntry,
    place: &[&BlockEntry],
    lines: (u32, u32),
    finding: PatternMatch,
) -> Hint {
    let saving = context.amount(&finding.saved);
    Hint {
        pattern: finding.pattern,
        block: block.id,
        block_name: block.name.clone(),
        file: block.file.clone(),
        start_line: lines.0,
        end_line: lines.1,
        sentence: finding.sentence,
        advice: finding.advice,
        rewrite: finding.rewrite,
        condition: finding.condition,
        saving,
        by_costs: saving,
        basis: PredictionBasis::Costs,
        listed_by: saving,
        on_board: None,
        measured: None,
        bound: context.amount(&context.count_operations(place, |_| true)),
        confidence: finding.confidence,
        automatic_fix: finding.automatic_fix,
        diff: None,
        callers: Vec::new(),
    }
}
