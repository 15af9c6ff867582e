//! The rows of a CSV of any size, read in blocks: as [`Table::from_csv`] reads them, but
//! never all at once.

use std::io::Read;

use super::cases::Case;
#[cfg(doc)]
use super::cases::Table;
use super::from_csv::{CaseRecord, ColumnChoice, Places, TableError, find_columns};
use super::rows::{Block, Rows, RowsError, Take};

/// Rows of a block.
const ROWS: usize = 2048;

/// Opens the text anew for every pass.
pub type Open<'o> = Box<dyn Fn() -> std::io::Result<Box<dyn Read>> + 'o>;

/// A CSV that can be read again and again.
pub struct CsvRows<'o> {
    open: Open<'o>,
    places: Places,
    features: Vec<String>,
}

impl<'o> CsvRows<'o> {
    /// Reads the header and finds the columns.
    pub fn new(open: Open<'o>, choice: &ColumnChoice) -> Result<Self, RowsError> {
        let mut reader = reader(&open)?;
        let names = reader.headers().map_err(TableError::from)?.iter();
        let names = names.map(|name| name.trim_start_matches('\u{feff}').to_string()).collect();
        let places = find_columns(names, choice)?;
        let features = places.features.iter().map(|place| places.names[*place].clone()).collect();
        Ok(Self { open, places, features })
    }

    fn each(&self, take: Take<'_>, with_counts: WithCounts) -> Result<(), RowsError> {
        let mut reader = reader(&self.open)?;
        let mut record = csv::StringRecord::new();
        let (mut first, mut cases, mut counts) = (0, Vec::with_capacity(ROWS), Vec::new());
        while reader.read_record(&mut record).map_err(TableError::from)? {
            let row = CaseRecord {
                places: &self.places,
                record: &record,
                number: first + cases.len() + 1,
            };
            cases.push(row.case()?);
            if with_counts == WithCounts::Yes {
                for place in &self.places.features {
                    counts.push(row.number(*place, "a feature")?);
                }
            }
            if cases.len() == ROWS {
                give(take, &mut first, &mut cases, &mut counts);
            }
        }
        if first == 0 && cases.is_empty() {
            return Err(TableError::NoRows.into());
        }
        give(take, &mut first, &mut cases, &mut counts);
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WithCounts {
    Yes,
    No,
}

fn reader(open: &Open<'_>) -> Result<csv::Reader<Box<dyn Read>>, RowsError> {
    let text = open().map_err(|error| RowsError::Read { message: error.to_string() })?;
    Ok(csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text))
}

fn give(take: Take<'_>, first: &mut usize, cases: &mut Vec<Case>, counts: &mut Vec<f64>) {
    if !cases.is_empty() {
        take(Block { first: *first, cases, counts });
    }
    *first += cases.len();
    cases.clear();
    counts.clear();
}

impl Rows for CsvRows<'_> {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn each_outline(&self, take: Take<'_>) -> Result<(), RowsError> {
        self.each(take, WithCounts::No)
    }

    fn each_block(&self, take: Take<'_>) -> Result<(), RowsError> {
        self.each(take, WithCounts::Yes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::Table;
    use super::*;

    fn rows_of(text: &'static str, choice: &ColumnChoice) -> Result<CsvRows<'static>, RowsError> {
        CsvRows::new(Box::new(move || Ok(Box::new(text.as_bytes()))), choice)
    }

    #[test]
    fn blocks_hold_what_the_table_holds() {
        let text: String = (0..5000).map(|i| format!("c{i},{},{i},2\n", i * 2)).collect();
        let text: &'static str = Box::leak(format!("case,energy_j,a,b\n{text}").into_boxed_str());
        let table = Table::from_csv(text, &ColumnChoice::default()).unwrap();
        let rows = rows_of(text, &ColumnChoice::default()).unwrap();
        let (mut cases, mut counts, mut outline) = (Vec::new(), Vec::new(), Vec::new());
        rows.each_block(&mut |block| {
            assert_eq!(block.first, cases.len());
            cases.extend_from_slice(block.cases);
            counts.extend_from_slice(block.counts);
        })
        .unwrap();
        rows.each_outline(&mut |block| outline.extend_from_slice(block.cases)).unwrap();
        assert_eq!(rows.features(), table.features);
        assert_eq!((&cases, &counts, &outline), (&table.cases, &table.counts, &table.cases));
    }

    #[test]
    fn a_bad_cell_is_named_as_in_a_table() {
        let rows = rows_of("energy_j,a\n1,2\n3,x\n", &ColumnChoice::default()).unwrap();
        let message = rows.each_block(&mut |_| ()).unwrap_err().to_string();
        assert!(message.contains("line 3") && message.contains("`a`"), "{message}");
        assert!(rows_of("a,b\n1,2\n", &ColumnChoice::default()).is_err());
        let none = rows_of("energy_j,a\n", &ColumnChoice::default()).unwrap();
        assert!(none.each_outline(&mut |_| ()).is_err());
    }
}
