//! Compilation of wattline's own Java sources to a jar, by one run of javac.

use std::fs;
use std::path::{Path, PathBuf};

use super::class_path::join_paths;
use super::{Jdk, ToolchainError, UTF8_LOCALE, jar};

/// Sources, class path, javac options and manifest of a jar to compile.
pub(super) struct JarBuildRequest<'s> {
    pub(super) files: &'s [PathBuf],
    pub(super) class_path: &'s [PathBuf],
    /// Options of javac in addition to those of every such jar.
    pub(super) options: &'s [&'s str],
    /// Main attributes of the manifest.
    pub(super) manifest: &'s [(&'s str, &'s str)],
}

/// Compiles into the folder `classes`, and packs the folder's contents into the file `to`.
///
/// # Errors
/// javac refuses the sources, with javac's message; a file can't be written.
pub(super) fn compile_jar(
    jdk: &Jdk,
    sources: &JarBuildRequest<'_>,
    classes: &Path,
    to: &Path,
) -> Result<(), ToolchainError> {
    let mut javac = jdk.short_run_javac();
    javac.args(["-nowarn", "-encoding", "UTF-8"]).args(sources.options);
    javac.arg("-cp").arg(join_paths(sources.class_path)).arg("-d").arg(classes);
    javac.args(sources.files).env_remove("JAVA_TOOL_OPTIONS").envs(UTF8_LOCALE);
    let output = javac.output().map_err(ToolchainError::io("start", &jdk.javac))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(ToolchainError::Process { program: "javac", message });
    }
    let bytes = jar::pack(sources.manifest, &jar::read_folder(classes)?);
    fs::write(to, bytes).map_err(ToolchainError::io("write", to))
}
