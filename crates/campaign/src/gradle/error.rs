//! What can go wrong between a Gradle project and its scenario.

use std::path::PathBuf;

use thiserror::Error;

use crate::format::visible_path;
use crate::scenario::ScenarioError;
use crate::toolchain::ToolchainError;

/// Why a project of Gradle has no scenario. Each message says what to do.
#[derive(Debug, Error)]
pub enum GradleError {
    /// The folder is no project's.
    #[error(
        "{} is no folder of a Gradle project: it has neither settings.gradle nor build.gradle \
         (or with .kts); give its root by --project",
        visible_path(folder)
    )]
    NoProject {
        /// The folder.
        folder: PathBuf,
    },
    /// Neither a wrapper nor a `gradle`.
    #[error(
        "{} has no gradlew, and there is no `gradle` on the path; install Gradle, or add the \
         wrapper to the project",
        visible_path(folder)
    )]
    NoGradle {
        /// The project's folder.
        folder: PathBuf,
    },
    /// It could not be started.
    #[error("cannot start {}", visible_path(program))]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's answer.
        #[source]
        source: std::io::Error,
    },
    /// The build failed.
    #[error("Gradle's task {task} failed:\n{said}\nall that it said is in {}", visible_path(log))]
    Failed {
        /// The task.
        task: String,
        /// Its last words.
        said: String,
        /// The log.
        log: PathBuf,
    },
    /// The task is not there.
    #[error("{said}; `{program} tasks --all` lists all tasks")]
    UnknownTask {
        /// Gradle's own words.
        said: String,
        /// How Gradle is called in this project.
        program: String,
    },
    /// The build compiled nothing of Java.
    #[error(
        "Gradle's task {task} compiles no Java of a module's main sources; name one that does, \
         as `:app:classes`, or `:app:assembleDebug` with the Android plugin"
    )]
    NothingCompiled {
        /// The task.
        task: String,
    },
    /// The module has no Java.
    #[error("{module} has no Java sources{}", also(languages))]
    NoJava {
        /// The module's path.
        module: String,
        /// What else it is written in.
        languages: Vec<String>,
    },
    /// What is started is not known.
    #[error("{}", no_main(module, *is_android))]
    NoMain {
        /// The module's path.
        module: String,
        /// Whether it is Android's.
        is_android: bool,
    },
    /// Several modules could be meant.
    #[error(
        "Gradle's task {task} builds several modules that could be the application: {}; name \
         the task of one, as `{example}`", found.join(", ")
    )]
    SeveralModules {
        /// The task.
        task: String,
        /// Their paths.
        found: Vec<String>,
        /// The task of one of them.
        example: String,
    },
    /// Several variants were built.
    #[error(
        "Gradle's task {task} builds several variants of {module}: {}; name the task of one, as \
         `{example}`", found.join(", ")
    )]
    SeveralVariants {
        /// The task.
        task: String,
        /// The module's path.
        module: String,
        /// Their names.
        found: Vec<String>,
        /// The task of one of them.
        example: String,
    },
    /// A jar of the build can't be read.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// What a module wrote can't be read.
    #[error("{}: {message}", visible_path(file))]
    Export {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A file could not be read or written.
    #[error("cannot read or write {}", visible_path(path))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: std::io::Error,
    },
    /// The scenario file is at fault, or lacks what the build doesn't say.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

impl GradleError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> GradleError {
        let path = path.into();
        move |source| GradleError::Io { path, source }
    }
}

fn also(languages: &[String]) -> String {
    match languages {
        [] => String::new(),
        some => format!("; its {} is not analysed", some.join(" and ")),
    }
}

fn no_main(module: &str, is_android: bool) -> String {
    match is_android {
        false => format!(
            "{module} says no class with `main`; set `mainClass` of the plugin `application`, or \
             `main` in [application] of a scenario file"
        ),
        true => format!(
            "{module} is an Android module of which the task makes no package: name one that does, \
             as `:app:assembleDebug`, or give a scenario file with `main` in [application], the \
             class that drives it, or `start = \"activity\"` and `activity`"
        ),
    }
}
