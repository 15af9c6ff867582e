//! The solvers: a weighted and scaled problem -> costs. One file each.
//!
//! To add one: a file with `pub(super) fn solve(&Design, &FitOptions) ->
//! Result<Solution, ModelError>`, a variant and a name in `Solver`, a line in `solve`.

mod active_factor;
mod bayes;
mod elastic_net;
mod gd;
mod ls;
pub(crate) mod nnls;
mod ridge;
mod shrink;
mod solution;
mod stack;

use super::design::Design;
use super::error::ModelError;
use super::options::{FitOptions, Solver};

pub(crate) use self::solution::{Covariance, Solution, SolvedScope};

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

/// Finds scaled costs of a problem that resembles one with the solution `near`.
pub(crate) fn refit(
    design: &Design,
    options: &FitOptions,
    near: &[f64],
) -> Result<Vec<f64>, ModelError> {
    match options.solver {
        Solver::Nnls => {
            let gram = design.gram();
            Ok(nnls::minimise(&gram.xx, &gram.xy, nnls::NnlsStart::Near(near))?.b)
        }
        _ => Ok(solve(design, options)?.b),
    }
}
