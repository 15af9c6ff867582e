//! The origin of a scenario or of sources: files, or a build of Gradle or Maven.

use std::fs;
use std::path::PathBuf;

use crate::failure::Failure;
use crate::folder::Output;
use crate::progress::Progress;
use crate::project::{BuildTool, Module, ProjectBuild, ProjectSources};

/// A Gradle or Maven project with the target to build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectOrigin {
    /// The build tool.
    pub tool: BuildTool,
    /// A task of Gradle (`:app:assembleBenchmark`), or a module as `mvn -pl` has it (`app`).
    pub target: String,
    /// The user's options for the build tool, such as `-Pfast`.
    pub options: Vec<String>,
    /// The project's folder.
    pub folder: PathBuf,
}

impl ProjectOrigin {
    /// Builds the project, with the log in the output folder, and returns the sources that its
    /// build compiles.
    ///
    /// # Errors
    /// An error of the build, or of its listing.
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
        let modules = build.build_modules()?;
        Ok((build, modules))
    }
}

/// The origin of the application to measure: a scenario file or a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScenarioOrigin {
    /// A scenario file.
    File(PathBuf),
    /// A project, from whose build a scenario is generated.
    Project {
        /// The project with its target.
        project: ProjectOrigin,
        /// A scenario file with keys that add to or override those of the build.
        file: Option<PathBuf>,
    },
}

impl<P: Into<PathBuf>> From<P> for ScenarioOrigin {
    fn from(file: P) -> Self {
        ScenarioOrigin::File(file.into())
    }
}

impl ScenarioOrigin {
    /// Path of the scenario file. A project is built, and its scenario is written to the output
    /// folder.
    ///
    /// # Errors
    /// An error of the build, or of the scenario that it gives.
    pub fn file(&self, output: &Output, progress: &dyn Progress) -> Result<PathBuf, Failure> {
        let (project, file) = match self {
            ScenarioOrigin::File(file) => return Ok(file.clone()),
            ScenarioOrigin::Project { project, file } => (project, file),
        };
        if let Some(file) = file {
            // A build may take long.
            fs::metadata(file).map_err(Failure::io("read", file))?;
        }
        let (build, modules) = project.build(output, progress)?;
        let name = scenario_name(build.tool);
        let made = build.scenario(&modules, file.as_deref(), &output.path(&name))?;
        say(&made.remarks, progress);
        output.replacing().write(&name, made.text)
    }

    /// Turns a failure about a generated scenario into one about the user's own file, since the
    /// generated one is written again each time.
    pub fn in_own_file(&self, failure: Failure, output: &Output) -> Failure {
        let ScenarioOrigin::Project { project, file: Some(own) } = self else { return failure };
        let made = output.path(&scenario_name(project.tool));
        match failure {
            Failure::Input { file, message } if file == made => {
                Failure::Input { file: own.clone(), message }
            }
            failure => failure,
        }
    }
}

/// File name in the output folder for the scenario that a build gives.
fn scenario_name(tool: BuildTool) -> String {
    format!("{}/scenario.toml", tool.folder())
}

fn say(remarks: &[String], progress: &dyn Progress) {
    remarks.iter().for_each(|remark| progress.say(&format!("  {remark}")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::OnExisting;
    use crate::progress::Silent;

    #[test]
    fn what_is_wrong_is_told_of_the_file_that_the_user_wrote() {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::open(folder.path(), OnExisting::Refuse, &Silent).unwrap();
        let project = ProjectOrigin {
            tool: BuildTool::Maven,
            target: ".".into(),
            options: Vec::new(),
            folder: "p".into(),
        };
        let told = |file: Option<&str>, of: PathBuf| {
            let file = file.map(PathBuf::from);
            let origin = ScenarioOrigin::Project { project: project.clone(), file };
            origin.in_own_file(Failure::input(of, "no"), &output).to_string()
        };
        let made = output.path("maven/scenario.toml");
        assert_eq!(told(Some("energy.toml"), made.clone()), "energy.toml: no");
        assert_eq!(told(Some("energy.toml"), "A.java".into()), "A.java: no");
        assert_eq!(told(None, made.clone()), format!("{}: no", made.display()));
    }
}
