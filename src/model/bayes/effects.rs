//! The hierarchical model of factors, drawn by Gibbs sampling from sufficient statistics:
//!
//! ```text
//! E_i ~ Normal(sum of the effects of its levels, sigma)     sigma: 1/sigma^2-flat
//! free:     effect ~ Normal(m_factor, tau_factor), m ~ Normal(0, 10 typical)
//! positive: effect ~ Normal+(0, tau_factor)
//! tau_factor ~ Exponential(mean typical)                    typical: mean size of E
//! ```
//!
//! Free effects are drawn all at once: adding to one factor what is taken from another
//! changes no prediction, so one at a time they would hardly move. Effects not below
//! zero can't be drawn at once; there, such shifts are moves of their own.

use faer::Mat;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::chains::Sampler;
use super::factors::Factors;
use super::slice;
use super::truncated::{above_zero, between};

/// Spread of a factor's mean, in typical energies.
pub(super) const MEAN_SD: f64 = 10.0;

/// What effects may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sign {
    /// Not below zero: no operation gives energy back.
    #[default]
    Positive,
    /// Anything.
    Free,
}

/// Sufficient statistics, in typical energies.
#[derive(Debug, Clone)]
pub(crate) struct Effects {
    /// How often two levels meet, p x p.
    meetings: Vec<f64>,
    /// Sum of energies by level.
    pull: Vec<f64>,
    energy: f64,
    cases: f64,
    factors: Vec<Vec<usize>>,
    factor_of: Vec<usize>,
    shifts: Vec<Shift>,
    sign: Sign,
    /// Mean size of an energy in joules.
    pub typical_j: f64,
}

/// A move along which predictions change little: some effects up, some down.
#[derive(Debug, Clone)]
struct Shift {
    up: Vec<usize>,
    down: Vec<usize>,
    /// `X'X d`.
    image: Vec<f64>,
    /// `d' X'X d`.
    square: f64,
}

impl Effects {
    /// The model of some measurements.
    pub fn new(data: &Factors, sign: Sign) -> Self {
        let p = data.levels.len();
        let size: f64 = data.energies_j.iter().map(|e| e.abs()).sum();
        let typical_j = (size / data.energies_j.len() as f64).max(f64::MIN_POSITIVE);
        let (mut meetings, mut pull, mut energy) = (vec![0.0; p * p], vec![0.0; p], 0.0);
        for (row, energy_j) in data.rows.iter().zip(&data.energies_j) {
            let e = energy_j / typical_j;
            energy += e * e;
            for i in row {
                pull[*i] += e;
                row.iter().for_each(|j| meetings[i * p + j] += 1.0);
            }
        }
        let factors = data.by_factor();
        let mut factor_of = vec![0; p];
        for (at, levels) in factors.iter().enumerate() {
            levels.iter().for_each(|level| factor_of[*level] = at);
        }
        let cases = data.rows.len() as f64;
        let shifts = shifts(&meetings, &factors);
        Self { meetings, pull, energy, cases, factors, factor_of, shifts, sign, typical_j }
    }

    fn p(&self) -> usize {
        self.pull.len()
    }

    /// Sum of energies by level.
    pub(super) fn pull(&self) -> &[f64] {
        &self.pull
    }

    /// Sum of squared energies.
    pub(super) fn energy(&self) -> f64 {
        self.energy
    }

    /// Number of measurements.
    pub(super) fn cases(&self) -> f64 {
        self.cases
    }

    /// The levels of every factor.
    pub(super) fn factors(&self) -> &[Vec<usize>] {
        &self.factors
    }

    /// How often a level meets the others.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.meetings[i * self.p()..(i + 1) * self.p()]
    }

    /// A start around the typical energy.
    pub fn start(&self, random: &mut ChaCha8Rng) -> Chain<'_> {
        let mut spread = |sd: f64| (sd * random.sample::<f64, _>(StandardNormal)).exp();
        let share = 1.0 / self.factors.len() as f64;
        let effects = (0..self.p()).map(|_| share * spread(0.5)).collect();
        let tau = self.factors.iter().map(|_| share * spread(0.5)).collect();
        let mean = self.factors.iter().map(|_| share * spread(0.5)).collect();
        Chain {
            of: self,
            effects,
            fitted: vec![0.0; self.p()],
            tau,
            mean,
            variance: 0.1 * spread(0.5),
        }
    }
}

/// For each factor but the first, the shift between it and the first factor's levels that
/// it qualifies; and for each of its levels, between it and those that it alone
/// qualifies.
fn shifts(meetings: &[f64], factors: &[Vec<usize>]) -> Vec<Shift> {
    let Some((first, others)) = factors.split_first() else { return Vec::new() };
    let p = factors.iter().map(Vec::len).sum::<usize>();
    let meet = |i: usize, j: usize| meetings[i * p + j];
    let mut found: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for factor in others {
        let qualified = |o: &usize| factor.iter().any(|level| meet(*o, *level) > 0.0);
        found.push((factor.clone(), first.iter().copied().filter(qualified).collect()));
        for level in factor {
            let alone = |o: &usize| meet(*o, *level) > 0.0 && meet(*o, *level) == meet(*o, *o);
            found.push((vec![*level], first.iter().copied().filter(alone).collect()));
        }
    }
    let filled = found.into_iter().filter(|(up, down)| !up.is_empty() && !down.is_empty());
    filled
        .map(|(up, down)| {
            let sum = |of: &[usize], k: usize| of.iter().map(|i| meet(*i, k)).sum::<f64>();
            let image: Vec<f64> = (0..p).map(|k| sum(&up, k) - sum(&down, k)).collect();
            let over = |of: &[usize]| of.iter().map(|i| image[*i]).sum::<f64>();
            let square = over(&up) - over(&down);
            Shift { up, down, image, square }
        })
        .collect()
}

/// The state of a chain, in typical energies.
#[derive(Debug, Clone)]
pub(crate) struct Chain<'a> {
    of: &'a Effects,
    effects: Vec<f64>,
    /// `X'X effects`.
    fitted: Vec<f64>,
    tau: Vec<f64>,
    mean: Vec<f64>,
    variance: f64,
}

impl Sampler for Chain<'_> {
    fn sweep(&mut self, random: &mut ChaCha8Rng) {
        match self.of.sign {
            Sign::Free => self.draw_together(random),
            Sign::Positive => {
                (0..self.effects.len()).for_each(|level| self.move_effect(level, random));
                (0..self.of.shifts.len()).for_each(|shift| self.shift(shift, random));
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

impl Chain<'_> {
    fn move_effect(&mut self, level: usize, random: &mut ChaCha8Rng) {
        let row = self.of.row(level);
        let own = row[level];
        let pull = self.of.pull[level] - self.fitted[level] + own * self.effects[level];
        let precision = own / self.variance + self.tau[self.of.factor_of[level]].powi(-2);
        let new = above_zero(random, pull / self.variance / precision, precision.sqrt().recip());
        let step = new - self.effects[level];
        self.effects[level] = new;
        self.fitted.iter_mut().zip(row).for_each(|(fitted, meet)| *fitted += step * meet);
    }

    fn shift(&mut self, shift: usize, random: &mut ChaCha8Rng) {
        let Shift { up, down, image, square } = &self.of.shifts[shift];
        let prior = |level: usize| self.tau[self.of.factor_of[level]].powi(-2);
        let (mut precision, mut pull) = (square / self.variance, 0.0);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (levels, sign) in [(up, 1.0), (down, -1.0)] {
            for level in levels {
                let effect = self.effects[*level];
                let slope = (self.of.pull[*level] - self.fitted[*level]) / self.variance;
                pull += sign * (slope - prior(*level) * effect);
                precision += prior(*level);
                if sign > 0.0 { low = low.max(-effect) } else { high = high.min(effect) }
            }
        }
        let step = between(random, pull / precision, precision.sqrt().recip(), low, high);
        up.iter().for_each(|level| self.effects[*level] = (self.effects[*level] + step).max(0.0));
        down.iter().for_each(|level| self.effects[*level] = (self.effects[*level] - step).max(0.0));
        self.fitted.iter_mut().zip(image).for_each(|(fitted, image)| *fitted += step * image);
    }

    /// All effects from their joint normal distribution, with the factors' means
    /// integrated out; then the means.
    fn draw_together(&mut self, random: &mut ChaCha8Rng) {
        let p = self.effects.len();
        let of = &self.of.factor_of;
        // Inverse of tau^2 I + s^2 11' within a factor.
        let shared = |factor: usize| {
            let (t, s) = (self.tau[factor].powi(2), MEAN_SD * MEAN_SD);
            s / (t * (t + s * self.of.factors[factor].len() as f64))
        };
        let precision = Mat::from_fn(p, p, |i, j| {
            let own = if i == j { self.tau[of[i]].powi(-2) } else { 0.0 };
            let joint = if of[i] == of[j] { shared(of[i]) } else { 0.0 };
            self.of.meetings[i * p + j] / self.variance + own - joint
        });
        let Ok(factor) = precision.llt(faer::Side::Lower) else { return };
        let lower = factor.L();
        // L L' x = h / s^2 + L z: mean and noise by one forward and one backward pass.
        let mut x: Vec<f64> = self.of.pull.iter().map(|h| h / self.variance).collect();
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
        let (levels, tau) = (&self.of.factors[factor], self.tau[factor]);
        let precision = levels.len() as f64 / (tau * tau) + MEAN_SD.powi(-2);
        let sum: f64 = levels.iter().map(|level| self.effects[*level]).sum();
        let step: f64 = random.sample(StandardNormal);
        self.mean[factor] = sum / (tau * tau) / precision + step / precision.sqrt();
    }

    fn move_scale(&mut self, factor: usize, random: &mut ChaCha8Rng) {
        let levels = &self.of.factors[factor];
        let centre = if self.of.sign == Sign::Free { self.mean[factor] } else { 0.0 };
        let squares: f64 = levels.iter().map(|at| (self.effects[*at] - centre).powi(2)).sum();
        let n = levels.len() as f64;
        let log_density = |tau: f64| -n * tau.ln() - squares / (2.0 * tau * tau) - tau;
        self.tau[factor] = slice::positive(random, self.tau[factor], log_density);
    }

    fn move_variance(&mut self, random: &mut ChaCha8Rng) {
        for level in 0..self.effects.len() {
            let row = self.of.row(level);
            self.fitted[level] = row.iter().zip(&self.effects).map(|(n, e)| n * e).sum();
        }
        let cross: f64 = self.effects.iter().zip(&self.of.pull).map(|(e, h)| e * h).sum();
        let square: f64 = self.effects.iter().zip(&self.fitted).map(|(e, f)| e * f).sum();
        let squares = (self.of.energy - 2.0 * cross + square).max(1e-20);
        let draw = ChiSquared::new(self.of.cases).expect("there are cases").sample(random);
        self.variance = squares / draw;
    }
}
