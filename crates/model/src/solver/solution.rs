//! Solutions that solvers find, in the scaled units of a design.

use std::collections::BTreeMap;

use faer::Mat;

use super::super::predictor_choice::{ConstantEnergy, PredictorChoice};
use super::super::validity_limits::ValidityLimits;

/// Solution of a solver, in the scaled units of its design.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// Scaled costs, length l.
    pub b: Vec<f64>,
    /// Covariance of the scaled costs with its scope; absent where the solver has none.
    pub covariance: Option<Covariance>,
    /// The ends of 95 % intervals, length l; absent for those of the covariance.
    pub intervals: Option<Vec<(f64, f64)>>,
    /// Number of parameters that the cases determine, as far as known: the degrees of freedom left
    /// for the residuals are the cases without these.
    pub parameters: f64,
    /// Some draws of the scaled costs from their posterior, draw by draw; none where the
    /// solver doesn't draw.
    pub draws: Vec<Vec<f64>>,
    /// Solution by microbenchmarks alone, where the cases contradict them; of `shrink` and `stack`
    /// only.
    pub of_microbenchmarks: Option<MicrobenchmarkSolution>,
    /// The choice of `stack`, and what it adds; absent for other solvers.
    pub stacked: Option<StackedChoice>,
    /// Figures worth keeping, by name.
    pub diagnostics: BTreeMap<String, f64>,
}

/// Covariance of scaled costs with the costs that it is valid for.
#[derive(Debug, Clone)]
pub(crate) struct Covariance {
    /// Covariance, l x l.
    pub of_b: Mat<f64>,
    /// Costs that it is valid for.
    pub scope: SolvedScope,
}

/// Scaled costs by microbenchmarks alone, where the cases contradict them.
#[derive(Debug, Clone)]
pub(crate) struct MicrobenchmarkSolution {
    /// The costs, length l.
    pub b: Vec<f64>,
    /// Their covariance, l x l.
    pub of_b: Mat<f64>,
}

/// Costs that a covariance is valid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolvedScope {
    /// All: a prior supplies what the cases do not determine.
    All,
    /// Only those (and those sums) that the cases determine.
    Estimable,
}

/// Choice of a predictor, with what it adds to the costs of operations.
#[derive(Debug, Clone)]
pub(crate) struct StackedChoice {
    /// The choice.
    pub choice: PredictorChoice,
    /// Scaled costs by which whole cases are predicted, where those of operations are others.
    pub case_b: Option<Vec<f64>>,
    /// Limits within which the costs hold.
    pub reach: ValidityLimits,
    /// Energy that does not depend on operations; absent if there is none.
    pub constant: Option<ConstantEnergy>,
    /// Errors of the choice on cases that were held out; absent where there were too few.
    pub held_out: Option<HeldOutErrors>,
}

/// Errors of a predictor on cases that were held out, each by a fit to others.
#[derive(Debug, Clone)]
pub(crate) struct HeldOutErrors {
    /// Predicted less measured energy, weighted as the design is, length m.
    pub residuals: Vec<f64>,
    /// Number of cases or groups that were held out together.
    pub units: usize,
}

/// Collects diagnostics from names and values.
pub(super) fn diagnostics<const N: usize>(entries: [(&str, f64); N]) -> BTreeMap<String, f64> {
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
