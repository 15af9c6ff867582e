//! A data set in a file, and the files beside it: provenance and counts by context.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

use crate::failure::{Failure, message_with_causes};
use crate::folder::{Artifact, CampaignFolder, names, read_artifact};
use crate::input_file;
use crate::model::table::{ColumnChoice, Table, TableRows};
use crate::model::{ContextPrice, FoldUnit};
use crate::toolchain::artifact::hash_of_bytes;

use super::{CampaignData, CaseMixes, ContextsError, DatasetOmission, weigh_table};

/// The part of `dataset.toml` that other stages use.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DatasetFacts {
    /// Name of the scenario.
    pub scenario: Option<String>,
    /// Model of the board.
    pub board: Option<String>,
    /// Whether the board is virtual.
    pub virtual_board: Option<bool>,
    /// Power meter.
    pub meter: Option<String>,
    /// Rails whose power was added up.
    pub rails: Vec<String>,
    /// Fixed frequency in kHz.
    pub frequency_khz: Option<u64>,
    /// Runs and cases that are not in the data set.
    pub left_out: Vec<DatasetOmission>,
    /// Whether the rows are windows of sessions, for which the file has facts by board.
    #[serde(rename = "windows", deserialize_with = "are_there")]
    pub has_windows: bool,
}

/// Deserialises a list as whether it has elements.
fn are_there<'de, D: Deserializer<'de>>(windows: D) -> Result<bool, D::Error> {
    Vec::<toml::Table>::deserialize(windows).map(|windows| !windows.is_empty())
}

impl DatasetFacts {
    /// The unit that is held out together in cross-validation: the windows of one case, or single
    /// cases.
    pub fn held_out_unit(&self) -> FoldUnit {
        if self.has_windows { FoldUnit::Group } else { FoldUnit::Case }
    }

    /// Reads the facts in `dataset.toml` beside a data set; empty if there is no such file.
    pub fn beside(dataset: &Path) -> Result<DatasetFacts, Failure> {
        let path: PathBuf = dataset.with_extension("toml");
        match input_file::read_text(&path) {
            Ok(text) => toml::from_str(&text).map_err(|error| Failure::input(&path, error)),
            Err(_) => Ok(DatasetFacts::default()),
        }
    }
}

/// A data set that was read from a file, with the file's hash.
#[derive(Debug, Clone)]
pub struct DatasetFile {
    /// Path of the file.
    pub path: PathBuf,
    /// SHA-256 of the file.
    pub sha256: String,
    /// Table of the cases.
    pub table: Table,
    /// Remarks for the user about the format of the file.
    pub remarks: Vec<String>,
}

impl DatasetFile {
    /// Reads a data set with the columns of a campaign's.
    pub fn read(path: &Path) -> Result<DatasetFile, Failure> {
        DatasetFile::read_columns(path, &ColumnChoice::default())
    }

    /// Reads a table of any origin, with the chosen columns.
    pub fn read_columns(path: &Path, choice: &ColumnChoice) -> Result<DatasetFile, Failure> {
        let bytes = input_file::read(path).map_err(Failure::io("read", path))?;
        DatasetFile::of_bytes(path, &bytes, choice)
    }

    /// Reads a table of any origin from the bytes of its file, with the chosen columns.
    pub fn of_bytes(
        path: &Path,
        bytes: &[u8],
        choice: &ColumnChoice,
    ) -> Result<DatasetFile, Failure> {
        let rows = TableRows::of_csv(bytes, choice);
        let read = rows.and_then(|rows| Ok((Table::from_rows(&rows)?, rows.remarks()?)));
        let (table, remarks) =
            read.map_err(|error| Failure::input(path, message_with_causes(&error)))?;
        Ok(DatasetFile { path: path.into(), sha256: hash_of_bytes(bytes), table, remarks })
    }

    /// The data set with its counts weighed by the costs of contexts, if there are counts by
    /// context beside it.
    pub fn with_weighed_counts(self, prices: &[ContextPrice]) -> Result<DatasetFile, Failure> {
        let table = weigh_table(self.table, &mixes_beside(&self.path)?, prices);
        Ok(DatasetFile { table, ..self })
    }
}

/// `contexts.csv`.
impl Artifact for CaseMixes {
    const NAME: &'static str = names::CONTEXTS;
    type ParseError = ContextsError;

    fn render(&self) -> Result<String, Failure> {
        self.to_csv().map_err(|error| Failure::input(names::CONTEXTS, error))
    }

    fn parse(text: &str) -> Result<Self, ContextsError> {
        CaseMixes::from_csv(text)
    }
}

/// Reads the executions by context of a data set's cases; empty if there is no such file beside it.
fn mixes_beside(dataset: &Path) -> Result<CaseMixes, Failure> {
    let path = dataset.with_file_name(names::CONTEXTS);
    match path.is_file() {
        true => read_artifact(&path),
        false => Ok(CaseMixes::default()),
    }
}

impl CampaignData {
    /// Reads the data set of a file, with the files beside it.
    ///
    /// # Errors
    /// One of the files can't be read.
    pub fn read(dataset: &Path) -> Result<CampaignData, Failure> {
        let DatasetFile { path, sha256, table, .. } = DatasetFile::read(dataset)?;
        let (mixes, facts) = (mixes_beside(&path)?, DatasetFacts::beside(&path)?);
        Ok(CampaignData { table, mixes, facts, sha256 })
    }
}

impl CampaignFolder {
    /// Reads the data set, with its facts and counts by context.
    pub fn dataset(&self) -> Result<CampaignData, Failure> {
        CampaignData::read(&self.file(names::DATASET))
    }

    /// Reads the facts about the data set.
    pub fn dataset_facts(&self) -> Result<DatasetFacts, Failure> {
        DatasetFacts::beside(&self.file(names::DATASET))
    }
}
