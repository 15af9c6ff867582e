//! The truth that a virtual board left per session -> the truth of the scenario: its
//! unremoved cases, one power run of each input sequence. Only evaluation reads it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::campaign::{Phase, PlannedCase};
use crate::run::RunRecord;

use super::Failure;
use super::output::{Output, read_text};

/// Where the board leaves its sessions' truths, below the campaign's folder.
pub const SESSIONS: &str = "board-truth";

/// The files of a truth folder, with their key columns.
const TABLES: [(&str, &[&str]); 2] =
    [("lines.csv", &["file", "line"]), ("methods.csv", &["class", "method"])];

/// Sums the truths of the unremoved cases into `truth/`. Nothing is written where the
/// board left no truth (it is a real one).
pub fn collect(
    cases: &[PlannedCase],
    records: &[RunRecord],
    output: &Output,
) -> Result<(), Failure> {
    let own: Vec<&RunRecord> = records.iter().collect();
    for (name, text) in of_sessions(cases, &own, &output.path(SESSIONS))? {
        output.write(&format!("truth/{name}"), text)?;
    }
    Ok(())
}

/// The tables of a board's truth, by the folder where it left its sessions' and by its own
/// runs; none where there is no session of them.
pub fn of_sessions(
    cases: &[PlannedCase],
    records: &[&RunRecord],
    sessions: &Path,
) -> Result<Vec<(&'static str, String)>, Failure> {
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

/// Takes the per-session truths away: the scenario's own is in `truth/`.
pub fn discard_sessions(folder: &Path) -> Result<(), Failure> {
    let sessions = folder.join(SESSIONS);
    match fs::remove_dir_all(&sessions) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::io("remove", &sessions)(error))
        }
        _ => Ok(()),
    }
}

fn first_power_run<'r>(records: &[&'r RunRecord], case: &str) -> Option<&'r RunRecord> {
    let good = records.iter().filter(|record| record.is_good_run_of(case, Phase::Power));
    good.min_by_key(|record| record.run.repeat).copied()
}

/// Adds up `energy_j` over tables with the same key columns.
fn summed(texts: &[String], keys: &[&str]) -> Result<String, String> {
    let mut sums: BTreeMap<Vec<String>, f64> = BTreeMap::new();
    for text in texts {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
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
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header: Vec<&str> = keys.iter().copied().chain(["energy_j"]).collect();
    writer.write_record(header).expect("memory takes a table");
    for (key, energy) in sums {
        let energy = format!("{energy:e}");
        let row: Vec<&str> = key.iter().map(String::as_str).chain([energy.as_str()]).collect();
        writer.write_record(row).expect("memory takes a table");
    }
    let bytes = writer.into_inner().expect("memory takes a table");
    String::from_utf8(bytes).expect("keys are text")
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
