//! Why a virtual board can't be started.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::adb::KeyError;
use super::simulated_model::SimulatedModelError;

/// Why a virtual board can't be started.
#[derive(Debug, Error)]
pub enum BoardError {
    /// A program of the host is missing.
    #[error(
        "{name} is missing, which the virtual board's shell needs; \
         install it (Debian: apt-get install {name})"
    )]
    ProgramMissing {
        /// Name of program and Debian package.
        name: &'static str,
    },
    /// The root folder can't be built.
    #[error(
        "cannot build the board's root in {}; is there space, and may you write there (TMPDIR)?",
        path.display()
    )]
    Root {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// No shell runs inside the root.
    #[error("no way to run {} works on this machine: {reasons}", path.display())]
    NoShell {
        /// The shell.
        path: PathBuf,
        /// Each way, and what was wrong with it.
        reasons: String,
    },
    /// A superuser's board can't give up the superuser's rights.
    #[error(
        "a virtual board that root starts runs as a user of its own, which is not to be had here \
         ({reasons}); start it as an ordinary user"
    )]
    SuperUser {
        /// Each way, and what was wrong with it.
        reasons: String,
    },
    /// The JDK is closed to the board's user.
    #[error(
        "the applications of a virtual board that root starts run as a user of its own, to whom \
         {} is closed; start the board as an ordinary user, or name a JDK that everybody may \
         run (JAVA_HOME)",
        path.display()
    )]
    ClosedJdk {
        /// The program.
        path: PathBuf,
    },
    /// Whom the board is to let in is not known.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The port can't be listened on.
    #[error("cannot listen on 127.0.0.1:{port}; choose another port, or 0 for any free one")]
    Port {
        /// The port asked for.
        port: u16,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A board file that can't be used.
    #[error("the board file can't be used: {problem}")]
    File {
        /// What is wrong, with the key or the place.
        problem: String,
    },
    /// The simulated energy model's files can't be used.
    #[error(transparent)]
    SimulatedModel(#[from] SimulatedModelError),
    /// Something else of the host failed.
    #[error("the virtual board could not start: {0}")]
    Io(#[from] io::Error),
}
