//! Errors of deriving a scenario from a project's build.

use std::path::PathBuf;

use thiserror::Error;

use super::{BuildTool, ProjectBuild};
use crate::format::visible_path;
use crate::scenario::{FailedCheck, ScenarioError};
use crate::toolchain::ToolchainError;

/// Error of building a Gradle or Maven project or of deriving its scenario; each message has a
/// remedy.
#[derive(Debug, Error)]
pub enum ProjectError {
    /// A folder without the project's build file.
    #[error(
        "{} is no folder of a {tool} project: it has {}; give its root by --project",
        visible_path(folder), tool.lacking_files()
    )]
    NoProject {
        /// The build tool.
        tool: BuildTool,
        /// The folder.
        folder: PathBuf,
    },
    /// Neither a wrapper in the project nor the tool on PATH.
    #[error(
        "{} has no {}, and there is no `{}` on the path; install {tool}, or add the wrapper to the \
         project", visible_path(folder), tool.wrapper(), tool.program()
    )]
    NoTool {
        /// The build tool.
        tool: BuildTool,
        /// The project's folder.
        folder: PathBuf,
    },
    /// The build tool can't be started.
    #[error("cannot start {}", visible_path(program))]
    Start {
        /// The program.
        program: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// A program that is no Maven.
    #[error(
        "`{} -version` prints no version of Maven, or not where it is installed: {said}",
        visible_path(program)
    )]
    NoMaven {
        /// The program.
        program: PathBuf,
        /// The program's output.
        said: String,
    },
    /// A failed build.
    #[error("{work} failed:\n{said}\nall that it said is in {}", visible_path(log))]
    Failed {
        /// Description of the build.
        work: String,
        /// The errors in the log, or its last lines.
        said: String,
        /// The log.
        log: PathBuf,
    },
    /// A build without a network that lacks artifacts.
    #[error(
        "{work} needs artifacts that are not in the local repository, and is run without a \
         network:\n{said}\nfetch them once, in {}:\n  {remedy}",
        visible_path(folder)
    )]
    NotFetched {
        /// Description of the build.
        work: String,
        /// The missing artifacts, from the tool's message.
        said: String,
        /// The project's folder.
        folder: PathBuf,
        /// The command that fetches them.
        remedy: String,
    },
    /// An unknown Gradle task.
    #[error("{said}; `{program} tasks --all` lists all tasks")]
    UnknownTask {
        /// Gradle's message.
        said: String,
        /// The Gradle command in this project.
        program: String,
    },
    /// An unknown Maven module.
    #[error(
        "the Maven project {} has no module {module}; name it as `mvn -pl` does: by its folder, or \
         as `:ARTIFACT`, and `.` is the project itself",
        visible_path(folder)
    )]
    UnknownModule {
        /// The requested module.
        module: String,
        /// The project's folder.
        folder: PathBuf,
    },
    /// A build that compiled no Java.
    #[error("{work} compiles no Java of a module's main sources; {remedy}")]
    NothingCompiled {
        /// Description of the build.
        work: String,
        /// The target to name instead.
        remedy: String,
    },
    /// A module without Java sources.
    #[error("{module} has no Java sources{}", also(languages))]
    NoJava {
        /// The module's path.
        module: String,
        /// The languages of its sources.
        languages: Vec<String>,
    },
    /// A module that javac alone can't build as the project does.
    #[error(
        "{module} can't be built here as {tool} builds it, so what would be measured is another \
         program: {}", reasons.join("; ")
    )]
    OtherProgram {
        /// The build tool.
        tool: BuildTool,
        /// The module's path.
        module: String,
        /// The reasons.
        reasons: Vec<String>,
    },
    /// A module without a known class or activity to start.
    #[error("{}", no_main(*tool, module, mains, *is_android))]
    NoMain {
        /// The build tool.
        tool: BuildTool,
        /// The module's path.
        module: String,
        /// The candidate classes.
        mains: Vec<String>,
        /// Whether the module is an Android module.
        is_android: bool,
    },
    /// Several modules that match the task.
    #[error(
        "Gradle's task {task} builds several modules that could be the application: {}; name \
         the task of one, as `{example}`", found.join(", ")
    )]
    SeveralModules {
        /// The task.
        task: String,
        /// Paths of these modules.
        found: Vec<String>,
        /// The task of one of these modules.
        example: String,
    },
    /// Several variants that match the task.
    #[error(
        "Gradle's task {task} builds several variants of {module}: {}; name the task of one, as \
         `{example}`", found.join(", ")
    )]
    SeveralVariants {
        /// The task's name.
        task: String,
        /// The module's path.
        module: String,
        /// Names of these variants.
        found: Vec<String>,
        /// The task of one of these variants.
        example: String,
    },
    /// A jar of the build can't be read.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// An unreadable export file of a module.
    #[error("{}: {message}", visible_path(file))]
    Export {
        /// The file.
        file: PathBuf,
        /// The problem.
        message: String,
    },
    /// Values of a build that are not valid in a scenario.
    #[error("what the build says is no part of a scenario: `{}` {}", .0.key, .0.message)]
    Listing(FailedCheck),
    /// A file could not be read or written.
    #[error("cannot read or write {}", visible_path(path))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// An invalid scenario file, or one that lacks a value that the build does not give.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

impl ProjectError {
    pub(super) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> ProjectError {
        let path = path.into();
        move |source| ProjectError::Io { path, source }
    }

    pub(super) fn nothing_compiled(build: &ProjectBuild) -> ProjectError {
        let remedy = match build.tool {
            BuildTool::Gradle => {
                "name one that does, as `:app:classes`, or `:app:assembleDebug` with the Android \
                 plugin"
            }
            BuildTool::Maven => "name a module that does, as `app` or `:app`",
        };
        ProjectError::NothingCompiled { work: build.description(), remedy: remedy.to_owned() }
    }
}

fn also(languages: &[String]) -> String {
    match languages {
        [] => String::new(),
        some => format!("; its {} is not analysed", some.join(" and ")),
    }
}

fn no_main(tool: BuildTool, module: &str, mains: &[String], is_android: bool) -> String {
    if is_android {
        return format!(
            "{module} is an Android module of which the task makes no package: name one that does, \
             as `:app:assembleDebug`, or give a scenario file with `main` in [application], the \
             class that drives it, or `start = \"activity\"` and `activity`"
        );
    }
    let by_file = "`main` in [application] of a scenario file";
    match (mains, tool) {
        ([], BuildTool::Gradle) => format!(
            "{module} says no class with `main`; set `mainClass` of the plugin `application`, or \
             {by_file}"
        ),
        ([], BuildTool::Maven) => format!(
            "no plugin of {module} says a class with `main` (as `mainClass` of maven-jar-plugin or \
             exec-maven-plugin); set {by_file}"
        ),
        (several, _) => format!(
            "{module} says several classes with `main` ({}); name one by {by_file}",
            several.join(", ")
        ),
    }
}
