//! Projects of Gradle: one build by an init script tells what each module is made of, and a
//! scenario is made of that, with what the user's own file says. The project is not edited.

mod choose;
mod error;
pub(crate) mod export;
mod merge;
mod roots;
mod run;

use std::path::{Path, PathBuf};

use crate::scenario::{Scenario, ScenarioError, ScenarioFile, parse_written};

pub use error::GradleError;
pub use export::{AndroidVariant, GradleVariant, Module};

/// What is built: a task of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradleBuild {
    /// As on Gradle's command line: `:app:assembleBenchmark`.
    pub task: String,
    /// The project's folder, that of `settings.gradle`.
    pub project: PathBuf,
    /// Where the log and what modules tell go.
    pub folder: PathBuf,
}

/// A scenario of a project.
#[derive(Debug)]
pub struct GradleScenario {
    /// As TOML, with a comment on where it is from.
    pub text: String,
    /// Checked; its `file` is where the text is to be.
    pub scenario: Scenario,
    /// What a user should know of it.
    pub remarks: Vec<String>,
}

impl GradleBuild {
    /// Runs the task, and reads what modules wrote.
    ///
    /// # Errors
    /// No Gradle, a task that fails or isn't there, a build that compiles no Java.
    pub fn modules(&self) -> Result<Vec<Module>, GradleError> {
        run::modules(self)
    }

    /// The scenario of what was built. What `written` says wins; its name and path are those of
    /// the user's file, `place` is where the scenario is to be written.
    ///
    /// # Errors
    /// Several modules or variants match, no Java sources, a scenario that is not whole.
    pub fn scenario(
        &self,
        modules: &[Module],
        written: Option<&Path>,
        place: &Path,
    ) -> Result<GradleScenario, GradleError> {
        merge::scenario(self, modules, written, place)
    }
}

/// A scenario file that may leave out what the build says.
fn as_written(file: &Path) -> Result<(String, ScenarioFile), GradleError> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| ScenarioError::Read { file: file.into(), source })?;
    let written = parse_written(&text, file)?;
    Ok((text, written))
}
