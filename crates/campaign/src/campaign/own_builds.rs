//! Dry runs of the builds that will be measured: tries share one build with switches, so each
//! planned case is run once with its own build.

use std::collections::BTreeSet;

use crate::blocks::BlockId;

use super::dry_runner::{DryCase, DryError, DryOutcome};
use super::search::{OwnBuildResult, SetSearch};

impl SetSearch<'_> {
    /// Runs the own build of each of these candidates once and replaces the results of the tries by
    /// those; returns whether any build was new.
    pub(crate) fn run_own_builds(&mut self, chosen: &[usize]) -> Result<bool, DryError> {
        let open = |index: &usize| self.found[*index].own_build == OwnBuildResult::Open;
        let open: Vec<usize> = chosen.iter().copied().filter(open).collect();
        if open.is_empty() {
            return Ok(false);
        }
        let case = |index: &usize| DryCase {
            input: self.inputs[self.found[*index].input].clone(),
            removed: self.found[*index].removed.clone(),
        };
        let cases: Vec<DryCase> = open.iter().map(case).collect();
        let outcomes = self.dry.verify(&cases)?;
        self.own_build_runs += cases.len();
        for (index, outcome) in open.into_iter().zip(outcomes) {
            match outcome {
                DryOutcome::Failed { reason, .. } => {
                    self.found[index].own_build = OwnBuildResult::Failed(reason);
                }
                DryOutcome::Hung { reason } => {
                    let removed = self.found[index].removed.clone();
                    self.leave_out(&removed, &reason);
                }
                DryOutcome::Ran { executions, kept } => {
                    self.record_own_build(index, executions, kept)
                }
            }
        }
        Ok(true)
    }

    fn record_own_build(
        &mut self,
        index: usize,
        executions: Vec<u64>,
        kept: Vec<(BlockId, String)>,
    ) {
        // The same blocks may have hung with another input.
        if matches!(self.found[index].own_build, OwnBuildResult::Failed(_)) {
            return;
        }
        let left_in: BTreeSet<BlockId> = kept.iter().map(|(block, _)| *block).collect();
        self.culprits.extend(kept);
        let found = &mut self.found[index];
        found.removed.retain(|block| !left_in.contains(block));
        let (input, removed) = (found.input, found.removed.clone());
        let twin = self.found.iter().any(|other| {
            other.input == input
                && other.removed == removed
                && other.own_build == OwnBuildResult::Ran
        });
        let own_build = match twin {
            true => OwnBuildResult::Failed("javac left it the same as another case".into()),
            false => OwnBuildResult::Ran,
        };
        self.found[index] = self.candidate(input, removed, executions);
        self.found[index].own_build = own_build;
    }
}
