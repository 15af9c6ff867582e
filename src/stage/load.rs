//! A scenario file -> the scenario and its application, analysed.

use std::path::Path;

use crate::build::{Application, BuildError, sources};
use crate::scenario::{Scenario, read_scenario};
use crate::toolchain::ToolchainError;

use super::{Failure, progress};

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
