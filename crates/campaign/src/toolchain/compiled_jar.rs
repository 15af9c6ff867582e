//! Compilation of wattline's own Java sources to a jar, by one run of javac.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::artifact::hash_of_bytes;
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

/// One jar of an agent, with the texts of its sources.
pub(super) struct AgentJar<'s> {
    /// Its file name without `.jar`.
    pub(super) name: &'s str,
    /// File name and text of each source.
    pub(super) sources: &'s [(&'s str, &'s str)],
    pub(super) class_path: &'s [PathBuf],
    /// Options of javac for the Java release.
    pub(super) release: &'s [&'s str],
    /// Main attributes of the manifest.
    pub(super) manifest: &'s [(&'s str, &'s str)],
}

impl AgentJar<'_> {
    /// Compiles the sources into the folder `NAME-classes` of `work`, and packs them into
    /// `NAME.jar` there.
    ///
    /// # Errors
    /// As [`compile_jar`].
    pub(super) fn compile(&self, jdk: &Jdk, work: &Path) -> Result<(), ToolchainError> {
        let name = self.name;
        let text = |(file, text): &(&str, &str)| {
            (format!("{name}-source/{file}"), text.as_bytes().to_vec())
        };
        let texts: BTreeMap<String, Vec<u8>> = self.sources.iter().map(text).collect();
        let files = jar::write_folder(work, &texts)?;
        let options = [&["-XDstringConcat=inline"], self.release].concat();
        let request = JarBuildRequest {
            files: &files,
            class_path: self.class_path,
            options: &options,
            manifest: self.manifest,
        };
        let classes = work.join(format!("{name}-classes"));
        compile_jar(jdk, &request, &classes, &work.join(format!("{name}.jar")))
    }
}

/// Cache key of an agent: hash of its sources and of the file names of its libraries, which contain
/// their hashes.
pub(super) fn agent_key<'s>(
    sources: impl Iterator<Item = &'s (&'s str, &'s str)>,
    libraries: &[PathBuf],
) -> String {
    let all: String = sources.map(|(name, text)| format!("{name}\n{text}")).collect();
    let names = libraries.iter().filter_map(|jar| jar.file_name());
    let libraries: String = names.map(|name| name.to_string_lossy()).collect();
    hash_of_bytes((all + &libraries).as_bytes())[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_has_one_key_wherever_its_libraries_are() {
        let key = |text: &str, library: &str| {
            agent_key([("A.java", text)].iter(), &[PathBuf::from(library)])
        };
        assert_eq!(key("class A {}", "/one/0f-asm.jar"), key("class A {}", "/other/0f-asm.jar"));
        assert_ne!(key("class A {}", "/one/0f-asm.jar"), key("class A {}", "/one/1f-asm.jar"));
        assert_ne!(key("class A {}", "/one/0f-asm.jar"), key("class A { }", "/one/0f-asm.jar"));
    }
}
