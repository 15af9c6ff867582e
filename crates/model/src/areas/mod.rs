//! Small-area estimation: the energy of an area (a method) from the samples that fell
//! into it and from its counts of operations, each weighed by its error.
//!
//! `d = t + e` is the sampling-based energy of an area, `t = n c + s b v` its true one: `e` has a
//! known variance `psi`, `v` is one draw per area, `b` the area's scale (1 for Fay and Herriot's
//! model; its count-based energy for ours, so that `s` is relative: the block effect). `s` comes
//! from the restricted likelihood, `c` by generalised least squares together with its prior. See
//! `docs/internals/method-estimates.md` for equations and sources.

mod benchmarking;
mod mixture;
mod predictor;
mod restricted_likelihood;
mod robust_fit;
mod run_spread;
mod samples;
mod source_bounds;
mod system;
mod truncated_normal_mean;

#[cfg(test)]
mod milk;
#[cfg(test)]
mod tests;

use faer::Mat;
use thiserror::Error;

pub use benchmarking::benchmark_to_total;
pub use predictor::AreaEstimate;
pub use run_spread::{RepeatedRuns, RunSpread, run_spread};
pub use samples::{direct_estimate, session_variances};
pub use source_bounds::{AreaSources, hold_between_sources, weight_of_estimates};

use crate::quantiles::{NORMAL_975, student_975};

use mixture::Mixture;
use system::AreaSystem;
use truncated_normal_mean::truncated_normal_mean;

/// Sampling-based energy of one area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DirectEstimate {
    /// Energy in joules.
    pub energy_j: f64,
    /// Variance of its error in J^2, positive.
    pub variance_j2: f64,
}

/// Input for one area, a method or a line: its counts and its sampling-based energy.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallArea {
    /// Executions at each cost, length l.
    pub counts: Vec<f64>,
    /// Scale of its block effect: its count-based energy in joules, or 1.
    pub scale: f64,
    /// Sampling-based energy; absent without samples.
    pub direct: Option<DirectEstimate>,
}

/// Prior of the l costs, before the areas are fitted.
#[derive(Debug, Clone, PartialEq)]
pub enum AreaCostPrior {
    /// No prior: the areas must determine every cost.
    Nothing,
    /// A normal distribution.
    Normal {
        /// Means in joules, length l.
        mean: Vec<f64>,
        /// Covariance in J^2, l x l, row by row; may be singular.
        covariance: Vec<f64>,
    },
}

/// Distribution that is assumed for block effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockEffectTails {
    /// Normal, as in the model of Fay and Herriot.
    Normal,
    /// Student's t with the most likely degrees of freedom: a few areas far from their count-based
    /// energy do not make all others uncertain.
    Estimated,
}

/// Result of a small-area fit: costs, block effect and one estimate per area.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaFit {
    /// Costs in joules, length l.
    pub costs: Vec<f64>,
    /// Covariance of their errors in J^2, row by row, l x l.
    pub covariance: Vec<f64>,
    /// Standard deviation `s` of the block effect; absent where no area has samples.
    pub block_effect_sd: Option<f64>,
    /// Degrees of freedom of the block effects; absent where they are normal.
    pub freedom: Option<f64>,
    /// One estimate per area, in the order of the areas.
    pub estimates: Vec<AreaEstimate>,
}

impl AreaFit {
    /// Returns the mean of each cost in joules, given that it is not below zero.
    pub fn positive_costs(&self) -> Vec<f64> {
        let l = self.costs.len();
        let variance = |j: usize| self.covariance[j * l + j].max(0.0);
        let cost = |(j, mean): (usize, &f64)| truncated_normal_mean(*mean, variance(j).sqrt());
        self.costs.iter().enumerate().map(cost).collect()
    }

    /// Returns half the width of the 95 % interval of a block effect, in normal standard
    /// deviations: the block effect where effects are normal, more where they have long tails.
    pub fn block_effect_spread(&self) -> Option<f64> {
        let tails = self.freedom.map_or(1.0, |freedom| student_975(freedom) / NORMAL_975);
        Some(tails * self.block_effect_sd?)
    }
}

/// Reason why areas cannot be estimated.
#[derive(Debug, Error)]
pub enum AreaEstimationError {
    /// An area has another number of counts than there are costs.
    #[error("area {area} has {found} counts, where there are {expected} costs")]
    Shape {
        /// Number of the area, from 0.
        area: usize,
        /// Number of its counts.
        found: usize,
        /// Number of costs.
        expected: usize,
    },
    /// A figure is not finite, or a variance or scale not positive.
    #[error("area {area}: {what} is {value}, which is no usable figure")]
    Figure {
        /// Number of the area, from 0.
        area: usize,
        /// Name of the figure.
        what: &'static str,
        /// Value of the figure.
        value: f64,
    },
    /// There is no area or no cost.
    #[error("there are no areas, or they have no costs")]
    Empty,
    /// Some costs are determined neither by the areas nor beforehand.
    #[error(
        "the areas with samples don't determine all costs, and nothing is known of them \
         beforehand; give a belief about the costs, or leave out those that no area tells apart"
    )]
    Undetermined,
}

/// Estimates costs, block effect and the energies of all areas by the model of this module.
///
/// # Errors
/// Invalid figures, and costs that neither areas nor prior determine.
pub fn estimate_areas(
    areas: &[SmallArea],
    belief: &AreaCostPrior,
    tails: BlockEffectTails,
) -> Result<AreaFit, AreaEstimationError> {
    check_areas(areas, belief)?;
    let system = AreaSystem::new(areas, belief)?;
    if areas.iter().all(|area| area.direct.is_none()) {
        let solution = system.solve(&vec![0.0; areas.len()])?;
        return Ok(area_fit(&system, &solution, None));
    }
    // Where the width is found anew with the tails, this is only a place to begin.
    let precision = if tails == BlockEffectTails::Normal { 1e-12 } else { 1e-2 };
    let variance = restricted_likelihood::block_effect_variance(&system, precision)?;
    let (place, solution) = robust_fit::fit_costs_and_effects(&system, variance, tails)?;
    Ok(area_fit(&system, &solution, Some(&place)))
}

fn area_fit(
    system: &AreaSystem,
    solution: &system::AreaSolution,
    place: Option<&Mixture>,
) -> AreaFit {
    AreaFit {
        costs: system.costs(solution),
        covariance: row_by_row(&system.covariance(solution)),
        block_effect_sd: place.map(|place| place.variance.sqrt()),
        freedom: place.and_then(|place| place.freedom),
        estimates: predictor::estimates(system, solution, place),
    }
}

fn row_by_row(matrix: &Mat<f64>) -> Vec<f64> {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    (0..rows).flat_map(|i| (0..columns).map(move |j| matrix[(i, j)])).collect()
}

fn check_areas(areas: &[SmallArea], belief: &AreaCostPrior) -> Result<(), AreaEstimationError> {
    let costs = areas.first().map_or(0, |area| area.counts.len());
    if costs == 0 {
        return Err(AreaEstimationError::Empty);
    }
    if let AreaCostPrior::Normal { mean, covariance } = belief {
        let known = mean.len().min(covariance.len().isqrt());
        if mean.len() != costs || covariance.len() != costs * costs {
            return Err(AreaEstimationError::Shape { area: 0, found: costs, expected: known });
        }
    }
    areas.iter().enumerate().try_for_each(|(number, area)| check_area(number, area, costs))
}

fn check_area(number: usize, area: &SmallArea, costs: usize) -> Result<(), AreaEstimationError> {
    if area.counts.len() != costs {
        return Err(AreaEstimationError::Shape {
            area: number,
            found: area.counts.len(),
            expected: costs,
        });
    }
    let wrong = |what, value| Err(AreaEstimationError::Figure { area: number, what, value });
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
