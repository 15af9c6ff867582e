//! The model of free effects with all effects integrated out: given the scales they are
//! normal, so NUTS needs to sample the scales and the noise only, and the effects are
//! drawn exactly afterwards. No direction is left along which chains would creep: neither
//! sums moved from one factor to another, which measurements don't see, nor the funnel of
//! a factor whose levels hardly differ. The density is that of [`super::effects`].
//!
//! The levels of the factor with most go out first ([`LevelGroup`]). What is left (the other
//! factors' levels, and the mean of the largest) is split: the mean of a factor's levels
//! and orthonormal contrasts, each in units of its own prior, so that its precision is
//! one plus something positive. Nothing cancels then, however small a scale gets.

mod sums;

use std::ops::Range;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use self::sums::split_row;
use super::super::linear::dot;
use super::effects::FACTOR_MEAN_PRIOR_SD;
use super::level_group::{LevelGroup, MarginalTerms};
use super::nuts::SampledDensity;
use super::scales::{self, OutOfRange};
use super::symmetric_matrix::SymmetricMatrix;

/// Density of scales and noise with all effects integrated out, as sums over the measurements.
#[derive(Debug, Clone)]
pub(crate) struct CollapsedDensity {
    groups: Vec<LevelGroup>,
    /// Number of the factor with most levels.
    largest: usize,
    /// All other levels, and the place in this list of each other factor's.
    rest: Vec<usize>,
    others: Vec<(usize, Range<usize>)>,
    /// How often the split rest meets itself, and its sums of energies; the mean of the
    /// largest factor at last.
    products: SymmetricMatrix,
    pulled: Vec<f64>,
    /// Of each level of the largest factor: how often it meets the split rest.
    meetings: Vec<Vec<f64>>,
    /// Energies summed by level.
    pull: Vec<f64>,
    energy: f64,
    cases: f64,
    factors: usize,
}

/// Reusable buffers of an evaluation and its results: the normal distribution of the split rest
/// given the scales.
#[derive(Debug, Clone)]
pub(crate) struct CollapsedWorkspace {
    /// Logarithms of the scales and the noise.
    logs: Vec<f64>,
    /// Prior standard deviations.
    sd: Vec<f64>,
    /// Factor of the precision, and the mean, in units of `sd`.
    factor: SymmetricMatrix,
    mean: Vec<f64>,
    moments: SymmetricMatrix,
    rows: Vec<f64>,
    /// Variances of the largest factor and of the noise.
    t: f64,
    variance: f64,
    left: MarginalTerms,
}

impl CollapsedDensity {
    /// Sets precision and mean of the rest given the measurements and the scales in `room.logs`.
    fn set_moments_given_scales(&self, room: &mut CollapsedWorkspace) -> Result<(), OutOfRange> {
        scales::check_range(&room.logs)?;
        let variance = (2.0 * room.logs[self.factors]).exp();
        let t = (2.0 * room.logs[self.largest]).exp();
        for (at, levels) in &self.others {
            let tau = room.logs[*at].exp();
            room.sd[levels.clone()].fill(tau);
            room.sd[levels.start] = (tau * tau
                + FACTOR_MEAN_PRIOR_SD * FACTOR_MEAN_PRIOR_SD * levels.len() as f64)
                .sqrt();
        }
        room.factor.set(1.0 / variance, &self.products);
        room.mean.iter_mut().zip(&self.pulled).for_each(|(to, pull)| *to = pull / variance);
        let out =
            |group: &LevelGroup| group.integrate_out(t, variance, &mut room.factor, &mut room.mean);
        room.left = self.groups.iter().map(out).sum();
        room.factor.scale(&room.sd, 1.0);
        room.mean.iter_mut().zip(&room.sd).for_each(|(to, sd)| *to *= sd);
        if !room.factor.factor() {
            return Err(OutOfRange);
        }
        room.factor.forward(&mut room.mean);
        room.left.explained += room.mean.iter().map(|x| x * x).sum::<f64>();
        room.factor.back(&mut room.mean);
        room.left.log_determinant += room.factor.log_determinant();
        (room.t, room.variance) = (t, variance);
        Ok(())
    }

    /// Returns the log density at the logarithms in `room.logs`, and sets its gradient.
    fn density_of_logs(
        &self,
        gradient: &mut [f64],
        room: &mut CollapsedWorkspace,
    ) -> Result<f64, OutOfRange> {
        self.set_moments_given_scales(room)?;
        let noise = room.logs[self.factors];
        let mut density = -self.cases * noise
            + (room.left.explained - self.energy / room.variance - room.left.log_determinant) / 2.0;
        // Second moments of the rest, in units of its prior: of these the gradient is made.
        room.factor.invert(&mut room.moments, &mut room.rows);
        room.moments.add_outer(&room.mean);
        let mut beyond = room.moments.diagonal(self.rest.len()) - 1.0;
        for (at, levels) in &self.others {
            let mean = room.moments.diagonal(levels.start) - 1.0;
            let contrasts: f64 =
                (levels.start + 1..levels.end).map(|i| room.moments.diagonal(i) - 1.0).sum();
            let share = (room.logs[*at].exp() / room.sd[levels.start]).powi(2);
            gradient[*at] = contrasts + share * mean;
            beyond += contrasts + mean;
        }
        gradient[self.largest] = self.square_excess_about_mean(room);
        beyond += gradient[self.largest];
        gradient[self.factors] =
            self.energy / room.variance - room.left.explained - beyond - self.cases;
        density += scales::add_prior(&room.logs, gradient);
        Ok(density)
    }

    /// Returns by how much the expected squares of the largest factor about its mean exceed those
    /// by its scale: with `r = h - v'rest` what a level's measurements leave, `effect - m` is
    /// `t r / (n t + s^2)`, and its own variance beside. Puts the moments into units of energy.
    fn square_excess_about_mean(&self, room: &mut CollapsedWorkspace) -> f64 {
        let (t, variance) = (room.t, room.variance);
        room.moments.scale(&room.sd, 0.0);
        room.moments.double_off_diagonal();
        let rest = |pulled: &[f64]| -> f64 {
            let means = room.mean.iter().zip(&room.sd).map(|(mean, sd)| mean * sd);
            means.zip(pulled).map(|(mean, pull)| mean * pull).sum()
        };
        let of = |group: &LevelGroup| {
            let share = 1.0 / (group.times * t + variance);
            let left =
                group.pull_square - 2.0 * rest(&group.pulled) + room.moments.product(&group.square);
            t * share * (share * left - group.times * group.levels.len() as f64)
        };
        self.groups.iter().map(of).sum()
    }

    /// Returns effects, scales and noise; draws the effects by `normal`.
    fn draw_all(
        &self,
        position: &[f64],
        room: &mut CollapsedWorkspace,
        mut normal: impl FnMut() -> f64,
    ) -> Result<Vec<f64>, OutOfRange> {
        scales::set_logs(position, &mut room.logs);
        self.set_moments_given_scales(room)?;
        let noise = &mut room.rows[..room.mean.len()];
        noise.iter_mut().for_each(|to| *to = normal());
        room.factor.back(noise);
        for ((to, sd), mean) in noise.iter_mut().zip(&room.sd).zip(&room.mean) {
            *to = (*to + mean) * sd;
        }
        let (rest, m) = (&*noise, noise[self.rest.len()]);
        let mut all = Vec::with_capacity(self.pull.len() + self.dimension());
        all.resize(self.pull.len(), 0.0);
        for (_, levels) in &self.others {
            for (i, level) in self.rest[levels.clone()].iter().enumerate() {
                let parts = split_row(i, levels.len()).zip(&rest[levels.clone()]);
                all[*level] = parts.map(|(x, part)| x * part).sum();
            }
        }
        for group in &self.groups {
            let share = room.t / (group.times * room.t + room.variance);
            let sd = (room.variance * share).sqrt();
            for level in &group.levels {
                let off = self.pull[*level] - dot(&self.meetings[*level], rest);
                all[*level] = m + share * off + sd * normal();
            }
        }
        all.extend(room.logs.iter().map(|scale| scale.exp()));
        Ok(all)
    }
}

impl SampledDensity for CollapsedDensity {
    type Workspace = CollapsedWorkspace;

    /// One for each factor's scale and one for the noise.
    fn dimension(&self) -> usize {
        self.factors + 1
    }

    fn workspace(&self) -> CollapsedWorkspace {
        let n = self.rest.len() + 1;
        CollapsedWorkspace {
            logs: vec![0.0; self.dimension()],
            sd: vec![FACTOR_MEAN_PRIOR_SD; n],
            factor: SymmetricMatrix::zero(n),
            mean: vec![0.0; n],
            moments: SymmetricMatrix::zero(n),
            rows: vec![0.0; n * n],
            t: 1.0,
            variance: 1.0,
            left: MarginalTerms::default(),
        }
    }

    /// Coordinates of scales as in [`scales`].
    fn density(
        &self,
        position: &[f64],
        gradient: &mut [f64],
        room: &mut CollapsedWorkspace,
    ) -> Result<f64, OutOfRange> {
        scales::set_logs(position, &mut room.logs);
        let density = self.density_of_logs(gradient, room)?;
        Ok(density + scales::slopes_to_coordinates(position, &room.logs, gradient))
    }

    fn draw_quantities(
        &self,
        position: &[f64],
        room: &mut CollapsedWorkspace,
        random: &mut ChaCha8Rng,
    ) -> Result<Vec<f64>, OutOfRange> {
        self.draw_all(position, room, || random.sample(StandardNormal))
    }
}

#[cfg(test)]
mod tests;
