//! What a model must beat: predictions from next to nothing. Each learns from the
//! training cases only.

use wattline_units::assumptions::Assumptions;

use super::error::ModelError;
use super::weights::{Weighting, weights};
use crate::table::Table;

/// A baseline's predictions: energies in joules of cases that it may not have seen.
pub(crate) type Predict = Box<dyn Fn(&Table) -> Vec<f64>>;

/// One cost for all operations: the weighted least-squares cost of the total count.
pub(crate) fn flat(
    training: &Table,
    weighting: Weighting,
    assumed: &Assumptions,
) -> Result<Predict, ModelError> {
    let weights = weights(training, weighting, assumed)?;
    let cost_j = ratio(training, &weights, &totals(training));
    Ok(Box::new(move |cases| totals(cases).into_iter().map(|total| total * cost_j).collect()))
}

/// The mean energy of the training cases, whatever a case does.
pub(crate) fn mean(training: &Table) -> Predict {
    let sum: f64 = training.cases.iter().map(|case| case.energy_j).sum();
    let mean_j = sum / training.cases.len() as f64;
    Box::new(move |cases| vec![mean_j; cases.cases.len()])
}

/// One power for all times; `None` where a case has no duration.
pub(crate) fn duration(
    training: &Table,
    weighting: Weighting,
    assumed: &Assumptions,
) -> Result<Option<Predict>, ModelError> {
    let Some(durations) = durations(training) else { return Ok(None) };
    let power_w = ratio(training, &weights(training, weighting, assumed)?, &durations);
    let predict = move |cases: &Table| {
        let times = cases.cases.iter().map(|case| case.duration_s.unwrap_or(0.0));
        times.map(|duration| duration * power_w).collect()
    };
    Ok(Some(Box::new(predict)))
}

/// Whether every case has a duration.
pub(crate) fn has_durations(table: &Table) -> bool {
    durations(table).is_some()
}

fn durations(table: &Table) -> Option<Vec<f64>> {
    table.cases.iter().map(|case| case.duration_s).collect()
}

/// Executions of all operations. Counts that are weighed by what microbenchmarks tell of contexts
/// know more than a flat cost may: it gets the executions as they were.
fn totals(table: &Table) -> Vec<f64> {
    let total = |i: usize| table.row(i).iter().sum();
    let cases = table.cases.iter().enumerate();
    cases.map(|(i, case)| case.executions.unwrap_or_else(|| total(i))).collect()
}

/// The factor between energies and `amounts` by weighted least squares; 0 where there is
/// no amount.
fn ratio(training: &Table, weights: &[f64], amounts: &[f64]) -> f64 {
    let rows = || training.cases.iter().zip(weights).zip(amounts);
    let (above, below) = rows().fold((0.0, 0.0), |(above, below), ((case, w), a)| {
        (above + w * a * case.energy_j, below + w * a * a)
    });
    if below > 0.0 { above / below } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use wattline_units::assumptions::ASSUMED;

    use super::*;
    use crate::testing::table;

    /// Totals 2 and 3: c = (2*4 + 3*9) / (4 + 9) = 35/13.
    #[test]
    fn baselines_by_hand() {
        let mut data = table(&[&[1.0, 1.0], &[3.0, 0.0]], &[4.0, 9.0]);
        let flat = flat(&data, Weighting::Equal, &ASSUMED).unwrap()(&data);
        assert!((flat[0] - 70.0 / 13.0).abs() < 1e-12 && (flat[1] - 105.0 / 13.0).abs() < 1e-12);
        assert_eq!(mean(&data)(&data), [6.5, 6.5]);
        assert!(
            duration(&data, Weighting::Equal, &ASSUMED).unwrap().is_none() && !has_durations(&data)
        );
        data.cases.iter_mut().for_each(|case| case.duration_s = Some(1.0));
        let by_time = duration(&data, Weighting::Equal, &ASSUMED).unwrap().unwrap()(&data);
        assert_eq!(by_time, [6.5, 6.5]);
    }
}
