//! The JDK: where its programs are.

use std::env;
use std::path::{Path, PathBuf};

use super::ToolchainError;

/// The programs of one JDK (11 or later).
#[derive(Debug, Clone)]
pub struct Jdk {
    /// The JVM launcher.
    pub java: PathBuf,
    /// The compiler.
    pub javac: PathBuf,
}

impl Jdk {
    /// Looks in `$JAVA_HOME/bin`, then on PATH. An error names the missing program and
    /// the package that has it.
    pub fn find() -> Result<Jdk, ToolchainError> {
        Ok(Jdk { java: find_tool("java")?, javac: find_tool("javac")? })
    }
}

/// The full path of `name` on PATH, if it is there.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

/// A program of the JDK: in `$JAVA_HOME/bin`, else on PATH.
pub fn find_tool(tool: &'static str) -> Result<PathBuf, ToolchainError> {
    env::var_os("JAVA_HOME")
        .map(|home| Path::new(&home).join("bin").join(tool))
        .filter(|file| is_program(file))
        .or_else(|| on_path(tool))
        .ok_or(ToolchainError::NoJdk { tool })
}

fn is_program(file: &Path) -> bool {
    file.is_file()
}
