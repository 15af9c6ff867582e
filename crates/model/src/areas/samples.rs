//! What counts of samples say about energies.

use super::Direct;

/// The energy of an area that had `hits` of a session's `samples`, where the session spent
/// `energy_j`: the share, with the binomial error of its count (that of one hit where there
/// was none, since none of 100 samples does not say that nothing ran) and the error that
/// power is not everywhere the same. `None` without samples or energy.
pub fn share_of(hits: u64, samples: u64, energy_j: f64, power_factor: f64) -> Option<Direct> {
    if samples == 0 || hits > samples || !(energy_j.is_finite() && energy_j > 0.0) {
        return None;
    }
    let all = samples as f64;
    let share = hits as f64 / all;
    let left = (1.0 - share).max(1.0 / all);
    let counted = hits.max(1) as f64 / all / all * left * energy_j * energy_j;
    let variance_j2 = counted + (power_factor * share * energy_j).powi(2);
    Some(Direct { energy_j: share * energy_j, variance_j2 })
}

#[cfg(test)]
mod tests {
    use wattline_units::assumptions::ASSUMED;

    use super::*;

    #[test]
    fn errors_are_those_of_counts() {
        let direct = share_of(25, 100, 8.0, 0.0).unwrap();
        assert_eq!(direct.energy_j, 2.0);
        assert!((direct.variance_j2 - 64.0 * 0.25 * 0.75 / 100.0).abs() < 1e-12);
        let none = share_of(0, 100, 8.0, 0.05).unwrap();
        assert!(none.energy_j == 0.0 && (none.variance_j2.sqrt() - 0.08).abs() < 1e-3);
        assert!(share_of(100, 100, 8.0, 0.0).unwrap().variance_j2 > 0.0);
        assert!(share_of(0, 0, 8.0, 0.0).is_none() && share_of(2, 1, 8.0, 0.0).is_none());
    }

    /// A quarter of a million samples of 8 J, so that the counts' own error is small.
    #[test]
    fn assumed_differences_of_power_widen_and_shift_nothing() {
        let spread = ASSUMED.sampled_power_spread;
        let [usual, doubled] =
            [spread, 2.0 * spread].map(|spread| share_of(250_000, 1_000_000, 8.0, spread).unwrap());
        assert_eq!(usual.energy_j, doubled.energy_j);
        let ratio = (doubled.variance_j2 / usual.variance_j2).sqrt();
        assert!((1.95..=2.0).contains(&ratio), "{ratio}");
    }
}
