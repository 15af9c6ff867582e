//! The order of runs: all runs of a campaign in one seeded shuffle, so that drift of
//! the board falls on all cases and phases alike.

use std::fmt;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::scenario::CampaignSettings;

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// The instrumented application: counts, no energy.
    Traced,
    /// The application without probes: energy.
    Power,
    /// No application: the idle power.
    Idle,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Phase::Traced => "traced",
            Phase::Power => "power",
            Phase::Idle => "idle",
        })
    }
}

/// One run to be made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PlannedRun {
    /// Name of the case.
    pub case: String,
    /// What it is for.
    pub phase: Phase,
    /// From 1.
    pub repeat: u32,
}

impl PlannedRun {
    /// `base-north-power-1`: the name of its folder.
    pub fn id(&self) -> String {
        format!("{}-{}-{}", self.case, self.phase, self.repeat)
    }
}

/// All runs of the cases, in a seeded shuffle.
pub fn order_runs(cases: &[String], settings: &CampaignSettings) -> Vec<PlannedRun> {
    let phases = [
        (Phase::Traced, settings.traced_repeats),
        (Phase::Power, settings.repeats),
        (Phase::Idle, settings.idle_repeats),
    ];
    let mut runs = Vec::new();
    for case in cases {
        for (phase, repeats) in phases {
            let run = |repeat| PlannedRun { case: case.clone(), phase, repeat };
            runs.extend((1..=repeats).map(run));
        }
    }
    runs.shuffle(&mut ChaCha8Rng::seed_from_u64(settings.seed));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::plan::tests::settings;

    #[test]
    fn the_order_is_a_seeded_shuffle_of_all_runs() {
        let cases = ["base-a".to_string(), "r01-a".to_string()];
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
}
