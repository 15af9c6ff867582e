//! A data set -> costs, cross-validation, estimability.

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

pub use known_costs::KnownCosts;
pub use known_costs::set_priors;
pub(crate) use summary::choice_text;
pub use summary::summary;

/// A campaign's fit beside single solvers.
#[derive(Debug, Clone)]
pub struct CampaignFit {
    /// What was chosen.
    pub fitted: CampaignModel,
    /// `solvers.csv`: mean r and NMAE of all solvers.
    pub solvers: String,
}

impl CampaignFit {
    /// What is to be said of it: boards, and what was chosen and why.
    pub fn remarks(&self) -> Vec<String> {
        let model = &self.fitted.model;
        devices_text(&model.devices).into_iter().chain([choice_text(model)]).collect()
    }
}

/// The fit of a campaign: what is chosen, with the microbenchmarks' costs, beside single solvers.
pub fn fit_campaign(
    data: &CampaignData,
    known: Option<&KnownCosts>,
    seed: u64,
) -> Result<CampaignFit, Failure> {
    let CampaignProblem { table, options, contexts } = CampaignProblem::of(data, known);
    let folds = data.folds(seed)?;
    let mut fitted = fit_table(&table, &options, folds, None)?;
    fitted.model.contexts = contexts;
    let solvers = solvers_csv(&table, &options, &fitted, folds);
    Ok(CampaignFit { fitted, solvers })
}

/// What a campaign's fit is made of.
pub struct CampaignProblem {
    table: Table,
    options: FitOptions,
    /// What contexts cost, by the microbenchmarks.
    contexts: Vec<ContextPrice>,
}

impl CampaignProblem {
    /// What is fitted to a data set, with what is known of costs.
    pub fn of(data: &CampaignData, known: Option<&KnownCosts>) -> Self {
        let mut options = FitOptions::new(Solver::Stack);
        if let Some(known) = known {
            known.set(&mut options);
        }
        options.inner_folds.unit = data.facts.fold_unit();
        let contexts = known.map(|known| known.contexts.clone()).unwrap_or_default();
        Self { table: data.weighed(&contexts), options, contexts }
    }

    /// What is held out together.
    pub fn unit(&self) -> FoldUnit {
        self.options.inner_folds.unit
    }

    /// The model that the fit gives to some of the cases.
    pub fn model_of(&self, stays: impl Fn(&Case) -> bool) -> Result<Model, Failure> {
        let table = self.table.rows(|case| stays(&self.table.cases[case]));
        let model = fit(&table, &self.options)?;
        Ok(Model { contexts: self.contexts.clone(), ..model })
    }
}

/// Mean r and NMAE of all solvers, and of a least squares that is not ours; a solver that
/// gives no answer says why.
fn solvers_csv(
    table: &Table,
    options: &FitOptions,
    fitted: &CampaignModel,
    folds: FoldOptions,
) -> String {
    let mut text = CsvText::new(["solver", "set", "r", "nmae", "problem"]);
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

/// A model with what is known about it.
#[derive(Debug, Clone)]
pub struct CampaignModel {
    /// The costs.
    pub model: Model,
    /// The model beside the baselines, on held-out cases.
    pub validation: CrossValidation,
    /// What the cases can tell, by operation.
    pub estimability: Vec<OperationEstimability>,
}

/// Fits, validates and asks what can be known. `blocks` is the same cases with block
/// counts, for the baseline that uses them.
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

/// Where the data of a fit come from.
#[derive(Debug, Clone, Copy)]
pub struct DataOrigin<'d> {
    /// The hash of the file's bytes.
    pub sha256: &'d str,
    /// What is said of it.
    pub facts: &'d DatasetFacts,
    /// The seed of folds and draws.
    pub seed: u64,
}

impl CampaignModel {
    /// Writes a fit, with where its data came from.
    pub fn write(&self, origin: DataOrigin<'_>, output: &Output) -> Result<(), Failure> {
        output.write_artifact(&self.model_of(origin))?;
        output.write(names::CV, cv_csv(&self.validation)?)?;
        output.write(names::ESTIMABILITY, estimability_csv(&self.estimability)?)?;
        Ok(())
    }

    /// The model that says where its data come from.
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
