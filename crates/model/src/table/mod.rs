//! The table that models are fitted to: cases by features with energies, and its readers:
//! any CSV or Parquet files or Arrow stream with an energy column and feature columns, as a
//! whole or in blocks of columns.

#[cfg(feature = "parquet")]
mod arrow_block;
#[cfg(feature = "parquet")]
mod arrow_messages;
#[cfg(feature = "parquet")]
mod arrow_stream;
mod block;
mod cases;
mod column_units;
mod columns;
mod csv_part;
mod error;
mod features;
mod library;
#[cfg(feature = "parquet")]
mod parquet_deltas;
#[cfg(feature = "parquet")]
mod parquet_pages;
#[cfg(feature = "parquet")]
mod parquet_part;
mod part;
mod rows;

#[cfg(feature = "parquet")]
pub use arrow_stream::{ARROW_FILE, ArrowFilePart, ArrowStreamPart};
pub use block::{RowBlock, RowTexts, TextColumn};
pub use cases::{Case, Table};
pub use columns::{ColumnChoice, ColumnType, FIXED_COLUMNS, TableColumn};
pub use csv_part::CsvPart;
pub use error::TableError;
pub use features::FeaturesError;
pub use library::{GARBAGE_COLLECTION, LIBRARY_OTHER, LibraryTop, lump_library_functions};
#[cfg(feature = "parquet")]
pub use parquet_part::ParquetPart;
pub use part::{TablePart, TableRows, UnopenedPart};
pub use rows::{BLOCK_ROWS, BlockHandler, PassColumns, RowSource, numbers_in_memory};

#[cfg(test)]
#[cfg(feature = "parquet")]
mod damage_tests;
