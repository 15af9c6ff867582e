//! What can go wrong between a project and its scenario.

use std::path::PathBuf;

use thiserror::Error;

use super::{BuildTool, ProjectBuild};
use crate::format::visible_path;
use crate::scenario::{FailedCheck, ScenarioError};
use crate::toolchain::ToolchainError;

/// Why a project of Gradle or Maven has no scenario and no sources. Each message says what to do.
#[derive(Debug, Error)]
pub enum ProjectError {
    /// The folder is no project's.
    #[error(
        "{} is no folder of a {tool} project: it has {}; give its root by --project",
        visible_path(folder), tool.lacking_files()
    )]
    NoProject {
        /// What was to build it.
        tool: BuildTool,
        /// The folder.
        folder: PathBuf,
    },
    /// Neither a wrapper nor the tool.
    #[error(
        "{} has no {}, and there is no `{}` on the path; install {tool}, or add the wrapper to the \
         project", visible_path(folder), tool.wrapper(), tool.program()
    )]
    NoTool {
        /// What was to build it.
        tool: BuildTool,
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
    /// The program is another one.
    #[error(
        "`{} -version` prints no version of Maven, or not where it is installed: {said}",
        visible_path(program)
    )]
    NoMaven {
        /// The program.
        program: PathBuf,
        /// What it said.
        said: String,
    },
    /// The build failed.
    #[error("{work} failed:\n{said}\nall that it said is in {}", visible_path(log))]
    Failed {
        /// What was built.
        work: String,
        /// Its last words.
        said: String,
        /// The log.
        log: PathBuf,
    },
    /// A build without a network needs what is not there.
    #[error(
        "{work} needs artifacts that are not in the local repository, and is run without a \
         network:\n{said}\nfetch them once, in {}:\n  {remedy}",
        visible_path(folder)
    )]
    NotFetched {
        /// What was built.
        work: String,
        /// What is missing, in the tool's words.
        said: String,
        /// The project's folder.
        folder: PathBuf,
        /// The command that fetches it.
        remedy: String,
    },
    /// The task is not there.
    #[error("{said}; `{program} tasks --all` lists all tasks")]
    UnknownTask {
        /// Gradle's own words.
        said: String,
        /// How Gradle is called in this project.
        program: String,
    },
    /// The module is not there.
    #[error(
        "the Maven project {} has no module {module}; name it as `mvn -pl` does: by its folder, or \
         as `:ARTIFACT`, and `.` is the project itself",
        visible_path(folder)
    )]
    UnknownModule {
        /// What was asked for.
        module: String,
        /// The project's folder.
        folder: PathBuf,
    },
    /// The build compiled nothing of Java.
    #[error("{work} compiles no Java of a module's main sources; {remedy}")]
    NothingCompiled {
        /// What was built.
        work: String,
        /// What to name instead.
        remedy: String,
    },
    /// The module has no Java.
    #[error("{module} has no Java sources{}", also(languages))]
    NoJava {
        /// The module's path.
        module: String,
        /// What else it is written in.
        languages: Vec<String>,
    },
    /// The sources compiled here are not what the build makes.
    #[error(
        "{module} can't be built here as {tool} builds it, so what would be measured is another \
         program: {}", reasons.join("; ")
    )]
    OtherProgram {
        /// What builds it.
        tool: BuildTool,
        /// The module's path.
        module: String,
        /// Why.
        reasons: Vec<String>,
    },
    /// What is started is not known.
    #[error("{}", no_main(*tool, module, mains, *is_android))]
    NoMain {
        /// What builds it.
        tool: BuildTool,
        /// The module's path.
        module: String,
        /// Classes of which any could be meant.
        mains: Vec<String>,
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
    /// What the build says can't be read as keys of a scenario.
    #[error("what the build says is no part of a scenario: `{}` {}", .0.key, .0.message)]
    Listing(FailedCheck),
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
        ProjectError::NothingCompiled { work: build.work(), remedy: remedy.to_owned() }
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
