//! Arguments that name sources and how they are compiled: paths, or a project's build;
//! `--encoding`, `--processor-path` and the like.

use std::path::PathBuf;

use clap::Args;

use crate::build::annotation_processing::run_processors;
use crate::build::{Sources, sources};
use crate::failure::Failure;
use crate::folder::Output;
use crate::java::encoding::SourceEncoding;
use crate::project::{BuildTool, ProjectError};
use crate::scenario::javac_option;
use crate::toolchain::Jdk;
use crate::toolchain::annotation_processors::processors_on;

use super::progress;
use super::project_arguments::ProjectArguments;

/// Sources of a command: paths, or a project's build, with their encoding.
#[derive(Debug, Args)]
pub struct SourceArguments {
    /// Source folders, .java files or source jars; with --gradle or --maven, what is compiled
    /// with the project's own (a class with `main` that drives it).
    #[arg(required_unless_present = "build_tool")]
    sources: Vec<PathBuf>,
    #[command(flatten)]
    classes: ClassPathArguments,
    #[command(flatten)]
    encoding: EncodingArgument,
    #[command(flatten)]
    project: ProjectArguments,
}

/// Flag `--classpath` of all commands that read sources.
#[derive(Debug, Args)]
pub struct ClassPathArguments {
    /// Jars, AARs and class folders, separated as Java does; the JDK is found by itself.
    #[arg(long, default_value = "")]
    pub classpath: String,
}

impl ClassPathArguments {
    /// Entries of the class path.
    pub fn paths(&self) -> Vec<PathBuf> {
        std::env::split_paths(&self.classpath).filter(|path| !path.as_os_str().is_empty()).collect()
    }
}

/// Loaded sources with the settings of the project's build.
pub struct LoadedSources {
    pub sources: Sources,
    /// Settings of the project's build; `None` where the command line alone names the sources.
    pub project: Option<ProjectSettings>,
}

/// Settings of a project's build beside its sources.
pub struct ProjectSettings {
    tool: BuildTool,
    target: String,
    /// `javac --release`.
    pub release: Option<u32>,
    /// Whether classes keep the names of parameters.
    pub parameters: bool,
    mains: Vec<String>,
    obstacles: Vec<String>,
}

impl SourceArguments {
    /// Source paths of the command line.
    pub fn paths(&self) -> &[PathBuf] {
        &self.sources
    }

    /// Encoding of the command line.
    pub fn encoding(&self) -> Option<SourceEncoding> {
        self.encoding.encoding
    }

    /// Reads the sources; a project is built first, with its log in the folder of the results.
    pub fn load(&self, output: &Output) -> Result<LoadedSources, Failure> {
        let (libraries, encoding) = (self.classes.paths(), self.encoding());
        let Some(origin) = self.project.origin() else {
            let sources = sources::load_paths_in_encoding(&self.sources, &libraries, encoding)?;
            return Ok(LoadedSources { sources, project: None });
        };
        let built = origin.sources(output, &progress::TERMINAL)?;
        let beside = (&*self.sources, &*libraries);
        let sources = sources::load_listing(&built.listing, &origin.folder, beside, encoding)?;
        let project = ProjectSettings {
            tool: origin.tool,
            target: origin.target,
            release: built.listing.java_release,
            parameters: built.listing.parameters,
            mains: built.mains,
            obstacles: built.obstacles,
        };
        Ok(LoadedSources { sources, project: Some(project) })
    }
}

impl LoadedSources {
    /// Warns where the build compiles these sources to another program than javac.
    pub fn warn_of_obstacles(&self) {
        if let Some(project) = &self.project {
            for obstacle in &project.obstacles {
                progress::warn(format!("{} makes another program: {obstacle}", project.tool));
            }
        }
    }

    /// Refuses to run a program that differs from the build's.
    pub fn check_same_program(&self) -> Result<(), Failure> {
        match &self.project {
            Some(project) if !project.obstacles.is_empty() => {
                Err(Failure::Project(ProjectError::OtherProgram {
                    tool: project.tool,
                    module: project.target.clone(),
                    reasons: project.obstacles.clone(),
                }))
            }
            _ => Ok(()),
        }
    }

    /// Class with `main` that the build names, if it names exactly one.
    pub fn main_class(&self) -> Result<String, Failure> {
        let Some(ProjectSettings { tool, target, mains, .. }) = &self.project else {
            return Err(Failure::Usage("--main is missing: it is the class to run".to_owned()));
        };
        match &mains[..] {
            [main] => Ok(main.clone()),
            [] => Err(Failure::Usage(format!(
                "{tool}'s build of {target} says no class with `main`: name one with --main"
            ))),
            several => Err(Failure::Usage(format!(
                "{tool}'s build of {target} says several classes with `main` ({}): name one with \
                 --main",
                several.join(", ")
            ))),
        }
    }

    /// Release of Java that the build compiles for.
    pub fn release(&self) -> Option<u32> {
        self.project.as_ref().and_then(|project| project.release)
    }
}

/// Flag `--encoding`.
#[derive(Debug, Args)]
pub struct EncodingArgument {
    /// Encoding of the source files, as javac's -encoding names it; a byte order mark says its
    /// own [default: UTF-8].
    #[arg(long, value_name = "NAME", value_parser = SourceEncoding::from_name)]
    pub encoding: Option<SourceEncoding>,
}

/// Flags for the sources that annotation processors write.
#[derive(Debug, Args)]
pub struct ProcessorArguments {
    /// Jars with annotation processors, separated as Java does: they run.
    #[arg(long, value_name = "PATH", default_value = "")]
    processor_path: String,
}

/// Flags of commands that build and run a program.
#[derive(Debug, Args)]
pub struct BuildArguments {
    /// Run no annotation processors, not even those on the class path.
    #[arg(long, conflicts_with = "processor_path")]
    no_processors: bool,
    /// Preview features of Java, in javac and in the JVM.
    #[arg(long)]
    enable_preview: bool,
    /// Another option of javac (`-Akey=value`, `--add-exports=...`); may be given again.
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    javac_option: Vec<String>,
    /// Leave module-info.java out, and run the program on the class path.
    #[arg(long)]
    no_modules: bool,
}

impl ProcessorArguments {
    /// Entries of `--processor-path`.
    fn paths(&self) -> Vec<PathBuf> {
        let paths = std::env::split_paths(&self.processor_path);
        paths.filter(|path| !path.as_os_str().is_empty()).collect()
    }

    /// Runs the processors of the command line or of the build. Those that the class path offers do
    /// not run where nothing is run; a message says so.
    pub fn run_named(&self, loaded: &mut LoadedSources) -> Result<(), Failure> {
        let release = loaded.release();
        let LoadedSources { sources, project } = loaded;
        sources.javac.processor_path.extend(self.paths());
        if !sources.javac.processor_path.is_empty() {
            progress::say(run_processors(sources, &Jdk::find()?, release)?);
            return Ok(());
        }
        // What those of a build wrote as sources is among its sources.
        let libraries = sources.class_path();
        if project.is_none() && !processors_on(&libraries)?.is_empty() {
            progress::warn(
                "the class path has annotation processors, which do not run here: what they write \
                 is not known; name their jar with --processor-path to have them run",
            );
        }
        Ok(())
    }

    /// Runs the processors of the command line, else those that the class path offers, as javac
    /// does; for a project those of its build, since the others ran in it.
    fn run_all(
        &self,
        loaded: &mut LoadedSources,
        jdk: &Jdk,
        release: Option<u32>,
    ) -> Result<(), Failure> {
        let LoadedSources { sources, project } = loaded;
        let mut path = [sources.javac.processor_path.clone(), self.paths()].concat();
        if path.is_empty() && project.is_none() {
            path = sources.class_path();
            if processors_on(&path)?.is_empty() {
                return Ok(());
            }
        }
        sources.javac.processor_path = path;
        if !sources.javac.processor_path.is_empty() {
            progress::say(run_processors(sources, jdk, release)?);
        }
        Ok(())
    }
}

impl BuildArguments {
    /// Applies the flags to loaded sources and runs annotation processors.
    pub fn apply(
        &self,
        loaded: &mut LoadedSources,
        processors: &ProcessorArguments,
        jdk: &Jdk,
        release: Option<u32>,
    ) -> Result<(), Failure> {
        if let Some(option) = javac_option::first_refused(&self.javac_option) {
            let taken = javac_option::TAKEN_OPTIONS.join(", ");
            let why = format!("--javac-option {option}: only {taken} are taken");
            return Err(Failure::Usage(why));
        }
        let sources = &mut loaded.sources;
        sources.javac.preview |= self.enable_preview;
        sources.javac.options.extend(self.javac_option.iter().cloned());
        if self.no_modules {
            sources.modules.clear();
        } else if let Some(name) = sources.set_up_module()? {
            progress::say(format!(
                "runs as module {name}, which module-info.java declares (--no-modules: on the \
                 class path)"
            ));
        }
        match self.no_processors {
            true => sources.javac.processor_path.clear(),
            false => processors.run_all(loaded, jdk, release)?,
        }
        Ok(())
    }
}
