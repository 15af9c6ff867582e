//! Errors of the Java tools, each with a remedy.

use std::io;
use std::path::PathBuf;

use super::entry_name::NameFault;
use crate::format::visible_path;
use crate::private_files::{BuiltFolderError, PrivacyError};

/// A failure of the tool chain.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// Neither JAVA_HOME nor PATH has a JDK.
    #[error(
        "no JDK found: `{tool}` is neither in $JAVA_HOME/bin nor on PATH; install one (Debian: apt-get install default-jdk-headless)"
    )]
    NoJdk {
        /// Name of the program.
        tool: &'static str,
    },
    /// Maven is needed to fetch an artifact and is not there.
    #[error(
        "`mvn` is not on PATH and {artifact} is not in the cache; install Maven (Debian: apt-get install maven)"
    )]
    NoMaven {
        /// The requested coordinate.
        artifact: String,
    },
    /// Maven could not fetch the artifact (offline, or no such artifact).
    #[error("Maven could not fetch {artifact}: {message}")]
    NotFetched {
        /// The requested coordinate.
        artifact: String,
        /// Maven's first error line.
        message: String,
    },
    /// A coordinate is not `group:artifact:version[:classifier]`.
    #[error("{coordinate:?} is not a Maven coordinate (group:artifact:version[:classifier])")]
    BadCoordinate {
        /// The text that is no coordinate.
        coordinate: String,
    },
    /// The fetched bytes are not the expected ones.
    #[error("{artifact} has SHA-256 {found}, expected {expected}; the file was not used")]
    WrongHash {
        /// The requested coordinate.
        artifact: String,
        /// The hash in the scenario file.
        expected: String,
        /// The hash of the fetched file.
        found: String,
    },
    /// A jar or zip could not be read.
    #[error("{} is not a readable jar: {message}", visible_path(path))]
    BadArchive {
        /// The archive.
        path: PathBuf,
        /// The zip reader's message.
        message: String,
    },
    /// A name that is no path below a folder.
    #[error("a file named {name} is not written: {fault}; rename it")]
    UnsafeName {
        /// The fault.
        name: String,
        /// What is wrong with it.
        fault: NameFault,
    },
    /// Flight Recorder's reader refuses a file.
    #[error(
        "{path} is no whole recording of Flight Recorder: {message}; end the recording before reading it"
    )]
    BadRecording {
        /// The file.
        path: PathBuf,
        /// The reader's message.
        message: String,
    },
    /// Other users have access to the cache or to a file in it.
    #[error(transparent)]
    NotPrivate(#[from] PrivacyError),
    /// A file operation failed.
    #[error("{action} {}: {source}", visible_path(path))]
    Io {
        /// The attempted action ("read", "create", ...).
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// javac's stack overflowed on deeply nested sources.
    #[error("javac has no stack left: an expression of the sources is nested too deeply")]
    DeepSources,
    /// javac refuses its options.
    #[error(
        "javac takes no sources for that: {message}; where they need that release, name a JDK that \
         knows it by JAVA_HOME, else set `java_release` in [application] (or --release) to one that \
         this JDK knows"
    )]
    JavacOptions {
        /// javac's message.
        message: String,
    },
    /// A tool refuses its input.
    #[error("{program}: {message}")]
    Refused {
        /// Name of the program.
        program: &'static str,
        /// The program's message.
        message: String,
    },
    /// Communication with a compiler or JVM process failed.
    #[error("{program} stopped answering: {message}")]
    Process {
        /// Name of the program.
        program: &'static str,
        /// The failure.
        message: String,
    },
}

impl From<BuiltFolderError<ToolchainError>> for ToolchainError {
    fn from(error: BuiltFolderError<ToolchainError>) -> Self {
        match error {
            BuiltFolderError::NotPrivate(error) => error.into(),
            BuiltFolderError::Build(error) => error,
        }
    }
}

impl ToolchainError {
    /// A function that turns an I/O error into one with the attempted action and the path.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| ToolchainError::Io { action, path, source }
    }
}
