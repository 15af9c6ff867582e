//! Least squares with a penalty `strength * sum b^2` on scaled costs, which makes it
//! independent of units. The strength is chosen by inner cross-validation.

use faer::Side;

use super::super::design::Design;
use super::super::error::ModelError;
use super::super::gram::Gram;
use super::super::linear::{matrix_times_vector, run_decomposition};
use super::super::options::{FitOptions, Penalty};
use super::super::tuning::{score_strengths, strengths_by_decade};
use super::solution::{Solution, diagnostics};

/// Strength where there are too few cases to choose one.
const STRENGTH_UNTUNED: f64 = 1e-3;

pub(super) fn solve(design: &Design, options: &FitOptions) -> Result<Solution, ModelError> {
    let strength = match options.penalty {
        Penalty::Fixed(strength) => strength,
        Penalty::CrossValidated | Penalty::AsStated => {
            score_strengths(design, options.inner_folds, strengths_by_decade(2, -8, 2), path)?
                .map_or(STRENGTH_UNTUNED, |scores| scores.best())
        }
    };
    let gram = design.gram();
    let b = path(&gram, &[strength])?.pop().expect("one strength gives one fit");
    let parameters = effective_parameters(&gram, strength)?;
    let diagnostics = diagnostics([("penalty", strength), ("effective_parameters", parameters)]);
    Ok(Solution {
        b,
        covariance: None,
        intervals: None,
        draws: Vec::new(),
        of_microbenchmarks: None,
        stacked: None,
        parameters,
        diagnostics,
    })
}

/// Fits at every strength from one eigendecomposition of `X'X = U d U'`.
fn path(gram: &Gram, strengths: &[f64]) -> Result<Vec<Vec<f64>>, ModelError> {
    let eigen = run_decomposition(PRODUCTS, || gram.xx.self_adjoint_eigen(Side::Lower))?;
    let eigen = eigen.map_err(|_| failed())?;
    let along = matrix_times_vector(eigen.U().transpose(), &gram.xy);
    let values = eigen.S().column_vector();
    let fit = |strength: &f64| {
        let shrunk: Vec<f64> = along
            .iter()
            .zip(values.iter())
            .map(|(along, value)| along / (value.max(0.0) + strength))
            .collect();
        matrix_times_vector(eigen.U(), &shrunk)
    };
    Ok(strengths.iter().map(fit).collect())
}

/// Returns the trace of the matrix that maps energies to fitted energies.
fn effective_parameters(gram: &Gram, strength: f64) -> Result<f64, ModelError> {
    let values = run_decomposition(PRODUCTS, || gram.xx.self_adjoint_eigenvalues(Side::Lower))?;
    let values = values.map_err(|_| failed())?;
    Ok(values.iter().map(|d| d.max(0.0) / (d.max(0.0) + strength)).sum())
}

const PRODUCTS: &str = "the cross products of the counts";

fn failed() -> ModelError {
    ModelError::Decomposition { what: PRODUCTS }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, table};
    use crate::{Solver, Weighting, fit};

    /// Columns of length 1: b = x'y / (1 + 1), half of the least-squares cost 3.
    #[test]
    fn a_penalty_of_one_halves_the_cost_of_a_single_operation() {
        let data = table(&[&[1.0], &[2.0]], &[3.0, 6.0]);
        let options = FitOptions {
            penalty: Penalty::Fixed(1.0),
            weighting: Weighting::Equal,
            ..FitOptions::new(Solver::Ridge)
        };
        let model = fit(&data, &options).unwrap();
        assert_close(&[model.costs[0].cost_j], &[1.5], 1e-12);
        assert!((model.diagnostics["effective_parameters"] - 0.5).abs() < 1e-12);
    }

    #[test]
    fn units_make_no_difference() {
        let rows: [&[f64]; 5] = [&[1.0, 2.0], &[2.0, 1.0], &[3.0, 5.0], &[1.0, 4.0], &[6.0, 2.0]];
        let energies = [4.1, 5.2, 10.9, 6.0, 14.0];
        let in_joules = fit(&table(&rows, &energies), &FitOptions::new(Solver::Ridge)).unwrap();
        let data = table(&rows, &energies.map(|e| e * 1e-9));
        let in_nanojoules = fit(&data, &FitOptions::new(Solver::Ridge)).unwrap();
        for (a, b) in in_joules.costs.iter().zip(&in_nanojoules.costs) {
            assert_close(&[a.cost_j * 1e-9], &[b.cost_j], 1e-9);
        }
    }
}
