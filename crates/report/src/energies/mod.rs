//! Partials of energies: rows of energy by key of one recording or campaign, in whole attounits,
//! so that sums over recordings are the same to the last digit in whatever order and division.
//! They are added up by SQL: docs/energies.md has the columns and the queries.
//!
//! Owns no input or output: values in, the bytes of a Parquet file out. To add a kind of rows: a
//! file with a function from values to [`EnergyRows`].

mod accounts;
mod activities;
mod column;
#[cfg(feature = "parquet")]
mod parquet;
mod recording;
mod tenants;

pub use accounts::of_accounts;
pub use activities::of_activities;
pub use column::{EnergyColumn, Values};
pub use recording::of_recording;
pub use tenants::of_tenants;

use crate::attribution::TooLarge;

/// Version of the columns and of what they mean.
pub const FORMAT: i32 = 1;

/// Rows of energy by key of one recording.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyRows {
    /// What the rows are of: `tenants`, `activities`, `accounts`.
    pub kind: &'static str,
    /// The columns, all of one length.
    pub columns: Vec<EnergyColumn>,
}

/// Why there is no partial.
#[derive(Debug, thiserror::Error)]
pub enum EnergyRowsError {
    /// A quantity that the columns don't hold.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// The writer refused the columns.
    #[cfg(feature = "parquet")]
    #[error("can't be written as Parquet: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The columns don't fit together.
    #[cfg(feature = "parquet")]
    #[error("can't be written as Parquet: {0}")]
    Arrow(#[from] arrow_schema::ArrowError),
}

impl EnergyRows {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.values.len())
    }

    /// Thirty-two digits that change with any row: the same recording twice has them twice,
    /// whatever its files are called.
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
