//! Projects built by their own build tool: one run of Gradle or Maven exports the compiled modules,
//! from which a scenario or a list of sources is derived, together with the user's own file. The
//! project is not edited.

mod error;
mod gradle;
mod listing;
mod maven;
mod module;
mod module_choice;
mod roots;
mod scenario_merge;
mod target;
mod tool_run;

use std::path::Path;

pub use error::ProjectError;
pub use listing::ProjectSources;
pub use module::{AndroidVariant, Module, ModuleVariant, OtherLanguageClasses};
pub use scenario_merge::ProjectScenario;
pub use target::{BuildTool, ProjectBuild};

impl ProjectBuild {
    /// Builds the project; returns the modules of which Java was compiled.
    ///
    /// # Errors
    /// The tool is missing, the build fails, the target does not exist or compiles no Java.
    pub fn build_modules(&self) -> Result<Vec<Module>, ProjectError> {
        match self.tool {
            BuildTool::Gradle => gradle::build_modules(self),
            BuildTool::Maven => maven::build_modules(self),
        }
    }

    /// Derives the scenario of the built modules. Values of `written` take precedence; its name and
    /// path are those of the user's file, `place` is the path where the scenario is to be written.
    ///
    /// # Errors
    /// Several modules or variants match, there are no Java sources, the scenario is incomplete, or
    /// javac alone compiles another program.
    pub fn scenario(
        &self,
        modules: &[Module],
        written: Option<&Path>,
        place: &Path,
    ) -> Result<ProjectScenario, ProjectError> {
        scenario_merge::scenario(self, modules, written, place)
    }

    /// The sources and compiler settings of the chosen module and of those that it uses.
    ///
    /// # Errors
    /// Several modules or variants match, no Java sources.
    pub fn sources(&self, modules: &[Module]) -> Result<ProjectSources, ProjectError> {
        listing::sources(self, modules)
    }
}
