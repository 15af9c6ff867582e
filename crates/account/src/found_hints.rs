//! Hints of a campaign, from its accounts and sources.

use std::collections::BTreeSet;

use crate::account::Accounts;
use crate::facts::ScenarioFacts;
use crate::hint::{self, BoardRatios, FoundHints, HintInput, HintOptions};
use crate::java::SourceFile;
use crate::microbenchmarks::pairs::MeasuredPair;
use crate::model::Model;

/// Names of the patterns that match hot code in a campaign's sources, whether or not the costs
/// predict a significant saving.
pub fn matched_patterns(
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

/// The hints of a campaign. `pairs` are the savings of before/after microbenchmarks on its board,
/// where these were measured.
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
