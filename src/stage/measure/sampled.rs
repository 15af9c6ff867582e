//! How many sampled runs a campaign has: where the scenario does not say it, one of each
//! unremoved case on boards whose sampler is known.

use crate::campaign::with_sampler;
use crate::scenario::CampaignSettings;

use crate::stage::Failure;
use crate::stage::boards::OpenBoard;

/// The settings with what the boards decide: which of them can be sampled.
///
/// # Errors
/// Sampled runs are asked for of a board without a sampler that is known.
pub fn on(campaign: &CampaignSettings, boards: &[OpenBoard]) -> Result<CampaignSettings, Failure> {
    let without = boards.iter().find(|board| !board.is_sampled());
    match (campaign.sampled_repeats, without) {
        (Some(1..), Some(board)) => Err(Failure::Board(format!(
            "board {} has no sampler that is known (Android has one from release 10 on): set \
             `sampled_repeats = 0` in [campaign], or leave it out",
            board.serial()
        ))),
        _ => Ok(with_sampler(campaign, without.is_none() && !boards.is_empty())),
    }
}
