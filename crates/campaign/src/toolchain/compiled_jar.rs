//! Sources of ours -> a jar, by one run of javac.

use std::fs;
use std::path::{Path, PathBuf};

use super::class_path::join_paths;
use super::{Jdk, ToolchainError, UTF8_LOCALE, jar};

/// What is compiled, and how.
pub(super) struct JarSources<'s> {
    pub(super) files: &'s [PathBuf],
    pub(super) class_path: &'s [PathBuf],
    /// Options of javac beside those of every such jar.
    pub(super) options: &'s [&'s str],
    /// Main attributes of the manifest.
    pub(super) manifest: &'s [(&'s str, &'s str)],
}

/// Compiles into `classes`, a folder, and packs what is there then into the file `to`.
///
/// # Errors
/// What javac refuses, in its words; files that can't be written.
pub(super) fn compile_jar(
    jdk: &Jdk,
    sources: &JarSources<'_>,
    classes: &Path,
    to: &Path,
) -> Result<(), ToolchainError> {
    let mut javac = jdk.brief_javac();
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
