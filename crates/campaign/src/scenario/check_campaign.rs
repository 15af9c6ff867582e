//! `[campaign]`: from the section as written to a checked one.

use wattline_units::limits::CAMPAIGN_RUNS;

use super::campaign_file::{CampaignFile, CampaignProtocol, PlanOn};
use super::checked::CampaignSettings;
use super::error::FailedCheck;
use super::file::ScenarioFile;
use super::range::{self, number, share, whole};

pub(super) fn check_campaign(
    written: &CampaignFile,
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
        whole(count, range, key)?;
    }
    check_runs(written, idle_repeats)?;
    if (written.cases as usize) < inputs {
        let message = format!("is {}, fewer than the {inputs} base cases", written.cases);
        return Err(FailedCheck::new("campaign.cases", message));
    }
    let removed_share =
        number(written.removed_share, range::REMOVED_SHARE, "campaign.removed_share")?;
    let error_share = |share: f64, key| number(share, range::ERROR_SHARE, key);
    let line_error = written.line_error.map(|error| error_share(error, "campaign.line_error"));
    let stop = written.stop.map(|stop| error_share(stop.lines, "campaign.stop.lines"));
    if written.stop.is_some() && written.protocol == CampaignProtocol::Windows {
        let message = "goes with `protocol = \"paired\"`: windows have no repeats to be saved";
        return Err(FailedCheck::new("campaign.stop", message));
    }
    Ok(CampaignSettings {
        plan_on: PlanOn::default(),
        protocol: written.protocol,
        window_s: number(written.window_s, range::WINDOW_S, "campaign.window_s")?,
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
        collapsed_share: share(written.collapsed_share, "campaign.collapsed_share")?,
        min_energy_share: share(written.min_energy_share, "campaign.min_energy_share")?,
        max_retries: written.max_retries,
        seed: written.seed.unwrap_or(seed),
    })
}

/// Runs of all cases must be so many that they can be measured.
fn check_runs(written: &CampaignFile, idle_repeats: u32) -> Result<(), FailedCheck> {
    let sampled = written.sampled_repeats.unwrap_or(0);
    let repeats = [written.repeats, idle_repeats, written.traced_repeats, sampled];
    let of_case: u64 = repeats.into_iter().map(u64::from).sum();
    let runs = of_case.saturating_mul(u64::from(written.cases));
    CAMPAIGN_RUNS.check(runs).map_err(|exceeded| {
        FailedCheck::new("campaign.repeats", format!("and `cases` ask for {exceeded}; lower one"))
    })
}

/// Where dry runs are made: a command that gives input needs a board.
pub(super) fn plan_on(written: &ScenarioFile) -> Result<PlanOn, FailedCheck> {
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
