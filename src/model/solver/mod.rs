//! The solvers: a weighted and scaled problem -> costs. One file each.
//!
//! To add one: a file with `pub(super) fn solve(&Design, &FitOptions) ->
//! Result<Solution, ModelError>`, a variant and a name in `Solver`, a line in `solve`.

pub mod gd;

mod active;
mod bayes;
mod elastic_net;
mod ls;
pub(crate) mod nnls;
mod ridge;
mod shrink;
mod stack;

use std::collections::BTreeMap;

use faer::Mat;

use super::design::Design;
use super::error::ModelError;
use super::gram::Gram;
use super::options::{FitOptions, Solver};

pub(crate) use self::stack::Stacked;

/// What a solver finds, in the scaled units of its [`Design`].
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
    pub scope: Scope,
}

/// Which costs a covariance is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All: what the cases don't tell comes from a prior.
    All,
    /// Only those (and those sums) that the cases determine.
    Estimable,
}

/// Solves the problem by the solver that the options name.
pub(crate) fn solve(design: &Design, options: &FitOptions) -> Result<Solution, ModelError> {
    match options.solver {
        Solver::Stack => stack::solve(design, options),
        Solver::Shrink => shrink::solve(design, options),
        Solver::Nnls => nnls::solve(design, options),
        Solver::Ls => ls::solve(design, options),
        Solver::Gd => gd::solve(design, options),
        Solver::Ridge => ridge::solve(design, options),
        Solver::Bayes => bayes::solve(design, options),
        Solver::ElasticNet => elastic_net::solve(design, options),
    }
}

/// Scaled costs of a problem that resembles one with the solution `near`.
pub(crate) fn refit(
    design: &Design,
    options: &FitOptions,
    near: &[f64],
) -> Result<Vec<f64>, ModelError> {
    match options.solver {
        Solver::Nnls => {
            let gram = Gram::of(design);
            Ok(nnls::minimise(&gram.xx, &gram.xy, nnls::Start::Near(near))?.b)
        }
        _ => Ok(solve(design, options)?.b),
    }
}

/// Diagnostics from name and value.
fn diagnostics<const N: usize>(entries: [(&str, f64); N]) -> BTreeMap<String, f64> {
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
