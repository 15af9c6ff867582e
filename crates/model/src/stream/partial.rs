//! Partials: sums over some of the rows of a table, as bytes. Partials of all the rows add up to
//! the model of the whole table, in whatever parts and order they come.

mod bytes;
mod checksum;
mod device_rows;
mod error;
mod merger;
mod plausibility;
mod rounds;
mod settings;

use super::super::error::ModelError;
use super::super::estimability::Estimability;
use super::super::fitted_model::Model;
use super::super::folds::FoldOptions;
use super::super::options::FitOptions;
use super::super::validation::CrossValidation;
use super::super::weights::Weighting;
use super::cells::AllCells;
use super::judging::JudgeTally;
use super::products::Precision;
use super::{CellProblem, check_columns};
use crate::table::{RowSource, TableError};

pub use self::error::SufficientStatsError;
pub use self::merger::PartialMerger;
pub use self::rounds::MergedRounds;
pub use self::settings::{PARTIAL_FORMAT, PartLabel, PartialSettings, SummedPart};

use self::checksum::checksum;
use self::device_rows::DeviceTrackingRows;

/// Sums over some rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct SufficientStats {
    settings: PartialSettings,
    parts: Vec<SummedPart>,
    /// Boards of the cases; at most two, of which the second is one too many.
    devices: Vec<String>,
    body: StatsBody,
}

#[derive(Debug, Clone, PartialEq)]
enum StatsBody {
    /// Cross products.
    Sums(AllCells),
    /// Errors of the rounds' predictions.
    Errors(JudgedErrors),
}

#[derive(Debug, Clone, PartialEq)]
struct JudgedErrors {
    /// Names of the models, and number of rounds.
    models: Vec<String>,
    rounds: usize,
    tally: JudgeTally,
}

/// The model of merged partials.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedFit {
    /// The model with its costs. The standard deviation of its residuals is not known before the
    /// cases were judged, but for equal weights.
    pub model: Model,
    /// Estimability of the costs by the cases.
    pub estimability: Estimability,
    /// Rounds by which cases are judged.
    pub rounds: MergedRounds,
}

impl SufficientStats {
    /// Sums rows in one pass. There may be none.
    ///
    /// # Errors
    /// The rows can't be read or fitted, or the weights need all cases.
    pub fn of_rows(
        rows: &dyn RowSource,
        options: &FitOptions,
        folds: FoldOptions,
        label: PartLabel,
    ) -> Result<Self, ModelError> {
        options.check()?;
        check_columns(rows.features(), options)?;
        check_floor(options)?;
        let settings = PartialSettings {
            features: rows.features().to_vec(),
            columns: label.columns,
            solver: options.solver.name().to_owned(),
            weighting: options.weighting.name().to_owned(),
            relative_floor_j: options.relative_floor_j,
            folds,
            inner_folds: options.inner_folds,
            judged_by: None,
        };
        let plan = settings.plan(options)?;
        let watched = DeviceTrackingRows::new(rows);
        let cells = match AllCells::read(&watched, &plan, Precision::Extended) {
            Err(ModelError::Table(TableError::NoRows)) => {
                AllCells::none(plan.cell_count(), rows.features().len())
            }
            read => read?,
        };
        let rows = cells.rows();
        Self::new(settings, StatsBody::Sums(cells), label.number, rows, watched.devices())
    }

    /// Judges rows by the rounds of a merged fit, in one pass.
    ///
    /// # Errors
    /// The rows can't be read or have other columns.
    pub fn of_errors(
        rows: &dyn RowSource,
        by: &MergedRounds,
        label: PartLabel,
    ) -> Result<Self, ModelError> {
        let options = by.options()?;
        if rows.features() != by.settings.features {
            let differs = by.settings.differs_in_features(rows.features());
            return Err(ModelError::Partial(differs));
        }
        let settings = PartialSettings { judged_by: Some(by.checksum()), ..by.settings.clone() };
        let plan = settings.plan(&options)?;
        let watched = DeviceTrackingRows::new(rows);
        let tally = match JudgeTally::read(&watched, &plan, &by.rounds) {
            Err(ModelError::Table(TableError::NoRows)) => JudgeTally::none(&by.rounds),
            read => read?,
        };
        let rounds = by.rounds.rounds.len();
        // Every case is in one fold of every round.
        let cases = tally.cells.iter().take(rounds).map(|cell| cell.cases).sum();
        let models = by.rounds.models().into_iter().map(str::to_owned).collect();
        let body = StatsBody::Errors(JudgedErrors { models, rounds, tally });
        Self::new(settings, body, label.number, cases, watched.devices())
    }

    fn new(
        settings: PartialSettings,
        body: StatsBody,
        number: Option<(u64, u64)>,
        rows: u64,
        devices: Vec<String>,
    ) -> Result<Self, ModelError> {
        let mut partial = Self { settings, parts: Vec::new(), devices, body };
        partial.check_devices().map_err(ModelError::Partial)?;
        let checksum = checksum(&partial.body_bytes());
        partial.parts.push(SummedPart { number, checksum, rows });
        Ok(partial)
    }

    fn check_devices(&self) -> Result<(), SufficientStatsError> {
        match self.devices.as_slice() {
            [first, second, ..] => {
                Err(SufficientStatsError::Boards { boards: format!("{first}, {second}, ...") })
            }
            _ => Ok(()),
        }
    }

    /// Settings that must be the same in all partials of the table.
    pub fn settings(&self) -> &PartialSettings {
        &self.settings
    }

    /// Parts of the table that the partial covers.
    pub fn parts(&self) -> &[SummedPart] {
        &self.parts
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.parts.iter().map(|part| part.rows).sum()
    }

    /// Whether the partial holds errors of predictions, not sums.
    pub fn is_judged(&self) -> bool {
        matches!(self.body, StatsBody::Errors(_))
    }

    /// Fits a model to the rows of all merged parts. Solver, penalty and priors may be others
    /// than those that the partials were made with; weights and folds are theirs.
    ///
    /// # Errors
    /// A part is missing, or the solver finds no model.
    pub fn fit(&self, options: &FitOptions) -> Result<MergedFit, ModelError> {
        let StatsBody::Sums(cells) = &self.body else {
            return Err(ModelError::Partial(self.wrong_kind()));
        };
        self.check_complete().map_err(ModelError::Partial)?;
        let settings = &self.settings;
        let options = FitOptions {
            weighting: settings.weighting()?,
            relative_floor_j: settings.relative_floor_j,
            inner_folds: settings.inner_folds,
            ..options.clone()
        };
        options.check()?;
        check_columns(&settings.features, &options)?;
        let plan = settings.plan(&options)?;
        let features = &settings.features;
        let problem = CellProblem::new(features, cells, &plan, &options)?;
        let solved = problem.solve(features, cells, &plan, &options)?;
        let squares = (options.weighting == Weighting::Equal).then(|| {
            let b = solved.rounds.last_j.as_slice();
            squared_residuals(cells, b)
        });
        let model = solved.model(squares, &options)?;
        let settings =
            PartialSettings { solver: options.solver.name().to_owned(), ..settings.clone() };
        let rounds = MergedRounds { format: PARTIAL_FORMAT, settings, rounds: solved.rounds };
        Ok(MergedFit { model, estimability: solved.known, rounds })
    }

    /// Returns the cross-validation of all merged parts, and the sum of the squared residuals of
    /// the final costs in J^2.
    ///
    /// # Errors
    /// A part is missing, or no case was judged.
    pub fn validation(&self) -> Result<(CrossValidation, f64), ModelError> {
        let StatsBody::Errors(judged) = &self.body else {
            return Err(ModelError::Partial(self.wrong_kind()));
        };
        self.check_complete().map_err(ModelError::Partial)?;
        if self.rows() == 0 {
            return Err(ModelError::NoCases);
        }
        let models: Vec<&str> = judged.models.iter().map(String::as_str).collect();
        let rows = judged.tally.rows(&models, judged.rounds);
        let seed = self.settings.folds.seed;
        Ok((CrossValidation { seed, rows }, judged.tally.squares.hi))
    }

    fn wrong_kind(&self) -> SufficientStatsError {
        let (sums, errors) = ("sums to fit to", "errors of predictions");
        let (found, wanted) = if self.is_judged() { (errors, sums) } else { (sums, errors) };
        SufficientStatsError::Kind { found, wanted }
    }
}

/// Returns the sum of squared residuals of equally weighted rows.
fn squared_residuals(cells: &AllCells, b: &[f64]) -> f64 {
    use super::super::double_double::DoubleDouble;
    let l = b.len();
    let mut sum = DoubleDouble::default();
    let factor = |j: usize| DoubleDouble::of(if j == l { -1.0 } else { b[j] });
    for cell in &cells.cells {
        for j in 0..=l {
            for i in j..=l {
                let term = cell.products.get(i, j).times(factor(i)).times(factor(j));
                sum = if i == j { sum.plus(term) } else { sum.plus(term).plus(term) };
            }
        }
    }
    sum.hi.max(0.0)
}

fn check_floor(options: &FitOptions) -> Result<(), ModelError> {
    if options.weighting == Weighting::Relative && options.relative_floor_j.is_none() {
        return Err(ModelError::BadOption {
            option: "--weight",
            value: "relative, which needs the median energy of all cases".to_owned(),
            expected: "given with --relative-floor (5 % of that median, in joules) or be other \
                       weights, for a part of the cases",
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
