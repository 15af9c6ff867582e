//! What can go wrong with the Java tools, each with its remedy.

use std::io;
use std::path::PathBuf;

use super::entry_name::NameFault;
use crate::format::visible_path;
use crate::private_files::{BuiltFolderError, NotPrivate};

/// A failure of the tool chain.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// Neither JAVA_HOME nor PATH has a JDK.
    #[error(
        "no JDK found: `{tool}` is neither in $JAVA_HOME/bin nor on PATH; install one (Debian: apt-get install default-jdk-headless)"
    )]
    NoJdk {
        /// The program that was looked for.
        tool: &'static str,
    },
    /// Maven is needed to fetch an artifact and is not there.
    #[error(
        "`mvn` is not on PATH and {artifact} is not in the cache; install Maven (Debian: apt-get install maven)"
    )]
    NoMaven {
        /// The coordinate that was asked for.
        artifact: String,
    },
    /// Maven could not bring the artifact (offline, or no such artifact).
    #[error("Maven could not fetch {artifact}: {message}")]
    NotFetched {
        /// The coordinate that was asked for.
        artifact: String,
        /// Maven's own first error line.
        message: String,
    },
    /// A coordinate is not `group:artifact:version[:classifier]`.
    #[error("{coordinate:?} is not a Maven coordinate (group:artifact:version[:classifier])")]
    BadCoordinate {
        /// What was given.
        coordinate: String,
    },
    /// The fetched bytes are not the expected ones.
    #[error("{artifact} has SHA-256 {found}, expected {expected}; the file was not used")]
    WrongHash {
        /// The coordinate that was asked for.
        artifact: String,
        /// From the scenario file.
        expected: String,
        /// Of the fetched file.
        found: String,
    },
    /// A jar or zip could not be read.
    #[error("{} is not a readable jar: {message}", visible_path(path))]
    BadArchive {
        /// The archive.
        path: PathBuf,
        /// What the reader said.
        message: String,
    },
    /// A name that is no path below a folder.
    #[error("a file named {name} is not written: {fault}; rename it")]
    UnsafeName {
        /// The name, with control characters escaped.
        name: String,
        /// What is wrong with it.
        fault: NameFault,
    },
    /// Flight Recorder's reader does not take a file.
    #[error(
        "{path} is no whole recording of Flight Recorder: {message}; end the recording before reading it"
    )]
    BadRecording {
        /// The file.
        path: PathBuf,
        /// What the reader said.
        message: String,
    },
    /// The cache, or what is in it, is not the user's alone.
    #[error(transparent)]
    NotPrivate(#[from] NotPrivate),
    /// A file operation failed.
    #[error("{action} {}: {source}", visible_path(path))]
    Io {
        /// What was tried ("read", "create", ...).
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// javac's stack is full.
    #[error("javac has no stack left: an expression of the sources is nested too deeply")]
    DeepSources,
    /// javac does not take its options.
    #[error(
        "javac takes no sources for that: {message}; where they need that release, name a JDK that \
         knows it by JAVA_HOME, else set `java_release` in [application] (or --release) to one that \
         this JDK knows"
    )]
    JavacOptions {
        /// What it says.
        message: String,
    },
    /// A tool refuses what it was given.
    #[error("{program}: {message}")]
    Refused {
        /// Which program.
        program: &'static str,
        /// What it says.
        message: String,
    },
    /// The compiler or JVM process could not be talked to.
    #[error("{program} stopped answering: {message}")]
    Process {
        /// Which program.
        program: &'static str,
        /// What happened.
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
    /// Wraps an I/O failure with what was tried on which path.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| ToolchainError::Io { action, path, source }
    }
}
