//! The gradient of the density of [`super::PositiveEffectsPosterior`]: the steps that led to it backwards.

use super::super::symmetric_matrix::SymmetricMatrix;
use super::{PositiveEffectsPosterior, PositiveWorkspace, dot};
use crate::tails::tail_share;

/// Buffers for derivatives by the parts of the density: effects, shifted pull and factor.
#[derive(Debug, Clone)]
pub(super) struct SlopeWorkspace {
    units: Vec<f64>,
    shifted: Vec<f64>,
    factor: SymmetricMatrix,
}

impl SlopeWorkspace {
    /// Creates buffers for `n` levels.
    pub fn new(n: usize) -> Self {
        Self { units: vec![0.0; n], shifted: vec![0.0; n], factor: SymmetricMatrix::zero(n) }
    }
}

impl PositiveEffectsPosterior {
    /// Sets the derivatives of all but the normal density of the coordinates and the prior of the
    /// scales: by coordinate, and by the logarithms of scales and noise. Returns the log share of
    /// the last levels that is not cut off.
    pub(super) fn set_slopes(
        &self,
        by_z: &mut [f64],
        by_log: &mut [f64],
        room: &mut PositiveWorkspace,
    ) -> f64 {
        by_log.fill(0.0);
        let shares = self.set_slopes_of_last(by_log, room);
        self.set_slopes_of_places(by_z, room);
        self.set_slopes_of_factor(by_log, room);
        self.set_slopes_of_sums(by_log, room);
        shares
    }

    /// Returns the log share of the last levels, and sets its derivatives.
    fn set_slopes_of_last(&self, by_log: &mut [f64], room: &mut PositiveWorkspace) -> f64 {
        let (noise_sd, ratio) = (room.variance.sqrt(), room.variance / room.t);
        // The tilt, by which the first were drawn, is taken back.
        self.tilt.curvature.times(&room.effects, &mut room.slopes.units);
        let mut shares = dot(&room.slopes.units, &room.effects) / 2.0;
        shares -= dot(&self.tilt.slope, &room.effects);
        room.slopes.units.iter_mut().zip(&self.tilt.slope).for_each(|(to, x)| *to -= x);
        for last in &self.last {
            let spread = last.times + ratio;
            let scale = 1.0 / (noise_sd * spread.sqrt());
            let mean = scale * (last.pull - dot(&last.met, &room.effects));
            let share = tail_share(mean);
            if share.slope == 0.0 {
                continue;
            }
            shares += share.log;
            let (slope, part) = (share.slope * mean, ratio / spread);
            by_log[self.factors] -= slope * (1.0 + part);
            by_log[self.largest] += slope * part;
            let by_effect = share.slope * scale;
            let units = room.slopes.units.iter_mut().zip(&last.met);
            units.for_each(|(to, met)| *to -= by_effect * met);
        }
        for (i, factor) in self.factor_of.iter().enumerate() {
            room.slopes.units[i] *= room.tau[i];
            by_log[*factor] += room.slopes.units[i] * room.units[i];
        }
        shares
    }

    /// Sets the derivatives of the places and of the density of the scales, by coordinates and by
    /// the elements of `U` and of the shifted pull.
    fn set_slopes_of_places(&self, by_z: &mut [f64], room: &mut PositiveWorkspace) {
        let SlopeWorkspace { units, shifted, factor } = &mut room.slopes;
        for i in 0..self.first.len() {
            let row = room.factor.row(i);
            let by_place = units[i] / row[0];
            by_z[i] = by_place * room.by_z[i];
            let by_mean = by_place * (1.0 - room.by_mean[i]) + room.shares[i].slope;
            shifted[i] = room.shifted[i] + by_mean;
            let to = factor.row_mut(i);
            to[0] = -by_place * room.units[i] - 1.0 / row[0];
            for (k, u) in row.iter().enumerate().skip(1) {
                to[k] = -by_mean * room.units[i + k];
                units[i + k] -= by_mean * u;
            }
        }
    }

    /// Carries derivatives from `U` and the shifted pull over to the precision and the pull in
    /// units of energy, which `slopes.factor` and `slopes.shifted` are about afterwards.
    fn set_slopes_of_factor(&self, by_log: &mut [f64], room: &mut PositiveWorkspace) {
        let SlopeWorkspace { shifted: pull, factor, .. } = &mut room.slopes;
        room.factor.back(pull);
        for (i, shifted) in room.shifted.iter().enumerate() {
            let row = factor.row_mut(i).iter_mut().zip(&pull[i..]);
            row.for_each(|(to, by_pull)| *to -= shifted * by_pull);
        }
        room.factor.pull_back(factor);
        for (i, of_i) in self.factor_of.iter().enumerate() {
            let (slopes, scaled) = (factor.row(i), room.scaled.row(i));
            for ((slope, x), of_j) in slopes.iter().zip(scaled).zip(&self.factor_of[i..]) {
                by_log[*of_i] += slope * x;
                by_log[*of_j] += slope * x;
            }
            by_log[*of_i] += pull[i] * room.pull[i];
            pull[i] *= room.tau[i];
        }
        factor.scale(&room.tau, 0.0);
    }

    /// Carries derivatives from the precision and the pull over to the noise and the scale of the
    /// last levels.
    fn set_slopes_of_sums(&self, by_log: &mut [f64], room: &PositiveWorkspace) {
        let (t, variance) = (room.t, room.variance);
        let SlopeWorkspace { shifted: pull, factor, .. } = &room.slopes;
        let along = |products: &SymmetricMatrix, pulled: &[f64]| {
            factor.product(products) + dot(pull, pulled)
        };
        by_log[self.factors] +=
            (self.energy - 2.0 * along(&self.products, &self.pulled)) / variance - self.cases;
        for group in &self.groups {
            let total = group.times * t + variance;
            let weight = t / (total * variance);
            let by_weight = group.pull_square / 2.0 - along(&group.square, &group.pulled);
            let (slope, left) = (2.0 * by_weight * weight, variance / total);
            let free = group.levels.len() as f64 * (1.0 - left);
            by_log[self.factors] += free - slope * (1.0 + left);
            by_log[self.largest] += slope * left - free;
        }
    }
}
