//! `--partial FILE` of `tenants`, `activities` and `account`: rows of energy by key, which SQL
//! adds up over recordings.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::attribution::TooLarge;
use crate::energies::EnergyRows;
use crate::failure::Failure;

use super::partial_file::PartialFile;
use super::progress;

/// The flag.
#[derive(Debug, Args)]
pub struct EnergiesArgument {
    /// Parquet file for rows of energy by key, which SQL adds up over recordings to the last
    /// digit (docs/energies.md); `-` is standard output, where nothing else is written then.
    #[arg(long, value_name = "FILE")]
    partial: Option<PathBuf>,
}

impl EnergiesArgument {
    /// Where the rows go, if they are wanted: said before any work is done.
    pub fn open(&self, force: bool) -> Result<Option<Energies>, Failure> {
        self.partial.as_deref().map(|path| Energies::open(path, force)).transpose()
    }
}

/// Where rows of energy go.
#[derive(Debug)]
pub struct Energies {
    file: PartialFile,
}

impl Energies {
    /// A file that is not there yet, or is to be replaced; `-` is standard output.
    pub fn open(path: &Path, force: bool) -> Result<Self, Failure> {
        if cfg!(not(feature = "parquet")) {
            let why = "--partial: this build has no Parquet; build with it (the default)";
            return Err(Failure::Usage(why.into()));
        }
        Ok(Self { file: PartialFile::open(path, force)? })
    }

    /// Whether nothing else may be written to standard output.
    pub fn is_standard_output(&self) -> bool {
        self.file.is_standard_output()
    }

    /// Writes the rows of a recording, by its name.
    pub fn put(&self, recording: &str, rows: Result<EnergyRows, TooLarge>) -> Result<(), Failure> {
        let rows = rows.map_err(|error| Failure::input(recording, error))?;
        self.file.put(&bytes(&rows, recording)?)?;
        if !self.is_standard_output() {
            progress::say(format!("written: {}", self.file.path().display()));
        }
        Ok(())
    }
}

#[cfg(feature = "parquet")]
fn bytes(rows: &EnergyRows, recording: &str) -> Result<Vec<u8>, Failure> {
    rows.to_parquet(recording).map_err(|error| Failure::input(recording, error))
}

#[cfg(not(feature = "parquet"))]
fn bytes(_: &EnergyRows, _: &str) -> Result<Vec<u8>, Failure> {
    unreachable!("refused before")
}
