//! Least squares with costs >= 0: an operation can't give energy back. The active-set
//! method of Lawson & Hanson on the cross products (Bro & de Jong 1997), checked
//! against the conditions of Karush, Kuhn and Tucker.

use faer::linalg::solvers::SolveLstsq;
use faer::{Col, Mat, MatRef};

use super::super::design::Design;
use super::super::error::ModelError;
use super::super::linear::{matrix_times_vector, run_decomposition, run_in_wide_vectors};
use super::super::options::FitOptions;
use super::active_factor::ActiveFactor;
use super::solution::{Solution, diagnostics};

/// A gradient (per column of length 1) below this part of the largest at zero is zero.
const GRADIENT_TOLERANCE: f64 = 1e-12;

/// A solution with a larger violation of the optimality conditions is an error.
const VIOLATION_MAX: f64 = 1e-6;

/// Start of the search for the positive costs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NnlsStart<'a> {
    /// At zero.
    Zero,
    /// With the positive elements of a solution nearby.
    Near(&'a [f64]),
}

/// The minimum of `b'Ab/2 - b'rhs` over `b >= 0`, with the effort for it.
#[derive(Debug, Clone)]
pub(crate) struct NonNegativeMinimum {
    /// The minimum.
    pub b: Vec<f64>,
    /// Linear systems solved.
    pub systems: usize,
}

pub(super) fn solve(design: &Design, _: &FitOptions) -> Result<Solution, ModelError> {
    let gram = design.gram();
    let found = minimise(&gram.xx, &gram.xy, NnlsStart::Zero)?;
    let b = polish(design, found.b);
    let positive = b.iter().filter(|b| **b > 0.0).count() as f64;
    let diagnostics = diagnostics([
        ("systems", found.systems as f64),
        ("kkt_violation", violation(gram.xx.as_ref(), &gram.xy, &b)),
        ("positive_costs", positive),
    ]);
    Ok(Solution {
        b,
        covariance: None,
        intervals: None,
        draws: Vec::new(),
        of_microbenchmarks: None,
        stacked: None,
        parameters: positive,
        diagnostics,
    })
}

/// Solves for the positive costs once more by QR of the rows, which doesn't square the
/// condition number as cross products do; kept where it stays positive.
fn polish(design: &Design, b: Vec<f64>) -> Vec<f64> {
    let positive: Vec<usize> = (0..b.len()).filter(|j| b[*j] > 0.0).collect();
    let rows = design.x.nrows();
    if positive.is_empty() || positive.len() > rows {
        return b;
    }
    let x = Mat::from_fn(rows, positive.len(), |i, k| design.x[(i, positive[k])]);
    let solve = || x.qr().solve_lstsq(Col::from_fn(rows, |i| design.y[i]));
    let Ok(better) = run_decomposition("the count matrix", solve) else { return b };
    if better.iter().all(|b| b.is_finite() && *b > 0.0) {
        let mut polished = vec![0.0; b.len()];
        positive.iter().zip(better.iter()).for_each(|(j, b)| polished[*j] = *b);
        return polished;
    }
    b
}

/// Minimises `b'Ab/2 - b'rhs` over `b >= 0` for a symmetric positive semidefinite `A`.
pub(crate) fn minimise(
    a: &Mat<f64>,
    rhs: &[f64],
    start: NnlsStart<'_>,
) -> Result<NonNegativeMinimum, ModelError> {
    let mut search = ActiveSetSearch::new(a, rhs);
    if let NnlsStart::Near(near) = start {
        search.begin_near(near);
    }
    let systems_max = 10 * rhs.len() + 50;
    while search.systems < systems_max {
        let Some(entering) = search.entering() else {
            return search.finish();
        };
        search.enter(entering);
    }
    Err(no_convergence(search.systems, violation(a.as_ref(), rhs, &search.b)))
}

/// Returns the largest violation of the conditions of an optimum, relative to the largest gradient
/// at zero (columns taken at length 1): `b >= 0`, gradient 0 where `b > 0`, and not downhill where
/// `b = 0`.
pub(crate) fn violation(a: MatRef<'_, f64>, rhs: &[f64], b: &[f64]) -> f64 {
    let product = matrix_times_vector(a, b);
    let length = |j: usize| if a[(j, j)] > 0.0 { a[(j, j)].sqrt() } else { 1.0 };
    let reference = (0..rhs.len()).map(|j| (rhs[j] / length(j)).abs()).fold(0.0, f64::max);
    let worst = (0..rhs.len())
        .map(|j| {
            let downhill = (rhs[j] - product[j]) / length(j);
            if b[j] > 0.0 { downhill.abs() } else { downhill.max(-b[j] * length(j)) }
        })
        .fold(0.0, f64::max);
    if reference > 0.0 { worst / reference } else { worst }
}

fn no_convergence(iterations: usize, reached: f64) -> ModelError {
    ModelError::NoConvergence {
        solver: "nnls",
        iterations,
        measure: "the violation of the optimality conditions",
        reached,
        allowed: VIOLATION_MAX,
        remedy: "the counts are nearly collinear: use --solver shrink",
    }
}

/// State of the search: which costs are positive.
struct ActiveSetSearch<'a> {
    a: &'a Mat<f64>,
    rhs: &'a [f64],
    length: Vec<f64>,
    tolerance: f64,
    b: Vec<f64>,
    /// The positive costs, decomposed.
    positive: ActiveFactor,
    /// Positive, or dependent on the positive columns to working precision.
    barred: Vec<bool>,
    systems: usize,
}

impl<'a> ActiveSetSearch<'a> {
    fn new(a: &'a Mat<f64>, rhs: &'a [f64]) -> Self {
        let l = rhs.len();
        let length: Vec<f64> =
            (0..l).map(|j| if a[(j, j)] > 0.0 { a[(j, j)].sqrt() } else { 1.0 }).collect();
        let largest = (0..l).map(|j| (rhs[j] / length[j]).abs()).fold(0.0, f64::max);
        let barred = (0..l).map(|j| a[(j, j)] <= 0.0).collect();
        let tolerance = GRADIENT_TOLERANCE * largest;
        let positive = ActiveFactor::default();
        Self { a, rhs, length, tolerance, b: vec![0.0; l], positive, barred, systems: 0 }
    }

    /// Takes the positive elements of `near`, walks from there as far as they stay so.
    fn begin_near(&mut self, near: &[f64]) {
        for (j, b) in near.iter().enumerate().filter(|(_, b)| **b > 0.0) {
            if !self.barred[j] && self.positive.enter(self.a, self.rhs, j) {
                self.b[j] = *b;
                self.barred[j] = true;
            }
        }
        self.settle();
    }

    /// Returns the cost at zero with the steepest way down.
    fn entering(&self) -> Option<usize> {
        let product = self.product();
        let steepness = |j: usize| (self.rhs[j] - product[j]) / self.length[j];
        (0..self.b.len())
            .filter(|j| !self.barred[*j] && steepness(*j) > self.tolerance)
            .max_by(|i, j| steepness(*i).total_cmp(&steepness(*j)))
    }

    /// `A b`, of which only the positive elements matter.
    fn product(&self) -> Vec<f64> {
        let mut product = vec![0.0; self.b.len()];
        run_in_wide_vectors(|| {
            for j in self.positive.order() {
                let (factor, column) = (self.b[*j], self.a.col_as_slice(*j));
                product.iter_mut().zip(column).for_each(|(to, a)| *to += factor * a);
            }
        });
        product
    }

    /// Makes the cost `entering` positive, and walks on. One that can't enter, or is at zero again
    /// at once, stays outside for good: rounding, not a way down.
    fn enter(&mut self, entering: usize) {
        self.barred[entering] = true;
        if self.positive.enter(self.a, self.rhs, entering) {
            self.settle();
            self.barred[entering] = true;
        } else {
            self.systems += 1;
        }
    }

    /// Walks towards the unconstrained minimum over the positive costs, stopping at each
    /// that becomes zero, until it is reached.
    fn settle(&mut self) {
        loop {
            self.systems += 1;
            let candidate = self.positive.solve();
            let Some(share) = self.share_until_zero(&candidate) else {
                for (j, b) in self.positive.order().iter().zip(candidate) {
                    self.b[*j] = b;
                }
                return;
            };
            self.walk(&candidate, share);
        }
    }

    /// Returns the fraction of the way to `candidate` at which the first cost is zero; `None` if
    /// none becomes zero.
    fn share_until_zero(&self, candidate: &[f64]) -> Option<f64> {
        self.positive
            .order()
            .iter()
            .zip(candidate)
            .filter(|(_, target)| **target <= 0.0)
            .map(|(j, target)| self.b[*j] / (self.b[*j] - target))
            .map(|share| if share.is_finite() { share } else { 0.0 })
            .min_by(f64::total_cmp)
    }

    fn walk(&mut self, candidate: &[f64], share: f64) {
        let order = self.positive.order().to_vec();
        for (j, target) in order.into_iter().zip(candidate) {
            let old = self.b[j];
            self.b[j] = (1.0 - share) * old + share * target;
            let arrived =
                *target <= 0.0 && old / (old - target) <= share * (1.0 + 1e-12) + f64::MIN_POSITIVE;
            if arrived || self.b[j] <= 0.0 {
                self.b[j] = 0.0;
                self.positive.leave(j);
                self.barred[j] = false;
            }
        }
    }

    fn finish(self) -> Result<NonNegativeMinimum, ModelError> {
        let violation = violation(self.a.as_ref(), self.rhs, &self.b);
        if violation > VIOLATION_MAX {
            return Err(no_convergence(self.systems, violation));
        }
        Ok(NonNegativeMinimum { b: self.b, systems: self.systems })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, table};
    use crate::{Solver, fit};
    use proptest::prelude::*;

    /// Least squares gives (3, -1) exactly; with costs >= 0 the second is zero and the
    /// first sum n e / sum n^2 = (1*2 + 1*3 + 2*5) / 6 = 2.5.
    #[test]
    fn a_negative_cost_becomes_zero() {
        let data = table(&[&[1.0, 1.0], &[1.0, 0.0], &[2.0, 1.0]], &[2.0, 3.0, 5.0]);
        let model = fit(&data, &FitOptions::new(Solver::Nnls)).unwrap();
        assert_close(&[model.costs[0].cost_j, model.costs[1].cost_j], &[2.5, 0.0], 1e-12);
        assert_eq!(model.costs[0].se_j, None);
    }

    #[test]
    fn equal_columns_share_without_failing() {
        let data = table(&[&[1.0, 1.0, 0.0], &[2.0, 2.0, 0.0]], &[3.0, 6.0]);
        let model = fit(&data, &FitOptions::new(Solver::Nnls)).unwrap();
        assert!((model.costs[0].cost_j + model.costs[1].cost_j - 3.0).abs() < 1e-9);
        assert_eq!(model.costs[2].cost_j, 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Never negative, optimal, and the same from every start; also with more
        /// columns than rows.
        #[test]
        fn never_negative_and_optimal(
            values in proptest::collection::vec(0u32..9, 5 * 7),
            energies in proptest::collection::vec(-4i32..20, 5),
            near in proptest::collection::vec(0u32..2, 7),
        ) {
            let x = Mat::from_fn(5, 7, |i, j| f64::from(values[i * 7 + j]));
            let y: Vec<f64> = energies.into_iter().map(f64::from).collect();
            let near: Vec<f64> = near.into_iter().map(f64::from).collect();
            let (a, rhs) = (x.transpose() * &x, matrix_times_vector(x.transpose(), &y));
            let fitted = |found: &NonNegativeMinimum| matrix_times_vector(x.as_ref(), &found.b);
            let cold = minimise(&a, &rhs, NnlsStart::Zero).unwrap();
            let warm = minimise(&a, &rhs, NnlsStart::Near(&near)).unwrap();
            prop_assert!(cold.b.iter().chain(&warm.b).all(|b| *b >= 0.0));
            for found in [&cold, &warm] {
                prop_assert!(violation(a.as_ref(), &rhs, &found.b) < 1e-9);
            }
            for (cold, warm) in fitted(&cold).iter().zip(fitted(&warm)) {
                prop_assert!((cold - warm).abs() < 1e-6, "{cold} {warm}");
            }
        }
    }
}
