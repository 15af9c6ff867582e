//! The model of effects not below zero in coordinates that are nearly normal. Given the
//! scales the effects are normal but cut off at zero, so they are drawn one by one, each
//! from its normal distribution given those before, cut off: `effect = mean + sd e`, `e`
//! above `-mean / sd` by the quantile of a standard normal `z`. The density of all `z` is
//! then standard normal times the share of every such distribution that is not cut off,
//! `Phi(mean / sd)` (Geweke, Hajivassiliou and Keane's simulator; Botev 2017), and times
//! the density of the scales in the model of effects without a bound.
//!
//! The levels of the factor with most come last and, as two of them never meet, don't
//! depend on each other: nothing but their shares is left of them. NUTS moves the `z` of
//! the other factors' levels, the scales and the noise. However small a scale gets, the
//! effects' `z` stay standard normal, so there is no funnel, and no wall where effects
//! are pressed against zero. The density is that of [`super::effects`].

mod slopes;
mod tilt;

use rand_chacha::ChaCha8Rng;

use self::tilt::BoundTilt;
use super::super::linear::dot;
use super::effects::EffectStats;
use super::level_group::{LevelGroup, MarginalTerms};
use super::nuts::SampledDensity;
use super::scales::{self, OutOfRange};
use super::symmetric_matrix::SymmetricMatrix;
use super::truncated_normal::draw_above_zero;
use crate::tails::{self, TailShare, point_with_log_share_above, tail_share};

/// Sums over the measurements of one level of the factor with most levels.
#[derive(Debug, Clone)]
struct LastLevel {
    level: usize,
    /// Number of measurements.
    times: f64,
    /// Sum of their energies.
    pull: f64,
    /// Number of measurements in common with each of the first levels.
    met: Vec<f64>,
}

/// Density of effects not below zero, as sums over the measurements.
#[derive(Debug, Clone)]
pub(crate) struct PositiveEffectsPosterior {
    /// Levels of the factor with most, and its number.
    last: Vec<LastLevel>,
    largest: usize,
    /// Groups of the last levels: those that occur equally often together.
    groups: Vec<LevelGroup>,
    /// All other levels, the one to be drawn first at the end, and their factors.
    first: Vec<usize>,
    factor_of: Vec<usize>,
    /// Numbers of measurements in common of the first levels, and their sums of energies.
    products: SymmetricMatrix,
    pulled: Vec<f64>,
    tilt: BoundTilt,
    energy: f64,
    cases: f64,
    factors: usize,
}

/// Reusable buffers of an evaluation, and its results.
#[derive(Debug, Clone)]
pub(crate) struct PositiveWorkspace {
    /// Logarithms of the scales and the noise.
    logs: Vec<f64>,
    /// The first's precision without its prior's one, its factor `U`, and the linear term,
    /// all in units of the prior; and `U'^-1` times that term.
    scaled: SymmetricMatrix,
    factor: SymmetricMatrix,
    pull: Vec<f64>,
    shifted: Vec<f64>,
    /// Prior scales, effects in those units, and effects.
    tau: Vec<f64>,
    units: Vec<f64>,
    effects: Vec<f64>,
    /// Of each of the first: what is not cut off, and the slopes of its `e` by its mean
    /// (times -1) and by its `z`.
    shares: Vec<TailShare>,
    by_mean: Vec<f64>,
    by_z: Vec<f64>,
    slopes: slopes::SlopeWorkspace,
    /// Variances of the largest factor and of the noise.
    t: f64,
    variance: f64,
}

impl PositiveEffectsPosterior {
    /// Computes the sums from the statistics of a model, and the tilt by a chain with this seed.
    pub fn new(model: &EffectStats, seed: u64) -> Self {
        let factors = model.factors();
        let largest = (0..factors.len()).rev().max_by_key(|f| factors[*f].len()).unwrap_or(0);
        let others = (0..factors.len()).filter(|at| *at != largest);
        let (factor_of, first): (Vec<usize>, Vec<usize>) =
            others.flat_map(|at| factors[at].iter().map(move |level| (at, *level))).unzip();
        let met = |level: usize| first.iter().map(|f| model.row(level)[*f]).collect::<Vec<f64>>();
        let last: Vec<LastLevel> = factors[largest]
            .iter()
            .map(|level| {
                let (times, pull) = (model.row(*level)[*level], model.pull()[*level]);
                LastLevel { level: *level, times, pull, met: met(*level) }
            })
            .collect();
        let levels = last.iter().map(|at| (at.level, at.times, &*at.met, at.pull));
        let mut found = Self {
            groups: LevelGroup::all(levels, first.len()),
            products: SymmetricMatrix::from_fn(first.len(), |i, j| model.row(first[i])[first[j]]),
            pulled: first.iter().map(|level| model.pull()[*level]).collect(),
            tilt: BoundTilt::none(first.len()),
            energy: model.energy(),
            cases: model.cases(),
            factors: factors.len(),
            last,
            largest,
            first,
            factor_of,
        };
        found.tilt = found.find_tilt(model, seed);
        found
    }

    /// Sets the moments of the first levels given the measurements and the scales in `room.logs`,
    /// without the bound; returns the log density of the scales without it.
    fn set_moments_given_scales(&self, room: &mut PositiveWorkspace) -> Result<f64, OutOfRange> {
        scales::check_range(&room.logs)?;
        let noise = room.logs[self.factors];
        let (t, variance) = ((2.0 * room.logs[self.largest]).exp(), (2.0 * noise).exp());
        (room.t, room.variance) = (t, variance);
        room.scaled.set(1.0 / variance, &self.products);
        room.pull.iter_mut().zip(&self.pulled).for_each(|(to, pull)| *to = pull / variance);
        let out =
            |group: &LevelGroup| group.integrate_out(t, variance, &mut room.scaled, &mut room.pull);
        let mut left: MarginalTerms = self.groups.iter().map(out).sum();
        room.scaled.add(1.0, &self.tilt.curvature);
        room.pull.iter_mut().zip(&self.tilt.slope).for_each(|(to, slope)| *to += slope);
        for (to, factor) in room.tau.iter_mut().zip(&self.factor_of) {
            *to = room.logs[*factor].exp();
        }
        room.scaled.scale(&room.tau, 0.0);
        room.pull.iter_mut().zip(&room.tau).for_each(|(to, tau)| *to *= tau);
        room.factor.clone_from(&room.scaled);
        (0..self.first.len()).for_each(|i| room.factor.row_mut(i)[0] += 1.0);
        if !room.factor.factor() {
            return Err(OutOfRange);
        }
        room.shifted.copy_from_slice(&room.pull);
        room.factor.forward(&mut room.shifted);
        left.explained += room.shifted.iter().map(|x| x * x).sum::<f64>();
        left.log_determinant += room.factor.log_determinant();
        let squares = left.explained - self.energy / variance;
        Ok(-self.cases * noise + (squares - left.log_determinant) / 2.0)
    }

    /// Sets the first effects from their coordinates; returns the logarithm of the share that is
    /// not cut off.
    fn place_effects(&self, coordinates: &[f64], room: &mut PositiveWorkspace) -> f64 {
        let mut shares = 0.0;
        for i in (0..self.first.len()).rev() {
            let (row, z) = (room.factor.row(i), coordinates[i]);
            let known = row[1..].iter().zip(&room.units[i + 1..]).map(|(u, x)| u * x);
            let mean = room.shifted[i] - known.sum::<f64>();
            let share = tail_share(mean);
            let mut e = z;
            (room.by_mean[i], room.by_z[i]) = (0.0, 1.0);
            if mean < tails::NORMAL_TAIL_POINT {
                let over = tail_share(-z);
                e = point_with_log_share_above(over.log + share.log);
                let steep = tail_share(-e).slope;
                (room.by_mean[i], room.by_z[i]) = (share.slope / steep, over.slope / steep);
            }
            room.units[i] = (mean + e).max(0.0) / row[0];
            room.effects[i] = room.units[i] * room.tau[i];
            shares += share.log;
            room.shares[i] = share;
        }
        shares
    }
}

impl SampledDensity for PositiveEffectsPosterior {
    type Workspace = PositiveWorkspace;

    /// One for each first level, each factor's scale and the noise.
    fn dimension(&self) -> usize {
        self.first.len() + self.factors + 1
    }

    fn workspace(&self) -> PositiveWorkspace {
        let n = self.first.len();
        PositiveWorkspace {
            logs: vec![0.0; self.factors + 1],
            scaled: SymmetricMatrix::zero(n),
            factor: SymmetricMatrix::zero(n),
            pull: vec![0.0; n],
            shifted: vec![0.0; n],
            tau: vec![0.0; n],
            units: vec![0.0; n],
            effects: vec![0.0; n],
            shares: vec![TailShare::default(); n],
            by_mean: vec![0.0; n],
            by_z: vec![0.0; n],
            slopes: slopes::SlopeWorkspace::new(n),
            t: 1.0,
            variance: 1.0,
        }
    }

    /// Coordinates of scales as in [`scales`].
    fn density(
        &self,
        position: &[f64],
        gradient: &mut [f64],
        room: &mut PositiveWorkspace,
    ) -> Result<f64, OutOfRange> {
        let (coordinates, of_scales) = position.split_at(self.first.len());
        scales::set_logs(of_scales, &mut room.logs);
        let mut density =
            self.set_moments_given_scales(room)? + self.place_effects(coordinates, room);
        let (by_z, by_scale) = gradient.split_at_mut(self.first.len());
        density += self.set_slopes(by_z, by_scale, room);
        for (to, z) in by_z.iter_mut().zip(coordinates) {
            density -= z * z / 2.0;
            *to -= z;
        }
        density += scales::add_prior(&room.logs, by_scale);
        density += scales::slopes_to_coordinates(of_scales, &room.logs, by_scale);
        Ok(density)
    }

    fn draw_quantities(
        &self,
        position: &[f64],
        room: &mut PositiveWorkspace,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<f64>, OutOfRange> {
        let (coordinates, of_scales) = position.split_at(self.first.len());
        scales::set_logs(of_scales, &mut room.logs);
        self.set_moments_given_scales(room)?;
        self.place_effects(coordinates, room);
        let mut all = vec![0.0; self.first.len() + self.last.len()];
        self.first.iter().zip(&room.effects).for_each(|(level, effect)| all[*level] = *effect);
        for last in &self.last {
            let share = room.t / (last.times * room.t + room.variance);
            let mean = share * (last.pull - dot(&last.met, &room.effects));
            all[last.level] = draw_above_zero(random, mean, (room.variance * share).sqrt());
        }
        all.extend(room.logs.iter().map(|scale| scale.exp()));
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
