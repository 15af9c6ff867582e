//! A comparison as JSON. Names end in units; an unknown value is null.

use serde_json::{Value, json};

use super::{ChangeRow, CompareMode, Comparison};

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
    let value = json!({
        "format": 1,
        "tool_version": env!("CARGO_PKG_VERSION"),
        "mode": match comparison.mode {
            CompareMode::Measured => "measured",
            CompareMode::Predicted => "predicted",
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
    let mut text = serde_json::to_string_pretty(&value).expect("keys are strings");
    text.push('\n');
    text
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
