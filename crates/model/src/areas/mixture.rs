//! Block effects as normal distributions of random variance: Student's t is a mixture of normal
//! distributions with variances `s^2 / w`, `w` from a gamma distribution, here on a grid of `ln w`.

/// Start of the grid of `ln(1/w)`.
const FIRST: f64 = -3.0;
/// Steps of the grid, number and length: fine where most of the distribution is; coarse far out,
/// where an area is whose counts explain next to nothing (it calls a library once, for long).
const STEPS: [(usize, f64); 2] = [(28, 0.55), (14, 2.0)];

/// Distribution of block effects, normal or Student's t, as a mixture of normal ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mixture {
    /// `s^2`.
    pub variance: f64,
    /// Degrees of freedom; none of a normal one.
    pub freedom: Option<f64>,
    /// Factors of `s^2` with their probabilities.
    points: Vec<(f64, f64)>,
}

/// One possible variance of the block effect of an area, with its probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BlockEffect {
    /// In squared units.
    pub variance: f64,
    /// Probability, 0..1.
    pub likely: f64,
}

impl BlockEffect {
    /// Returns the logarithm of the joint density of this variance and a residual whose own
    /// variance is `psi`.
    fn log_likely(self, psi: f64, residual: f64) -> f64 {
        self.likely.ln() + log_normal(residual, self.variance + psi)
    }
}

impl Mixture {
    /// Returns effects with these degrees of freedom; normal ones without.
    pub fn of(variance: f64, freedom: Option<f64>) -> Self {
        freedom.map_or_else(|| Self::normal(variance), |freedom| Self::student(variance, freedom))
    }

    /// Returns normal effects of this variance.
    pub fn normal(variance: f64) -> Self {
        Self { variance, freedom: None, points: vec![(1.0, 1.0)] }
    }

    /// Returns effects of Student's t with this `s^2`.
    fn student(variance: f64, freedom: f64) -> Self {
        let mut log = FIRST;
        let mut points = Vec::new();
        for (count, step) in STEPS {
            for _ in 0..count {
                let density = (-freedom / 2.0 * (log + (-log).exp() - 1.0)).exp();
                points.push((log.exp(), density * step));
                log += step;
            }
        }
        let sum: f64 = points.iter().map(|(_, density)| density).sum();
        let points = points.into_iter().map(|(factor, density)| (factor, density / sum)).collect();
        Self { variance, freedom: Some(freedom), points }
    }

    /// Returns the distribution with another variance and the same shape.
    pub(crate) fn with_variance(&self, variance: f64) -> Self {
        Self { variance, ..self.clone() }
    }

    /// Returns the possible variances of the effect of an area of this scale, with their prior
    /// probabilities.
    pub fn effects(&self, scale: f64) -> impl Iterator<Item = BlockEffect> {
        let whole = self.variance * scale * scale;
        let effect = move |(factor, likely): &(f64, f64)| BlockEffect {
            variance: whole * factor,
            likely: *likely,
        };
        self.points.iter().map(effect)
    }

    /// Returns the possible variances with their probabilities after a residual whose own variance
    /// is `psi`.
    pub fn effects_after(&self, scale: f64, psi: f64, residual: f64) -> Vec<BlockEffect> {
        let seen: Vec<(f64, f64)> = self
            .effects(scale)
            .map(|effect| (effect.variance, effect.log_likely(psi, residual)))
            .collect();
        let most = seen.iter().fold(f64::NEG_INFINITY, |most, (_, log)| most.max(*log));
        let weights: Vec<f64> = seen.iter().map(|(_, log)| (log - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let effect = |(&(variance, _), weight): (&(f64, f64), f64)| BlockEffect {
            variance,
            likely: weight / sum,
        };
        seen.iter().zip(weights).map(effect).collect()
    }

    /// Returns the logarithm of the density of a residual whose own variance is `psi`.
    pub(crate) fn log_density(&self, scale: f64, psi: f64, residual: f64) -> f64 {
        let density = |effect: BlockEffect| {
            let variance = effect.variance + psi;
            effect.likely * (-residual * residual / variance / 2.0).exp() / variance.sqrt()
        };
        let sum: f64 = self.effects(scale).map(density).sum();
        // Far out, where the sum is nothing, its widest part alone.
        if sum > 0.0 { sum.ln() } else { self.widest(scale, psi, residual) }
    }

    fn widest(&self, scale: f64, psi: f64, residual: f64) -> f64 {
        let logs = self.effects(scale).map(|effect| effect.log_likely(psi, residual));
        logs.fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Logarithm of a normal density, without the constant.
fn log_normal(residual: f64, variance: f64) -> f64 {
    -(residual * residual / variance + variance.ln()) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::student_975;

    /// Student's t with 3 degrees of freedom at 0, 1 and 3 standard units, by its density
    /// 6 sqrt(3) / (pi (3 + x^2)^2).
    #[test]
    fn the_mixture_is_students_t() {
        let mixture = Mixture::student(1.0, 3.0);
        let root = (2.0 * std::f64::consts::PI).sqrt();
        for x in [0.0f64, 1.0, 3.0, 10.0] {
            let expected = 6.0 * 3f64.sqrt() / (std::f64::consts::PI * (3.0 + x * x).powi(2));
            let found = mixture.log_density(1.0, 1e-12, x).exp() / root;
            assert!((found / expected - 1.0).abs() < 1e-4, "{x}: {found} {expected}");
        }
        assert!(student_975(3.0) > 3.1);
    }
}
