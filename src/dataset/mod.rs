//! Records -> the table that models are fitted to, and any other CSV that has an
//! energy column and feature columns. Pure; `docs/energy.md` has the definitions.

pub mod assemble;
pub mod contexts;
pub mod csv_rows;
pub mod energy;
pub mod features;
pub mod from_csv;
pub mod kernels;
pub mod library;
pub mod output;
#[cfg(feature = "parquet")]
pub mod parquet_rows;
pub mod rows;
pub mod table;
pub mod windows;

pub use assemble::{
    AssembleOptions, Dataset, DatasetError, IdlePolicy, LeftOut, MeasuredCase, Windows, assemble,
    lump_cases,
};
pub use contexts::{CaseMixes, ContextsError};
pub use csv_rows::CsvRows;
pub use energy::{CaseEnergy, IdleRun, PowerRun, case_energy};
pub use features::FeaturesError;
pub use from_csv::{ColumnChoice, TableError};
pub use kernels::{KernelEnergy, KernelError, kernel_rows};
pub use library::{GARBAGE_COLLECTION, LIBRARY_OTHER, LibraryTop};
pub use output::{Provenance, dataset_to_csv, dataset_to_toml, energies_to_csv};
#[cfg(feature = "parquet")]
pub use parquet_rows::ParquetRows;
pub use rows::{BLOCK_ROWS, Block, Rows, RowsError, Take};
pub use table::{Case, Table};
