//! Accounts and sources -> what to change.

use std::collections::BTreeSet;

use crate::account::Accounts;
use crate::hint::{self, BoardRatios, FoundHints, HintInput, HintOptions};
use crate::java::SourceFile;
use crate::kernels::pairs::MeasuredPair;
use crate::model::Model;

use super::ScenarioFacts;

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
        board: None,
        sources,
    };
    let options = HintOptions { may_save_nothing: true, ..HintOptions::default() };
    hint::hints(input, &options).hints.iter().map(|hint| hint.pattern).collect()
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
    let board = BoardRatios::of(pairs, model);
    let input = HintInput {
        dictionary: &facts.dictionary,
        executions: &facts.executions,
        model,
        accounts,
        calls: facts.calls.as_ref(),
        board: (!pairs.is_empty()).then_some(&board),
        sources,
    };
    hint::hints(input, &HintOptions::default())
}
