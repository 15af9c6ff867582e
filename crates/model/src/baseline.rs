//! Baselines that a model must beat: predictions from a single figure, fitted to the training cases
//! only.

use wattline_units::assumptions::Assumptions;

use super::error::ModelError;
use super::weights::{Weighting, weights};
use crate::table::Table;

/// Function that predicts the energies in joules of cases, also of such that it was not fitted to.
pub(crate) type Predictor = Box<dyn Fn(&Table) -> Vec<f64>>;

/// Fits one cost for all operations: the weighted least-squares cost of the total count.
pub(crate) fn fit_flat(
    training: &Table,
    weighting: Weighting,
    assumed: &Assumptions,
) -> Result<Predictor, ModelError> {
    let weights = weights(training, weighting, assumed)?;
    let cost_j = fit_ratio(training, &weights, &total_executions(training));
    Ok(Box::new(move |cases| {
        total_executions(cases).into_iter().map(|total| total * cost_j).collect()
    }))
}

/// Returns a predictor of the mean energy of the training cases for every case.
pub(crate) fn fit_mean(training: &Table) -> Predictor {
    let sum: f64 = training.cases.iter().map(|case| case.energy_j).sum();
    let mean_j = sum / training.cases.len() as f64;
    Box::new(move |cases| vec![mean_j; cases.cases.len()])
}

/// Fits one power for all durations; `None` where a case has no duration.
pub(crate) fn fit_duration(
    training: &Table,
    weighting: Weighting,
    assumed: &Assumptions,
) -> Result<Option<Predictor>, ModelError> {
    let Some(durations) = durations(training) else { return Ok(None) };
    let power_w = fit_ratio(training, &weights(training, weighting, assumed)?, &durations);
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

/// Returns the executions of all operations, by case. Counts that were weighted by contexts contain
/// information of microbenchmarks that a flat cost must not use, so the unweighted executions are
/// taken.
fn total_executions(table: &Table) -> Vec<f64> {
    let total = |i: usize| table.row(i).iter().sum();
    let cases = table.cases.iter().enumerate();
    cases.map(|(i, case)| case.executions.unwrap_or_else(|| total(i))).collect()
}

/// Returns the factor between energies and `amounts` by weighted least squares; 0 where there is no
/// amount.
fn fit_ratio(training: &Table, weights: &[f64], amounts: &[f64]) -> f64 {
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
        let flat = fit_flat(&data, Weighting::Equal, &ASSUMED).unwrap()(&data);
        assert!((flat[0] - 70.0 / 13.0).abs() < 1e-12 && (flat[1] - 105.0 / 13.0).abs() < 1e-12);
        assert_eq!(fit_mean(&data)(&data), [6.5, 6.5]);
        assert!(
            fit_duration(&data, Weighting::Equal, &ASSUMED).unwrap().is_none()
                && !has_durations(&data)
        );
        data.cases.iter_mut().for_each(|case| case.duration_s = Some(1.0));
        let by_time = fit_duration(&data, Weighting::Equal, &ASSUMED).unwrap().unwrap()(&data);
        assert_eq!(by_time, [6.5, 6.5]);
    }
}
