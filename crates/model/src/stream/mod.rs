//! Fits of more rows than memory holds: one pass for the cross products of every fold, one
//! to judge the predictions, and, where weights need a median, one for the cases before. All
//! folds and the final fit come from the same cross products, by addition.
//!
//! Cross products square the condition number. Where that would leave fewer than eight
//! digits, the rows are read once more and multiplied with all their digits.
//!
//! The same fit as [`super::fit()`] and [`super::cross_validate`] up to rounding, but for
//! three choices: the fold of a case follows from a hash of its group or name, so that no
//! pass has to count them; the floor of `Weighting::Relative` is the one of all cases; and
//! the inner folds are drawn once for all rounds.

mod cell_plan;
mod cells;
mod judging;
mod partial;
mod products;
mod training;

pub use self::partial::{
    MergedFit, MergedRounds, PARTIAL_FORMAT, PartLabel, PartialMerger, PartialSettings,
    SufficientStats, SufficientStatsError, SummedPart,
};

use self::cell_plan::{CellPlan, inner_folds};
use self::cells::{AllCells, CellSums};
use self::judging::{JudgeTally, RoundPredictors, ValidationRounds, training_cells};
use self::products::Precision;
use self::training::TrainingSet;
use super::design::Design;
use super::error::ModelError;
use super::estimability::{Estimability, design_estimability};
use super::fit::{SolvedFit, assemble_model};
use super::fitted_model::Model;
use super::folds::FoldOptions;
use super::linear::Spectrum;
use super::options::{FitOptions, LibraryColumns, Solver};
use super::solver::{Solution, solve};
use super::validation::CrossValidation;
use crate::table::RowSource;

/// Condition number above which products of 16 digits determine fewer than eight digits of the
/// costs.
const CONDITION_MAX: f64 = 1e4;

/// Fit of streamed rows: model, cross-validation and estimability.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamFit {
    /// The model with its costs.
    pub model: Model,
    /// Cross-validation of the solver beside the baselines; absent if no folds were asked for.
    pub validation: Option<CrossValidation>,
    /// Estimability of the costs by the cases.
    pub estimability: Estimability,
}

/// Fits to rows that are read in blocks, and cross-validates if `folds` are given. Needs memory for
/// one block and `(folds * inner folds) * (l + 1)^2` numbers.
pub fn fit_rows(
    rows: &dyn RowSource,
    options: &FitOptions,
    folds: Option<FoldOptions>,
) -> Result<StreamFit, ModelError> {
    options.check()?;
    check_columns(rows.features(), options)?;
    let plan = CellPlan::new(rows, options, folds, inner_folds(options))?;
    let mut cells = AllCells::read(rows, &plan, Precision::Double)?;
    let mut problem = CellProblem::new(rows.features(), &cells, &plan, options)?;
    if !cells.exact && problem.is_ill_conditioned() {
        cells = AllCells::read(rows, &plan, Precision::Extended)?;
        problem = CellProblem::new(rows.features(), &cells, &plan, options)?;
    }
    let solved = problem.solve(rows.features(), &cells, &plan, options)?;
    let tally = JudgeTally::read(rows, &plan, &solved.rounds)?;
    let model = solved.model(Some(tally.squares.hi), options)?;
    let rows = tally.rows(&solved.rounds.models(), solved.rounds.rounds.len());
    let validation = folds.map(|folds| CrossValidation { seed: folds.seed, rows });
    Ok(StreamFit { model, validation, estimability: solved.known })
}

/// Least-squares problem of all cells, with its decomposition.
struct CellProblem {
    design: Design,
    spectrum: Spectrum,
}

impl CellProblem {
    fn new(
        features: &[String],
        cells: &AllCells,
        plan: &CellPlan,
        options: &FitOptions,
    ) -> Result<Self, ModelError> {
        check_cells(cells, plan)?;
        let parts = training_cells(cells, plan, None);
        let design = TrainingSet { parts }.design(features, options.weighting, options.assumed)?;
        if !design.seen.contains(&true) {
            return Err(ModelError::NoCounts);
        }
        let spectrum = Spectrum::of(design.x.as_ref(), options.rank_tolerance)?;
        Ok(Self { design, spectrum })
    }

    /// Whether products of 16 digits are too coarse for the problem.
    fn is_ill_conditioned(&self) -> bool {
        let seen = self.design.seen.iter().filter(|seen| **seen).count();
        let condition = self.spectrum.condition().unwrap_or(f64::INFINITY);
        self.spectrum.rank() < seen || condition > CONDITION_MAX
    }

    fn solve(
        self,
        features: &[String],
        cells: &AllCells,
        plan: &CellPlan,
        options: &FitOptions,
    ) -> Result<SolvedCells, ModelError> {
        let Self { design, spectrum } = self;
        let known =
            design_estimability(&cells.occurrences, &design, &spectrum, options.rank_tolerance);
        let solution = solve(&design, options)?;
        let rounds = match plan.outer_fold_count() {
            1 => Vec::new(),
            _ => fit_rounds(features, cells, plan, options)?,
        };
        let last_j = design.costs(&solution.b);
        let rounds = ValidationRounds::new(options.solver.name(), rounds, last_j, cells);
        Ok(SolvedCells { design, spectrum, known, solution, rounds })
    }
}

/// Solved problem of all cells, with the rounds to judge.
struct SolvedCells {
    design: Design,
    spectrum: Spectrum,
    known: Estimability,
    solution: Solution,
    rounds: ValidationRounds,
}

impl SolvedCells {
    /// The model; `squares` is the sum of squared residuals in J^2, where it is known.
    fn model(&self, squares: Option<f64>, options: &FitOptions) -> Result<Model, ModelError> {
        let Self { design, spectrum, known, solution, .. } = self;
        assemble_model(&SolvedFit { design, spectrum, known, solution }, squares, options)
    }
}

/// Refuses cells without any case, and folds without one, which can't be held out.
fn check_cells(cells: &AllCells, plan: &CellPlan) -> Result<(), ModelError> {
    if cells.rows() == 0 {
        return Err(ModelError::NoCases);
    }
    let rows = |fold: &[CellSums]| fold.iter().map(|cell| cell.rows).sum::<u64>();
    match cells.cells.chunks(plan.inner_fold_count()).position(|fold| rows(fold) == 0) {
        None => Ok(()),
        Some(fold) => Err(ModelError::EmptyFold { fold: fold + 1, folds: plan.outer_fold_count() }),
    }
}

fn fit_rounds(
    features: &[String],
    cells: &AllCells,
    plan: &CellPlan,
    options: &FitOptions,
) -> Result<Vec<RoundPredictors>, ModelError> {
    let round = |fold: usize| {
        let parts = training_cells(cells, plan, Some(fold));
        let all: Vec<&CellSums> = parts.iter().flatten().copied().collect();
        let design = TrainingSet { parts }.design(features, options.weighting, options.assumed)?;
        let options = FitOptions { chains: options.chains.as_draft(), ..options.clone() };
        let costs = design.costs(&solve(&design, &options)?.b);
        Ok(RoundPredictors::new(costs, &all))
    };
    (0..plan.outer_fold_count()).map(round).collect()
}

fn check_columns(features: &[String], options: &FitOptions) -> Result<(), ModelError> {
    if features.is_empty() {
        return Err(ModelError::NoFeatures);
    }
    let mut seen = std::collections::BTreeSet::new();
    if let Some(name) = features.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(ModelError::DuplicateFeature { name: name.clone() });
    }
    if options.library != LibraryColumns::AsGiven {
        return Err(ModelError::BadOption {
            option: "the choice of library columns",
            value: "the most executed".to_owned(),
            expected: "as given, for rows that are streamed",
        });
    }
    if options.solver == Solver::Stack {
        return Err(ModelError::BadOption {
            option: "--solver",
            value: options.solver.name().to_owned(),
            expected: "a single one for rows that are streamed, which can't be held out twice",
        });
    }
    if let Some(bootstrap) = options.bootstrap {
        return Err(ModelError::BadOption {
            option: "--bootstrap",
            value: bootstrap.replicates.to_string(),
            expected: "0 for rows that are streamed, which can't be drawn again",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
