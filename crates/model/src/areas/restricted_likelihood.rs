//! The variance of block effects by restricted likelihood: the root of its derivative, which allows
//! for the costs' being fitted to the same areas.

use super::AreaEstimationError;
use super::system::AreaSystem;

/// The most steps to the root.
const STEPS: usize = 100;

/// Returns `s^2` to a relative change of `precision`; 0 where the errors of the samples explain all
/// differences between areas.
pub(super) fn block_effect_variance(
    system: &AreaSystem,
    precision: f64,
) -> Result<f64, AreaEstimationError> {
    if score(system, 0.0)?.0 <= 0.0 {
        return Ok(0.0);
    }
    let (mut low, mut high) = (0.0, 1.0);
    while score(system, high)?.0 > 0.0 && high < 1e12 {
        (low, high) = (high, high * 16.0);
    }
    likelihood_root(system, (low, high), precision)
}

/// Finds the root by Fisher scoring, and by bisection where a step would leave the interval that
/// contains it.
fn likelihood_root(
    system: &AreaSystem,
    (mut low, mut high): (f64, f64),
    precision: f64,
) -> Result<f64, AreaEstimationError> {
    let mut variance = if low > 0.0 { low } else { high / 16.0 };
    for _ in 0..STEPS {
        let (slope, information) = score(system, variance)?;
        if slope > 0.0 {
            low = variance
        } else {
            high = variance
        }
        let step = variance + slope / information;
        let next = if step > low && step < high { step } else { (low + high) / 2.0 };
        let moved = (next - variance).abs();
        variance = next;
        if moved <= precision * variance {
            break;
        }
    }
    Ok(variance)
}

/// Returns the derivative of the restricted log-likelihood by `s^2`, and its expected curvature.
fn score(system: &AreaSystem, variance: f64) -> Result<(f64, f64), AreaEstimationError> {
    let total = |a: usize| variance * system.scale[a].powi(2) + system.psi[a];
    let weights: Vec<f64> = (0..system.areas()).map(|a| total(a).recip()).collect();
    let solution = system.solve(&weights)?;
    let (mut slope, mut information) = (0.0, 0.0);
    for (a, weight) in weights.iter().enumerate() {
        let part = system.scale[a].powi(2) * weight;
        let left = 1.0 - solution.spread[a] * weight;
        slope += (part * weight * solution.residuals[a].powi(2) - part * left) / 2.0;
        information += (part * left).powi(2) / 2.0;
    }
    Ok((slope, information.max(f64::MIN_POSITIVE)))
}
