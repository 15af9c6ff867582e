//! What can go wrong between a scenario and its variants.

use std::io;
use std::path::PathBuf;

use crate::toolchain::{Diagnostic, ToolchainError};

/// A failure while loading or building an application.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A removal moved blocks, so that counts can't be assigned.
    #[error(
        "without its removed blocks the application has no block `{0}`; please report this with the source"
    )]
    Moved(String),
    /// A run that was to say who called.
    #[error("the run with the call-tree probe failed for input {input}: {reason}")]
    Calls {
        /// The input sequence.
        input: String,
        /// Why.
        reason: String,
    },
    /// A source folder or file of the command line or the scenario is not there.
    #[error("{path} is not there; check the path in {named_in}")]
    Missing {
        /// The path.
        path: PathBuf,
        /// The scenario file or `the command line`.
        named_in: String,
    },
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// No Java file was found.
    #[error("no .java file in {places}")]
    NoSources {
        /// What was looked through.
        places: String,
    },
    /// The class path can't be read.
    #[error("class path: {0}")]
    ClassPath(String),
    /// The JDK, Maven or an archive failed.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// The unchanged sources don't compile.
    #[error("the {what} does not compile; first of {count} errors: {first}")]
    DoesNotCompile {
        /// `application` or `instrumented application`.
        what: &'static str,
        /// How many errors.
        count: usize,
        /// `file:line: error: ...`.
        first: String,
    },
}

impl BuildError {
    /// Wraps an I/O failure with its path.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| BuildError::Io { path, source }
    }

    /// The error for sources that javac refused.
    pub fn refused(what: &'static str, errors: &[Diagnostic]) -> Self {
        let first = errors.first().map_or_else(String::new, |error| {
            format!("{}:{}: {}", error.file.display(), error.line, error.message)
        });
        BuildError::DoesNotCompile { what, count: errors.len(), first }
    }
}
