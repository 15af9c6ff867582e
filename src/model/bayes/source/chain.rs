//! The moves of a chain over the model at source level.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::super::chains::Sampler;
use super::super::slice;
use super::super::truncated::{above_zero, between};
use super::{HALF_NORMAL_MEAN, KERNEL_LEVEL, NOISE_FREEDOM, Source};

/// The state of a chain.
#[derive(Debug, Clone)]
pub(crate) struct Chain<'a> {
    of: &'a Source,
    /// Scaled costs.
    b: Vec<f64>,
    /// `X'X b`, kept up to date.
    fitted: Vec<f64>,
    /// Scale of every family in joules.
    tau: Vec<f64>,
    /// Mean of the scales in joules.
    level: f64,
    /// `s^2`.
    variance: f64,
    /// g.
    factor: f64,
}

impl Sampler for Chain<'_> {
    fn sweep(&mut self, random: &mut ChaCha8Rng) {
        (0..self.b.len()).for_each(|j| self.move_cost(j, random));
        (0..self.of.pairs.len()).for_each(|pair| self.move_pair(pair, random));
        (0..self.tau.len()).for_each(|family| self.move_family(family, random));
        (0..self.tau.len()).for_each(|family| self.move_scale(family, random));
        self.move_level(random);
        self.move_factor(random);
        self.move_variance(random);
    }

    fn record(&self, to: &mut Vec<f64>) {
        to.extend(&self.b);
        to.extend(&self.tau);
        to.extend([self.level, self.variance.sqrt()]);
        if self.of.kernels.iter().any(Option::is_some) {
            to.push(self.factor);
        }
    }
}

impl<'a> Chain<'a> {
    /// A chain at a start.
    pub fn new(of: &'a Source, b: Vec<f64>, tau: Vec<f64>, level: f64, variance: f64) -> Self {
        let fitted = vec![0.0; b.len()];
        let mut chain = Self { of, b, fitted, tau, level, variance, factor: 1.0 };
        chain.refresh();
        chain
    }

    /// Undoes the rounding errors of many updates.
    fn refresh(&mut self) {
        self.fitted.fill(0.0);
        for j in 0..self.b.len() {
            add(&mut self.fitted, self.b[j], self.of.column(j));
        }
    }

    /// Mean and precision of a scaled cost's prior, before it is cut at zero.
    fn prior(&self, j: usize) -> (f64, f64) {
        match (self.of.kernels[j], self.of.family_of[j]) {
            (Some((cost, sd)), _) => (self.factor * cost, sd.powi(-2)),
            (None, family) => {
                let tau = family.map_or(self.level, |family| self.tau[family]);
                (0.0, (tau * self.of.scale[j]).powi(-2))
            }
        }
    }

    /// One cost up and its like down by the same (scaled) amount.
    fn move_pair(&mut self, pair: usize, random: &mut ChaCha8Rng) {
        let (i, j) = self.of.pairs[pair];
        let at = |i: usize, j: usize| self.of.column(i)[j];
        let square = (at(i, i) + at(j, j) - 2.0 * at(i, j)).max(0.0);
        let slope = |j: usize| self.of.pull[j] - self.fitted[j];
        let ((mean_i, precision_i), (mean_j, precision_j)) = (self.prior(i), self.prior(j));
        let precision = square / self.variance + precision_i + precision_j;
        let pull = (slope(i) - slope(j)) / self.variance + precision_i * (mean_i - self.b[i])
            - precision_j * (mean_j - self.b[j]);
        let sd = precision.sqrt().recip();
        let step = between(random, pull / precision, sd, -self.b[i], self.b[j]);
        self.b[i] = (self.b[i] + step).max(0.0);
        self.b[j] = (self.b[j] - step).max(0.0);
        add(&mut self.fitted, step, self.of.column(i));
        add(&mut self.fitted, -step, self.of.column(j));
    }

    fn move_cost(&mut self, j: usize, random: &mut ChaCha8Rng) {
        let (mean, precision) = self.prior(j);
        let own = self.of.products[j * (self.b.len() + 1)];
        let slope = self.of.pull[j] - self.fitted[j] + own * self.b[j];
        let total = own / self.variance + precision;
        let mean = (slope / self.variance + precision * mean) / total;
        let new = above_zero(random, mean, total.sqrt().recip());
        let step = new - self.b[j];
        self.b[j] = new;
        add(&mut self.fitted, step, self.of.column(j));
    }

    /// Costs and scale of a family times one factor k: the likelihood is normal in k, the
    /// half-normals don't change, and the prior of the scale is exponential in k.
    fn move_family(&mut self, family: usize, random: &mut ChaCha8Rng) {
        let members = &self.of.families[family];
        let mut share = vec![0.0; self.b.len()];
        members.iter().for_each(|j| add(&mut share, self.b[*j], self.of.column(*j)));
        let over = |of: &dyn Fn(usize) -> f64| members.iter().map(|j| self.b[*j] * of(*j)).sum();
        let square: f64 = over(&|j| share[j]);
        let pull: f64 = over(&|j| self.of.pull[j] - self.fitted[j] + share[j]);
        let precision = square / self.variance;
        // Operations that never ran: the prior moves them.
        if precision.is_nan() || precision <= 1e-12 {
            return;
        }
        let mean = (pull / self.variance - self.tau[family] / self.level) / precision;
        let factor = above_zero(random, mean, precision.sqrt().recip());
        if factor > 0.0 && factor.is_finite() {
            members.iter().for_each(|j| self.b[*j] *= factor);
            self.tau[family] *= factor;
            add(&mut self.fitted, factor - 1.0, &share);
        }
    }

    fn move_scale(&mut self, family: usize, random: &mut ChaCha8Rng) {
        let members = &self.of.families[family];
        let n = members.len() as f64;
        let squares: f64 = members.iter().map(|j| (self.b[*j] / self.of.scale[*j]).powi(2)).sum();
        let level = self.level;
        let log_density = |tau: f64| -n * tau.ln() - squares / (2.0 * tau * tau) - tau / level;
        self.tau[family] = slice::positive(random, self.tau[family], log_density);
    }

    fn move_level(&mut self, random: &mut ChaCha8Rng) {
        let (n, sum) = (self.tau.len() as f64, self.tau.iter().sum::<f64>());
        let centre = (self.of.common_j / HALF_NORMAL_MEAN).ln();
        let log_density = |level: f64| {
            let off = level.ln() - centre;
            -off * off / 2.0 - level.ln() - n * level.ln() - sum / level
        };
        self.level = slice::positive(random, self.level, log_density);
    }

    fn move_factor(&mut self, random: &mut ChaCha8Rng) {
        let (mut precision, mut pull) = (KERNEL_LEVEL.powi(-2), KERNEL_LEVEL.powi(-2));
        for (b, kernel) in self.b.iter().zip(&self.of.kernels) {
            if let Some((cost, sd)) = kernel {
                precision += (cost / sd).powi(2);
                pull += cost * b / (sd * sd);
            }
        }
        let step: f64 = random.sample(StandardNormal);
        self.factor = pull / precision + step / precision.sqrt();
    }

    fn move_variance(&mut self, random: &mut ChaCha8Rng) {
        self.refresh();
        let cross: f64 = self.b.iter().zip(&self.of.pull).map(|(b, xy)| b * xy).sum();
        let square: f64 = self.b.iter().zip(&self.fitted).map(|(b, f)| b * f).sum();
        let squares = (self.of.energy - 2.0 * cross + square).max(0.0);
        let freedom = NOISE_FREEDOM + self.of.cases;
        let draw = ChiSquared::new(freedom).expect("positive degrees of freedom").sample(random);
        self.variance = (NOISE_FREEDOM * self.of.noise + squares) / draw;
    }
}

/// `to += factor * column`.
fn add(to: &mut [f64], factor: f64, column: &[f64]) {
    to.iter_mut().zip(column).for_each(|(to, column)| *to += factor * column);
}
