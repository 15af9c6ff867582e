//! Levels of the factor with most levels that occur equally often. Two levels of one
//! factor never meet, so they go out of a density one by one (Schur complement), and those
//! that occur equally often go out together, by sums that are made once.

use std::collections::BTreeMap;

use super::symmetric_matrix::SymmetricMatrix;

/// Levels of the largest factor that occur equally often.
#[derive(Debug, Clone)]
pub(super) struct LevelGroup {
    /// Number of measurements of each level.
    pub times: f64,
    pub levels: Vec<usize>,
    /// Sums over the levels of `v v'` and `v h`, with `v` how often a level meets what
    /// stays, and `h` a level's sum of energies.
    pub square: SymmetricMatrix,
    pub pulled: Vec<f64>,
    /// Sum of `h^2`.
    pub pull_square: f64,
}

/// Twice what levels that were integrated out contribute to a log density.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MarginalTerms {
    /// Part of the energies' squares that the levels explain.
    pub explained: f64,
    /// Logarithm of the determinant of their precision, in units of their prior's.
    pub log_determinant: f64,
}

impl LevelGroup {
    /// Groups levels that occur equally often; each level comes with how often it occurs, how often
    /// it meets each of the `n` coordinates that stay, and its sum of energies.
    pub fn all<'a>(
        levels: impl IntoIterator<Item = (usize, f64, &'a [f64], f64)>,
        n: usize,
    ) -> Vec<Self> {
        let mut groups: BTreeMap<u64, Self> = BTreeMap::new();
        for (level, times, met, pull) in levels {
            let group = groups.entry(times as u64).or_insert_with(|| Self::new(times, n));
            group.add(level, met, pull);
        }
        groups.into_values().collect()
    }

    fn new(times: f64, n: usize) -> Self {
        let (square, pulled) = (SymmetricMatrix::zero(n), vec![0.0; n]);
        Self { times, square, pulled, levels: Vec::new(), pull_square: 0.0 }
    }

    fn add(&mut self, level: usize, met: &[f64], pull: f64) {
        self.levels.push(level);
        self.square.add_outer(met);
        self.pulled.iter_mut().zip(met).for_each(|(to, v)| *to += pull * v);
        self.pull_square += pull * pull;
    }

    /// Takes the levels, of variance `t`, out of the precision and the linear term of what
    /// stays. `variance` is the noise's.
    pub(crate) fn integrate_out(
        &self,
        t: f64,
        variance: f64,
        precision: &mut SymmetricMatrix,
        linear: &mut [f64],
    ) -> MarginalTerms {
        let weight = t / ((self.times * t + variance) * variance);
        precision.add(-weight, &self.square);
        linear.iter_mut().zip(&self.pulled).for_each(|(to, pull)| *to -= weight * pull);
        MarginalTerms {
            explained: weight * self.pull_square,
            log_determinant: self.levels.len() as f64 * (self.times * t / variance).ln_1p(),
        }
    }
}

impl std::iter::Sum for MarginalTerms {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            explained: sum.explained + one.explained,
            log_determinant: sum.log_determinant + one.log_determinant,
        })
    }
}
