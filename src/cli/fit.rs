//! `wattline fit`: fits costs to a data set, with cross-validation and estimability.

use std::path::{Path, PathBuf};

use clap::Args;
use wattline_units::limits::FIT_REPEATS;

use crate::dataset::{DatasetFacts, DatasetFile};
use crate::failure::Failure;
use crate::fit::{DataOrigin, fit_table, set_priors};
use crate::folder::{Output, names};
use crate::model::table::{ColumnChoice, Table};
use crate::model::{
    BootstrapOptions, ContextPrice, FitOptions, FoldOptions, FoldUnit, Penalty, Solver,
    SufficientStats, Weighting, device_names, learning_csv, learning_curve,
};

use super::answer::FormatArgument;
use super::partial_file::PartialFile;
use super::progress;
use super::quantity::{number_between, whole_number_between};

mod blocks;
mod factors;
mod figures;
mod partial;
mod tables;

use self::tables::TableFiles;
use self::{blocks as fit_blocks, factors as fit_factors, partial as fit_partial};

/// Names of the files that a fit writes.
pub const FILES: [&str; 3] = [names::MODEL, names::CROSS_VALIDATION, names::ESTIMABILITY];

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  wattline fit target/demo/dataset.csv --prior target/demo/microbenchmarks.csv --out target/fit
  wattline fit logs.csv --target energy_j --features 'cycles..stalls' --folds 5 --out target/fit
  wattline fit windows/ --solver nnls --partial 1.partial --part 1/8
  wattline fit --merge 1.partial 2.partial --out target/fit

Writes model.json (costs, intervals, covariance), cv.csv (validation beside baselines) and
estimability.csv (which costs the cases determine).")]
pub struct Arguments {
    /// CSV or Parquet files with one case per row, folders of them (whose folders may name
    /// columns: `device=B1`), a campaign's folder, or `-` for Arrow's stream format on standard
    /// input.
    #[arg(value_name = "TABLE", required_unless_present = "merge")]
    tables: Vec<PathBuf>,
    /// Sum over these cases only, into this file (`-`: standard output), for --merge.
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "bootstrap", "learning_curve", "factors", "device", "prior", "penalty", "restarts", "out"])]
    partial: Option<PathBuf>,
    /// With --partial, which part of the whole table these cases are: I/N. A merge then
    /// tells which are missing.
    #[arg(long, value_name = "I/N", requires = "partial", conflicts_with = "merge",
          value_parser = fit_partial::part_number)]
    part: Option<(u64, u64)>,
    /// Merge partials (files, or folders of `*.partial`) into the model of all their cases, or,
    /// if they were judged, into cv.csv; with --partial into another partial.
    #[arg(long, value_name = "PARTIAL", num_args = 1.., conflicts_with_all = [
        "tables", "judge", "folds", "group", "target", "features", "weight", "relative_floor",
        "seed", "bootstrap", "learning_curve", "factors", "device"])]
    merge: Vec<PathBuf>,
    /// With --partial, judge these cases by a merged model.json (and the rounds.json beside it).
    #[arg(long, value_name = "MODEL", requires = "partial", conflicts_with_all = [
        "folds", "group", "target", "features", "weight", "relative_floor", "seed", "solver"])]
    judge: Option<PathBuf>,
    /// stack, shrink, ls, gd, ridge, elastic-net, nnls or bayes. Default: stack, which takes
    /// what predicts best the cases that it holds out inside those it is fitted to, and says
    /// what and why; shrink with --penalty, and for files that are read in blocks.
    #[arg(long)]
    solver: Option<String>,
    /// Costs known beforehand, for `stack`, `shrink` and `bayes`: microbenchmarks.csv, or the
    /// model.json of an older device.
    #[arg(long)]
    prior: Option<PathBuf>,
    /// Rounds of cross-validation.
    #[arg(long, default_value_t = 4, value_parser = whole_number_between(2, 100_000))]
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
    /// With --partial and weights `relative`, the energy that no case is taken below: 5 % of
    /// the median of all cases, which a part of them can't tell.
    #[arg(long, value_name = "JOULES", requires = "partial", value_parser = number_between(0.0, 1e15, "J"))]
    relative_floor: Option<f64>,
    /// Strength of the penalty or prior. Default: with microbenchmarks as --prior what their
    /// standard errors say, beside the noise that the cases show; else chosen by inner
    /// cross-validation.
    #[arg(long, value_parser = number_between(0.0, 1e15, ""))]
    penalty: Option<f64>,
    /// With `--solver gd`, further descents from other starts, which show what the cases
    /// don't determine.
    #[arg(long, default_value_t = 0, value_parser = whole_number_between(0, FIT_REPEATS.most as usize))]
    restarts: usize,
    /// Intervals from this many fits to cases drawn with replacement (0: the solver's own).
    #[arg(long, default_value_t = 0, value_parser = whole_number_between(0, FIT_REPEATS.most as usize))]
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
    effects: factors::EffectsOption,
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
    #[command(flatten)]
    format: FormatArgument,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.merge.is_empty() {
        let options = |merged: &SufficientStats| merge_options(arguments, merged);
        return fit_partial::merge(arguments, &arguments.merge, options);
    }
    let tables = TableFiles::find(&arguments.tables)?;
    if let Some(to) = &arguments.partial {
        let (options, _, choice) = fit_settings(arguments, &tables)?;
        let folds = fold_options(arguments, options.inner_folds.unit);
        return fit_partial::write_partial(arguments, &tables, &choice, &options, folds, to);
    }
    let output = Output::open(&arguments.out, arguments.force.into(), &progress::TERMINAL)?;
    if let Some(factors) = &arguments.factors {
        return fit_factors::run(arguments, factors, chosen_solver(arguments)?, &output);
    }
    output.check_free(&FILES)?;
    let (mut options, contexts, choice) = fit_settings(arguments, &tables)?;
    let folds = fold_options(arguments, options.inner_folds.unit);
    // Counts are weighed by context in memory only.
    if contexts.is_empty() && fit_blocks::is_better_in_blocks(&tables, arguments, &options)? {
        let rows = tables.rows(&choice)?;
        tables.print_remarks(&rows)?;
        if fit_blocks::are_of_one_board(&tables, &rows)? {
            if arguments.solver.is_none() {
                options.solver = Solver::Shrink;
                progress::say("  read in blocks, which no other solver is chosen for: shrink");
            }
            return fit_blocks::run(&tables, &rows, arguments, &options, folds, &output);
        }
    }
    let facts = DatasetFacts::beside(&tables.named)?;
    let dataset = read_dataset(&tables, &choice)?;
    check_device(&dataset.table, arguments, &tables.named)?;
    let DatasetFile { table, sha256, .. } = dataset.with_weighed_counts(&contexts)?;
    let mut fitted = fit_table(&table, &options, folds, None)?;
    fitted.model.contexts = contexts;
    let origin = DataOrigin { sha256: &sha256, facts: &facts, seed: arguments.seed };
    fitted.write(origin, &output)?;
    if arguments.learning_curve {
        let curve = learning_curve(&table, &options, folds)?;
        output.write(names::LEARNING, learning_csv(&curve)?)?;
    }
    figures::print(arguments, &fitted, &options, &output);
    progress::say(format!("written: {}", output.folder().display()));
    Ok(())
}

/// Fit options of the flags, costs of contexts from `--prior`, and the choice of columns.
fn fit_settings(
    arguments: &Arguments,
    tables: &TableFiles,
) -> Result<(FitOptions, Vec<ContextPrice>, ColumnChoice), Failure> {
    let solver = match chosen_solver(arguments)? {
        Solver::Stack if arguments.partial.is_some() && arguments.solver.is_none() => {
            Solver::Shrink
        }
        solver => solver,
    };
    let mut options = FitOptions::new(solver);
    let weight_column = set_weighting(&mut options, arguments.weight.as_deref());
    let contexts = set_prior_and_penalty(&mut options, arguments)?;
    let unit = match arguments.group {
        Some(_) => FoldUnit::Group,
        None => DatasetFacts::beside(&tables.named)?.held_out_unit(),
    };
    options.inner_folds.unit = unit;
    options.chains.seed = arguments.seed;
    options.reference = arguments.device.clone();
    options.relative_floor_j = arguments.relative_floor;
    options.gd.restarts = arguments.restarts;
    if arguments.bootstrap > 0 {
        let (replicates, seed) = (arguments.bootstrap, arguments.seed);
        options.bootstrap = Some(BootstrapOptions { replicates, unit, seed });
    }
    Ok((options, contexts, column_choice(arguments, weight_column)))
}

/// Sets known costs and the strength of the prior in the options; returns the costs of contexts.
fn set_prior_and_penalty(
    options: &mut FitOptions,
    arguments: &Arguments,
) -> Result<Vec<ContextPrice>, Failure> {
    let contexts = match &arguments.prior {
        Some(path) => set_priors(options, path)?,
        None => Vec::new(),
    };
    if let Some(strength) = arguments.penalty {
        options.penalty = Penalty::Fixed(strength);
    }
    match contexts.is_empty() || arguments.merge.is_empty() {
        true => Ok(contexts),
        false => Err(Failure::Usage(
            "--prior has costs by context, by which counts are weighed case by case: that needs \
             the whole table, not partials"
                .to_owned(),
        )),
    }
}

/// Options of a fit to merged partials, with their solver unless another is given.
fn merge_options(arguments: &Arguments, merged: &SufficientStats) -> Result<FitOptions, Failure> {
    let solver = match &arguments.solver {
        Some(name) => name.parse()?,
        None => merged.settings().solver.parse()?,
    };
    let mut options = FitOptions::new(solver);
    set_prior_and_penalty(&mut options, arguments)?;
    options.chains.seed = merged.settings().folds.seed;
    options.gd.restarts = arguments.restarts;
    Ok(options)
}

/// Options of cross-validation.
fn fold_options(arguments: &Arguments, unit: FoldUnit) -> FoldOptions {
    FoldOptions { folds: arguments.folds, unit, seed: arguments.seed }
}

/// Solver of the flags, or the default, which is shrink with a penalty or factors.
fn chosen_solver(arguments: &Arguments) -> Result<Solver, Failure> {
    match &arguments.solver {
        Some(name) => Ok(name.parse()?),
        None if arguments.penalty.is_some() || arguments.factors.is_some() => Ok(Solver::Shrink),
        None => Ok(Solver::Stack),
    }
}

/// Checks that the data set has cases of the board in `--device`.
fn check_device(table: &Table, arguments: &Arguments, path: &Path) -> Result<(), Failure> {
    let known = device_names(table);
    match arguments.device.as_deref().filter(|device| !known.contains(device)) {
        None => Ok(()),
        Some(device) => Err(Failure::Usage(format!(
            "--device {device}: {} has cases of {}",
            path.display(),
            known.join(", ")
        ))),
    }
}

/// Reads the whole table.
fn read_dataset(tables: &TableFiles, choice: &ColumnChoice) -> Result<DatasetFile, Failure> {
    if let Some(path) = tables.single_csv() {
        let dataset = DatasetFile::read_columns(path, choice)?;
        progress::print_remarks(path, &dataset.remarks);
        return Ok(dataset);
    }
    let rows = tables.rows(choice)?;
    tables.print_remarks(&rows)?;
    let table = Table::from_rows(&rows).map_err(|error| tables.failure(&error))?;
    let (path, remarks) = (tables.named.clone(), Vec::new());
    Ok(DatasetFile { path, sha256: tables.sha256()?, table, remarks })
}

/// Sets the weighting by a name; returns the name if it is that of a column.
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

/// Choice of columns by the flags.
fn column_choice(arguments: &Arguments, weight: Option<String>) -> ColumnChoice {
    ColumnChoice {
        target: arguments.target.clone(),
        group: arguments.group.clone(),
        weight,
        device: None,
        features: arguments.features.clone(),
        feature_names: None,
    }
}
