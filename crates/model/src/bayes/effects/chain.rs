//! The moves of a chain over the effects of factors.

use faer::Mat;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};
use wattline_units::foreign::catch_foreign_panic;

use super::super::chains::ChainSampler;
use super::super::slice_sampling;
use super::super::truncated_normal::{draw_above_zero, draw_between};
use super::{EffectSign, EffectStats, FACTOR_MEAN_PRIOR_SD, ShiftMove, StretchMove};

/// The state of a chain, in typical energies.
#[derive(Debug, Clone)]
pub(crate) struct EffectsChain<'a> {
    stats: &'a EffectStats,
    effects: Vec<f64>,
    /// `X'X effects`.
    fitted: Vec<f64>,
    tau: Vec<f64>,
    mean: Vec<f64>,
    variance: f64,
}

impl ChainSampler for EffectsChain<'_> {
    fn sweep(&mut self, random: &mut ChaCha8Rng) {
        match self.stats.sign {
            EffectSign::Free => self.draw_together(random),
            EffectSign::Positive => {
                (0..self.effects.len()).for_each(|level| self.move_effect(level, random));
                (0..self.stats.shifts.len()).for_each(|shift| self.shift(shift, random));
                (0..self.stats.stretches.len()).for_each(|at| self.stretch(at, random));
            }
        }
        (0..self.tau.len()).for_each(|factor| self.move_scale(factor, random));
        self.move_variance(random);
    }

    fn record(&self, to: &mut Vec<f64>) {
        to.extend(&self.effects);
        to.extend(&self.tau);
        to.push(self.variance.sqrt());
    }
}

impl<'a> EffectsChain<'a> {
    /// Creates a chain at a start.
    pub fn new(
        stats: &'a EffectStats,
        effects: Vec<f64>,
        tau: Vec<f64>,
        mean: Vec<f64>,
        variance: f64,
    ) -> Self {
        let mut chain =
            Self { stats, fitted: vec![0.0; effects.len()], effects, tau, mean, variance };
        chain.refresh();
        chain
    }

    /// Undoes the rounding errors of many updates.
    fn refresh(&mut self) {
        for level in 0..self.effects.len() {
            let row = self.stats.row(level);
            self.fitted[level] = row.iter().zip(&self.effects).map(|(n, e)| n * e).sum();
        }
    }

    fn move_effect(&mut self, level: usize, random: &mut ChaCha8Rng) {
        let row = self.stats.row(level);
        let own = row[level];
        let pull = self.stats.pull[level] - self.fitted[level] + own * self.effects[level];
        let precision = own / self.variance + self.tau[self.stats.factor_of[level]].powi(-2);
        let new =
            draw_above_zero(random, pull / self.variance / precision, precision.sqrt().recip());
        let step = new - self.effects[level];
        self.effects[level] = new;
        self.fitted.iter_mut().zip(row).for_each(|(fitted, meet)| *fitted += step * meet);
    }

    fn shift(&mut self, shift: usize, random: &mut ChaCha8Rng) {
        let ShiftMove { up, down, image, square } = &self.stats.shifts[shift];
        let prior = |level: usize| self.tau[self.stats.factor_of[level]].powi(-2);
        let (mut precision, mut pull) = (square / self.variance, 0.0);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (levels, sign) in [(up, 1.0), (down, -1.0)] {
            for level in levels {
                let effect = self.effects[*level];
                let slope = (self.stats.pull[*level] - self.fitted[*level]) / self.variance;
                pull += sign * (slope - prior(*level) * effect);
                precision += prior(*level);
                if sign > 0.0 { low = low.max(-effect) } else { high = high.min(effect) }
            }
        }
        let step = draw_between(random, pull / precision, precision.sqrt().recip(), low, high);
        up.iter().for_each(|level| self.effects[*level] = (self.effects[*level] + step).max(0.0));
        down.iter().for_each(|level| self.effects[*level] = (self.effects[*level] - step).max(0.0));
        self.fitted.iter_mut().zip(image).for_each(|(fitted, image)| *fitted += step * image);
    }

    /// Multiplies effects and scale of a factor by k and lowers the effects `down` by (k - 1) of
    /// its mean. Such changes follow upon each other as k's multiply, so k has the density of where
    /// they lead, times the volume k^(n + 1), over k: the likelihood and the prior of `down` are
    /// normal in k, the half-normals of the factor give k^-n, and the prior of the scale is
    /// exponential in k.
    fn stretch(&mut self, at: usize, random: &mut ChaCha8Rng) {
        let StretchMove { factor, down, image } = &self.stats.stretches[at];
        let levels = &self.stats.factors[*factor];
        let mean = levels.iter().map(|l| self.effects[*l]).sum::<f64>() / levels.len() as f64;
        let mut moved: Vec<f64> = image.iter().map(|image| -mean * image).collect();
        for level in levels {
            let effect = self.effects[*level];
            moved.iter_mut().zip(self.stats.row(*level)).for_each(|(to, n)| *to += effect * n);
        }
        let (mut square, mut slope) = (0.0, 0.0);
        let mut along = |level: usize, size: f64| {
            square += size * moved[level];
            slope += size * (self.stats.pull[level] - self.fitted[level]);
        };
        levels.iter().for_each(|level| along(*level, self.effects[*level]));
        down.iter().for_each(|level| along(*level, -mean));
        let mut precision = square / self.variance;
        let mut pull = slope / self.variance - self.tau[*factor];
        let mut high = f64::INFINITY;
        for level in down {
            let (effect, prior) =
                (self.effects[*level], self.tau[self.stats.factor_of[*level]].powi(-2));
            precision += prior * mean * mean;
            pull += prior * mean * effect;
            high = high.min(effect / mean);
        }
        if precision.is_nan() || precision <= 1e-12 || mean <= 0.0 {
            return;
        }
        let sd = precision.sqrt().recip();
        let step = draw_between(random, pull / precision, sd, -1.0, high);
        // k = 0 is of no probability; rounding must not make it one.
        let factor_k = (1.0 + step).max(1e-12);
        levels.iter().for_each(|level| self.effects[*level] *= factor_k);
        for level in down {
            self.effects[*level] = (self.effects[*level] - step * mean).max(0.0);
        }
        self.tau[*factor] *= factor_k;
        self.fitted.iter_mut().zip(&moved).for_each(|(fitted, moved)| *fitted += step * moved);
    }

    /// Draws all effects from their joint normal distribution, with the factors' means integrated
    /// out; then the means.
    fn draw_together(&mut self, random: &mut ChaCha8Rng) {
        let p = self.effects.len();
        let of = &self.stats.factor_of;
        // Inverse of tau^2 I + s^2 11' within a factor.
        let shared = |factor: usize| {
            let (t, s) = (self.tau[factor].powi(2), FACTOR_MEAN_PRIOR_SD * FACTOR_MEAN_PRIOR_SD);
            s / (t * (t + s * self.stats.factors[factor].len() as f64))
        };
        let precision = Mat::from_fn(p, p, |i, j| {
            let own = if i == j { self.tau[of[i]].powi(-2) } else { 0.0 };
            let joint = if of[i] == of[j] { shared(of[i]) } else { 0.0 };
            self.stats.meetings[i * p + j] / self.variance + own - joint
        });
        let Ok(Ok(factor)) = catch_foreign_panic(|| precision.llt(faer::Side::Lower)) else {
            return;
        };
        let lower = factor.L();
        // L L' x = h / s^2 + L z: mean and noise by one forward and one backward pass.
        let mut x: Vec<f64> = self.stats.pull.iter().map(|h| h / self.variance).collect();
        for j in 0..p {
            x[j] /= lower[(j, j)];
            let known = x[j];
            (j + 1..p).for_each(|i| x[i] -= lower[(i, j)] * known);
            x[j] += random.sample::<f64, _>(StandardNormal);
        }
        for j in (0..p).rev() {
            let known: f64 = (j + 1..p).map(|i| lower[(i, j)] * x[i]).sum();
            x[j] = (x[j] - known) / lower[(j, j)];
        }
        self.effects = x;
        (0..self.mean.len()).for_each(|factor| self.move_mean(factor, random));
    }

    fn move_mean(&mut self, factor: usize, random: &mut ChaCha8Rng) {
        let (levels, tau) = (&self.stats.factors[factor], self.tau[factor]);
        let precision = levels.len() as f64 / (tau * tau) + FACTOR_MEAN_PRIOR_SD.powi(-2);
        let sum: f64 = levels.iter().map(|level| self.effects[*level]).sum();
        let step: f64 = random.sample(StandardNormal);
        self.mean[factor] = sum / (tau * tau) / precision + step / precision.sqrt();
    }

    fn move_scale(&mut self, factor: usize, random: &mut ChaCha8Rng) {
        let levels = &self.stats.factors[factor];
        let centre = if self.stats.sign == EffectSign::Free { self.mean[factor] } else { 0.0 };
        let squares: f64 = levels.iter().map(|at| (self.effects[*at] - centre).powi(2)).sum();
        let n = levels.len() as f64;
        let log_density = |tau: f64| -n * tau.ln() - squares / (2.0 * tau * tau) - tau;
        self.tau[factor] = slice_sampling::draw_positive(random, self.tau[factor], log_density);
    }

    fn move_variance(&mut self, random: &mut ChaCha8Rng) {
        self.refresh();
        let cross: f64 = self.effects.iter().zip(&self.stats.pull).map(|(e, h)| e * h).sum();
        let square: f64 = self.effects.iter().zip(&self.fitted).map(|(e, f)| e * f).sum();
        let squares = (self.stats.energy - 2.0 * cross + square).max(1e-20);
        let draw = ChiSquared::new(self.stats.cases).expect("there are cases").sample(random);
        self.variance = squares / draw;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::chains::{ChainOptions, run_chains};
    use super::super::super::factors::FactorMeasurements;
    use super::*;

    /// Small effects in much noise, where stretching matters: with and without it chains
    /// draw from the same distribution.
    #[test]
    fn stretching_changes_nothing_but_the_pace() {
        let names = ["operation", "size"].map(str::to_owned);
        let measured: Vec<(Vec<String>, f64)> = (0..90)
            .map(|i| {
                let (operation, size) = (i % 5, i / 5 % 3);
                let noise = f64::from(i * 7919 % 97) / 97.0 - 0.5;
                let levels = vec![operation.to_string(), size.to_string()];
                (levels, 0.2 + f64::from(operation) + 0.1 * f64::from(size) + noise)
            })
            .collect();
        let data = FactorMeasurements::new(&names, &measured).unwrap();
        let with = EffectStats::new(&data, EffectSign::Positive);
        let without = EffectStats { stretches: Vec::new(), ..with.clone() };
        let options = ChainOptions { draws: 4000, thin: 8, ..Default::default() };
        let drawn =
            |model: &EffectStats| run_chains(&options, |random| model.start(random)).unwrap();
        let (a, b) = (drawn(&with), drawn(&without));
        assert!(a.ess_min().0 > b.ess_min().0, "{:?} {:?}", a.ess_min(), b.ess_min());
        for (quantity, (x, y)) in a.diagnoses.iter().zip(&b.diagnoses).enumerate() {
            let mean = |of: Vec<f64>| of.iter().sum::<f64>() / of.len() as f64;
            let (mean_a, mean_b) = (mean(a.of(quantity)), mean(b.of(quantity)));
            let error = f64::hypot(x.unwrap().mcse_mean, y.unwrap().mcse_mean);
            assert!((mean_a - mean_b).abs() < 4.5 * error, "{quantity}: {mean_a} {mean_b} {error}");
        }
    }
}
