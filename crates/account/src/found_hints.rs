//! Accounts and sources -> what to change.

use std::collections::BTreeSet;

use crate::account::Accounts;
use crate::facts::ScenarioFacts;
use crate::hint::{self, BoardRatios, FoundHints, HintInput, HintOptions};
use crate::java::SourceFile;
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::model::Model;

/// The patterns that a campaign's sources have at places that matter, whether or not the costs
/// can tell their savings from none.
pub fn patterns(
    sources: &[SourceFile],
    facts: &ScenarioFacts,
    model: &Model,
    accounts: &Accounts,
) -> BTreeSet<&'static str> {
    let input = HintInput {
        dictionary: &facts.dictionary,
        executions: &facts.executions,
        model,
        accounts,
        calls: None,
        sources,
    };
    let options = HintOptions { may_save_nothing: true, ..HintOptions::default() };
    hint::hints(input, BoardRatios::default(), &options)
        .hints
        .iter()
        .map(|hint| hint.pattern)
        .collect()
}

/// The hints of a campaign. `pairs` is what rewrites saved on its board, where that was
/// measured.
pub fn hints(
    sources: &[SourceFile],
    facts: &ScenarioFacts,
    model: &Model,
    accounts: &Accounts,
    pairs: &[MeasuredPair],
) -> FoundHints {
    let input = HintInput {
        dictionary: &facts.dictionary,
        executions: &facts.executions,
        model,
        accounts,
        calls: facts.calls.as_ref(),
        sources,
    };
    hint::hints(input, BoardRatios::of(pairs, model), &HintOptions::default())
}
