//! Costs by generalised least squares for given variances of the areas, in coordinates in which the
//! prior precision is the unit matrix or zero.

use faer::linalg::solvers::DenseSolveCore;
use faer::{Mat, MatRef, Side};
use wattline_units::foreign::catch_foreign_panic;

use crate::linear::{dot, matrix_times_vector};

use super::{AreaCostPrior, AreaEstimationError, SmallArea};

/// The areas' equations `y = Z z + error`, in units of the largest scale.
pub(super) struct AreaSystem {
    /// Areas by coordinates.
    z: Mat<f64>,
    /// Sampling-based energies above those by the prior mean; 0 without samples.
    y: Vec<f64>,
    /// Energies by the prior mean.
    offset: Vec<f64>,
    /// Scales of block effects.
    pub scale: Vec<f64>,
    /// Variances of the sampling-based energies; infinite without samples.
    pub psi: Vec<f64>,
    /// Prior precision of each coordinate: 1 or 0.
    prior: f64,
    /// Costs of the coordinates: `c = mean + map z`.
    map: Mat<f64>,
    mean: Vec<f64>,
    /// Joules per unit.
    pub unit_j: f64,
}

/// Solution of the system for given weights of the areas.
pub(super) struct AreaSolution {
    /// Values of the coordinates.
    z: Vec<f64>,
    /// Covariance of the coordinates.
    covariance: Mat<f64>,
    /// Sampling-based energies minus those by the costs, in units; 0 without samples.
    pub residuals: Vec<f64>,
    /// Variance of each area's energy by the costs, in squared units.
    pub spread: Vec<f64>,
}

impl AreaSystem {
    /// Builds the system from areas that were checked.
    pub fn new(areas: &[SmallArea], belief: &AreaCostPrior) -> Result<Self, AreaEstimationError> {
        let unit_j = unit(areas);
        let costs = areas[0].counts.len();
        let counts = Mat::from_fn(areas.len(), costs, |a, j| areas[a].counts[j]);
        let (mean, map, prior) = match belief {
            AreaCostPrior::Nothing => (vec![0.0; costs], column_units(&counts), 0.0),
            AreaCostPrior::Normal { mean, covariance } => {
                let mean = mean.iter().map(|cost| cost / unit_j).collect();
                let entry = |i: usize, j: usize| {
                    (covariance[i * costs + j] + covariance[j * costs + i]) / 2.0
                };
                let covariance = Mat::from_fn(costs, costs, |i, j| entry(i, j) / unit_j / unit_j);
                (mean, root(&covariance)?, 1.0)
            }
        };
        let offset = matrix_times_vector(counts.as_ref(), &mean);
        let energy = |(area, known): (&SmallArea, &f64)| {
            area.direct.map_or(0.0, |direct| direct.energy_j / unit_j - known)
        };
        let psi = |area: &SmallArea| {
            area.direct.map_or(f64::INFINITY, |direct| direct.variance_j2 / unit_j / unit_j)
        };
        Ok(Self {
            z: &counts * &map,
            y: areas.iter().zip(&offset).map(energy).collect(),
            offset,
            scale: areas.iter().map(|area| area.scale / unit_j).collect(),
            psi: areas.iter().map(psi).collect(),
            prior,
            map,
            mean,
            unit_j,
        })
    }

    /// Number of areas.
    pub fn areas(&self) -> usize {
        self.y.len()
    }

    /// Whether an area has samples.
    pub fn is_sampled(&self, area: usize) -> bool {
        self.psi[area].is_finite()
    }

    /// Solves for the inverse variances of the areas (0 where there are no samples).
    pub fn solve(&self, weights: &[f64]) -> Result<AreaSolution, AreaEstimationError> {
        let (areas, p) = (self.areas(), self.z.ncols());
        let rooted = Mat::from_fn(areas, p, |a, j| self.z[(a, j)] * weights[a].sqrt());
        let mut precision = rooted.transpose() * &rooted;
        (0..p).for_each(|j| precision[(j, j)] += self.prior);
        let covariance = inverse(&precision)?;
        let weighted: Vec<f64> = self.y.iter().zip(weights).map(|(y, w)| y * w).collect();
        let right = matrix_times_vector(self.z.transpose(), &weighted);
        let z = matrix_times_vector(covariance.as_ref(), &right);
        let said = matrix_times_vector(self.z.as_ref(), &z);
        let residual = |a: usize| if self.is_sampled(a) { self.y[a] - said[a] } else { 0.0 };
        Ok(AreaSolution {
            residuals: (0..areas).map(residual).collect(),
            spread: quadratic(self.z.as_ref(), &covariance),
            z,
            covariance,
        })
    }

    /// Returns the energy of each area by the costs, in units.
    pub(crate) fn synthetic(&self, solution: &AreaSolution) -> Vec<f64> {
        let said = matrix_times_vector(self.z.as_ref(), &solution.z);
        said.iter().zip(&self.offset).map(|(above, known)| above + known).collect()
    }

    /// The costs in joules.
    pub fn costs(&self, solution: &AreaSolution) -> Vec<f64> {
        let above = matrix_times_vector(self.map.as_ref(), &solution.z);
        above.iter().zip(&self.mean).map(|(above, mean)| (above + mean) * self.unit_j).collect()
    }

    /// Covariance of the costs in J^2.
    pub fn covariance(&self, solution: &AreaSolution) -> Mat<f64> {
        let unit = &self.map * (&solution.covariance * self.map.transpose());
        Mat::from_fn(unit.nrows(), unit.ncols(), |i, j| unit[(i, j)] * self.unit_j * self.unit_j)
    }
}

/// Returns the unit in joules: the largest energy, so that neither J nor nJ are far from 1.
fn unit(areas: &[SmallArea]) -> f64 {
    let energies = areas.iter().filter_map(|area| area.direct).map(|direct| direct.energy_j.abs());
    let sizes = areas.iter().map(|area| area.scale).chain(energies);
    let largest = sizes.fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// Returns a diagonal matrix that makes the largest count of each column 1.
fn column_units(counts: &Mat<f64>) -> Mat<f64> {
    let largest = |j: usize| counts.col(j).iter().fold(0.0f64, |size, n| size.max(n.abs()));
    let unit = |j: usize| Some(largest(j)).filter(|size| *size > 0.0).map_or(1.0, f64::recip);
    Mat::from_fn(counts.ncols(), counts.ncols(), |i, j| if i == j { unit(j) } else { 0.0 })
}

/// A matrix `r` with `r r' = a`, for `a` symmetric and not negative.
fn root(a: &Mat<f64>) -> Result<Mat<f64>, AreaEstimationError> {
    let eigen = catch_foreign_panic(|| a.self_adjoint_eigen(Side::Lower));
    let eigen = eigen.map_err(|_| AreaEstimationError::Undetermined)?;
    let eigen = eigen.map_err(|_| AreaEstimationError::Undetermined)?;
    let lengths: Vec<f64> =
        eigen.S().column_vector().iter().map(|value| value.max(0.0).sqrt()).collect();
    let vectors = eigen.U();
    Ok(Mat::from_fn(a.nrows(), a.ncols(), |i, j| vectors[(i, j)] * lengths[j]))
}

/// The inverse; an error where it is singular up to rounding.
fn inverse(precision: &Mat<f64>) -> Result<Mat<f64>, AreaEstimationError> {
    let factor = catch_foreign_panic(|| precision.llt(Side::Lower));
    let factor = factor.map_err(|_| AreaEstimationError::Undetermined)?;
    let factor = factor.map_err(|_| AreaEstimationError::Undetermined)?;
    let pivots = factor.L().diagonal().column_vector();
    let (least, most) = pivots.iter().fold((f64::MAX, 0.0f64), |(l, m), p| (l.min(*p), m.max(*p)));
    if least <= 1e-8 * most { Err(AreaEstimationError::Undetermined) } else { Ok(factor.inverse()) }
}

/// `z_a' q z_a` for every row.
fn quadratic(z: MatRef<'_, f64>, q: &Mat<f64>) -> Vec<f64> {
    let product = q * z.transpose();
    let row = |a: usize| -> Vec<f64> { (0..z.ncols()).map(|j| z[(a, j)]).collect() };
    let column = |a: usize| -> Vec<f64> { product.col(a).iter().copied().collect() };
    (0..z.nrows()).map(|a| dot(&row(a), &column(a)).max(0.0)).collect()
}
