//! The JDK: where its programs are.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::ToolchainError;
use super::warm::IdleJvms;

/// The programs of one JDK (11 or later).
#[derive(Debug, Clone)]
pub struct Jdk {
    /// The JVM launcher.
    pub java: PathBuf,
    /// The compiler.
    pub javac: PathBuf,
    /// Programs of ours that it runs and that wait for who needs them next.
    pub(super) idle: Arc<IdleJvms>,
}

/// Options of JVMs of ours that work for a second or two: they start fast, and do without the
/// compiler that pays later.
pub(crate) const BRIEF_JVM: [&str; 3] =
    ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"];

impl Jdk {
    /// Looks in `$JAVA_HOME/bin`, then on PATH. An error names the missing program and
    /// the package that has it.
    pub fn find() -> Result<Jdk, ToolchainError> {
        let (java, javac) = (find_tool("java")?, find_tool("javac")?);
        Ok(Jdk { java, javac, idle: Arc::default() })
    }

    /// Its release of Java, as the file beside its programs states it.
    pub fn release(&self) -> Option<u32> {
        let javac = self.javac.canonicalize().ok()?;
        let text = std::fs::read_to_string(javac.parent()?.parent()?.join("release")).ok()?;
        let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        let version = version.trim_matches('"');
        // Before 9 it was 1.8.
        let version = version.strip_prefix("1.").unwrap_or(version);
        version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    /// The compiler, as a process that compiles a few files and ends.
    pub(crate) fn brief_javac(&self) -> Command {
        let mut javac = Command::new(&self.javac);
        javac.args(BRIEF_JVM.map(|option| format!("-J{option}")));
        javac
    }
}

/// The full path of `name` on PATH, if it is there.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// A program of the JDK: in `$JAVA_HOME/bin`, else on PATH.
pub(crate) fn find_tool(tool: &'static str) -> Result<PathBuf, ToolchainError> {
    env::var_os("JAVA_HOME")
        .map(|home| Path::new(&home).join("bin").join(tool))
        .filter(|file| is_program(file))
        .or_else(|| on_path(tool))
        .ok_or(ToolchainError::NoJdk { tool })
}

fn is_program(file: &Path) -> bool {
    file.is_file()
}
