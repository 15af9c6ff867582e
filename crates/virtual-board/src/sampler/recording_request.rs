//! What a recording is asked for: of which application, how often, how long.

/// An application that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedApplication {
    pub pid: u32,
    pub package: String,
}

/// What is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordingTarget {
    /// The application of a package, also one that does not run yet.
    Package(String),
    /// A process.
    Process(u32),
}

/// What was asked for.
#[derive(Debug, Clone)]
pub(crate) struct RecordingRequest {
    /// The process of the command, which is told when the recording is over.
    pub command: u32,
    pub target: RecordingTarget,
    /// What the samples are counted by, as it was named.
    pub event: String,
    /// Samples in a second of busy time.
    pub rate_hz: u64,
    /// Nanoseconds from the first sight of the application; none for as long as it runs.
    pub duration_ns: Option<u64>,
    /// Whether samples have more than their innermost frame.
    pub callchain: bool,
}
