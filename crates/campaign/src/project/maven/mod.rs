//! Builds by Maven, offline, with a listener that is notified of each goal.

mod classes;
mod compilation;
mod export;
mod failure;

use super::module::Module;
use super::tool_run::{export_folder, find_program, log_path, read_exports, run_tool};
use super::{ProjectBuild, ProjectError};
use crate::toolchain::Jdk;
use crate::toolchain::maven_export::{MavenInstallation, listener_jar};

use export::MavenModule;

/// Phase of Maven to run: the one after the compiler's, in which plugins change compiled classes.
const PHASE: &str = "process-classes";

/// Builds the module and those that it depends on; returns the modules of which Java was compiled.
pub(super) fn build_modules(build: &ProjectBuild) -> Result<Vec<Module>, ProjectError> {
    let program = find_program(build)?;
    let exported = export_folder(build)?;
    let jdk = Jdk::find()?;
    let maven = MavenInstallation::of(&program, &build.project)?
        .map_err(|said| ProjectError::NoMaven { program: program.clone(), said })?;
    let listener = listener_jar(&jdk, &maven)?;
    let said = run_tool(build, &program, |maven| {
        maven.args(["--offline", "--batch-mode", "-Dstyle.color=never"]);
        maven.arg(format!("-Dmaven.ext.class.path={}", listener.display()));
        maven.arg(format!("-Dwattline.export={}", exported.display()));
        maven.args(goals(build));
    })?;
    if let Some(said) = said {
        return Err(failure::maven_failure(build, &program, &said, log_path(build)));
    }
    let written = read_exports::<MavenModule>(&exported)?;
    let beside = exported.join("beside");
    let compiled = written.iter().filter(|module| !module.compilations.is_empty());
    let modules = compiled.map(|module| export::module(module, &jdk, &beside));
    let modules: Vec<Module> = modules.collect::<Result<_, _>>()?;
    match modules.iter().all(|module| module.variants.is_empty()) {
        true => Err(failure::nothing_compiled(build, &written)),
        false => Ok(modules),
    }
}

/// Arguments that select the phase, the module, and the project's modules that it depends on.
fn goals(build: &ProjectBuild) -> Vec<&str> {
    let options = build.options.iter().map(String::as_str);
    options.chain(["-pl", &build.target, "-am", PHASE]).collect()
}
