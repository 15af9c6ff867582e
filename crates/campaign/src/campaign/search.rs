//! The search for sets of removed blocks that run: its dry runs and their outcomes. Every outcome
//! is kept; a set that ran is a candidate for the plan.

use std::collections::{BTreeMap, BTreeSet};

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::blocks::BlockId;

use super::counts::OperationMatrix;
use super::dry_runner::{DryCase, DryError, DryOutcome, DryRunner};
use super::groups::{restrict_to, split, split_off_suspects, union_of};
use super::joint_removal::{MOST_REMOVED_JOINTLY, OpenJointTries};
use super::plan_contents::{PlanSettings, share};

/// A set of removed blocks that ran with an input sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CandidateSet {
    /// Index of the input sequence.
    pub input: usize,
    /// Removed blocks, sorted.
    pub removed: Vec<BlockId>,
    /// Executions per block.
    pub executions: Vec<u64>,
    /// Whether it ran less than a fifth of the base case's executions.
    pub collapsed: bool,
    /// Whether it spends too little energy to be measured.
    pub weak: bool,
    /// Result of the build that would be measured.
    pub own_build: OwnBuildResult,
}

impl CandidateSet {
    /// Whether a case of this set is like the whole program.
    pub(crate) fn is_sound(&self) -> bool {
        !self.collapsed && !self.weak && !matches!(self.own_build, OwnBuildResult::Failed(_))
    }
}

/// Result of a dry run of the build of one set alone; tries share a build with switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OwnBuildResult {
    /// The build has not been run.
    Open,
    /// The build ran.
    Ran,
    /// The set cannot be planned, for this reason.
    Failed(String),
}

/// The state of the search for sets of removed blocks that run.
pub(super) struct SetSearch<'d> {
    pub dry: &'d mut dyn DryRunner,
    pub inputs: Vec<String>,
    pub rng: ChaCha8Rng,
    /// Dry runs that may still be made.
    pub budget: usize,
    /// Number of dry runs made of own builds.
    pub own_build_runs: usize,
    matrix: &'d OperationMatrix,
    min_energy_share: f64,
    /// Executions of each base case.
    pub base: Vec<Vec<u64>>,
    /// Candidate sets: all that ran, base cases first.
    pub found: Vec<CandidateSet>,
    /// Blocks that can't be left out, with the reason.
    pub culprits: BTreeMap<BlockId, String>,
    /// Blocks that a failure pointed at and that were not tried without the others, with the reason
    /// of that failure.
    pub accusations: BTreeMap<BlockId, String>,
    /// Blocks that crash the program when removed alone, with the search for others to be removed
    /// with them.
    pub joint: OpenJointTries,
    /// Blocks that crash the program when removed alone, with the others in the set that ran.
    pub partners: BTreeMap<BlockId, Vec<BlockId>>,
    /// Reasons and companions of failed sets that are small enough for joint removals, by input.
    pub small_failures: BTreeMap<(usize, Vec<BlockId>), (String, Vec<BlockId>)>,
    /// Sets that were tried, by input.
    tried: BTreeSet<(usize, Vec<BlockId>)>,
    /// Sets that hung with some input, with the reason: no further case removes these blocks, since
    /// each try would take as long.
    hung: BTreeMap<Vec<BlockId>, String>,
}

/// Result of trying one set of removed blocks.
pub(super) enum SetOutcome {
    /// Index of the candidate.
    Ran(usize),
    /// The case failed or hung.
    Failed {
        /// Reason, in one sentence.
        reason: String,
        /// The blocks that the failure points at.
        suspects: Vec<BlockId>,
        /// Other removable blocks that may have to be removed with these.
        companions: Vec<BlockId>,
    },
    /// The budget was used up.
    OutOfBudget,
}

impl SetOutcome {
    fn failed(reason: String) -> SetOutcome {
        SetOutcome::Failed { reason, suspects: Vec::new(), companions: Vec::new() }
    }
}

/// Share of the base case's executions below which a case is collapsed.
const COLLAPSED: f64 = 0.2;

impl<'d> SetSearch<'d> {
    pub fn new(
        dry: &'d mut dyn DryRunner,
        settings: &PlanSettings,
        matrix: &'d OperationMatrix,
        rng: ChaCha8Rng,
    ) -> Self {
        Self {
            dry,
            inputs: settings.inputs.clone(),
            rng,
            budget: settings.campaign.dry_runs,
            own_build_runs: 0,
            matrix,
            min_energy_share: settings.campaign.min_energy_share,
            base: Vec::new(),
            found: Vec::new(),
            culprits: BTreeMap::new(),
            accusations: BTreeMap::new(),
            joint: BTreeMap::new(),
            partners: BTreeMap::new(),
            small_failures: BTreeMap::new(),
            tried: BTreeSet::new(),
            hung: BTreeMap::new(),
        }
    }

    /// Runs the base case of every input; the inner error is the index of an input that failed,
    /// with the reason.
    pub(crate) fn run_bases(&mut self) -> Result<Result<(), (usize, String)>, DryError> {
        let case = |input: &String| DryCase { input: input.clone(), removed: Vec::new() };
        let cases: Vec<DryCase> = self.inputs.iter().map(case).collect();
        let outcomes = self.run_cases(&cases)?;
        for (input, outcome) in outcomes.into_iter().enumerate() {
            match outcome {
                DryOutcome::Failed { reason, .. } | DryOutcome::Hung { reason } => {
                    return Ok(Err((input, reason)));
                }
                DryOutcome::Ran { executions, .. } => {
                    self.base.push(executions.clone());
                    self.found.push(self.candidate(input, Vec::new(), executions));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Shuffles groups and joins them to sets of about `size` blocks; every group is in
    /// one of them.
    pub fn join(&mut self, groups: &[Vec<BlockId>], size: usize) -> Vec<Vec<Vec<BlockId>>> {
        let mut shuffled = groups.to_vec();
        shuffled.shuffle(&mut self.rng);
        let mut unions: Vec<Vec<Vec<BlockId>>> = Vec::new();
        let mut filled = size;
        for group in shuffled {
            if filled >= size {
                unions.push(Vec::new());
                filled = 0;
            }
            filled += group.len();
            if let Some(last) = unions.last_mut() {
                last.push(group);
            }
        }
        unions
    }

    /// Tries joined groups while more than `reserve` dry runs are left; a union that fails
    /// is halved down to two groups, one that leaves too little down to one.
    pub(crate) fn try_unions(
        &mut self,
        input: usize,
        unions: Vec<Vec<Vec<BlockId>>>,
        reserve: usize,
    ) -> Result<(), DryError> {
        let mut queue = unions;
        while !queue.is_empty() && self.budget > reserve {
            let sets: Vec<Vec<BlockId>> = queue.iter().map(|groups| union_of(groups)).collect();
            let outcomes = self.try_sets(input, &sets, reserve)?;
            let mut next = Vec::new();
            for (groups, outcome) in queue.into_iter().zip(outcomes) {
                let suspects = match outcome {
                    SetOutcome::Failed { suspects, .. } => suspects,
                    SetOutcome::Ran(found) if !self.found[found].is_sound() && groups.len() > 1 => {
                        next.extend(split(&groups, 2));
                        continue;
                    }
                    SetOutcome::Ran(_) | SetOutcome::OutOfBudget => continue,
                };
                match split_off_suspects(&union_of(&groups), &suspects) {
                    Some((_, rest)) => {
                        next.push(restrict_to(&groups, &self.without_lonely(rest)));
                    }
                    None if groups.len() > 2 => next.extend(split(&groups, 2)),
                    None => {}
                }
            }
            queue = next;
        }
        Ok(())
    }

    /// How many sets of `size` blocks or more ran with an input without collapsing.
    pub fn count_running(&self, input: usize, size: usize) -> usize {
        let large = |c: &&CandidateSet| c.removed.len() >= size.max(1) && c.is_sound();
        self.found.iter().filter(|c| c.input == input).filter(large).count()
    }

    pub(super) fn try_sets(
        &mut self,
        input: usize,
        sets: &[Vec<BlockId>],
        reserve: usize,
    ) -> Result<Vec<SetOutcome>, DryError> {
        let mut new: Vec<Vec<BlockId>> = Vec::new();
        for set in sets {
            let known = self.tried.contains(&(input, set.clone()))
                || new.contains(set)
                || self.hung.contains_key(set);
            if !known && new.len() + reserve < self.budget {
                new.push(set.clone());
            }
        }
        let case = |set: &Vec<BlockId>| DryCase {
            input: self.inputs[input].clone(),
            removed: set.clone(),
        };
        let cases: Vec<DryCase> = new.iter().map(case).collect();
        let outcomes = self.run_cases(&cases)?;
        self.budget -= new.len();
        let mut fresh: BTreeMap<Vec<BlockId>, SetOutcome> = BTreeMap::new();
        for (set, outcome) in new.into_iter().zip(outcomes) {
            let tried = self.record_outcome(input, &set, outcome);
            fresh.insert(set, tried);
        }
        let outcome = |set: &Vec<BlockId>| match (fresh.remove(set), self.hung.get(set)) {
            (Some(outcome), _) => outcome,
            (None, Some(reason)) => SetOutcome::failed(reason.clone()),
            (None, None) => SetOutcome::OutOfBudget,
        };
        Ok(sets.iter().map(outcome).collect())
    }

    /// Whether a set was tried with an input.
    pub(super) fn is_tried(&self, input: usize, set: &[BlockId]) -> bool {
        self.tried.contains(&(input, set.to_vec()))
    }

    /// Excludes a set that hung with one input from all inputs, also where it ran before.
    pub(super) fn leave_out(&mut self, set: &[BlockId], reason: &str) {
        self.hung.insert(set.to_vec(), reason.to_owned());
        for found in self.found.iter_mut().filter(|found| found.removed == set) {
            found.own_build = OwnBuildResult::Failed(reason.to_owned());
        }
    }

    pub(super) fn accuse(&mut self, suspects: &[BlockId], reason: &str) {
        for block in suspects {
            let said = || format!("removed with others: {reason}");
            self.accusations.entry(*block).or_insert_with(said);
        }
    }

    /// Runs cases and counts them; returns one outcome per case.
    fn run_cases(&mut self, cases: &[DryCase]) -> Result<Vec<DryOutcome>, DryError> {
        if cases.is_empty() {
            return Ok(Vec::new());
        }
        let outcomes = self.dry.try_cases(cases)?;
        if outcomes.len() == cases.len() {
            return Ok(outcomes);
        }
        Err(format!("{} dry runs gave {} outcomes", cases.len(), outcomes.len()).into())
    }

    fn record_outcome(&mut self, input: usize, set: &[BlockId], outcome: DryOutcome) -> SetOutcome {
        self.tried.insert((input, set.to_vec()));
        match outcome {
            DryOutcome::Failed { reason, suspects, companions } => {
                if set.len() <= MOST_REMOVED_JOINTLY {
                    let failure = (reason.clone(), companions.clone());
                    self.small_failures.insert((input, set.to_vec()), failure);
                }
                SetOutcome::Failed { reason, suspects, companions }
            }
            DryOutcome::Hung { reason } => {
                self.leave_out(set, &reason);
                SetOutcome::failed(reason)
            }
            DryOutcome::Ran { executions, kept } => {
                let left_in: BTreeSet<BlockId> = kept.iter().map(|(block, _)| *block).collect();
                self.culprits.extend(kept);
                let removed: Vec<BlockId> =
                    set.iter().copied().filter(|block| !left_in.contains(block)).collect();
                let twin = |c: &CandidateSet| c.input == input && c.removed == removed;
                if let Some(index) = self.found.iter().position(twin) {
                    return SetOutcome::Ran(index);
                }
                self.found.push(self.candidate(input, removed, executions));
                SetOutcome::Ran(self.found.len() - 1)
            }
        }
    }
}

impl SetSearch<'_> {
    pub(super) fn candidate(
        &self,
        input: usize,
        removed: Vec<BlockId>,
        executions: Vec<u64>,
    ) -> CandidateSet {
        let base = &self.base[input];
        let collapsed = total(&executions) < COLLAPSED * total(base);
        let energy_share = share(self.operations(&executions), self.operations(base));
        let weak = energy_share < self.min_energy_share;
        CandidateSet {
            input,
            removed,
            executions,
            collapsed,
            weak,
            own_build: OwnBuildResult::Open,
        }
    }

    fn operations(&self, executions: &[u64]) -> f64 {
        self.matrix.row(executions).iter().sum::<u128>() as f64
    }
}

/// Executions of all blocks.
pub(super) fn total(executions: &[u64]) -> f64 {
    executions.iter().map(|count| *count as f64).sum()
}

/// The predicted energy of every set found as a share of its base case's, with one cost
/// for all operations.
pub(super) fn energy_shares(matrix: &OperationMatrix, search: &SetSearch<'_>) -> Vec<f64> {
    let operations = |executions: &[u64]| matrix.row(executions).iter().sum::<u128>() as f64;
    let bases: Vec<f64> = search.base.iter().map(|base| operations(base)).collect();
    let share = |found: &CandidateSet| share(operations(&found.executions), bases[found.input]);
    search.found.iter().map(share).collect()
}

/// Number of chosen sets whose case is collapsed.
pub(super) fn count_collapsed(search: &SetSearch<'_>, chosen: &[usize]) -> usize {
    chosen.iter().filter(|index| search.found[**index].collapsed).count()
}
