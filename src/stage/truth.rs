//! Ground truth folders, which nothing else opens: those that a virtual board left per session, and
//! that of the scenario, which is their sum over its unremoved cases, one power run of each
//! input sequence. Accounts are held against them, and nothing learns from them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::account::{AccountEvaluation, Accounts, GroundTruth, evaluate};
use crate::campaign::{PlannedCase, RunPhase};
use crate::csv_text::{self, CsvText};
use crate::model::Model;
use crate::run::RunRecord;

use super::folder::{names, read_text};
use super::{CampaignFolder, Failure, Output, ScenarioFacts};

/// The tables of a ground truth folder: their names and texts.
type TruthTables = Vec<(&'static str, String)>;

/// The files of a ground truth folder, with their key columns.
const TABLES: [(&str, &[&str]); 2] =
    [("lines.csv", &["file", "line"]), ("methods.csv", &["class", "method"])];

/// Sums the truths that the board left of the campaign's sessions into the scenario's. Nothing
/// is written where it left none (it is a real one).
pub fn collect(
    cases: &[PlannedCase],
    records: &[RunRecord],
    output: &Output,
) -> Result<(), Failure> {
    let own: Vec<&RunRecord> = records.iter().collect();
    for (name, text) in of_sessions(cases, &own, &board_folder(output))? {
        output.write(&format!("{}/{name}", names::TRUTH), text)?;
    }
    Ok(())
}

/// Where a virtual board leaves the truths of a campaign's sessions.
pub(crate) fn board_folder(output: &Output) -> PathBuf {
    output.path(names::BOARD_TRUTH)
}

/// Takes all truths of an earlier campaign away.
pub(crate) fn discard(output: &Output) -> Result<(), Failure> {
    output.discard(&[names::TRUTH, names::BOARD_TRUTH])
}

/// Takes the per-session truths away, since the scenario's own is there.
pub(crate) fn discard_sessions(folder: &CampaignFolder) -> Result<(), Failure> {
    let sessions = folder.file(names::BOARD_TRUTH);
    match fs::remove_dir_all(&sessions) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::io("remove", &sessions)(error))
        }
        _ => Ok(()),
    }
}

/// Accounts held against the ground truth of the campaign's scenario; none where it was measured on
/// a real board.
pub(crate) fn evaluate_campaign(
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

/// The tables of a board's truth, by the folder where it left its sessions' and by its own
/// runs; none where there is no session of them.
fn of_sessions(
    cases: &[PlannedCase],
    records: &[&RunRecord],
    sessions: &Path,
) -> Result<TruthTables, Failure> {
    let labels: Vec<String> = cases
        .iter()
        .filter(|case| case.removed.is_empty())
        .filter_map(|case| first_power_run(records, &case.name))
        .map(|record| record.run.id())
        .filter(|label| sessions.join(label).is_dir())
        .collect();
    if labels.is_empty() {
        return Ok(Vec::new());
    }
    let table = |(name, keys): (&'static str, &[&str])| {
        let texts: Result<Vec<String>, Failure> =
            labels.iter().map(|label| read_text(&sessions.join(label).join(name))).collect();
        let sum = summed(&texts?, keys).map_err(|message| Failure::input(name, message))?;
        Ok((name, sum))
    };
    TABLES.into_iter().map(table).collect()
}

fn first_power_run<'r>(records: &[&'r RunRecord], case: &str) -> Option<&'r RunRecord> {
    let good = records.iter().filter(|record| record.is_good_run_of(case, RunPhase::Power));
    good.min_by_key(|record| record.run.repeat).copied()
}

/// Adds up `energy_j` over tables with the same key columns.
fn summed(texts: &[String], keys: &[&str]) -> Result<String, String> {
    let mut sums: BTreeMap<Vec<String>, f64> = BTreeMap::new();
    for text in texts {
        let mut reader = csv_text::reader(text);
        for row in reader.deserialize::<BTreeMap<String, String>>() {
            let row = row.map_err(|error| error.to_string())?;
            let key: Option<Vec<String>> = keys.iter().map(|key| row.get(*key).cloned()).collect();
            let energy = row.get("energy_j").and_then(|text| text.parse::<f64>().ok());
            let (Some(key), Some(energy)) = (key, energy) else {
                return Err(format!("a row has no {} or energy_j", keys.join(", ")));
            };
            *sums.entry(key).or_default() += energy;
        }
    }
    Ok(written(keys, &sums))
}

fn written(keys: &[&str], sums: &BTreeMap<Vec<String>, f64>) -> String {
    let mut table = CsvText::new(keys.iter().copied().chain(["energy_j"]));
    for (key, energy) in sums {
        table.row(key.iter().cloned().chain([format!("{energy:e}")]));
    }
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truths_add_up_by_key() {
        let texts = [
            "file,line,energy_j\nA.java,1,1.5\nA.java,2,1\n".to_string(),
            "file,line,energy_j\nA.java,1,0.5\nB.java,7,3\n".to_string(),
        ];
        assert_eq!(
            summed(&texts, &["file", "line"]).unwrap(),
            "file,line,energy_j\nA.java,1,2e0\nA.java,2,1e0\nB.java,7,3e0\n"
        );
        assert!(summed(&["file,line\nA,1\n".to_string()], &["file", "line"]).is_err());
    }
}
