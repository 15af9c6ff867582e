//! `--encoding`, `--processor-path` and the like: how the user's own build compiles.

use std::path::PathBuf;

use clap::Args;

use crate::build::Sources;
use crate::build::annotation_processing::process;
use crate::java::encoding::SourceEncoding;
use crate::scenario::javac_option;
use crate::stage::Failure;
use crate::toolchain::Jdk;
use crate::toolchain::processors::processors_on;

use super::progress;

/// For commands that read sources.
#[derive(Debug, Args)]
pub struct EncodingArgument {
    /// Encoding of the source files, as javac's -encoding names it; a byte order mark says its
    /// own [default: UTF-8].
    #[arg(long, value_name = "NAME", value_parser = SourceEncoding::named)]
    pub encoding: Option<SourceEncoding>,
}

/// For commands that need what annotation processors write.
#[derive(Debug, Args)]
pub struct ProcessorArguments {
    /// Jars with annotation processors, separated as Java does: they run.
    #[arg(long, value_name = "PATH", default_value = "")]
    processor_path: String,
}

/// For commands that build and run a program.
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
    fn paths(&self) -> Vec<PathBuf> {
        let paths = std::env::split_paths(&self.processor_path);
        paths.filter(|path| !path.as_os_str().is_empty()).collect()
    }

    /// Runs the processors that were named. Those that the class path offers do not run where
    /// nothing is run, and it is said.
    pub fn run_named(&self, sources: &mut Sources) -> Result<(), Failure> {
        sources.javac.processor_path = self.paths();
        if !sources.javac.processor_path.is_empty() {
            progress::say(process(sources, &Jdk::find()?, None)?);
            return Ok(());
        }
        let libraries = sources.class_path();
        if !processors_on(&libraries)?.is_empty() {
            progress::warn(
                "the class path has annotation processors, which do not run here: what they write \
                 is not known; name their jar with --processor-path to have them run",
            );
        }
        Ok(())
    }

    /// Runs the processors that were named, else those that the class path offers, as javac does.
    fn run_all(
        &self,
        sources: &mut Sources,
        jdk: &Jdk,
        release: Option<u32>,
    ) -> Result<(), Failure> {
        let (named, offered) = (self.paths(), sources.class_path());
        let path = if named.is_empty() { offered } else { named.clone() };
        if named.is_empty() && processors_on(&path)?.is_empty() {
            return Ok(());
        }
        sources.javac.processor_path = path;
        progress::say(process(sources, jdk, release)?);
        Ok(())
    }
}

impl BuildArguments {
    /// Has the sources built so; runs annotation processors.
    pub fn apply(
        &self,
        sources: &mut Sources,
        processors: &ProcessorArguments,
        jdk: &Jdk,
        release: Option<u32>,
    ) -> Result<(), Failure> {
        if let Some(option) = javac_option::first_refused(&self.javac_option) {
            let taken = javac_option::TAKEN.join(", ");
            let why = format!("--javac-option {option}: only {taken} are taken");
            return Err(Failure::Usage(why));
        }
        sources.javac.preview = self.enable_preview;
        sources.javac.options = self.javac_option.clone();
        if self.no_modules {
            sources.modules.clear();
        } else if let Some(name) = sources.become_module()? {
            progress::say(format!(
                "runs as module {name}, which module-info.java declares (--no-modules: on the \
                 class path)"
            ));
        }
        if !self.no_processors {
            processors.run_all(sources, jdk, release)?;
        }
        Ok(())
    }
}
