//! Bounds of area estimates: each lies between the sampling-based and the count-based energy of its
//! area, and within two standard errors of the former.
//!
//! The estimator weighs samples and counts by its assumptions about both. Where counts are off in a
//! way that these do not cover (costs of compiled code for code that was interpreted, blocks that
//! are off as a whole), it draws samples too far. How far to draw them follows from the samples:
//! with `t` an area's estimate, `d` its samples' energy, `psi` their variance and `t'` the
//! derivative of `t` by `d`, the squared error of `d + l (t - d)` is, on average,
//! `psi + l^2 (t - d)^2 - 2 l psi (1 - t')`, whatever the ground truth is (Stein 1981). The `l`
//! that makes the sum over areas least is 1 where these assumptions hold, 0 where samples are
//! better left alone.
//!
//! One area may have a far larger error than all others: its counts give thirty joules for a method
//! that has seven of 1500 samples, and what is best for the sum of all still draws it too far. So
//! none goes further from its samples than twice their standard error: Efron and Morris' limited
//! translation (1972), which Fay and Herriot (1979) hold to once. Where counts are right, the
//! samples of every third area are further off than once by chance alone, of every twentieth than
//! twice.

use super::{AreaEstimate, DirectEstimate};

/// Sampling-based and count-based energy of an area, between which its estimate has to lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AreaSources {
    /// Sampling-based energy.
    pub direct: DirectEstimate,
    /// Count-based energy in joules before any learning from samples, at the level of the samples.
    pub counted_j: f64,
}

/// Largest distance of an estimate from its samples, in their standard errors.
const FARTHEST: f64 = 2.0;

impl AreaSources {
    /// Returns the largest distance allowed between an estimate and its samples, in joules.
    fn farthest_j(&self) -> f64 {
        FARTHEST * self.direct.variance_j2.sqrt()
    }

    /// Returns `way`, the fraction of the distance from samples to the estimate, lowered to what is
    /// allowed.
    fn limited_way(&self, estimate: &AreaEstimate, way: f64) -> f64 {
        let whole_j = (estimate.energy_j - self.direct.energy_j).abs();
        if way * whole_j > self.farthest_j() { self.farthest_j() / whole_j } else { way }
    }

    /// Returns the lowest and the highest energy allowed in joules: the smaller and the larger one
    /// of both sources, each within the distance allowed from the samples.
    fn ends_j(&self) -> (f64, f64) {
        let (one, other) = (self.direct.energy_j.max(0.0), self.counted_j.max(0.0));
        let farthest_j = self.farthest_j();
        (one.min(other).max(one - farthest_j), one.max(other).min(one + farthest_j))
    }
}

/// Returns the weight of estimates against samples, 0..1, with the least expected sum of squared
/// errors; 1 where no estimate differs from its samples.
pub fn weight_of_estimates(estimates: &[AreaEstimate], sources: &[AreaSources]) -> f64 {
    let (mut drawn, mut allowed) = (0.0, 0.0);
    for (estimate, AreaSources { direct, .. }) in estimates.iter().zip(sources) {
        drawn += (estimate.energy_j - direct.energy_j).powi(2);
        allowed += (1.0 - estimate.response) * direct.variance_j2;
    }
    if drawn > 0.0 { (allowed / drawn).clamp(0.0, 1.0) } else { 1.0 }
}

/// Moves estimates to the fraction `way` of the distance from their samples, each between its
/// sources, so that they add up to the energy of all samples.
pub fn hold_between_sources(
    estimates: &[AreaEstimate],
    sources: &[AreaSources],
    way: f64,
) -> Vec<AreaEstimate> {
    let held: Vec<AreaEstimate> = estimates
        .iter()
        .zip(sources)
        .map(|(estimate, of)| moved_part_way(estimate, of, way))
        .collect();
    let ends: Vec<(f64, f64)> = sources.iter().map(AreaSources::ends_j).collect();
    let total_j = sources.iter().map(|of| of.direct.energy_j).sum();
    let energies = energies_within(&held, &ends, total_j);
    held.iter().zip(energies).map(|(estimate, energy_j)| estimate.with_energy(energy_j)).collect()
}

/// Returns an estimate at the fraction `way` of the distance from its samples. Its standard error
/// is the weighted sum of both, as if they were fully correlated.
fn moved_part_way(estimate: &AreaEstimate, of: &AreaSources, way: f64) -> AreaEstimate {
    let (direct, way) = (of.direct, of.limited_way(estimate, way));
    let (low, high) = of.ends_j();
    let error_j = way * estimate.mse_j2.sqrt() + (1.0 - way) * direct.variance_j2.sqrt();
    let wider = if estimate.mse_j2 > 0.0 { error_j / estimate.mse_j2.sqrt() } else { 1.0 };
    let energy_j = direct.energy_j + way * (estimate.energy_j - direct.energy_j);
    let energy_j = energy_j.clamp(low, high);
    AreaEstimate {
        energy_j,
        mse_j2: if wider.is_finite() { error_j.powi(2) } else { estimate.mse_j2 },
        lo_j: energy_j - wider * (estimate.energy_j - estimate.lo_j),
        hi_j: energy_j + wider * (estimate.hi_j - estimate.energy_j),
        weight: 1.0 - way * (1.0 - estimate.weight),
        ..*estimate
    }
}

impl AreaEstimate {
    /// Returns the estimate with another energy in joules, and its interval moved along.
    fn with_energy(&self, energy_j: f64) -> Self {
        let moved = energy_j - self.energy_j;
        Self { energy_j, lo_j: self.lo_j + moved, hi_j: self.hi_j + moved, ..*self }
    }
}

/// Steps of the bisection for energies that add up.
const STEPS: usize = 200;

/// Returns energies in joules between these ends that add up to `total_j`: each moves in proportion
/// to its mean squared error, as far as its end allows.
fn energies_within(estimates: &[AreaEstimate], ends: &[(f64, f64)], total_j: f64) -> Vec<f64> {
    let errors = estimates.iter().map(|estimate| estimate.mse_j2).filter(|mse| mse.is_finite());
    let largest = errors.fold(0.0, f64::max);
    if largest == 0.0 {
        return estimates.iter().map(|estimate| estimate.energy_j).collect();
    }
    let at = |step: f64| -> Vec<f64> {
        let moved = |(estimate, (low, high)): (&AreaEstimate, &(f64, f64))| {
            (estimate.energy_j + step * estimate.mse_j2.min(largest)).clamp(*low, *high)
        };
        estimates.iter().zip(ends).map(moved).collect()
    };
    let sum = |step: f64| at(step).iter().sum::<f64>();
    // So far that every area that can move is at its end.
    let sizes = ends.iter().map(|(_, high)| high);
    let size = sizes.fold(0.0f64, |size, high| size.max(*high));
    let least = estimates.iter().map(|estimate| estimate.mse_j2).filter(|mse| *mse > 0.0);
    let reach = size / least.fold(largest, f64::min);
    let (mut low, mut high) = (-reach, reach);
    for _ in 0..STEPS {
        let middle = low + (high - low) / 2.0;
        if sum(middle) < total_j { low = middle } else { high = middle }
    }
    at(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn estimate(energy_j: f64, mse_j2: f64) -> AreaEstimate {
        let half = mse_j2.sqrt();
        AreaEstimate {
            energy_j,
            mse_j2,
            lo_j: energy_j - half,
            hi_j: energy_j + half,
            synthetic_j: energy_j,
            weight: 0.5,
            response: 0.5,
        }
    }

    fn sources(energy_j: f64, variance_j2: f64, counted_j: f64) -> AreaSources {
        AreaSources { direct: DirectEstimate { energy_j, variance_j2 }, counted_j }
    }

    /// Drawn half a standard error, of which a half is allowed: twice as far would do. Drawn by
    /// two standard errors, an eighth of the way is left.
    #[test]
    fn samples_are_drawn_as_far_as_they_ask() {
        let of = [sources(1.0, 0.04, 3.0)];
        assert_eq!(weight_of_estimates(&[estimate(1.1, 0.02)], &of), 1.0);
        let way = weight_of_estimates(&[estimate(1.4, 0.02)], &of);
        assert!((way - 0.125).abs() < 1e-12, "{way}");
        assert_eq!(weight_of_estimates(&[estimate(1.0, 0.02)], &of), 1.0);
        let [half] = hold_between_sources(&[estimate(1.4, 0.01)], &of, 0.5)[..] else { panic!() };
        // Alone it adds up to what samples say.
        assert_eq!(half.energy_j, 1.0);
        assert!(
            (half.hi_j - half.lo_j - 2.0 * 0.15).abs() < 1e-12,
            "between 0.1 and 0.2: {half:?}"
        );
    }

    #[test]
    fn what_is_sure_stays() {
        let of = [sources(2.0, 1.0, 8.0), sources(6.0, 1.0, 0.0), sources(2.0, 1.0, 2.5)];
        let estimates = [estimate(3.0, 0.0), estimate(2.0, 3.0), estimate(9.0, 1.0)];
        let found = hold_between_sources(&estimates, &of, 1.0);
        let energies: Vec<f64> = found.iter().map(|found| found.energy_j).collect();
        assert!((energies[0] - 3.0).abs() < 1e-9, "{energies:?}");
        assert!((energies[1] - 4.5).abs() < 1e-9 && (energies[2] - 2.5).abs() < 1e-9);
    }

    /// 0.15 J of samples with an error of 0.06 J, and 30 J by the counts.
    #[test]
    fn none_goes_too_far_from_its_samples() {
        let of = [sources(0.15, 0.06f64.powi(2), 30.0), sources(10.0, 1.0, 0.0)];
        let found = hold_between_sources(&[estimate(1.0, 0.0025), estimate(9.2, 0.5)], &of, 1.0);
        assert!((found[0].energy_j - 0.27).abs() < 1e-3, "{found:?}");
        let half_j = (found[0].hi_j - found[0].lo_j) / 2.0;
        assert!((0.05..0.06).contains(&half_j), "between that of the estimate and of samples");
        assert!((found[0].energy_j + found[1].energy_j - 10.15).abs() < 1e-9, "{found:?}");
        let near = hold_between_sources(&[estimate(0.2, 0.0025), estimate(9.95, 0.5)], &of, 1.0);
        assert!((near[0].energy_j - 0.2).abs() < 1e-3, "{near:?}");
    }

    proptest! {
        /// Whatever the estimates are, none is beyond both sources, and the sum is that of the
        /// samples.
        #[test]
        fn none_is_beyond_both_of_its_sources(
            areas in prop::collection::vec(
                (0.0..1e3f64, 1e-6..1e3f64, 0.0..1e3f64, -1e3..2e3f64, 1e-6..1e3f64), 1..40,
            ),
            way in 0.0..=1.0f64,
        ) {
            let of: Vec<AreaSources> =
                areas.iter().map(|(d, psi, counted, ..)| sources(*d, *psi, *counted)).collect();
            let estimates: Vec<AreaEstimate> =
                areas.iter().map(|(.., t, mse)| estimate(*t, *mse)).collect();
            let found = hold_between_sources(&estimates, &of, way);
            for (found, of) in found.iter().zip(&of) {
                let (low, high) = of.ends_j();
                prop_assert!((low..=high).contains(&found.energy_j), "{found:?} {of:?}");
                prop_assert!(found.lo_j <= found.hi_j);
            }
            let total: f64 = of.iter().map(|of| of.direct.energy_j).sum();
            let sum: f64 = found.iter().map(|found| found.energy_j).sum();
            prop_assert!((sum - total).abs() <= 1e-9 * total.max(1.0), "{sum} {total}");
        }
    }
}
