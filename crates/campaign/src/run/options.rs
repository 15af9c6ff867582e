//! Options of running a campaign.

use std::path::PathBuf;

use super::basis::CampaignBasis;
use super::judge_settings::JudgeSettings;

/// Policy for a campaign or results that a folder has already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnExisting {
    /// They stay, and the command refuses to run.
    Refuse,
    /// The campaign is resumed, if there is one; its results are replaced.
    Resume,
    /// They are replaced (`--force`).
    Replace,
}

impl From<bool> for OnExisting {
    fn from(force: bool) -> Self {
        if force { OnExisting::Replace } else { OnExisting::Refuse }
    }
}

/// The folder of a campaign's runs, their basis, and the settings by which they are judged.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// Folder of journal and runs.
    pub folder: PathBuf,
    /// Policy for a campaign that the folder has already.
    pub existing: OnExisting,
    /// Basis of the runs.
    pub basis: CampaignBasis,
    /// Seed, for the records.
    pub seed: u64,
    /// How often a bad run is repeated.
    pub max_retries: u32,
    /// Settings of the judge of runs.
    pub judge: JudgeSettings,
}
