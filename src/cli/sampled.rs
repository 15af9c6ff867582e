//! How many sampled runs a campaign has: where the scenario does not say it, one of each
//! unremoved case on boards whose sampler is known.

use crate::scenario::CampaignSettings;

use super::Failure;
use super::sessions::OpenBoard;

/// The settings with what the board decides; this machine's JVM has Flight Recorder.
pub fn settings(campaign: &CampaignSettings, is_local: bool) -> CampaignSettings {
    let default = u32::from(is_local);
    let sampled_repeats = Some(campaign.sampled_repeats.unwrap_or(default));
    CampaignSettings { sampled_repeats, ..campaign.clone() }
}

/// The same for open boards.
///
/// # Errors
/// Sampled runs are asked for of a board without a sampler that is known.
pub fn on(campaign: &CampaignSettings, boards: &[OpenBoard]) -> Result<CampaignSettings, Failure> {
    let without = boards.iter().find(|board| !board.is_local());
    match (campaign.sampled_repeats, without) {
        (Some(1..), Some(board)) => Err(Failure::Board(format!(
            "board {} has no sampler that is known: set `sampled_repeats = 0` in [campaign], or \
             leave it out",
            board.serial()
        ))),
        _ => Ok(settings(campaign, without.is_none() && !boards.is_empty())),
    }
}
