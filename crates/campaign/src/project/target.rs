//! What is built, and by what.

use std::fmt;
use std::path::PathBuf;

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
    pub(super) fn wrapper(self) -> &'static str {
        match self {
            BuildTool::Gradle => "gradlew",
            BuildTool::Maven => "mvnw",
        }
    }

    /// Files of which a project's root has one.
    pub(super) fn files(self) -> &'static [&'static str] {
        match self {
            BuildTool::Gradle => {
                &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"]
            }
            BuildTool::Maven => &["pom.xml"],
        }
    }

    pub(super) fn lacking_files(self) -> &'static str {
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
    /// Options of the user's own for the build tool, as it takes them: `-Pfast`.
    pub options: Vec<String>,
    /// The project's folder, that of `settings.gradle` or of the root's `pom.xml`.
    pub project: PathBuf,
    /// Where the log and what modules tell go.
    pub folder: PathBuf,
}

impl ProjectBuild {
    /// What is done, for messages.
    pub(super) fn work(&self) -> String {
        match self.tool {
            BuildTool::Gradle => format!("Gradle's task {}", self.target),
            BuildTool::Maven => format!("Maven's build of {}", self.target),
        }
    }
}
