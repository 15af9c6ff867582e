//! Each input sequence predicted by all others: costs are fitted without its cases, accounts
//! made without its energy and samples, and its counts priced by them.

use crate::account::{UnseenInput, UnseenInputs};
use crate::model::FoldUnit;
use crate::model::table::Case;
use crate::operations::Dictionary;
use crate::units::Joules;

use super::facts::InputFacts;
use super::fit::fit_part;
use super::folder::DatasetFile;
use super::{CampaignFolder, Failure, ScenarioFacts};

/// The input sequences of a campaign, each by the others; none where there is only one.
///
/// # Errors
/// Costs can't be fitted to what is left.
pub fn unseen_inputs(
    facts: &ScenarioFacts,
    dataset: &DatasetFile,
    kernels: &CampaignFolder,
) -> Result<Option<UnseenInputs>, Failure> {
    if facts.inputs.len() < 2 {
        return Ok(None);
    }
    let unseen = facts.inputs.iter().map(|input| unseen(facts, input, dataset, kernels));
    Ok(Some(UnseenInputs(unseen.collect::<Result<_, _>>()?)))
}

fn unseen(
    facts: &ScenarioFacts,
    input: &InputFacts,
    dataset: &DatasetFile,
    kernels: &CampaignFolder,
) -> Result<UnseenInput, Failure> {
    let unit = dataset.facts()?.fold_unit();
    let is_own = |case: &Case| match unit {
        FoldUnit::Case => case.group == input.input,
        // Windows are grouped by their cases.
        FoldUnit::Group => {
            let mut cases = facts.cases.iter().filter(|planned| planned.input == input.input);
            cases.any(|planned| planned.name == case.group)
        }
    };
    let model = fit_part(dataset.clone(), kernels, |case| !is_own(case))?;
    let others = facts.without(&input.input);
    let share = |of: &dyn Fn(&InputFacts) -> f64| {
        let all = |of: &dyn Fn(&InputFacts) -> f64| others.inputs.iter().map(of).sum::<f64>();
        Joules(of(input) / all(of) * all(&|other| other.own_energy().0))
    };
    Ok(UnseenInput {
        input: input.input.clone(),
        measured: input.own_energy(),
        predicted: others.predicted(&model, &input.executions),
        flat: share(&|input| operations(&facts.dictionary, input)),
        duration: share(&InputFacts::duration_s),
    })
}

/// Executions of all operations.
fn operations(dictionary: &Dictionary, input: &InputFacts) -> f64 {
    let of_block = |block: &crate::operations::BlockEntry| {
        let runs = input.executions.get(&block.id).copied().unwrap_or(0);
        let once: u32 = block.operations.iter().map(|operation| operation.count).sum();
        runs as f64 * f64::from(once)
    };
    dictionary.blocks.iter().map(of_block).sum()
}
