//! k-fold cross-validation of a solver beside its baselines. Every choice (library
//! columns, penalty, prior strength, baselines' factors) is made inside the fold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wattline_units::assumptions::Assumptions;
use wattline_units::csv_text;

use super::baseline::{Predictor, fit_duration, fit_flat, fit_mean, has_durations};
use super::baseline_comparison::{BaselineComparison, HeldOutError, mean_nmae};
use super::devices::{device_factors, device_names, with_energies_at_reference};
use super::error::ModelError;
use super::fit::fit_case_predictor;
use super::fitted_model::CostPriors;
use super::folds::{FoldOptions, FoldUnit, assign_folds};
use super::metrics::{bias, nmae, pearson_r};
use super::options::{FitOptions, LibraryColumns};
use super::table_check::{check_energies, check_table};
use crate::table::Table;

/// Set of cases that figures are about: fitted to, or held out.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum CvSet {
    /// Fitted to.
    Training,
    /// Held out.
    Validation,
}

impl CvSet {
    /// Both sets.
    pub const ALL: [CvSet; 2] = [CvSet::Training, CvSet::Validation];

    /// Returns the name in `cv.csv`.
    pub fn name(self) -> &'static str {
        match self {
            CvSet::Training => "training",
            CvSet::Validation => "validation",
        }
    }
}

/// Agreement of one model with the cases of one round: a row of `cv.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CvRow {
    /// The solver's name, or `flat`, `mean`, `duration`, `blocks`.
    pub model: String,
    /// Round, from 1.
    pub round: usize,
    /// The set of cases that the figures are about.
    pub set: CvSet,
    /// Number of these cases.
    pub cases: usize,
    /// Pearson's correlation of predicted and measured energies; absent where one of
    /// them doesn't vary.
    pub r: Option<f64>,
    /// `1/n sum |(predicted - measured) / measured|`, a pure number.
    pub nmae: f64,
    /// `sum (predicted - measured) / sum |measured|`, a pure number: above 0 where too
    /// much is predicted.
    pub bias: f64,
}

/// A cross-validation: for each model its rounds, training before validation.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// Seed of the folds.
    pub seed: u64,
    /// The solver first, then the baselines.
    pub rows: Vec<CvRow>,
}

/// Means over the rounds of one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CvMean {
    /// Mean correlation over the rounds that have one.
    pub r: Option<f64>,
    /// NMAE of the cases of all rounds together: folds by group differ in size.
    pub nmae: f64,
}

/// Cross-validates the solver of `options` on `table`, beside baselines. `blocks` holds block
/// counts of the same cases, for the baseline that uses them instead of operations (same solver, no
/// microbenchmarks); without it that baseline is left out, as `duration` is where a case has none.
/// A case of zero energy is an error.
pub fn cross_validate(
    table: &Table,
    options: &FitOptions,
    folds: FoldOptions,
    blocks: Option<&Table>,
) -> Result<CrossValidation, ModelError> {
    check_table(table)?;
    check_energies(table, "the NMAE")?;
    cross_validate_in(&fold_of(table, folds)?, table, options, folds, blocks)
}

/// Cross-validates with the fold of each case given.
pub(crate) fn cross_validate_in(
    fold_of: &[usize],
    table: &Table,
    options: &FitOptions,
    folds: FoldOptions,
    blocks: Option<&Table>,
) -> Result<CrossValidation, ModelError> {
    let rounds = rounds(table, fold_of, folds.folds, &options.assumed)?;
    let name = options.solver.name();
    let mut rows = judge_model(name, &rounds, |training| fit_predictor(training, options))?;
    rows.extend(judge_model("flat", &rounds, |training| {
        fit_flat(training, options.weighting, &options.assumed)
    })?);
    rows.extend(judge_model("mean", &rounds, |training| Ok(fit_mean(training)))?);
    if has_durations(table) {
        let predict = |training: &Table| {
            Ok(fit_duration(training, options.weighting, &options.assumed)?
                .expect("all cases have a duration"))
        };
        rows.extend(judge_model("duration", &rounds, predict)?);
    }
    if let Some(blocks) = blocks {
        check_same_cases(table, blocks)?;
        let options = without_microbenchmarks(options);
        let rounds = self::rounds(blocks, fold_of, folds.folds, &options.assumed)?;
        rows.extend(judge_model("blocks", &rounds, |training| fit_predictor(training, &options))?);
    }
    Ok(CrossValidation { seed: folds.seed, rows })
}

/// Cross-validates with many seeds, to show how much the figures depend on the folds.
pub fn cross_validate_repeatedly(
    table: &Table,
    options: &FitOptions,
    folds: FoldOptions,
    seeds: &[u64],
) -> Result<Vec<CrossValidation>, ModelError> {
    seeds
        .iter()
        .map(|seed| cross_validate(table, options, FoldOptions { seed: *seed, ..folds }, None))
        .collect()
}

/// The text of `cv.csv`.
pub fn cv_csv(validation: &CrossValidation) -> Result<String, ModelError> {
    super::csv_of(&validation.rows)
}

/// Reads `cv.csv`.
///
/// # Errors
/// It is no such table.
pub fn cv_rows(text: &str) -> Result<Vec<CvRow>, csv::Error> {
    csv_text::reader(text).deserialize().collect()
}

/// Returns the means over the rounds of `model`; `None` where it has no rows.
pub fn cv_mean(rows: &[CvRow], model: &str, set: CvSet) -> Option<CvMean> {
    let rows: Vec<&CvRow> =
        rows.iter().filter(|row| row.model == model && row.set == set).collect();
    let nmae = mean_nmae(rows.iter().map(|row| (row.nmae, row.cases)))?;
    let known: Vec<f64> = rows.iter().filter_map(|row| row.r).collect();
    let r = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
    Some(CvMean { nmae, r })
}

/// Compares the solver with the baseline that predicts held-out cases best.
pub fn cv_verdict(rows: &[CvRow]) -> Option<BaselineComparison> {
    let held_out = rows.iter().filter(|row| row.set == CvSet::Validation);
    let errors = held_out.map(|row| HeldOutError {
        model: &row.model,
        part: row.round,
        cases: row.cases,
        nmae: row.nmae,
    });
    BaselineComparison::of(&rows.first()?.model, &errors.collect::<Vec<_>>())
}

impl CrossValidation {
    /// Returns the means over the rounds of a model, as [`cv_mean`].
    pub fn mean(&self, model: &str, set: CvSet) -> Option<CvMean> {
        cv_mean(&self.rows, model, set)
    }

    /// Compares the solver with the best baseline, as [`cv_verdict`].
    pub fn verdict(&self) -> Option<BaselineComparison> {
        cv_verdict(&self.rows)
    }
}

/// Training and validation cases of one round.
struct HeldOutFold {
    training: Table,
    validation: Table,
}

impl HeldOutFold {
    fn new(table: &Table, fold_of: &[usize], fold: usize) -> Self {
        Self {
            training: table.rows(|i| fold_of[i] != fold),
            validation: table.rows(|i| fold_of[i] == fold),
        }
    }
}

/// Returns the fold of each case. A case that several boards measured is one: held out on all of
/// them or on none.
fn fold_of(table: &Table, folds: FoldOptions) -> Result<Vec<usize>, ModelError> {
    let is_one_board = device_names(table).len() < 2;
    let cases = table.cases.iter();
    match folds.unit {
        FoldUnit::Case if !is_one_board => {
            let names: Vec<&str> = cases.map(|case| case.name.as_str()).collect();
            assign_folds(&names, FoldOptions { unit: FoldUnit::Group, ..folds })
        }
        _ => assign_folds(&cases.map(|case| case.group.as_str()).collect::<Vec<_>>(), folds),
    }
}

/// Returns the cases of all rounds. Boards' factors are those of the training cases, and both sets
/// are then as the reference board would have spent them, for the baselines too.
fn rounds(
    table: &Table,
    fold_of: &[usize],
    folds: usize,
    assumed: &Assumptions,
) -> Result<Vec<HeldOutFold>, ModelError> {
    let round = |fold: usize| {
        let HeldOutFold { training, validation } = HeldOutFold::new(table, fold_of, fold);
        // Where a fold holds all that is known of a board, no case is judged better than by
        // what all cases say of it.
        let known = device_factors(&training, None, assumed)
            .or_else(|_| device_factors(table, None, assumed))?;
        Ok(match known.is_empty() {
            true => HeldOutFold { training, validation },
            false => HeldOutFold {
                training: with_energies_at_reference(&training, &known),
                validation: with_energies_at_reference(&validation, &known),
            },
        })
    };
    (0..folds).map(round).collect()
}

/// Judges a model of another's making in the rounds of [`cross_validate`], without baselines.
#[cfg(feature = "linfa")]
pub(crate) fn judge_without_baselines(
    model: &str,
    table: &Table,
    assumed: &Assumptions,
    folds: FoldOptions,
    learn: impl Fn(&Table) -> Result<Predictor, ModelError>,
) -> Result<CrossValidation, ModelError> {
    check_table(table)?;
    check_energies(table, "the NMAE")?;
    let rounds = rounds(table, &fold_of(table, folds)?, folds.folds, assumed)?;
    Ok(CrossValidation { seed: folds.seed, rows: judge_model(model, &rounds, learn)? })
}

/// Fits and judges one model in every round.
fn judge_model(
    model: &str,
    rounds: &[HeldOutFold],
    learn: impl Fn(&Table) -> Result<Predictor, ModelError>,
) -> Result<Vec<CvRow>, ModelError> {
    let mut rows = Vec::with_capacity(2 * rounds.len());
    for (round, HeldOutFold { training, validation }) in rounds.iter().enumerate() {
        let predict = learn(training)?;
        for (set, cases) in [(CvSet::Training, training), (CvSet::Validation, validation)] {
            let measured: Vec<f64> = cases.cases.iter().map(|case| case.energy_j).collect();
            let predicted = predict(cases);
            rows.push(CvRow {
                model: model.to_owned(),
                round: round + 1,
                set,
                cases: measured.len(),
                r: pearson_r(&predicted, &measured),
                nmae: nmae(&predicted, &measured).expect("a fold has cases"),
                bias: bias(&predicted, &measured).expect("no case is of zero energy"),
            });
        }
    }
    Ok(rows)
}

/// Fits costs to the training cases; returns their predictor.
pub(crate) fn fit_predictor(
    training: &Table,
    options: &FitOptions,
) -> Result<Predictor, ModelError> {
    let priced = fit_case_predictor(training, options)?;
    Ok(Box::new(move |cases| priced.energies_j(cases)))
}

fn without_microbenchmarks(options: &FitOptions) -> FitOptions {
    FitOptions {
        priors: CostPriors::default(),
        library: LibraryColumns::AsGiven,
        ..options.clone()
    }
}

fn check_same_cases(table: &Table, blocks: &Table) -> Result<(), ModelError> {
    check_table(blocks)?;
    let name = |table: &Table, i: usize| table.cases.get(i).map(|case| case.name.clone());
    let longest = table.cases.len().max(blocks.cases.len());
    match (0..longest).find(|i| name(table, *i) != name(blocks, *i)) {
        None => Ok(()),
        Some(i) => Err(ModelError::CasesDiffer {
            expected: name(table, i).unwrap_or_else(|| "(none)".to_owned()),
            found: name(blocks, i).unwrap_or_else(|| "(none)".to_owned()),
        }),
    }
}

#[cfg(test)]
mod tests;
