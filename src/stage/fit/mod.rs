//! A data set -> costs, cross-validation, estimability.

mod summary;

use std::path::{Path, PathBuf};

use crate::csv_text::CsvText;
use crate::model::table::{Case, Table};
use crate::model::{
    ContextPrice, CostPriors, CrossValidation, CvSet, FitOptions, FoldOptions, FoldUnit, Model,
    ModelError, Penalty, Solver, cross_validate, estimability, estimability_csv, fit,
};
#[cfg(feature = "linfa")]
use crate::model::{SECOND_OPINION, second_opinion};

use super::Failure;
use super::folder::{CampaignFolder, DatasetFacts, DatasetFile, names, read_text};

pub(crate) use summary::summary;
pub(crate) use summary::{choice_text, devices_text};

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
/// `microbenchmarks` has these costs, if they were measured.
pub fn fit_campaign(
    dataset: DatasetFile,
    microbenchmarks: &CampaignFolder,
    seed: u64,
) -> Result<CampaignFit, Failure> {
    let CampaignProblem { table, options, contexts } =
        CampaignProblem::of(dataset, microbenchmarks)?;
    let folds = FoldOptions { seed, unit: options.inner_folds.unit, ..FoldOptions::default() };
    let mut fitted = fit_table(&table, &options, folds, None)?;
    fitted.model.contexts = contexts;
    let solvers = solvers_csv(&table, &options, &fitted, folds);
    Ok(CampaignFit { fitted, solvers })
}

/// What a campaign's fit is made of.
pub(crate) struct CampaignProblem {
    table: Table,
    options: FitOptions,
    /// What contexts cost, by the microbenchmarks.
    contexts: Vec<ContextPrice>,
}

impl CampaignProblem {
    pub fn of(dataset: DatasetFile, microbenchmarks: &CampaignFolder) -> Result<Self, Failure> {
        let mut options = FitOptions::new(Solver::Stack);
        let mut contexts = Vec::new();
        let prices = microbenchmarks.file(names::MICROBENCHMARKS);
        if prices.is_file() {
            contexts = set_priors(&mut options, &prices)?;
            options.reference = microbenchmarks.microbenchmarks_reference()?;
        }
        options.inner_folds.unit = dataset.facts()?.fold_unit();
        let table = dataset.weighed(&contexts)?.table;
        Ok(Self { table, options, contexts })
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

/// Takes microbenchmarks at their word: as strongly as their standard errors say. A strength
/// chosen by the error of case totals would be far too weak, since totals tell little of
/// single costs (`docs/models.md`). An older device's `model.json` is taken as its costs
/// and errors, at a strength that the new device's cases choose. Returns what contexts cost beside
/// their operation.
pub(crate) fn set_priors(
    options: &mut FitOptions,
    path: &Path,
) -> Result<Vec<ContextPrice>, Failure> {
    let text = read_text(path)?;
    let bad = |error| Failure::input(path, error);
    if text.trim_start().starts_with('{') {
        let model = Model::from_json(&text).map_err(bad)?;
        options.priors = model.as_priors();
        return Ok(model.contexts);
    }
    if options.solver != Solver::Bayes {
        options.penalty = Penalty::AsStated;
    }
    options.priors = CostPriors::from_csv(&text).map_err(bad)?;
    let beside = covariance_beside(path);
    if beside.is_file() {
        let bad = |error| Failure::input(&beside, error);
        let priors = std::mem::take(&mut options.priors);
        options.priors = priors.with_covariance_csv(&read_text(&beside)?).map_err(bad)?;
    }
    ContextPrice::from_csv(&text).map_err(bad)
}

/// Where the covariance of a file of priors lies: `microbenchmarks.csv`,
/// `microbenchmarks-covariance.csv`.
fn covariance_beside(priors: &Path) -> PathBuf {
    let stem = priors.file_stem().unwrap_or_default().to_string_lossy();
    priors.with_file_name(format!("{stem}-covariance.csv"))
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
    /// `estimability.csv`.
    pub estimability: String,
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
    let estimability = estimability_csv(&estimability(table, options)?)?;
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
