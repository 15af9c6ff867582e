//! Comparison of accounts with ground truth folders.

use std::path::Path;

use crate::account::{AccountEvaluation, Accounts, GroundTruth, evaluate};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::{CampaignFolder, names, read_text};
use crate::model::Model;
use crate::run::RunRecord;
use crate::truth_folder::{TABLES, of_sessions};

/// Compares accounts with the ground truth of the campaign's scenario; `None` for a real board.
pub fn evaluate_campaign(
    folder: &CampaignFolder,
    facts: &ScenarioFacts,
    accounts: &Accounts,
) -> Result<Option<AccountEvaluation>, Failure> {
    let truth = folder.file(names::TRUTH);
    let truth = truth.is_dir().then(|| read_ground_truth(&truth)).transpose()?;
    Ok(truth.map(|truth| evaluate(accounts, &facts.dictionary, &truth)))
}

/// Compares the accounts by a model with a ground truth folder: a single one, or the sum over the
/// sessions of the facts' board.
pub fn evaluate_against(
    facts: &ScenarioFacts,
    model: &Model,
    folder: &Path,
) -> Result<AccountEvaluation, Failure> {
    facts.check(model)?;
    let truth = ground_truth_for(facts, folder)?;
    Ok(evaluate(&facts.accounts(model), &facts.dictionary, &truth))
}

/// The ground truth of a folder, or the sum over the sessions of the facts' board.
fn ground_truth_for(facts: &ScenarioFacts, folder: &Path) -> Result<GroundTruth, Failure> {
    if folder.join(TABLES[0].0).is_file() {
        return read_ground_truth(folder);
    }
    let own: Vec<&RunRecord> = facts.records.iter().filter(|run| facts.is_own(run)).collect();
    match of_sessions(&facts.cases, &own, folder)?.as_slice() {
        [(_, lines), (_, methods)] => {
            GroundTruth::parse(lines, methods, "").map_err(|error| Failure::input(folder, error))
        }
        _ => Err(Failure::input(
            folder,
            "it holds neither lines.csv nor a session of the campaign's unremoved cases; start \
             the board with --ground-truth",
        )),
    }
}

/// Reads a ground truth folder; `operations.csv` is optional.
fn read_ground_truth(folder: &Path) -> Result<GroundTruth, Failure> {
    let operations = folder.join("operations.csv");
    let operations = if operations.is_file() { read_text(&operations)? } else { String::new() };
    let lines = read_text(&folder.join(TABLES[0].0))?;
    let methods = read_text(&folder.join(TABLES[1].0))?;
    GroundTruth::parse(&lines, &methods, &operations).map_err(|error| Failure::input(folder, error))
}
