//! Prediction of the cases of a data set by a model of costs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::failure::Failure;
use crate::folder::Artifact;
use crate::model::table::Table;
use crate::model::{EnergyPrognosis, Model, PredictedCase};

use super::case_prediction::CasePrediction;
use super::case_table::CaseTable;
use super::comparison::{CaseComparison, compared_pairs};
use super::{Arguments, Predictions};

/// Reason why a difference between two boards has no distribution.
const BOARDS_DIFFER: &str =
    "the two cases are of different boards, whose factors' errors are not joint";

/// Predicts the cases of a data set by the text of a model, each for its own board.
pub(super) fn predictions(arguments: &Arguments, model: &str) -> Result<Predictions, Failure> {
    let model = Model::parse(model).map_err(|error| Failure::input(&arguments.model, error))?;
    let CaseTable { dataset, is_measured } = CaseTable::read(&arguments.dataset)?;
    let table = dataset.with_weighed_counts(&model.contexts)?.table;
    let models = models_by_board(&model, &table);
    let of = |case: usize| models[&table.cases[case].device].as_ref();
    let predicted: Vec<(PredictedCase<'_>, f64)> =
        (0..table.cases.len()).map(|case| predicted_case(of(case), &table, case)).collect();
    let cases = predicted.iter().enumerate().map(|(at, found)| {
        let measured = is_measured[at].then_some(&table.cases[at]);
        CasePrediction {
            measured: measured.map(|case| case.energy_j),
            measured_se: measured.and_then(|case| case.energy_se_j),
            ..prediction(of(at), &table.cases[at].name, found)
        }
    });
    let cases: Vec<CasePrediction> = cases.collect();
    let names: Vec<&str> = table.cases.iter().map(|case| case.name.as_str()).collect();
    let compare = |(one, two): (usize, usize)| {
        let found = |at: usize| (&cases[at], &predicted[at].0);
        comparison(found(one), found(two))
    };
    let pairs = compared_pairs(&arguments.compare, &names)?;
    let comparisons = pairs.into_iter().map(compare).collect();
    Ok(Predictions { cases, comparisons })
}

/// Model of each case's board by name, where the model knows several boards.
fn models_by_board<'m>(model: &'m Model, table: &Table) -> BTreeMap<String, Cow<'m, Model>> {
    let cases = table.cases.iter().map(|case| case.device.clone()).collect::<BTreeSet<_>>();
    let own = |device: &String| match model.on_device(device) {
        Some(own) => Cow::Owned(own),
        None => Cow::Borrowed(model),
    };
    cases.into_iter().map(|device| (device.clone(), own(&device))).collect()
}

/// Predicts a case; returns it with the share of its executions without a cost.
fn predicted_case<'m>(model: &'m Model, table: &Table, case: usize) -> (PredictedCase<'m>, f64) {
    let index = model.index();
    let (mut counts, mut unknown, mut all) = (Vec::new(), 0.0, 0.0);
    for (feature, count) in table.features.iter().zip(table.row(case)) {
        all += count;
        match index.of(feature) {
            Some(column) => counts.push((column, *count)),
            None => unknown += count,
        }
    }
    let found = model.predicted_case(&counts, table.cases[case].duration_s);
    (found, if all > 0.0 { unknown / all } else { 0.0 })
}

/// Prediction of a case by the model of its board, without its measured energy.
fn prediction(
    model: &Model,
    name: &str,
    (found, unknown): &(PredictedCase<'_>, f64),
) -> CasePrediction {
    let prognosis = found.prognosis();
    CasePrediction {
        device: model.reference_device().map(str::to_owned),
        missing_reason: found.missing_reason(&prognosis).map(str::to_owned),
        prognosis,
        unknown: *unknown,
        ..CasePrediction::new(name.to_owned(), found.energy_j)
    }
}

/// Difference of two cases. On two boards the errors that the boards' factors have in common are
/// unknown, and so are those of a difference.
fn comparison(
    (first, one): (&CasePrediction, &PredictedCase<'_>),
    (second, two): (&CasePrediction, &PredictedCase<'_>),
) -> CaseComparison {
    let is_one_board = first.device == second.device;
    let prognosis = if is_one_board { one.difference(two) } else { EnergyPrognosis::default() };
    let is_missing = prognosis.expected.is_none() || prognosis.measurement.is_none();
    let reason = match is_one_board {
        true => first.missing_reason.as_ref().or(second.missing_reason.as_ref()).cloned(),
        false => Some(BOARDS_DIFFER.to_owned()),
    };
    CaseComparison {
        first: first.case.clone(),
        second: second.case.clone(),
        difference_j: one.energy_j - two.energy_j,
        prognosis,
        missing_reason: reason.filter(|_| is_missing),
    }
}
