//! Options of a fit: solver, weights, folds, penalty, library handling.

use std::str::FromStr;

use wattline_units::assumptions::Assumptions;

use super::bayes::ChainOptions;
use super::error::ModelError;
use super::fitted_model::CostPriors;
use super::folds::{FoldOptions, FoldUnit};
use super::weights::Weighting;

/// Method that finds costs from counts and energies. One file each in `solver/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Solver {
    /// The best predictor of cases held out inside those fitted to: `shrink`, or a convex
    /// combination of predictors; the program's default.
    Stack,
    /// Costs not below zero, drawn towards a prior; the default of [`FitOptions`].
    #[default]
    Shrink,
    /// Least squares with costs not below zero.
    Nnls,
    /// Least squares, of minimum norm where the cases leave a choice.
    Ls,
    /// Gradient descent on Li & Gallagher's J.
    Gd,
    /// Least squares with a penalty on the squares of the costs.
    Ridge,
    /// Least squares with a penalty on the sizes and squares of the costs.
    ElasticNet,
    /// The posterior of a hierarchical model with costs not below zero.
    Bayes,
}

impl Solver {
    /// All solvers of this version.
    pub const ALL: [Self; 8] = [
        Self::Stack,
        Self::Shrink,
        Self::Nnls,
        Self::Ls,
        Self::Gd,
        Self::Ridge,
        Self::ElasticNet,
        Self::Bayes,
    ];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::Shrink => "shrink",
            Self::Nnls => "nnls",
            Self::Ls => "ls",
            Self::Gd => "gd",
            Self::Ridge => "ridge",
            Self::ElasticNet => "elastic-net",
            Self::Bayes => "bayes",
        }
    }

    /// Whether intervals of its costs are those of a normal distribution: their errors contain a
    /// prior, so that the cases leave no number of degrees of freedom.
    pub(crate) fn has_normal_errors(self) -> bool {
        matches!(self, Self::Stack | Self::Shrink)
    }
}

impl FromStr for Solver {
    type Err = ModelError;

    fn from_str(name: &str) -> Result<Self, ModelError> {
        Self::ALL.into_iter().find(|solver| solver.name() == name).ok_or_else(|| {
            ModelError::UnknownSolver {
                name: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}

/// Strength of a penalty or a prior.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Penalty {
    /// The strength with the least error in an inner cross-validation.
    #[default]
    CrossValidated,
    /// The strength by the errors that the priors state, beside the noise under which the cases are
    /// most probable; of `stack` and `shrink` with microbenchmarks. Microbenchmarks are off by
    /// [`Assumptions::microbenchmark_misfit`] of their costs beside these errors, or by more, if
    /// the cases contradict that: a compiler optimises a microbenchmark's loop more on one board
    /// than on another.
    AsStated,
    /// This strength: a pure number, for weights scaled to `sum w e^2 = m` and (ridge,
    /// elastic net) columns of length 1.
    Fixed(f64),
}

/// Library functions that keep a column of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LibraryColumns {
    /// All that the table has.
    #[default]
    AsGiven,
    /// The most executed in the training cases (`lib:GC` always among them); the rest
    /// sum up in `lib:other`.
    Top(usize),
}

/// Settings of a bootstrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BootstrapOptions {
    /// Number of repeated fits; 2 or more.
    pub replicates: usize,
    /// Unit that is drawn: cases, or groups as a whole (where cases of one group resemble each
    /// other).
    pub unit: FoldUnit,
    /// Seed of the draws.
    pub seed: u64,
}

impl Default for BootstrapOptions {
    fn default() -> Self {
        Self { replicates: 400, unit: FoldUnit::Case, seed: 1 }
    }
}

/// The learning rate, for columns of length 1 and energies of mean square 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum LearningRate {
    /// 1/L, L the largest eigenvalue of the Hessian of J, with Nesterov's momentum,
    /// restarted when it points uphill: the same minimum in far fewer steps.
    #[default]
    Automatic,
    /// This rate and plain descent, as in the paper.
    Given(f64),
}

/// Settings of gradient descent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GdOptions {
    /// The learning rate.
    pub rate: LearningRate,
    /// Stops when the gradient's length is at most this part of that at the start.
    pub tolerance: f64,
    /// Steps after which not having stopped is an error.
    pub steps_max: usize,
    /// Further descents from seeded starts around the solution. J is convex, so they end
    /// at the same J and differ only in what the cases don't determine; the figures of
    /// both are in the diagnostics, and the costs remain those from zero.
    pub restarts: usize,
}

impl Default for GdOptions {
    fn default() -> Self {
        Self { rate: LearningRate::Automatic, tolerance: 1e-10, steps_max: 2_000_000, restarts: 0 }
    }
}

/// Settings of one fit. `FitOptions::new(solver)` has the solver's defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct FitOptions {
    /// Method that finds the costs.
    pub solver: Solver,
    /// Weights of the cases.
    pub weighting: Weighting,
    /// Energy in joules below which `Weighting::Relative` takes no case. Default: 5 % of the
    /// median.
    pub relative_floor_j: Option<f64>,
    /// Costs from microbenchmarks, for `stack`, `shrink` and `bayes` only.
    pub priors: CostPriors,
    /// Strength of the penalty or prior; of `stack`, that of `shrink` in it.
    pub penalty: Penalty,
    /// Folds of the inner cross-validation that chooses the strength.
    pub inner_folds: FoldOptions,
    /// Library functions that are predictors.
    pub library: LibraryColumns,
    /// Intervals by repeated fits; absent for the solver's own, if it has any.
    pub bootstrap: Option<BootstrapOptions>,
    /// The board whose costs are wanted, where cases are of several. Default: the first by
    /// name.
    pub reference: Option<String>,
    /// Settings of `bayes`.
    pub chains: ChainOptions,
    /// Settings of gradient descent.
    pub gd: GdOptions,
    /// Share of the penalty on sizes in `elastic-net`, above 0, at most 1.
    pub elastic_net_mix: f64,
    /// Singular values below this part of the largest count as zero.
    pub rank_tolerance: f64,
    /// Assumptions about costs and energies.
    pub assumed: Assumptions,
}

impl FitOptions {
    /// The defaults of `solver`: the paper's equal weights for plain least squares
    /// (`ls`, `gd`, `nnls`), weights by relative error for the penalised ones.
    pub fn new(solver: Solver) -> Self {
        let weighting = match solver {
            Solver::Ls | Solver::Gd | Solver::Nnls => Weighting::Equal,
            _ => Weighting::Relative,
        };
        Self {
            solver,
            weighting,
            relative_floor_j: None,
            priors: CostPriors::default(),
            penalty: Penalty::default(),
            inner_folds: FoldOptions::default(),
            library: LibraryColumns::default(),
            bootstrap: None,
            reference: None,
            chains: ChainOptions::default(),
            gd: GdOptions::default(),
            elastic_net_mix: 0.5,
            rank_tolerance: 1e-10,
            assumed: Assumptions::default(),
        }
    }

    /// Refuses values that no fit can use.
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        let bad = |option, value: f64, expected| {
            Err(ModelError::BadOption { option, value: value.to_string(), expected })
        };
        if !(self.rank_tolerance > 0.0 && self.rank_tolerance < 1.0) {
            return bad("the rank tolerance", self.rank_tolerance, "above 0 and below 1");
        }
        if !(self.elastic_net_mix > 0.0 && self.elastic_net_mix <= 1.0) {
            return bad("the elastic-net mix", self.elastic_net_mix, "above 0 and at most 1");
        }
        let knows_priors = matches!(self.solver, Solver::Stack | Solver::Shrink | Solver::Bayes);
        if !self.priors.costs.is_empty() && !knows_priors {
            let (option, value) = ("--solver", self.solver.name().to_owned());
            let expected = "stack, shrink or bayes to use --prior";
            return Err(ModelError::BadOption { option, value, expected });
        }
        if self.solver == Solver::Bayes && self.penalty != Penalty::CrossValidated {
            let (option, value) = ("--solver", self.solver.name().to_owned());
            let expected = "one with a penalty to use --penalty";
            return Err(ModelError::BadOption { option, value, expected });
        }
        match self.penalty {
            Penalty::AsStated if !matches!(self.solver, Solver::Stack | Solver::Shrink) => {
                let (option, value) = ("--solver", self.solver.name().to_owned());
                let expected = "stack or shrink to take errors as stated";
                Err(ModelError::BadOption { option, value, expected })
            }
            Penalty::Fixed(strength) if !(strength > 0.0 && strength.is_finite()) => {
                bad("the penalty", strength, "a finite number above 0")
            }
            _ => Ok(()),
        }
    }
}

impl Default for FitOptions {
    fn default() -> Self {
        Self::new(Solver::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solvers_are_found_by_name() {
        for solver in Solver::ALL {
            assert_eq!(solver.name().parse::<Solver>().unwrap(), solver);
        }
        let unknown = "lasso".parse::<Solver>().unwrap_err().to_string();
        assert!(unknown.contains("elastic-net"), "{unknown}");
    }

    #[test]
    fn useless_settings_are_refused() {
        let options = FitOptions { penalty: Penalty::Fixed(f64::NAN), ..FitOptions::default() };
        assert!(options.check().is_err());
        let options = FitOptions { rank_tolerance: 0.0, ..FitOptions::default() };
        assert!(options.check().is_err());
    }
}
