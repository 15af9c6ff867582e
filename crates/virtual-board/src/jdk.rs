//! The JDK that runs the board's applications and builds the silicon's agent.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of JVMs that work for a second or two: they start fast, and do without the compiler
/// that pays later.
pub(crate) const BRIEF_JVM: [&str; 3] =
    ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"];

/// A program of the JDK, of JAVA_HOME, else on the path; what isn't there says so by its name
/// when it is started. Its locale has UTF-8 for its encoding, from which a JVM takes that of
/// file names, and no options from outside, of which a JVM tells on its standard error.
pub(crate) fn program(name: &str) -> Command {
    let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin").join(name));
    let found = home.filter(|file| file.is_file()).unwrap_or_else(|| PathBuf::from(name));
    let mut command = Command::new(found);
    command.env_remove("JAVA_TOOL_OPTIONS").env("LC_ALL", "C.UTF-8");
    command
}
