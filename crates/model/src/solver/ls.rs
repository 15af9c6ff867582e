//! Least squares by singular value decomposition: the reference for all others. Where
//! the cases leave a choice, the solution of minimum norm (in columns of length 1).

use faer::Mat;

use super::super::design::Design;
use super::super::error::ModelError;
use super::super::linear::{Spectrum, dot, matrix_times_vector};
use super::super::options::FitOptions;
use super::solution::{Covariance, Solution, SolvedScope, diagnostics};

pub(super) fn solve(design: &Design, options: &FitOptions) -> Result<Solution, ModelError> {
    let spectrum = Spectrum::of(design.x.as_ref(), options.rank_tolerance)?;
    let along: Vec<f64> = matrix_times_vector(spectrum.u.transpose(), &design.y)
        .iter()
        .zip(&spectrum.s)
        .map(|(uy, s)| uy / s)
        .collect();
    let b = matrix_times_vector(spectrum.v.as_ref(), &along);
    let fitted = matrix_times_vector(design.x.as_ref(), &b);
    let residuals: Vec<f64> = design.y.iter().zip(&fitted).map(|(y, f)| y - f).collect();
    let spare = design.rows().saturating_sub(spectrum.rank());
    // Without spare cases the residuals are zero and tell nothing about the noise.
    let covariance = (spare > 0).then(|| {
        let variance = dot(&residuals, &residuals) / spare as f64;
        Covariance { of_b: covariance(&spectrum, variance), scope: SolvedScope::Estimable }
    });
    let parameters = spectrum.rank() as f64;
    Ok(Solution {
        b,
        covariance,
        intervals: None,
        draws: Vec::new(),
        of_microbenchmarks: None,
        stacked: None,
        parameters,
        diagnostics: diagnostics([]),
    })
}

/// Returns the covariance `variance V S^-2 V'` of the scaled costs.
fn covariance(spectrum: &Spectrum, variance: f64) -> Mat<f64> {
    let v = &spectrum.v;
    let root = Mat::from_fn(v.nrows(), v.ncols(), |i, k| v[(i, k)] / spectrum.s[k]);
    &root * root.transpose() * faer::Scale(variance)
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_close, table};
    use crate::{FitOptions, Solver, fit};

    /// One predictor: c = sum n e / sum n^2 = (1*2 + 2*5) / 5 = 2.4; residuals -0.4 and
    /// 0.2, s^2 = 0.2 / 1, se = sqrt(0.2 / 5) = 0.2; one spare case, so the 95 % half width is
    /// 12.706 * 0.2 = 2.5412.
    #[test]
    fn a_line_through_the_origin() {
        let data = table(&[&[1.0], &[2.0]], &[2.0, 5.0]);
        let model = fit(&data, &FitOptions::new(Solver::Ls)).unwrap();
        let cost = &model.costs[0];
        assert_close(&[cost.cost_j, cost.se_j.unwrap()], &[2.4, 0.2], 1e-12);
        assert!((cost.hi_j.unwrap() - 4.9412).abs() < 1e-3);
        assert!((model.residual_sd_j.unwrap() - 0.2f64.sqrt()).abs() < 1e-12);
        assert!(cost.estimable && model.rank == 1);
    }

    /// Columns 0 and 1 are equal, so the minimum norm halves their sum 4 into 2 and 2;
    /// column 2 is determined.
    #[test]
    fn what_cannot_be_told_apart_is_shared_and_has_no_error() {
        let rows: [&[f64]; 4] =
            [&[1.0, 1.0, 0.0], &[2.0, 2.0, 1.0], &[0.0, 0.0, 2.0], &[1.0, 1.0, 1.0]];
        let data = table(&rows, &[4.0, 11.0, 6.0, 7.0]);
        let model = fit(&data, &FitOptions::new(Solver::Ls)).unwrap();
        let costs: Vec<f64> = model.costs.iter().map(|c| c.cost_j).collect();
        assert_close(&costs, &[2.0, 2.0, 3.0], 1e-12);
        assert_eq!(model.rank, 2);
        let known: Vec<bool> = model.costs.iter().map(|c| c.se_j.is_some()).collect();
        assert_eq!(known, [false, false, true]);
    }
}
