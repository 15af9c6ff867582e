//! The moves of a chain over the model at source level.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::super::chains::ChainSampler;
use super::super::slice_sampling;
use super::super::truncated_normal::{draw_above_zero, draw_between};
use super::{HALF_NORMAL_MEAN, SourceLevelStats};

/// The state of a chain.
#[derive(Debug, Clone)]
pub(crate) struct SourceLevelChain<'a> {
    stats: &'a SourceLevelStats,
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

impl ChainSampler for SourceLevelChain<'_> {
    fn sweep(&mut self, random: &mut ChaCha8Rng) {
        (0..self.b.len()).for_each(|j| self.move_cost(j, random));
        (0..self.stats.pairs.len()).for_each(|pair| self.move_pair(pair, random));
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
        if self.stats.microbenchmarks.len() > 0 {
            to.push(self.factor);
        }
    }
}

impl<'a> SourceLevelChain<'a> {
    /// Creates a chain at a start, with a microbenchmark factor of 1.
    pub fn new(
        stats: &'a SourceLevelStats,
        b: Vec<f64>,
        tau: Vec<f64>,
        level: f64,
        variance: f64,
    ) -> Self {
        let fitted = vec![0.0; b.len()];
        let mut chain = Self { stats, b, fitted, tau, level, variance, factor: 1.0 };
        chain.refresh();
        chain
    }

    /// Undoes the rounding errors of many updates.
    fn refresh(&mut self) {
        self.fitted.fill(0.0);
        for j in 0..self.b.len() {
            add(&mut self.fitted, self.b[j], self.stats.column(j));
        }
    }

    /// Returns the derivative of the log prior by a scaled cost, and its negative curvature.
    fn prior(&self, j: usize) -> (f64, f64) {
        if let Some(at) = self.stats.microbenchmarks.place(j) {
            let precision = self.stats.microbenchmarks.precision.col(at);
            let known =
                self.stats.microbenchmarks.columns.iter().zip(&self.stats.microbenchmarks.costs);
            let off = known.map(|(column, cost)| self.b[*column] - self.factor * cost);
            let slope: f64 = precision.iter().zip(off).map(|(p, off)| p * off).sum();
            return (-slope, precision[at]);
        }
        let tau = self.stats.family_of[j].map_or(self.level, |family| self.tau[family]);
        let precision = (tau * self.stats.scale[j]).powi(-2);
        (-precision * self.b[j], precision)
    }

    /// The prior's precision between two columns.
    fn prior_between(&self, i: usize, j: usize) -> f64 {
        match (self.stats.microbenchmarks.place(i), self.stats.microbenchmarks.place(j)) {
            (Some(i), Some(j)) => self.stats.microbenchmarks.precision[(i, j)],
            _ => 0.0,
        }
    }

    /// Moves one cost up and its similar one down by the same scaled amount.
    fn move_pair(&mut self, pair: usize, random: &mut ChaCha8Rng) {
        let (i, j) = self.stats.pairs[pair];
        let at = |i: usize, j: usize| self.stats.column(i)[j];
        let square = (at(i, i) + at(j, j) - 2.0 * at(i, j)).max(0.0);
        let slope = |j: usize| self.stats.pull[j] - self.fitted[j];
        let ((slope_i, precision_i), (slope_j, precision_j)) = (self.prior(i), self.prior(j));
        let of_prior = precision_i + precision_j - 2.0 * self.prior_between(i, j);
        let precision = square / self.variance + of_prior;
        let pull = (slope(i) - slope(j)) / self.variance + slope_i - slope_j;
        let sd = precision.sqrt().recip();
        let step = draw_between(random, pull / precision, sd, -self.b[i], self.b[j]);
        self.b[i] = (self.b[i] + step).max(0.0);
        self.b[j] = (self.b[j] - step).max(0.0);
        add(&mut self.fitted, step, self.stats.column(i));
        add(&mut self.fitted, -step, self.stats.column(j));
    }

    fn move_cost(&mut self, j: usize, random: &mut ChaCha8Rng) {
        let (rise, precision) = self.prior(j);
        let own = self.stats.products[j * (self.b.len() + 1)];
        let slope = (self.stats.pull[j] - self.fitted[j]) / self.variance + rise;
        let total = own / self.variance + precision;
        let mean = self.b[j] + slope / total;
        let new = draw_above_zero(random, mean, total.sqrt().recip());
        let step = new - self.b[j];
        self.b[j] = new;
        add(&mut self.fitted, step, self.stats.column(j));
    }

    /// Multiplies costs and scale of a family by one factor k: the likelihood is normal in k, the
    /// half-normals don't change, and the prior of the scale is exponential in k.
    fn move_family(&mut self, family: usize, random: &mut ChaCha8Rng) {
        let members = &self.stats.families[family];
        let mut share = vec![0.0; self.b.len()];
        members.iter().for_each(|j| add(&mut share, self.b[*j], self.stats.column(*j)));
        let over = |of: &dyn Fn(usize) -> f64| members.iter().map(|j| self.b[*j] * of(*j)).sum();
        let square: f64 = over(&|j| share[j]);
        let pull: f64 = over(&|j| self.stats.pull[j] - self.fitted[j] + share[j]);
        let precision = square / self.variance;
        // Operations that never ran: the prior moves them.
        if precision.is_nan() || precision <= 1e-12 {
            return;
        }
        let mean = (pull / self.variance - self.tau[family] / self.level) / precision;
        let factor = draw_above_zero(random, mean, precision.sqrt().recip());
        if factor > 0.0 && factor.is_finite() {
            members.iter().for_each(|j| self.b[*j] *= factor);
            self.tau[family] *= factor;
            add(&mut self.fitted, factor - 1.0, &share);
        }
    }

    fn move_scale(&mut self, family: usize, random: &mut ChaCha8Rng) {
        let members = &self.stats.families[family];
        let n = members.len() as f64;
        let squares: f64 =
            members.iter().map(|j| (self.b[*j] / self.stats.scale[*j]).powi(2)).sum();
        let level = self.level;
        let log_density = |tau: f64| -n * tau.ln() - squares / (2.0 * tau * tau) - tau / level;
        self.tau[family] = slice_sampling::draw_positive(random, self.tau[family], log_density);
    }

    fn move_level(&mut self, random: &mut ChaCha8Rng) {
        let (n, sum) = (self.tau.len() as f64, self.tau.iter().sum::<f64>());
        let centre = (self.stats.common_j / HALF_NORMAL_MEAN).ln();
        let log_density = |level: f64| {
            let off = level.ln() - centre;
            -off * off / 2.0 - level.ln() - n * level.ln() - sum / level
        };
        self.level = slice_sampling::draw_positive(random, self.level, log_density);
    }

    fn move_factor(&mut self, random: &mut ChaCha8Rng) {
        let level = self.stats.assumed.microbenchmark_level.powi(-2);
        let (mut precision, mut pull) = (level, level);
        let microbenchmarks = &self.stats.microbenchmarks;
        for (at, cost) in microbenchmarks.costs.iter().enumerate() {
            let column = self.stats.microbenchmarks.precision.col(at);
            let times = |of: &dyn Fn(usize) -> f64| -> f64 {
                column.iter().enumerate().map(|(other, p)| p * of(other)).sum()
            };
            precision += cost * times(&|other| microbenchmarks.costs[other]);
            pull += cost * times(&|other| self.b[microbenchmarks.columns[other]]);
        }
        let step: f64 = random.sample(StandardNormal);
        self.factor = pull / precision + step / precision.sqrt();
    }

    fn move_variance(&mut self, random: &mut ChaCha8Rng) {
        self.refresh();
        let cross: f64 = self.b.iter().zip(&self.stats.pull).map(|(b, xy)| b * xy).sum();
        let square: f64 = self.b.iter().zip(&self.fitted).map(|(b, f)| b * f).sum();
        let squares = (self.stats.energy - 2.0 * cross + square).max(0.0);
        let supposed = self.stats.assumed.noise_freedom;
        let freedom = supposed + self.stats.cases;
        let draw = ChiSquared::new(freedom).expect("positive degrees of freedom").sample(random);
        self.variance = (supposed * self.stats.noise + squares) / draw;
    }
}

/// `to += factor * column`.
fn add(to: &mut [f64], factor: f64, column: &[f64]) {
    to.iter_mut().zip(column).for_each(|(to, column)| *to += factor * column);
}
