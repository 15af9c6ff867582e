//! The variance of place effects by restricted likelihood: the root of its derivative,
//! which allows for the costs' being fitted to the same areas.

use super::AreaError;
use super::system::System;

/// The most steps to the root.
const STEPS: usize = 100;

/// `s^2`, to a relative change of `precision`; 0 where the samples' own errors explain all
/// that areas differ by.
pub(super) fn place_variance(system: &System, precision: f64) -> Result<f64, AreaError> {
    if score(system, 0.0)?.0 <= 0.0 {
        return Ok(0.0);
    }
    let (mut low, mut high) = (0.0, 1.0);
    while score(system, high)?.0 > 0.0 && high < 1e12 {
        (low, high) = (high, high * 16.0);
    }
    root(system, (low, high), precision)
}

/// Fisher scoring, by halves where a step would leave what is known to hold the root.
fn root(
    system: &System,
    (mut low, mut high): (f64, f64),
    precision: f64,
) -> Result<f64, AreaError> {
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

/// Derivative of the restricted log-likelihood by `s^2`, and its expected curvature.
fn score(system: &System, variance: f64) -> Result<(f64, f64), AreaError> {
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
