//! The mean of a Gaussian posterior that is cut off at zero in every cost, by expectation
//! propagation (Minka 2001): each cut is replaced by a Gaussian factor such that the cost's
//! mean and variance are those of its cut normal.
//!
//! The most probable costs, where the cases tell little, are zero for half of the
//! operations and too large for the rest; the mean is not.

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, Side};

use super::super::super::linear::times;

/// Rounds over all costs; 15 suffice on campaigns.
const ROUNDS: usize = 60;

/// A round that changes no mean by more than this part of its standard deviation is the
/// last.
const CHANGE_TOLERANCE: f64 = 1e-4;

/// Part of the way that a factor goes towards its new value.
const STEP: f64 = 0.7;

/// The mean of Normal(precision^-1 pull, precision^-1) given that no element is below
/// zero; `None` where that doesn't settle.
pub(super) fn mean(precision: &Mat<f64>, pull: &[f64]) -> Option<Vec<f64>> {
    let l = pull.len();
    // The factors' precisions and pulls.
    let (mut own, mut shift) = (vec![0.0; l], vec![0.0; l]);
    let mut last = vec![f64::INFINITY; l];
    for _ in 0..ROUNDS {
        let with = Mat::from_fn(l, l, |i, j| precision[(i, j)] + if i == j { own[i] } else { 0.0 });
        let covariance = with.llt(Side::Lower).ok()?.inverse();
        let all: Vec<f64> = pull.iter().zip(&shift).map(|(pull, shift)| pull + shift).collect();
        let mean = times(covariance.as_ref(), &all);
        let sd = |j: usize| covariance[(j, j)].max(0.0).sqrt();
        if (0..l).all(|j| (mean[j] - last[j]).abs() <= CHANGE_TOLERANCE * sd(j)) {
            return mean.iter().all(|b| b.is_finite()).then(|| positive(mean));
        }
        for j in 0..l {
            // The cost without its own factor, cut, and the factor that gives as much.
            let cavity = 1.0 / covariance[(j, j)] - own[j];
            let cavity_pull = mean[j] / covariance[(j, j)] - shift[j];
            if cavity <= 0.0 || !cavity.is_finite() {
                continue;
            }
            let (cut_mean, cut_variance) = cut(cavity_pull / cavity, 1.0 / cavity);
            let new_own = (1.0 / cut_variance - cavity).max(0.0);
            let new_shift = cut_mean * (cavity + new_own) - cavity_pull;
            own[j] += STEP * (new_own - own[j]);
            shift[j] += STEP * (new_shift - shift[j]);
        }
        last = mean;
    }
    None
}

/// Rounding may leave a mean a little below zero.
fn positive(mean: Vec<f64>) -> Vec<f64> {
    mean.into_iter().map(|b| b.max(0.0)).collect()
}

/// Mean and variance of a normal distribution above zero.
fn cut(mean: f64, variance: f64) -> (f64, f64) {
    let sd = variance.sqrt();
    let at = -mean / sd;
    let hazard = hazard(at);
    let left = 1.0 - hazard * (hazard - at);
    (mean + sd * hazard, variance * left.clamp(1e-9, 1.0))
}

/// Density over upper tail of the standard normal distribution at `x`.
fn hazard(x: f64) -> f64 {
    if x > 3.0 {
        // Laplace's continued fraction.
        return x + (1..=60).rev().fold(0.0, |below, k| f64::from(k) / (x + below));
    }
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < -8.0 {
        return density;
    }
    // Distribution function less 1/2: density times x + x^3/3 + x^5/15 + ...
    let (mut term, mut sum) = (x, x);
    for k in 1..200 {
        term *= x * x / f64::from(2 * k + 1);
        sum += term;
    }
    density / (0.5 - density * sum)
}

#[cfg(test)]
mod tests {
    use faer::mat;

    use super::*;

    /// phi(0) / 0.5 = 0.79788; phi(1) / Q(1) = 1.52514; at 3 and 30 as tables say;
    /// far below the mean nothing is cut.
    #[test]
    fn the_hazard_of_the_normal_distribution() {
        for (x, expected) in
            [(0.0, 0.797_884_56), (1.0, 1.525_135_28), (3.0, 3.283_098_65), (30.0, 30.033_259_7)]
        {
            assert!((hazard(x) / expected - 1.0).abs() < 1e-7, "{x}: {}", hazard(x));
        }
        assert!((hazard(2.999_999) - hazard(3.000_001)).abs() < 1e-5);
        assert!(hazard(-9.0) < 1e-17 && hazard(-7.0) < 1e-10);
    }

    /// Independent: each the mean of its own cut normal. -1 +- 1: -1 + 1.52514.
    #[test]
    fn independent_costs_are_cut_one_by_one() {
        let found = mean(&mat![[1.0, 0.0], [0.0, 0.25]], &[-1.0, 2.5]).unwrap();
        assert!((found[0] - 0.525_135).abs() < 1e-3, "{found:?}");
        // Mean 10, sd 2: hardly cut.
        assert!((found[1] - 10.0).abs() < 1e-3, "{found:?}");
    }

    /// Two costs of which only the sum, 2, is known: by symmetry each 1, and by draws.
    #[test]
    fn costs_known_as_a_sum_share_it() {
        let known = mat![[100.01, 100.0], [100.0, 100.01]];
        let found = mean(&known, &[200.0, 200.0]).unwrap();
        assert!((found[0] - 1.0).abs() < 0.01 && (found[1] - 1.0).abs() < 0.01, "{found:?}");
    }
}
