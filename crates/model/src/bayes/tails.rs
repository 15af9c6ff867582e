//! The standard normal distribution, as far out as numbers go.

use std::f64::consts::{SQRT_2, TAU};

use super::super::interval::normal_quantile;

/// All but 5e-17 of the distribution lies below.
pub(super) const ALL: f64 = 8.3;

/// Beyond, the share of a tail comes from its continued fraction.
const FAR: f64 = 30.0;

/// What lies below a point.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Below {
    /// Logarithm of the share.
    pub log: f64,
    /// Derivative of that: the density over the share.
    pub slope: f64,
}

/// What lies below `x`.
pub(super) fn below(x: f64) -> Below {
    if x > ALL {
        return Below::default();
    }
    let log_density = -(x * x + TAU.ln()) / 2.0;
    if x < -FAR {
        let slope = -x + 1.0 / (-x + 2.0 / (-x + 3.0 / -x));
        return Below { log: log_density - slope.ln(), slope };
    }
    let share = libm::erfc(-x / SQRT_2) / 2.0;
    Below { log: share.ln(), slope: log_density.exp() / share }
}

/// The point above which there is a share whose logarithm is given.
pub(super) fn above(log_share: f64) -> f64 {
    if log_share > -FAR * FAR / 2.0 {
        return -normal_quantile(log_share.exp());
    }
    // Newton's method; the logarithm of a tail is nearly a parabola.
    let start = (-2.0 * log_share).sqrt();
    (0..3).fold(start, |x, _| {
        let tail = below(-x);
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
        close(below(-1.0).log, 0.158_655_253_931_457_05_f64.ln());
        close(below(-40.0).log, -804.608_442_013_754);
        assert_eq!(below(9.0), Below::default());
        close(below(-FAR - 1e-9).log, below(-FAR + 1e-9).log - 2e-9 * below(-FAR).slope);
    }

    #[test]
    fn points_belong_to_their_shares() {
        for x in [-5.0, -1.0, 0.0, 2.0, 7.0, 29.0, 31.0, 300.0] {
            let found = above(below(-x).log);
            assert!((found - x).abs() < 1e-6, "{x} {found}");
            let slope = (below(x + 1e-5).log - below(x - 1e-5).log) / 2e-5;
            assert!((below(x).slope - slope).abs() < 1e-8, "{x} {slope}");
        }
    }
}
