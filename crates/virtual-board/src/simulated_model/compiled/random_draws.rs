//! Random draws by name: a model's draw for one name does not depend on its other draws.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sha2::{Digest, Sha256};

/// Seed of a compiled model.
#[derive(Debug, Clone, Copy)]
pub(super) struct ModelSeed {
    seed: u64,
}

impl ModelSeed {
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Random generator for one name.
    fn generator(self, name: &[u8]) -> ChaCha8Rng {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        hash.update(name);
        ChaCha8Rng::from_seed(hash.finalize().into())
    }

    /// Uniform random number from 0 to 1 for a name.
    pub fn uniform(self, name: &str) -> f64 {
        self.generator(name.as_bytes()).random()
    }

    /// Log-normal random factor for a name: its logarithm has mean 0 and standard deviation
    /// `sigma`.
    pub fn log_normal_factor(self, sigma: f64, name: &[u8]) -> f64 {
        let normal: f64 = StandardNormal.sample(&mut self.generator(name));
        libm::exp(sigma * normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_their_spread() {
        let draw = ModelSeed::new(3);
        let mut logs: Vec<f64> = (0..4000_u32)
            .map(|i| libm::log(draw.log_normal_factor(0.5, &i.to_le_bytes())))
            .collect();
        let mean = logs.iter().sum::<f64>() / 4000.0;
        let variance = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4000.0;
        // standard errors: 0.5 / sqrt(4000) = 0.008 and 0.5 / sqrt(8000) = 0.0056
        assert!(mean.abs() < 0.04 && (variance.sqrt() - 0.5).abs() < 0.03, "{mean} {variance}");
        logs.dedup();
        assert_eq!(logs.len(), 4000);
        assert_eq!(
            draw.log_normal_factor(0.5, b"a"),
            ModelSeed::new(3).log_normal_factor(0.5, b"a")
        );
        assert_ne!(
            draw.log_normal_factor(0.5, b"a"),
            ModelSeed::new(4).log_normal_factor(0.5, b"a")
        );
    }
}
