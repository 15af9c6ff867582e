//! Least squares with a penalty on sizes and squares of scaled costs,
//! `strength * (mix sum |b| + (1 - mix)/2 sum b^2)` beside half the squared error, by
//! coordinate descent on the cross products (Friedman, Hastie & Tibshirani 2010).

use super::super::design::Design;
use super::super::error::ModelError;
use super::super::gram::Gram;
use super::super::options::{FitOptions, Penalty};
use super::super::tuning::{score_strengths, strengths_by_decade};
use super::solution::{Solution, diagnostics};

/// A sweep ends the descent if no cost's change alters fitted energies by more than this
/// part of their length (the root of glmnet's rule, ten times as strict).
const CHANGE_TOLERANCE: f64 = 3e-5;

/// Sweeps after which not having ended is an error.
const SWEEPS_MAX: usize = 20_000;

/// Strength, relative to the one that makes all costs zero, where there are too few
/// cases to choose one.
const STRENGTH_UNTUNED: f64 = 1e-3;

pub(super) fn solve(design: &Design, options: &FitOptions) -> Result<Solution, ModelError> {
    let gram = design.gram();
    let mix = options.elastic_net_mix;
    // From this strength on all costs are zero.
    let strongest = gram.xy.iter().fold(0.0f64, |size, xy| size.max(xy.abs())) / mix;
    let strength = match options.penalty {
        Penalty::Fixed(strength) => strength,
        Penalty::CrossValidated | Penalty::AsStated => {
            let grid: Vec<f64> =
                strengths_by_decade(0, -4, 5).iter().map(|part| part * strongest).collect();
            score_strengths(design, options.inner_folds, grid, |gram, grid| path(gram, grid, mix))?
                .map_or(STRENGTH_UNTUNED * strongest, |scores| scores.best())
        }
    };
    let b = path(&gram, &[strength], mix)?.pop().expect("one strength gives one fit");
    let parameters = b.iter().filter(|b| **b != 0.0).count() as f64;
    let diagnostics =
        diagnostics([("penalty", strength), ("mix", mix), ("nonzero_costs", parameters)]);
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

/// Fits at every strength, each from the one before.
fn path(gram: &Gram, strengths: &[f64], mix: f64) -> Result<Vec<Vec<f64>>, ModelError> {
    let mut b = vec![0.0; gram.xy.len()];
    strengths
        .iter()
        .map(|strength| {
            b = descend(gram, std::mem::take(&mut b), *strength, mix)?;
            Ok(b.clone())
        })
        .collect()
}

/// Minimises over one cost after the other until nothing changes.
fn descend(gram: &Gram, mut b: Vec<f64>, strength: f64, mix: f64) -> Result<Vec<f64>, ModelError> {
    let l = b.len();
    // X'y - X'X b, kept up to date.
    let mut slope: Vec<f64> =
        (0..l).map(|j| gram.xy[j] - (0..l).map(|k| gram.xx[(k, j)] * b[k]).sum::<f64>()).collect();
    let allowed = CHANGE_TOLERANCE * gram.yy.max(0.0).sqrt();
    let mut change = f64::INFINITY;
    for _ in 0..SWEEPS_MAX {
        change = 0.0;
        for j in 0..l {
            let own = gram.xx[(j, j)];
            let curvature = own + strength * (1.0 - mix);
            if own <= 0.0 || curvature <= 0.0 {
                continue;
            }
            let new = soft_threshold(slope[j] + own * b[j], strength * mix) / curvature;
            let step = new - b[j];
            if step != 0.0 {
                slope.iter_mut().zip(gram.xx.col(j).iter()).for_each(|(s, xx)| *s -= xx * step);
                b[j] = new;
            }
            change = f64::max(change, step.abs() * own.sqrt());
        }
        if change <= allowed {
            return Ok(b);
        }
    }
    Err(ModelError::NoConvergence {
        solver: "elastic-net",
        iterations: SWEEPS_MAX,
        measure: "the largest change of a sweep",
        reached: change,
        allowed,
        remedy: "the penalty is too weak for collinear counts: give a stronger one, or use ridge",
    })
}

/// Returns `value` moved towards zero by `by`, at most to zero.
fn soft_threshold(value: f64, by: f64) -> f64 {
    value.signum() * (value.abs() - by).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, table};
    use crate::{Solver, Weighting, fit};

    /// Two orthogonal columns of length 1 with x'y = (0.8, 0.6) sqrt(2) (energies are
    /// scaled to a mean square of 1): b = (x'y - 0.2 * 0.5) / (1 + 0.2 * 0.5).
    #[test]
    fn orthogonal_operations_are_shrunk_one_by_one() {
        let data = table(&[&[1.0, 0.0], &[0.0, 1.0]], &[8.0, 6.0]);
        let options = FitOptions {
            penalty: Penalty::Fixed(0.2),
            weighting: Weighting::Equal,
            ..FitOptions::new(Solver::ElasticNet)
        };
        let model = fit(&data, &options).unwrap();
        let root = 2f64.sqrt();
        let cost = |xy: f64| (xy * root - 0.1) / 1.1 * 10.0 / root;
        let found = [model.costs[0].cost_j, model.costs[1].cost_j];
        assert_close(&found, &[cost(0.8), cost(0.6)], 1e-9);
    }

    #[test]
    fn a_strong_penalty_leaves_nothing() {
        let data = table(&[&[1.0, 0.5], &[0.0, 1.0]], &[8.0, 6.0]);
        let penalty = Penalty::Fixed(10.0);
        let options = FitOptions { penalty, ..FitOptions::new(Solver::ElasticNet) };
        let model = fit(&data, &options).unwrap();
        assert!(model.costs.iter().all(|cost| cost.cost_j == 0.0));
    }
}
