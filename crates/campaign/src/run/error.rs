//! What ends a campaign. A bad run does not: it is recorded with its reason.

use std::path::PathBuf;

use thiserror::Error;

use crate::format::visible_path;

/// Why a driver could not bring back a session.
#[derive(Debug, Error)]
pub enum DriverError {
    /// The board is gone or answers no more; the campaign stops and can be resumed.
    #[error("the board can't be measured any more: {0}")]
    BoardLost(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Something on this machine or in the scenario; the campaign stops.
    #[error("the run can't be made: {0}")]
    Broken(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Why a campaign stopped.
#[derive(Debug, Error)]
pub enum RunError {
    /// A file of the campaign's folder can't be read or written.
    #[error("{}: {doing} failed", visible_path(file))]
    File {
        /// The file or folder.
        file: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A folder without a journal: nothing was measured there.
    #[error(
        "nothing was measured in {0} yet: `wattline run SCENARIO --out {0}` does, or `wattline \
         pipeline SCENARIO --out {0} --force` from the plan to the report",
        visible_path(folder)
    )]
    NotMeasured {
        /// The folder.
        folder: PathBuf,
    },
    /// A journal line that is not what was written, and not the last one.
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
    /// The folder has a campaign and none was to be resumed.
    #[error(
        "{} has a campaign already; resume it with --resume, or replace it with --force",
        visible_path(folder)
    )]
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder's campaign is another one.
    #[error(
        "cannot resume {}: since the campaign began\n  {changes}\nrestore that, or start another \
         campaign with another --out; what was measured is kept",
        visible_path(folder)
    )]
    OtherCampaign {
        /// The folder.
        folder: PathBuf,
        /// What changed, in lines.
        changes: String,
    },
    /// No run works any more.
    #[error("{count} runs in a row failed for good, the last one ({run}) because: {reasons}")]
    Hopeless {
        /// How many.
        count: u32,
        /// The last one.
        run: String,
        /// Why it failed.
        reasons: String,
    },
    /// A board that the campaign was not spread over.
    #[error(
        "board {board} has no part in this campaign, which lies on {}; name those, or start anew \
         with --force", boards.join(", ")
    )]
    NotAssigned {
        /// The board.
        board: String,
        /// Those that have.
        boards: Vec<String>,
    },
    /// Boards that were lost, or not there, left runs open.
    #[error(
        "{open} runs are open: {}. What is done is kept; resume with --resume when the board is \
         back, or with --resume --move on the others", boards.join("; ")
    )]
    Open {
        /// How many.
        open: usize,
        /// Which boards have how many, and why.
        boards: Vec<String>,
        /// Why the first was lost; none when it was not named.
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
