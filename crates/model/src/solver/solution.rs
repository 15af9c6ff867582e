//! What solvers find.

use std::collections::BTreeMap;

use faer::Mat;

use super::super::choice::{ConstantEnergy, PredictorChoice};
use super::super::reach::Reach;

/// What a solver finds, in the scaled units of its design.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    /// Scaled costs, length l.
    pub b: Vec<f64>,
    /// Their covariance, and what it holds for; absent where the solver has none.
    pub covariance: Option<Covariance>,
    /// The ends of 95 % intervals, length l; absent for those of the covariance.
    pub intervals: Option<Vec<(f64, f64)>>,
    /// Parameters that the cases paid for, as far as known: the degrees of freedom left
    /// for the residuals are the cases without these.
    pub parameters: f64,
    /// Some draws of the scaled costs from their posterior, draw by draw; none where the
    /// solver doesn't draw.
    pub draws: Vec<Vec<f64>>,
    /// What microbenchmarks by themselves say, where the cases contradict them; of `shrink` and
    /// `stack` only.
    pub of_microbenchmarks: Option<OfMicrobenchmarks>,
    /// What was chosen, and what the choice adds; absent but for `stack`.
    pub stacked: Option<Stacked>,
    /// Figures worth keeping, by name.
    pub diagnostics: BTreeMap<String, f64>,
}

/// How sure scaled costs are.
#[derive(Debug, Clone)]
pub(crate) struct Covariance {
    /// Covariance, l x l.
    pub of_b: Mat<f64>,
    /// Which costs it is about.
    pub scope: SolvedScope,
}

/// Scaled costs that hold to microbenchmarks, whatever the cases say against them.
#[derive(Debug, Clone)]
pub(crate) struct OfMicrobenchmarks {
    /// The costs, length l.
    pub b: Vec<f64>,
    /// Their covariance, l x l.
    pub of_b: Mat<f64>,
}

/// Which costs a covariance is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolvedScope {
    /// All: what the cases don't tell comes from a prior.
    All,
    /// Only those (and those sums) that the cases determine.
    Estimable,
}

/// What a choice adds to the costs of operations.
#[derive(Debug, Clone)]
pub(crate) struct Stacked {
    /// The choice.
    pub choice: PredictorChoice,
    /// Scaled costs by which whole cases are predicted, where those of operations are others.
    pub case_b: Option<Vec<f64>>,
    /// How far the costs reach.
    pub reach: Reach,
    /// What is spent beside operations; absent if nothing is.
    pub constant: Option<ConstantEnergy>,
}

/// Diagnostics from name and value.
pub(super) fn diagnostics<const N: usize>(entries: [(&str, f64); N]) -> BTreeMap<String, f64> {
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
