//! Slice sampling of a positive quantity on the scale of its logarithm (Neal 2003):
//! stepping out, then shrinking.

use rand::{Rng, RngExt};

/// Width of the first interval, in natural logarithms.
const WIDTH: f64 = 1.0;

/// Steps out at most; a density that has not fallen by then has no bound.
const STEPS_MAX: usize = 50;

/// Draws `x > 0` with density proportional to `exp(log_density(x))`, starting from the last draw.
pub(crate) fn draw_positive(
    random: &mut impl Rng,
    last: f64,
    log_density: impl Fn(f64) -> f64,
) -> f64 {
    // The density of ln x has a factor x.
    let height = |u: f64| log_density(u.exp()) + u;
    let at = last.ln();
    let level = height(at) + (1.0 - random.random::<f64>()).ln();
    let mut low = at - WIDTH * random.random::<f64>();
    let mut high = low + WIDTH;
    for _ in 0..STEPS_MAX {
        if height(low) <= level {
            break;
        }
        low -= WIDTH;
    }
    for _ in 0..STEPS_MAX {
        if height(high) <= level {
            break;
        }
        high += WIDTH;
    }
    loop {
        let u = low + (high - low) * random.random::<f64>();
        if height(u) > level || high - low < 1e-12 {
            return u.exp();
        }
        if u < at { low = u } else { high = u }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    /// Gamma(3, 1): mean 3, variance 3.
    #[test]
    fn a_gamma_distribution_is_drawn() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut x = 1.0;
        let draws: Vec<f64> = (0..40_000)
            .map(|_| {
                x = super::draw_positive(&mut random, x, |x: f64| 2.0 * x.ln() - x);
                x
            })
            .collect();
        let mean = draws.iter().sum::<f64>() / 4e4;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4e4;
        assert!((mean - 3.0).abs() < 0.05 && (variance - 3.0).abs() < 0.15, "{mean} {variance}");
    }
}
