//! The planner: finds sets of removed blocks that run, and chooses the cases to measure.
//!
//! For each input sequence the removable blocks are grouped in source order and each
//! group is tried; groups that crash are split down to the blocks that make them crash,
//! which are dropped with the reason. Groups that run are joined to larger sets, of
//! which those that change the mix of operations most (predicted by leaving out the
//! executions of the removed blocks) are tried as well. Among all sets that ran, the plan takes
//! those of the scenario's `choice`, by their real counts: enough to remove every block once and
//! then those that determine the costs best, or those that make line energies certain. Tries may
//! share a build; at last the build of each case runs, and a case that does not is replaced.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::blocks::BlockId;
use crate::operations::Dictionary;

use super::counts::OperationMatrix;
use super::describe::describe;
use super::dry_runner::{DryError, DryRunner};
use super::line_error_criterion::LineErrorCriterion;
use super::plan_contents::{Plan, PlanSettings};
use super::search::SetSearch;
use super::selection::choose_runnable;
use super::sets::find_sets;

/// Error of a planner that could not make a plan.
#[derive(Debug, Error)]
pub enum PlanError {
    /// The unchanged application does not run.
    #[error("the base case of input `{input}` fails: {reason}")]
    BaseFailed {
        /// Name of the input sequence.
        input: String,
        /// Reason of the failure.
        reason: String,
    },
    /// A dry run could not be made.
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

/// Plans a campaign: finds sets of removed blocks that run, chooses cases among them, and names
/// them.
pub fn plan_cases(
    settings: &PlanSettings,
    dictionary: &Dictionary,
    dry: &mut dyn DryRunner,
) -> Result<Plan, PlanError> {
    let rng = ChaCha8Rng::seed_from_u64(settings.campaign.seed);
    let matrix = OperationMatrix::new(dictionary);
    let mut search = SetSearch::new(dry, settings, &matrix, rng);
    if let Err((input, reason)) = search.run_bases()? {
        return Err(PlanError::BaseFailed { input: settings.inputs[input].clone(), reason });
    }
    let removable = removable_blocks(dictionary);
    find_sets(settings, &matrix, &removable, &mut search)?;
    let lines = LineErrorCriterion::for_busiest_lines(
        &settings.microbenchmarks,
        dictionary,
        &matrix,
        &search.base,
    );
    let chosen = choose_runnable(settings, &matrix, &removable, &lines, &mut search)?;
    Ok(describe(settings, &matrix, &removable, &lines, &search, &chosen))
}

fn removable_blocks(dictionary: &Dictionary) -> Vec<BlockId> {
    dictionary.blocks.iter().filter(|block| block.removable).map(|block| block.id).collect()
}

#[cfg(test)]
#[path = "case_planner_tests.rs"]
pub(crate) mod tests;
