//! Checks of the section `[campaign]`.

use wattline_units::limits::CAMPAIGN_RUNS;

use super::campaign_section::{CampaignProtocol, CampaignSection, IdlePolicy, PlanOn};
use super::error::FailedCheck;
use super::file::ScenarioFile;
use super::range::{self, check_number, check_share, check_whole};
use super::settings::CampaignSettings;

pub(super) fn check_campaign(
    written: &CampaignSection,
    seed: u64,
    inputs: usize,
) -> Result<CampaignSettings, FailedCheck> {
    let idle_repeats = written.idle_repeats.unwrap_or(written.repeats);
    for (count, key, range) in [
        (written.repeats, "campaign.repeats", range::REPEATS),
        (idle_repeats, "campaign.idle_repeats", range::REPEATS),
        (written.traced_repeats, "campaign.traced_repeats", range::REPEATS),
        (written.sampled_repeats.unwrap_or(0), "campaign.sampled_repeats", range::SOME_REPEATS),
        (written.candidates, "campaign.candidates", range::CASES),
        (written.cases, "campaign.cases", range::CASES),
        (written.dry_runs.unwrap_or(0), "campaign.dry_runs", range::DRY_RUNS),
        (written.max_retries, "campaign.max_retries", range::SOME_REPEATS),
    ] {
        check_whole(count, range, key)?;
    }
    check_runs(written, idle_repeats)?;
    if (written.cases as usize) < inputs {
        let message = format!("is {}, fewer than the {inputs} base cases", written.cases);
        return Err(FailedCheck::new("campaign.cases", message));
    }
    let removed_share =
        check_number(written.removed_share, range::REMOVED_SHARE, "campaign.removed_share")?;
    let error_share = |share: f64, key| check_number(share, range::ERROR_SHARE, key);
    let line_error = written.line_error.map(|error| error_share(error, "campaign.line_error"));
    let stop = written.stop.map(|stop| error_share(stop.lines, "campaign.stop.lines"));
    if written.stop.is_some() && written.protocol == CampaignProtocol::Windows {
        let message = "goes with `protocol = \"paired\"`: windows have no repeats to be saved";
        return Err(FailedCheck::new("campaign.stop", message));
    }
    Ok(CampaignSettings {
        plan_on: PlanOn::default(),
        protocol: written.protocol,
        idle: check_idle(written)?,
        window_s: check_number(written.window_s, range::WINDOW_S, "campaign.window_s")?,
        stop_lines: stop.transpose()?,
        choice: written.choice,
        line_error: line_error.transpose()?,
        repeats: written.repeats,
        idle_repeats,
        traced_repeats: written.traced_repeats,
        sampled_repeats: written.sampled_repeats,
        cases: written.cases as usize,
        removed_share,
        candidates: written.candidates as usize,
        dry_runs: written.dry_runs.unwrap_or(written.cases.saturating_mul(20)) as usize,
        collapsed_share: check_share(written.collapsed_share, "campaign.collapsed_share")?,
        min_energy_share: check_share(written.min_energy_share, "campaign.min_energy_share")?,
        max_retries: written.max_retries,
        seed: written.seed.unwrap_or(seed),
    })
}

/// The idle runs of a case: with windows only the unremoved cases have any, so they serve all.
fn check_idle(written: &CampaignSection) -> Result<IdlePolicy, FailedCheck> {
    match (written.protocol, written.idle) {
        (CampaignProtocol::Paired, idle) => Ok(idle.unwrap_or_default()),
        (CampaignProtocol::Windows, Some(IdlePolicy::Paired)) => {
            let message = "is \"paired\", and with `protocol = \"windows\"` most cases have no idle \
                           runs of their own; write \"campaign\", or leave the key out";
            Err(FailedCheck::new("campaign.idle", message))
        }
        (CampaignProtocol::Windows, _) => Ok(IdlePolicy::Campaign),
    }
}

/// Checks that the number of runs of all cases is within the limit.
fn check_runs(written: &CampaignSection, idle_repeats: u32) -> Result<(), FailedCheck> {
    let sampled = written.sampled_repeats.unwrap_or(0);
    let repeats = [written.repeats, idle_repeats, written.traced_repeats, sampled];
    let of_case: u64 = repeats.into_iter().map(u64::from).sum();
    let runs = of_case.saturating_mul(u64::from(written.cases));
    CAMPAIGN_RUNS.check(runs).map_err(|exceeded| {
        FailedCheck::new("campaign.repeats", format!("and `cases` ask for {exceeded}; lower one"))
    })
}

/// The machine of the dry runs: an `apk` or an `input_command` requires a board.
pub(super) fn check_plan_on(written: &ScenarioFile) -> Result<PlanOn, FailedCheck> {
    let of_board = match (&written.application.apk, &written.session.input_command) {
        (Some(_), _) => "the package of your own build (`apk`) runs",
        (None, Some(_)) => "`session.input_command` gives input to sessions",
        (None, None) => return Ok(written.campaign.plan_on.unwrap_or_default()),
    };
    match written.campaign.plan_on {
        Some(PlanOn::Host) => {
            let message = format!(
                "is \"host\", and {of_board} on a board alone; write \"board\", or leave the key out"
            );
            Err(FailedCheck::new("campaign.plan_on", message))
        }
        Some(PlanOn::Board) | None => Ok(PlanOn::Board),
    }
}
