//! The table that models are fitted to: cases by features with energies, and its readers:
//! any CSV or Parquet file that has an energy column and feature columns, as a whole or in
//! blocks of rows.

mod cases;
mod csv_rows;
mod features;
mod from_csv;
mod library;
#[cfg(feature = "parquet")]
mod parquet_rows;
mod rows;

pub use cases::{Case, Table};
pub use csv_rows::CsvRows;
pub use features::FeaturesError;
pub use from_csv::{ColumnChoice, FIXED_COLUMNS, TableError};
pub use library::{GARBAGE_COLLECTION, LIBRARY_OTHER, LibraryTop, lump};
#[cfg(feature = "parquet")]
pub use parquet_rows::ParquetRows;
pub use rows::{BLOCK_ROWS, Block, Rows, RowsError, Take};
