//! Accounts and sources -> what to change.

use crate::account::Accounts;
use crate::account::calls::CallTree;
use crate::hint::{self, Hint, HintInput, HintOptions};
use crate::java::SourceFile;
use crate::model::Model;

use super::ScenarioFacts;

/// The hints of a campaign.
pub fn hints(
    sources: &[SourceFile],
    calls: Option<&CallTree>,
    facts: &ScenarioFacts,
    model: &Model,
    accounts: &Accounts,
) -> Vec<Hint> {
    let input = HintInput {
        dictionary: &facts.dictionary,
        executions: &facts.executions,
        model,
        accounts,
        calls,
        sources,
    };
    hint::hints(input, &HintOptions::default())
}
