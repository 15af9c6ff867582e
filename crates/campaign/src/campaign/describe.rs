//! The plan of the chosen cases: their names and counts, the blocks that no case removes, a summary
//! in numbers.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::BlockId;

use super::candidates::ranks;
use super::counts::OperationMatrix;
use super::line_error_criterion::LineErrorCriterion;
use super::order::repeats;
use super::plan_contents::{
    DroppedBlock, JointRemoval, Plan, PlanSettings, PlanSummary, PlannedCase, ran, share,
};
use super::search::{
    CandidateSet, OwnBuildResult, SetSearch, count_collapsed, energy_shares, total,
};

/// Makes the plan of the chosen sets: names the cases, and adds their figures, the dropped blocks
/// and the summary.
pub(super) fn describe(
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    removable: &[BlockId],
    lines: &LineErrorCriterion,
    search: &SetSearch<'_>,
    chosen: &[usize],
) -> Plan {
    let rows: Vec<Vec<u128>> =
        chosen.iter().map(|index| matrix.row(&search.found[*index].executions)).collect();
    let ranks = ranks(&rows);
    let energy_shares = energy_shares(matrix, search);
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
        cases.push(PlannedCase {
            name: format!("{variant}-{input}"),
            variant,
            input: input.clone(),
            removed: found.removed.clone(),
            executions: found.executions.iter().fold(0, |sum, count| sum.saturating_add(*count)),
            executions_share: share(total(&found.executions), total(base)),
            energy_share: energy_shares[*index],
            rank: ranks[place],
        });
    }
    let dropped = dropped_blocks(removable, search, &cases);
    let joint = joint_removals(removable, search, &cases);
    let summary = summarise(settings, removable, search, &cases, &dropped, &rows);
    Plan {
        summary: PlanSummary {
            collapsed: count_collapsed(search, chosen),
            removed_jointly: joint.len(),
            line_error: lines.expected_error(rows.iter()),
            ..summary
        },
        cases,
        dropped,
        joint,
    }
}

fn dropped_blocks(
    removable: &[BlockId],
    search: &SetSearch<'_>,
    cases: &[PlannedCase],
) -> Vec<DroppedBlock> {
    let removed: BTreeSet<BlockId> = cases.iter().flat_map(|case| &case.removed).copied().collect();
    let dropped = removable.iter().filter(|block| !removed.contains(block));
    dropped.map(|block| DroppedBlock { block: *block, reason: reason(search, *block) }).collect()
}

/// The blocks that some case removes together with those without which it would crash.
fn joint_removals(
    removable: &[BlockId],
    search: &SetSearch<'_>,
    cases: &[PlannedCase],
) -> Vec<JointRemoval> {
    let is_removed = |block: &&BlockId| cases.iter().any(|case| case.removed.contains(block));
    let joint = removable.iter().filter(is_removed).filter_map(|block| {
        let partners = search.partners.get(block)?.clone();
        Some(JointRemoval { block: *block, partners })
    });
    joint.collect()
}

/// Why no case removes `block`.
fn reason(search: &SetSearch<'_>, block: BlockId) -> String {
    if let Some(reason) = search.culprits.get(&block) {
        let joint = search.joint.get(&block).and_then(|tries| tries.text(block));
        return joint.map_or_else(|| reason.clone(), |joint| format!("{reason}; {joint}"));
    }
    let with: Vec<&CandidateSet> =
        search.found.iter().filter(|found| found.removed.contains(&block)).collect();
    if with.is_empty() {
        let accused = search.accusations.get(&block).cloned();
        return accused
            .unwrap_or_else(|| "the dry runs were used up before a set with it ran".to_string());
    }
    let strong: Vec<&&CandidateSet> = with.iter().filter(|found| !found.weak).collect();
    let refused = strong.iter().find_map(|found| match &found.own_build {
        OwnBuildResult::Failed(reason) => Some(reason),
        OwnBuildResult::Open | OwnBuildResult::Ran => None,
    });
    if let Some(reason) = refused {
        return format!("the build of a set with it does not run: {reason}");
    }
    if !strong.is_empty() {
        return "the plan has no place for another case".to_string();
    }
    if with.iter().any(|found| found.removed.len() == 1) {
        return "without it the application spends too little energy to measure".to_string();
    }
    "every set with it that ran spends too little energy to measure; the dry runs were used up \
     before it was tried alone"
        .to_string()
}

fn summarise(
    settings: &PlanSettings,
    removable: &[BlockId],
    search: &SetSearch<'_>,
    cases: &[PlannedCase],
    dropped: &[DroppedBlock],
    rows: &[Vec<u128>],
) -> PlanSummary {
    let executed = |block: BlockId| search.base.iter().any(|base| ran(base, block));
    let removable_executed = removable.iter().filter(|block| executed(**block)).count();
    let dropped_executed = dropped.iter().filter(|dropped| executed(dropped.block)).count();
    let columns = rows.first().map_or(0, Vec::len);
    let campaign = &settings.campaign;
    let runs = cases.iter().enumerate();
    let runs = runs.flat_map(|(place, case)| repeats(place, case, campaign));
    let runs: u32 = runs.map(|(_, repeats)| repeats).sum();
    let variants: BTreeSet<&str> = cases.iter().map(|case| case.variant.as_str()).collect();
    PlanSummary {
        cases: cases.len(),
        asked: campaign.cases,
        variants: variants.len(),
        removable: removable.len(),
        removable_executed,
        removed_executed: removable_executed - dropped_executed,
        dry_runs: campaign.dry_runs - search.budget + settings.inputs.len() + search.own_build_runs,
        operations: (0..columns).filter(|j| rows.iter().any(|row| row[*j] > 0)).count(),
        rank: cases.last().map_or(0, |case| case.rank),
        collapsed: 0,
        removed_jointly: 0,
        line_error: None,
        board_s: f64::from(runs) * settings.session_s,
        paper_board_s: cases.len() as f64 * 21.0 * 100.0,
    }
}
