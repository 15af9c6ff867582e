//! The search for joint removals: a block that makes the program crash when it is removed alone may
//! run when the blocks that need it are removed with it (a value is not set, and not used either).
//!
//! A crash names companions, most likely first ([`DryOutcome::Failed`]). Each open block is tried
//! with one of them, then with one of those that the next crash names, and so on: in the order of
//! size, where a second companion in place of a first one counts as much as another block.
//!
//! [`DryOutcome::Failed`]: super::dry_runner::DryOutcome::Failed

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::BlockId;

use super::dry_runner::DryError;
use super::search::{OwnBuildResult, SetOutcome, SetSearch};

/// Greatest number of blocks that are removed jointly for the sake of one.
pub(crate) const MOST_REMOVED_JOINTLY: usize = 5;

/// Greatest number of dry runs for one block.
const MOST_TRIES: usize = 6;

/// Number of companions of a crash that are tried.
const BRANCHES: usize = 2;

/// A set to try, after its rank (its size and the number of its blocks that are not first
/// companions) and its size.
type RankedSet = (usize, usize, Vec<BlockId>);

/// The search for a set with one block that crashes when removed alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JointTries {
    /// Index of the input sequence with which it crashes.
    input: usize,
    /// Sets to try, by rank.
    open: BTreeSet<RankedSet>,
    /// Sets that failed, with the reason.
    failed: Vec<(Vec<BlockId>, String)>,
}

impl JointTries {
    /// The tries for a block after a crash with these companions.
    pub fn new(input: usize, block: BlockId, companions: &[BlockId]) -> Self {
        let mut tries = JointTries { input, open: BTreeSet::new(), failed: Vec::new() };
        tries.extend(0, &[block], companions);
        tries
    }

    /// Adds the sets of `set` with one of its companions.
    fn extend(&mut self, deviations: usize, set: &[BlockId], companions: &[BlockId]) {
        if set.len() >= MOST_REMOVED_JOINTLY {
            return;
        }
        let others = companions.iter().filter(|block| !set.contains(block));
        for (rank, companion) in others.take(BRANCHES).enumerate() {
            let mut larger = [set, &[*companion]].concat();
            larger.sort();
            self.reopen(deviations + rank, larger);
        }
    }

    /// Adds a set of which so many blocks are not first companions.
    fn reopen(&mut self, deviations: usize, set: Vec<BlockId>) {
        self.open.insert((deviations + set.len(), set.len(), set));
    }

    /// Takes the next set to try; none if there is no further one or enough were tried.
    fn take_next(&mut self) -> Option<(usize, Vec<BlockId>)> {
        if self.failed.len() >= MOST_TRIES {
            return None;
        }
        self.open.pop_first().map(|(rank, size, set)| (rank - size, set))
    }

    /// Records that a set failed, and adds those with its companions.
    fn record_failure(
        &mut self,
        deviations: usize,
        set: Vec<BlockId>,
        reason: &str,
        companions: &[BlockId],
    ) {
        self.extend(deviations, &set, companions);
        self.failed.push((set, reason.to_owned()));
    }

    /// Clause about what was tried with `block`, to follow the reason why it fails alone; none if
    /// it had no companions.
    pub fn text(&self, block: BlockId) -> Option<String> {
        let with = |set: &Vec<BlockId>| {
            let others = set.iter().filter(|other| **other != block);
            let others: Vec<String> = others.map(|other| other.0.to_string()).collect();
            let noun = if others.len() == 1 { "block" } else { "blocks" };
            format!("{noun} {}", others.join(", "))
        };
        let tried: Vec<String> = self
            .failed
            .iter()
            .map(|(set, reason)| format!("together with {}: {reason}", with(set)))
            .collect();
        let untried = self.open.first().filter(|_| self.failed.len() < MOST_TRIES);
        let untried = untried.map(|(_, _, set)| {
            format!("no dry run was left to remove it together with {}", with(set))
        });
        let all: Vec<String> = tried.into_iter().chain(untried).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }
}

/// A set that is tried for a block.
struct JointTry {
    block: BlockId,
    input: usize,
    deviations: usize,
    set: Vec<BlockId>,
}

impl SetSearch<'_> {
    /// Tries blocks that crash when removed alone together with others, while more than `reserve`
    /// dry runs are left; returns the sets that ran and leave enough of the program.
    pub(crate) fn find_joint_removals(
        &mut self,
        reserve: usize,
    ) -> Result<Vec<Vec<BlockId>>, DryError> {
        let mut found = Vec::new();
        while self.budget > reserve {
            let tries = self.next_joint_tries(self.budget - reserve);
            if tries.is_empty() {
                break;
            }
            for input in 0..self.inputs.len() {
                let own: Vec<&JointTry> =
                    tries.iter().filter(|tried| tried.input == input).collect();
                let sets: Vec<Vec<BlockId>> = own.iter().map(|tried| tried.set.clone()).collect();
                let outcomes = self.try_sets(input, &sets, reserve)?;
                for (tried, outcome) in own.into_iter().zip(outcomes) {
                    found.extend(self.judge_joint_try(tried, outcome));
                }
            }
        }
        Ok(found)
    }

    /// The next set of each open block, at most `most`. A set that failed before fails again.
    fn next_joint_tries(&mut self, most: usize) -> Vec<JointTry> {
        let mut next: Vec<JointTry> = Vec::new();
        let mut joint = std::mem::take(&mut self.joint);
        for (block, tries) in &mut joint {
            if next.len() >= most {
                break;
            }
            while let Some((deviations, set)) = tries.take_next() {
                if next.iter().any(|other| other.set == set) {
                    // The outcome of the same set decides for both blocks.
                    tries.reopen(deviations, set);
                    break;
                }
                let input = tries.input;
                match self.small_failures.get(&(input, set.clone())) {
                    Some((reason, companions)) => {
                        tries.record_failure(deviations, set, reason, companions);
                    }
                    None if self.is_tried(input, &set) => {}
                    None => {
                        next.push(JointTry { block: *block, input, deviations, set });
                        break;
                    }
                }
            }
        }
        self.joint = joint;
        next
    }

    /// Records the outcome of a joint removal; returns the set if it ran.
    fn judge_joint_try(&mut self, tried: &JointTry, outcome: SetOutcome) -> Option<Vec<BlockId>> {
        let JointTry { block, deviations, set, .. } = tried;
        let (reason, companions) = match outcome {
            SetOutcome::Ran(found) if self.found[found].removed != *set => {
                ("javac can't leave all of them out".to_owned(), Vec::new())
            }
            SetOutcome::Ran(found) if self.found[found].is_sound() => {
                self.record_partners(set);
                return Some(set.clone());
            }
            SetOutcome::Ran(found) => {
                // A case of it would tell little, and would be one for a single block.
                let reason = "little of the program is left to run".to_owned();
                self.found[found].own_build = OwnBuildResult::Failed(reason.clone());
                (reason, Vec::new())
            }
            SetOutcome::Failed { reason, companions, .. } => (reason, companions),
            SetOutcome::OutOfBudget => {
                let tries = self.joint.get_mut(block)?;
                tries.reopen(*deviations, set.clone());
                return None;
            }
        };
        let tries = self.joint.get_mut(block)?;
        tries.record_failure(*deviations, set.clone(), &reason, &companions);
        None
    }

    /// Records that the blocks of a set which crash when removed alone run together.
    fn record_partners(&mut self, set: &[BlockId]) {
        for block in set.iter().filter(|block| self.joint.remove(block).is_some()) {
            self.culprits.remove(block);
            let others = set.iter().copied().filter(|other| other != block).collect();
            self.partners.insert(*block, others);
        }
    }

    /// The blocks of a set without those whose partners are not in it.
    pub(super) fn without_lonely(&self, set: Vec<BlockId>) -> Vec<BlockId> {
        let is_complete = |block: &BlockId| match self.partners.get(block) {
            Some(partners) => partners.iter().all(|partner| set.contains(partner)),
            None => true,
        };
        let complete: Vec<BlockId> = set.iter().copied().filter(is_complete).collect();
        // A block that is left out may be the partner of another one.
        if complete.len() < set.len() { self.without_lonely(complete) } else { complete }
    }
}

/// The open searches, by the block that crashes when removed alone.
pub(super) type OpenJointTries = BTreeMap<BlockId, JointTries>;

#[cfg(test)]
#[path = "joint_removal_tests.rs"]
mod tests;
