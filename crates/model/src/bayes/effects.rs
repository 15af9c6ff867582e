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
//! zero can't be drawn at once; there, such shifts are moves of their own, and so is
//! stretching a factor with its scale (given its effects alone, a scale hardly moves).

mod chain;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

pub(crate) use self::chain::EffectsChain;
use super::factors::FactorMeasurements;

/// Prior standard deviation of the mean effect of a factor's levels, in typical energies of the
/// measurements.
pub(super) const FACTOR_MEAN_PRIOR_SD: f64 = 10.0;

/// Constraint on the sign of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EffectSign {
    /// Not below zero: no operation gives energy back.
    #[default]
    Positive,
    /// No constraint.
    Free,
}

/// Sufficient statistics of measurements for the model of factors, in typical energies.
#[derive(Debug, Clone)]
pub(crate) struct EffectStats {
    /// Number of measurements that have both of two levels, p x p.
    meetings: Vec<f64>,
    /// Sum of energies by level.
    pull: Vec<f64>,
    energy: f64,
    cases: f64,
    factors: Vec<Vec<usize>>,
    factor_of: Vec<usize>,
    shifts: Vec<ShiftMove>,
    stretches: Vec<StretchMove>,
    sign: EffectSign,
    /// Mean size of an energy in joules.
    pub typical_j: f64,
}

/// A move along which predictions change little: some effects up, some down.
#[derive(Debug, Clone)]
struct ShiftMove {
    up: Vec<usize>,
    down: Vec<usize>,
    /// `X'X d`.
    image: Vec<f64>,
    /// `d' X'X d`.
    square: f64,
}

impl EffectStats {
    /// Computes the statistics of measurements.
    pub fn new(data: &FactorMeasurements, sign: EffectSign) -> Self {
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
        let shifts = shift_moves(&meetings, &factors);
        let stretches = stretch_moves(&meetings, &factors);
        Self {
            meetings,
            pull,
            energy,
            cases,
            factors,
            factor_of,
            shifts,
            stretches,
            sign,
            typical_j,
        }
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

    /// Returns the number of measurements that a level has in common with each level.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.meetings[i * self.p()..(i + 1) * self.p()]
    }

    /// Returns a chain at a random start around the typical energy.
    pub fn start(&self, random: &mut ChaCha8Rng) -> EffectsChain<'_> {
        let mut spread = |sd: f64| (sd * random.sample::<f64, _>(StandardNormal)).exp();
        let share = 1.0 / self.factors.len() as f64;
        let effects = (0..self.p()).map(|_| share * spread(0.5)).collect();
        let tau = self.factors.iter().map(|_| share * spread(0.5)).collect();
        let mean = self.factors.iter().map(|_| share * spread(0.5)).collect();
        EffectsChain::new(self, effects, tau, mean, 0.1 * spread(0.5))
    }
}

/// A move that multiplies a factor and its scale by k, and lowers the effects that it qualifies by
/// the rise of its mean.
#[derive(Debug, Clone)]
struct StretchMove {
    factor: usize,
    down: Vec<usize>,
    /// `X'X` times the indicator of `down`.
    image: Vec<f64>,
}

/// Returns two moves for each factor: with the first factor's levels that it qualifies going down,
/// and without.
fn stretch_moves(meetings: &[f64], factors: &[Vec<usize>]) -> Vec<StretchMove> {
    let p = factors.iter().map(Vec::len).sum::<usize>();
    let mut found = Vec::new();
    for (factor, levels) in factors.iter().enumerate().skip(1) {
        let qualified = |o: &usize| levels.iter().any(|level| meetings[o * p + level] > 0.0);
        let down: Vec<usize> = factors[0].iter().copied().filter(qualified).collect();
        for down in [down, Vec::new()] {
            let sum = |k: usize| down.iter().map(|o| meetings[o * p + k]).sum();
            let image = (0..p).map(sum).collect();
            found.push(StretchMove { factor, down, image });
        }
    }
    found
}

/// Returns, for each factor but the first, the shift between it and the first factor's levels that
/// it qualifies; and for each of its levels, the shift between it and those that it alone
/// qualifies.
fn shift_moves(meetings: &[f64], factors: &[Vec<usize>]) -> Vec<ShiftMove> {
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
            ShiftMove { up, down, image, square }
        })
        .collect()
}
