//! Tails of the standard normal distribution, accurate as far out as numbers go.

use std::f64::consts::{SQRT_2, TAU};

/// Point below which all but 5e-17 of the distribution lies.
#[cfg(test)]
pub(crate) const NORMAL_TAIL_POINT: f64 = 8.3;

/// Distance beyond which the share of a tail comes from its continued fraction.
const FAR: f64 = 30.0;
/// Number of terms of the continued fraction: enough for all digits, that far out.
const TERMS: u8 = 8;

/// Returns the share of the distribution below `x`.
pub(crate) fn share_below_point(x: f64) -> f64 {
    libm::erfc(-x / SQRT_2) / 2.0
}

/// Returns the distance between `x` and the mean of the distribution below it: with `y = -x`, the
/// mean of what is above `y`, less `y` (the inverse Mills ratio plus `x`).
pub(crate) fn mean_excess_below(x: f64) -> f64 {
    if x < -FAR {
        return (2..=TERMS).rev().fold(-x, |rest, k| f64::from(k) / rest - x).recip();
    }
    x + log_density(x).exp() / share_below_point(x)
}

fn log_density(x: f64) -> f64 {
    -(x * x + TAU.ln()) / 2.0
}

/// Share of the distribution below a point, with its derivative.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct TailShare {
    /// Logarithm of the share.
    pub log: f64,
    /// Derivative of the logarithm: the density over the share.
    pub slope: f64,
}

/// Returns the log share of the distribution below `x` and its derivative.
#[cfg(test)]
pub(crate) fn tail_share(x: f64) -> TailShare {
    if x > NORMAL_TAIL_POINT {
        return TailShare::default();
    }
    if x < -FAR {
        let slope = -x + mean_excess_below(x);
        return TailShare { log: log_density(x) - slope.ln(), slope };
    }
    let share = share_below_point(x);
    TailShare { log: share.ln(), slope: log_density(x).exp() / share }
}

/// Returns the point above which the share has this logarithm.
#[cfg(test)]
pub(crate) fn point_with_log_share_above(log_share: f64) -> f64 {
    if log_share > -FAR * FAR / 2.0 {
        return -crate::quantiles::normal_quantile(log_share.exp());
    }
    // Newton's method; the logarithm of a tail is nearly a parabola.
    let start = (-2.0 * log_share).sqrt();
    (0..3).fold(start, |x, _| {
        let tail = tail_share(-x);
        x + (tail.log - log_share) / tail.slope
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Phi(-1) = 0.158655253931457, Phi(-40) = e^-804.608442013754 (tables).
    #[test]
    fn shares_of_the_tables() {
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        close(tail_share(-1.0).log, 0.158_655_253_931_457_05_f64.ln());
        close(tail_share(-40.0).log, -804.608_442_013_754);
        assert_eq!(tail_share(9.0), TailShare::default());
        close(
            tail_share(-FAR - 1e-9).log,
            tail_share(-FAR + 1e-9).log - 2e-9 * tail_share(-FAR).slope,
        );
    }

    /// By numerical integration (SciPy's `quad`), and 1/|x| (1 - 2/x^2 + 10/x^4) far out.
    #[test]
    fn means_of_tails() {
        let close = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
        for (x, expected) in [
            (0.0, 0.797_884_560_802_865),
            (-1.0, 0.525_135_276_160_981),
            (-3.0, 0.283_098_654_930_436),
        ] {
            close(mean_excess_below(x), expected);
        }
        close(mean_excess_below(-1e3), 1e-3 * (1.0 - 2e-6 + 1e-11));
        close(mean_excess_below(-FAR - 1e-10), mean_excess_below(-FAR + 1e-10));
        assert!(mean_excess_below(-1e300) > 0.0 && mean_excess_below(1e300) == 1e300);
    }

    #[test]
    fn points_belong_to_their_shares() {
        for x in [-5.0, -1.0, 0.0, 2.0, 7.0, 29.0, 31.0, 300.0] {
            let found = point_with_log_share_above(tail_share(-x).log);
            assert!((found - x).abs() < 1e-6, "{x} {found}");
            let slope = (tail_share(x + 1e-5).log - tail_share(x - 1e-5).log) / 2e-5;
            assert!((tail_share(x).slope - slope).abs() < 1e-8, "{x} {slope}");
        }
    }
}
