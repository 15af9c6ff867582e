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

/// Time between two samples of Android's sampler of methods, each of which stops all threads.
/// Frames last a whole number of 10 ms at many rates, and with a period of 10 ms each sample would
/// fall on the same part of every frame.
pub(super) const METHODS_INTERVAL: Duration = Duration::from_micros(9_700);

/// Size of the buffer of Android's sampler of methods. Samples whose stacks differ by twenty
/// methods take 28 kB a second, so the buffer lasts for nearly ten minutes.
pub(super) const METHODS_BUFFER_BYTES: u32 = 16 << 20;

/// API level of Android 10, the first that lets the shell profile applications which are not
/// debuggable.
const PROFILEABLE_SINCE: u32 = 29;

/// API level of Android 4.4, the first that samples methods; before, each call was traced.
const METHODS_SINCE: u32 = 19;

/// The sampler of an Android board with this API level, with or without the program `simpleperf`.
pub(super) fn android_sampler(level: Option<u32>, has_simpleperf: bool) -> Option<Sampler> {
    match level? {
        PROFILEABLE_SINCE.. => has_simpleperf.then_some(Sampler::Simpleperf),
        METHODS_SINCE.. => Some(Sampler::Methods),
        _ => None,
    }
}

impl Sampler {
    /// The sampler with this name in records.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::FlightRecorder, Self::AsyncProfiler, Self::Simpleperf, Self::Methods];
        all.into_iter().find(|sampler| sampler.to_string() == name)
    }

    /// Whether the runner of a package starts the sampler; a jar has no runner.
    pub(crate) fn is_of_packages(self) -> bool {
        self == Self::Methods
    }

    /// Whether the stacks show methods that were inlined into their callers.
    pub fn shows_inlined(self) -> bool {
        matches!(self, Self::FlightRecorder | Self::AsyncProfiler)
    }

    /// Default number of sampled runs of a case. A JVM's compiler decides anew in each process, and
    /// only a second run shows how far runs differ by that.
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
            assert_eq!(Sampler::from_name(&sampler.to_string()), Some(sampler));
        }
        assert_eq!(Sampler::from_name("another"), None);
    }
}
