//! Traces of Android's sampler of methods (`Debug.startMethodTracingSampling`, before Android
//! 5.0 `VMDebug.startMethodTracing`): their samples as collapsed stacks.
//!
//! The format is that of Dalvik's `vm/Profile.cpp` and of ART's `runtime/trace.cc`: a text that
//! names clocks, threads and methods, then records of methods that were entered and left.

mod key;
mod records;
mod stacks;

use std::time::Duration;

use thiserror::Error;

/// Why a trace can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MethodTraceError {
    /// It begins otherwise.
    #[error("it is no trace of methods: `*version` is not its first line")]
    NoTrace,
    /// Written piece by piece while it was made.
    #[error("it is a streamed trace of methods; those of a buffer are read")]
    Streamed,
    /// Of a format of its own.
    #[error("it is a trace of version {found:?}; versions 1 to 3 are known")]
    Version {
        /// As it stands there.
        found: String,
    },
    /// A line of its text that is none.
    #[error("line {line} of its text can't be read: {problem}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It ends before it should.
    #[error("it ends after {at} bytes, in the middle: the disk may be full")]
    Cut {
        /// Its length.
        at: usize,
    },
    /// Records that are none.
    #[error("its byte {at} can't be right: {problem}")]
    Broken {
        /// Where the record or header begins.
        at: usize,
        /// What is wrong there.
        problem: &'static str,
    },
    /// The end of the session is not in it.
    #[error(
        "its buffer was full before the session's end, and the rest was not sampled: make \
         sessions shorter"
    )]
    Overflow,
}

/// Reads a trace that was made by sampling at this interval, as collapsed stacks; a first line
/// names the clocks.
///
/// # Errors
/// Bytes that are no trace, of another version, cut short, broken, or of a full buffer.
pub fn samples(trace: &[u8], interval: Duration) -> Result<String, MethodTraceError> {
    let (key, at) = key::read(trace)?;
    let records = records::read(trace, at, &key)?;
    if key.has_overflowed {
        return Err(MethodTraceError::Overflow);
    }
    Ok(stacks::of(&records, &key, interval)?.text())
}

#[cfg(test)]
mod tests;
