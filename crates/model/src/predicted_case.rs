//! Whole cases predicted by a model, with the distributions of their energies and of differences
//! between two of them.

use super::fitted_model::Model;
use super::options::Solver;
use super::predictive_distribution::{EnergyPrognosis, PredictiveDistribution};
use super::residual_spread::ResidualSpread;

/// Whole case predicted by a model: within reach of the cases fitted to, and with the constant
/// energy.
#[derive(Debug, Clone)]
pub struct PredictedCase<'m> {
    model: &'m Model,
    /// Counts of which the energy is the sum of costs; absent where it is not, and the covariance
    /// of the costs does not give its error.
    priced: Option<Vec<(usize, f64)>>,
    is_within_reach: bool,
    /// Expected energy in joules.
    pub energy_j: f64,
}

impl Model {
    /// Predicts the energy of a whole case from `(column, executions)` pairs.
    pub fn predicted_case(
        &self,
        counts: &[(usize, f64)],
        duration_s: Option<f64>,
    ) -> PredictedCase<'_> {
        let counts = self.merged(counts);
        let within = self.reach.as_ref().and_then(|reach| {
            let mut row = vec![0.0; self.costs.len()];
            counts.iter().for_each(|(j, n)| row[*j] = *n);
            let within = reach.counts_within(&row)?;
            let beyond: f64 = row.iter().zip(&within).map(|(n, within)| n - within).sum();
            Some((within, beyond * reach.cost_j))
        });
        let is_within_reach = within.is_none();
        let (counts, beyond_j) = match within {
            None => (counts, 0.0),
            Some((within, beyond_j)) => (within.into_iter().enumerate().collect(), beyond_j),
        };
        let cost_j = |j: usize| match &self.case_costs_j {
            Some(costs_j) => costs_j[j],
            None => self.costs[j].cost_j,
        };
        let operations_j: f64 = counts.iter().map(|(j, n)| n * cost_j(*j)).sum();
        let constant_j = self.constant.map_or(0.0, |constant| constant.energy_j(duration_s));
        let is_priced = is_within_reach && self.case_costs_j.is_none() && self.constant.is_none();
        PredictedCase {
            model: self,
            priced: is_priced.then_some(counts),
            is_within_reach,
            energy_j: operations_j + beyond_j + constant_j,
        }
    }
}

impl PredictedCase<'_> {
    /// Returns the standard error of the expected energy in joules, if it is known.
    #[must_use]
    pub fn se_j(&self) -> Option<f64> {
        let variance = self.model.variance(self.priced.as_ref()?)?;
        Some(variance.max(0.0).sqrt())
    }

    /// Returns the distributions of its expected energy, and of a new measurement: with the
    /// residuals of the fit, or, where costs have no errors, by the errors of held-out cases.
    #[must_use]
    pub fn prognosis(&self) -> EnergyPrognosis {
        let expected =
            self.priced.as_ref().and_then(|priced| self.model.distribution(self.energy_j, priced));
        self.model.with_measurement(expected, &[self])
    }

    /// Returns the distributions of its energy less that of another case by the same model: errors
    /// of costs that both have cancel, residuals are independent.
    #[must_use]
    pub fn difference(&self, other: &Self) -> EnergyPrognosis {
        let difference_j = self.energy_j - other.energy_j;
        let expected = self.priced.as_ref().zip(other.priced.as_ref()).and_then(|(one, two)| {
            let less = two.iter().map(|(j, n)| (*j, -n));
            let counts: Vec<(usize, f64)> = one.iter().copied().chain(less).collect();
            self.model.distribution(difference_j, &self.model.merged(&counts))
        });
        self.model.with_measurement(expected, &[self, other])
    }

    /// Describes why a distribution is absent from the case's own prognosis; `None` if none is.
    #[must_use]
    pub fn missing_reason(&self, prognosis: &EnergyPrognosis) -> Option<&'static str> {
        let model = self.model;
        if !self.is_within_reach {
            return Some(
                "it executes an operation to a larger share than any case fitted to, so that its \
                 error is unknown",
            );
        }
        if prognosis.measurement.is_none() && prognosis.expected.is_some() {
            return Some("the fit leaves no degrees of freedom, so its residuals are unknown");
        }
        if prognosis.expected.is_some() {
            return None;
        }
        if prognosis.measurement.is_some() {
            return Some(
                "whole cases are predicted by costs without errors, so that only the distribution \
                 of a new measurement is known, by the errors of held-out cases",
            );
        }
        match &model.covariance {
            Some(_) if self.priced.is_some() => {
                Some("the cases fitted to do not determine its energy")
            }
            Some(_) => Some("whole cases are predicted by costs without errors"),
            None => Some("the model has no errors of its costs; `fit --bootstrap` estimates them"),
        }
    }
}

impl Model {
    /// Returns the distribution of an energy that is the sum of costs over counts: by its draws,
    /// with mean and standard deviation from the covariance of all draws, of which a model keeps
    /// some; else normal or Student's.
    fn distribution(&self, mean_j: f64, counts: &[(usize, f64)]) -> Option<PredictiveDistribution> {
        let sd_j = self.variance(counts)?.max(0.0).sqrt();
        let sum = |draw: &Vec<f64>| counts.iter().map(|(j, n)| n * draw[*j]).sum::<f64>();
        let raw = PredictiveDistribution::Draws {
            means_j: self.draws.iter().map(sum).collect(),
            sds_j: vec![0.0; self.draws.len()],
        };
        let (center, spread) = (raw.mean_j(), raw.sd_j());
        match raw {
            PredictiveDistribution::Draws { means_j, sds_j } if spread > 0.0 => {
                let of = |draw: f64| mean_j + (draw - center) * sd_j / spread;
                Some(PredictiveDistribution::Draws {
                    means_j: means_j.into_iter().map(of).collect(),
                    sds_j,
                })
            }
            _ => {
                // A posterior of `bayes` contains a prior, too. It is not among these solvers
                // since the intervals of its costs are quantiles of draws; here it has no draws, or
                // draws without spread.
                let has_normal_errors =
                    |solver: Solver| solver.has_normal_errors() || solver == Solver::Bayes;
                let is_normal = self.solver.parse().is_ok_and(has_normal_errors);
                let degrees = self.residual.map(|residual| residual.degrees_of_freedom);
                let degrees_of_freedom = degrees.filter(|_| !is_normal);
                Some(PredictiveDistribution::Student { mean_j, sd_j, degrees_of_freedom })
            }
        }
    }

    /// Adds the distribution of a new measurement: of one case, or of the first less the second.
    fn with_measurement(
        &self,
        expected: Option<PredictiveDistribution>,
        cases: &[&PredictedCase<'_>],
    ) -> EnergyPrognosis {
        let noise_j = |spread: &ResidualSpread| {
            cases.iter().map(|case| spread.sd_j(case.energy_j)).fold(0.0, f64::hypot)
        };
        let energies = || cases.iter().map(|case| case.energy_j);
        let mean_j = energies().next().unwrap_or(0.0) - energies().skip(1).sum::<f64>();
        let is_reached = cases.iter().all(|case| case.is_within_reach);
        let measurement = match (&expected, self.residual, self.held_out) {
            (Some(expected), Some(residual), _) => {
                let degrees = residual.degrees_of_freedom;
                Some(expected.clone().with_noise(noise_j(&residual), Some(degrees)))
            }
            (None, _, Some(held_out)) if is_reached => Some(PredictiveDistribution::Student {
                mean_j,
                sd_j: noise_j(&held_out),
                degrees_of_freedom: Some(held_out.degrees_of_freedom),
            }),
            _ => None,
        };
        EnergyPrognosis { expected, measurement }
    }
}

#[cfg(test)]
mod tests;
