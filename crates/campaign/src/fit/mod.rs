//! The fit of a data set: costs, cross-validation, estimability.

mod known_costs;
mod summary;

use crate::csv_text::CsvText;
use crate::dataset::{CampaignData, DatasetFacts};
use crate::failure::Failure;
use crate::folder::{Output, names};
use crate::model::table::{Case, Table};
use crate::model::{
    ContextPrice, CrossValidation, CvSet, FitOptions, FoldOptions, FoldUnit, Model, ModelError,
    OperationEstimability, Solver, cross_validate, cv_csv, devices_text, estimability,
    estimability_csv, fit,
};
#[cfg(feature = "linfa")]
use crate::model::{SECOND_OPINION, second_opinion};
use wattline_units::file_schema::DeclaredColumn;

pub use known_costs::KnownCosts;
pub use known_costs::set_priors;
pub(crate) use summary::choice_text;
pub use summary::summary;

/// The fit of a campaign, with a comparison of single solvers.
#[derive(Debug, Clone)]
pub struct CampaignFit {
    /// The fitted model.
    pub fitted: CampaignModel,
    /// Text of `solvers.csv`: mean r and NMAE of all solvers.
    pub solvers: String,
}

impl CampaignFit {
    /// Lines about the fit: boards, and the chosen solver with the reason.
    pub fn remarks(&self) -> Vec<String> {
        let model = &self.fitted.model;
        devices_text(&model.devices).into_iter().chain([choice_text(model)]).collect()
    }
}

/// Fits a campaign's data with the known costs of microbenchmarks, and compares single solvers.
pub fn fit_campaign(
    data: &CampaignData,
    known: Option<&KnownCosts>,
    seed: u64,
) -> Result<CampaignFit, Failure> {
    let CampaignFitProblem { table, options, contexts } = CampaignFitProblem::of(data, known);
    let folds = data.folds(seed)?;
    let mut fitted = fit_table(&table, &options, folds, None)?;
    fitted.model.contexts = contexts;
    let solvers = solvers_csv(&table, &options, &fitted, folds);
    Ok(CampaignFit { fitted, solvers })
}

/// The inputs of a campaign's fit: table, options, prices of contexts.
pub struct CampaignFitProblem {
    table: Table,
    options: FitOptions,
    /// Costs of contexts, by the microbenchmarks.
    contexts: Vec<ContextPrice>,
}

impl CampaignFitProblem {
    /// The fit problem of a data set, with known costs as prior.
    pub fn of(data: &CampaignData, known: Option<&KnownCosts>) -> Self {
        let mut options = FitOptions::new(Solver::Stack);
        if let Some(known) = known {
            known.set_priors(&mut options);
        }
        options.inner_folds.unit = data.facts.held_out_unit();
        let contexts = known.map(|known| known.contexts.clone()).unwrap_or_default();
        Self { table: data.weighed_table(&contexts), options, contexts }
    }

    /// The unit that is held out together in cross-validation.
    pub fn unit(&self) -> FoldUnit {
        self.options.inner_folds.unit
    }

    /// Fits a model to the cases for which `stays` is true.
    pub fn model_of(&self, stays: impl Fn(&Case) -> bool) -> Result<Model, Failure> {
        let table = self.table.rows(|case| stays(&self.table.cases[case]));
        let model = fit(&table, &self.options)?;
        Ok(Model { contexts: self.contexts.clone(), ..model })
    }
}

/// Columns of `solvers.csv`.
pub(crate) const SOLVER_COLUMNS: [DeclaredColumn; 5] = [
    DeclaredColumn::text("solver", "Solver, or the baseline `least-squares`"),
    DeclaredColumn::text("set", "Cases that the figures are about: training or validation"),
    DeclaredColumn::number("r", "Mean correlation of predicted and measured energies"),
    DeclaredColumn::number("nmae", "Mean normalised absolute error, as a share"),
    DeclaredColumn::text("problem", "Why the solver has no result; empty where it has one"),
];

/// The text of `solvers.csv`: mean r and NMAE of all solvers, and of an external least squares; for
/// a solver without a result the reason.
fn solvers_csv(
    table: &Table,
    options: &FitOptions,
    fitted: &CampaignModel,
    folds: FoldOptions,
) -> String {
    let mut text = CsvText::new(SOLVER_COLUMNS);
    let mut add = |solver: &str, validation: &CrossValidation| {
        for (name, set) in [("training", CvSet::Training), ("validation", CvSet::Validation)] {
            if let Some(mean) = validation.mean(solver, set) {
                let r = mean.r.map_or(String::new(), |r| r.to_string());
                text.row([solver, name, &r, &mean.nmae.to_string(), ""]);
            }
        }
    };
    add(options.solver.name(), &fitted.validation);
    let mut problems = Vec::new();
    let mut judged = |solver: &str, result: Result<CrossValidation, ModelError>| match result {
        Ok(validation) => add(solver, &validation),
        Err(error) => problems.push([solver.to_owned(), error.to_string()]),
    };
    let shrink = FitOptions { solver: Solver::Shrink, ..options.clone() };
    let others = [Solver::Nnls, Solver::Ls, Solver::Gd].map(FitOptions::new);
    for options in [shrink].into_iter().chain(others) {
        judged(options.solver.name(), cross_validate(table, &options, folds, None));
    }
    #[cfg(feature = "linfa")]
    judged(SECOND_OPINION, second_opinion(table, &FitOptions::new(Solver::Ls), folds));
    for [solver, problem] in &problems {
        text.row([solver, "", "", "", problem]);
    }
    text.text()
}

/// A fitted model with its cross-validation and estimability.
#[derive(Debug, Clone)]
pub struct CampaignModel {
    /// Costs of operations.
    pub model: Model,
    /// Errors of the model and of the baselines on held-out cases.
    pub validation: CrossValidation,
    /// How well the cases determine the cost of each operation.
    pub estimability: Vec<OperationEstimability>,
}

/// Fits a table, cross-validates the model, and computes the estimability of its costs. `blocks` is
/// a table of the same cases with counts of blocks, for the baseline that uses them.
pub fn fit_table(
    table: &Table,
    options: &FitOptions,
    folds: FoldOptions,
    blocks: Option<&Table>,
) -> Result<CampaignModel, Failure> {
    let model = fit(table, options)?;
    let validation = cross_validate(table, options, folds, blocks)?;
    let estimability = estimability(table, options)?.operations;
    Ok(CampaignModel { model, validation, estimability })
}

/// The origin of a fit's data: the file's hash, facts, seed.
#[derive(Debug, Clone, Copy)]
pub struct DataOrigin<'d> {
    /// The hash of the file's bytes.
    pub sha256: &'d str,
    /// Facts about the data set.
    pub facts: &'d DatasetFacts,
    /// The seed of folds and draws.
    pub seed: u64,
}

impl CampaignModel {
    /// Writes the model, with the origin of its data, and the tables of cross-validation and
    /// estimability.
    pub fn write(&self, origin: DataOrigin<'_>, output: &Output) -> Result<(), Failure> {
        output.write_artifact(&self.model_of(origin))?;
        output.write(names::CROSS_VALIDATION, cv_csv(&self.validation)?)?;
        output.write(names::ESTIMABILITY, estimability_csv(&self.estimability)?)?;
        Ok(())
    }

    /// The model with the origin of its data.
    pub fn model_of(&self, origin: DataOrigin<'_>) -> Model {
        let DataOrigin { sha256, facts, seed } = origin;
        let mut model = self.model.clone();
        model.provenance.tool_version = env!("CARGO_PKG_VERSION").to_string();
        model.provenance.data_sha256 = sha256.to_string();
        model.provenance.seed = seed;
        model.provenance.board = facts.board.clone();
        model.provenance.virtual_board = facts.virtual_board;
        model
    }
}
