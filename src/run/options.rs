//! How a campaign is run.

use std::path::PathBuf;

use super::basis::CampaignBasis;
use super::judge_settings::JudgeSettings;

/// Whether a folder may hold the campaign already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumePolicy {
    /// It must not.
    New,
    /// It is gone on with, if there.
    Resume,
}

/// Where a campaign's runs go, what they depend on, and what they are held against.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// Folder of journal and runs.
    pub folder: PathBuf,
    /// New or resumed.
    pub start: ResumePolicy,
    /// What its runs depend on.
    pub basis: CampaignBasis,
    /// What an older version wrote in its place.
    pub fingerprint: String,
    /// Seed, for the records.
    pub seed: u64,
    /// How often a bad run is repeated.
    pub max_retries: u32,
    /// What runs are held against.
    pub judge: JudgeSettings,
}
