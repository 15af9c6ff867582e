//! Where a scenario comes from: a file, or a build of Gradle with a file that says the rest.

use std::path::PathBuf;

use crate::gradle::GradleBuild;

use super::folder::names;
use super::{Failure, Output, progress};

/// What names the application to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScenarioOrigin {
    /// A scenario file.
    File(PathBuf),
    /// A Gradle project.
    Gradle {
        /// The task, as on Gradle's command line: `:app:assembleBenchmark`.
        task: String,
        /// The project's folder.
        project: PathBuf,
        /// A scenario file that says what the build doesn't, or says it otherwise.
        file: Option<PathBuf>,
    },
}

impl<P: Into<PathBuf>> From<P> for ScenarioOrigin {
    fn from(file: P) -> Self {
        ScenarioOrigin::File(file.into())
    }
}

impl ScenarioOrigin {
    /// The scenario's file. A Gradle project is built, and its scenario is written to the
    /// folder of the results.
    ///
    /// # Errors
    /// What went wrong with the build, or with the scenario that it gives.
    pub fn file(&self, output: &Output) -> Result<PathBuf, Failure> {
        let (task, project, file) = match self {
            ScenarioOrigin::File(file) => return Ok(file.clone()),
            ScenarioOrigin::Gradle { task, project, file } => (task, project, file),
        };
        progress::say(format!("Gradle builds {task} in {}", project.display()));
        let folder = output.path(names::GRADLE);
        let build = GradleBuild { task: task.clone(), project: project.clone(), folder };
        let modules = build.modules()?;
        let place = output.path(names::GRADLE_SCENARIO);
        let made = build.scenario(&modules, file.as_deref(), &place)?;
        made.remarks.iter().for_each(|remark| progress::say(format!("  {remark}")));
        output.replacing().write(names::GRADLE_SCENARIO, made.text)
    }
}
