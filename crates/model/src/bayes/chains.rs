//! Markov chains, run in parallel until their diagnostics are good; else an error with advice.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use super::super::error::ModelError;
use super::diagnostics::{Diagnosis, diagnose};

/// Settings of chains: number, length, and limits of diagnostics and effort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainOptions {
    /// Number of chains, at least 4 for reliable diagnostics.
    pub chains: usize,
    /// Draws kept of each chain.
    pub draws: usize,
    /// Sweeps between two draws to begin with; doubled until the diagnostics are good.
    pub thin: usize,
    /// Largest number of sweeps of a chain; diagnostics that are not good by then are an error.
    pub sweeps_max: usize,
    /// Upper limit of every R-hat.
    pub rhat_max: f64,
    /// Lower limit of every bulk and tail effective sample size.
    pub ess_min: f64,
    /// Seed of all chains.
    pub seed: u64,
}

impl Default for ChainOptions {
    fn default() -> Self {
        Self {
            chains: 4,
            draws: 1000,
            thin: 10,
            sweeps_max: 4_000_000,
            rhat_max: 1.01,
            ess_min: 400.0,
            seed: 1,
        }
    }
}

impl ChainOptions {
    /// Returns settings that suffice for means that are only compared, as in a cross-validation.
    pub(crate) fn as_draft(self) -> Self {
        Self { rhat_max: self.rhat_max.max(1.05), ess_min: self.ess_min.min(100.0), ..self }
    }
}

/// State of one Markov chain, and its moves.
pub(crate) trait ChainSampler: Send {
    /// Updates every quantity once.
    fn sweep(&mut self, random: &mut ChaCha8Rng);

    /// Appends all quantities, always the same in number and order.
    fn record(&self, to: &mut Vec<f64>);
}

/// Draws of several chains, with their diagnoses.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainDraws {
    /// Draws by quantity and chain, in order of drawing.
    pub values: Vec<Vec<Vec<f64>>>,
    /// Diagnosis of each quantity; absent for one that never changes.
    pub diagnoses: Vec<Option<Diagnosis>>,
    /// Sweeps of each chain, warm-up and all.
    pub sweeps: usize,
    /// Divergent steps of NUTS; 0 for Gibbs sampling, which has none.
    pub divergences: usize,
}

impl ChainDraws {
    /// All draws of a quantity, chain after chain.
    pub fn of(&self, quantity: usize) -> Vec<f64> {
        self.values[quantity].concat()
    }

    /// Largest R-hat of all quantities; 1 if none varies.
    pub fn rhat_max(&self) -> f64 {
        self.varying_diagnoses().map(|found| found.rhat).fold(1.0, f64::max)
    }

    /// Smallest bulk and tail effective sample sizes.
    pub fn ess_min(&self) -> (f64, f64) {
        let least = |of: fn(&Diagnosis) -> f64| {
            self.varying_diagnoses().map(of).fold(f64::INFINITY, f64::min)
        };
        (least(|found| found.ess_bulk), least(|found| found.ess_tail))
    }

    fn varying_diagnoses(&self) -> impl Iterator<Item = &Diagnosis> {
        self.diagnoses.iter().flatten()
    }

    /// Whether the diagnostics are within the limits of the options.
    pub(crate) fn are_good(&self, options: &ChainOptions) -> bool {
        let (bulk, tail) = self.ess_min();
        let mixed = self.rhat_max() < options.rhat_max && bulk.min(tail) > options.ess_min;
        mixed && self.divergences == 0
    }
}

/// Runs chains from the starts that `start` makes. All before the last run counts as
/// warm-up.
pub(crate) fn run_chains<S: ChainSampler>(
    options: &ChainOptions,
    start: impl Fn(&mut ChaCha8Rng) -> S + Sync,
) -> Result<ChainDraws, ModelError> {
    let mut chains: Vec<(S, ChaCha8Rng)> = (0..options.chains)
        .map(|chain| {
            let mut random = ChaCha8Rng::seed_from_u64(options.seed);
            random.set_stream(chain as u64);
            (start(&mut random), random)
        })
        .collect();
    let (mut thin, mut sweeps) = (options.thin, 0);
    let warm_up = options.draws * thin / 2;
    chains.par_iter_mut().for_each(|(chain, random)| {
        (0..warm_up).for_each(|_| chain.sweep(random));
    });
    sweeps += warm_up;
    loop {
        let recorded: Vec<Vec<Vec<f64>>> = chains
            .par_iter_mut()
            .map(|(chain, random)| record(chain, random, options.draws, thin))
            .collect();
        sweeps += options.draws * thin;
        let draws = diagnosed_draws(&recorded, sweeps);
        if draws.are_good(options) {
            return Ok(draws);
        }
        if sweeps >= options.sweeps_max {
            return Err(not_mixed_error(&draws, options));
        }
        thin *= 2;
    }
}

/// Runs a chain and returns its draws, by draw and quantity.
fn record(
    chain: &mut impl ChainSampler,
    random: &mut ChaCha8Rng,
    draws: usize,
    thin: usize,
) -> Vec<Vec<f64>> {
    (0..draws)
        .map(|_| {
            (0..thin).for_each(|_| chain.sweep(random));
            let mut values = Vec::new();
            chain.record(&mut values);
            values
        })
        .collect()
}

pub(super) fn diagnosed_draws(chains: &[Vec<Vec<f64>>], sweeps: usize) -> ChainDraws {
    let quantities = chains.first().and_then(|chain| chain.first()).map_or(0, Vec::len);
    let values: Vec<Vec<Vec<f64>>> = (0..quantities)
        .map(|q| chains.iter().map(|chain| chain.iter().map(|draw| draw[q]).collect()).collect())
        .collect();
    let diagnoses = values.par_iter().map(|chains| diagnose(chains)).collect();
    ChainDraws { values, diagnoses, sweeps, divergences: 0 }
}

pub(super) fn not_mixed_error(draws: &ChainDraws, options: &ChainOptions) -> ModelError {
    let (bulk, tail) = draws.ess_min();
    ModelError::NotMixed {
        sweeps: draws.sweeps,
        rhat: draws.rhat_max(),
        rhat_max: options.rhat_max,
        ess: bulk.min(tail),
        ess_min: options.ess_min,
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;

    /// An autoregressive chain around `centre`.
    struct Walk {
        at: f64,
        keep: f64,
        centre: f64,
    }

    impl ChainSampler for Walk {
        fn sweep(&mut self, random: &mut ChaCha8Rng) {
            let step: f64 = random.sample(StandardNormal);
            self.at = self.keep * self.at + (1.0 - self.keep * self.keep).sqrt() * step;
        }

        fn record(&self, to: &mut Vec<f64>) {
            to.extend([self.at + self.centre, 7.0]);
        }
    }

    #[test]
    fn slow_chains_run_longer_until_they_are_good() {
        let options = ChainOptions { thin: 1, ..Default::default() };
        let start = |keep| move |_: &mut ChaCha8Rng| Walk { at: 5.0, keep, centre: 0.0 };
        let fast = run_chains(&options, start(0.0)).unwrap();
        let slow = run_chains(&options, start(0.98)).unwrap();
        assert!(fast.sweeps == 1500 && slow.sweeps > 5000, "{}", slow.sweeps);
        assert!(slow.are_good(&options) && slow.diagnoses[1].is_none());
        assert_eq!(run_chains(&options, start(0.98)).unwrap(), slow);
    }

    #[test]
    fn chains_that_disagree_are_an_error() {
        let options = ChainOptions { thin: 1, sweeps_max: 10_000, ..Default::default() };
        let start = |random: &mut ChaCha8Rng| Walk {
            at: 0.0,
            keep: 0.0,
            centre: 3.0 * random.random::<f64>(),
        };
        let error = run_chains(&options, start).unwrap_err().to_string();
        assert!(error.contains("R-hat"), "{error}");
    }
}
