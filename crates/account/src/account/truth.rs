//! Ground truth of a virtual board, for evaluation only: energy by line and method, as its
//! simulated energy model computed it from executed bytecode.

use crate::csv_text;
use thiserror::Error;
use wattline_units::shortened::shortened;

use crate::account::entry::LineKey;

/// Energies by line, method and operation from the simulated energy model; a level that is
/// unknown is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroundTruth {
    /// Energy of lines in joules.
    pub lines: Vec<(LineKey, f64)>,
    /// Energy of methods in joules: class, method as the bytecode names it.
    pub methods: Vec<(String, String, f64)>,
    /// Energy of operations in joules, where the ground truth has them.
    pub operations: Vec<(String, f64)>,
}

/// Error of a malformed ground truth file.
#[derive(Debug, Error)]
pub enum GroundTruthError {
    /// A column is missing.
    #[error("{file}: no column `{column}`; a ground truth folder's {file} has {expected}")]
    MissingColumn {
        /// Name of the file.
        file: &'static str,
        /// The missing column.
        column: &'static str,
        /// The columns it should have.
        expected: &'static str,
    },
    /// A field isn't what its column holds.
    #[error(
        "{file}, line {line}: `{}` is no {column}; write the folder again with the board",
        shortened(value)
    )]
    BadField {
        /// Name of the file.
        file: &'static str,
        /// Line of the file, from 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// What stands there.
        value: String,
    },
    /// The text isn't CSV.
    #[error("{file} isn't a CSV file: {source}; write the folder again with the board")]
    Csv {
        /// Name of the file.
        file: &'static str,
        /// What the reader said.
        source: csv::Error,
    },
}

/// Columns and name of one ground truth file.
struct TruthFileLayout {
    file: &'static str,
    columns: &'static [&'static str],
    expected: &'static str,
}

const LINES: TruthFileLayout = TruthFileLayout {
    file: "lines.csv",
    columns: &["file", "line", "energy_j"],
    expected: "file,line,energy_j",
};
const METHODS: TruthFileLayout = TruthFileLayout {
    file: "methods.csv",
    columns: &["class", "method", "energy_j"],
    expected: "class,method,energy_j",
};
const OPERATIONS: TruthFileLayout = TruthFileLayout {
    file: "operations.csv",
    columns: &["operation", "energy_j"],
    expected: "operation,energy_j",
};

impl GroundTruth {
    /// Reads the texts of a ground truth folder; `operations` is empty where there is no such
    /// file.
    pub fn parse(
        lines: &str,
        methods: &str,
        operations: &str,
    ) -> Result<GroundTruth, GroundTruthError> {
        let mut truth = GroundTruth::default();
        for row in rows(&LINES, lines)? {
            let [file, line] = [&row.fields[0], &row.fields[1]];
            let number = line.parse().map_err(|_| row.bad_field(&LINES, "line", line))?;
            truth.lines.push((LineKey { file: file.clone(), line: number }, row.energy));
        }
        for mut row in rows(&METHODS, methods)? {
            let method = row.fields.swap_remove(1);
            truth.methods.push((row.fields.swap_remove(0), method, row.energy));
        }
        for mut row in rows(&OPERATIONS, operations)? {
            truth.operations.push((row.fields.swap_remove(0), row.energy));
        }
        Ok(truth)
    }
}

/// A row: the key fields, and the energy in joules.
struct SpentLine {
    position: u64,
    fields: Vec<String>,
    energy: f64,
}

impl SpentLine {
    /// The error for a field of this row.
    fn bad_field(
        &self,
        layout: &TruthFileLayout,
        column: &'static str,
        value: &str,
    ) -> GroundTruthError {
        let value = value.to_string();
        GroundTruthError::BadField { file: layout.file, line: self.position, column, value }
    }
}

/// Reads the rows of a ground truth file; an empty text has none.
fn rows(layout: &TruthFileLayout, text: &str) -> Result<Vec<SpentLine>, GroundTruthError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let csv_error = |source| GroundTruthError::Csv { file: layout.file, source };
    let mut reader = csv_text::reader(text.trim_start_matches('\u{feff}'));
    let header = reader.headers().map_err(csv_error)?.clone();
    let mut positions = Vec::new();
    for &column in layout.columns {
        let found = header.iter().position(|name| name.trim() == column);
        let missing = || GroundTruthError::MissingColumn {
            file: layout.file,
            column,
            expected: layout.expected,
        };
        positions.push(found.ok_or_else(missing)?);
    }
    reader.records().map(|record| row(layout, &positions, &record.map_err(csv_error)?)).collect()
}

/// Reads one row.
fn row(
    layout: &TruthFileLayout,
    positions: &[usize],
    record: &csv::StringRecord,
) -> Result<SpentLine, GroundTruthError> {
    let mut fields: Vec<String> =
        positions.iter().map(|&at| record.get(at).unwrap_or("").trim().to_string()).collect();
    let energy = fields.pop().unwrap_or_default();
    let position = record.position().map_or(0, csv::Position::line);
    let mut row = SpentLine { position, fields, energy: 0.0 };
    match energy.parse::<f64>() {
        Ok(value) if value.is_finite() => row.energy = value,
        _ => return Err(row.bad_field(layout, "energy_j", &energy)),
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truth_folder_reads() {
        let truth = GroundTruth::parse(
            "file,line,energy_j\na/A.java,3,1e-3\n",
            "class,method,energy_j\na.A,\"<init>(int,long)\",0.5\n",
            "",
        )
        .unwrap();
        assert_eq!(truth.lines, [(LineKey { file: "a/A.java".into(), line: 3 }, 1e-3)]);
        assert_eq!(truth.methods, [("a.A".into(), "<init>(int,long)".into(), 0.5)]);
    }

    #[test]
    fn errors_name_the_file_and_the_line() {
        let bad = GroundTruth::parse("file,line,energy_j\na,3,1\na,x,1\n", "", "").unwrap_err();
        assert!(bad.to_string().starts_with("lines.csv, line 3: `x` is no line"), "{bad}");
        let bad = GroundTruth::parse("file,energy_j\na,3\n", "", "").unwrap_err();
        assert!(bad.to_string().contains("no column `line`"), "{bad}");
        let bad = GroundTruth::parse("", "class,method,energy_j\na,b,NaN\n", "").unwrap_err();
        assert!(bad.to_string().contains("`NaN` is no energy_j"), "{bad}");
    }
}
