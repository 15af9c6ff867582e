//! The plan: which cases are measured.
//!
//! For each input sequence the removable blocks are grouped in source order and each
//! group is tried; groups that crash are split down to the blocks that make them crash,
//! which are dropped with the reason. Groups that run are joined to larger sets, of
//! which those that change the mix of operations most (predicted by leaving out the
//! executions of the removed blocks) are tried as well. Among all sets that ran, the
//! plan takes enough to remove every block once, then those that tell most by their
//! real counts.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::blocks::BlockId;
use crate::operations::Dictionary;
use crate::scenario::{CampaignSettings, Scenario};

use super::choose::{Candidates, ranks};
use super::counts::OperationMatrix;
use super::dry::{Dry, DryError};
use super::search::{Candidate, Search, total, union_of};

/// What the planner needs of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanSettings {
    /// Names of the input sequences, at least one.
    pub inputs: Vec<String>,
    /// Cases, shares, budget, seed, repeats.
    pub campaign: CampaignSettings,
    /// Length of a session with the rest after it, in seconds.
    pub session_s: f64,
}

impl From<&Scenario> for PlanSettings {
    fn from(scenario: &Scenario) -> Self {
        Self {
            inputs: scenario.inputs.iter().map(|input| input.name.clone()).collect(),
            campaign: scenario.campaign.clone(),
            session_s: scenario.session.duration_s + scenario.session.rest_s,
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
    let mut search = Search::new(dry, settings.inputs.clone(), settings.campaign.dry_runs, rng);
    if let Err((input, reason)) = search.run_bases()? {
        return Err(PlanError::BaseFailed { input: settings.inputs[input].clone(), reason });
    }
    let matrix = OperationMatrix::new(dictionary);
    let removable = removable_blocks(dictionary);
    find_sets(settings, &matrix, &removable, &mut search)?;
    let chosen = choose(settings, &matrix, &removable, &search);
    Ok(describe(settings, &matrix, &removable, &search, &chosen))
}

fn removable_blocks(dictionary: &Dictionary) -> Vec<BlockId> {
    dictionary.blocks.iter().filter(|block| block.removable).map(|block| block.id).collect()
}

fn ran(executions: &[u64], block: BlockId) -> bool {
    executions.get(block.0 as usize).is_some_and(|count| *count > 0)
}

/// Fills `search.found` with sets that run, for every input.
fn find_sets(
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    removable: &[BlockId],
    search: &mut Search<'_>,
) -> Result<(), DryError> {
    let inputs = settings.inputs.len();
    let wanted = settings.campaign.cases.saturating_sub(inputs).div_ceil(inputs);
    let mut groups: Vec<Vec<BlockId>> = Vec::new();
    let mut seen: BTreeSet<BlockId> = BTreeSet::new();
    for input in 0..inputs {
        let executed: Vec<BlockId> =
            removable.iter().copied().filter(|block| ran(&search.base[input], *block)).collect();
        let idle = removable
            .iter()
            .copied()
            .filter(|block| input == 0 && !search.base.iter().any(|base| ran(base, *block)));
        let fresh: Vec<BlockId> =
            executed.iter().copied().filter(|block| !seen.contains(block)).collect();
        seen.extend(&fresh);
        let mut untried = in_groups(&fresh, wanted);
        deal(&mut untried, idle);
        let reserve = settings.campaign.cases * (inputs - input) / inputs;
        groups.extend(search.classify(input, untried, reserve)?);
        let size = settings.campaign.removed_share * executed.len() as f64;
        let goal = Goal { input, wanted, size: size.ceil() as usize };
        join_groups(goal, settings, matrix, &groups, search)?;
    }
    Ok(())
}

/// What joining groups aims at.
#[derive(Clone, Copy)]
struct Goal {
    input: usize,
    /// Sets of half the size or more.
    wanted: usize,
    /// Blocks per set.
    size: usize,
}

/// At most `count` runs of neighbouring blocks.
fn in_groups(blocks: &[BlockId], count: usize) -> Vec<Vec<BlockId>> {
    let size = blocks.len().div_ceil(count.max(1)).max(1);
    blocks.chunks(size).map(<[BlockId]>::to_vec).collect()
}

/// Spreads blocks that never ran over the groups.
fn deal(groups: &mut Vec<Vec<BlockId>>, blocks: impl Iterator<Item = BlockId>) {
    for (index, block) in blocks.enumerate() {
        if groups.is_empty() {
            groups.push(Vec::new());
        }
        let place = index % groups.len();
        groups[place].push(block);
        groups[place].sort_unstable();
    }
}

/// Tries sets that join several groups until enough of them run.
fn join_groups(
    goal: Goal,
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    groups: &[Vec<BlockId>],
    search: &mut Search<'_>,
) -> Result<(), DryError> {
    let blocks: usize = groups.iter().map(Vec::len).sum();
    if groups.len() < 2 {
        return Ok(());
    }
    let size = goal.size.clamp(1, (blocks * 6 / 10).max(1));
    try_known_sets(goal, search)?;
    for round in 0..4 {
        let missing = goal.wanted.saturating_sub(search.running(goal.input, size / 2));
        if missing == 0 || search.budget == 0 {
            break;
        }
        // The first round covers every group; later ones choose among many.
        let mut unions = search.join(groups, size);
        if round > 0 {
            while unions.len() < settings.campaign.candidates {
                let low = (size / 2).max(1);
                let near = search.rng.random_range(low..=size + size / 2);
                unions.extend(search.join(groups, near));
            }
            unions = most_telling(goal.input, unions, missing, matrix, search);
        }
        search.try_unions(goal.input, unions)?;
    }
    Ok(())
}

/// Tries the sets that run with earlier inputs, so that cases share variants.
fn try_known_sets(goal: Goal, search: &mut Search<'_>) -> Result<(), DryError> {
    let large = |c: &&Candidate| {
        c.input < goal.input && !c.collapsed && c.removed.len() >= (goal.size / 2).max(1)
    };
    let sets: BTreeSet<Vec<BlockId>> =
        search.found.iter().filter(large).map(|c| c.removed.clone()).collect();
    let sets = sets.into_iter().take(goal.wanted).map(|set| vec![set]).collect();
    search.try_unions(goal.input, sets)
}

/// The `count` unions that change the mix of operations most, by predicted counts.
fn most_telling(
    input: usize,
    unions: Vec<Vec<Vec<BlockId>>>,
    count: usize,
    matrix: &OperationMatrix,
    search: &Search<'_>,
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

/// Indices into `search.found`: the base cases, what covers the blocks, what tells most.
fn choose(
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    removable: &[BlockId],
    search: &Search<'_>,
) -> Vec<usize> {
    let rows: Vec<Vec<u128>> =
        search.found.iter().map(|found| matrix.row(&found.executions)).collect();
    let mut candidates = Candidates::new(&rows);
    let is_base = |index: usize| search.found[index].removed.is_empty();
    (0..rows.len()).filter(|index| is_base(*index)).for_each(|index| candidates.take(index));
    cover(settings, removable, search, &mut candidates);
    let cases = settings.campaign.cases;
    let mut collapsed = count_collapsed(search, candidates.chosen());
    let most = (settings.campaign.collapsed_share * cases as f64) as usize;
    while candidates.chosen().len() < cases {
        let allowed =
            |index: usize| !is_base(index) && (!search.found[index].collapsed || collapsed < most);
        let Some(taken) = candidates.take_best(allowed) else { break };
        collapsed += usize::from(search.found[taken].collapsed);
    }
    candidates.chosen().to_vec()
}

/// Takes sets until every block that some set removes is removed, those without a
/// collapse first, those that remove most new blocks first; at most twice the cases
/// aimed at.
fn cover(
    settings: &PlanSettings,
    removable: &[BlockId],
    search: &Search<'_>,
    candidates: &mut Candidates,
) {
    let mut open: BTreeSet<BlockId> = removable.iter().copied().collect();
    for collapsed in [false, true] {
        while candidates.chosen().len() < 2 * settings.campaign.cases {
            let gain =
                |found: &Candidate| found.removed.iter().filter(|b| open.contains(b)).count();
            let may = |found: &&(usize, &Candidate)| found.1.collapsed == collapsed;
            let best = search.found.iter().enumerate();
            let best = best.filter(|found| may(&found)).map(|(index, c)| (gain(c), index));
            let Some((gained, index)) =
                best.max_by_key(|(gain, index)| (*gain, usize::MAX - index))
            else {
                break;
            };
            if gained == 0 {
                break;
            }
            search.found[index].removed.iter().for_each(|block| {
                open.remove(block);
            });
            candidates.take(index);
        }
    }
}

fn count_collapsed(search: &Search<'_>, chosen: &[usize]) -> usize {
    chosen.iter().filter(|index| search.found[**index].collapsed).count()
}

/// Names the chosen cases and says what they hold.
fn describe(
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    removable: &[BlockId],
    search: &Search<'_>,
    chosen: &[usize],
) -> Plan {
    let rows: Vec<Vec<u128>> =
        chosen.iter().map(|index| matrix.row(&search.found[*index].executions)).collect();
    let ranks = ranks(&rows);
    let mut variants: BTreeMap<&[BlockId], String> = BTreeMap::new();
    let mut cases = Vec::new();
    for (place, index) in chosen.iter().enumerate() {
        let found = &search.found[*index];
        let number = variants.len();
        let name =
            || if found.removed.is_empty() { "base".into() } else { format!("r{number:02}") };
        let variant = variants.entry(&found.removed).or_insert_with(name).clone();
        let input = &settings.inputs[found.input];
        let base = &search.base[found.input];
        let operations = |row: &[u128]| row.iter().sum::<u128>() as f64;
        cases.push(PlannedCase {
            name: format!("{variant}-{input}"),
            variant,
            input: input.clone(),
            removed: found.removed.clone(),
            executions: found.executions.iter().fold(0, |sum, count| sum.saturating_add(*count)),
            executions_share: share(total(&found.executions), total(base)),
            energy_share: share(operations(&rows[place]), operations(&matrix.row(base))),
            rank: ranks[place],
        });
    }
    let dropped = dropped_blocks(removable, search, &cases);
    let summary = summarise(settings, removable, search, &cases, &dropped, &rows);
    Plan {
        summary: PlanSummary { collapsed: count_collapsed(search, chosen), ..summary },
        cases,
        dropped,
    }
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn dropped_blocks(
    removable: &[BlockId],
    search: &Search<'_>,
    cases: &[PlannedCase],
) -> Vec<DroppedBlock> {
    let removed: BTreeSet<BlockId> = cases.iter().flat_map(|case| &case.removed).copied().collect();
    let found: BTreeSet<BlockId> =
        search.found.iter().flat_map(|found| &found.removed).copied().collect();
    let reason = |block: &BlockId| match search.culprits.get(block) {
        Some(reason) => reason.clone(),
        None if found.contains(block) => "the plan has no place for another case".to_string(),
        None => "the dry runs were used up before a set with it ran".to_string(),
    };
    let dropped = removable.iter().filter(|block| !removed.contains(block));
    dropped.map(|block| DroppedBlock { block: *block, reason: reason(block) }).collect()
}

fn summarise(
    settings: &PlanSettings,
    removable: &[BlockId],
    search: &Search<'_>,
    cases: &[PlannedCase],
    dropped: &[DroppedBlock],
    rows: &[Vec<u128>],
) -> PlanSummary {
    let executed = |block: BlockId| search.base.iter().any(|base| ran(base, block));
    let removable_executed = removable.iter().filter(|block| executed(**block)).count();
    let dropped_executed = dropped.iter().filter(|dropped| executed(dropped.block)).count();
    let columns = rows.first().map_or(0, Vec::len);
    let campaign = &settings.campaign;
    let runs = campaign.repeats + campaign.idle_repeats + campaign.traced_repeats;
    let variants: BTreeSet<&str> = cases.iter().map(|case| case.variant.as_str()).collect();
    PlanSummary {
        cases: cases.len(),
        variants: variants.len(),
        removable: removable.len(),
        removable_executed,
        removed_executed: removable_executed - dropped_executed,
        dry_runs: campaign.dry_runs - search.budget + settings.inputs.len(),
        operations: (0..columns).filter(|j| rows.iter().any(|row| row[*j] > 0)).count(),
        rank: cases.last().map_or(0, |case| case.rank),
        collapsed: 0,
        board_s: cases.len() as f64 * f64::from(runs) * settings.session_s,
        paper_board_s: cases.len() as f64 * 21.0 * 100.0,
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
pub(crate) mod tests;
