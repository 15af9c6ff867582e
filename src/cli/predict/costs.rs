//! Prediction of the cases of a data set by a model of costs.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::failure::Failure;
use crate::folder::read_artifact;
use crate::model::table::Table;
use crate::model::{EnergyPrognosis, Model, PredictedCase};

use super::case_prediction::CasePrediction;
use super::case_table::CaseTable;
use super::comparison::{CaseComparison, compared_pairs};
use super::{Arguments, Predictions};

/// Predicts the cases of a data set, each for its own board.
pub(super) fn predictions(arguments: &Arguments) -> Result<Predictions, Failure> {
    let model: Model = read_artifact(&arguments.model)?;
    let CaseTable { dataset, is_measured } = CaseTable::read(&arguments.dataset)?;
    let table = dataset.with_weighed_counts(&model.contexts)?.table;
    let models = models_by_board(&model, &table);
    let of = |case: usize| models[&table.cases[case].device].as_ref();
    let predicted: Vec<(PredictedCase<'_>, f64)> =
        (0..table.cases.len()).map(|case| predicted_case(of(case), &table, case)).collect();
    let cases = predicted.iter().enumerate();
    let cases = cases.map(|(at, found)| {
        let mut case = prediction(of(at), &table, at, found);
        case.measured = case.measured.filter(|_| is_measured[at]);
        case
    });
    let cases = cases.collect();
    let names: Vec<&str> = table.cases.iter().map(|case| case.name.as_str()).collect();
    let compare = |(one, two): (usize, usize)| CaseComparison {
        first: names[one].to_owned(),
        second: names[two].to_owned(),
        ..comparison(&predicted[one].0, &predicted[two].0, [of(one), of(two)])
    };
    let pairs = compared_pairs(&arguments.compare, &names)?;
    Ok(Predictions { cases, comparisons: pairs.into_iter().map(compare).collect() })
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

fn prediction(
    model: &Model,
    table: &Table,
    case: usize,
    (found, unknown): &(PredictedCase<'_>, f64),
) -> CasePrediction {
    let measured = &table.cases[case];
    CasePrediction {
        device: model.reference_device().map(str::to_owned),
        measured: Some(measured.energy_j),
        measured_se: measured.energy_se_j,
        prognosis: found.prognosis(),
        missing_reason: found.missing_reason().map(str::to_owned),
        unknown: *unknown,
        ..CasePrediction::new(measured.name.clone(), found.energy_j)
    }
}

/// Difference of two cases, whose names are still to be set. On two boards the errors that the
/// boards' factors have in common are unknown, and so are those of a difference.
fn comparison(
    one: &PredictedCase<'_>,
    two: &PredictedCase<'_>,
    [model, other]: [&Model; 2],
) -> CaseComparison {
    let is_one_board = model.reference_device() == other.reference_device();
    let prognosis = if is_one_board { one.difference(two) } else { EnergyPrognosis::default() };
    let is_missing = prognosis.expected.is_none() || prognosis.measurement.is_none();
    let reason = match is_one_board {
        true => one.missing_reason().or(two.missing_reason()),
        false => Some("the two cases are of different boards, whose factors' errors are not joint"),
    };
    CaseComparison {
        first: String::new(),
        second: String::new(),
        difference_j: one.energy_j - two.energy_j,
        prognosis,
        missing_reason: reason.filter(|_| is_missing).map(str::to_owned),
    }
}
