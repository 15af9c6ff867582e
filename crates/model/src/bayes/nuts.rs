//! NUTS (Hoffman & Gelman 2014; nuts-rs) over what cannot be integrated out of a model of
//! effects, in coordinates in which it is nearly normal.

use std::collections::HashMap;

use nuts_rs::{Chain, CpuLogpFunc, CpuMath, CpuMathError, DiagNutsSettings, LogpError, Settings};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::StandardNormal;
use rayon::prelude::*;
use wattline_units::foreign::catch_foreign_panic;

use super::super::error::ModelError;
use super::chains::{ChainDraws, ChainOptions, diagnosed_draws, not_mixed_error};
use super::scales::OutOfRange;
use super::straightening::{Curve, straightening_curves};

/// Warm-up steps, in which step size and scales are adapted; their draws are dropped.
const TUNING: usize = 200;

/// Acceptance rates aimed at; the next higher one after divergences.
const ACCEPTANCE: [f64; 3] = [0.8, 0.95, 0.99];

/// Spread of the starts, in standard deviations of the posterior's profiles: chains must
/// start further apart than they end.
const START_SD: f64 = 2.0;

/// Divisor of the thinning meant for Gibbs sweeps, whose steps are cheaper.
const SWEEPS_PER_STEP: usize = 10;

/// Density that NUTS samples, with the quantities to be drawn given a position.
pub(super) trait SampledDensity: Sync {
    /// Buffers for evaluations, to be reused.
    type Workspace;

    /// Number of coordinates.
    fn dimension(&self) -> usize;

    /// Returns buffers for evaluations.
    fn workspace(&self) -> Self::Workspace;

    /// Returns the log density at `position` up to a constant, and sets its gradient.
    fn density(
        &self,
        position: &[f64],
        gradient: &mut [f64],
        room: &mut Self::Workspace,
    ) -> Result<f64, OutOfRange>;

    /// Returns all quantities at a position; draws those that it leaves open.
    fn draw_quantities(
        &self,
        position: &[f64],
        room: &mut Self::Workspace,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<f64>, OutOfRange>;
}

/// Adapter from a density to nuts-rs, in straightened coordinates.
struct NutsDensity<'a, M: SampledDensity> {
    model: &'a M,
    curves: &'a [Curve],
    position: Vec<f64>,
    room: M::Workspace,
}

impl<'a, M: SampledDensity> NutsDensity<'a, M> {
    fn new(model: &'a M, curves: &'a [Curve]) -> Self {
        Self { model, curves, position: vec![0.0; model.dimension()], room: model.workspace() }
    }
}

impl LogpError for OutOfRange {
    fn is_recoverable(&self) -> bool {
        true
    }
}

impl<M: SampledDensity> nuts_rs::HasDims for NutsDensity<'_, M> {
    fn dim_sizes(&self) -> HashMap<String, u64> {
        HashMap::from([("unconstrained_parameter".to_owned(), self.model.dimension() as u64)])
    }
}

impl<M: SampledDensity> CpuLogpFunc for NutsDensity<'_, M> {
    type LogpError = OutOfRange;
    type ExpandedVector = Vec<f64>;
    type FlowParameters = ();

    fn dim(&self) -> usize {
        self.model.dimension()
    }

    fn logp(&mut self, position: &[f64], gradient: &mut [f64]) -> Result<f64, OutOfRange> {
        for ((x, curve), z) in self.position.iter_mut().zip(self.curves).zip(position) {
            *x = curve.at(*z).value;
        }
        let density = self.model.density(&self.position, gradient, &mut self.room)?;
        let mut slopes = 1.0;
        for ((to, curve), z) in gradient.iter_mut().zip(self.curves).zip(position) {
            let bent = curve.at(*z);
            *to = *to * bent.slope + bent.bend / bent.slope;
            slopes *= bent.slope;
        }
        Ok(density + slopes.ln())
    }

    fn expand_vector<R: rand::Rng + ?Sized>(
        &mut self,
        _: &mut R,
        position: &[f64],
    ) -> Result<Vec<f64>, CpuMathError> {
        Ok(position.to_vec())
    }
}

/// Draws of one chain, by draw and quantity, and the number of its divergent steps.
type NutsChain = (Vec<Vec<f64>>, usize);

/// Runs chains until their diagnostics are good; divergences that stay are an error with advice.
pub(super) fn run(
    model: &impl SampledDensity,
    options: &ChainOptions,
) -> Result<ChainDraws, ModelError> {
    let mut thin = (options.thin / SWEEPS_PER_STEP).max(1);
    let (mut sweeps, mut careful) = (0, 0);
    let (mut gradient, mut room) = (vec![0.0; model.dimension()], model.workspace());
    let curves = straightening_curves(model.dimension(), |x| {
        model.density(x, &mut gradient, &mut room).ok()
    });
    loop {
        let chains: Vec<NutsChain> = (0..options.chains)
            .into_par_iter()
            .map(|chain| run_chain(model, &curves, options, chain, thin, ACCEPTANCE[careful]))
            .collect::<Result<_, _>>()?;
        sweeps += TUNING + options.draws * thin;
        let divergences: usize = chains.iter().map(|(_, diverged)| diverged).sum();
        let kept: Vec<Vec<Vec<f64>>> = chains.into_iter().map(|(draws, _)| draws).collect();
        let draws = ChainDraws { divergences, ..diagnosed_draws(&kept, sweeps) };
        if draws.are_good(options) {
            return Ok(draws);
        }
        let most_careful = careful + 1 == ACCEPTANCE.len();
        if divergences > 0 && most_careful {
            let steps = options.chains * options.draws * thin;
            return Err(ModelError::Diverged { divergences, steps });
        }
        if sweeps >= options.sweeps_max {
            return Err(not_mixed_error(&draws, options));
        }
        if divergences > 0 { careful += 1 } else { thin *= 2 }
    }
}

fn run_chain(
    model: &impl SampledDensity,
    curves: &[Curve],
    options: &ChainOptions,
    chain: usize,
    thin: usize,
    acceptance: f64,
) -> Result<NutsChain, ModelError> {
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    random.set_stream(chain as u64);
    let mut settings = DiagNutsSettings { num_tune: TUNING as u64, ..DiagNutsSettings::default() };
    settings.adapt_options.step_size_settings.target_accept = acceptance;
    let failed = |error: &dyn std::fmt::Display| ModelError::Sampler { message: error.to_string() };
    let math = CpuMath::new(NutsDensity::new(model, curves));
    let sampler = catch_foreign_panic(|| settings.new_chain(chain as u64, math, &mut random));
    let sampler = sampler.map_err(|panic| failed(&panic))?;
    let mut sampler = sampler.map_err(|error| failed(&error))?;
    let start: Vec<f64> = (0..model.dimension())
        .map(|_| START_SD * random.sample::<f64, _>(StandardNormal))
        .collect();
    let set =
        catch_foreign_panic(|| sampler.set_position(&start)).map_err(|panic| failed(&panic))?;
    set.map_err(|error| failed(&error))?;
    let mut room = model.workspace();
    let (mut draws, mut diverged) = (Vec::with_capacity(options.draws), 0);
    for step in 0..TUNING + options.draws * thin {
        let drawn = catch_foreign_panic(|| sampler.draw()).map_err(|panic| failed(&panic))?;
        let (position, progress) = drawn.map_err(|error| failed(&error))?;
        if step < TUNING {
            continue;
        }
        diverged += usize::from(progress.diverging);
        if (step - TUNING + 1).is_multiple_of(thin) {
            let position: Vec<f64> =
                curves.iter().zip(&position).map(|(curve, z)| curve.at(*z).value).collect();
            let all = model.draw_quantities(&position, &mut room, &mut random);
            draws.push(all.map_err(|error| failed(&error))?);
        }
    }
    Ok((draws, diverged))
}

/// Asserts that a model's gradient is that of its density, by differences of `step`.
#[cfg(test)]
pub(super) fn assert_gradient<M: SampledDensity>(model: &M, at: &[f64], step: f64, tolerance: f64) {
    let (n, mut room) = (model.dimension(), model.workspace());
    let (mut gradient, mut other) = (vec![0.0; n], vec![0.0; n]);
    model.density(at, &mut gradient, &mut room).expect("a density");
    for (i, slope) in gradient.iter().enumerate() {
        let mut near = |by: f64| {
            let mut position = at.to_vec();
            position[i] += by;
            model.density(&position, &mut other, &mut room).expect("a density")
        };
        let expected = (near(step) - near(-step)) / (2.0 * step);
        let allowed = tolerance * (1.0 + expected.abs());
        assert!((slope - expected).abs() < allowed, "{i}: {slope}, by differences {expected}");
    }
    assert!(model.density(&vec![1e50; n], &mut gradient, &mut room).is_err());
}
