//! Approximate effect of the last levels' bound on the first levels: a quadratic to the logarithm
//! of the share of the last that is not cut off, from a short Gibbs chain. The first are drawn with
//! it, and the density corrected for it, so nothing but the pace depends on it: where a factor's
//! scale is large it is the others' bound that keeps its levels small, and without the tilt their
//! coordinates would have to follow the scale.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::super::chains::ChainSampler;
use super::super::effects::EffectStats;
use super::super::symmetric_matrix::SymmetricMatrix;
use super::{LastLevel, PositiveEffectsPosterior, dot};
use crate::tails::tail_share;

/// Sweeps of the Gibbs chain, of which the second half counts.
const SWEEPS: usize = 400;

/// Standard deviations that an effect has at least between zero and the energy that it
/// can't be above. Where its scale is large that bound is a steep wall, which steps must
/// not be long enough to run into; more than this slows down what is not near it.
const WITHIN: f64 = 4.0;

/// `slope'x - x'curvature x / 2`, by the first levels' effects.
#[derive(Debug, Clone)]
pub(super) struct BoundTilt {
    pub curvature: SymmetricMatrix,
    pub slope: Vec<f64>,
}

impl BoundTilt {
    /// Creates a tilt of zero for `n` levels.
    pub fn none(n: usize) -> Self {
        Self { curvature: SymmetricMatrix::zero(n), slope: vec![0.0; n] }
    }
}

impl PositiveEffectsPosterior {
    /// Returns the means of slope and curvature over a chain, the slope carried from the mean
    /// effects to zero; it also keeps effects below the energy of any operation that they qualify.
    pub(super) fn find_tilt(&self, model: &EffectStats, seed: u64) -> BoundTilt {
        let n = self.first.len();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut chain = model.start(&mut random);
        let (mut tilt, mut mean) = (BoundTilt::none(n), vec![0.0; model.pull().len()]);
        for sweep in 0..SWEEPS {
            chain.sweep(&mut random);
            if sweep >= SWEEPS / 2 {
                let mut drawn = Vec::new();
                chain.record(&mut drawn);
                self.add_to(&mut tilt, &drawn);
                mean.iter_mut().zip(&drawn).for_each(|(to, x)| *to += 2.0 / SWEEPS as f64 * x);
            }
        }
        let effects: Vec<f64> = self.first.iter().map(|level| mean[*level]).collect();
        let mut carried = vec![0.0; n];
        tilt.curvature.times(&effects, &mut carried);
        tilt.slope.iter_mut().zip(&carried).for_each(|(to, x)| *to += x);
        for i in 0..n {
            let met = self.last.iter().filter(|last| last.met[i] > 0.0);
            let energy =
                |last: &LastLevel| mean[last.level] + dot(&last.met, &effects) / last.times;
            let least = met.map(energy).fold(f64::INFINITY, f64::min);
            tilt.curvature.row_mut(i)[0] += (WITHIN / least).powi(2);
        }
        tilt
    }

    /// Adds one draw's share of slope and curvature.
    fn add_to(&self, tilt: &mut BoundTilt, drawn: &[f64]) {
        let share = 2.0 / SWEEPS as f64;
        let effects: Vec<f64> = self.first.iter().map(|level| drawn[*level]).collect();
        let scales = &drawn[self.first.len() + self.last.len()..];
        let (tau, noise) = (scales[self.largest], scales[self.factors]);
        for last in &self.last {
            let scale = 1.0 / (noise * (last.times + (noise / tau).powi(2)).sqrt());
            let at = scale * (last.pull - dot(&last.met, &effects));
            let slope = tail_share(at).slope;
            // Positive but for rounding errors.
            let curvature = (share * slope * (slope + at)).max(0.0);
            let met: Vec<f64> = last.met.iter().map(|x| curvature.sqrt() * scale * x).collect();
            tilt.curvature.add_outer(&met);
            let by_effect = share * slope * scale;
            tilt.slope.iter_mut().zip(&last.met).for_each(|(to, met)| *to -= by_effect * met);
        }
    }
}
