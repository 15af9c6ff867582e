//! Predictions as tables for the terminal.

use std::collections::BTreeSet;

use crate::format::visible_name;

use super::Predictions;
use super::case_prediction::{CasePrediction, DistributionSummary};
use super::comparison::CaseComparison;

/// Tables of predictions, of their distributions and of comparisons, and why figures are absent.
pub(super) fn screen(found: &Predictions) -> String {
    let mut text = predicted_table(&found.cases);
    text += &distribution_table(&found.cases);
    text += &comparison_table(&found.comparisons);
    let of_cases = found.cases.iter().map(|row| row.missing_reason.as_deref());
    let of_pairs = found.comparisons.iter().map(|row| row.missing_reason.as_deref());
    let reasons: BTreeSet<&str> = of_cases.chain(of_pairs).flatten().collect();
    for reason in reasons {
        text += &format!("none: {reason}\n");
    }
    text.trim_end().to_owned()
}

fn predicted_table(rows: &[CasePrediction]) -> String {
    let mut text =
        format!("{:<28} {:>22} {:>32} {:>8}\n", "case", "measured", "predicted (95 %)", "off");
    for row in rows {
        let se = row.measured_se.map_or(String::new(), |se| format!(" +- {se:.2e}"));
        let interval = match row.expected().interval_j {
            Some((lo, hi)) => format!(" ({} to {})", joules_text(lo), joules_text(hi)),
            None => " (no interval)".to_owned(),
        };
        let off = row.error_percent().map_or("none".to_owned(), |off| format!("{off:+.1} %"));
        text += &format!(
            "{:<28} {:>22} {:>32} {off:>8}\n",
            case_name(row),
            row.measured
                .map_or("none".to_owned(), |energy| format!("{}{se} J", joules_text(energy))),
            format!("{}{interval} J", joules_text(row.predicted)),
        );
    }
    text
}

fn case_name(row: &CasePrediction) -> String {
    match &row.device {
        Some(device) => visible_name(&format!("{} on {device}", row.case)),
        None => visible_name(&row.case),
    }
}

/// Distributions of each case; empty if none is known.
fn distribution_table(rows: &[CasePrediction]) -> String {
    let is_known = |row: &CasePrediction| {
        row.prognosis.expected.is_some() || row.prognosis.measurement.is_some()
    };
    if !rows.iter().any(is_known) {
        return String::new();
    }
    let has_budget = rows.iter().any(|row| row.budget_j.is_some());
    let mut text =
        format!("\n{:<28} {:>14} {:>42}", "case", "sd of the mean", "a new measurement (95 %; sd)");
    if has_budget {
        text += &format!(" {:>14} {:>12} {:>16}", "budget", "P(mean < it)", "P(new one < it)");
    }
    text.push('\n');
    for row in rows {
        let (expected, new) = (row.expected(), row.measurement());
        text += &format!(
            "{:<28} {:>14} {:>42}",
            case_name(row),
            expected.sd_j.map_or("none".to_owned(), |sd| format!("{} J", joules_text(sd))),
            interval_text(new),
        );
        if has_budget {
            let budget = row.budget_j.map(|budget| format!("{} J", joules_text(budget)));
            text += &format!(
                " {:>14} {:>12} {:>16}",
                budget.unwrap_or_else(|| "none".to_owned()),
                probability_text(expected.below_limit),
                probability_text(new.below_limit),
            );
        }
        text.push('\n');
    }
    text
}

fn comparison_table(rows: &[CaseComparison]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for row in rows {
        let (expected, new) = (row.expected(), row.measurement());
        let (first, second) = (visible_name(&row.first), visible_name(&row.second));
        text += &format!(
            "\n{first} less {second}: {} J\n  expected energies: {}, P({first} < {second}) = {}\n  \
             new measurements: {}, P({first} < {second}) = {}\n",
            joules_text(row.difference_j),
            interval_text(expected),
            probability_text(expected.below_limit),
            interval_text(new),
            probability_text(new.below_limit),
        );
    }
    text
}

fn interval_text(of: DistributionSummary) -> String {
    match (of.interval_j, of.sd_j) {
        (Some((lo, hi)), Some(sd)) => {
            format!("{} to {} J; {} J", joules_text(lo), joules_text(hi), joules_text(sd))
        }
        _ => "none".to_owned(),
    }
}

/// A probability in percent. It is itself an estimate, so that it is never shown as certain.
fn probability_text(probability: Option<f64>) -> String {
    match probability {
        None => "none".to_owned(),
        Some(p) if p < 0.001 => "below 0.1 %".to_owned(),
        Some(p) if p > 0.999 => "above 99.9 %".to_owned(),
        Some(p) => format!("{:.1} %", 100.0 * p),
    }
}

/// Joules with significant digits, also of single operations.
fn joules_text(joules: f64) -> String {
    match joules.abs() {
        size if size == 0.0 || (1e-2..1e9).contains(&size) => format!("{joules:.4}"),
        _ => format!("{joules:.6e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{EnergyPrognosis, PredictiveDistribution};

    #[test]
    fn what_is_unknown_is_none_with_its_reason() {
        let distribution =
            PredictiveDistribution::Student { mean_j: 2.0, sd_j: 0.1, degrees_of_freedom: None };
        let known = CasePrediction {
            prognosis: EnergyPrognosis {
                expected: Some(distribution.clone()),
                measurement: Some(distribution.with_noise(0.2, None)),
            },
            budget_j: Some(2.1),
            ..CasePrediction::new("known".into(), 2.0)
        };
        let unknown = CasePrediction {
            missing_reason: Some("no errors".into()),
            ..CasePrediction::new("unknown".into(), 1.0)
        };
        let text = screen(&Predictions { cases: vec![known, unknown], comparisons: Vec::new() });
        for part in ["84.1 %", "67.3 %", "1.5617 to 2.4383 J; 0.2236 J", "none: no errors"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("0.0 %"), "{text}");
    }

    #[test]
    fn no_probability_is_shown_as_certain() {
        let shown = [None, Some(0.0), Some(0.25), Some(1.0)].map(probability_text);
        assert_eq!(shown, ["none", "below 0.1 %", "25.0 %", "above 99.9 %"]);
    }
}
