//! Rows in blocks: a data set that need not fit into memory, read as often as needed.

use thiserror::Error;

use super::cases::{Case, Table};
use super::from_csv::TableError;

/// Rows of a block where the source chooses: some megabytes of counts.
pub const BLOCK_ROWS: usize = 4096;

/// Some consecutive rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block<'a> {
    /// Number of the first row in the data set, from 0.
    pub first: usize,
    /// What is known of the cases beside their counts.
    pub cases: &'a [Case],
    /// Counts, row-major, rows x l.
    pub counts: &'a [f64],
}

/// Rows that could not be read.
#[derive(Debug, Error)]
pub enum RowsError {
    /// The table at fault.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The file at fault.
    #[error("the rows could not be read: {message}")]
    Read {
        /// What the reader says.
        message: String,
    },
}

/// What is done with a block.
pub type Take<'t> = &'t mut dyn FnMut(Block<'_>);

/// A data set that gives its rows in blocks, in the same order every time.
pub trait Rows {
    /// Column names, length l.
    fn features(&self) -> &[String];

    /// Reads the cases without their counts, in blocks whose `counts` are empty.
    fn each_outline(&self, take: Take<'_>) -> Result<(), RowsError>;

    /// Reads all.
    fn each_block(&self, take: Take<'_>) -> Result<(), RowsError>;
}

impl Table {
    /// All rows at once.
    ///
    /// # Errors
    /// Those of the reading.
    pub fn from_rows(rows: &dyn Rows) -> Result<Self, RowsError> {
        let mut table = Self { features: rows.features().to_vec(), ..Self::default() };
        rows.each_block(&mut |block| {
            table.cases.extend_from_slice(block.cases);
            table.counts.extend_from_slice(block.counts);
        })?;
        Ok(table)
    }
}

impl Rows for Table {
    fn features(&self) -> &[String] {
        &self.features
    }

    fn each_outline(&self, take: Take<'_>) -> Result<(), RowsError> {
        take(Block { first: 0, cases: &self.cases, counts: &[] });
        Ok(())
    }

    fn each_block(&self, take: Take<'_>) -> Result<(), RowsError> {
        let l = self.features.len();
        for (at, cases) in self.cases.chunks(BLOCK_ROWS).enumerate() {
            let first = at * BLOCK_ROWS;
            let counts = &self.counts[first * l..(first + cases.len()) * l];
            take(Block { first, cases, counts });
        }
        Ok(())
    }
}
