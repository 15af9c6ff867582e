//! Traces of Android's sampler of methods (`Debug.startMethodTracingSampling`, before Android
//! 5.0 `VMDebug.startMethodTracing`): their samples as collapsed stacks.
//!
//! The format is that of Dalvik's `vm/Profile.cpp` and of ART's `runtime/trace.cc`: a text that
//! names clocks, threads and methods, then records of methods that were entered and left.

mod header;
mod records;
mod stacks;

use std::time::Duration;

use thiserror::Error;

/// Error of reading a method trace.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MethodTraceError {
    /// A file that is no method trace.
    #[error("it is no trace of methods: `*version` is not its first line")]
    NoTrace,
    /// A streamed trace, written while it was recorded.
    #[error("it is a streamed trace of methods; those of a buffer are read")]
    Streamed,
    /// An unknown version of the format.
    #[error("it is a trace of version {found:?}; versions 1 to 3 are known")]
    Version {
        /// The version in the file.
        found: String,
    },
    /// A malformed line of the text header.
    #[error("line {line} of its text can't be read: {problem}")]
    Line {
        /// Line number, from 1.
        line: usize,
        /// The problem.
        problem: &'static str,
    },
    /// A truncated trace.
    #[error("it ends after {at} bytes, in the middle: the disk may be full")]
    Cut {
        /// Length of the file in bytes.
        at: usize,
    },
    /// Malformed records.
    #[error("its byte {at} can't be right: {problem}")]
    Broken {
        /// Offset of the record or header.
        at: usize,
        /// The problem.
        problem: &'static str,
    },
    /// A buffer that was full before the session's end.
    #[error(
        "its buffer was full before the session's end, and the rest was not sampled: make \
         sessions shorter"
    )]
    Overflow,
}

/// Converts a trace that was sampled at this interval to collapsed stacks, after a first line that
/// names the clocks.
///
/// # Errors
/// Bytes that are no trace, of another version, cut short, broken, or of a full buffer.
pub fn collapsed_samples(trace: &[u8], interval: Duration) -> Result<String, MethodTraceError> {
    let (key, at) = header::read(trace)?;
    let records = records::read(trace, at, &key)?;
    if key.has_overflowed {
        return Err(MethodTraceError::Overflow);
    }
    Ok(stacks::count_stacks(&records, &key, interval)?.text())
}

#[cfg(test)]
mod tests;
