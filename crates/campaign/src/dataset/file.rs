//! A data set in a file, with what lies beside it: where it comes from, and its counts by
//! context.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

use crate::failure::{Failure, with_causes};
use crate::folder::{Artifact, CampaignFolder, names, read_text};
use crate::input_file;
use crate::model::table::{ColumnChoice, Table, TableRows};
use crate::model::{ContextPrice, FoldUnit};
use crate::toolchain::artifact::hash_of_bytes;

use super::{CampaignData, CaseMixes, ContextsError, LeftOut, weighed};

/// What `dataset.toml` says, as far as other stages want to know.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DatasetFacts {
    /// The scenario's name.
    pub scenario: Option<String>,
    /// The board.
    pub board: Option<String>,
    /// Whether it is a virtual one.
    pub virtual_board: Option<bool>,
    /// The meter.
    pub meter: Option<String>,
    /// Rails whose power was added up.
    pub rails: Vec<String>,
    /// Fixed frequency in kHz.
    pub frequency_khz: Option<u64>,
    /// Runs and cases that are not in the data set.
    pub left_out: Vec<LeftOut>,
    /// Whether its rows are windows of sessions, of which something is said by board.
    #[serde(rename = "windows", deserialize_with = "are_there")]
    pub has_windows: bool,
}

/// Whether a list has anything.
fn are_there<'de, D: Deserializer<'de>>(windows: D) -> Result<bool, D::Error> {
    Vec::<toml::Table>::deserialize(windows).map(|windows| !windows.is_empty())
}

impl DatasetFacts {
    /// What is held out together: windows of one case, or single cases.
    pub fn fold_unit(&self) -> FoldUnit {
        if self.has_windows { FoldUnit::Group } else { FoldUnit::Case }
    }

    /// The facts in `dataset.toml` beside a data set; none where there is no such file.
    pub fn beside(dataset: &Path) -> Result<DatasetFacts, Failure> {
        let path: PathBuf = dataset.with_extension("toml");
        match input_file::read_text(&path) {
            Ok(text) => toml::from_str(&text).map_err(|error| Failure::input(&path, error)),
            Err(_) => Ok(DatasetFacts::default()),
        }
    }
}

/// A data set as it was read.
#[derive(Debug, Clone)]
pub struct DatasetFile {
    /// Where it is.
    pub path: PathBuf,
    /// Hash of its bytes.
    pub sha256: String,
    /// Its cases.
    pub table: Table,
    /// What a user is told of how it is written.
    pub remarks: Vec<String>,
}

impl DatasetFile {
    /// Reads the columns that a campaign's data set has.
    pub fn read(path: &Path) -> Result<DatasetFile, Failure> {
        DatasetFile::read_columns(path, &ColumnChoice::default())
    }

    /// Reads a table of any origin.
    pub fn read_columns(path: &Path, choice: &ColumnChoice) -> Result<DatasetFile, Failure> {
        let text = input_file::read(path).map_err(Failure::io("read", path))?;
        let rows = TableRows::of_csv(&text, choice);
        let read = rows.and_then(|rows| Ok((Table::from_rows(&rows)?, rows.remarks()?)));
        let (table, remarks) = read.map_err(|error| Failure::input(path, with_causes(&error)))?;
        Ok(DatasetFile { path: path.into(), sha256: hash_of_bytes(&text), table, remarks })
    }

    /// The same with its counts weighed by what contexts cost, where the data set has its
    /// counts by context beside it.
    pub fn weighed(self, prices: &[ContextPrice]) -> Result<DatasetFile, Failure> {
        let table = weighed(self.table, &mixes_beside(&self.path)?, prices);
        Ok(DatasetFile { table, ..self })
    }
}

/// Executions by context of the cases.
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

/// Executions by context of a data set's cases; none where there is no such file beside it.
fn mixes_beside(dataset: &Path) -> Result<CaseMixes, Failure> {
    let path = dataset.with_file_name(names::CONTEXTS);
    match path.is_file() {
        true => {
            CaseMixes::from_csv(&read_text(&path)?).map_err(|error| Failure::input(&path, error))
        }
        false => Ok(CaseMixes::default()),
    }
}

impl CampaignData {
    /// The data set of a file, with what lies beside it.
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
    /// The data set, with what is said of it.
    pub fn dataset(&self) -> Result<CampaignData, Failure> {
        CampaignData::read(&self.file(names::DATASET))
    }

    /// What is said of the data set.
    pub fn dataset_facts(&self) -> Result<DatasetFacts, Failure> {
        DatasetFacts::beside(&self.file(names::DATASET))
    }
}
