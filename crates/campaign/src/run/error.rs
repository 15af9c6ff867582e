//! Errors that end a campaign. A bad run is no such error: it is recorded with its reason.

use std::path::PathBuf;

use thiserror::Error;

use crate::format::visible_path;

/// Error of a driver that could not make a session.
#[derive(Debug, Error)]
pub enum DriverError {
    /// The board was lost; the campaign stops and can be resumed.
    #[error("the board can't be measured any more: {0}")]
    BoardLost(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// An error of this machine or the scenario; the campaign stops.
    #[error("the run can't be made: {0}")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Error that stops a campaign or refuses to start it.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file of the campaign's folder can't be read or written.
    #[error("{}: {doing} failed", visible_path(file))]
    File {
        /// The file or folder.
        file: PathBuf,
        /// The attempted action.
        doing: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The folder has no journal: nothing was measured there.
    #[error(
        "nothing was measured in {0} yet: `wattline run SCENARIO --out {0}` does, or `wattline \
         pipeline SCENARIO --out {0} --force` from the plan to the report",
        visible_path(folder)
    )]
    NotMeasured {
        /// The folder.
        folder: PathBuf,
    },
    /// A journal line other than the last is damaged.
    #[error(
        "{}:{line}: the line is damaged; restore the file or start a new campaign with --force",
        visible_path(file)
    )]
    DamagedJournal {
        /// The journal.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
    },
    /// Another process is running this campaign.
    #[error("{}: another process runs this campaign; wait for it or stop it", visible_path(folder))]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder has a campaign already, and `--resume` was not given.
    #[error(
        "{} has a campaign already; resume it with --resume, or replace it with --force",
        visible_path(folder)
    )]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder's campaign has another basis.
    #[error(
        "cannot resume {}: since the campaign began\n  {changes}\nrestore that, or start another \
         campaign with another --out; what was measured is kept",
        visible_path(folder)
    )]
    OtherCampaign {
        /// The folder.
        folder: PathBuf,
        /// The changes of the basis, in lines.
        changes: String,
    },
    /// Too many runs in a row failed for good.
    #[error("{count} runs in a row failed for good, the last one ({run}) because: {reasons}")]
    TooManyFailures {
        /// Number of failed runs in a row.
        count: u32,
        /// The last of these runs.
        run: String,
        /// Reasons of its failure.
        reasons: String,
    },
    /// A board that has no case of the campaign.
    #[error(
        "board {board} has no part in this campaign, which lies on {}; name those, or start anew \
         with --force", boards.join(", ")
    )]
    NotAssigned {
        /// The board.
        board: String,
        /// The boards of the campaign.
        boards: Vec<String>,
    },
    /// Runs are open on boards that were lost or not there.
    #[error(
        "{open} runs are open: {}. What is done is kept; resume with --resume when the board is \
         back, or with --resume --move on the others", boards.join("; ")
    )]
    Open {
        /// Number of open runs.
        open: usize,
        /// A sentence per board, with its number of open runs and the reason.
        boards: Vec<String>,
        /// Error of the first lost board; none if that board was not named.
        #[source]
        source: Option<DriverError>,
    },
    /// The driver stopped.
    #[error("run {run} was not made; what is done is kept")]
    Driver {
        /// The run.
        run: String,
        /// Why.
        #[source]
        source: DriverError,
    },
}

impl RunError {
    /// Wraps an error of the file system: `.map_err(RunError::file(path, "reading"))`.
    pub(super) fn file(
        file: impl Into<PathBuf>,
        doing: &'static str,
    ) -> impl FnOnce(std::io::Error) -> RunError {
        let file = file.into();
        move |source| RunError::File { file, doing, source }
    }
}
