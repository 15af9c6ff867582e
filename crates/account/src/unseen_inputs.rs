//! Each input sequence predicted by all others: costs are fitted without its cases, accounts
//! made without its energy and samples, and its counts priced by them.

use crate::account::{UnseenInput, UnseenInputs};
use crate::dataset::CampaignData;
use crate::facts::{InputFacts, ScenarioFacts};
use crate::failure::Failure;
use crate::fit::{CampaignProblem, KnownCosts};
use crate::folder::{CampaignFolder, names, read_text};
use crate::model::FoldUnit;
use crate::model::table::Case;
use crate::progress::Progress;

/// The input sequences of a campaign, each by the others; none where there is only one.
///
/// # Errors
/// Costs can't be fitted to what is left.
pub fn unseen_inputs(
    facts: &ScenarioFacts,
    data: &CampaignData,
    known: Option<&KnownCosts>,
) -> Result<Option<UnseenInputs>, Failure> {
    if facts.inputs.len() < 2 {
        return Ok(None);
    }
    let problem = CampaignProblem::of(data, known);
    let unseen = facts.inputs.iter().map(|input| unseen(facts, input, &problem));
    Ok(Some(UnseenInputs(unseen.collect::<Result<_, _>>()?)))
}

/// The same for a report, which does without where costs can't be fitted: it is said why.
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
    problem: &CampaignProblem,
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
    let by = |of: fn(&ScenarioFacts) -> f64| others.own_energy(&model) * (of(&own) / of(&others));
    Ok(UnseenInput {
        input: input.input.clone(),
        measured: own.own_energy(&model),
        predicted: others.predicted(&model, &input.executions),
        flat: by(|facts| facts.mix().executions().values().map(|runs| *runs as f64).sum()),
        duration: by(ScenarioFacts::duration_s),
    })
}

/// The input sequences of a campaign that its folder keeps, each by the others; none of a campaign
/// that does not tell.
pub fn kept(folder: &CampaignFolder) -> Result<Option<UnseenInputs>, Failure> {
    let path = folder.file(names::UNSEEN);
    if !path.is_file() {
        return Ok(None);
    }
    let damaged = |error: csv::Error| {
        let remedy = format!("{} makes it anew", command_for(folder));
        Failure::input(&path, format!("{error}; {remedy}"))
    };
    UnseenInputs::from_csv(&read_text(&path)?).map(Some).map_err(damaged)
}

/// The command that writes what [`kept`] reads.
pub fn command_for(folder: &CampaignFolder) -> String {
    let folder = folder.path().display();
    format!("`wattline evaluate {folder} --unseen --out {folder} --force`")
}
