//! The JDK that runs the board's applications and builds the simulated energy model's agent.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::BoardError;
use super::user::{BoardUser, is_reachable_by_all};

/// JVM options for programs of a second or two: fast start, only the fast compiler.
pub(crate) const BRIEF_JVM_OPTIONS: [&str; 3] =
    ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"];

/// Checks that the board's user may run the JDK.
///
/// # Errors
/// It is another one than who started the board, and the JDK is closed to others.
pub(crate) fn check_jdk_access(user: BoardUser) -> Result<(), BoardError> {
    let java = jdk_command("java").get_program().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&path).map(|folder| folder.join(&java));
    // What isn't there says so when it is started.
    let Some(java) = places.find(|file| file.is_file()) else { return Ok(()) };
    let java = java.canonicalize().unwrap_or(java);
    if user.is_other() && !is_reachable_by_all(&java) {
        return Err(BoardError::ClosedJdk { path: java });
    }
    Ok(())
}

/// Command of a JDK program, from JAVA_HOME or else the PATH; a missing one fails with its name
/// when it is started. Its locale has UTF-8 for its encoding, from which a JVM takes that of file
/// names, and no options from outside, which a JVM reports on its standard error.
pub(crate) fn jdk_command(name: &str) -> Command {
    let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin").join(name));
    let found = home.filter(|file| file.is_file()).unwrap_or_else(|| PathBuf::from(name));
    let mut command = Command::new(found);
    command.env_remove("JAVA_TOOL_OPTIONS").env("LC_ALL", "C.UTF-8");
    command
}
