//! Accounts held against ground truth folders.

use std::path::Path;

use crate::account::{AccountEvaluation, Accounts, GroundTruth, evaluate};
use crate::facts::ScenarioFacts;
use crate::failure::Failure;
use crate::folder::{CampaignFolder, names, read_text};
use crate::model::Model;
use crate::run::RunRecord;
use crate::truth_folder::{TABLES, of_sessions};

/// Accounts held against the ground truth of the campaign's scenario; none where it was measured on
/// a real board.
pub fn evaluate_campaign(
    folder: &CampaignFolder,
    facts: &ScenarioFacts,
    accounts: &Accounts,
) -> Result<Option<AccountEvaluation>, Failure> {
    let truth = folder.file(names::TRUTH);
    let truth = truth.is_dir().then(|| read(&truth)).transpose()?;
    Ok(truth.map(|truth| evaluate(accounts, &facts.dictionary, &truth)))
}

/// The accounts by a model, held against a ground truth folder: one as it is, or the sum over the
/// sessions of the facts' board.
pub fn evaluate_against(
    facts: &ScenarioFacts,
    model: &Model,
    folder: &Path,
) -> Result<AccountEvaluation, Failure> {
    facts.check(model)?;
    let truth = truth_for(facts, folder)?;
    Ok(evaluate(&facts.accounts(model), &facts.dictionary, &truth))
}

/// A truth folder as it is, or the sum over the sessions of the facts' board.
fn truth_for(facts: &ScenarioFacts, folder: &Path) -> Result<GroundTruth, Failure> {
    if folder.join(TABLES[0].0).is_file() {
        return read(folder);
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

/// Reads a ground truth folder; `operations.csv` need not be there.
fn read(folder: &Path) -> Result<GroundTruth, Failure> {
    let operations = folder.join("operations.csv");
    let operations = if operations.is_file() { read_text(&operations)? } else { String::new() };
    let lines = read_text(&folder.join(TABLES[0].0))?;
    let methods = read_text(&folder.join(TABLES[1].0))?;
    GroundTruth::parse(&lines, &methods, &operations).map_err(|error| Failure::input(folder, error))
}
