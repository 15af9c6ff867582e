//! Figures of a recording as values that serialize, for programs.

use serde_json::{Value, json};

use super::{Recording, RecordingSums, ledger_csv, tables};
use crate::report::table_rows;

/// Why no figure of a recording has an interval.
const NO_INTERVALS: &str = "one recording has no repeats";

/// Figures of a recording: the rows of its ledger and accounts. None has an interval.
pub fn recording_figures(name: &str, recording: &Recording, sums: &RecordingSums) -> Value {
    let about = &recording.about;
    let mut figures = json!({
        "recording": name,
        "basis": about.basis().name(),
        "meter": about.meter(),
        "host": about.host,
        "duration_s": about.duration_s,
        "cycles": about.cycles,
        "no_intervals_reason": NO_INTERVALS,
        "notes": about.notes,
        "ledger": table_rows(&ledger_csv(sums)),
    });
    for (file, text) in tables(sums) {
        figures[file.trim_end_matches(".csv")] = Value::Array(table_rows(&text));
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::super::accounts::tests::recording;
    use super::super::sum_recording;
    use super::*;

    #[test]
    fn figures_add_up_to_the_ledger() {
        let recording = recording();
        let sums = sum_recording(&recording);
        let figures = recording_figures("rec", &recording, &sums);
        let joules = |rows: &Value| {
            let rows = rows.as_array().unwrap();
            rows.iter().map(|row| row["energy_j"].as_f64().unwrap()).sum::<f64>()
        };
        let total = figures["ledger"][0]["energy_j"].as_f64().unwrap();
        assert!((joules(&figures["processes"]) - total).abs() < 1e-9, "{figures}");
        assert_eq!(figures["processes"][0]["energy_lo_j"], Value::Null);
    }
}
