//! Naming the chosen cases and saying in numbers what they hold.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::BlockId;

use super::choose::ranks;
use super::counts::OperationMatrix;
use super::plan::{
    DroppedBlock, Plan, PlanSettings, PlanSummary, PlannedCase, count_collapsed, ran,
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
