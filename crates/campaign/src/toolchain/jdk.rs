//! The JDK: location of its programs.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::ToolchainError;
use super::warm_jvm::IdleJvms;

/// Programs of one JDK, 11 or later.
#[derive(Debug, Clone)]
pub struct Jdk {
    /// The JVM launcher.
    pub java: PathBuf,
    /// The compiler.
    pub javac: PathBuf,
    /// wattline's own Java programs that this JDK runs and that are idle.
    pub(super) idle_jvms: Arc<IdleJvms>,
}

/// Options of JVMs that run for a second or two: fast start, without the optimising compiler, which
/// pays off later.
pub(crate) const BRIEF_JVM: [&str; 3] =
    ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"];

impl Jdk {
    /// Finds a JDK in `$JAVA_HOME/bin`, then on PATH. The error names the missing program and the
    /// package that has it.
    pub fn find() -> Result<Jdk, ToolchainError> {
        let (java, javac) = (find_tool("java")?, find_tool("javac")?);
        Ok(Jdk { java, javac, idle_jvms: Arc::default() })
    }

    /// The Java release, from the file `release` beside the JDK's programs.
    pub fn release(&self) -> Option<u32> {
        let javac = self.javac.canonicalize().ok()?;
        let text = std::fs::read_to_string(javac.parent()?.parent()?.join("release")).ok()?;
        let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        let version = version.trim_matches('"');
        // Before 9 it was 1.8.
        let version = version.strip_prefix("1.").unwrap_or(version);
        version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// A javac command for compiling a few files, with options for a fast start.
    pub(crate) fn short_run_javac(&self) -> Command {
        let mut javac = Command::new(&self.javac);
        javac.args(BRIEF_JVM.map(|option| format!("-J{option}")));
        javac
    }
}

/// The full path of the program `name` on PATH; `None` if absent.
pub fn find_on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// The path of a JDK program: in `$JAVA_HOME/bin`, else on PATH.
pub(crate) fn find_tool(tool: &'static str) -> Result<PathBuf, ToolchainError> {
    env::var_os("JAVA_HOME")
        .map(|home| Path::new(&home).join("bin").join(tool))
        .filter(|file| is_program(file))
        .or_else(|| find_on_path(tool))
        .ok_or(ToolchainError::NoJdk { tool })
}

fn is_program(file: &Path) -> bool {
    file.is_file()
}
