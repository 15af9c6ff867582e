//! Prior of costs in `shrink`, before the cases are fitted: costs by microbenchmarks with their
//! errors; of operations without a microbenchmark, the mean of the microbenchmarks of their family;
//! of all others, one common cost, which is fitted to the cases.
//!
//! A common cost supposes columns of one sort. Where columns are of different sorts
//! (cycles, cache misses and seconds), each may instead explain about the same share of
//! the energy.

use std::collections::BTreeMap;

use wattline_units::assumptions::Assumptions;
use wattline_units::operation::FeatureColumn;

use super::super::super::design::Design;
use super::super::super::error::ModelError;
use super::super::super::fitted_model::{CostPrior, CostPriors};
use super::super::super::gram::Gram;
use super::super::super::linear::{dot, matrix_times_vector};
use super::super::super::microbenchmark_prior::{
    MicrobenchmarkPrior, TINY_DIVISOR, mean_cost, operation_family, without_gc,
};
use super::prior::GaussianPrior;
use crate::table::GARBAGE_COLLECTION;

/// Source of the prior of one cost, in joules.
#[derive(Debug, Clone, Copy, PartialEq)]
enum CostBelief {
    Microbenchmark {
        cost_j: f64,
    },
    Family {
        cost_j: f64,
    },
    Common,
    /// The common cost, of what may be a body of any length.
    Body,
    Share,
}

impl CostBelief {
    /// Whether the common cost is the guess.
    fn is_common(&self) -> bool {
        matches!(self, Self::Common | Self::Body)
    }
}

/// Prior information on all costs, as far as it doesn't depend on energies.
#[derive(Debug)]
pub(super) struct Beliefs {
    each: Vec<CostBelief>,
    collection: Option<usize>,
    scale: Vec<f64>,
    mean_microbenchmark_j: f64,
    known: MicrobenchmarkPrior,
    assumed: Assumptions,
}

impl Beliefs {
    /// Creates the beliefs of a design; the relative error `misfit` is added to the errors of
    /// microbenchmarks.
    ///
    /// # Errors
    /// Errors of the priors that no covariance has.
    pub fn new(design: &Design, priors: &CostPriors, misfit: f64) -> Result<Self, ModelError> {
        let known = MicrobenchmarkPrior::new(design, priors, misfit)?;
        let families = family_means(&priors.costs);
        let mean_microbenchmark_j = mean_cost(without_gc(&priors.costs).map(|prior| prior.cost_j));
        let each: Vec<CostBelief> = (0..design.columns())
            .map(|j| match (known.place(j), families.get(operation_family(&design.features[j]))) {
                (Some(at), _) => {
                    CostBelief::Microbenchmark { cost_j: known.costs[at] / design.scale[j] }
                }
                (None, Some(cost_j)) => CostBelief::Family { cost_j: *cost_j },
                (None, None) if FeatureColumn::of(&design.features[j]).is_body() => {
                    CostBelief::Body
                }
                (None, None) => CostBelief::Common,
            })
            .collect();
        let is_unknown_collection = |j: &usize| {
            design.features[*j] == GARBAGE_COLLECTION
                && !matches!(each[*j], CostBelief::Microbenchmark { .. })
        };
        let collection = (0..each.len()).find(is_unknown_collection);
        let scale = design.scale.clone();
        let assumed = design.assumed;
        Ok(Self { each, collection, scale, mean_microbenchmark_j, known, assumed })
    }

    /// Creates beliefs without any prior but that each column may explain some share of the energy.
    pub(crate) fn by_share(design: &Design) -> Self {
        Self {
            each: vec![CostBelief::Share; design.columns()],
            collection: None,
            scale: design.scale.clone(),
            mean_microbenchmark_j: 0.0,
            known: MicrobenchmarkPrior::none(),
            assumed: design.assumed,
        }
    }

    /// Number of operations with a microbenchmark.
    pub fn microbenchmarks(&self) -> usize {
        self.known.len()
    }

    /// Whether this is [`Beliefs::by_share`].
    pub(crate) fn is_by_share(&self) -> bool {
        self.each.contains(&CostBelief::Share)
    }

    /// Whether all costs are guessed, from one common cost.
    pub(crate) fn is_by_common_cost(&self) -> bool {
        self.known.len() == 0 && !self.is_by_share()
    }

    /// Returns the prior over scaled costs; the common cost is the one that explains best what
    /// microbenchmarks and families leave of the energies.
    pub fn prior(&self, gram: &Gram) -> GaussianPrior {
        let common_cost = self.common_cost(gram);
        let Assumptions { family_spread, microbenchmark_level, collection_share, .. } =
            self.assumed;
        let cost = |belief: &CostBelief| match belief {
            CostBelief::Microbenchmark { cost_j } | CostBelief::Family { cost_j } => *cost_j,
            CostBelief::Common | CostBelief::Body => common_cost,
            CostBelief::Share => 0.0,
        };
        let mean: Vec<f64> =
            self.each.iter().zip(&self.scale).map(|(belief, scale)| cost(belief) * scale).collect();
        let sd = |j: usize| match self.each[j] {
            CostBelief::Share => root_mean_square(gram),
            _ if self.collection == Some(j) => {
                f64::max(family_spread * mean[j], collection_share * root_mean_square(gram))
            }
            CostBelief::Body => self.assumed.simulated_chip_body_spread * mean[j],
            _ => family_spread * mean[j],
        };
        let sd: Vec<f64> = (0..mean.len()).map(sd).collect();
        let levels = vec![
            (
                microbenchmark_level,
                self.members(|belief| matches!(belief, CostBelief::Microbenchmark { .. })),
            ),
            (family_spread, self.members(CostBelief::is_common)),
        ];
        let guessed =
            self.each.iter().map(|belief| !matches!(belief, CostBelief::Microbenchmark { .. }));
        GaussianPrior::new(
            mean,
            sd,
            self.known.clone(),
            levels,
            guessed.collect(),
            common_cost,
            self.assumed,
        )
    }

    /// Returns the one cost for all operations without a microbenchmark in their family: least
    /// squares of the energy left on the counts left.
    fn common_cost(&self, gram: &Gram) -> f64 {
        let known: Vec<f64> = self.per_column(|belief| match belief {
            CostBelief::Microbenchmark { cost_j } | CostBelief::Family { cost_j } => cost_j,
            CostBelief::Common | CostBelief::Body | CostBelief::Share => 0.0,
        });
        let counts = self.per_column(|belief| f64::from(belief.is_common()));
        let explained = matrix_times_vector(gram.xx.as_ref(), &known);
        let left: Vec<f64> = gram.xy.iter().zip(explained).map(|(xy, e)| xy - e).collect();
        let cost =
            dot(&counts, &left) / dot(&counts, &matrix_times_vector(gram.xx.as_ref(), &counts));
        let is_told = cost.is_finite() && cost > 0.0;
        match (is_told, self.mean_microbenchmark_j > 0.0) {
            (true, true) => {
                return cost.min(self.assumed.common_cost_max * self.mean_microbenchmark_j);
            }
            (true, false) => return cost,
            (false, true) => return self.mean_microbenchmark_j,
            (false, false) => {}
        }
        // Energies at or below zero: their size at least gives the order of magnitude.
        let ones = self.per_column(|_| 1.0);
        let size = (gram.yy / dot(&ones, &matrix_times_vector(gram.xx.as_ref(), &ones))).sqrt();
        if size.is_finite() && size > 0.0 { size } else { TINY_DIVISOR }
    }

    fn per_column(&self, cost: impl Fn(CostBelief) -> f64) -> Vec<f64> {
        self.each.iter().zip(&self.scale).map(|(belief, scale)| cost(*belief) * scale).collect()
    }

    /// Returns the columns of one level; a GC has nothing in common with others.
    fn members(&self, has: impl Fn(&CostBelief) -> bool) -> Vec<usize> {
        (0..self.each.len())
            .filter(|j| has(&self.each[*j]) && self.collection != Some(*j))
            .collect()
    }
}

fn family_means(priors: &[CostPrior]) -> BTreeMap<&str, f64> {
    let mut costs: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for prior in without_gc(priors) {
        costs.entry(operation_family(&prior.operation)).or_default().push(prior.cost_j.max(0.0));
    }
    let means = costs.into_iter().map(|(family, costs)| (family, mean_cost(costs.into_iter())));
    means.filter(|(_, mean)| *mean > 0.0).collect()
}

/// Returns the length of the energies: what a scaled cost is if it explains all.
fn root_mean_square(gram: &Gram) -> f64 {
    f64::max(gram.yy.sqrt(), TINY_DIVISOR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, table};
    use crate::weights::Weighting;

    const MISFIT: f64 = 0.1;

    fn design(features: &[&str]) -> Design {
        let row: Vec<f64> = (0..features.len()).map(|j| j as f64 + 1.0).collect();
        let mut data = table(&[&row, &row], &[6.0, 6.0]);
        data.features = features.iter().map(|name| (*name).to_owned()).collect();
        Design::new(&data, Weighting::Equal, Assumptions::default()).unwrap()
    }

    fn prior_of(operation: &str, cost_j: f64, se_j: f64) -> CostPrior {
        CostPrior { operation: operation.to_owned(), cost_j, se_j }
    }

    /// Microbenchmark 1 J, its family the same, and the third explains the rest:
    /// 6 = 1*1 + 2*1 + 3*c, c = 1.
    #[test]
    fn microbenchmarks_then_families_then_what_the_cases_leave() {
        let design = design(&["Addition_int_int", "Addition_long_long", "Increment"]);
        let priors = vec![prior_of("Addition_int_int", 1.0, 0.0)].into();
        let beliefs = Beliefs::new(&design, &priors, MISFIT).unwrap();
        let prior = beliefs.prior(&design.gram());
        assert_close(&design.costs(&prior.mean), &[1.0, 1.0, 1.0], 1e-12);
        assert!((prior.common_cost - 1.0).abs() < 1e-12 && beliefs.microbenchmarks() == 1);
    }

    /// One microbenchmark of 1e-3 J: the third would have to cost 2 J to explain what is left.
    #[test]
    fn the_common_cost_is_no_more_than_ten_microbenchmarks() {
        let design = design(&["Addition_int_int", "Addition_long_long", "Increment"]);
        let priors = vec![prior_of("Addition_int_int", 1e-3, 0.0)].into();
        let prior = Beliefs::new(&design, &priors, MISFIT).unwrap().prior(&design.gram());
        assert_close(&design.costs(&prior.mean), &[1e-3, 1e-3, 1e-2], 1e-12);
    }

    /// The variance of a guess by itself, at the common cost of 1: 1 for an operation, 5^2
    /// for a library function and an allocation; the level common to all adds 1.
    #[test]
    fn bodies_of_unknown_length_may_cost_anything() {
        let design = design(&["Increment", "lib:java.util.List.add", "New_Object"]);
        let prior =
            Beliefs::new(&design, &Vec::new().into(), MISFIT).unwrap().prior(&design.gram());
        let covariance = crate::linear::invert_positive(prior.precision.as_ref()).unwrap();
        let variance = |j: usize| covariance[(j, j)] / design.scale[j].powi(2);
        assert_close(&[variance(0), variance(1), variance(2)], &[2.0, 26.0, 26.0], 1e-9);
    }

    /// Two microbenchmarks of cost 1 with independent 10 % and a common 20 %: covariance
    /// 0.01 + 0.04 on the diagonal and 0.04 beside it (the least error adds 1e-6).
    #[test]
    fn microbenchmarks_share_a_level() {
        let design = design(&["Not", "And"]);
        let priors = vec![prior_of("Not", 1.0, 0.0), prior_of("And", 1.0, 0.0)].into();
        let prior = Beliefs::new(&design, &priors, MISFIT).unwrap().prior(&design.gram());
        let covariance = crate::linear::invert_positive(prior.precision.as_ref()).unwrap();
        let (a, b) = (design.scale[0], design.scale[1]);
        let found = [covariance[(0, 0)] / (a * a), covariance[(0, 1)] / (a * b)];
        assert_close(&found, &[0.050_001, 0.04], 1e-9);
    }
}
