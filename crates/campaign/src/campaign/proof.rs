//! What is planned has run with the build that will be measured: tries share one build
//! with switches.

use std::collections::BTreeSet;

use crate::blocks::BlockId;

use super::dry::{DryCase, DryError, DryOutcome};
use super::search::{Proof, SetSearch};

impl SetSearch<'_> {
    /// Runs the own builds of these candidates, each once, and takes what they did for
    /// what the tries did; whether there was anything new.
    pub(crate) fn prove(&mut self, chosen: &[usize]) -> Result<bool, DryError> {
        let open = |index: &usize| self.found[*index].proof == Proof::Open;
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
        self.proofs += cases.len();
        for (index, outcome) in open.into_iter().zip(outcomes) {
            match outcome {
                DryOutcome::Failed { reason, .. } => {
                    self.found[index].proof = Proof::Failed(reason);
                }
                DryOutcome::Hung { reason } => {
                    let removed = self.found[index].removed.clone();
                    self.leave_out(&removed, &reason);
                }
                DryOutcome::Ran { executions, kept } => self.proven(index, executions, kept),
            }
        }
        Ok(true)
    }

    fn proven(&mut self, index: usize, executions: Vec<u64>, kept: Vec<(BlockId, String)>) {
        // The same blocks may have hung with another input.
        if matches!(self.found[index].proof, Proof::Failed(_)) {
            return;
        }
        let left_in: BTreeSet<BlockId> = kept.iter().map(|(block, _)| *block).collect();
        self.culprits.extend(kept);
        let found = &mut self.found[index];
        found.removed.retain(|block| !left_in.contains(block));
        let (input, removed) = (found.input, found.removed.clone());
        let twin = self.found.iter().any(|other| {
            other.input == input && other.removed == removed && other.proof == Proof::Ran
        });
        let proof = match twin {
            true => Proof::Failed("javac left it the same as another case".into()),
            false => Proof::Ran,
        };
        self.found[index] = self.candidate(input, removed, executions);
        self.found[index].proof = proof;
    }
}
