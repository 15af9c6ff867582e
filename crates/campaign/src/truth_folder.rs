//! Ground truth folders: those that a virtual board wrote per session, and that of the scenario,
//! which is their sum over its unremoved cases, one power run of each input sequence. No estimate
//! uses them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::campaign::{PlannedCase, RunPhase};
use crate::csv_text::{self, CsvText};
use crate::failure::Failure;
use crate::folder::{CampaignFolder, Output, names, read_text};
use crate::run::RunRecord;
use wattline_units::file_schema::{DeclaredColumn, TableSchema};

/// The tables of a ground truth folder: their names and texts.
pub(crate) type TruthTables = Vec<(&'static str, String)>;

/// The files of a ground truth folder, with their key columns.
pub const TABLES: [(&str, &[&str]); 2] =
    [("lines.csv", &["file", "line"]), ("methods.csv", &["class", "method"])];

const TRUE_LINE_COLUMNS: [DeclaredColumn; 3] = [
    DeclaredColumn::text("file", "Path of the source file"),
    DeclaredColumn::integer("line", "Source line"),
    TRUE_ENERGY,
];

const TRUE_METHOD_COLUMNS: [DeclaredColumn; 3] = [
    DeclaredColumn::text("class", "Class, with its package"),
    DeclaredColumn::text("method", "Method, with the types of its parameters"),
    TRUE_ENERGY,
];

const TRUE_ENERGY: DeclaredColumn =
    DeclaredColumn::number("energy_j", "Simulated energy that the virtual board spent");

/// Returns the columns of the tables of a scenario's ground truth.
pub(crate) fn truth_table_schemas() -> Vec<TableSchema> {
    const PIPELINE: &str = "`run`, `pipeline` on virtual boards";
    vec![
        TableSchema::declared(
            "ground-truth/lines.csv",
            PIPELINE,
            "Ground truth by line, which no stage but `evaluate` reads",
            &TRUE_LINE_COLUMNS,
        ),
        TableSchema::declared(
            "ground-truth/methods.csv",
            PIPELINE,
            "Ground truth by method, which no stage but `evaluate` reads",
            &TRUE_METHOD_COLUMNS,
        ),
    ]
}

/// Sums the ground truths of the campaign's sessions into the scenario's. Writes nothing if the
/// board left none (a real one).
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

/// The folder to which a virtual board writes the ground truth of a campaign's sessions.
pub(crate) fn board_folder(output: &Output) -> PathBuf {
    output.path(names::BOARD_TRUTH)
}

/// Removes all ground truth of an earlier campaign.
pub fn discard(output: &Output) -> Result<(), Failure> {
    output.discard(&[names::TRUTH, names::BOARD_TRUTH])
}

/// Removes the ground truth of the sessions, which is no longer needed once the scenario's is
/// written.
pub fn discard_sessions(folder: &CampaignFolder) -> Result<(), Failure> {
    let sessions = folder.file(names::BOARD_TRUTH);
    match fs::remove_dir_all(&sessions) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::io("remove", &sessions)(error))
        }
        _ => Ok(()),
    }
}

/// Sums the ground truth of a board's sessions over the unremoved cases into tables; empty if the
/// folder has no session of them. `records` are the board's.
pub fn of_sessions(
    cases: &[PlannedCase],
    records: &[&RunRecord],
    sessions: &Path,
) -> Result<TruthTables, Failure> {
    let found = cases
        .iter()
        .filter(|case| case.removed.is_empty())
        .filter_map(|case| first_power_run(records, &case.name))
        .map(|record| (sessions.join(record.run.id()), record))
        .filter(|(session, _)| session.is_dir());
    let measured: Vec<(PathBuf, f64)> = found
        .map(|(session, record)| Ok((session.clone(), measured_part(&session, record)?)))
        .collect::<Result<_, Failure>>()?;
    if measured.is_empty() {
        return Ok(Vec::new());
    }
    let table = |(name, keys): (&'static str, &[&str])| {
        let texts: Result<Vec<(String, f64)>, Failure> = measured
            .iter()
            .map(|(session, factor)| Ok((read_text(&session.join(name))?, *factor)))
            .collect();
        let sum = summed(&texts?, keys).map_err(|message| Failure::input(name, message))?;
        Ok((name, sum))
    };
    TABLES.into_iter().map(table).collect()
}

/// File of a session's ground truth with the share of the energy that each rail draws.
const RAILS: &str = "rails.csv";

/// Share of a session's ground truth that its run measured: that of the rails that were added up,
/// at the voltage of the session; 1 if the folder has no such file.
fn measured_part(session: &Path, record: &RunRecord) -> Result<f64, Failure> {
    let file = session.join(RAILS);
    let rails = &record.board.rails;
    if rails.is_empty() || !file.is_file() {
        return Ok(1.0);
    }
    let text = read_text(&file)?;
    let rows = csv_text::reader(&text).into_deserialize::<(String, f64)>();
    let factors: BTreeMap<String, f64> =
        rows.collect::<Result<_, _>>().map_err(|error| Failure::input(&file, error))?;
    let factor = |rail: &String| {
        factors.get(rail).copied().ok_or_else(|| {
            let message = format!("it has no rail `{rail}`, whose power the run measured");
            Failure::input(&file, message)
        })
    };
    rails.iter().map(factor).sum()
}

fn first_power_run<'r>(records: &[&'r RunRecord], case: &str) -> Option<&'r RunRecord> {
    let good = records.iter().filter(|record| record.is_good_run_of(case, RunPhase::Power));
    good.min_by_key(|record| record.run.repeat).copied()
}

/// Adds up `energy_j` times a factor over tables with the same key columns.
fn summed(texts: &[(String, f64)], keys: &[&str]) -> Result<String, String> {
    let mut sums: BTreeMap<Vec<String>, f64> = BTreeMap::new();
    for (text, factor) in texts {
        let mut reader = csv_text::reader(text);
        for row in reader.deserialize::<BTreeMap<String, String>>() {
            let row = row.map_err(|error| error.to_string())?;
            let key: Option<Vec<String>> = keys.iter().map(|key| row.get(*key).cloned()).collect();
            let energy = row.get("energy_j").and_then(|text| text.parse::<f64>().ok());
            let (Some(key), Some(energy)) = (key, energy) else {
                return Err(format!("a row has no {} or energy_j", keys.join(", ")));
            };
            *sums.entry(key).or_default() += factor * energy;
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
    use crate::run_record::record;

    #[test]
    fn tables_have_the_columns_of_their_schemas() {
        for ((name, keys), schema) in TABLES.iter().zip(truth_table_schemas()) {
            let columns: Vec<&str> = schema.columns.iter().map(|c| c.name.as_str()).collect();
            assert_eq!(schema.file, format!("{}/{name}", names::TRUTH));
            assert_eq!(columns, [*keys, &["energy_j"]].concat());
        }
    }

    #[test]
    fn truths_add_up_by_key() {
        let texts = [
            ("file,line,energy_j\nA.java,1,1.5\nA.java,2,1\n".to_string(), 1.0),
            ("file,line,energy_j\nA.java,1,1\nB.java,7,6\n".to_string(), 0.5),
        ];
        assert_eq!(
            summed(&texts, &["file", "line"]).unwrap(),
            "file,line,energy_j\nA.java,1,2e0\nA.java,2,1e0\nB.java,7,3e0\n"
        );
        assert!(summed(&[("file,line\nA,1\n".to_string(), 1.0)], &["file", "line"]).is_err());
    }

    #[test]
    fn the_truth_of_a_run_is_that_of_its_rails() {
        let session = tempfile::tempdir().unwrap();
        let mut record = record("a", RunPhase::Power, 1, 30.0, 10.0);
        record.board.rails = vec!["arm".into(), "mem".into()];
        let part = |record: &RunRecord| measured_part(session.path(), record);
        assert_eq!(part(&record).unwrap(), 1.0);
        fs::write(session.path().join(RAILS), "rail,factor\narm,0.5\nmem,0.125\n").unwrap();
        assert_eq!(part(&record).unwrap(), 0.625);
        record.board.rails.push("g3d".into());
        let error = part(&record).unwrap_err().to_string();
        assert!(error.contains("no rail `g3d`"), "{error}");
    }
}
