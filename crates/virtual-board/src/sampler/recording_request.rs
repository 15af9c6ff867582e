//! Request for a recording: which application, how often, how long.

/// Running application that can be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedApplication {
    pub pid: u32,
    pub package: String,
}

/// Application or process to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordingTarget {
    /// Application of a package, also one that does not run yet.
    Package(String),
    /// A process.
    Process(u32),
}

/// Request for a recording of samples.
#[derive(Debug, Clone)]
pub(crate) struct RecordingRequest {
    /// Process number of the command, which is signalled when the recording is over.
    pub command: u32,
    pub target: RecordingTarget,
    /// Name of the event that the samples count.
    pub event: String,
    /// Samples per second of busy time.
    pub rate_hz: u64,
    /// Duration in nanoseconds from the application's start or discovery; `None` for as long as it
    /// runs.
    pub duration_ns: Option<u64>,
    /// Whether samples have more than their innermost frame.
    pub callchain: bool,
}
