//! Prior of costs by microbenchmarks (or by an older device's model), for the solvers that use it:
//! a joint Gaussian of scaled costs. Errors of microbenchmarks are correlated (a comparison is as
//! much too cheap as the branch after it is too expensive), so sums are known better than single
//! costs.

use std::collections::BTreeMap;

use faer::Mat;
use wattline_units::operation::{FeatureColumn, LibraryFunction};

use super::design::Design;
use super::error::ModelError;
use super::fitted_model::{CostPrior, CostPriors};
use super::linear::invert_positive;
use crate::table::GARBAGE_COLLECTION;

/// Smallest error of a microbenchmark, relative to the mean cost of all.
const MICROBENCHMARK_ERROR_MIN: f64 = 1e-3;

/// Replacement of a zero divisor; its square is a number, too.
pub(crate) const TINY_DIVISOR: f64 = 1e-60;

/// Gaussian prior of some scaled costs, but for the factor common to all of them.
#[derive(Debug, Clone)]
pub(crate) struct MicrobenchmarkPrior {
    /// Their columns, k of them, rising.
    pub columns: Vec<usize>,
    /// Their costs, not below zero.
    pub costs: Vec<f64>,
    /// Covariance of their errors, k x k.
    pub covariance: Mat<f64>,
    /// Inverse of the covariance.
    pub precision: Mat<f64>,
}

impl MicrobenchmarkPrior {
    /// Creates a prior of no costs.
    pub fn none() -> Self {
        let (covariance, precision) = (Mat::new(), Mat::new());
        Self { columns: Vec::new(), costs: Vec::new(), covariance, precision }
    }

    /// Creates the prior of the design's columns; the relative error `misfit` is added to the error
    /// of each cost.
    ///
    /// # Errors
    /// Errors of the priors that no covariance has.
    pub fn new(design: &Design, priors: &CostPriors, misfit: f64) -> Result<Self, ModelError> {
        let by_name: BTreeMap<&str, usize> = (0..priors.costs.len())
            .filter(|at| is_usable(&priors.costs[*at]))
            .map(|at| (priors.costs[at].operation.as_str(), at))
            .collect();
        let mean = mean_cost(without_gc(&priors.costs).map(|prior| prior.cost_j));
        let found: Vec<(usize, usize)> = (0..design.columns())
            .filter_map(|j| Some((j, *by_name.get(design.features[j].as_str())?)))
            .collect();
        let cost = |at: usize| priors.costs[at].cost_j.max(0.0);
        let least = f64::max(MICROBENCHMARK_ERROR_MIN * mean, TINY_DIVISOR);
        let covariance = Mat::from_fn(found.len(), found.len(), |a, b| {
            let ((i, of_i), (j, of_j)) = (found[a], found[b]);
            let own = match a == b {
                // A cost below zero is its own proof of an error at least that large.
                true => {
                    let proof = (-priors.costs[of_i].cost_j).max(0.0);
                    (misfit * cost(of_i)).powi(2) + proof.powi(2) + least.powi(2)
                }
                false => 0.0,
            };
            (priors.error_product(of_i, of_j) + own) * design.scale[i] * design.scale[j]
        });
        if found.is_empty() {
            return Ok(Self::none());
        }
        let what = "the covariance of the priors' errors";
        let precision = invert_positive(covariance.as_ref());
        let precision = precision.ok_or(ModelError::Decomposition { what })?;
        let costs = found.iter().map(|(j, at)| cost(*at) * design.scale[*j]).collect();
        let columns = found.into_iter().map(|(j, _)| j).collect();
        Ok(Self { columns, costs, covariance, precision })
    }

    /// Number of costs.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Returns the index of a column among those of the prior.
    pub fn place(&self, column: usize) -> Option<usize> {
        self.columns.binary_search(&column).ok()
    }
}

/// Returns the family of a column: the verb before the first `_`; one for all library functions.
pub(crate) fn operation_family(column: &str) -> &str {
    if FeatureColumn::is_library(column) {
        return LibraryFunction::PREFIX;
    }
    column.split('_').next().unwrap_or(column)
}

/// Returns the usable priors without GC, which costs a million times as much as an operation or
/// call.
pub(crate) fn without_gc(priors: &[CostPrior]) -> impl Iterator<Item = &CostPrior> {
    priors.iter().filter(|prior| is_usable(prior) && prior.operation != GARBAGE_COLLECTION)
}

fn is_usable(prior: &CostPrior) -> bool {
    prior.cost_j.is_finite() && prior.se_j.is_finite()
}

/// Returns the mean of costs, those below zero as zero; 0 for none.
pub(crate) fn mean_cost(costs: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = costs.fold((0.0, 0.0), |(sum, n), cost| (sum + cost.max(0.0), n + 1.0));
    if n > 0.0 { sum / n } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use wattline_units::assumptions::Assumptions;

    use super::*;
    use crate::testing::table;
    use crate::weights::Weighting;

    fn known(costs: &[(&str, f64, f64)], covariance: Option<Vec<f64>>) -> MicrobenchmarkPrior {
        let mut data = table(&[&[1.0, 1.0]], &[1.0]);
        data.features = vec!["Not".to_owned(), "And".to_owned()];
        let design = Design::new(&data, Weighting::Equal, Assumptions::default()).unwrap();
        assert!(design.scale.iter().all(|scale| (scale - 1.0).abs() < 1e-12));
        let prior = |(operation, cost_j, se_j): &(&str, f64, f64)| CostPrior {
            operation: (*operation).to_owned(),
            cost_j: *cost_j,
            se_j: *se_j,
        };
        let costs: Vec<CostPrior> = costs.iter().map(prior).collect();
        let misfit = design.assumed.microbenchmark_misfit;
        MicrobenchmarkPrior::new(&design, &CostPriors { covariance, ..costs.into() }, misfit)
            .unwrap()
    }

    #[test]
    fn a_microbenchmark_below_zero_is_a_wide_zero() {
        let prior = known(&[("Not", -2.0, 0.5)], None);
        assert_eq!((prior.columns.as_slice(), prior.costs.as_slice()), (&[0][..], &[0.0][..]));
        assert!((prior.covariance[(0, 0)] - 4.25).abs() < 1e-3);
    }

    /// Errors of 2 and 1 that go against each other, and 10 % of 10 and 20: the order of
    /// the priors is not that of the columns.
    #[test]
    fn errors_hang_together() {
        let priors = [("And", 20.0, 1.0), ("Not", 10.0, 2.0)];
        let prior = known(&priors, Some(vec![1.0, -1.5, -1.5, 4.0]));
        let least = (1e-3 * 15.0_f64).powi(2);
        for ((i, j), expected) in [((0, 0), 5.0 + least), ((0, 1), -1.5), ((1, 1), 5.0 + least)] {
            assert!((prior.covariance[(i, j)] - expected).abs() < 1e-12, "{i} {j}");
        }
        let apart = known(&priors, None);
        assert_eq!(apart.covariance[(0, 1)], 0.0);
        assert!((apart.covariance[(1, 1)] - 5.0 - least).abs() < 1e-12);
    }

    #[test]
    fn families_are_verbs() {
        assert_eq!(operation_family("Addition_int_int"), "Addition");
        assert_eq!(operation_family("Increment"), "Increment");
        assert_eq!(
            operation_family("lib:java.lang.Math.sin"),
            operation_family("lib:java.util.List.add")
        );
    }
}
