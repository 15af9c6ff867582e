//! Figures of reports and hints as values that serialize, for programs. An energy has its unit in
//! its name and, with `lo` and `hi`, the ends of its 95 % interval; what is unknown is null.

use serde_json::{Value, json};

use super::data::ReportData;
use super::table_rows::table_rows;
use crate::account::evaluate::LevelEvaluation;
use crate::account::{Accounts, table};
use crate::hint::{AppliedHints, EnergyAmount, FoundHints, Hint, JointSaving, MeasuredSaving};
use crate::model::{self, CvRow, CvSet};

/// Figures of a report: those of its summary, with all operations and methods.
pub(crate) fn report_figures(data: &ReportData<'_>) -> Value {
    let board = data.board;
    json!({
        "scenario": data.scenario,
        "board": board.name,
        "basis": board.basis.name(),
        "simulated_model": board.simulated_model,
        "meter": board.meter,
        "frequency": board.frequency,
        "cases": data.campaign.cases,
        "power_runs": data.campaign.power_runs,
        "idle_runs": data.campaign.idle_runs,
        "traced_runs": data.campaign.traced_runs,
        "failed_runs": data.campaign.failed_runs,
        "microbenchmarks": data.campaign.microbenchmarks,
        "solver": data.model.solver,
        "validation": validation_figures(data.cv),
        "ground_truth": data.evaluation.map(|of| of.levels.iter().map(level).collect::<Vec<_>>()),
        "unseen_inputs_nmae_share": data.unseen.map(|inputs| inputs.nmae()),
        "accounts": account_figures(data.accounts),
        "hints": data.hints.iter().map(hint_figures).collect::<Vec<Value>>(),
        "no_hints_reason": reason(data.no_hints).filter(|_| data.hints.is_empty()),
        "notes": data.notes,
    })
}

/// Figures of accounts: the rows of their tables, by the tables' names, and of the ledger.
pub fn account_figures(accounts: &Accounts) -> Value {
    let mut figures = json!({"ledger": table_rows(&table::ledger_csv(accounts))});
    for of in table::tables(accounts) {
        let name = of.name.trim_end_matches(".csv").replace('-', "_");
        figures[name] = Value::Array(table_rows(&of.text));
    }
    figures
}

/// Figures of a list of hints, of which the first `limit` are listed.
pub fn hint_list_figures(found: &FoundHints, limit: usize) -> Value {
    let listed = found.hints.iter().take(limit).map(hint_figures);
    let withheld = found.withheld();
    let withheld = withheld.iter().map(|of| {
        json!({"pattern": of.pattern, "places": of.places, "measured_places": of.measured,
               "reason": of.to_string()})
    });
    json!({
        "found": found.hints.len(),
        "hints": listed.collect::<Vec<Value>>(),
        "no_hints_reason": reason(&found.why_none()).filter(|_| found.hints.is_empty()),
        "together": found.joint.as_ref().map(joint_figures),
        "withheld": withheld.collect::<Vec<Value>>(),
    })
}

/// Figures of hints that were applied to a copy of the sources.
pub fn applied_figures(applied: &AppliedHints<'_>) -> Value {
    let all = |hints: &[&Hint]| hints.iter().map(|hint| hint_figures(hint)).collect::<Vec<_>>();
    json!({"applied": all(&applied.done), "left_out": all(&applied.alternatives)})
}

/// A hint: its code location, rewrite and savings.
fn hint_figures(hint: &Hint) -> Value {
    let mut figures = json!({
        "pattern": hint.pattern,
        "file": hint.file,
        "start_line": hint.start_line,
        "end_line": hint.end_line,
        "block": hint.block_name,
        "finding": hint.sentence,
        "advice": hint.advice,
        "rewrite": hint.rewrite,
        "diff": hint.diff,
        "condition": hint.condition,
        "confidence": hint.confidence.name(),
        "automatic_fix": hint.automatic_fix.is_some(),
        "measured_pairs": hint.measured.map(|of| of.pairs),
    });
    set_amount(&mut figures, "predicted_saving", hint.predicted());
    set_amount(&mut figures, "measured_saving", hint.measured.as_ref().map(|of| &of.saving));
    set_amount(&mut figures, "largest_possible_saving", Some(&hint.bound));
    figures
}

/// Measured saving of all verified rewrites together.
fn joint_figures(joint: &JointSaving) -> Value {
    let mut figures = json!({
        "applied": joint.applied,
        "overlapping": joint.overlapping,
        "measured_pairs": joint.together.pairs,
    });
    let saving = |of: &Option<MeasuredSaving>| of.map(|of| of.saving);
    set_amount(&mut figures, "measured_saving", Some(&joint.together.saving));
    set_amount(&mut figures, "sum_of_single_savings", saving(&joint.sum).as_ref());
    set_amount(&mut figures, "difference_to_sum", saving(&joint.difference).as_ref());
    figures
}

/// Sets an amount's energy in joules and its share of the scenario's energy above idle, each with
/// the ends of its interval; null where it is unknown.
fn set_amount(figures: &mut Value, name: &str, amount: Option<&EnergyAmount>) {
    let interval = amount.and_then(|amount| amount.interval);
    let shares = amount.and_then(EnergyAmount::share_interval);
    for (end, value) in [
        ("j", amount.map(|amount| amount.energy.0)),
        ("lo_j", interval.map(|interval| interval.lo.0)),
        ("hi_j", interval.map(|interval| interval.hi.0)),
        ("share", amount.and_then(|amount| amount.share)),
        ("lo_share", shares.map(|(lo, _)| lo)),
        ("hi_share", shares.map(|(_, hi)| hi)),
    ] {
        figures[format!("{name}_{end}")] = json!(value);
    }
}

/// Mean errors of held-out cases over the rounds, of the solver and then of the baselines.
pub fn validation_figures(rows: &[CvRow]) -> Vec<Value> {
    let of = |name: &str| {
        let mean = model::cv_mean(rows, name, CvSet::Validation)?;
        Some(json!({"model": name, "nmae_share": mean.nmae, "r": mean.r}))
    };
    super::view::fit::models(rows).into_iter().filter_map(of).collect()
}

/// Errors of a level against the ground truth.
fn level(of: &LevelEvaluation) -> Value {
    json!({
        "level": of.level.to_string(),
        "entries": of.entries,
        "median_error_share": of.median_error,
        "p90_error_share": of.p90_error,
        "coverage_share": of.coverage,
    })
}

/// A reason; `None` where there is none.
fn reason(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn figures_are_those_of_the_accounts_and_hints() {
        let report = sample::report();
        let data = report.data();
        let figures = report_figures(&data);
        let methods = figures["accounts"]["methods"].as_array().unwrap();
        let first = &data.accounts.methods[0];
        let energy = methods[0]["energy_j"].as_f64().unwrap();
        assert!((energy - first.joules().0).abs() < 1e-12, "{energy}");
        assert_eq!(methods[0]["method"], first.key.method);
        let hints = figures["hints"].as_array().unwrap();
        assert_eq!(hints.len(), data.hints.len());
        let saving = data.hints[0].predicted().map(|of| of.energy.0);
        assert_eq!(hints[0]["predicted_saving_j"].as_f64(), saving);
    }

    #[test]
    fn a_hostile_and_an_empty_report_have_figures() {
        for sample in [sample::hostile(), sample::empty()] {
            let figures = report_figures(&sample.data());
            assert!(figures["accounts"]["ledger"].is_array(), "{figures}");
        }
    }
}
