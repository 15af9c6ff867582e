//! The section `[campaign]` of a scenario file as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::range;

/// `[campaign]`: how many cases and runs.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CampaignSection {
    /// Power runs per case. Default: 10 (L&G).
    #[schemars(range(min = *range::REPEATS.start(), max = *range::REPEATS.end()))]
    pub repeats: u32,
    /// Idle runs per case. Default: `repeats`.
    #[schemars(range(min = *range::REPEATS.start(), max = *range::REPEATS.end()))]
    pub idle_repeats: Option<u32>,
    /// Traced runs per case; two or more check that the path repeats.
    #[schemars(range(min = *range::REPEATS.start(), max = *range::REPEATS.end()))]
    pub traced_repeats: u32,
    /// Runs of each unremoved case with a sampling profiler
    /// ([sampling.md](../internals/sampling.md)); 0 for none. Default: 2 on the JVM, 1 on other
    /// boards with a sampler (from Android 4.4), else 0.
    #[schemars(range(min = *range::SOME_REPEATS.start(), max = *range::SOME_REPEATS.end()))]
    pub sampled_repeats: Option<u32>,
    /// Cases, one base case per input included; fewer only if no further set of blocks that runs
    /// adds information. A fit needs 4.
    #[schemars(range(min = *range::CASES.start(), max = *range::CASES.end()))]
    pub cases: u32,
    /// Runs that give counts and energies.
    pub protocol: CampaignProtocol,
    /// The idle runs that the idle power of a case comes from ([which](../internals/idle.md)).
    /// Default: `"paired"`; with windows `"campaign"`.
    pub idle: Option<IdlePolicy>,
    /// With `protocol = "windows"`, the length of a window in seconds: many of the meter's
    /// refreshes.
    #[schemars(range(min = *range::WINDOW_S.start(), max = *range::WINDOW_S.end()))]
    pub window_s: f64,
    /// `stop = { lines = 0.05 }`: no further round of repeats once the expected median error of
    /// `lines` is below this, or repeats cannot reduce it
    /// ([plan.md](../internals/plan.md#ending-early)).
    pub stop: Option<StopSection>,
    /// How cases are chosen ([plan.md](../internals/plan.md)).
    pub choice: CaseChoice,
    /// With `choice = "lines"`, the expected median line error (0.05 is 5 %) at which no further
    /// case is planned.
    #[schemars(range(min = *range::ERROR_SHARE.start(), max = *range::ERROR_SHARE.end()))]
    pub line_error: Option<f64>,
    /// Where [dry runs](../internals/plan.md#on-the-board) are made. Default: `"host"`; `"board"`
    /// with an `input_command` or `apk`.
    pub plan_on: Option<PlanOn>,
    /// Share of the removable executed blocks in one removed set.
    #[schemars(range(min = *range::REMOVED_SHARE.start(), max = *range::REMOVED_SHARE.end()))]
    pub removed_share: f64,
    /// Sets per input among which the plan chooses.
    #[schemars(range(min = *range::CASES.start(), max = *range::CASES.end()))]
    pub candidates: u32,
    /// Dry runs to find sets that run; each chosen case makes one more. Default: 20 x `cases`.
    #[schemars(range(min = *range::DRY_RUNS.start(), max = *range::DRY_RUNS.end()))]
    pub dry_runs: Option<u32>,
    /// Share of cases that may do less than a fifth of their base's work.
    #[schemars(range(min = *range::SHARE.start(), max = *range::SHARE.end()))]
    pub collapsed_share: f64,
    /// Least predicted energy of a case, as a share of its base's: below it the measured energy is
    /// mostly noise.
    #[schemars(range(min = *range::SHARE.start(), max = *range::SHARE.end()))]
    pub min_energy_share: f64,
    /// How often a bad run is repeated; further repeats of a case whose run failed every time are
    /// tried once.
    #[schemars(range(min = *range::SOME_REPEATS.start(), max = *range::SOME_REPEATS.end()))]
    pub max_retries: u32,
    /// Seed of plan and order. Default: the scenario's.
    pub seed: Option<u64>,
}

/// Combination of counts and energies in the data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CampaignProtocol {
    /// Counts of traced runs, energies of power runs without probes (L&G).
    #[default]
    Paired,
    /// Counts and power in one run, a row for each of its windows
    /// ([windows.md](../internals/windows.md)).
    Windows,
}

/// `campaign.idle`: the idle runs that a case's idle power comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IdlePolicy {
    /// Its own (L&G), each next to a power run, so that what drifts slowly is in both.
    #[default]
    Paired,
    /// All of its board: less noise, if the board does not drift.
    Campaign,
}

impl IdlePolicy {
    /// The name in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            IdlePolicy::Paired => "paired",
            IdlePolicy::Campaign => "campaign",
        }
    }
}

/// `campaign.plan_on`: machine on which the planner tries variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanOn {
    /// This machine; an application with a window runs in the virtual board's Android.
    #[default]
    Host,
    /// The board.
    Board,
}

/// `campaign.stop`: when a campaign may end before all its repeats.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StopSection {
    /// Expected median line error, as a share, at which the campaign may end.
    #[schemars(range(min = *range::ERROR_SHARE.start(), max = *range::ERROR_SHARE.end()))]
    pub lines: f64,
}

/// Criterion for choosing the cases of a plan among the removed sets that run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CaseChoice {
    /// Every removable block is absent in some case; further cases by greedy D-optimality (L&G).
    #[default]
    Coverage,
    /// By the expected error of line energies: greedy A-optimality with exchange.
    Lines,
    /// At random, as a baseline for other criteria.
    Random,
}

impl Default for CampaignSection {
    fn default() -> Self {
        Self {
            repeats: 10,
            idle_repeats: None,
            traced_repeats: 1,
            sampled_repeats: None,
            cases: 44,
            protocol: CampaignProtocol::default(),
            idle: None,
            window_s: 4.0,
            stop: None,
            choice: CaseChoice::default(),
            line_error: None,
            removed_share: 0.3,
            candidates: 60,
            dry_runs: None,
            plan_on: None,
            collapsed_share: 0.1,
            min_energy_share: 0.05,
            max_retries: 3,
            seed: None,
        }
    }
}
