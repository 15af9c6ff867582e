//! The number of a campaign's sampled runs: if the scenario does not set one, as many of each
//! unremoved case as is usual with the boards' sampler.

use crate::boards::OpenBoard;
use crate::campaign::settings_with_sampled_repeats;
use crate::device::Sampler;
use crate::failure::Failure;
use crate::scenario::CampaignSettings;

/// The campaign's settings with the number of sampled runs for these boards. If there are any, the
/// sampler of this machine is printed.
///
/// # Errors
/// The scenario sets sampled runs, and a board has no supported sampler.
pub fn settings_for(
    campaign: &CampaignSettings,
    boards: &[OpenBoard<'_>],
) -> Result<CampaignSettings, Failure> {
    let samplers: Result<Vec<Sampler>, Failure> = boards.iter().map(OpenBoard::sampler).collect();
    match (campaign.sampled_repeats, samplers) {
        (Some(1..), Err(none)) => Err(none),
        (_, samplers) => {
            let runs = samplers.into_iter().flatten().map(Sampler::usual_runs);
            let settings = settings_with_sampled_repeats(campaign, runs.max().unwrap_or(0));
            if settings.sampled_repeats.is_some_and(|repeats| repeats > 0) {
                boards.iter().for_each(OpenBoard::say_sampler);
            }
            Ok(settings)
        }
    }
}
