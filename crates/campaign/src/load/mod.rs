//! Loading of a scenario file with the analysis of its application.

mod origin;
mod started_class;

use std::path::{Path, PathBuf};

use wattline_units::limits::OFFLINE_SCENARIOS;

use crate::build::{AnalysedApplication, BuildError, OwnPackage, annotation_processing, sources};
use crate::failure::Failure;
use crate::folder::Output;
use crate::progress::Progress;
use crate::scenario::{Scenario, read_scenario};
use crate::toolchain::{Jdk, ToolchainError};

pub use origin::{ProjectOrigin, ScenarioOrigin};

/// A scenario with its analysed application.
pub struct LoadedScenario {
    /// The scenario; its offline scenario, if the artifacts cannot be fetched.
    pub scenario: Scenario,
    /// Its application.
    pub application: AnalysedApplication,
    /// The package of the application's own build, of which variants are made.
    pub own_package: Option<OwnPackage>,
}

/// Loads the scenario of a file or project, as [`load`] does. Errors in a scenario that a build
/// generated are reported for the user's own file.
pub fn load_named(
    origin: &ScenarioOrigin,
    output: &Output,
    progress: &dyn Progress,
) -> Result<LoadedScenario, Failure> {
    let file = origin.file(output, progress)?;
    load(&file, progress).map_err(|failure| origin.in_own_file(failure, output))
}

/// Reads a scenario, fetches and analyses its sources. If artifacts cannot be fetched and the
/// scenario names an offline scenario, that one is loaded, with a message.
pub fn load(path: &Path, progress: &dyn Progress) -> Result<LoadedScenario, Failure> {
    load_after(&mut Vec::new(), path, progress)
}

/// Loads a scenario after those in `tried` failed for lack of artifacts.
fn load_after(
    tried: &mut Vec<PathBuf>,
    path: &Path,
    progress: &dyn Progress,
) -> Result<LoadedScenario, Failure> {
    check_chain(tried, path)?;
    let mut scenario = read_scenario(path)?;
    let sources = match (sources::load_scenario(&scenario), &scenario.offline) {
        (Err(BuildError::Toolchain(error)), Some(other)) if is_out_of_reach(&error) => {
            let other = scenario.resolve(other);
            progress.warn(&format!("{error}; using {} instead", other.display()));
            return load_after(tried, &other, progress);
        }
        (sources, _) => sources?,
    };
    let mut sources = sources;
    if !sources.javac.processor_path.is_empty() {
        let release = scenario.application.java_release;
        progress.say(&annotation_processing::run_processors(&mut sources, &Jdk::find()?, release)?);
    }
    let application = AnalysedApplication::analyse(sources, scenario.application.granularity)?;
    let own_package = OwnPackage::of(&scenario)?;
    if let Some(package) = &own_package {
        package.remarks().iter().for_each(|remark| progress.warn(remark));
        scenario.application = package.complete(scenario.application);
    }
    started_class::check(&scenario, &application)?;
    Ok(LoadedScenario { scenario, application, own_package })
}

/// Fails if a scenario is its own offline scenario, directly or through others.
fn check_chain(tried: &mut Vec<PathBuf>, path: &Path) -> Result<(), Failure> {
    let own = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if tried.contains(&own) {
        let message = "`offline.scenario` leads back to a scenario whose artifacts can't be had; \
                       name one without artifacts, or run where they can be fetched";
        return Err(Failure::input(path, message));
    }
    tried.push(own);
    OFFLINE_SCENARIOS
        .check(tried.len() as u64)
        .map_err(|exceeded| Failure::input(path, format!("`offline.scenario`: {exceeded}")))
}

fn is_out_of_reach(error: &ToolchainError) -> bool {
    matches!(error, ToolchainError::NoMaven { .. } | ToolchainError::NotFetched { .. })
}
