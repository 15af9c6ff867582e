//! Errors of the simulated energy model, each with its remedy.

use std::io;
use std::path::PathBuf;

use wattline_private_files::{BuiltFolderError, PrivacyError};

/// Error of building the agent or reading costs and counters.
#[derive(Debug, thiserror::Error)]
pub enum SimulatedModelError {
    /// A cost or library file is invalid.
    #[error("{file}: {problem}")]
    Table {
        /// The file's name.
        file: String,
        /// Fault, with the key.
        problem: String,
    },
    /// The cost file has no device of that name.
    #[error("the simulated energy model has no device \"{device}\"; it has {known}")]
    Device {
        /// The name asked for.
        device: String,
        /// Names of the file's devices.
        known: String,
    },
    /// The bytecode library is missing.
    #[error(
        "the virtual board needs the ASM library (org.objectweb.asm and its tree package, 9.x), \
         which was not found in {looked}: install Maven and let it have a network, \
         or install it with `apt-get install libasm-java`, or name the jars in WATTLINE_ASM, separated by `:`"
    )]
    NoAsm {
        /// Places that were searched.
        looked: String,
    },
    /// A tool of the JDK could not be started or failed.
    #[error("building the virtual board's agent: `{tool}` {problem}; install a JDK 11 or later")]
    Jdk {
        /// Name of the tool.
        tool: String,
        /// Its message.
        problem: String,
    },
    /// Another user could change the cache or its contents.
    #[error(transparent)]
    NotPrivate(#[from] PrivacyError),
    /// A file could not be read or written.
    #[error("{path}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl From<BuiltFolderError<SimulatedModelError>> for SimulatedModelError {
    fn from(error: BuiltFolderError<SimulatedModelError>) -> Self {
        match error {
            BuiltFolderError::NotPrivate(error) => error.into(),
            BuiltFolderError::Build(error) => error,
        }
    }
}

impl SimulatedModelError {
    /// Error of a file from an I/O error.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}

/// Error of agent output that is not of the expected format.
pub(super) fn invalid_agent_output(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}
