//! Where a scenario or sources come from: files, or a build of Gradle or Maven.

use std::path::PathBuf;

use crate::project::{BuildTool, Module, ProjectBuild, ProjectSources};

use super::progress::Progress;
use super::{Failure, Output};

/// A project, and what of it is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectOrigin {
    /// What builds it.
    pub tool: BuildTool,
    /// A task of Gradle (`:app:assembleBenchmark`), or a module as `mvn -pl` has it (`app`).
    pub target: String,
    /// Options of the user's own for it: `-Pfast`.
    pub options: Vec<String>,
    /// The project's folder.
    pub folder: PathBuf,
}

impl ProjectOrigin {
    /// What its build compiles. It is built, with its log in the folder of the results.
    ///
    /// # Errors
    /// What went wrong with the build, or with what it says.
    pub fn sources(
        &self,
        output: &Output,
        progress: &dyn Progress,
    ) -> Result<ProjectSources, Failure> {
        let (build, modules) = self.build(output, progress)?;
        let made = build.sources(&modules)?;
        say(&made.remarks, progress);
        Ok(made)
    }

    fn build(
        &self,
        output: &Output,
        progress: &dyn Progress,
    ) -> Result<(ProjectBuild, Vec<Module>), Failure> {
        let ProjectOrigin { tool, target, options, folder } = self.clone();
        progress.say(&format!("{tool} builds {target} in {}", folder.display()));
        let results = output.path(tool.folder());
        let build = ProjectBuild { tool, target, options, project: folder, folder: results };
        let modules = build.modules()?;
        Ok((build, modules))
    }
}

/// What names the application to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScenarioOrigin {
    /// A scenario file.
    File(PathBuf),
    /// A project.
    Project {
        /// Which, and what of it.
        project: ProjectOrigin,
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
    /// The scenario's file. A project is built, and its scenario is written to the folder of the
    /// results.
    ///
    /// # Errors
    /// What went wrong with the build, or with the scenario that it gives.
    pub fn file(&self, output: &Output, progress: &dyn Progress) -> Result<PathBuf, Failure> {
        let (project, file) = match self {
            ScenarioOrigin::File(file) => return Ok(file.clone()),
            ScenarioOrigin::Project { project, file } => (project, file),
        };
        let (build, modules) = project.build(output, progress)?;
        let name = format!("{}/scenario.toml", build.tool.folder());
        let made = build.scenario(&modules, file.as_deref(), &output.path(&name))?;
        say(&made.remarks, progress);
        output.replacing().write(&name, made.text)
    }
}

fn say(remarks: &[String], progress: &dyn Progress) {
    remarks.iter().for_each(|remark| progress.say(&format!("  {remark}")));
}
