//! A comparison as JSON. Names end in units; an unknown value is null.

use serde_json::{Value, json};

use super::{ChangeRow, CompareMode, Comparison, RecordedShares, ShareRow, SideStability};

/// The text of `compare.json`.
pub fn json(comparison: &Comparison) -> String {
    let rows = |rows: &[ChangeRow]| rows.iter().map(row).collect::<Vec<Value>>();
    let budgets = comparison.budgets.iter().map(|row| {
        json!({
            "level": row.budget.level,
            "name": row.budget.name,
            "budget_j": row.budget.joules.0,
            "energy_j": row.energy.map(|energy| energy.0),
            "energy_lo_j": row.interval.map(|interval| interval.lo.0),
            "energy_hi_j": row.interval.map(|interval| interval.hi.0),
            "verdict": row.verdict.name(),
        })
    });
    let mut value = json!({
        "schema": 1,
        "command": "compare",
        "tool_version": env!("CARGO_PKG_VERSION"),
        "mode": match comparison.mode {
            CompareMode::Measured => "measured",
            CompareMode::Predicted => "predicted",
            CompareMode::Recorded => "recorded",
        },
        "verdict": comparison.verdict().name(),
        "limit_share": comparison.limit.0,
        "scenario": row(&comparison.headline),
        "inputs": rows(&comparison.inputs),
        "classes": rows(&comparison.classes),
        "methods": rows(&comparison.methods),
        "unchanged_methods": comparison.unchanged,
        "budgets": budgets.collect::<Vec<Value>>(),
        "notes": comparison.notes,
    });
    if let Some(of_recordings) = &comparison.recorded {
        value["recorded"] = recorded(of_recordings);
    }
    let mut text = serde_json::to_string_pretty(&value).expect("keys are strings");
    text.push('\n');
    text
}

/// Parts of the whole, and how alike recordings are.
fn recorded(recorded: &RecordedShares) -> Value {
    let share = |row: &ShareRow| {
        json!({
            "level": row.subject.level(),
            "name": row.subject.name(),
            "base_share": row.base,
            "base_sd_share": row.base_sd,
            "new_share": row.new,
            "new_sd_share": row.new_sd,
            "change_share": row.new - row.base,
            "change_lo_share": row.interval.map(|(lo, _)| lo),
            "change_hi_share": row.interval.map(|(_, hi)| hi),
        })
    };
    let stability = &recorded.stability;
    json!({
        "shares": recorded.rows.iter().map(share).collect::<Vec<Value>>(),
        "base": side(&stability.base),
        "new": side(&stability.new),
        "rank_correlation": stability.between,
    })
}

fn side(side: &SideStability) -> Value {
    json!({
        "recordings": side.recordings,
        "energy_j": side.whole_j,
        "energy_sd_j": side.whole_sd_j,
        "mean_sd_share": side.share_sd,
        "most_sd_share": side.share_sd_most.as_ref().map(|(sd, _)| sd),
        "most_sd_method":
            side.share_sd_most.as_ref().map(|(_, key)| format!("{}.{}", key.class, key.method)),
        "mean_rank_correlation": side.rank_correlation.map(|(mean, _)| mean),
        "least_rank_correlation": side.rank_correlation.map(|(_, least)| least),
    })
}

fn row(row: &ChangeRow) -> Value {
    let change = &row.change;
    json!({
        "level": row.subject.level(),
        "name": row.subject.name(),
        "base_j": change.base.map(|energy| energy.0),
        "new_j": change.new.map(|energy| energy.0),
        "change_j": change.difference().map(|energy| energy.0),
        "change_lo_j": change.interval.map(|interval| interval.lo.0),
        "change_hi_j": change.interval.map(|interval| interval.hi.0),
        "change_share": change.share(),
        "change_lo_share": change.share_interval.map(|(lo, _)| lo),
        "change_hi_share": change.share_interval.map(|(_, hi)| hi),
        "verdict": row.verdict.map(|verdict| verdict.name()),
        "remark": row.remark,
    })
}
