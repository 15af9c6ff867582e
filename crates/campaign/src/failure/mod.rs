//! Everything a user can run into, in one place: what happened and what to do about it.

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

/// Why a command ended without its result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A flag or argument makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A result is there already.
    #[error("{} is there already; --force replaces it, or move it away", visible_path(path))]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The folder has a campaign, and none was to be resumed.
    #[error(
        "{} has a campaign already: {kept}; resume it with --resume, or give another --out{}",
        visible_path(folder),
        if *can_force { " (--force deletes its runs and starts anew)" } else { "" }
    )]
    Campaign {
        /// The folder.
        folder: PathBuf,
        /// What it has.
        kept: CampaignProgress,
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
    /// An input file does not hold what it should.
    #[error("{}: {message}", visible_path(file))]
    Input {
        /// The file.
        file: PathBuf,
        /// What is wrong, where, and what to do.
        message: String,
    },
    /// The scenario file is at fault.
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
    /// The board does not do what it should.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A machine can't be monitored.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The system gives no threads.
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
    /// The board is not what the scenario wants.
    #[error("{0}")]
    Board(String),
    /// The input holds nothing to answer with.
    #[error("{0}")]
    NoData(String),
}

impl Failure {
    /// Wraps an I/O failure with what was tried on which path.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Failure::Io { action, path, source }
    }

    /// An input file at fault.
    pub fn input(file: impl Into<PathBuf>, message: impl ToString) -> Self {
        Failure::Input { file: file.into(), message: message.to_string() }
    }

    /// Whether a campaign that ended so can be resumed.
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

/// A failure during a campaign's run: the board's own fault, or this side's.
impl From<Failure> for DriverError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Device(_) | Failure::Board(_) => DriverError::BoardLost(Box::new(failure)),
            _ => DriverError::Broken(Box::new(failure)),
        }
    }
}

/// An error with its causes, in one line; a cause that says the same again is left out.
pub fn with_causes(error: &dyn std::error::Error) -> String {
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
