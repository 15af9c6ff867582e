//! The best predictor of each area, its mean squared error and its interval.

use crate::quantiles::NORMAL_975;
use crate::tails::share_below_point;

use super::mixture::{BlockEffect, Mixture};
use super::system::{AreaSolution, AreaSystem};

/// Estimated energy of an area with its error and 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AreaEstimate {
    /// Energy in joules.
    pub energy_j: f64,
    /// Mean squared error in J^2, of an area with samples or of known block effect; that of
    /// the costs alone otherwise. Infinite where effects have so few degrees of freedom
    /// that they have no variance, and the area has no samples.
    pub mse_j2: f64,
    /// Lower end of the 95 % interval in joules.
    pub lo_j: f64,
    /// Upper end of the 95 % interval in joules.
    pub hi_j: f64,
    /// Energy by the costs alone, in joules.
    pub synthetic_j: f64,
    /// Weight of the samples in the estimate: 0 without any, towards 1 with many.
    pub weight: f64,
    /// Derivative of the estimate by the sampling-based energy: more than the weight of the samples
    /// where effects have long tails, for then areas that are further off have more of it.
    pub response: f64,
}

/// Returns the estimates of all areas; without block effects those by the costs alone.
pub(super) fn estimates(
    system: &AreaSystem,
    solution: &AreaSolution,
    place: Option<&Mixture>,
) -> Vec<AreaEstimate> {
    let unsure = place.map_or(0.0, |place| variance_of_variance(system, place));
    let said = system.synthetic(solution);
    let unit = system.unit_j;
    let one = |(a, synthetic): (usize, f64)| {
        let parts = match place {
            Some(place) => mixture_components(system, solution, place, unsure, a),
            None => {
                vec![MixtureComponent {
                    likely: 1.0,
                    above: 0.0,
                    variance: solution.spread[a],
                    weight: 0.0,
                }]
            }
        };
        let above: f64 = parts.iter().map(|part| part.likely * part.above).sum();
        let square =
            |part: &MixtureComponent| part.likely * (part.variance + (part.above - above).powi(2));
        let (lo, hi) = (quantile(&parts, -NORMAL_975), quantile(&parts, NORMAL_975));
        AreaEstimate {
            energy_j: (synthetic + above) * unit,
            mse_j2: parts.iter().map(square).sum::<f64>() * unit * unit,
            lo_j: (synthetic + lo) * unit,
            hi_j: (synthetic + hi) * unit,
            synthetic_j: synthetic * unit,
            weight: parts.iter().map(|part| part.likely * part.weight).sum(),
            response: response(&parts, solution.residuals[a], system.psi[a]),
        }
    };
    said.into_iter().enumerate().map(one).collect()
}

/// Returns the derivative of a mixture's mean by its residual, on which the probabilities of its
/// components depend, too.
fn response(parts: &[MixtureComponent], residual: f64, psi: f64) -> f64 {
    let mean = |of: &dyn Fn(&MixtureComponent) -> f64| -> f64 {
        parts.iter().map(|part| part.likely * of(part)).sum()
    };
    let weight = mean(&|part| part.weight);
    // The precision of a part's residual, `1 / (s^2 + psi)`.
    let precision = |part: &MixtureComponent| (1.0 - part.weight) / psi;
    if !(psi.is_finite() && psi > 0.0) {
        return weight;
    }
    let together = mean(&|part| part.weight * precision(part));
    weight + residual.powi(2) * (weight * mean(&precision) - together)
}

/// One normal component of the distribution of an area's energy, in units of the system.
struct MixtureComponent {
    likely: f64,
    /// Mean above the energy by the costs.
    above: f64,
    variance: f64,
    /// Weight of the samples.
    weight: f64,
}

/// Returns a component for each possible variance of the area's effect, with Prasad and Rao's three
/// terms: the remaining error of the samples, the error of the costs, and the error of the estimate
/// of `s` (twice, since the first is too small on average by as much: Datta and Lahiri).
fn mixture_components(
    system: &AreaSystem,
    solution: &AreaSolution,
    place: &Mixture,
    unsure: f64,
    a: usize,
) -> Vec<MixtureComponent> {
    let (scale, psi, spread) = (system.scale[a], system.psi[a], solution.spread[a]);
    if !system.is_sampled(a) {
        let alone = |effect: BlockEffect| MixtureComponent {
            likely: effect.likely,
            above: 0.0,
            variance: effect.variance + spread,
            weight: 0.0,
        };
        return place.effects(scale).map(alone).collect();
    }
    let residual = solution.residuals[a];
    let part = |BlockEffect { variance, likely }| {
        let whole = variance + psi;
        let weight = variance / whole;
        let estimated = (psi * scale * scale).powi(2) / whole.powi(3) * unsure;
        let variance = weight * psi + (1.0 - weight).powi(2) * spread + 2.0 * estimated;
        MixtureComponent { likely, above: weight * residual, variance, weight }
    };
    place.effects_after(scale, psi, residual).into_iter().map(part).collect()
}

/// Returns the asymptotic variance of the estimate of `s^2`.
fn variance_of_variance(system: &AreaSystem, place: &Mixture) -> f64 {
    let share = |a: usize| {
        let scale = system.scale[a].powi(2);
        (scale / (place.variance * scale + system.psi[a])).powi(2)
    };
    let information: f64 = (0..system.areas()).filter(|a| system.is_sampled(*a)).map(share).sum();
    2.0 / information.max(f64::MIN_POSITIVE)
}

/// Returns the quantile of the mixture at the probability of a standard normal value below `z`.
fn quantile(parts: &[MixtureComponent], z: f64) -> f64 {
    let wanted = share_below_point(z);
    let reach = |part: &MixtureComponent| part.above.abs() + 8.0 * part.variance.sqrt();
    let far = parts.iter().map(reach).fold(0.0, f64::max);
    if far == 0.0 {
        return 0.0;
    }
    if let [only] = parts {
        return only.above + z * only.variance.sqrt();
    }
    let (mut low, mut high) = (-far, far);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if share_below(parts, middle) < wanted { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

fn share_below(parts: &[MixtureComponent], value: f64) -> f64 {
    let one = |part: &MixtureComponent| match part.variance > 0.0 {
        true => part.likely * share_below_point((value - part.above) / part.variance.sqrt()),
        false => part.likely * f64::from(u8::from(value >= part.above)),
    };
    parts.iter().map(one).sum()
}
