//! The contents of a plan (cases, dropped blocks, summary in numbers) and the settings for making
//! one.

use crate::blocks::BlockId;
use crate::scenario::{CampaignSettings, Scenario};

use super::criterion::LineError;
use super::planned_microbenchmarks::PlannedMicrobenchmarks;

/// The part of a scenario that the planner uses.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSettings {
    /// Names of the input sequences, at least one.
    pub inputs: Vec<String>,
    /// Cases, shares, budget, seed, repeats.
    pub campaign: CampaignSettings,
    /// Length of a session with the rest after it, in seconds.
    pub session_s: f64,
    /// The microbenchmarks that will be run.
    pub microbenchmarks: PlannedMicrobenchmarks,
}

impl From<&Scenario> for PlanSettings {
    fn from(scenario: &Scenario) -> Self {
        Self {
            inputs: scenario.inputs.iter().map(|input| input.name.clone()).collect(),
            campaign: scenario.campaign.clone(),
            session_s: scenario.session.duration_s + scenario.session.rest_s,
            microbenchmarks: PlannedMicrobenchmarks::default(),
        }
    }
}

/// A plan: the cases to measure, the removable blocks that none removes, and a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Base cases first, then in the order of choice.
    pub cases: Vec<PlannedCase>,
    /// Removable blocks that no case removes, with the reason, by block.
    pub dropped: Vec<DroppedBlock>,
    /// Blocks that cases remove only together with others, by block.
    pub joint: Vec<JointRemoval>,
    /// The plan in numbers.
    pub summary: PlanSummary,
}

/// A case of a plan: an input sequence and the blocks removed from the application, with
/// predictions from its dry run.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCase {
    /// `base-north`, `r07-north`: variant and input.
    pub name: String,
    /// `base`, `r07`: cases with the same removed blocks share a variant.
    pub variant: String,
    /// Name of the input sequence; also the case's group.
    pub input: String,
    /// Removed blocks, sorted.
    pub removed: Vec<BlockId>,
    /// Executions of all blocks in the dry run.
    pub executions: u64,
    /// `executions` as a share of the base case's.
    pub executions_share: f64,
    /// Predicted energy as a share of the base case's, if all operations cost the same.
    pub energy_share: f64,
    /// Rank of the counts of this case and those before it.
    pub rank: usize,
}

/// A removable block that no case removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedBlock {
    /// The block.
    pub block: BlockId,
    /// Reason, in one sentence.
    pub reason: String,
}

/// A block without which the program crashes unless others are removed with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JointRemoval {
    /// The block.
    pub block: BlockId,
    /// The blocks that are removed with it, sorted.
    pub partners: Vec<BlockId>,
}

/// Numbers of cases, variants, blocks and dry runs of a plan, and what is expected of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSummary {
    /// Cases, base cases included.
    pub cases: usize,
    /// Cases that the scenario asks for.
    pub asked: usize,
    /// Different variants to be built, the base included.
    pub variants: usize,
    /// Removable blocks.
    pub removable: usize,
    /// Removable blocks that ran in a base case.
    pub removable_executed: usize,
    /// Removable blocks that ran in a base case and are removed in some case.
    pub removed_executed: usize,
    /// Removable blocks that are removed in some case, and only together with others.
    pub removed_jointly: usize,
    /// Dry runs made.
    pub dry_runs: usize,
    /// Operations and library functions that ran in some case.
    pub operations: usize,
    /// Rank of the matrix of counts.
    pub rank: usize,
    /// Cases that run less than a fifth of their base case's executions.
    pub collapsed: usize,
    /// Expected errors of line energies from these cases and the microbenchmarks (one standard
    /// deviation); none where nothing ran.
    pub line_error: Option<LineError>,
    /// Seconds of board time that all runs take, by the nominal session.
    pub board_s: f64,
    /// Seconds that the protocol of Li and Gallagher 2016 takes for as many cases: 21 sessions of
    /// 100 s each.
    pub paper_board_s: f64,
}

/// Whether a block ran, by the executions per block.
pub(super) fn ran(executions: &[u64], block: BlockId) -> bool {
    executions.get(block.0 as usize).is_some_and(|count| *count > 0)
}

/// `part` divided by `whole`; 0 if `whole` is 0.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
