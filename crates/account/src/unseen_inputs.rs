//! Leave-one-input-out: each input sequence predicted from all others. Costs are fitted without
//! its cases, accounts computed without its energy and samples, and its counts priced by them.

use crate::account::{UnseenInput, UnseenInputs};
use crate::dataset::CampaignData;
use crate::facts::{InputFacts, ScenarioFacts};
use crate::failure::Failure;
use crate::fit::{CampaignFitProblem, KnownCosts};
use crate::folder::{CampaignFolder, names, read_text};
use crate::model::FoldUnit;
use crate::model::table::Case;
use crate::progress::Progress;

/// Predicts each input sequence of a campaign from the others; `None` where there is only one.
///
/// # Errors Costs cannot be fitted to the remaining cases.
pub fn unseen_inputs(
    facts: &ScenarioFacts,
    data: &CampaignData,
    known: Option<&KnownCosts>,
) -> Result<Option<UnseenInputs>, Failure> {
    if facts.inputs.len() < 2 {
        return Ok(None);
    }
    let problem = CampaignFitProblem::of(data, known);
    let unseen = facts.inputs.iter().map(|input| unseen(facts, input, &problem));
    Ok(Some(UnseenInputs(unseen.collect::<Result<_, _>>()?)))
}

/// Predicts the inputs for a report; if costs cannot be fitted, reports why and returns `None`.
pub fn unseen_if_any(
    facts: &ScenarioFacts,
    data: &CampaignData,
    known: Option<&KnownCosts>,
    progress: &dyn Progress,
) -> Option<UnseenInputs> {
    unseen_inputs(facts, data, known).unwrap_or_else(|failure| {
        progress.warn(&format!("inputs were not predicted by the others: {failure}"));
        None
    })
}

fn unseen(
    facts: &ScenarioFacts,
    input: &InputFacts,
    problem: &CampaignFitProblem,
) -> Result<UnseenInput, Failure> {
    let is_own = |case: &Case| match problem.unit() {
        FoldUnit::Case => case.group == input.input,
        // Windows are grouped by their cases.
        FoldUnit::Group => {
            let mut cases = facts.cases.iter().filter(|planned| planned.input == input.input);
            cases.any(|planned| planned.name == case.group)
        }
    };
    let model = problem.model_of(|case| !is_own(case))?;
    let own = facts.of_inputs(|other| other.input == input.input);
    let others = facts.of_inputs(|other| other.input != input.input);
    let by = |of: fn(&ScenarioFacts) -> f64| {
        others.energy_without_runtime(&model) * (of(&own) / of(&others))
    };
    Ok(UnseenInput {
        input: input.input.clone(),
        measured: own.energy_without_runtime(&model),
        predicted: others.predict_energy(&model, &input.executions),
        flat: by(|facts| {
            facts.operation_mix().executions().values().map(|runs| *runs as f64).sum()
        }),
        duration: by(ScenarioFacts::duration_s),
    })
}

/// Reads the predictions stored in a campaign's folder; `None` where there are none.
pub fn read_unseen_inputs(folder: &CampaignFolder) -> Result<Option<UnseenInputs>, Failure> {
    let path = folder.file(names::UNSEEN_INPUTS);
    if !path.is_file() {
        return Ok(None);
    }
    let damaged = |error: csv::Error| {
        let remedy = format!("{} makes it anew", evaluate_command_for(folder));
        Failure::input(&path, format!("{error}; {remedy}"))
    };
    UnseenInputs::from_csv(&read_text(&path)?).map(Some).map_err(damaged)
}

/// Command line that writes the file that [`read_unseen_inputs`] reads.
pub fn evaluate_command_for(folder: &CampaignFolder) -> String {
    let folder = folder.path().display();
    format!("`wattline evaluate {folder} --unseen --out {folder} --force`")
}
