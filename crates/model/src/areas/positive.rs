//! Figures that are known to be above zero.

use crate::tails::excess;

/// Sweeps over all figures at most: sums that are well known take about ten.
const SWEEPS: usize = 100;
/// Standard deviations by which a sweep changes means that are settled.
const SETTLED: f64 = 1e-6;

/// The means of a normal distribution that is cut off where any figure is below zero. Figures
/// whose sum is well known, and which part is whose not, share it; each cut off by itself would
/// be as large as it may be unsure, and their sum far above.
///
/// By expectation propagation: each cut is stood for by a normal factor that gives its figure the
/// moments that the cut would (T. P. Minka 2001; J. P. Cunningham, P. Hennig and
/// S. Lacoste-Julien, Gaussian probabilities and expectation propagation, 2011).
/// `covariance` has the rows of an l x l matrix.
pub(super) fn positive_means(means: &[f64], covariance: &[f64]) -> Vec<f64> {
    let deviations: Vec<f64> =
        (0..means.len()).map(|j| covariance[j * (means.len() + 1)].max(0.0).sqrt()).collect();
    let mut cut = Cut::new(means, covariance, &deviations);
    for _ in 0..SWEEPS {
        if cut.sweep() < SETTLED {
            break;
        }
    }
    let alone = means.iter().zip(&deviations).map(|(mean, s)| positive_mean(*mean, *s));
    let together = cut.mean.iter().zip(&deviations).map(|(mean, s)| mean * s);
    let usable = |(together, alone): (f64, f64)| match together.is_finite() && together > 0.0 {
        true => together,
        false => alone,
    };
    together.zip(alone).map(usable).collect()
}

/// A normal distribution with its factors, in standard deviations of what it was at first.
struct Cut {
    mean: Vec<f64>,
    /// Row by row.
    covariance: Vec<f64>,
    /// Precision of each figure's factor, and that times its mean.
    factors: Vec<[f64; 2]>,
}

impl Cut {
    fn new(means: &[f64], covariance: &[f64], deviations: &[f64]) -> Self {
        let l = means.len();
        let part = |value: f64, by: f64| if by > 0.0 { value / by } else { 0.0 };
        let mean = means.iter().zip(deviations).map(|(mean, s)| part(*mean, *s)).collect();
        let correlation = |at: usize| part(covariance[at], deviations[at / l] * deviations[at % l]);
        Self { mean, covariance: (0..l * l).map(correlation).collect(), factors: vec![[0.0; 2]; l] }
    }

    /// Finds every figure's factor anew; how far means are moved at most.
    fn sweep(&mut self) -> f64 {
        let before = self.mean.clone();
        (0..self.mean.len()).for_each(|figure| self.refine(figure));
        let moved = self.mean.iter().zip(&before).map(|(mean, before)| (mean - before).abs());
        moved.fold(0.0, f64::max)
    }

    fn refine(&mut self, figure: usize) {
        let l = self.mean.len();
        let (mean, variance) = (self.mean[figure], self.covariance[figure * (l + 1)]);
        let [precision, shift] = self.factors[figure];
        let rest = 1.0 - precision * variance;
        if variance <= 0.0 || rest <= 0.0 {
            return;
        }
        // Without its own factor; with the cut instead; and the factor that does the same.
        let (mean_without, without) = ((mean - variance * shift) / rest, variance / rest);
        let (mean_cut, cut) = moments(mean_without, without);
        let factor = [1.0 / cut - 1.0 / without, mean_cut / cut - mean_without / without];
        let [more, further] = [factor[0] - precision, factor[1] - shift];
        let column: Vec<f64> = (0..l).map(|row| self.covariance[row * l + figure]).collect();
        let by = 1.0 + more * variance;
        for (row, own) in column.iter().enumerate() {
            self.mean[row] += own * (further - more * mean) / by;
            let scaled = own * more / by;
            let entries = &mut self.covariance[row * l..(row + 1) * l];
            entries.iter_mut().zip(&column).for_each(|(entry, other)| *entry -= scaled * other);
        }
        self.factors[figure] = factor;
    }
}

/// Mean and variance of a normal distribution that is cut off below zero.
fn moments(mean: f64, variance: f64) -> (f64, f64) {
    // Below this part of the variance there are no digits left.
    const LEAST: f64 = 1e-9;
    let deviation = variance.sqrt();
    let z = mean / deviation;
    let excess = excess(z);
    let left = 1.0 - (excess - z) * excess;
    (deviation * excess, variance * left.max(LEAST))
}

/// The mean of one such figure: `m + s phi(z)/Phi(z)` with `z = m/s` (the inverse Mills ratio);
/// what is surely below zero is zero.
fn positive_mean(mean: f64, deviation: f64) -> f64 {
    let z = mean / deviation;
    if z.is_finite() { deviation * excess(z) } else { mean.max(0.0) }
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
            let found = positive_mean(mean, deviation);
            assert!((found - expected).abs() < 1e-8, "{mean} {deviation}: {found} {expected}");
        }
    }

    fn close(found: &[f64], expected: &[f64], to: f64) {
        let off =
            found.iter().zip(expected).map(|(found, expected)| (found / expected - 1.0).abs());
        assert!(off.fold(0.0, f64::max) < to, "{found:?} {expected:?}");
    }

    /// Of two figures about zero with correlation r: `(1 + r) / (2 sqrt(2 pi) P)`, where
    /// `P = 1/4 + asin(r) / (2 pi)` is the part that is left.
    #[test]
    fn figures_that_hang_together_are_cut_off_together() {
        for (r, to) in [(-0.9_f64, 0.02), (-0.5, 0.01), (0.0, 1e-9), (0.8, 0.01)] {
            let left = 0.25 + r.asin() / std::f64::consts::TAU;
            let expected = (1.0 + r) / (2.0 * std::f64::consts::TAU.sqrt() * left);
            close(&positive_means(&[0.0, 0.0], &[1.0, r, r, 1.0]), &[expected; 2], to);
            close(
                &positive_means(&[0.0, 0.0], &[1e-12, 1e-9 * r, 1e-9 * r, 1e-6]),
                &[1e-6 * expected, 1e-3 * expected],
                to,
            );
        }
    }

    /// A sum of 10 of which one part is 15 or -5, give or take 10: alone they would add up to 19.
    #[test]
    fn a_known_sum_stays() {
        let found = positive_means(&[15.0, -5.0], &[100.0, -99.99, -99.99, 100.0]);
        assert!((found[0] + found[1] - 10.0).abs() < 0.2, "{found:?}");
        assert!(found[1] > 1.0, "{found:?}");
        assert!(positive_mean(15.0, 10.0) + positive_mean(-5.0, 10.0) > 19.0);
    }

    #[test]
    fn what_is_surely_known_stays_and_is_not_below_zero() {
        assert_eq!(positive_means(&[3.0, -3.0], &[0.0; 4]), [3.0, 0.0]);
        assert!(positive_means(&[], &[]).is_empty());
    }

    proptest! {
        /// Covariances `F F'` of few directions, so that most sums are known exactly.
        #[test]
        fn any_figures_have_means_above_zero(
            means in proptest::collection::vec(-5.0..5.0f64, 6),
            factors in proptest::collection::vec(-1.0..1.0f64, 18),
        ) {
            let row = |j: usize| &factors[3 * j..3 * j + 3];
            let product = |at: usize| {
                row(at / 6).iter().zip(row(at % 6)).map(|(a, b)| a * b).sum::<f64>()
            };
            let covariance: Vec<f64> = (0..36).map(product).collect();
            for found in positive_means(&means, &covariance) {
                prop_assert!(found >= 0.0 && found.is_finite(), "{found}");
            }
        }

        #[test]
        fn it_is_above_zero_and_the_mean_and_grows(mean in -100.0..100.0f64, step in 0.0..10.0f64) {
            let found = positive_mean(mean, 1.0);
            prop_assert!(found > 0.0 && found >= mean);
            prop_assert!(positive_mean(mean + step, 1.0) >= found * (1.0 - 1e-9));
        }
    }
}
