//! Cases to predict from a table, of which some or all may have no measured energy.

use std::path::Path;

use wattline_units::dialect::read_plain_csv;

use crate::cli::progress;
use crate::csv_text::{self, CsvText};
use crate::dataset::DatasetFile;
use crate::failure::Failure;
use crate::input_file;
use crate::model::table::ColumnChoice;
use crate::toolchain::artifact::hash_of_bytes;

/// Name of the column of measured energies.
const ENERGY: &str = "energy_j";

/// Cases with their counts.
pub(super) struct CaseTable {
    pub dataset: DatasetFile,
    /// For each case whether it has a measured energy.
    pub is_measured: Vec<bool>,
}

impl CaseTable {
    /// Reads a table; where energies are missing, their cases were only counted.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = input_file::read(path).map_err(Failure::io("read", path))?;
        let found = Self::of_bytes(path, &bytes)?;
        progress::print_remarks(path, &found.dataset.remarks);
        Ok(found)
    }

    fn of_bytes(path: &Path, bytes: &[u8]) -> Result<Self, Failure> {
        let choice = ColumnChoice::default();
        // A text that is no table is refused below, with its place.
        let completed = read_plain_csv(bytes).ok().and_then(|(text, dialect)| {
            let (text, is_measured) = with_all_energies(&text)?;
            Some((text, is_measured, dialect.remark()))
        });
        let Some((text, is_measured, of_dialect)) = completed else {
            let dataset = DatasetFile::of_bytes(path, bytes, &choice)?;
            let is_measured = vec![true; dataset.table.cases.len()];
            return Ok(Self { dataset, is_measured });
        };
        let dataset = DatasetFile::of_bytes(path, text.as_bytes(), &choice)?;
        let remarks = of_dialect.into_iter().chain(dataset.remarks).collect();
        let sha256 = hash_of_bytes(bytes);
        Ok(Self { dataset: DatasetFile { sha256, remarks, ..dataset }, is_measured })
    }
}

/// The text with an energy of zero in each row that has none, and which rows have one; `None` where
/// all have one, or have one of another unit.
fn with_all_energies(text: &str) -> Option<(String, Vec<bool>)> {
    let mut reader = csv_text::reader(text);
    let header = reader.headers().ok()?.clone();
    let at = header.iter().position(|name| name == ENERGY);
    if at.is_none() && header.iter().any(|name| name.to_lowercase().starts_with("energy")) {
        return None;
    }
    let records: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().ok()?;
    let has_energy = |record: &csv::StringRecord| {
        at.is_some_and(|at| !record.get(at).unwrap_or("").trim().is_empty())
    };
    let is_measured: Vec<bool> = records.iter().map(has_energy).collect();
    if is_measured.iter().all(|is| *is) {
        return None;
    }
    let more = |field: &'static str| at.is_none().then_some(field);
    let mut completed = CsvText::new(header.iter().chain(more(ENERGY)));
    for (record, has_energy) in records.iter().zip(&is_measured) {
        let is_missing = |place: usize| Some(place) == at && !has_energy;
        let fields = record.iter().enumerate();
        let fields = fields.map(|(place, text)| if is_missing(place) { "0" } else { text });
        completed.row(fields.chain(more("0")));
    }
    Some((completed.text(), is_measured))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_without_energy_are_only_counted() {
        let (text, is_measured) = with_all_energies("case,energy_j,a\nx,2,1\ny, ,3\n").unwrap();
        assert_eq!(
            (text.as_str(), is_measured),
            ("case,energy_j,a\nx,2,1\ny,0,3\n", vec![true, false])
        );
        let (text, is_measured) = with_all_energies("case,a\nx,1\n").unwrap();
        assert_eq!((text.as_str(), is_measured), ("case,a,energy_j\nx,1,0\n", vec![false]));
        assert_eq!(with_all_energies("case,energy_j,a\nx,2,1\n"), None);
        assert_eq!(with_all_energies("case,energy_mj,a\nx,2,1\n"), None);
    }

    #[test]
    fn remarks_are_of_the_file_whether_energies_are_missing_or_not() {
        let path = Path::new("cases.csv");
        for (energy, is_measured) in [("", false), ("2,5", true)] {
            let text = format!("case;energy_j;duration_ms;a\nx;{energy};1500,5;1\n");
            let found = CaseTable::of_bytes(path, text.as_bytes()).unwrap();
            assert_eq!(found.is_measured, [is_measured]);
            assert_eq!(found.dataset.table.cases[0].duration_s, Some(1.5005));
            assert_eq!(found.dataset.sha256, hash_of_bytes(text.as_bytes()));
            let remarks = found.dataset.remarks.join("; ");
            for part in ["semicolons between cells", "`duration_ms` times 0.001 is seconds"] {
                assert!(remarks.contains(part), "{energy:?}: {remarks}");
            }
        }
    }
}
