//! Convex weights of predictors: least squares of their weighted mean, over weights that
//! are not negative and add up to one (Wolpert 1992, Breiman 1996).

use faer::Mat;

use super::super::nnls::{NnlsStart, minimise};

/// Returns the weights under which the residuals, one vector of length m per predictor, mix to the
/// least sum of squares. Where the search fails, the one with the least has all.
///
/// `|R u|^2 + s^2 (1'u - 1)^2` over `u >= 0` has its minimum in the direction of the
/// wanted weights, whatever `s`: along a direction it falls with `|R w|`.
pub(super) fn convex_weights(residuals: &[Vec<f64>], used: impl Fn(usize) -> bool) -> Vec<f64> {
    let rows: Vec<usize> = (0..residuals[0].len()).filter(|i| used(*i)).collect();
    let product = |a: usize, b: usize| -> f64 {
        rows.iter().map(|i| residuals[a][*i] * residuals[b][*i]).sum()
    };
    let lengths: Vec<f64> =
        (0..residuals.len()).map(|k| product(k, k).sqrt().max(f64::MIN_POSITIVE)).collect();
    let least = lengths.iter().copied().fold(f64::INFINITY, f64::min);
    let ones: Vec<f64> = lengths.iter().map(|length| least / length).collect();
    let a = Mat::from_fn(lengths.len(), lengths.len(), |a, b| {
        product(a, b) / (lengths[a] * lengths[b]) + ones[a] * ones[b]
    });
    let found = minimise(&a, &ones, NnlsStart::Zero).map(|found| found.b).unwrap_or_default();
    let parts: Vec<f64> = found.iter().zip(&ones).map(|(u, one)| u * one).collect();
    let sum: f64 = parts.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        return parts.into_iter().map(|part| part / sum).collect();
    }
    let best = lengths.iter().position(|length| *length <= least).unwrap_or(0);
    (0..lengths.len()).map(|k| f64::from(u8::from(k == best))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Residuals (2, 0) and (0, 1): w = 1/5 and 4/5.
    #[test]
    fn two_predictors_by_hand() {
        let found = convex_weights(&[vec![2.0, 0.0], vec![0.0, 1.0]], |_| true);
        assert!((found[0] - 0.2).abs() < 1e-12 && (found[1] - 0.8).abs() < 1e-12, "{found:?}");
        assert_eq!(convex_weights(&[vec![2.0, 9.0], vec![0.0, 1.0]], |i| i == 0), [0.0, 1.0]);
    }

    #[test]
    fn one_that_runs_away_has_no_part() {
        let found = convex_weights(&[vec![1e13, 0.0, 1e-3], vec![0.1, 0.1, -0.1]], |_| true);
        assert!(found[0] < 1e-13 && found[1] > 1.0 - 1e-12, "{found:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// No predictor alone, and no pair of them, does better.
        #[test]
        fn nothing_on_the_simplex_is_better(
            values in proptest::collection::vec(-9i32..9, 4 * 12), at in 0.0..1.0f64,
        ) {
            let residuals: Vec<Vec<f64>> =
                values.chunks(12).map(|of| of.iter().map(|v| f64::from(*v)).collect()).collect();
            let square = |w: &[f64]| -> f64 {
                (0..12)
                    .map(|i| w.iter().zip(&residuals).map(|(w, r)| w * r[i]).sum::<f64>().powi(2))
                    .sum()
            };
            let found = convex_weights(&residuals, |_| true);
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(found.iter().all(|w| *w >= 0.0));
            for a in 0..4 {
                for b in 0..4 {
                    let mut other = vec![0.0; 4];
                    other[a] += at;
                    other[b] += 1.0 - at;
                    prop_assert!(square(&found) <= square(&other) * (1.0 + 1e-9) + 1e-9);
                }
            }
        }
    }
}
