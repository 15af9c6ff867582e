//! A campaign's folder: which file is which, and reading them back.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::build::{Application, BuildError, sources};
use crate::dataset::{CaseMixes, LeftOut, Table};
use crate::model::{ContextPrice, FoldUnit};
use crate::operations::Dictionary;
use crate::scenario::{Scenario, read_scenario};
use crate::toolchain::ToolchainError;

use super::Failure;
use super::output::{Output, read_text};
use super::progress;

/// Where the analysed sources are kept for hints and reports.
const SOURCES: &str = "sources";

/// A scenario with its application.
pub struct Loaded {
    /// The scenario; the offline one, if the asked one's artifacts can't be had.
    pub scenario: Scenario,
    /// Its application.
    pub application: Application,
}

/// Reads a scenario, fetches and analyses its sources. Where artifacts can't be had and
/// the scenario names another for this case, that one is taken, and it is said.
pub fn load(path: &Path) -> Result<Loaded, Failure> {
    let scenario = read_scenario(path)?;
    let sources = match (sources::load_scenario(&scenario), &scenario.offline) {
        (Err(BuildError::Toolchain(error)), Some(other)) if is_out_of_reach(&error) => {
            let other = scenario.resolve(other);
            progress::warn(format!("{error}; using {} instead", other.display()));
            return load(&other);
        }
        (sources, _) => sources?,
    };
    let application = Application::analyse(sources, scenario.application.granularity)?;
    Ok(Loaded { scenario, application })
}

fn is_out_of_reach(error: &ToolchainError) -> bool {
    matches!(error, ToolchainError::NoMaven { .. } | ToolchainError::NotFetched { .. })
}

/// The copy of the scenario file that a campaign's folder keeps.
const SCENARIO: &str = "scenario.toml";

/// Keeps the scenario's file, so that later stages need the folder alone.
pub fn write_scenario_copy(scenario: &Scenario, output: &Output) -> Result<(), Failure> {
    output.write(SCENARIO, read_text(&scenario.file)?)?;
    Ok(())
}

/// Reads the copy. Its paths are not those of the original.
pub fn read_scenario_copy(folder: &Path) -> Result<Scenario, Failure> {
    Ok(read_scenario(&folder.join(SCENARIO))?)
}

/// Keeps the texts of the analysed files.
pub fn write_sources(application: &Application, output: &Output) -> Result<(), Failure> {
    for file in &application.files {
        output.write(&format!("{SOURCES}/{}", file.path), &file.text)?;
    }
    Ok(())
}

/// Where a folder keeps the analysed sources.
pub fn read_sources_folder(folder: &Path) -> PathBuf {
    folder.join(SOURCES)
}

/// The texts of the analysed files, by path.
pub fn read_sources(folder: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let place = folder.join(SOURCES);
    if !place.is_dir() {
        return Ok(BTreeMap::new());
    }
    let loaded = sources::load_paths(&[place], &[])?;
    Ok(loaded.files.into_iter().map(|file| (file.path, file.text)).collect())
}

/// The dictionary of a folder that `scan` or `plan` wrote.
pub fn read_dictionary(folder: &Path) -> Result<Dictionary, Failure> {
    let (blocks, lines) = (folder.join("blocks.csv"), folder.join("lines.csv"));
    if !blocks.is_file() {
        let message = "holds no blocks.csv, so it is no campaign's folder; `wattline pipeline \
                       SCENARIO --out FOLDER` makes one";
        return Err(Failure::input(folder, message));
    }
    Dictionary::from_csv(&read_text(&blocks)?, &read_text(&lines)?)
        .map_err(|error| Failure::input(folder, error))
}

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
    /// What is said of windows by board, where its rows are windows of sessions.
    windows: Vec<toml::Table>,
}

impl DatasetFacts {
    /// What is held out together: windows of one case, or single cases.
    pub fn fold_unit(&self) -> FoldUnit {
        if self.windows.is_empty() { FoldUnit::Case } else { FoldUnit::Group }
    }

    /// The facts in `dataset.toml` beside a data set; none where there is no such file.
    pub fn beside(dataset: &Path) -> Result<DatasetFacts, Failure> {
        let path: PathBuf = dataset.with_extension("toml");
        match fs::read_to_string(&path) {
            Ok(text) => toml::from_str(&text).map_err(|error| Failure::input(&path, error)),
            Err(_) => Ok(DatasetFacts::default()),
        }
    }
}

/// The table with its counts weighed by what contexts cost, where the data set has a
/// `contexts.csv` beside it.
pub fn weighed(
    mut table: Table,
    dataset: &Path,
    prices: &[ContextPrice],
) -> Result<Table, Failure> {
    let path = dataset.with_file_name("contexts.csv");
    if !prices.is_empty() && path.is_file() {
        let mixes = CaseMixes::from_csv(&read_text(&path)?);
        let relative = ContextPrice::index(prices);
        let relative = |operation: &str, context: &str| {
            relative.get(&(operation, context)).copied().unwrap_or(1.0)
        };
        mixes.map_err(|error| Failure::input(&path, error))?.weigh(&mut table, relative);
    }
    Ok(table)
}
