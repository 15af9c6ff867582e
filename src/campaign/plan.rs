//! The plan: which cases are measured.
//!
//! For each input sequence the removable blocks are grouped in source order and each
//! group is tried; groups that crash are split down to the blocks that make them crash,
//! which are dropped with the reason. Groups that run are joined to larger sets, of
//! which those that change the mix of operations most (predicted by leaving out the
//! executions of the removed blocks) are tried as well. Among all sets that ran, the
//! plan takes those that the scenario's `choice` says by their real counts: enough to
//! remove every block once and then what tells most, or what makes lines sure. Tries may
//! share a build; at last the build of each case runs, and a case that does not is replaced.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::blocks::BlockId;
use crate::operations::Dictionary;
use crate::scenario::{CampaignSettings, Scenario};

use super::by_lines::LineChoice;
use super::counts::OperationMatrix;
use super::criterion::LineError;
use super::describe::describe;
use super::dry::{Dry, DryError};
use super::search::{Candidate, Search};
use super::selection::choose_proven;
use super::sets::find_sets;

/// What the planner needs of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSettings {
    /// Names of the input sequences, at least one.
    pub inputs: Vec<String>,
    /// Cases, shares, budget, seed, repeats.
    pub campaign: CampaignSettings,
    /// Length of a session with the rest after it, in seconds.
    pub session_s: f64,
    /// Operations and library functions that micro-kernels will measure.
    pub with_kernel: BTreeSet<String>,
}

impl From<&Scenario> for PlanSettings {
    fn from(scenario: &Scenario) -> Self {
        Self {
            inputs: scenario.inputs.iter().map(|input| input.name.clone()).collect(),
            campaign: scenario.campaign.clone(),
            session_s: scenario.session.duration_s + scenario.session.rest_s,
            with_kernel: BTreeSet::new(),
        }
    }
}

/// The cases to be measured and what they are expected to tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Base cases first, then in the order of choice.
    pub cases: Vec<PlannedCase>,
    /// Removable blocks that no case removes, with the reason, by block.
    pub dropped: Vec<DroppedBlock>,
    /// What the plan holds in numbers.
    pub summary: PlanSummary,
}

/// One case.
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
    /// The same as a share of the base case's.
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
    /// One sentence.
    pub reason: String,
}

/// A plan in numbers.
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
    /// Dry runs made.
    pub dry_runs: usize,
    /// Operations and library functions that ran in some case.
    pub operations: usize,
    /// Rank of the matrix of counts.
    pub rank: usize,
    /// Cases that run less than a fifth of their base case's executions.
    pub collapsed: usize,
    /// The errors of line energies to be expected from these cases and the kernels: one
    /// standard deviation; none where nothing ran.
    pub line_error: Option<LineError>,
    /// Seconds of board time that all runs take, by the nominal session.
    pub board_s: f64,
    /// Seconds that the paper's protocol takes for as many cases: 21 sessions of 100 s.
    pub paper_board_s: f64,
}

/// Why there is no plan.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The unchanged application does not run.
    #[error("the base case of input `{input}` fails: {reason}")]
    BaseFailed {
        /// Name of the input sequence.
        input: String,
        /// What happened.
        reason: String,
    },
    /// Dry runs can't be made.
    #[error("a dry run could not be made")]
    Dry {
        /// Why.
        #[source]
        source: DryError,
    },
}

impl From<DryError> for PlanError {
    fn from(source: DryError) -> Self {
        PlanError::Dry { source }
    }
}

/// Plans a campaign.
pub fn plan(
    settings: &PlanSettings,
    dictionary: &Dictionary,
    dry: &mut dyn Dry,
) -> Result<Plan, PlanError> {
    let rng = ChaCha8Rng::seed_from_u64(settings.campaign.seed);
    let matrix = OperationMatrix::new(dictionary);
    let mut search = Search::new(dry, settings, &matrix, rng);
    if let Err((input, reason)) = search.run_bases()? {
        return Err(PlanError::BaseFailed { input: settings.inputs[input].clone(), reason });
    }
    let removable = removable_blocks(dictionary);
    find_sets(settings, &matrix, &removable, &mut search)?;
    let lines = LineChoice::new(&settings.with_kernel, dictionary, &matrix, &search.base);
    let chosen = choose_proven(settings, &matrix, &removable, &lines, &mut search)?;
    Ok(describe(settings, &matrix, &removable, &lines, &search, &chosen))
}

fn removable_blocks(dictionary: &Dictionary) -> Vec<BlockId> {
    dictionary.blocks.iter().filter(|block| block.removable).map(|block| block.id).collect()
}

/// Whether a block ran.
pub(super) fn ran(executions: &[u64], block: BlockId) -> bool {
    executions.get(block.0 as usize).is_some_and(|count| *count > 0)
}

/// The predicted energy of every set found as a share of its base case's, with one cost
/// for all operations.
pub(super) fn energy_shares(matrix: &OperationMatrix, search: &Search<'_>) -> Vec<f64> {
    let operations = |executions: &[u64]| matrix.row(executions).iter().sum::<u128>() as f64;
    let bases: Vec<f64> = search.base.iter().map(|base| operations(base)).collect();
    let share = |found: &Candidate| share(operations(&found.executions), bases[found.input]);
    search.found.iter().map(share).collect()
}

/// A part of a whole; 0 of nothing.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// How many of the chosen sets collapse their case.
pub(super) fn count_collapsed(search: &Search<'_>, chosen: &[usize]) -> usize {
    chosen.iter().filter(|index| search.found[**index].collapsed).count()
}

#[cfg(test)]
#[path = "plan_tests.rs"]
pub(crate) mod tests;
