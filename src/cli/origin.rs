//! Arguments that name a scenario: a file, or a project of Gradle or Maven.

use std::path::PathBuf;

use clap::Args;

use crate::load::ScenarioOrigin;

use super::project_arguments::ProjectArguments;

/// Scenario of a command: a file, a Gradle project or a Maven project.
#[derive(Debug, Args)]
pub struct OriginArguments {
    /// The scenario file. With --gradle or --maven it may leave out what the build says, or be
    /// left out.
    #[arg(required_unless_present = "build_tool")]
    scenario: Option<PathBuf>,
    #[command(flatten)]
    project: ProjectArguments,
}

impl OriginArguments {
    /// Scenario that the arguments name.
    pub fn origin(&self) -> ScenarioOrigin {
        match self.project.origin() {
            Some(project) => ScenarioOrigin::Project { project, file: self.scenario.clone() },
            None => ScenarioOrigin::File(self.scenario.clone().unwrap_or_default()),
        }
    }
}
