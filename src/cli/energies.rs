//! `--partial FILE` of `tenants`, `activities` and `account`: rows of energy by key, which SQL
//! adds up over recordings.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::attribution::QuantityTooLarge;
use crate::energies::EnergyRows;
use crate::failure::Failure;

use super::partial_file::PartialFile;
use super::progress;

/// Flag `--partial`: file for rows of energy by key.
#[derive(Debug, Args)]
pub struct EnergiesArgument {
    /// Parquet file for rows of energy by key, which SQL adds up over recordings to the last
    /// digit (docs/reference/energies.md); `-` is standard output, where nothing else is written then.
    #[arg(long, value_name = "FILE")]
    partial: Option<PathBuf>,
}

impl EnergiesArgument {
    /// Opens the file for the rows, if the flag is given; refuses an existing one before any work
    /// is done.
    pub fn open(&self, force: bool) -> Result<Option<EnergyRowsFile>, Failure> {
        self.partial.as_deref().map(|path| EnergyRowsFile::open(path, force)).transpose()
    }
}

/// Parquet file or standard output for rows of energy by key.
#[derive(Debug)]
pub struct EnergyRowsFile {
    file: PartialFile,
}

impl EnergyRowsFile {
    /// Checks that a file can be written: it does not exist or is to be replaced; `-` is standard
    /// output.
    pub fn open(path: &Path, force: bool) -> Result<Self, Failure> {
        if cfg!(not(feature = "parquet")) {
            let why = "--partial: this build has no Parquet; build with it (the default)";
            return Err(Failure::Usage(why.into()));
        }
        Ok(Self { file: PartialFile::open(path, force)? })
    }

    /// Whether the rows go to standard output, so that nothing else may be written there.
    pub fn is_standard_output(&self) -> bool {
        self.file.is_standard_output()
    }

    /// Writes the rows of a recording under its name.
    pub fn write_rows(
        &self,
        recording: &str,
        rows: Result<EnergyRows, QuantityTooLarge>,
    ) -> Result<(), Failure> {
        let rows = rows.map_err(|error| Failure::input(recording, error))?;
        self.file.put(&parquet_bytes(&rows, recording)?)?;
        if !self.is_standard_output() {
            progress::say(format!("written: {}", self.file.path().display()));
        }
        Ok(())
    }
}

/// Parquet bytes of the rows of a recording.
#[cfg(feature = "parquet")]
fn parquet_bytes(rows: &EnergyRows, recording: &str) -> Result<Vec<u8>, Failure> {
    rows.to_parquet(recording).map_err(|error| Failure::input(recording, error))
}

#[cfg(not(feature = "parquet"))]
fn parquet_bytes(_: &EnergyRows, _: &str) -> Result<Vec<u8>, Failure> {
    unreachable!("refused before")
}
