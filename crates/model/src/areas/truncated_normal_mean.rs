//! Mean of a normal distribution cut off below zero.

use crate::tails::mean_excess_below;

/// Returns the mean of a normal distribution that is cut off below zero: `m + s phi(z)/Phi(z)` with
/// `z = m/s` (the inverse Mills ratio); without a deviation the mean itself, or 0.
pub(super) fn truncated_normal_mean(mean: f64, deviation: f64) -> f64 {
    let z = mean / deviation;
    if z.is_finite() { deviation * mean_excess_below(z) } else { mean.max(0.0) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By numerical integration (SciPy's `quad`).
    #[test]
    fn means_are_those_of_the_cut_distribution() {
        for (mean, deviation, expected) in [
            (0.0, 1.0, 0.797_884_560_802_865),
            (1.0, 1.0, 1.287_599_970_939_178),
            (-1.0, 1.0, 0.525_135_276_160_982),
            (-6.0, 2.0, 0.566_197_309_9),
            (5.0, 0.0, 5.0),
            (-5.0, 0.0, 0.0),
        ] {
            let found = truncated_normal_mean(mean, deviation);
            assert!((found - expected).abs() < 1e-8, "{mean} {deviation}: {found} {expected}");
        }
    }

    proptest! {
        #[test]
        fn it_is_above_zero_and_the_mean_and_grows(mean in -100.0..100.0f64, step in 0.0..10.0f64) {
            let found = truncated_normal_mean(mean, 1.0);
            prop_assert!(found > 0.0 && found >= mean);
            prop_assert!(truncated_normal_mean(mean + step, 1.0) >= found * (1.0 - 1e-9));
        }
    }
}
