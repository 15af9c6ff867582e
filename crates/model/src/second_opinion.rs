//! A second opinion on least squares: that of linfa-linear, which shares no code with the
//! solvers here, in the same rounds of cross-validation.

use linfa::Dataset;
use linfa::traits::Fit;
use linfa_linear::LinearRegression;
use ndarray::{Array1, Array2};

use super::baseline::Predictor;
use super::error::ModelError;
use super::folds::FoldOptions;
use super::options::FitOptions;
use super::validation::{CrossValidation, judge_without_baselines};
use super::weights::weights;
use crate::table::Table;

/// Name of the model in the rows.
pub const SECOND_OPINION: &str = "linfa-linear";

/// Judges weighted least squares without an intercept, by linfa-linear.
///
/// # Errors
/// More counted operations than cases in a round, or operations that always occur together:
/// linfa decomposes the counts themselves, which determine no costs then.
pub fn second_opinion(
    table: &Table,
    options: &FitOptions,
    folds: FoldOptions,
) -> Result<CrossValidation, ModelError> {
    judge_without_baselines(SECOND_OPINION, table, &options.assumed, folds, |training| {
        fit_predictor(training, options)
    })
}

/// Fits linfa's least squares to the training cases. Counts are scaled to at most 1 a column, and
/// columns without a count are left out.
fn fit_predictor(training: &Table, options: &FitOptions) -> Result<Predictor, ModelError> {
    let most: Vec<f64> = (0..training.features.len())
        .map(|j| training.cases.iter().enumerate().map(move |(i, _)| training.row(i)[j].abs()))
        .map(|column| column.fold(0.0, f64::max))
        .collect();
    let counted: Vec<usize> = (0..most.len()).filter(|j| most[*j] > 0.0).collect();
    let (m, l) = (training.cases.len(), counted.len());
    let undetermined = ModelError::Undetermined { cases: m, operations: l };
    if m < l {
        return Err(undetermined);
    }
    let weights = weights(training, options.weighting, &options.assumed)?;
    let scaled = |(i, k): (usize, usize)| training.row(i)[counted[k]] / most[counted[k]];
    let counts = Array2::from_shape_fn((m, l), |at| scaled(at) * weights[at.0].sqrt());
    let energies: Array1<f64> =
        (0..m).map(|i| training.cases[i].energy_j * weights[i].sqrt()).collect();
    let regression = LinearRegression::new().with_intercept(false);
    let fitted = regression.fit(&Dataset::new(counts, energies)).map_err(|_| undetermined)?;
    let mut costs = vec![0.0; most.len()];
    for (j, cost) in counted.into_iter().zip(fitted.params()) {
        costs[j] = cost / most[j];
    }
    let energy = move |row: &[f64]| row.iter().zip(&costs).map(|(n, cost)| n * cost).sum();
    Ok(Box::new(move |cases| (0..cases.cases.len()).map(|i| energy(cases.row(i))).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Solver;
    use crate::testing::table;
    use crate::validation::{CvSet, cross_validate};

    #[test]
    fn it_agrees_with_our_least_squares() {
        let counts = |i: u32| [f64::from(i), f64::from(i * i % 7), 0.0];
        let rows: Vec<[f64; 3]> = (1..=12).map(counts).collect();
        let energy = |(i, row): (usize, &[f64; 3])| 2.0 * row[0] + 0.5 * row[1] + (i % 3) as f64;
        let energies: Vec<f64> = rows.iter().enumerate().map(energy).collect();
        let table = table(&rows.iter().map(|row| &row[..]).collect::<Vec<_>>(), &energies);
        let options = FitOptions::new(Solver::Ls);
        let folds = FoldOptions::default();
        let theirs = second_opinion(&table, &options, folds).unwrap();
        let ours = cross_validate(&table, &options, folds, None).unwrap();
        for set in [CvSet::Training, CvSet::Validation] {
            let [theirs, ours] =
                [theirs.mean(SECOND_OPINION, set), ours.mean("ls", set)].map(Option::unwrap);
            assert!((theirs.nmae - ours.nmae).abs() < 1e-9, "{theirs:?} {ours:?}");
        }
    }

    #[test]
    fn what_cases_do_not_determine_is_said() {
        let table =
            table(&[&[1.0, 1.0, 0.0], &[2.0, 0.0, 1.0], &[3.0, 3.0, 1.0]], &[1.0, 2.0, 3.0]);
        let folds = FoldOptions { folds: 3, ..FoldOptions::default() };
        let said = second_opinion(&table, &FitOptions::new(Solver::Ls), folds).unwrap_err();
        assert!(said.to_string().contains("2 cases do not determine the costs of 3"), "{said}");
    }
}
