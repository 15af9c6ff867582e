//! Small-area estimation: the energy of an area (a method) from the samples that fell
//! into it and from its counts of operations, each weighed by its error.
//!
//! `d = t + e` is what samples say, `t = n c + s b v` what the area spends: `e` has a known
//! variance `psi`, `v` is one draw per area, `b` the area's scale (1 for Fay and Herriot's
//! model; its energy by the counts for ours, so that `s` is relative: the block effect).
//! `s` comes from the restricted likelihood, `c` by generalised least squares together with
//! what is known of it beforehand. See `docs/method-estimates.md` for equations and sources.

mod benchmark;
mod between;
mod mixture;
mod positive;
mod predict;
mod restricted;
mod robust;
mod samples;
mod spread;
mod system;

#[cfg(test)]
mod milk;
#[cfg(test)]
mod tests;

use faer::Mat;
use thiserror::Error;

pub use benchmark::benchmarked;
pub use between::{AreaSources, between_sources, way_from_samples};
pub use predict::AreaEstimate;
pub use samples::{session_variances, share_of};
pub use spread::{Repeats, RunSpread, run_spread};

use crate::interval::{NORMAL_975, student_975};

use mixture::Mixture;
use positive::positive_mean;
use system::System;

/// What samples say of one area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direct {
    /// Energy in joules.
    pub energy_j: f64,
    /// Variance of its error in J^2, positive.
    pub variance_j2: f64,
}

/// One area.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallArea {
    /// How often each cost occurs in it, length l.
    pub counts: Vec<f64>,
    /// What its place effect is relative to: its energy by the counts in joules, or 1.
    pub scale: f64,
    /// What samples say; absent where there were none.
    pub direct: Option<Direct>,
}

/// What is known of the l costs before the areas are looked at.
#[derive(Debug, Clone, PartialEq)]
pub enum CostEstimate {
    /// Nothing: the areas must determine every cost.
    Nothing,
    /// A normal distribution.
    Normal {
        /// Means in joules, length l.
        mean: Vec<f64>,
        /// Covariance in J^2, l x l, row by row; may be singular.
        covariance: Vec<f64>,
    },
}

/// How place effects are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tails {
    /// Normally, as Fay and Herriot have it.
    Normal,
    /// As Student's t, with as many degrees of freedom as the areas make likely: a few
    /// areas far from what the counts say don't make all others unsure.
    Estimated,
}

/// What the areas tell.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaFit {
    /// Costs in joules, length l.
    pub costs: Vec<f64>,
    /// Covariance of their errors in J^2, row by row, l x l.
    pub covariance: Vec<f64>,
    /// The block effect `s`; absent where no area has samples, so that nothing tells it.
    pub block_effect_sd: Option<f64>,
    /// Degrees of freedom of the place effects; absent where they are normal.
    pub freedom: Option<f64>,
    /// One per area, in their order.
    pub estimates: Vec<AreaEstimate>,
}

impl AreaFit {
    /// Each cost's mean in joules, given that it is not below zero.
    pub fn positive_costs(&self) -> Vec<f64> {
        let l = self.costs.len();
        let variance = |j: usize| self.covariance[j * l + j].max(0.0);
        let cost = |(j, mean): (usize, &f64)| positive_mean(*mean, variance(j).sqrt());
        self.costs.iter().enumerate().map(cost).collect()
    }

    /// Half the width of a place effect's 95 % interval, in normal standard deviations: the
    /// block effect where effects are normal, more where they have long tails.
    pub fn block_effect_spread(&self) -> Option<f64> {
        let tails = self.freedom.map_or(1.0, |freedom| student_975(freedom) / NORMAL_975);
        Some(tails * self.block_effect_sd?)
    }
}

/// Why areas can't be estimated.
#[derive(Debug, Error)]
pub enum AreaError {
    /// Lengths don't belong together.
    #[error("area {area} has {found} counts, where there are {expected} costs")]
    Shape {
        /// Number of the area, from 0.
        area: usize,
        /// Counts it has.
        found: usize,
        /// Costs there are.
        expected: usize,
    },
    /// A figure is not finite, or a variance or scale not positive.
    #[error("area {area}: {what} is {value}, which is no usable figure")]
    Figure {
        /// Number of the area, from 0.
        area: usize,
        /// Which figure.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// There is nothing to estimate from.
    #[error("there are no areas, or they have no costs")]
    Empty,
    /// Some costs are determined neither by the areas nor beforehand.
    #[error(
        "the areas with samples don't determine all costs, and nothing is known of them \
         beforehand; give a belief about the costs, or leave out those that no area tells apart"
    )]
    Undetermined,
}

/// Estimates areas; see the module.
///
/// # Errors
/// Figures that are none, and costs that nothing determines.
pub fn estimate(
    areas: &[SmallArea],
    belief: &CostEstimate,
    tails: Tails,
) -> Result<AreaFit, AreaError> {
    check(areas, belief)?;
    let system = System::new(areas, belief)?;
    if areas.iter().all(|area| area.direct.is_none()) {
        let solution = system.solve(&vec![0.0; areas.len()])?;
        return Ok(fit_of(&system, &solution, None));
    }
    // Where the width is found anew with the tails, this is only a place to begin.
    let precision = if tails == Tails::Normal { 1e-12 } else { 1e-2 };
    let variance = restricted::place_variance(&system, precision)?;
    let (place, solution) = robust::settle(&system, variance, tails)?;
    Ok(fit_of(&system, &solution, Some(&place)))
}

fn fit_of(system: &System, solution: &system::AreaSolution, place: Option<&Mixture>) -> AreaFit {
    AreaFit {
        costs: system.costs(solution),
        covariance: row_by_row(&system.covariance(solution)),
        block_effect_sd: place.map(|place| place.variance.sqrt()),
        freedom: place.and_then(|place| place.freedom),
        estimates: predict::estimates(system, solution, place),
    }
}

fn row_by_row(matrix: &Mat<f64>) -> Vec<f64> {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    (0..rows).flat_map(|i| (0..columns).map(move |j| matrix[(i, j)])).collect()
}

fn check(areas: &[SmallArea], belief: &CostEstimate) -> Result<(), AreaError> {
    let costs = areas.first().map_or(0, |area| area.counts.len());
    if costs == 0 {
        return Err(AreaError::Empty);
    }
    if let CostEstimate::Normal { mean, covariance } = belief {
        let known = mean.len().min(covariance.len().isqrt());
        if mean.len() != costs || covariance.len() != costs * costs {
            return Err(AreaError::Shape { area: 0, found: costs, expected: known });
        }
    }
    areas.iter().enumerate().try_for_each(|(number, area)| check_area(number, area, costs))
}

fn check_area(number: usize, area: &SmallArea, costs: usize) -> Result<(), AreaError> {
    if area.counts.len() != costs {
        return Err(AreaError::Shape { area: number, found: area.counts.len(), expected: costs });
    }
    let wrong = |what, value| Err(AreaError::Figure { area: number, what, value });
    if let Some(count) = area.counts.iter().find(|count| !count.is_finite()) {
        return wrong("a count", *count);
    }
    if !(area.scale.is_finite() && area.scale >= 0.0) {
        return wrong("the scale", area.scale);
    }
    match area.direct {
        Some(direct) if !direct.energy_j.is_finite() => wrong("the energy", direct.energy_j),
        Some(direct) if !(direct.variance_j2.is_finite() && direct.variance_j2 > 0.0) => {
            wrong("the variance", direct.variance_j2)
        }
        _ => Ok(()),
    }
}
