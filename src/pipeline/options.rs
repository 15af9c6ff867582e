//! What a pipeline is asked for.

use std::path::PathBuf;
use std::time::Duration;

use crate::boards::BoardChoice;
use crate::device::RECONNECT_LIMIT;
use crate::folder::OnExisting;
use crate::load::ScenarioOrigin;
use crate::run::WhenLost;
use crate::trial::LongerSessions;

/// What is measured, where.
#[derive(Debug, Clone)]
pub struct PipelineOptions {
    /// What names the scenario.
    pub scenario: ScenarioOrigin,
    /// Folder for the results.
    pub folder: PathBuf,
    /// The boards.
    pub boards: Vec<BoardChoice>,
    /// How long a board that is lost is waited for.
    pub patience: Duration,
    /// What becomes of the runs of boards that are lost.
    pub when_lost: WhenLost,
    /// What becomes of a folder that has a campaign.
    pub existing: OnExisting,
    /// What becomes of sessions that the trial finds too short.
    pub longer_sessions: LongerSessions,
}

impl PipelineOptions {
    /// A new campaign on the virtual board.
    pub fn new(scenario: impl Into<ScenarioOrigin>, folder: impl Into<PathBuf>) -> PipelineOptions {
        PipelineOptions {
            scenario: scenario.into(),
            folder: folder.into(),
            boards: vec![BoardChoice::default()],
            patience: RECONNECT_LIMIT,
            when_lost: WhenLost::KeepOpen,
            existing: OnExisting::Refuse,
            longer_sessions: LongerSessions::Offer,
        }
    }

    pub(super) fn is_resumed(&self) -> bool {
        self.existing == OnExisting::Resume
    }
}
