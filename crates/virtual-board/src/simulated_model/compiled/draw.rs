//! Draws by name: what a chip draws for one name does not depend on which others it drew.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use sha2::{Digest, Sha256};

/// A chip's seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChipSeed {
    seed: u64,
}

impl ChipSeed {
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// A generator for one name.
    fn of(self, name: &[u8]) -> ChaCha8Rng {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        hash.update(name);
        ChaCha8Rng::from_seed(hash.finalize().into())
    }

    /// A number from 0 to 1.
    pub fn share(self, name: &str) -> f64 {
        self.of(name.as_bytes()).random()
    }

    /// A factor whose logarithm is normal around 0.
    pub fn factor(self, sigma: f64, name: &[u8]) -> f64 {
        let normal: f64 = StandardNormal.sample(&mut self.of(name));
        libm::exp(sigma * normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_have_their_spread() {
        let draw = ChipSeed::new(3);
        let mut logs: Vec<f64> =
            (0..4000_u32).map(|i| libm::log(draw.factor(0.5, &i.to_le_bytes()))).collect();
        let mean = logs.iter().sum::<f64>() / 4000.0;
        let variance = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4000.0;
        // standard errors: 0.5 / sqrt(4000) = 0.008 and 0.5 / sqrt(8000) = 0.0056
        assert!(mean.abs() < 0.04 && (variance.sqrt() - 0.5).abs() < 0.03, "{mean} {variance}");
        logs.dedup();
        assert_eq!(logs.len(), 4000);
        assert_eq!(draw.factor(0.5, b"a"), ChipSeed::new(3).factor(0.5, b"a"));
        assert_ne!(draw.factor(0.5, b"a"), ChipSeed::new(4).factor(0.5, b"a"));
    }
}
