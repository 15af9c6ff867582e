//! Errors of starting a virtual board.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::adb::AdbKeyError;
use super::simulated_model::SimulatedModelError;

/// Error of starting a virtual board.
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
    /// The root folder cannot be built.
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
        /// Each way to confine a shell, with its fault.
        reasons: String,
    },
    /// A board that a superuser starts cannot give up the superuser's rights.
    #[error(
        "a virtual board that root starts runs as a user of its own, which is not to be had here \
         ({reasons}); start it as an ordinary user"
    )]
    SuperUser {
        /// Each way, and what was wrong with it.
        reasons: String,
    },
    /// The board's user may not run the JDK.
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
    /// The public keys of hosts cannot be read or created.
    #[error(transparent)]
    Key(#[from] AdbKeyError),
    /// The port is taken or forbidden.
    #[error("cannot listen on 127.0.0.1:{port}; choose another port, or 0 for any free one")]
    Port {
        /// The port asked for.
        port: u16,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The board file is invalid.
    #[error("the board file can't be used: {problem}")]
    File {
        /// Fault, with the key or the place.
        problem: String,
    },
    /// The files of the simulated energy model cannot be used.
    #[error(transparent)]
    SimulatedModel(#[from] SimulatedModelError),
    /// Another error of the host.
    #[error("the virtual board could not start: {0}")]
    Io(#[from] io::Error),
}
