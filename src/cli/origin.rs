//! The arguments that name a scenario: a file, or a Gradle project.

use std::path::PathBuf;

use clap::Args;

use crate::stage::ScenarioOrigin;

#[derive(Debug, Args)]
pub struct OriginArguments {
    /// The scenario file. With --gradle it may leave out what the build says, or be left out.
    #[arg(required_unless_present = "gradle")]
    scenario: Option<PathBuf>,
    /// Build this task of a Gradle project (`:app:assembleBenchmark`), and take sources, class
    /// path and names from the build.
    #[arg(long, value_name = "TASK")]
    gradle: Option<String>,
    /// The Gradle project's folder.
    #[arg(long, value_name = "FOLDER", default_value = ".", requires = "gradle")]
    project: PathBuf,
}

impl OriginArguments {
    /// What they name.
    pub fn origin(&self) -> ScenarioOrigin {
        match (&self.gradle, &self.scenario) {
            (Some(task), file) => ScenarioOrigin::Gradle {
                task: task.clone(),
                project: self.project.clone(),
                file: file.clone(),
            },
            (None, file) => ScenarioOrigin::File(file.clone().unwrap_or_default()),
        }
    }
}
