//! Cases to predict from a table, of which some or all may have no measured energy.

use std::path::Path;

use wattline_units::dialect::read_plain_csv;

use crate::cli::progress;
use crate::csv_text;
use crate::dataset::DatasetFile;
use crate::failure::{Failure, message_with_causes};
use crate::input_file;
use crate::model::table::{ColumnChoice, Table};

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
        let plain = read_plain_csv(&bytes).ok();
        let completed =
            plain.and_then(|(text, dialect)| Some((with_all_energies(&text)?, dialect.remark())));
        let Some(((text, is_measured), remark)) = completed else {
            let dataset = DatasetFile::read(path)?;
            progress::print_remarks(path, &dataset.remarks);
            let is_measured = vec![true; dataset.table.cases.len()];
            return Ok(Self { dataset, is_measured });
        };
        let table = Table::from_csv(text, &ColumnChoice::default())
            .map_err(|error| Failure::input(path, message_with_causes(&error)))?;
        let (sha256, remarks) = (String::new(), Vec::from_iter(remark));
        progress::print_remarks(path, &remarks);
        Ok(Self { dataset: DatasetFile { path: path.into(), sha256, table, remarks }, is_measured })
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
    let mut writer = csv::Writer::from_writer(Vec::new());
    let more = at.is_none().then_some(ENERGY);
    writer.write_record(header.iter().chain(more)).ok()?;
    let mut is_measured = Vec::new();
    for record in reader.records() {
        let record = record.ok()?;
        let has_energy = at.is_some_and(|at| !record.get(at).unwrap_or("").trim().is_empty());
        is_measured.push(has_energy);
        let field = |(place, text): (usize, _)| {
            if Some(place) == at && !has_energy { "0" } else { text }
        };
        let more = at.is_none().then_some("0");
        writer.write_record(record.iter().enumerate().map(field).chain(more)).ok()?;
    }
    if is_measured.iter().all(|is| *is) {
        return None;
    }
    let text = String::from_utf8(writer.into_inner().ok()?).ok()?;
    Some((csv_text::guard_formulas(text), is_measured))
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
}
