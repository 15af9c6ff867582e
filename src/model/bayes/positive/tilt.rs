//! What the bound of the last levels says of the first, nearly: a quadratic to the
//! logarithm of what is not cut off of them, from a short Gibbs chain. The first are drawn
//! with it, and the density corrected for it, so nothing but the pace depends on it: where
//! a factor's scale is large it is the others' bound that keeps its levels small, and
//! without the tilt their coordinates would have to follow the scale.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::super::chains::Sampler;
use super::super::effects::Effects;
use super::super::small::Small;
use super::super::tails::below;
use super::{Positive, dot};

/// Sweeps of the Gibbs chain, of which the second half counts.
const SWEEPS: usize = 400;

/// `slope'x - x'curvature x / 2`, by the first levels' effects.
#[derive(Debug, Clone)]
pub(super) struct Tilt {
    pub curvature: Small,
    pub slope: Vec<f64>,
}

impl Tilt {
    /// None.
    pub fn none(n: usize) -> Self {
        Self { curvature: Small::zero(n), slope: vec![0.0; n] }
    }
}

impl Positive {
    /// Means of slope and curvature over a chain, and the slope carried from the mean
    /// effects to zero.
    pub(super) fn tilt(&self, model: &Effects, seed: u64) -> Tilt {
        let n = self.first.len();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut chain = model.start(&mut random);
        let (mut tilt, mut mean) = (Tilt::none(n), vec![0.0; n]);
        let share = 2.0 / SWEEPS as f64;
        for sweep in 0..SWEEPS {
            chain.sweep(&mut random);
            if sweep < SWEEPS / 2 {
                continue;
            }
            let mut drawn = Vec::new();
            chain.record(&mut drawn);
            let effects: Vec<f64> = self.first.iter().map(|level| drawn[*level]).collect();
            mean.iter_mut().zip(&effects).for_each(|(to, effect)| *to += share * effect);
            let scales = &drawn[model.pull().len()..];
            let (tau, noise) = (scales[self.largest], scales[self.factors]);
            for last in &self.last {
                let scale = 1.0 / (noise * (last.times + (noise / tau).powi(2)).sqrt());
                let at = scale * (last.pull - dot(&last.met, &effects));
                let slope = below(at).slope;
                let curvature = share * slope * (slope + at) * scale * scale;
                let met: Vec<f64> = last.met.iter().map(|met| curvature.sqrt() * met).collect();
                tilt.curvature.add_outer(&met);
                let by_effect = share * slope * scale;
                tilt.slope.iter_mut().zip(&last.met).for_each(|(to, met)| *to -= by_effect * met);
            }
        }
        let mut carried = vec![0.0; n];
        tilt.curvature.times(&mean, &mut carried);
        tilt.slope.iter_mut().zip(&carried).for_each(|(to, x)| *to += x);
        tilt
    }
}
