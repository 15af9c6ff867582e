//! `wattline fit`: a data set -> costs, cross-validation, estimability.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::dataset::{ColumnChoice, Table};
use crate::model::{
    BootstrapOptions, ContextPrice, CostPrior, CrossValidation, CvSet, DeviceFactor, FitOptions,
    FoldOptions, FoldUnit, Model, Penalty, Solver, Weighting, cross_validate, cv_csv, devices,
    estimability, estimability_csv, fit, learning_csv, learning_curve,
};
use crate::scenario::Scenario;
use crate::toolchain::artifact::{hash_of, hash_of_bytes};

use super::Failure;
use super::folder::{DatasetFacts, weighed};
use super::kernels;
use super::output::{Output, read_text};
use super::progress;
use super::quantity::between;

mod factors;
mod large;
mod summary;

pub use self::summary::devices_text;
use self::summary::{choice_text, summary};
use self::{factors as fit_factors, large as fit_large};

/// Files that a fit writes.
pub const FILES: [&str; 3] = ["model.json", "cv.csv", "estimability.csv"];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline fit target/demo/dataset.csv --prior target/demo/kernels.csv --out target/fit
  wattline fit logs.csv --target energy_j --features 'cycles..stalls' --group program \\
      --solver nnls --folds 5 --out target/fit

Without --solver the fit holds cases out inside the cases of each round, tries one cost for
all, the mean, one power, and solvers with a cost per operation, and takes shrink, or their
best combination where shrink is clearly worse. The terminal and model.json say what was
taken, each candidate's weight and error, and why (docs/models.md).

Writes model.json (costs, intervals, covariance), cv.csv (r and NMAE per round, beside the
baselines) and estimability.csv (what the cases can tell).")]
pub struct Arguments {
    /// A CSV or Parquet file with one case per row.
    dataset: PathBuf,
    /// stack, shrink, ls, gd, ridge, elastic-net, nnls or bayes. Default: stack, which takes
    /// what predicts best the cases that it holds out inside those it is fitted to, and says
    /// what and why; shrink with --penalty, and for files that are read in blocks.
    #[arg(long)]
    solver: Option<String>,
    /// Costs known beforehand, for `stack`, `shrink` and `bayes`: kernels.csv, or the model.json of
    /// an older device.
    #[arg(long)]
    prior: Option<PathBuf>,
    /// Rounds of cross-validation.
    #[arg(long, default_value_t = 4)]
    folds: usize,
    /// Keep the cases of one value of this column in one fold.
    #[arg(long)]
    group: Option<String>,
    /// The column to explain.
    #[arg(long)]
    target: Option<String>,
    /// Feature columns: names, `prefix*`, `from..to`, `from..`, separated by commas.
    #[arg(long)]
    features: Option<String>,
    /// 1, 1/se^2, 1/e^2, sqrt(Et), relative, or the name of a column.
    #[arg(long)]
    weight: Option<String>,
    /// Strength of the penalty or prior. Default: 1 with kernels as --prior, which takes
    /// their standard errors at their word; else chosen by inner cross-validation.
    #[arg(long, value_parser = between(0.0, 1e15, ""))]
    penalty: Option<f64>,
    /// With `--solver gd`, further descents from other starts, which show what the cases
    /// don't determine.
    #[arg(long, default_value_t = 0)]
    restarts: usize,
    /// Intervals from this many fits to cases drawn with replacement (0: the solver's own).
    #[arg(long, default_value_t = 0)]
    bootstrap: usize,
    /// Write learning.csv: held-out error against the number of cases.
    #[arg(long)]
    learning_curve: bool,
    /// Factor columns (operation,size,type,device) of a table with one measurement of one
    /// pattern per row: with `--solver bayes`, a model of factors in effects.csv.
    #[arg(long, conflicts_with_all = ["features", "prior", "learning_curve"])]
    factors: Option<String>,
    /// With --factors, whether effects may be below zero.
    #[arg(long, value_enum, default_value_t, requires = "factors")]
    effects: factors::Effects,
    /// With --factors, how draws are made. Default: nuts for free effects, gibbs for
    /// positive ones.
    #[arg(long, value_enum, requires = "factors")]
    sampler: Option<factors::Sampler>,
    /// With cases of several boards (column `device`), the one whose costs are wanted.
    /// Default: the first by name.
    #[arg(long)]
    device: Option<String>,
    /// Seed of folds, draws and chains.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the results.
    #[arg(long, default_value = ".")]
    out: PathBuf,
    /// Replace existing results.
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let output = Output::open(&arguments.out, arguments.force.into())?;
    let solver = solver(arguments)?;
    if let Some(factors) = &arguments.factors {
        return fit_factors::run(arguments, factors, solver, &output);
    }
    output.check_free(&FILES)?;
    let is_in_blocks = fit_large::is_large(&arguments.dataset);
    let mut options = FitOptions::new(solver);
    let mut contexts = Vec::new();
    let weight_column = set_weighting(&mut options, arguments.weight.as_deref());
    if let Some(path) = &arguments.prior {
        contexts = set_priors(&mut options, path)?;
    }
    if let Some(strength) = arguments.penalty {
        options.penalty = Penalty::Fixed(strength);
    }
    let unit = match arguments.group {
        Some(_) => FoldUnit::Group,
        None => DatasetFacts::beside(&arguments.dataset)?.fold_unit(),
    };
    options.inner_folds.unit = unit;
    options.chains.seed = arguments.seed;
    options.reference = arguments.device.clone();
    options.gd.restarts = arguments.restarts;
    if arguments.bootstrap > 0 {
        let (replicates, seed) = (arguments.bootstrap, arguments.seed);
        options.bootstrap = Some(BootstrapOptions { replicates, unit, seed });
    }
    let folds = FoldOptions { folds: arguments.folds, unit, seed: arguments.seed };
    let choice = columns(arguments, weight_column);
    // Counts are weighed by context in memory only.
    if contexts.is_empty() && is_in_blocks {
        if arguments.solver.is_none() {
            options.solver = Solver::Shrink;
            progress::say("  read in blocks, which no other solver is chosen for: shrink");
        }
        return fit_large::run(arguments, &choice, &options, folds, &output);
    }
    let (table, hash) = table_of(&arguments.dataset, &choice)?;
    check_device(&table, arguments)?;
    let table = weighed(table, &arguments.dataset, &contexts)?;
    let mut fitted = fit_table(&table, &options, folds, None)?;
    fitted.model.contexts = contexts;
    write_parts(&fitted, &output, hash, &arguments.dataset, arguments.seed)?;
    if arguments.learning_curve {
        let curve = learning_curve(&table, &options, folds)?;
        output.write("learning.csv", learning_csv(&curve)?)?;
    }
    progress::result(summary(&fitted.model, &fitted.validation, options.weighting));
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// The solver that is asked for, or the default. A strength of one's own is one solver's.
fn solver(arguments: &Arguments) -> Result<Solver, Failure> {
    match &arguments.solver {
        Some(name) => Ok(name.parse()?),
        None if arguments.penalty.is_some() || arguments.factors.is_some() => Ok(Solver::Shrink),
        None => Ok(Solver::Stack),
    }
}

/// A board that is asked for must be there.
fn check_device(table: &Table, arguments: &Arguments) -> Result<(), Failure> {
    let known = devices(table);
    match arguments.device.as_deref().filter(|device| !known.contains(device)) {
        None => Ok(()),
        Some(device) => Err(Failure::Usage(format!(
            "--device {device}: {} has cases of {}",
            arguments.dataset.display(),
            known.join(", ")
        ))),
    }
}

/// The table of a CSV or Parquet file, and the hash of its bytes.
fn table_of(path: &Path, choice: &ColumnChoice) -> Result<(Table, String), Failure> {
    if fit_large::is_parquet(path) {
        let table = fit_large::parquet_table(path, choice)?;
        let hash = hash_of(path)?;
        return Ok((table, hash));
    }
    let text = read_text(path)?;
    let table = Table::from_csv(&text, choice).map_err(|error| Failure::input(path, error))?;
    Ok((table, hash_of_bytes(text.as_bytes())))
}

/// The fit of a campaign's folder: what is chosen, with the kernels' costs, beside single
/// solvers.
pub fn make(scenario: &Scenario, output: &Output) -> Result<(), Failure> {
    let dataset = output.path("dataset.csv");
    let text = read_text(&dataset)?;
    let table = Table::from_csv(&text, &ColumnChoice::default())
        .map_err(|error| Failure::input(&dataset, error))?;
    let kernels = output.path("kernels.csv");
    let mut options = FitOptions::new(Solver::Stack);
    let mut contexts = Vec::new();
    if kernels.is_file() {
        contexts = set_priors(&mut options, &kernels)?;
        options.reference = kernels_reference(&output.path(kernels::DEVICES_FILE))?;
    }
    let table = weighed(table, &dataset, &contexts)?;
    let unit = DatasetFacts::beside(&dataset)?.fold_unit();
    options.inner_folds.unit = unit;
    let folds = FoldOptions { seed: scenario.seed, unit, ..FoldOptions::default() };
    let mut fitted = fit_table(&table, &options, folds, None)?;
    fitted.model.contexts = contexts;
    if let Some(text) = devices_text(&fitted.model.devices) {
        progress::say(text);
    }
    progress::say(choice_text(&fitted.model));
    write(&fitted, output, &text, &dataset, scenario.seed)?;
    output.write("solvers.csv", solvers_csv(&table, &options, &fitted, folds))?;
    Ok(())
}

/// The board whose costs the kernels of a folder gave, where there were several.
fn kernels_reference(path: &Path) -> Result<Option<String>, Failure> {
    if !path.is_file() {
        return Ok(None);
    }
    let text = read_text(path)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let first = reader.deserialize::<DeviceFactor>().next().transpose();
    let first = first.map_err(|error| Failure::input(path, error))?;
    Ok(first.map(|factor| factor.device))
}

/// Takes kernels at their word: strength 1 is what their standard errors say. A strength
/// chosen by the error of case totals would be far too weak, since totals tell little of
/// single costs (`docs/models.md`). An older device's `model.json` is taken as its costs
/// and errors, at a strength that the new device's cases choose. Returns what contexts cost beside their operation.
fn set_priors(options: &mut FitOptions, path: &Path) -> Result<Vec<ContextPrice>, Failure> {
    let text = read_text(path)?;
    let bad = |error| Failure::input(path, error);
    if text.trim_start().starts_with('{') {
        let model = Model::from_json(&text).map_err(bad)?;
        options.priors = model.as_priors();
        return Ok(model.contexts);
    }
    if options.solver != Solver::Bayes {
        options.penalty = Penalty::Fixed(1.0);
    }
    options.priors = CostPrior::from_csv(&text).map_err(bad)?.into();
    let beside = covariance_beside(path);
    if beside.is_file() {
        let bad = |error| Failure::input(&beside, error);
        let priors = std::mem::take(&mut options.priors);
        options.priors = priors.with_covariance_csv(&read_text(&beside)?).map_err(bad)?;
    }
    ContextPrice::from_csv(&text).map_err(bad)
}

/// Where the covariance of a file of priors lies: `kernels.csv`, `kernels-covariance.csv`.
fn covariance_beside(priors: &Path) -> PathBuf {
    let stem = priors.file_stem().unwrap_or_default().to_string_lossy();
    priors.with_file_name(format!("{stem}-covariance.csv"))
}

/// Mean r and NMAE of all solvers; a solver that gives no answer says why.
fn solvers_csv(table: &Table, options: &FitOptions, fitted: &Fitted, folds: FoldOptions) -> String {
    let mut text = "solver,set,r,nmae,problem\n".to_string();
    let mut add = |solver: &str, validation: &CrossValidation| {
        for (name, set) in [("training", CvSet::Training), ("validation", CvSet::Validation)] {
            if let Some(mean) = validation.mean(solver, set) {
                let r = mean.r.map_or(String::new(), |r| r.to_string());
                text += &format!("{solver},{name},{r},{},\n", mean.nmae);
            }
        }
    };
    add(options.solver.name(), &fitted.validation);
    let mut problems = String::new();
    let shrink = FitOptions { solver: Solver::Shrink, ..options.clone() };
    let others = [Solver::Nnls, Solver::Ls, Solver::Gd].map(FitOptions::new);
    for options in [shrink].into_iter().chain(others) {
        let solver = options.solver;
        match cross_validate(table, &options, folds, None) {
            Ok(validation) => add(solver.name(), &validation),
            Err(error) => {
                let message = error.to_string().replace('"', "'");
                problems += &format!("{},,,,\"{message}\"\n", solver.name());
            }
        }
    }
    text + &problems
}

fn set_weighting(options: &mut FitOptions, weight: Option<&str>) -> Option<String> {
    let known = [
        Weighting::Equal,
        Weighting::InverseVariance,
        Weighting::InverseEnergy,
        Weighting::SqrtEnergyTime,
        Weighting::Relative,
    ];
    let name = weight?;
    match known.into_iter().find(|weighting| weighting.name() == name) {
        Some(weighting) => {
            options.weighting = weighting;
            None
        }
        None => {
            options.weighting = Weighting::Column;
            Some(name.to_string())
        }
    }
}

fn columns(arguments: &Arguments, weight: Option<String>) -> ColumnChoice {
    ColumnChoice {
        target: arguments.target.clone(),
        group: arguments.group.clone(),
        weight,
        device: None,
        features: arguments.features.clone(),
    }
}

/// A model with what is known about it.
pub struct Fitted {
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
) -> Result<Fitted, Failure> {
    let model = fit(table, options)?;
    let validation = cross_validate(table, options, folds, blocks)?;
    let estimability = estimability_csv(&estimability(table, options)?)?;
    Ok(Fitted { model, validation, estimability })
}

/// Writes the files of a fit, with where the data came from.
pub fn write(
    fitted: &Fitted,
    output: &Output,
    data: &str,
    dataset: &Path,
    seed: u64,
) -> Result<(), Failure> {
    write_parts(fitted, output, hash_of_bytes(data.as_bytes()), dataset, seed)
}

/// The same for data of a known hash.
fn write_parts(
    fitted: &Fitted,
    output: &Output,
    data_sha256: String,
    dataset: &Path,
    seed: u64,
) -> Result<(), Failure> {
    let mut model = fitted.model.clone();
    let facts = DatasetFacts::beside(dataset)?;
    model.provenance.tool_version = env!("CARGO_PKG_VERSION").to_string();
    model.provenance.data_sha256 = data_sha256;
    model.provenance.seed = seed;
    model.provenance.board = facts.board;
    model.provenance.virtual_board = facts.virtual_board;
    output.write("model.json", model.to_json()?)?;
    output.write("cv.csv", cv_csv(&fitted.validation)?)?;
    output.write("estimability.csv", &fitted.estimability)?;
    Ok(())
}
