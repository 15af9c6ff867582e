//! The section `[campaign]` of a scenario file as written.

use serde::{Deserialize, Serialize};

/// `[campaign]`: how many cases and runs.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CampaignSection {
    /// Power runs per case. Default 10, as in Li and Gallagher 2016.
    pub repeats: u32,
    /// Idle runs per case. Default `repeats`.
    pub idle_repeats: Option<u32>,
    /// Traced runs per case; two or more check that the path repeats. Default 1.
    pub traced_repeats: u32,
    /// Sampled runs per unremoved case. Default: 1 on boards whose sampler is known, else 0.
    pub sampled_repeats: Option<u32>,
    /// Number of cases to plan, the base case of each input included. Default 44.
    pub cases: u32,
    /// Combination of counts and energies: `paired` (the default) or `windows`.
    pub protocol: CampaignProtocol,
    /// Idle runs whose power is subtracted from a case: `paired` (the default) or `campaign`.
    pub idle: Option<IdlePolicy>,
    /// With `protocol = "windows"`, the length of a window in seconds. Default 4.
    pub window_s: f64,
    /// Condition on which the campaign may end before all `repeats`. Default: never.
    pub stop: Option<StopSection>,
    /// Criterion for the choice of cases: `coverage` (the default), `lines` or `random`.
    pub choice: CaseChoice,
    /// With `choice = "lines"`, the expected line error (median, as a share) at which planning
    /// stops. Default: none, `cases` are planned.
    pub line_error: Option<f64>,
    /// Machine of the dry runs: `host` or `board`. Default: `host`, with an `input_command`
    /// `board`.
    pub plan_on: Option<PlanOn>,
    /// Share of the removable executed blocks that one removed set holds. Default 0.3.
    pub removed_share: f64,
    /// Candidate sets per input among which the plan chooses. Default 60.
    pub candidates: u32,
    /// Dry runs the planner may make to find sets that run; each chosen case makes one more.
    /// Default 20 x `cases`.
    pub dry_runs: Option<u32>,
    /// Share of the cases that may run fewer than a fifth of their base's
    /// executions. Default 0.1.
    pub collapsed_share: f64,
    /// Least energy of a case as a share of its base case's, predicted with an equal cost for all
    /// operations: below it the measured energy is mostly noise. Default 0.05.
    pub min_energy_share: f64,
    /// How often a bad run is repeated. Default 3.
    pub max_retries: u32,
    /// Seed of plan and order. Default: the scenario's seed.
    pub seed: Option<u64>,
}

/// Combination of counts and energies in the data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CampaignProtocol {
    /// Counts from traced runs, energies from power runs without probes, as in Li and Gallagher
    /// 2016.
    #[default]
    Paired,
    /// Counts and power from one run: a row of the data set for each of its windows. Base cases and
    /// some others also run without probes, which measures the cost of probes.
    Windows,
}

/// `campaign.idle`: the idle runs that a case's idle power comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IdlePolicy {
    /// The idle runs of the case itself, as in Li and Gallagher 2016; each is made next to a power
    /// run, so that what drifts slowly is in both.
    #[default]
    Paired,
    /// All idle runs of the campaign on the same board: less noise, if the board does not drift.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanOn {
    /// The local JVM; an application with a window runs in the virtual board's Android.
    #[default]
    Host,
    /// The board.
    Board,
}

/// `campaign.stop`: when a campaign may end before all its repeats.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StopSection {
    /// Expected line error (median, as a share) at which the campaign may end.
    pub lines: f64,
}

/// Criterion for choosing the cases of a plan among the removed sets that run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseChoice {
    /// Li and Gallagher 2016: every removable block is absent in some case; further cases by greedy
    /// D-optimality.
    #[default]
    Coverage,
    /// The expected error of line energies, by greedy A-optimality with exchange.
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
