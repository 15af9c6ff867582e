//! The sampling profilers that boards have.

use std::fmt;

/// A sampling profiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampler {
    /// The JDK's Flight Recorder.
    FlightRecorder,
    /// Android's simpleperf, for applications that the shell may profile: from Android 10 on.
    Simpleperf,
}

/// Samples in a second of the application's processor time. With stacks walked by frame
/// pointers, which takes some microseconds, the application loses less than 2 %.
pub(super) const SIMPLEPERF_HZ: u32 = 1000;

/// The first Android that lets the shell profile applications which are not debuggable.
const PROFILEABLE_SINCE: u32 = 10;

/// The sampler of an Android release that has the program `simpleperf` or not.
pub(super) fn of_android(release: Option<&str>, has_simpleperf: bool) -> Option<Sampler> {
    let major: Option<u32> = release.and_then(|text| text.split('.').next()?.parse().ok());
    let lets = has_simpleperf && major.is_some_and(|major| major >= PROFILEABLE_SINCE);
    lets.then_some(Sampler::Simpleperf)
}

impl fmt::Display for Sampler {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::FlightRecorder => "flight-recorder",
            Self::Simpleperf => "simpleperf",
        })
    }
}
