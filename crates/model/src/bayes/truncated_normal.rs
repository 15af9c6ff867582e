//! Draws from a normal distribution cut off at one side or both, exact by rejection
//! (Robert 1995).

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// Cuts below this many standard deviations above the mean are drawn from the uncut
/// normal; those above from an exponential, which is then refused less often.
const FAR: f64 = 0.45;

/// Draws from Normal(mean, sd) above zero; `sd` is positive.
pub(crate) fn draw_above_zero(random: &mut impl Rng, mean: f64, sd: f64) -> f64 {
    mean + sd * draw_standard_above(random, -mean / sd)
}

/// Draws from Normal(mean, sd) between `low` and `high`, of which either may be infinite; `low` if
/// they are equal.
pub(crate) fn draw_between(random: &mut impl Rng, mean: f64, sd: f64, low: f64, high: f64) -> f64 {
    if low >= high {
        return low;
    }
    let (a, b) = ((low - mean) / sd, (high - mean) / sd);
    let draw = if a > 0.0 || (a > f64::NEG_INFINITY && -a < b) {
        draw_standard_between(random, a, b)
    } else {
        -draw_standard_between(random, -b, -a)
    };
    (mean + sd * draw).clamp(low, high)
}

/// Draws a standard normal above `a`.
fn draw_standard_above(random: &mut impl Rng, a: f64) -> f64 {
    if a < FAR {
        loop {
            let z: f64 = random.sample(StandardNormal);
            if z > a {
                return z;
            }
        }
    }
    let rate = (a + (a * a + 4.0).sqrt()) / 2.0;
    loop {
        let z = a - (1.0 - random.random::<f64>()).ln() / rate;
        if random.random::<f64>() <= (-(z - rate).powi(2) / 2.0).exp() {
            return z;
        }
    }
}

/// Draws a standard normal between `a` and `b`, the nearer end to zero being `a`.
fn draw_standard_between(random: &mut impl Rng, a: f64, b: f64) -> f64 {
    let nearest = a.max(0.0);
    // A narrow piece is nearly flat: the uniform is refused less often than the tail.
    if b - a < 2.0 / (nearest + 1.0) {
        let peak = -nearest * nearest / 2.0;
        loop {
            let z = a + (b - a) * random.random::<f64>();
            if random.random::<f64>() <= (-z * z / 2.0 - peak).exp() {
                return z;
            }
        }
    }
    loop {
        let z = draw_standard_above(random, a);
        if z <= b {
            return z;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    /// Mean and share below the median of 20 000 draws.
    fn moments(mut draw: impl FnMut(&mut ChaCha8Rng) -> f64) -> (f64, f64, f64) {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let draws: Vec<f64> = (0..20_000).map(|_| draw(&mut random)).collect();
        let mean = draws.iter().sum::<f64>() / 2e4;
        let sd = (draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2e4).sqrt();
        (mean, sd, draws.iter().copied().fold(f64::INFINITY, f64::min))
    }

    /// A half-normal has mean sqrt(2/pi) = 0.79788 and sd 0.60281; above 3 the mean is
    /// phi(3)/Q(3) = 3.28310; far above 30 it is 30 + 1/30.
    #[test]
    fn one_side() {
        let (mean, sd, least) = moments(|random| draw_above_zero(random, 0.0, 1.0));
        assert!((mean - 0.79788).abs() < 0.015 && (sd - 0.60281).abs() < 0.012 && least >= 0.0);
        let (mean, ..) = moments(|random| draw_above_zero(random, -6.0, 2.0));
        assert!((mean - (3.28310 * 2.0 - 6.0)).abs() < 0.02, "{mean}");
        let (mean, ..) = moments(|random| draw_above_zero(random, -30.0, 1.0));
        assert!((mean - 0.0333).abs() < 0.002, "{mean}");
        let (mean, sd, _) = moments(|random| draw_above_zero(random, 10.0, 1.0));
        assert!((mean - 10.0).abs() < 0.03 && (sd - 1.0).abs() < 0.02);
    }

    /// Between -1 and 2: mean (phi(-1) - phi(2)) / (Phi(2) - Phi(-1)) = 0.22964.
    #[test]
    fn two_sides() {
        let (mean, ..) = moments(|random| draw_between(random, 0.0, 1.0, -1.0, 2.0));
        assert!((mean - 0.22964).abs() < 0.02, "{mean}");
        let (mean, ..) = moments(|random| draw_between(random, 0.0, 1.0, -2.0, 1.0));
        assert!((mean + 0.22964).abs() < 0.02, "{mean}");
        let (mean, ..) = moments(|random| draw_between(random, 5.0, 1e6, 0.0, 1.0));
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        assert_eq!(moments(|random| draw_between(random, 0.0, 1.0, 3.0, 3.0)).0, 3.0);
        let (mean, ..) = moments(|random| draw_between(random, 0.0, 1.0, f64::NEG_INFINITY, 9.0));
        assert!(mean.abs() < 0.03, "{mean}");
        let (mean, ..) = moments(|random| draw_between(random, 0.0, 1.0, -9.0, -3.0));
        assert!((mean + 3.28310).abs() < 0.02, "{mean}");
    }
}
