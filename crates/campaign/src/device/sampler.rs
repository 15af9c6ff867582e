//! The sampling profilers that boards have.

use std::fmt;
use std::time::Duration;

/// A sampling profiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampler {
    /// The JDK's Flight Recorder.
    FlightRecorder,
    /// async-profiler on this machine's JVM, where its library is named.
    AsyncProfiler,
    /// Android's simpleperf, for applications that the shell may profile: from Android 10 on.
    Simpleperf,
    /// Android's sampler of methods, which the runner of a package starts in its own process:
    /// from Android 4.4 on.
    Methods,
}

/// Samples in a second of the application's CPU time. With stacks walked by frame
/// pointers, which takes some microseconds, the application loses less than 2 %.
pub(super) const SIMPLEPERF_HZ: u32 = 1000;

/// Between two looks of the sampler of methods, each of which stops all threads. Frames last a
/// whole number of 10 ms at many rates, and each look would meet the same part of every one.
pub(super) const METHODS_INTERVAL: Duration = Duration::from_micros(9_700);

/// What the sampler of methods may write. Looks whose stacks differ by twenty methods make 28 kB
/// a second: it lasts for nearly ten minutes of those.
pub(super) const METHODS_BUFFER_BYTES: u32 = 16 << 20;

/// The level of the first Android that lets the shell profile applications which are not
/// debuggable, 10.
const PROFILEABLE_SINCE: u32 = 29;

/// The level of the first Android that samples methods, 4.4; before, each call was traced.
const METHODS_SINCE: u32 = 19;

/// The sampler of an Android of this API level that has the program `simpleperf` or not.
pub(super) fn of_android(level: Option<u32>, has_simpleperf: bool) -> Option<Sampler> {
    match level? {
        PROFILEABLE_SINCE.. => has_simpleperf.then_some(Sampler::Simpleperf),
        METHODS_SINCE.. => Some(Sampler::Methods),
        _ => None,
    }
}

impl Sampler {
    /// The one of a record's name for it.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::FlightRecorder, Self::AsyncProfiler, Self::Simpleperf, Self::Methods];
        all.into_iter().find(|sampler| sampler.to_string() == name)
    }

    /// Whether it is started by the runner of a package, which a jar does not have.
    pub(crate) fn is_of_packages(self) -> bool {
        self == Self::Methods
    }

    /// Whether its stacks show code that was compiled into its caller.
    pub fn shows_inlined(self) -> bool {
        matches!(self, Self::FlightRecorder | Self::AsyncProfiler)
    }

    /// How many sampled runs a case has where nobody says it. A JVM's compiler decides anew in
    /// each process, and how far runs differ by that only a second one tells.
    pub(crate) fn usual_runs(self) -> u32 {
        match self {
            Self::FlightRecorder | Self::AsyncProfiler => 2,
            Self::Simpleperf | Self::Methods => 1,
        }
    }
}

impl fmt::Display for Sampler {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::FlightRecorder => "flight-recorder",
            Self::AsyncProfiler => "async-profiler",
            Self::Simpleperf => "simpleperf",
            Self::Methods => "method-sampling",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_name_samplers_as_they_are_shown() {
        use Sampler::{AsyncProfiler, FlightRecorder, Methods, Simpleperf};
        for sampler in [AsyncProfiler, FlightRecorder, Methods, Simpleperf] {
            assert_eq!(Sampler::named(&sampler.to_string()), Some(sampler));
        }
        assert_eq!(Sampler::named("another"), None);
    }
}
