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
mod target;
mod tool_run;

use std::path::Path;

pub use error::ProjectError;
pub use listing::ProjectSources;
pub use merge::ProjectScenario;
pub use module::{AndroidVariant, Module, ModuleVariant, OtherLanguage};
pub use target::{BuildTool, ProjectBuild};

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
}
