//! Naming the chosen cases and saying in numbers what they hold.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::BlockId;

use super::choose::ranks;
use super::counts::OperationMatrix;
use super::plan::{
    DroppedBlock, Plan, PlanSettings, PlanSummary, PlannedCase, count_collapsed, energy_shares,
    ran, share,
};
use super::search::{Search, total};

/// Names the chosen cases and says what they hold.
pub(super) fn describe(
    settings: &PlanSettings,
    matrix: &OperationMatrix,
    removable: &[BlockId],
    search: &Search<'_>,
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
    let weak = settings.campaign.min_energy_share;
    let strong = |index: usize| energy_shares[index] >= weak;
    let dropped = dropped_blocks(removable, search, &cases, strong);
    let summary = summarise(settings, removable, search, &cases, &dropped, &rows);
    Plan {
        summary: PlanSummary { collapsed: count_collapsed(search, chosen), ..summary },
        cases,
        dropped,
    }
}

fn dropped_blocks(
    removable: &[BlockId],
    search: &Search<'_>,
    cases: &[PlannedCase],
    strong: impl Fn(usize) -> bool,
) -> Vec<DroppedBlock> {
    let removed: BTreeSet<BlockId> = cases.iter().flat_map(|case| &case.removed).copied().collect();
    let with = |block: BlockId| {
        let found = search.found.iter().enumerate();
        found.filter(move |(_, found)| found.removed.contains(&block)).map(|(index, _)| index)
    };
    let reason = |block: BlockId| match search.culprits.get(&block) {
        Some(reason) => reason.clone(),
        None if with(block).next().is_none() && search.accusations.contains_key(&block) => {
            search.accusations[&block].clone()
        }
        None if with(block).next().is_none() => {
            "the dry runs were used up before a set with it ran".to_string()
        }
        None if with(block).any(&strong) => "the plan has no place for another case".to_string(),
        None if with(block).any(|index| search.found[index].removed.len() == 1) => {
            "without it the application spends too little energy to measure".to_string()
        }
        None => "every set with it that ran spends too little energy to measure; the dry runs \
                 were used up before it was tried alone"
            .to_string(),
    };
    let dropped = removable.iter().filter(|block| !removed.contains(block));
    dropped.map(|block| DroppedBlock { block: *block, reason: reason(*block) }).collect()
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
