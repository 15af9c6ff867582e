//! wattline's own Java programs, compiled once on a machine and cached with a class data sharing
//! archive, from which a JVM starts faster.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::private_files::{TemporaryFolder, built_folder, lasting_cache_folder};

use super::artifact::hash_of_bytes;
use super::class_path::join_paths;
use super::compiled_jar::{JarBuildRequest, compile_jar};
use super::{BRIEF_JVM, Jdk, ToolchainError, UTF8_LOCALE};

/// A program in one source file, with its libraries.
pub(super) struct JavaProgram<'p> {
    /// Name of the class with `main`, and of its file.
    pub(super) class: &'p str,
    pub(super) text: String,
    /// Jars on its class path.
    pub(super) libraries: &'p [PathBuf],
}

/// Function that returns the standard input for the run from which the archive is made, which
/// makes the program load the classes that it will need. Arguments: the source file, the jar, a
/// folder to write to.
pub(super) type FirstRun<'f> = dyn Fn(&Path, &Path, &Path) -> std::io::Result<Vec<u8>> + 'f;

/// Class path and JVM options of a compiled program.
pub(super) struct CachedProgram {
    pub(super) class_path: Vec<PathBuf>,
    /// JVM options.
    pub(super) options: Vec<String>,
}

impl JavaProgram<'_> {
    /// The command that runs the program: the compiled one or, without one, its source, which is
    /// written into `folder` and which the JVM compiles at each start.
    ///
    /// # Errors
    /// The source can't be written.
    pub(super) fn command(
        &self,
        jdk: &Jdk,
        cached: Option<CachedProgram>,
        folder: &Path,
    ) -> Result<Command, ToolchainError> {
        let mut command = Command::new(&jdk.java);
        command.args(BRIEF_JVM);
        match cached {
            Some(cached) => {
                command.args(cached.options).args(["-cp", &join_paths(&cached.class_path)]);
                command.arg(self.class);
            }
            None => {
                let source = folder.join(format!("{}.java", self.class));
                fs::write(&source, &self.text).map_err(ToolchainError::io("write", &source))?;
                command.args(["-cp", &join_paths(self.libraries)]).arg(&source);
            }
        }
        Ok(command)
    }
}

const NO_LOG: &str = "-Xlog:disable";

/// The program from the cache, compiled and stored there if absent; `None` without a persistent
/// cache.
///
/// # Errors
/// The cache can't be used; javac refuses the program.
pub(super) fn load_or_compile(
    jdk: &Jdk,
    program: &JavaProgram<'_>,
    first_run: &FirstRun<'_>,
) -> Result<Option<CachedProgram>, ToolchainError> {
    let Some(cache) = lasting_cache_folder()? else { return Ok(None) };
    let name = format!("{}-{}", program.class.to_lowercase(), cache_key(jdk, program)?);
    let compiled = built_folder(&cache, &name, |work| compile(jdk, program, work))?;
    let mut class_path = vec![compiled.join(JAR)];
    class_path.extend(program.libraries.iter().cloned());
    let archive = format!("{name}-archive");
    let archive = built_folder(&cache, &archive, |work| {
        let source = compiled.join(format!("{}.java", program.class));
        let scratch = TemporaryFolder::new("archive")
            .map_err(ToolchainError::io("create", std::env::temp_dir()))?;
        let input = first_run(&source, &class_path[0], scratch.path())
            .map_err(ToolchainError::io("write", scratch.path()))?;
        archive_classes(jdk, program.class, &class_path, &input, &work.join(ARCHIVE))
    })?;
    let archive = archive.join(ARCHIVE);
    // An archive that a JVM can't use is not used, and that is not to be said among answers.
    let mut options = vec![NO_LOG.to_owned()];
    if archive.exists() {
        options.push(format!("-XX:SharedArchiveFile={}", archive.display()));
    }
    Ok(Some(CachedProgram { class_path, options }))
}

const JAR: &str = "program.jar";
const ARCHIVE: &str = "classes.jsa";

/// The cache key: hash of the program, its libraries and the JDK.
fn cache_key(jdk: &Jdk, program: &JavaProgram<'_>) -> Result<String, ToolchainError> {
    let java = fs::canonicalize(&jdk.java).map_err(ToolchainError::io("find", &jdk.java))?;
    let home = java.parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    let release = fs::read_to_string(home.join("release")).unwrap_or_default();
    let text = format!(
        "{}\n{release}\n{}\n{}",
        java.display(),
        join_paths(program.libraries),
        program.text
    );
    Ok(hash_of_bytes(text.as_bytes())[..16].to_owned())
}

fn compile(jdk: &Jdk, program: &JavaProgram<'_>, work: &Path) -> Result<(), ToolchainError> {
    let source = work.join(format!("{}.java", program.class));
    fs::write(&source, &program.text).map_err(ToolchainError::io("write", &source))?;
    let sources = JarBuildRequest {
        files: &[source],
        class_path: program.libraries,
        options: &["-proc:none"],
        manifest: &[],
    };
    let classes = work.join("classes");
    compile_jar(jdk, &sources, &classes, &work.join(JAR))?;
    fs::remove_dir_all(&classes).map_err(ToolchainError::io("remove", &classes))
}

/// Writes the class data sharing archive; a JVM that can't make one leaves none.
fn archive_classes(
    jdk: &Jdk,
    class: &str,
    class_path: &[PathBuf],
    input: &[u8],
    archive: &Path,
) -> Result<(), ToolchainError> {
    let mut process = Command::new(&jdk.java)
        .args(BRIEF_JVM)
        .arg(NO_LOG)
        .arg(format!("-XX:ArchiveClassesAtExit={}", archive.display()))
        .args(["-cp", &join_paths(class_path), class])
        .envs(UTF8_LOCALE)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(ToolchainError::io("start", &jdk.java))?;
    if let Some(mut requests) = process.stdin.take() {
        // One that ends early makes no archive.
        let _ = requests.write_all(input);
    }
    process.wait().map(drop).map_err(ToolchainError::io("wait for", &jdk.java))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_runs_compiled_or_from_its_source() {
        let (Ok(jdk), Ok(folder)) = (Jdk::find(), tempfile::tempdir()) else {
            return crate::skip::because("no JDK");
        };
        let text = "public class Greeting {
            public static void main(String[] a) { System.out.println(\"from \" + a[0]); } }";
        let program = JavaProgram { class: "Greeting", text: text.to_owned(), libraries: &[] };
        let run = |cached, word: &str| {
            let output = program.command(&jdk, cached, folder.path()).unwrap().arg(word).output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        assert_eq!(run(None, "source").trim(), "from source");
        compile(&jdk, &program, folder.path()).unwrap();
        let class_path = vec![folder.path().join(JAR)];
        let cached = CachedProgram { class_path, options: vec![NO_LOG.to_owned()] };
        fs::remove_file(folder.path().join("Greeting.java")).unwrap();
        assert_eq!(run(Some(cached), "jar").trim(), "from jar");
        assert!(!folder.path().join("Greeting.java").exists());
    }
}
