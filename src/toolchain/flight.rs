//! Recordings of the JDK's Flight Recorder: how a JVM makes one, and their samples as
//! collapsed stacks, read by a small program on the JDK's own reader.

use std::path::Path;
use std::process::Command;

use super::{Jdk, ToolchainError, UTF8_LOCALE};

const READER: &str = include_str!("java/FlightSamples.java");

/// What a recording begins with.
const MAGIC: &[u8] = b"FLR\0";

/// Whether these bytes are a recording.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The samples of a recording as collapsed stacks with descriptors and lines, a first line
/// `# EVENT` saying which samples they are; `window` in milliseconds since 1970 leaves out
/// what came before and after.
///
/// # Errors
/// A file that Flight Recorder's reader refuses, and no JDK to run it on.
pub fn samples(
    jdk: &Jdk,
    recording: &Path,
    window: Option<(i64, i64)>,
) -> Result<String, ToolchainError> {
    let folder = tempfile::tempdir().map_err(ToolchainError::io("create", std::env::temp_dir()))?;
    let reader = folder.path().join("FlightSamples.java");
    std::fs::write(&reader, READER).map_err(ToolchainError::io("write", &reader))?;
    let output = Command::new(&jdk.java)
        .args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"])
        .arg(&reader)
        .arg(recording)
        .args(window.into_iter().flat_map(|(from, to)| [from.to_string(), to.to_string()]))
        .envs(UTF8_LOCALE)
        .output()
        .map_err(ToolchainError::io("start", &jdk.java))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let told = said.lines().find(|line| line.starts_with("Exception") || line.contains("rror:"));
    let message = told.or(said.lines().next()).unwrap_or_default().to_owned();
    Err(ToolchainError::BadRecording { path: recording.to_owned(), message })
}
