//! Gradient descent on Li & Gallagher's `J = 1/(2m) sum (n_i cost - e_i)^2`, their Eq. (4).
//!
//! The gradient is `1/m sum (n_i cost - e_i) n_ij`; the second line of their Eq. (5)
//! lacks `- e_i`, and as printed would converge to zero. J is convex, so restarts end
//! at the same J; the start is zero, from which what the cases can't determine ends at
//! the least-squares solution of minimum norm. Columns are scaled to length 1 inside.

use faer::{Mat, Side};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::StandardNormal;

use super::super::design::Design;
use super::super::error::ModelError;
use super::super::gram::Gram;
use super::super::linear::{dot, matrix_times_vector, run_decomposition};
use super::super::options::{FitOptions, GdOptions, LearningRate};
use super::solution::{Solution, diagnostics};

pub(super) fn solve(design: &Design, options: &FitOptions) -> Result<Solution, ModelError> {
    let gram = design.gram();
    let slope = GradientAlongAxes::of(&gram)?;
    let steepest = slope.curvatures.iter().fold(0.0f64, |largest, c| largest.max(*c));
    let (rate, momentum) = match options.gd.rate {
        LearningRate::Automatic => (1.0 / steepest, true),
        LearningRate::Given(rate) if rate > 0.0 && rate < 2.0 / steepest => (rate, false),
        LearningRate::Given(rate) => {
            let value = format!("{rate} (here the descent diverges from {:.3e})", 2.0 / steepest);
            let expected = "above 0 and below 2/L, or automatic";
            return Err(ModelError::BadOption { option: "the learning rate", value, expected });
        }
    };
    let descent = |start| descend(&slope, start, rate, momentum, options.gd);
    let (along, steps) = descent(vec![0.0; design.columns()])?;
    let b = matrix_times_vector(slope.axes.as_ref(), &along);
    let objective = gram.squared_error(&b) / (2.0 * gram.rows as f64);
    let mut diagnostics = diagnostics([("steps", steps as f64), ("objective_relative", objective)]);
    let mut random = ChaCha8Rng::seed_from_u64(options.inner_folds.seed);
    let (mut higher, mut apart) = (0.0f64, 0.0f64);
    for _ in 0..options.gd.restarts {
        let size = vector_length(&along) / (along.len() as f64).sqrt();
        let start = along.iter().map(|a| a + size * random.sample::<f64, _>(StandardNormal));
        let (other, _) = descent(start.collect())?;
        let other = matrix_times_vector(slope.axes.as_ref(), &other);
        let reached = gram.squared_error(&other) / (2.0 * gram.rows as f64);
        higher = higher.max((reached - objective).abs());
        let largest = b.iter().zip(&other).map(|(b, other)| (b - other).abs());
        apart = largest.fold(apart, f64::max);
    }
    if options.gd.restarts > 0 {
        diagnostics.insert("restarts".to_owned(), options.gd.restarts as f64);
        diagnostics.insert("restarts_objective_apart".to_owned(), higher);
        diagnostics.insert("restarts_costs_apart".to_owned(), apart);
    }
    let parameters = design.columns().min(design.rows()) as f64;
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

/// Gradient of J along the axes of its Hessian `X'X/m`, where each element depends on one
/// coordinate only. Descent takes the same way in any rotated coordinates, so this changes nothing
/// but the time of a step: l instead of l^2 products.
struct GradientAlongAxes {
    /// Eigenvectors of the Hessian, l x l.
    axes: Mat<f64>,
    /// Eigenvalues, not negative.
    curvatures: Vec<f64>,
    /// `X'y/m` along the axes: minus the gradient at zero.
    pull: Vec<f64>,
}

impl GradientAlongAxes {
    fn of(gram: &Gram) -> Result<Self, ModelError> {
        let what = "the Hessian of J";
        let failed = |_| ModelError::Decomposition { what };
        let eigen =
            run_decomposition(what, || gram.xx.self_adjoint_eigen(Side::Lower))?.map_err(failed)?;
        let m = gram.rows as f64;
        let curvatures = eigen.S().column_vector().iter().map(|d| d.max(0.0) / m).collect();
        let pull = matrix_times_vector(eigen.U().transpose(), &gram.xy)
            .iter()
            .map(|pull| pull / m)
            .collect();
        Ok(Self { axes: eigen.U().to_owned(), curvatures, pull })
    }

    /// `1/m (X'X b - X'y)` along the axes.
    fn at(&self, b: &[f64]) -> Vec<f64> {
        let terms = self.curvatures.iter().zip(b).zip(&self.pull);
        terms.map(|((curvature, b), pull)| curvature * b - pull).collect()
    }
}

/// Descends against the gradient until the stop rule holds; with momentum, from a point ahead of
/// the last step. Returns the costs and the number of steps.
fn descend(
    slope: &GradientAlongAxes,
    start: Vec<f64>,
    rate: f64,
    momentum: bool,
    options: GdOptions,
) -> Result<(Vec<f64>, usize), ModelError> {
    let allowed = options.tolerance * vector_length(&slope.pull);
    let (mut b, mut ahead, mut pace) = (start.clone(), start, 1.0f64);
    let mut reached = f64::INFINITY;
    for step in 0..options.steps_max {
        let gradient = slope.at(&ahead);
        reached = vector_length(&gradient);
        if reached <= allowed {
            return Ok((ahead, step));
        }
        let next: Vec<f64> = ahead.iter().zip(&gradient).map(|(a, g)| a - rate * g).collect();
        let moved: Vec<f64> = next.iter().zip(&b).map(|(next, b)| next - b).collect();
        let uphill = dot(&gradient, &moved) > 0.0;
        pace = if uphill { 1.0 } else { pace };
        let next_pace = (1.0 + (1.0 + 4.0 * pace * pace).sqrt()) / 2.0;
        let carry = if momentum && !uphill { (pace - 1.0) / next_pace } else { 0.0 };
        ahead = next.iter().zip(&moved).map(|(next, moved)| next + carry * moved).collect();
        (b, pace) = (next, next_pace);
    }
    Err(ModelError::NoConvergence {
        solver: "gd",
        iterations: options.steps_max,
        measure: "the length of the gradient",
        reached,
        allowed,
        remedy: "the counts are nearly collinear: use --solver ls or shrink, or allow more steps",
    })
}

fn vector_length(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, table};
    use crate::{Solver, fit};

    fn options(gd: GdOptions) -> FitOptions {
        FitOptions { gd, ..FitOptions::new(Solver::Gd) }
    }

    /// The normal equations [5 4; 4 5] c = (14, 13) have c = (2, 1): 10 + 4, 8 + 5.
    #[test]
    fn both_rates_reach_the_solution_on_paper() {
        let data = table(&[&[1.0, 2.0], &[2.0, 1.0]], &[4.0, 5.0]);
        for rate in [LearningRate::Automatic, LearningRate::Given(0.5)] {
            let gd = GdOptions { rate, tolerance: 1e-13, ..Default::default() };
            let model = fit(&data, &options(gd)).unwrap();
            let costs: Vec<f64> = model.costs.iter().map(|c| c.cost_j).collect();
            assert_close(&costs, &[2.0, 1.0], 1e-10);
        }
    }

    #[test]
    fn no_convergence_is_an_error_not_a_number() {
        let data = table(&[&[1.0, 1.001], &[1.0, 1.0]], &[4.0, 5.0]);
        let gd = GdOptions { steps_max: 10, ..Default::default() };
        let error = fit(&data, &options(gd)).unwrap_err();
        assert!(matches!(error, ModelError::NoConvergence { iterations: 10, .. }), "{error}");
        let gd = GdOptions { rate: LearningRate::Given(1e3), ..Default::default() };
        assert!(fit(&data, &options(gd)).unwrap_err().to_string().contains("diverges"));
    }

    /// Column 2 repeats column 0: restarts end at the same J, with other costs for these
    /// two; without the repetition they end at the same costs.
    #[test]
    fn restarts_differ_in_what_is_not_determined() {
        let gd = GdOptions { restarts: 3, ..Default::default() };
        let found = |rows: &[&[f64]]| fit(&table(rows, &[4.0, 5.0, 7.0]), &options(gd)).unwrap();
        let full = found(&[&[1.0, 2.0], &[2.0, 1.0], &[1.0, 1.0]]).diagnostics;
        assert_eq!(full["restarts"], 3.0);
        assert!(full["restarts_costs_apart"] < 1e-8, "{full:?}");
        let open = found(&[&[1.0, 2.0, 1.0], &[2.0, 1.0, 2.0], &[1.0, 1.0, 1.0]]).diagnostics;
        assert!(open["restarts_objective_apart"] < 1e-9, "{open:?}");
        assert!(open["restarts_costs_apart"] > 1e-2, "{open:?}");
    }

    /// From zero, equal columns get equal shares: the minimum norm.
    #[test]
    fn undetermined_costs_are_of_minimum_norm() {
        let data = table(&[&[1.0, 1.0], &[2.0, 2.0]], &[4.0, 8.0]);
        let model = fit(&data, &options(GdOptions::default())).unwrap();
        assert_close(&[model.costs[0].cost_j, model.costs[1].cost_j], &[2.0, 2.0], 1e-9);
    }
}
