//! async-profiler, if the user names its library: it samples a JVM by the CPU time of threads,
//! native code included, and writes recordings in Flight Recorder's format.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::flight_recorder::NO_SAFEPOINTS;

/// Environment variable with the path of `libasyncProfiler.so`, version 3.0 or later, 4.0 for JDK
/// 25.
pub(crate) const LIBRARY_VARIABLE: &str = "WATTLINE_ASYNC_PROFILER";

/// CPU time between two samples of a thread. Walking a stack takes some ten microseconds: the
/// application loses less than 1 %.
const INTERVAL: &str = "2ms";

/// The path of the library; `None` if the variable is not set.
pub fn library() -> Option<PathBuf> {
    std::env::var_os(LIBRARY_VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from)
}

/// JVM options that record samples to `recording` until the JVM ends. `ctimer` needs no performance
/// counters, which containers and virtual machines often lack.
pub fn options(library: &Path, recording: &Path) -> Vec<OsString> {
    let mut agent = OsString::from("-agentpath:");
    agent.push(library);
    agent.push(format!("=start,event=ctimer,interval={INTERVAL},jfr,file="));
    agent.push(recording);
    NO_SAFEPOINTS.into_iter().map(OsString::from).chain([agent]).collect()
}
