//! One sort of hint, and what makes a hint of a place that it matches.

use crate::hint::confidence::Confidence;
use crate::hint::counted::{Context, PricedOperations};
use crate::hint::hint::Hint;
use crate::hint::prediction_basis::PredictionBasis;
use crate::hint::rewrite::Rewrite;
use crate::hint::site::Site;
use crate::operations::BlockEntry;

/// One sort of hint.
pub struct HintPattern {
    /// Its name and the id of its SARIF rule: `bulk-copy`.
    pub name: &'static str,
    /// A short title.
    pub title: &'static str,
    /// What it is about, why it costs, what to do, and when not to: a few sentences.
    pub help: &'static str,
    /// Where it is described, or what measured it.
    pub reference: &'static str,
    /// What its prediction starts from.
    pub basis: PredictionBasis,
    /// Finds it.
    pub find: fn(&Context<'_>, &[Site<'_>]) -> Vec<Hint>,
}

/// What a pattern says about one place; the rest is the same for all.
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

/// Makes a hint about `block` whose place is made of `place`.
pub(crate) fn hint(
    context: &Context<'_>,
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
        bound: context.amount(&context.counted(place, |_| true)),
        confidence: finding.confidence,
        automatic_fix: finding.automatic_fix,
        diff: None,
        callers: Vec::new(),
    }
}
