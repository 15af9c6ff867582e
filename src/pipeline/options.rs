//! Options of a pipeline.

use std::path::PathBuf;
use std::time::Duration;

use crate::boards::BoardChoice;
use crate::device::RECONNECT_LIMIT;
use crate::folder::OnExisting;
use crate::load::ScenarioOrigin;
use crate::run::LostBoardPolicy;
use crate::trial::LongerSessionsPolicy;

/// Options of a pipeline: scenario, folder, boards and policies.
#[derive(Debug, Clone)]
pub struct PipelineOptions {
    /// Scenario file or project.
    pub scenario: ScenarioOrigin,
    /// Folder for the results.
    pub folder: PathBuf,
    /// Boards that share the runs.
    pub boards: Vec<BoardChoice>,
    /// Time for which a lost board is waited for.
    pub patience: Duration,
    /// Policy for the runs of lost boards.
    pub when_lost: LostBoardPolicy,
    /// Policy for a folder that contains a campaign.
    pub existing: OnExisting,
    /// Policy for sessions that the trial finds too short.
    pub longer_sessions: LongerSessionsPolicy,
}

impl PipelineOptions {
    /// Options of a new campaign on the virtual board.
    pub fn new(scenario: impl Into<ScenarioOrigin>, folder: impl Into<PathBuf>) -> PipelineOptions {
        PipelineOptions {
            scenario: scenario.into(),
            folder: folder.into(),
            boards: vec![BoardChoice::default()],
            patience: RECONNECT_LIMIT,
            when_lost: LostBoardPolicy::KeepOpen,
            existing: OnExisting::Refuse,
            longer_sessions: LongerSessionsPolicy::Offer,
        }
    }

    /// Whether an existing campaign is resumed.
    pub(super) fn is_resumed(&self) -> bool {
        self.existing == OnExisting::Resume
    }
}
