//! Energy tables of one recording or campaign: rows of energy by key, in whole attounits, so that
//! sums over recordings are exact in whatever order and grouping. SQL adds them up:
//! docs/reference/energies.md has the columns and the queries.
//!
//! Owns no input or output: values in, the bytes of a Parquet file out. A new kind of rows needs
//! a file with a function from values to [`EnergyRows`].

mod accounts;
mod activities;
mod column;
#[cfg(feature = "parquet")]
mod parquet;
mod recording;
mod tenants;

pub use accounts::of_accounts;
pub use activities::of_activities;
pub use column::{ColumnValues, EnergyColumn};
pub use recording::of_recording;
pub use tenants::of_tenants;

use crate::attribution::QuantityTooLarge;

/// Version of the columns and their meanings.
pub const FORMAT: i32 = 1;

/// Rows of energy by key, from one recording or campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyRows {
    /// Kind of the rows: `tenants`, `activities`, `accounts`.
    pub kind: &'static str,
    /// The columns, all of one length.
    pub columns: Vec<EnergyColumn>,
}

/// Error of creating or writing energy rows.
#[derive(Debug, thiserror::Error)]
pub enum EnergyRowsError {
    /// A quantity that is too large for the columns.
    #[error(transparent)]
    TooLarge(#[from] QuantityTooLarge),
    /// The Parquet writer rejected the columns.
    #[cfg(feature = "parquet")]
    #[error("can't be written as Parquet: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The columns are inconsistent.
    #[cfg(feature = "parquet")]
    #[error("can't be written as Parquet: {0}")]
    Arrow(#[from] arrow_schema::ArrowError),
}

impl EnergyRows {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Thirty-two hexadecimal digits that identify the rows: equal for two copies of one
    /// recording, whatever their file names.
    pub fn part(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.kind.as_bytes());
        for column in &self.columns {
            hasher.update(format!("{} {:?}\n", column.name, column.values).as_bytes());
        }
        let mut digits = hasher.finalize().to_hex().to_string();
        digits.truncate(32);
        digits
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests;
