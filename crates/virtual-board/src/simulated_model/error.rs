//! What can go wrong with the simulated energy model, each with its remedy.

use std::io;
use std::path::PathBuf;

use wattline_private_files::{BuiltFolderError, NotPrivate};

/// Why there is no agent, or no energy.
#[derive(Debug, thiserror::Error)]
pub enum SimulatedModelError {
    /// A cost or library file is not what it should be.
    #[error("{file}: {problem}")]
    Table {
        /// The file's name.
        file: String,
        /// What is wrong, with the key.
        problem: String,
    },
    /// No level of that name in the cost file.
    #[error("the simulated energy model has no device \"{device}\"; it has {known}")]
    Device {
        /// The name asked for.
        device: String,
        /// The names there are.
        known: String,
    },
    /// The bytecode library is missing.
    #[error(
        "the virtual board needs the ASM library (org.objectweb.asm and its tree package, 9.x), \
         which was not found in {looked}: install Maven and let it have a network, \
         or install it with `apt-get install libasm-java`, or name the jars in WATTLINE_ASM, separated by `:`"
    )]
    NoAsm {
        /// The places looked at.
        looked: String,
    },
    /// A tool of the JDK could not be started or failed.
    #[error("building the virtual board's agent: `{tool}` {problem}; install a JDK 11 or later")]
    Jdk {
        /// The program.
        tool: String,
        /// What it said.
        problem: String,
    },
    /// The cache, or what is in it, is not the user's alone.
    #[error(transparent)]
    NotPrivate(#[from] NotPrivate),
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
    /// Names the file of an I/O error.
    pub(crate) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}

/// What the agent wrote is not as it should be.
pub(super) fn invalid(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}
