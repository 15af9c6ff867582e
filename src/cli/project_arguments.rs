//! `--gradle`, `--maven`, `--project`: a project that its own build tool compiles.

use std::path::PathBuf;

use clap::Args;

use crate::load::ProjectOrigin;
use crate::project::BuildTool;

/// Gradle or Maven project of a command, with options for its build.
#[derive(Debug, Args)]
pub struct ProjectArguments {
    /// Build this task of a Gradle project (`:app:assembleBenchmark`), and take sources, class
    /// path and names from the build.
    #[arg(long, value_name = "TASK", group = "build_tool")]
    gradle: Option<String>,
    /// Build this module of a Maven project without a network (`app` or `:app` as for `mvn -pl`,
    /// `.` for the project itself), and take sources, class path and names from the build.
    #[arg(long, value_name = "MODULE", group = "build_tool")]
    maven: Option<String>,
    /// An option for the build tool, as it takes it; may be given several times
    /// (`--build-option=-Pfast --build-option=-Dkey=value`).
    #[arg(long, value_name = "OPTION", requires = "build_tool", allow_hyphen_values = true)]
    build_option: Vec<String>,
    /// The folder of the Gradle or Maven project.
    #[arg(long, value_name = "FOLDER", default_value = ".", requires = "build_tool")]
    project: PathBuf,
}

impl ProjectArguments {
    /// Project that the arguments name; `None` without `--gradle` or `--maven`.
    pub fn origin(&self) -> Option<ProjectOrigin> {
        let (tool, target) = match (&self.gradle, &self.maven) {
            (Some(task), _) => (BuildTool::Gradle, task),
            (None, Some(module)) => (BuildTool::Maven, module),
            (None, None) => return None,
        };
        Some(ProjectOrigin {
            tool,
            target: target.clone(),
            options: self.build_option.clone(),
            folder: self.project.clone(),
        })
    }
}
