//! Predictions as figures for programs.

use serde_json::{Value, json};

use super::Predictions;
use super::case_prediction::{CasePrediction, DistributionSummary};
use super::comparison::CaseComparison;

/// The figures: energies in joules, probabilities from 0 to 1, null for what is unknown.
pub(super) fn figures(found: &Predictions) -> Value {
    let cases: Vec<Value> = found.cases.iter().map(case_value).collect();
    let comparisons: Vec<Value> = found.comparisons.iter().map(comparison_value).collect();
    json!({"cases": cases, "comparisons": comparisons})
}

fn case_value(row: &CasePrediction) -> Value {
    json!({
        "case": row.case,
        "device": row.device,
        "measured_j": row.measured,
        "measured_se_j": row.measured_se,
        "predicted_j": row.predicted,
        "unknown_share": row.unknown,
        "budget_j": row.budget_j,
        "expected": distribution_value(row.expected()),
        "new_measurement": distribution_value(row.measurement()),
        "missing_reason": row.missing_reason,
    })
}

fn comparison_value(row: &CaseComparison) -> Value {
    json!({
        "case": row.first,
        "other_case": row.second,
        "difference_j": row.difference_j,
        "expected": distribution_value(row.expected()),
        "new_measurements": distribution_value(row.measurement()),
        "missing_reason": row.missing_reason,
    })
}

/// `below`: of a case the probability of an energy below the budget, of a comparison that of a
/// difference below zero.
fn distribution_value(of: DistributionSummary) -> Value {
    json!({
        "sd_j": of.sd_j,
        "lo_j": of.lo_j(),
        "hi_j": of.hi_j(),
        "below": of.below_limit,
    })
}
