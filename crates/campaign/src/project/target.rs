//! Build tool and target of a project.

use std::fmt;
use std::path::PathBuf;

/// Build tool of a project.
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
    /// Name of the tool's program on PATH.
    pub fn program(self) -> &'static str {
        match self {
            BuildTool::Gradle => "gradle",
            BuildTool::Maven => "mvn",
        }
    }

    /// Name of the folder below the results for the tool's log and exports.
    pub fn folder(self) -> &'static str {
        match self {
            BuildTool::Gradle => "gradle",
            BuildTool::Maven => "maven",
        }
    }

    /// File name of the wrapper script that a project may contain.
    pub(super) fn wrapper(self) -> &'static str {
        match self {
            BuildTool::Gradle => "gradlew",
            BuildTool::Maven => "mvnw",
        }
    }

    /// Build files, one of which every project of the tool has.
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

/// A build to run: tool, target, options and folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectBuild {
    /// Build tool.
    pub tool: BuildTool,
    /// Gradle task, `:app:assembleBenchmark`; or Maven module in the notation of `mvn -pl`: `app`,
    /// `:app`, `.`.
    pub target: String,
    /// The user's own options for the build tool: `-Pfast`.
    pub options: Vec<String>,
    /// Folder of the project, with `settings.gradle` or the root's `pom.xml`.
    pub project: PathBuf,
    /// Output folder for log and exports.
    pub folder: PathBuf,
}

impl ProjectBuild {
    /// Description of the build, for messages.
    pub(super) fn description(&self) -> String {
        match self.tool {
            BuildTool::Gradle => format!("Gradle's task {}", self.target),
            BuildTool::Maven => format!("Maven's build of {}", self.target),
        }
    }
}
