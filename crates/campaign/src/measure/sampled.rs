//! How many sampled runs a campaign has: where the scenario does not say it, as many of each
//! unremoved case as is usual with the boards' sampler.

use crate::boards::OpenBoard;
use crate::campaign::with_sampler;
use crate::device::Sampler;
use crate::failure::Failure;
use crate::scenario::CampaignSettings;

/// The settings with what the boards decide: which of them can be sampled.
///
/// # Errors
/// Sampled runs are asked for of a board without a sampler that is known.
pub fn on(
    campaign: &CampaignSettings,
    boards: &[OpenBoard<'_>],
) -> Result<CampaignSettings, Failure> {
    let samplers: Result<Vec<Sampler>, Failure> = boards.iter().map(OpenBoard::sampler).collect();
    match (campaign.sampled_repeats, samplers) {
        (Some(1..), Err(none)) => Err(none),
        (_, samplers) => {
            let runs = samplers.into_iter().flatten().map(Sampler::usual_runs);
            Ok(with_sampler(campaign, runs.max().unwrap_or(0)))
        }
    }
}
