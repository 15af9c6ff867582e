//! A build by Maven, without a network, with a listener that hears of each goal.

mod classes;
mod compilation;
mod export;
mod failure;

use super::module::Module;
use super::tool_run::{export_folder, exports, log_of, program, run};
use super::{ProjectBuild, ProjectError};
use crate::toolchain::Jdk;
use crate::toolchain::maven_export::{MavenInstallation, maven_export};

use export::MavenModule;

/// The phase after that of the compiler, in which plugins change the classes that it made.
const PHASE: &str = "process-classes";

/// Builds the module and those that it needs; each of which Java was compiled tells what it is
/// made of.
pub(super) fn modules(build: &ProjectBuild) -> Result<Vec<Module>, ProjectError> {
    let program = program(build)?;
    let exported = export_folder(build)?;
    let jdk = Jdk::find()?;
    let maven = MavenInstallation::of(&program, &build.project)?
        .map_err(|said| ProjectError::NoMaven { program: program.clone(), said })?;
    let listener = maven_export(&jdk, &maven)?;
    let said = run(build, &program, |maven| {
        maven.args(["--offline", "--batch-mode", "-Dstyle.color=never"]);
        maven.arg(format!("-Dmaven.ext.class.path={}", listener.display()));
        maven.arg(format!("-Dwattline.export={}", exported.display()));
        maven.args(goals(build));
    })?;
    if let Some(said) = said {
        return Err(failure::failure(build, &program, &said, log_of(build)));
    }
    let written = exports::<MavenModule>(&exported)?;
    let beside = exported.join("beside");
    let compiled = written.iter().filter(|module| !module.compilations.is_empty());
    let modules = compiled.map(|module| export::module(module, &jdk, &beside));
    let modules: Vec<Module> = modules.collect::<Result<_, _>>()?;
    match modules.iter().all(|module| module.variants.is_empty()) {
        true => Err(failure::nothing_compiled(build, &written)),
        false => Ok(modules),
    }
}

/// What is built, and how: the module, and what it needs of the same project.
fn goals(build: &ProjectBuild) -> Vec<&str> {
    let options = build.options.iter().map(String::as_str);
    options.chain(["-pl", &build.target, "-am", PHASE]).collect()
}
