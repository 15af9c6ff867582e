//! The error type of all commands: what happened, where, and what to do.

mod campaign_progress;

use std::io;
use std::path::PathBuf;

use crate::attribution::monitor::host::HostError;
use crate::build::BuildError;
use crate::campaign::PlanError;
use crate::device::DeviceError;
use crate::format::visible_path;
use crate::model::ModelError;
use crate::project::ProjectError;
use crate::run::{DriverError, RunError};
use crate::scenario::ScenarioError;
use crate::toolchain::ToolchainError;
use crate::toolchain::agent_link::AttachError;
use crate::virtual_board::BoardError;

pub use campaign_progress::CampaignProgress;

/// Error of a command that ended without its result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A flag or argument is invalid.
    #[error("{0}")]
    Usage(String),
    /// A result file exists already.
    #[error("{} is there already; --force replaces it, or move it away", visible_path(path))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The folder has a campaign already, and `--resume` was not given.
    #[error(
        "{} has a campaign already: {progress}; resume it with --resume, or give another --out{}",
        visible_path(folder),
        if *can_force { " (--force deletes its runs and starts anew)" } else { "" }
    )]
    CampaignExists {
        /// The folder.
        folder: PathBuf,
        /// Number of runs that the campaign has.
        progress: CampaignProgress,
        /// Whether the command can start anew in the same folder.
        can_force: bool,
    },
    /// Another process writes to the folder.
    #[error(
        "{}: another process writes its results there; wait for it or stop it, or give another \
         folder",
        visible_path(folder)
    )]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", visible_path(path))]
    Io {
        /// `read`, `write`, ...
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// An input file has invalid content.
    #[error("{}: {message}", visible_path(file))]
    Input {
        /// The file.
        file: PathBuf,
        /// Description of the error: what, where, and what to do.
        message: String,
    },
    /// The scenario file is invalid.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A project could not be built, or gives no scenario.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The application could not be loaded or built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A Java tool failed.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// No plan could be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The campaign stopped, or its folder can't be read.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The data can't be fitted.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A board, or a call to it, failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A machine can't be monitored.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The system could not start threads.
    #[error(
        "cannot start the threads that share the work ({source}); raise the limit on processes \
         (`ulimit -u`), or end other programs"
    )]
    Threads {
        /// The system's answer.
        source: rayon::ThreadPoolBuildError,
    },
    /// A JVM's methods can't be measured.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// The virtual board can't be started.
    #[error(transparent)]
    VirtualBoard(#[from] BoardError),
    /// The board does not meet the scenario's requirements.
    #[error("{0}")]
    Board(String),
    /// The input has no data for the result.
    #[error("{0}")]
    NoData(String),
}

impl Failure {
    /// Wraps an I/O error with the attempted action and the path.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Failure::Io { action, path, source }
    }

    /// The failure of an input file with invalid content.
    pub fn input(file: impl Into<PathBuf>, message: impl ToString) -> Self {
        Failure::Input { file: file.into(), message: message.to_string() }
    }

    /// Whether a campaign that ended with this failure can be resumed.
    pub fn can_be_resumed(&self) -> bool {
        use RunError::{Exists, OtherCampaign};
        match self {
            Failure::Run(OtherCampaign { .. } | Exists { .. }) => false,
            // All runs were made: once more they are the same.
            Failure::NoData(_) => false,
            _ => true,
        }
    }
}

/// Turns a failure during a campaign's run into an error of the board or of this machine.
impl From<Failure> for DriverError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Device(_) | Failure::Board(_) => DriverError::BoardLost(Box::new(failure)),
            _ => DriverError::Broken(Box::new(failure)),
        }
    }
}

/// Message of an error and its causes, in one line; a cause that repeats the message is left out.
pub fn message_with_causes(error: &dyn std::error::Error) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        let reason = error.to_string();
        if !text.ends_with(&reason) {
            text = format!("{text}: {reason}");
        }
        cause = error.source();
    }
    text
}
