//! A board in a box: an Android board without the board. The stock adb server drives
//! it over loopback TCP; its shell is mksh with toybox in a private root; its
//! applications are real JVM processes; its clock, sensors and energy are simulated.
//! See `docs/virtual-board.md`.

mod adb;
mod jail;
mod root;
mod shells;
pub mod shim;
pub mod silicon;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

pub use adb::Mode;

/// How a board is started.
#[derive(Debug, Clone)]
pub struct BoardOptions {
    /// Loopback port of the ADB device side; 0 takes any free one.
    pub port: u16,
    /// Generation of adbd.
    pub mode: Mode,
    /// The program that answers to the names of the board's own commands: an
    /// executable that calls [`shim::run_if_shim`] first. `None` is this program.
    pub executable: Option<PathBuf>,
}

/// Why a board can't be started.
#[derive(Debug, Error)]
pub enum BoardError {
    /// A program of the host is missing.
    #[error(
        "{name} is missing, which the virtual board's shell needs; install it (Debian: apt-get install {name})"
    )]
    ProgramMissing {
        /// Name of program and Debian package.
        name: &'static str,
    },
    /// The root folder can't be built.
    #[error("cannot build the board's root in {}; is there space, and may you write there (TMPDIR)?", path.display())]
    Root {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// No shell runs inside the root.
    #[error("no way to run {} works on this machine", path.display())]
    NoShell {
        /// The shell.
        path: PathBuf,
    },
    /// The port can't be listened on.
    #[error("cannot listen on 127.0.0.1:{port}; choose another port, or 0 for any free one")]
    Port {
        /// The port asked for.
        port: u16,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Something else of the host failed.
    #[error("the virtual board could not start")]
    Io(#[from] io::Error),
}

/// A board that runs on threads of this process until it is dropped.
pub struct RunningBoard {
    server: adb::AdbServer,
    _root: root::Root,
}

/// Starts a board.
///
/// # Errors
/// When a program of the host is missing, the root can't be built, or the port is
/// taken.
pub fn start(options: &BoardOptions) -> Result<RunningBoard, BoardError> {
    let executable = match &options.executable {
        Some(path) => path.clone(),
        None => std::env::current_exe()?,
    };
    let root = root::Root::build(&executable)?;
    let jail = jail::Jail::find(root.path())?;
    let _ = jail.name();
    let shells = Arc::new(shells::Shells::new(jail, root.path()));
    let device = adb::Device { mode: options.mode, shells, model: "odroidxu".to_owned() };
    let server = adb::AdbServer::start(options.port, device)
        .map_err(|source| BoardError::Port { port: options.port, source })?;
    Ok(RunningBoard { server, _root: root })
}

impl RunningBoard {
    /// The name under which adb knows the board after `adb connect`.
    pub fn serial(&self) -> String {
        format!("127.0.0.1:{}", self.server.port())
    }
}

impl Drop for RunningBoard {
    fn drop(&mut self) {
        self.server.stop();
    }
}
