//! The search strategy for sets of removed blocks that run, for each input sequence: blocks are
//! classified in groups, then the groups that run are joined.

use std::collections::BTreeSet;

use rand::RngExt;
use rand::seq::SliceRandom;

use crate::blocks::BlockId;

use super::candidates::Candidates;
use super::counts::OperationMatrix;
use super::dry_runner::DryError;
use super::groups::union_of;
use super::plan_contents::{PlanSettings, ran};
use super::search::{CandidateSet, SetSearch};

/// Most dry runs for joining groups, per wanted case.
const MOST_JOINS: usize = 3;

/// Fills `search.found` with sets that run, for every input.
pub(super) fn find_sets(
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    removable: &[BlockId],
    search: &mut SetSearch<'_>,
) -> Result<(), DryError> {
    let inputs = settings.inputs.len();
    let wanted = settings.campaign.cases.saturating_sub(inputs).div_ceil(inputs);
    let mut groups: Vec<Vec<BlockId>> = Vec::new();
    for input in 0..inputs {
        let executed: Vec<BlockId> =
            removable.iter().copied().filter(|block| ran(&search.base[input], *block)).collect();
        let known = known_blocks(&groups, search);
        let fresh: Vec<BlockId> =
            executed.iter().copied().filter(|block| !known.contains(block)).collect();
        let untried = group_neighbours(&fresh, wanted);
        // Blocks that never run make nothing fail: they go with the first sets of others.
        let never = |block: &&BlockId| !search.base.iter().any(|base| ran(base, **block));
        let never: Vec<BlockId> =
            removable.iter().filter(|_| input == 0).filter(never).copied().collect();
        // Enough for joining groups with this input, and with those after it.
        let reserve = |inputs_left: usize| settings.campaign.cases * inputs_left / inputs;
        let mut new = search.classify(input, untried, reserve(inputs - input))?;
        new.extend(search.find_joint_removals(joint_reserve(settings, input, search.budget))?);
        groups.extend(new.iter().cloned());
        let size = settings.campaign.removed_share * executed.len() as f64;
        let size = size.ceil() as usize;
        let joins = MOST_JOINS * settings.campaign.cases / inputs;
        let reserve = reserve(inputs - input - 1).max(search.budget.saturating_sub(joins));
        let goal = JoinGoal { input, wanted, size, reserve };
        try_known_sets(goal, &new, search)?;
        join_groups(goal, settings, matrix, &groups, &never, search)?;
    }
    Ok(())
}

/// Dry runs that the search for joint removals leaves: those for joining groups, and of the others
/// half, where more inputs follow.
fn joint_reserve(settings: &PlanSettings, input: usize, budget: usize) -> usize {
    let inputs = settings.inputs.len();
    let joins = MOST_JOINS * settings.campaign.cases * (inputs - input) / inputs;
    let is_last = input + 1 == inputs;
    joins + if is_last { 0 } else { budget.saturating_sub(joins) / 2 }
}

/// Blocks that need no further dry runs: those in a group that runs, culprits, and those whose
/// removal alone collapses a case.
fn known_blocks(groups: &[Vec<BlockId>], search: &SetSearch<'_>) -> BTreeSet<BlockId> {
    let alone = search.found.iter().filter(|found| found.removed.len() == 1);
    let alone = alone.filter(|found| !found.is_sound()).map(|found| found.removed[0]);
    let grouped = groups.iter().flatten().copied();
    grouped.chain(alone).chain(search.culprits.keys().copied()).collect()
}

/// The sets that joining groups aims at.
#[derive(Clone, Copy)]
struct JoinGoal {
    input: usize,
    /// Number of sets of half the size or more.
    wanted: usize,
    /// Blocks per set.
    size: usize,
    /// Dry runs that are kept for later inputs.
    reserve: usize,
}

/// At most `count` runs of neighbouring blocks.
fn group_neighbours(blocks: &[BlockId], count: usize) -> Vec<Vec<BlockId>> {
    let size = blocks.len().div_ceil(count.max(1)).max(1);
    blocks.chunks(size).map(<[BlockId]>::to_vec).collect()
}

/// Tries sets that join several groups until enough of them run.
fn join_groups(
    goal: JoinGoal,
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    groups: &[Vec<BlockId>],
    never: &[BlockId],
    search: &mut SetSearch<'_>,
) -> Result<(), DryError> {
    let blocks: usize = groups.iter().map(Vec::len).sum();
    if groups.is_empty() && !never.is_empty() {
        search.try_unions(goal.input, vec![vec![never.to_vec()]], goal.reserve)?;
    }
    if groups.is_empty() || groups.len() < 2 && never.is_empty() {
        return Ok(());
    }
    let size = goal.size.clamp(1, (blocks * 6 / 10).max(1));
    for round in 0..4 {
        let missing = goal.wanted.saturating_sub(search.count_running(goal.input, size / 2));
        if missing == 0 || search.budget <= goal.reserve {
            break;
        }
        // The first round covers every group; later ones choose among many.
        let mut unions = search.join(groups, size);
        if round == 0 {
            let count = unions.len();
            for (union, never) in unions.iter_mut().zip(group_neighbours(never, count)) {
                union.push(never);
            }
        } else {
            while unions.len() < settings.campaign.candidates {
                let low = (size / 2).max(1);
                let near = search.rng.random_range(low..=size + size / 2);
                unions.extend(search.join(groups, near));
            }
            unions = most_informative_unions(goal.input, unions, missing, matrix, search);
        }
        search.try_unions(goal.input, unions, goal.reserve)?;
    }
    Ok(())
}

/// Tries sets that run with earlier inputs: half of the wanted ones as they are, so that
/// cases share variants, half with the groups that are new with this input.
fn try_known_sets(
    goal: JoinGoal,
    new: &[Vec<BlockId>],
    search: &mut SetSearch<'_>,
) -> Result<(), DryError> {
    let large = |c: &&CandidateSet| {
        c.input < goal.input && c.is_sound() && c.removed.len() >= (goal.size / 2).max(1)
    };
    let sets: BTreeSet<Vec<BlockId>> =
        search.found.iter().filter(large).map(|c| c.removed.clone()).collect();
    let mut sets: Vec<Vec<BlockId>> = sets.into_iter().collect();
    sets.shuffle(&mut search.rng);
    let mut unions: Vec<Vec<Vec<BlockId>>> =
        sets.into_iter().take(goal.wanted).map(|set| vec![set]).collect();
    let with_new = unions.len().div_ceil(2);
    for (index, group) in new.iter().enumerate() {
        if with_new > 0 {
            unions[index % with_new].push(group.clone());
        }
    }
    search.try_unions(goal.input, unions, goal.reserve)
}

/// The `count` unions that change the mix of operations most, by predicted counts.
fn most_informative_unions(
    input: usize,
    unions: Vec<Vec<Vec<BlockId>>>,
    count: usize,
    matrix: &OperationMatrix,
    search: &SetSearch<'_>,
) -> Vec<Vec<Vec<BlockId>>> {
    let mut rows: Vec<Vec<u128>> =
        search.found.iter().map(|found| matrix.row(&found.executions)).collect();
    let known = rows.len();
    for union in &unions {
        let mut executions = search.base[input].clone();
        for block in union_of(union) {
            if let Some(count) = executions.get_mut(block.0 as usize) {
                *count = 0;
            }
        }
        rows.push(matrix.row(&executions));
    }
    let mut candidates = Candidates::new(&rows);
    (0..known).for_each(|index| candidates.take(index));
    for _ in 0..count {
        candidates.take_best(|index| index >= known);
    }
    candidates.chosen()[known..].iter().map(|index| unions[index - known].clone()).collect()
}
