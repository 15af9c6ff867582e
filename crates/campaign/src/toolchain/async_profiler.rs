//! async-profiler, where the user names its library: it samples a JVM by its threads' processor
//! time, in native code too, and writes recordings in Flight Recorder's format.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::flight::NO_SAFEPOINTS;

/// The variable that names the library, `libasyncProfiler.so` of version 3.0 or later,
/// 4.0 for JDK 25.
pub(crate) const VARIABLE: &str = "WATTLINE_ASYNC_PROFILER";

/// Between two samples of a thread, in its CPU time. A stack takes some ten
/// microseconds to walk: the application loses less than 1 %.
const INTERVAL: &str = "2ms";

/// The library, if one is named.
pub fn library() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|named| !named.is_empty()).map(PathBuf::from)
}

/// Options of a JVM that records its samples to `recording` until it ends. `ctimer` needs no
/// performance counters, which containers and virtual machines often lack.
pub fn options(library: &Path, recording: &Path) -> Vec<OsString> {
    let mut agent = OsString::from("-agentpath:");
    agent.push(library);
    agent.push(format!("=start,event=ctimer,interval={INTERVAL},jfr,file="));
    agent.push(recording);
    NO_SAFEPOINTS.into_iter().map(OsString::from).chain([agent]).collect()
}
