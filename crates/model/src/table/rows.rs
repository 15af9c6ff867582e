//! Rows in blocks: a data set that need not fit into memory, read as often as needed.

use std::ops::ControlFlow;

use wattline_units::limits::TABLE_NUMBERS;

use super::block::{RowBlock, RowTexts, TextColumn, transpose};
use super::cases::{Case, Table};
use super::error::TableError;

/// Rows of a block where the source chooses: some megabytes of counts.
pub const BLOCK_ROWS: usize = 4096;

/// Columns that a pass over the rows reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassColumns {
    /// Columns of the cases, without their counts.
    Cases,
    /// All columns.
    Counts,
}

/// Size of a case beside its counts, in numbers.
const NUMBERS_OF_A_CASE: u64 = 16;

/// Returns the number of numbers that a table takes in memory: its features, and a fixed number for
/// the other fields of each row.
pub fn numbers_in_memory(rows: u64, features: usize) -> u64 {
    rows.saturating_mul(NUMBERS_OF_A_CASE.saturating_add(features as u64))
}

/// Function that handles a block of rows, and decides whether to go on.
pub type BlockHandler<'t> = &'t mut dyn FnMut(&RowBlock) -> ControlFlow<()>;

/// A data set that gives its rows in blocks, in the same order every time.
pub trait RowSource {
    /// Column names, length l.
    fn features(&self) -> &[String];

    /// Reads the rows from the first one on, and passes them to `take` block by block.
    ///
    /// # Errors
    /// Those of the reading; also where there are no rows.
    fn for_each_block(&self, wanted: PassColumns, take: BlockHandler<'_>)
    -> Result<(), TableError>;
}

impl Table {
    /// Reads all rows at once.
    ///
    /// # Errors
    /// Those of the reading; the table is too large to be held.
    pub fn from_rows(rows: &dyn RowSource) -> Result<Self, TableError> {
        let l = rows.features().len();
        let mut table = Self { features: rows.features().to_vec(), ..Self::default() };
        let (mut text_bytes, mut fits) = (0, Ok(()));
        rows.for_each_block(PassColumns::Counts, &mut |block| {
            let numbers = numbers_in_memory((table.cases.len() + block.rows()) as u64, l);
            text_bytes += block.text_bytes();
            fits = TABLE_NUMBERS.check(numbers.saturating_add(text_bytes / 8));
            if fits.is_err() {
                return ControlFlow::Break(());
            }
            let first = table.counts.len();
            table.counts.resize(first + block.counts.len(), 0.0);
            for (j, column) in (0..l).map(|j| (j, block.column(j))) {
                let places = table.counts[first..].iter_mut().skip(j).step_by(l);
                places.zip(column).for_each(|(place, count)| *place = *count);
            }
            table.cases.extend((0..block.rows()).map(|i| block.case(i)));
            ControlFlow::Continue(())
        })?;
        fits.map_err(TableError::too_large(
            "name fewer columns with --features, or a solver that reads rows in blocks (--solver \
             shrink, or sums with --partial)",
        ))?;
        Ok(table)
    }
}

impl RowSource for Table {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn for_each_block(
        &self,
        wanted: PassColumns,
        take: BlockHandler<'_>,
    ) -> Result<(), TableError> {
        let l = self.features.len();
        for (at, cases) in self.cases.chunks(BLOCK_ROWS).enumerate() {
            let first = at * BLOCK_ROWS;
            let mut block = block_of(cases, first);
            if wanted == PassColumns::Counts {
                let counts = &self.counts[first * l..(first + cases.len()) * l];
                transpose(counts, l, &mut block.counts);
            }
            if take(&block).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn block_of(cases: &[Case], first: usize) -> RowBlock {
    let texts = |of: fn(&Case) -> &str| {
        let mut column = TextColumn::default();
        cases.iter().for_each(|case| column.push(of(case)));
        Some(RowTexts::Each(column))
    };
    let numbers =
        |of: fn(&Case) -> Option<f64>| Some(cases.iter().map(of).collect::<Vec<Option<f64>>>());
    RowBlock {
        first,
        names: texts(|case| &case.name),
        groups: texts(|case| &case.group),
        devices: texts(|case| &case.device),
        energies_j: cases.iter().map(|case| case.energy_j).collect(),
        energies_se_j: numbers(|case| case.energy_se_j),
        durations_s: numbers(|case| case.duration_s),
        weights: cases.iter().map(|case| case.weight).collect(),
        executions: numbers(|case| case.executions),
        counts: Vec::new(),
    }
}
