//! `wattline fit`: a data set -> costs, cross-validation, estimability.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::model::table::{ColumnChoice, Table};
use crate::model::{
    BootstrapOptions, FitOptions, FoldOptions, FoldUnit, Penalty, Solver, Weighting, devices,
    learning_csv, learning_curve,
};
use crate::stage::fit::{DataOrigin, fit_table, set_priors, summary};
use crate::stage::folder::{DatasetFacts, DatasetFile, names};
use crate::stage::{Failure, Output};
use crate::toolchain::artifact::hash_of;

use super::progress;
use super::quantity::between;

mod factors;
mod large;

use self::{factors as fit_factors, large as fit_large};

/// Files that a fit writes.
pub const FILES: [&str; 3] = [names::MODEL, names::CV, names::ESTIMABILITY];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline fit target/demo/dataset.csv --prior target/demo/kernels.csv --out target/fit
  wattline fit logs.csv --target energy_j --features 'cycles..stalls' --group program \\
      --solver nnls --folds 5 --out target/fit

Without --solver the fit holds cases out inside the cases of each round, tries one cost for
all, the mean, one power, and solvers with a cost per operation, and takes shrink, or their
best combination where shrink is clearly worse. The terminal and model.json say what was
taken, each candidate's weight and error, and why (docs/choice.md).

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
    let facts = DatasetFacts::beside(&arguments.dataset)?;
    let unit = match arguments.group {
        Some(_) => FoldUnit::Group,
        None => facts.fold_unit(),
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
    let dataset = dataset_of(&arguments.dataset, &choice)?;
    check_device(&dataset.table, arguments)?;
    let DatasetFile { table, sha256, .. } = dataset.weighed(&contexts)?;
    let mut fitted = fit_table(&table, &options, folds, None)?;
    fitted.model.contexts = contexts;
    let origin = DataOrigin { sha256: &sha256, facts: &facts, seed: arguments.seed };
    output.write_fit(&fitted, origin)?;
    if arguments.learning_curve {
        let curve = learning_curve(&table, &options, folds)?;
        output.write(names::LEARNING, learning_csv(&curve)?)?;
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

/// The table of a CSV or Parquet file.
fn dataset_of(path: &Path, choice: &ColumnChoice) -> Result<DatasetFile, Failure> {
    if fit_large::is_parquet(path) {
        let table = fit_large::parquet_table(path, choice)?;
        return Ok(DatasetFile { path: path.into(), sha256: hash_of(path)?, table });
    }
    DatasetFile::read_columns(path, choice)
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
