//! The rows of a CSV of any size, read in blocks.

use std::cell::Cell;
use std::io::Read;
use std::ops::ControlFlow;
use std::rc::Rc;

use wattline_units::csv_text;
use wattline_units::dialect::{PlainCsv, RowLimitedReader};
use wattline_units::limits::TABLE_COLUMNS;
use wattline_units::shortened::shortened_bytes;

use super::block::{RowBlock, RowTexts, TextColumn, transpose};
use super::cases::Table;
use super::columns::{ColumnChoice, ColumnPositions, ColumnType, TableColumn};
use super::error::TableError;
use super::part::{PartBlockHandler, TablePart, TableRows, UnopenedPart};
use super::rows::{BLOCK_ROWS, PassColumns};

/// Function that opens the text anew for every pass.
pub type OpenCsv<'o> = Box<dyn Fn() -> std::io::Result<Box<dyn Read + 'o>> + 'o>;

/// A CSV that can be read again and again.
pub struct CsvPart<'o> {
    open: OpenCsv<'o>,
}

impl Table {
    /// Reads a table of any dialect. Rows without a case name are named by their number.
    pub fn from_csv(text: impl AsRef<[u8]>, choice: &ColumnChoice) -> Result<Table, TableError> {
        Table::from_rows(&TableRows::of_csv(text.as_ref(), choice)?)
    }
}

impl<'o> TableRows<'o> {
    /// Reads the columns of a table of any dialect.
    ///
    /// # Errors
    /// It is no table as text, or columns are missing.
    pub fn of_csv(text: &'o [u8], choice: &ColumnChoice) -> Result<Self, TableError> {
        let part = move || CsvPart::new(Box::new(move || Ok(Box::new(text))));
        let open = move || Ok(Box::new(part()) as _);
        TableRows::new(vec![UnopenedPart::new("the table", open)], choice)
    }
}

impl<'o> CsvPart<'o> {
    /// Creates the part; nothing is read yet.
    pub fn new(open: OpenCsv<'o>) -> Self {
        Self { open }
    }

    /// Opens the text as plain CSV.
    fn open_plain(&self) -> Result<PlainCsv<Box<dyn Read + 'o>>, TableError> {
        (self.open)().and_then(PlainCsv::new).map_err(TableError::of_text)
    }

    /// Opens a reader of the rows, and returns the position, kept up to date, where the row begins
    /// that is read next.
    fn reader(&self) -> Result<(PlainReader<'o>, Rc<Cell<u64>>), TableError> {
        let (text, row_start) = RowLimitedReader::new(self.open_plain()?);
        // Cells are trimmed where they are read: the reader would copy every record for it.
        let reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::Headers)
            .buffer_capacity(BUFFER_BYTES)
            .from_reader(text);
        Ok((reader, row_start))
    }
}

type PlainReader<'o> = csv::Reader<RowLimitedReader<PlainCsv<Box<dyn Read + 'o>>>>;

/// Bytes that are read from a file at a time.
const BUFFER_BYTES: usize = 1 << 18;

impl TablePart for CsvPart<'_> {
    fn columns(&self) -> Result<Vec<TableColumn>, TableError> {
        let (mut reader, _) = self.reader()?;
        let headers = reader.headers()?;
        let remedy = "a table has a row for each case and a column for each feature";
        TABLE_COLUMNS.check(headers.len() as u64).map_err(TableError::too_large(remedy))?;
        let names = headers.iter();
        let names = names.map(|name| name.trim_start_matches('\u{feff}').trim());
        let names = names.map(|name| csv_text::without_guard(name).to_string());
        Ok(names.map(|name| TableColumn { name, kind: ColumnType::Any }).collect())
    }

    fn remark(&self) -> Result<Option<String>, TableError> {
        Ok(self.open_plain()?.dialect.remark())
    }

    fn for_each_block(
        &self,
        places: &ColumnPositions,
        wanted: PassColumns,
        fill: PartBlockHandler<'_>,
    ) -> Result<(), TableError> {
        let (mut reader, row_start) = self.reader()?;
        reader.byte_headers()?;
        row_start.set(reader.position().byte());
        let mut filling = BlockFiller::new(places, wanted);
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record)? {
            row_start.set(reader.position().byte());
            filling.add(&record)?;
            if filling.block.rows() == BLOCK_ROWS && filling.give_block(fill).is_break() {
                return Ok(());
            }
        }
        if filling.block.rows() > 0 {
            let _ = filling.give_block(fill);
        }
        Ok(())
    }
}

/// A block being filled.
struct BlockFiller<'p> {
    places: &'p ColumnPositions,
    wanted: PassColumns,
    block: RowBlock,
    /// Counts, row by row.
    counts: Vec<f64>,
}

impl<'p> BlockFiller<'p> {
    fn new(places: &'p ColumnPositions, wanted: PassColumns) -> Self {
        let texts = |place: Option<usize>| {
            place.filter(|place| *place < places.own).map(|_| RowTexts::Each(TextColumn::default()))
        };
        let block = RowBlock {
            names: texts(places.case),
            groups: texts(places.group),
            devices: texts(places.device),
            energies_se_j: places.se.map(|_| Vec::new()),
            durations_s: places.duration.map(|_| Vec::new()),
            weights: places.weight.map(|_| Vec::new()),
            ..RowBlock::default()
        };
        Self { places, wanted, block, counts: Vec::new() }
    }

    fn add(&mut self, record: &csv::ByteRecord) -> Result<(), TableError> {
        let (places, block) = (self.places, &mut self.block);
        let row = CsvRow { places, record, number: block.first + block.energies_j.len() + 1 };
        for (texts, place) in [
            (&mut block.names, places.case),
            (&mut block.groups, places.group),
            (&mut block.devices, places.device),
        ] {
            if let (Some(RowTexts::Each(column)), Some(place)) = (texts, place) {
                column.push_checked(csv_text::without_guard(&String::from_utf8_lossy(
                    row.cell(place),
                )))?;
            }
        }
        for (numbers, place) in
            [(&mut block.energies_se_j, places.se), (&mut block.durations_s, places.duration)]
        {
            if let (Some(numbers), Some(place)) = (numbers, place) {
                numbers.push(row.optional(place)?);
            }
        }
        if let (Some(weights), Some(place)) = (&mut block.weights, places.weight) {
            weights.push(row.number_from(place, "the weight", 0.0)?);
        }
        if self.wanted == PassColumns::Counts {
            for place in &places.features {
                self.counts.push(row.number_from(*place, "a feature", f64::NEG_INFINITY)?);
            }
        }
        let energy = row.number_from(places.target, "the target", f64::NEG_INFINITY)?;
        block.energies_j.push(energy);
        Ok(())
    }

    fn give_block(&mut self, fill: PartBlockHandler<'_>) -> ControlFlow<()> {
        transpose(&self.counts, self.places.features.len(), &mut self.block.counts);
        let flow = fill(&mut self.block);
        self.counts.clear();
        let block = &mut self.block;
        block.first += block.energies_j.len();
        for texts in [&mut block.names, &mut block.groups, &mut block.devices] {
            if let Some(RowTexts::Each(column)) = texts {
                column.clear();
            }
        }
        [&mut block.energies_se_j, &mut block.durations_s]
            .into_iter()
            .flatten()
            .for_each(Vec::clear);
        block.weights.iter_mut().for_each(Vec::clear);
        block.energies_j.clear();
        flow
    }
}

/// A row that is being read.
struct CsvRow<'r> {
    places: &'r ColumnPositions,
    record: &'r csv::ByteRecord,
    number: usize,
}

impl CsvRow<'_> {
    fn cell(&self, place: usize) -> &[u8] {
        self.record.get(place).unwrap_or_default().trim_ascii()
    }

    /// Returns the number in a cell, `None` for an absent or empty one; a duration or an error
    /// below 0 is refused.
    fn optional(&self, place: usize) -> Result<Option<f64>, TableError> {
        let filled = !self.cell(place).is_empty();
        filled.then(|| self.number_from(place, "", 0.0)).transpose()
    }

    #[inline]
    fn number_from(
        &self,
        place: usize,
        column_is: &'static str,
        least: f64,
    ) -> Result<f64, TableError> {
        let cell = self.record.get(place).unwrap_or_default();
        let number = parse_digits(cell).or_else(|| parse_number(cell));
        match number.filter(|x| x.is_finite() && *x >= least) {
            Some(number) => Ok(number),
            None => Err(self.cell_error(place, column_is, least)),
        }
    }

    #[cold]
    fn cell_error(&self, place: usize, column_is: &'static str, least: f64) -> TableError {
        TableError::BadCell {
            row: self.number,
            line: Some(self.record.position().map_or(0, csv::Position::line)),
            column: self.places.names[place].clone(),
            found: shortened_bytes(self.cell(place)),
            wanted: if least == 0.0 { "a finite number of 0 or more" } else { "a finite number" },
            column_is,
        }
    }
}

/// Parses a cell with so few digits that the number is exact: most cells.
fn parse_digits(cell: &[u8]) -> Option<f64> {
    if cell.is_empty() || cell.len() > 15 {
        return None;
    }
    let mut number = 0u64;
    for byte in cell {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    Some(number as f64)
}

fn parse_number(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell.trim_ascii()).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::table::{ColumnChoice, RowSource, TableError};

    const TEXT: &str = "case,group,device,duration_s,energy_j,energy_se_j,Add,lib:a\n\
        one,n,B1,100,2.5,0.1,10,3\n\
        two,s,B1,,-1,,20,9007199254740993\n";

    fn read(text: &str) -> Result<Table, TableError> {
        Table::from_csv(text, &ColumnChoice::default())
    }

    fn choice(change: impl Fn(&mut ColumnChoice)) -> ColumnChoice {
        let mut choice = ColumnChoice::default();
        change(&mut choice);
        choice
    }

    #[test]
    fn the_data_sets_own_columns_are_the_default() {
        let table = read(TEXT).unwrap();
        assert_eq!(table.features, ["Add", "lib:a"]);
        assert_eq!(table.row(1), [20.0, 9_007_199_254_740_993.0]);
        let case = &table.cases[0];
        assert_eq!((case.name.as_str(), case.group.as_str()), ("one", "n"));
        assert_eq!((case.duration_s, case.energy_se_j), (Some(100.0), Some(0.1)));
        let case = &table.cases[1];
        assert_eq!((case.energy_j, case.duration_s, case.energy_se_j), (-1.0, None, None));
        assert_eq!(read(&format!("\u{feff}{}", TEXT.replace('\n', "\r\n"))).unwrap(), table);
    }

    #[test]
    fn any_csv_can_be_read_by_naming_its_columns() {
        let text = "program,power,w,a,b,note\nx,1.5,2,3,4,hello\ny,2.5,1,5,6,\n";
        let choice = choice(|choice| {
            choice.target = Some("power".into());
            choice.group = Some("program".into());
            choice.weight = Some("w".into());
            choice.features = Some("a..b".into());
        });
        let table = Table::from_csv(text, &choice).unwrap();
        assert_eq!(table.features, ["a", "b"]);
        assert_eq!(table.cases[1].name, "2");
        assert_eq!((table.cases[1].group.as_str(), table.cases[1].weight), ("y", Some(1.0)));
        assert_eq!(table.counts, [3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn what_is_no_number_is_refused_with_its_place() {
        let message = |from: &str, to: &str| read(&TEXT.replace(from, to)).unwrap_err().to_string();
        assert_eq!(
            message(",20,", ",nan,"),
            "row 2 (line 3), column `Add`: \"nan\" is not a finite number; leave the column out \
             with --features"
        );
        assert!(message("2.5", "inf").starts_with("row 1 (line 2), column `energy_j`"));
        assert!(message(",-1,", ",,").contains("column `energy_j`: \"\""));
        assert!(message("0.1", "-0.1").contains("not a finite number of 0 or more"));
        assert!(message(",10,", ",1e999,").contains("column `Add`"));
    }

    #[test]
    fn tables_without_what_is_needed_are_errors() {
        let message = |text: &str| read(text).unwrap_err().to_string();
        let misspelled = message("case,energy,Add\na,1,2\n");
        assert_eq!(misspelled, "there is no column `energy_j` (--target); did you mean `energy`?");
        assert_eq!(
            message("energy_j,a,a\n1,2,3\n"),
            "column `a` is there twice; rename one of them"
        );
        assert_eq!(message("energy_j,a\n"), "the table has no rows");
        assert!(message("energy_j,case\n1,2\n").contains("no feature column"));
        assert!(matches!(read("energy_j,a\n1,2\n1,2,3\n"), Err(TableError::Csv(_))));
        assert!(message("energy_j,a\n1,2,3,4\n").contains("decimal marks as well as separators"));
        assert!(read("").is_err());
        let missing = choice(|choice| choice.weight = Some("w".into()));
        let error = Table::from_csv(TEXT, &missing).unwrap_err().to_string();
        assert_eq!(error, "there is no column `w` (--weight)");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_counts_are_finite(text in "[a-c,0-9.\"\n-]{0,80}") {
            let text = format!("case,energy_j,a,b\n{text}");
            if let Ok(table) = Table::from_csv(&text, &ColumnChoice::default()) {
                prop_assert_eq!(table.counts.len(), table.cases.len() * 2);
                prop_assert!(table.counts.iter().all(|count| count.is_finite()));
            }
        }

        #[test]
        fn no_feature_list_panics(list in "[a-c.*, ]{0,20}") {
            let choice = choice(|choice| choice.features = Some(list.clone()));
            let _ = Table::from_csv("energy_j,a,ab,b\n1,2,3,4\n", &choice);
        }
    }

    #[test]
    fn another_target_leaves_the_energy_out() {
        let choice = choice(|choice| choice.target = Some("Add".into()));
        let table = Table::from_csv(TEXT, &choice).unwrap();
        assert_eq!(table.features, ["lib:a"]);
        assert_eq!((table.cases[0].energy_j, table.cases[0].energy_se_j), (10.0, None));
    }

    fn rows_of(text: &'static str) -> Result<TableRows<'static>, TableError> {
        let part = move || CsvPart::new(Box::new(move || Ok(Box::new(text.as_bytes()))));
        let open = move || Ok(Box::new(part()) as _);
        TableRows::new(vec![UnopenedPart::new("text", open)], &ColumnChoice::default())
    }

    #[test]
    fn blocks_hold_what_the_table_holds() {
        let text: String = (0..9000).map(|i| format!("c{i},{}, {i},2.5\n", i * 2)).collect();
        let text: &'static str = Box::leak(format!("case,energy_j,a,b\n{text}").into_boxed_str());
        let rows = rows_of(text).unwrap();
        let (mut found, mut outline) = (0, Vec::new());
        rows.for_each_block(PassColumns::Counts, &mut |block| {
            assert_eq!(block.first, found);
            for i in 0..block.rows() {
                let at = (found + i) as f64;
                assert_eq!((block.column(0)[i], block.column(1)[i]), (at, 2.5));
                assert_eq!(block.case(i).energy_j, 2.0 * at);
            }
            found += block.rows();
            ControlFlow::Continue(())
        })
        .unwrap();
        rows.for_each_block(PassColumns::Cases, &mut |block| {
            assert!(block.counts.is_empty());
            outline.extend((0..block.rows()).map(|i| block.name(i)));
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!((found, outline.len(), outline[8999].as_str()), (9000, 9000, "c8999"));
    }

    #[test]
    fn a_pass_can_end_early() {
        let text: String = (0..9000).map(|i| format!("{i},1\n")).collect();
        let rows = rows_of(Box::leak(format!("energy_j,a\n{text}").into_boxed_str())).unwrap();
        let mut blocks = 0;
        rows.for_each_block(PassColumns::Counts, &mut |_| {
            blocks += 1;
            ControlFlow::Break(())
        })
        .unwrap();
        assert_eq!(blocks, 1);
    }

    #[test]
    fn digits_are_the_numbers_that_they_say() {
        for text in ["0", "7", "000123", "999999999999999", "", "12a", "-3", "1234567890123456"] {
            let plain = text.len() < 16 && text.parse::<u64>().is_ok();
            assert_eq!(
                parse_digits(text.as_bytes()),
                plain.then(|| text.parse().unwrap()),
                "{text}"
            );
        }
    }
}
