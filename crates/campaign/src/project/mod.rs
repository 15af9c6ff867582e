//! Projects as their own build tool builds them: one run of Gradle or Maven tells what each module
//! is made of, and a scenario or a list of sources is made of that, with what the user's own file
//! says. The project is not edited.

mod choose;
mod error;
mod gradle;
mod listing;
mod maven;
mod merge;
mod module;
mod roots;
mod tool_run;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::scenario::{Scenario, ScenarioError, ScenarioFile, SourceListing, parse_written};

pub use error::ProjectError;
pub use module::{AndroidVariant, Module, ModuleVariant, OtherLanguage};

/// What builds a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildTool {
    /// Gradle, by an init script.
    Gradle,
    /// Maven, without a network, by a listener.
    Maven,
}

impl fmt::Display for BuildTool {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            BuildTool::Gradle => "Gradle",
            BuildTool::Maven => "Maven",
        })
    }
}

impl BuildTool {
    /// Its program on the path.
    pub fn program(self) -> &'static str {
        match self {
            BuildTool::Gradle => "gradle",
            BuildTool::Maven => "mvn",
        }
    }

    /// The folder below the results for its log and for what modules tell.
    pub fn folder(self) -> &'static str {
        match self {
            BuildTool::Gradle => "gradle",
            BuildTool::Maven => "maven",
        }
    }

    /// The program that a project may bring with it.
    fn wrapper(self) -> &'static str {
        match self {
            BuildTool::Gradle => "gradlew",
            BuildTool::Maven => "mvnw",
        }
    }

    /// Files of which a project's root has one.
    fn files(self) -> &'static [&'static str] {
        match self {
            BuildTool::Gradle => {
                &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"]
            }
            BuildTool::Maven => &["pom.xml"],
        }
    }

    fn lacking_files(self) -> &'static str {
        match self {
            BuildTool::Gradle => "neither settings.gradle nor build.gradle (or with .kts)",
            BuildTool::Maven => "no pom.xml",
        }
    }
}

/// What is built, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectBuild {
    /// What builds it.
    pub tool: BuildTool,
    /// A task as on Gradle's command line, `:app:assembleBenchmark`; or a module as `mvn -pl` has
    /// it: `app`, `:app`, `.`.
    pub target: String,
    /// The project's folder, that of `settings.gradle` or of the root's `pom.xml`.
    pub project: PathBuf,
    /// Where the log and what modules tell go.
    pub folder: PathBuf,
}

/// A scenario of a project.
#[derive(Debug)]
pub struct ProjectScenario {
    /// As TOML, with a comment on where it is from.
    pub text: String,
    /// Checked; its `file` is where the text is to be.
    pub scenario: Scenario,
    /// What a user should know of it.
    pub remarks: Vec<String>,
}

/// What a project compiles, for those who do not start it.
#[derive(Debug)]
pub struct ProjectSources {
    /// Sources, libraries, options.
    pub listing: SourceListing,
    /// What a user should know of it.
    pub remarks: Vec<String>,
    /// Why these sources, compiled by javac, are another program than what the build made.
    pub obstacles: Vec<String>,
}

impl ProjectBuild {
    /// Builds, and reads what modules wrote.
    ///
    /// # Errors
    /// The tool isn't there, the build fails, what was named isn't there or compiles no Java.
    pub fn modules(&self) -> Result<Vec<Module>, ProjectError> {
        match self.tool {
            BuildTool::Gradle => gradle::modules(self),
            BuildTool::Maven => maven::modules(self),
        }
    }

    /// The scenario of what was built. What `written` says wins; its name and path are those of
    /// the user's file, `place` is where the scenario is to be written.
    ///
    /// # Errors
    /// Several modules or variants match, no Java sources, a scenario that is not whole, what is
    /// another program when its sources are compiled here.
    pub fn scenario(
        &self,
        modules: &[Module],
        written: Option<&Path>,
        place: &Path,
    ) -> Result<ProjectScenario, ProjectError> {
        merge::scenario(self, modules, written, place)
    }

    /// What was compiled, of the chosen module and those that it uses.
    ///
    /// # Errors
    /// Several modules or variants match, no Java sources.
    pub fn sources(&self, modules: &[Module]) -> Result<ProjectSources, ProjectError> {
        listing::sources(self, modules)
    }

    /// What is done, for messages.
    fn work(&self) -> String {
        match self.tool {
            BuildTool::Gradle => format!("Gradle's task {}", self.target),
            BuildTool::Maven => format!("Maven's build of {}", self.target),
        }
    }
}

/// A scenario file that may leave out what the build says.
fn as_written(file: &Path) -> Result<(String, ScenarioFile), ProjectError> {
    let text = std::fs::read_to_string(file)
        .map_err(|source| ScenarioError::Read { file: file.into(), source })?;
    let written = parse_written(&text, file)?;
    Ok((text, written))
}
