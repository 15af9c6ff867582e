//! Accounts and sources -> what to change.

use crate::account::Accounts;
use crate::account::calls::CallTree;
use crate::hint::{self, BoardRatios, FoundHints, HintInput, HintOptions};
use crate::java::SourceFile;
use crate::kernels::pairs::MeasuredPair;
use crate::model::Model;

use super::ScenarioFacts;

/// The hints of a campaign. `pairs` is what rewrites saved on its board, where that was
/// measured.
pub fn hints(
    sources: &[SourceFile],
    calls: Option<&CallTree>,
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
        calls,
        board: (!pairs.is_empty()).then_some(&board),
        sources,
    };
    hint::hints(input, &HintOptions::default())
}
