//! The order of runs: all runs of a campaign in one seeded shuffle, so that drift of
//! the board falls on all cases and phases alike. Where a case has idle power of its own, each idle
//! run is next to a power run of the case. A campaign that may end early is shuffled within rounds:
//! each case's first runs, then its second ones.

use std::collections::BTreeMap;
use std::fmt;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::scenario::{CampaignProtocol, CampaignSettings, IdlePolicy};

use super::plan_contents::PlannedCase;

/// The purpose of a run: counts, energy, samples, or idle power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunPhase {
    /// The instrumented application: counts; with windows, power as well.
    Traced,
    /// The application without probes: energy.
    Power,
    /// The application without probes, with a sampling profiler: where its time goes.
    Sampled,
    /// No application: the idle power.
    Idle,
}

impl fmt::Display for RunPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RunPhase::Traced => "traced",
            RunPhase::Power => "power",
            RunPhase::Sampled => "sampled",
            RunPhase::Idle => "idle",
        })
    }
}

/// A run of a campaign: its case, phase and repeat.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlannedRun {
    /// Name of the case.
    pub case: String,
    /// Purpose of the run.
    pub phase: RunPhase,
    /// Number of the repeat, from 1.
    pub repeat: u32,
}

impl PlannedRun {
    /// `base-north-power-1`: the name of its folder.
    pub fn id(&self) -> String {
        format!("{}-{}-{}", self.case, self.phase, self.repeat)
    }
}

/// The settings with `usual` sampled runs of each unremoved case where the scenario does not set a
/// number: as many as is usual with the boards' sampler, 0 without one.
pub fn settings_with_sampled_repeats(campaign: &CampaignSettings, usual: u32) -> CampaignSettings {
    let sampled_repeats = Some(campaign.sampled_repeats.unwrap_or(usual));
    CampaignSettings { sampled_repeats, ..campaign.clone() }
}

/// With windows, one in so many cases, in the plan's order, also runs without probes.
const PLAIN_EVERY: usize = 5;

/// Number of runs of each phase for the case at position `place` of the plan. With windows every
/// case has its counts and its power in one run. The base cases and a few others also run without
/// probes, which shows what probes cost; the base cases' idle runs serve all. Only base cases are
/// sampled, since accounts are about them.
pub(super) fn repeats(
    place: usize,
    case: &PlannedCase,
    settings: &CampaignSettings,
) -> [(RunPhase, u32); 4] {
    let is_base = case.removed.is_empty();
    let is_plain = is_base || place % PLAIN_EVERY == PLAIN_EVERY - 1;
    let (traced, power, idle) = match settings.protocol {
        CampaignProtocol::Paired => (settings.traced_repeats, true, true),
        CampaignProtocol::Windows => (settings.repeats, is_plain, is_base),
    };
    let wanted = |is_wanted, repeats| if is_wanted { repeats } else { 0 };
    [
        (RunPhase::Traced, traced),
        (RunPhase::Power, wanted(power, settings.repeats)),
        (RunPhase::Sampled, wanted(is_base, settings.sampled_repeats.unwrap_or(0))),
        (RunPhase::Idle, wanted(idle, settings.idle_repeats)),
    ]
}

/// Runs that are made one directly after the other.
type AdjacentRuns = Vec<PlannedRun>;

/// All runs of the cases, in a seeded shuffle.
pub fn order_runs(cases: &[PlannedCase], settings: &CampaignSettings) -> Vec<PlannedRun> {
    let mut groups: Vec<AdjacentRuns> = Vec::new();
    for (place, case) in cases.iter().enumerate() {
        for (phase, repeats) in repeats(place, case, settings) {
            let run = |repeat| vec![PlannedRun { case: case.name.clone(), phase, repeat }];
            groups.extend((1..=repeats).map(run));
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    if settings.idle == IdlePolicy::Paired {
        groups = with_idle_next_to_power(groups, &mut rng);
    }
    groups.shuffle(&mut rng);
    let mut runs: Vec<PlannedRun> = groups.into_iter().flatten().collect();
    if settings.stop_lines.is_some() {
        runs.sort_by_key(|run| run.repeat);
    }
    runs
}

/// The single runs with each idle run next to the power run of its case with the same number, if
/// there is one. A coin decides which of the two is the first one of the case to come first, and
/// they take turns after that: what a board keeps of one session (heat) is then in both alike.
fn with_idle_next_to_power(singles: Vec<AdjacentRuns>, rng: &mut ChaCha8Rng) -> Vec<AdjacentRuns> {
    let (idle, others): (Vec<PlannedRun>, Vec<PlannedRun>) =
        singles.into_iter().flatten().partition(|run| run.phase == RunPhase::Idle);
    let mut idle: BTreeMap<(String, u32), PlannedRun> =
        idle.into_iter().map(|run| ((run.case.clone(), run.repeat), run)).collect();
    let mut groups = Vec::new();
    let mut idle_is_first = false;
    for run in others {
        if run.phase != RunPhase::Power {
            groups.push(vec![run]);
            continue;
        }
        idle_is_first = if run.repeat == 1 { rng.random() } else { !idle_is_first };
        let partner = idle.remove(&(run.case.clone(), run.repeat));
        groups.push(match partner {
            Some(idle) if idle_is_first => vec![idle, run],
            Some(idle) => vec![run, idle],
            None => vec![run],
        });
    }
    groups.extend(idle.into_values().map(|run| vec![run]));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockId;
    use crate::campaign::case_planner::tests::settings;

    fn cases() -> [PlannedCase; 2] {
        let case = |name: &str, removed: &[u32]| PlannedCase {
            name: name.into(),
            variant: name.into(),
            input: "a".into(),
            removed: removed.iter().map(|id| BlockId(*id)).collect(),
            executions: 1,
            executions_share: 1.0,
            energy_share: 1.0,
            rank: 1,
        };
        [case("base-a", &[]), case("r01-a", &[3])]
    }

    #[test]
    fn the_order_is_a_seeded_shuffle_of_all_runs() {
        let cases = cases();
        let mut campaign = settings(2);
        (campaign.repeats, campaign.idle_repeats, campaign.seed) = (10, 9, 7);
        let runs = order_runs(&cases, &campaign);
        assert_eq!(runs, order_runs(&cases, &campaign));
        assert_eq!(runs.len(), 2 * (1 + 10 + 9));
        let mut ids: Vec<String> = runs.iter().map(PlannedRun::id).collect();
        assert!(!ids.is_sorted());
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 40);
        assert!(ids.contains(&"base-a-power-10".to_string()));
        campaign.seed = 8;
        assert_ne!(runs, order_runs(&cases, &campaign));
    }

    /// Of 10 power and 12 idle runs, in rounds and without.
    #[test]
    fn idle_runs_are_next_to_the_power_runs_of_their_case() {
        let mut campaign = settings(2);
        (campaign.repeats, campaign.idle_repeats) = (10, 12);
        for stop_lines in [None, Some(0.05)] {
            campaign.stop_lines = stop_lines;
            let runs = order_runs(&cases(), &campaign);
            assert_eq!(runs.len(), 2 * (1 + 10 + 12));
            let mut idle_first = BTreeMap::new();
            for (place, run) in runs.iter().enumerate().filter(|(_, r)| r.phase == RunPhase::Power)
            {
                let is_partner = |other: &&PlannedRun| {
                    (&other.case, other.repeat) == (&run.case, run.repeat)
                        && other.phase == RunPhase::Idle
                };
                let before = place.checked_sub(1).and_then(|place| runs.get(place));
                let comes_first = before.filter(is_partner).is_some();
                assert!(comes_first || runs.get(place + 1).filter(is_partner).is_some(), "{run:?}");
                *idle_first.entry(&run.case).or_insert(0) += u32::from(comes_first);
            }
            assert!(idle_first.values().all(|count| *count == 5), "{idle_first:?}");
            let phases: Vec<RunPhase> = runs.iter().map(|run| run.phase).collect();
            assert!(!phases.is_sorted());
        }
        campaign.idle = IdlePolicy::Campaign;
        campaign.stop_lines = None;
        let runs = order_runs(&cases(), &campaign);
        let are_apart = runs
            .windows(2)
            .filter(|pair| (&pair[0].case, pair[0].repeat) != (&pair[1].case, pair[1].repeat));
        assert!(are_apart.count() > 30, "{runs:?}");
    }

    #[test]
    fn a_campaign_that_may_stop_goes_round_by_round() {
        let mut campaign = settings(2);
        (campaign.repeats, campaign.idle_repeats) = (3, 2);
        let shuffled = order_runs(&cases(), &campaign);
        campaign.stop_lines = Some(0.05);
        let mut runs = order_runs(&cases(), &campaign);
        assert!(runs.is_sorted_by_key(|run| run.repeat));
        assert_eq!(runs.iter().filter(|run| run.repeat == 1).count(), 6);
        runs.sort();
        let mut all = shuffled;
        all.sort();
        assert_eq!(runs, all);
    }

    #[test]
    fn with_windows_base_cases_and_a_few_others_run_without_probes() {
        let mut campaign = settings(2);
        (campaign.repeats, campaign.idle_repeats) = (2, 1);
        campaign.protocol = CampaignProtocol::Windows;
        let [base, other] = cases();
        let mut cases = vec![base, other.clone(), other.clone(), other.clone(), other];
        cases[4].name = "r04-a".into();
        let runs = order_runs(&cases, &campaign);
        let count = |case: &str, phase: RunPhase| {
            runs.iter().filter(|run| run.case == case && run.phase == phase).count()
        };
        let phases = [RunPhase::Traced, RunPhase::Power, RunPhase::Idle];
        assert_eq!(phases.map(|phase| count("base-a", phase)), [2, 2, 1]);
        assert_eq!(phases.map(|phase| count("r01-a", phase)), [3 * 2, 0, 0]);
        assert_eq!(phases.map(|phase| count("r04-a", phase)), [2, 2, 0]);
    }
}
