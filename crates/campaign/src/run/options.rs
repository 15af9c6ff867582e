//! How a campaign is run.

use std::path::PathBuf;

use super::basis::CampaignBasis;
use super::judge_settings::JudgeSettings;

/// What happens to a campaign or to results that a folder holds already.
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

/// Where a campaign's runs go, what they depend on, and what they are held against.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// Folder of journal and runs.
    pub folder: PathBuf,
    /// What happens to a campaign that the folder holds.
    pub existing: OnExisting,
    /// What its runs depend on.
    pub basis: CampaignBasis,
    /// Seed, for the records.
    pub seed: u64,
    /// How often a bad run is repeated.
    pub max_retries: u32,
    /// What runs are held against.
    pub judge: JudgeSettings,
}
