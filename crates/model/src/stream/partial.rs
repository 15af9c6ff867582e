//! Partials: what is summed over some of the rows of a table, as bytes. Partials of all the
//! rows add up to the model of the whole table, in whatever parts and order they come.

mod bytes;
mod merge;
mod sense;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::super::error::ModelError;
use super::super::estimability::Estimability;
use super::super::fitted::Model;
use super::super::folds::FoldOptions;
use super::super::options::{FitOptions, Solver};
use super::super::validation::CrossValidation;
use super::super::weights::Weighting;
use super::cells::AllCells;
use super::judge::{JudgeTally, JudgedRounds};
use super::outline::Outline;
use super::products::Precision;
use super::{CellProblem, check_columns};
use crate::table::{ColumnChoice, RowSource, TableError};

pub use merge::Merge;

/// Version of the format of partials.
pub const PARTIAL_FORMAT: u32 = 1;

/// What must be the same in all partials of one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PartialSettings {
    /// Column names, length l.
    pub features: Vec<String>,
    /// Names of the columns that say something of a case: `target`, `group`, `weight`.
    pub columns: Vec<(String, String)>,
    /// The solver that the weights are the default of.
    pub solver: String,
    /// Name of the weights.
    pub weighting: String,
    /// Energy in joules below which weights `relative` take no case.
    pub relative_floor_j: Option<f64>,
    /// Outer folds.
    pub folds: FoldOptions,
    /// Inner folds, for solvers that choose a strength.
    pub inner_folds: FoldOptions,
    /// Checksum of the rounds that cases were judged by; absent where cases were summed.
    pub judged_by: Option<String>,
}

/// One of the parts that a partial is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PartOf {
    /// Its number, from 1, and how many there are; absent where nobody numbered them.
    pub number: Option<(u64, u64)>,
    /// Checksum of what was summed over its rows.
    pub checksum: String,
    /// Number of its rows.
    pub rows: u64,
}

/// Sums over some rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct SufficientStats {
    settings: PartialSettings,
    parts: Vec<PartOf>,
    /// Boards of the cases; the first two, of which a second is one too many.
    devices: Vec<String>,
    body: StatsBody,
}

#[derive(Debug, Clone, PartialEq)]
enum StatsBody {
    /// Cross products.
    Sums(AllCells),
    /// Errors of the rounds' predictions.
    Errors(Judged),
}

#[derive(Debug, Clone, PartialEq)]
struct Judged {
    /// Names of the models, and number of rounds.
    models: Vec<String>,
    rounds: usize,
    tally: JudgeTally,
}

/// A partial that can't be read or doesn't belong to the others.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum SufficientStatsError {
    /// Bytes of something else.
    #[error("this is no partial of wattline; make one with `fit TABLE --partial FILE`")]
    NoPartial,
    /// Of another version.
    #[error(
        "the partial has format {found}, this version reads {PARTIAL_FORMAT}; make all partials \
         with the wattline that merges them"
    )]
    Version {
        /// The one found.
        found: u32,
    },
    /// Bytes are missing or others.
    #[error("the partial is {what}; make or copy it again")]
    Damaged {
        /// How.
        what: &'static str,
    },
    /// Of another table or another fit.
    #[error(
        "{what} of the partial are {found}, those of {other} are {expected}: it is of another \
         table or of another fit; partials that are merged are made with the same flags"
    )]
    Differs {
        /// What differs.
        what: &'static str,
        /// As it is here.
        found: String,
        /// A partial before.
        other: String,
        /// As it is there.
        expected: String,
    },
    /// A part that was merged already.
    #[error("{part} is there twice, also in {other}; leave one of them out")]
    Doubled {
        /// The part.
        part: String,
        /// Where it was first.
        other: String,
    },
    /// Parts that are not there.
    #[error("{parts} of {of} {} missing; make the partials of these parts", if *single { "is" } else { "are" })]
    Missing {
        /// Their numbers.
        parts: String,
        /// How many there are to be.
        of: u64,
        /// Whether it is one.
        single: bool,
    },
    /// Cases of several boards.
    #[error(
        "cases are of several boards ({boards}), which are not told apart in partials; make \
         partials for each board"
    )]
    Boards {
        /// Two of them.
        boards: String,
    },
    /// Nothing to merge.
    #[error(
        "there is no partial to merge: name files that `fit --partial` wrote, or folders with them"
    )]
    None,
    /// Errors where sums are wanted, or the reverse.
    #[error("the partial holds {found}, not {wanted}")]
    Kind {
        /// What it holds.
        found: &'static str,
        /// What is wanted.
        wanted: &'static str,
    },
}

/// The rounds of a merged fit, by which cases can be judged anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeRounds {
    format: u32,
    settings: PartialSettings,
    rounds: JudgedRounds,
}

/// The model of merged partials.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedFit {
    /// The costs. What their residuals leave is not known before the cases were judged, but
    /// for equal weights.
    pub model: Model,
    /// What the cases can tell.
    pub estimability: Estimability,
    /// What judging needs.
    pub rounds: JudgeRounds,
}

/// Which part of a table the rows are, and how the columns are called.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartLabel {
    /// Its number, from 1, and how many there are.
    pub number: Option<(u64, u64)>,
    /// Names of the columns that say something of a case.
    pub columns: Vec<(String, String)>,
}

impl SufficientStats {
    /// Sums over rows, in one pass. There may be none.
    ///
    /// # Errors
    /// The rows can't be read or fitted, or the weights need to know all cases.
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
        let outline = settings.outline(options)?;
        let watched = DeviceTrackingRows::new(rows);
        let cells = match AllCells::read(&watched, &outline, Precision::All) {
            Err(ModelError::Table(TableError::NoRows)) => {
                AllCells::none(outline.cells(), rows.features().len())
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
        by: &JudgeRounds,
        label: PartLabel,
    ) -> Result<Self, ModelError> {
        let options = by.options()?;
        if rows.features() != by.settings.features {
            let differs = by.settings.differs_in_features(rows.features());
            return Err(ModelError::Partial(differs));
        }
        let settings = PartialSettings { judged_by: Some(by.checksum()), ..by.settings.clone() };
        let outline = settings.outline(&options)?;
        let watched = DeviceTrackingRows::new(rows);
        let tally = match JudgeTally::read(&watched, &outline, &by.rounds) {
            Err(ModelError::Table(TableError::NoRows)) => JudgeTally::none(&by.rounds),
            read => read?,
        };
        let rounds = by.rounds.rounds.len();
        // Every case is in one fold of every round.
        let cases = tally.cells.iter().take(rounds).map(|cell| cell.cases).sum();
        let models = by.rounds.models().into_iter().map(str::to_owned).collect();
        let body = StatsBody::Errors(Judged { models, rounds, tally });
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
        let checksum = bytes::checksum(&partial.body_bytes());
        partial.parts.push(PartOf { number, checksum, rows });
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

    /// What must be the same in all partials of the table.
    pub fn settings(&self) -> &PartialSettings {
        &self.settings
    }

    /// The parts it is of.
    pub fn parts(&self) -> &[PartOf] {
        &self.parts
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.parts.iter().map(|part| part.rows).sum()
    }

    /// Whether it holds errors of predictions, not sums.
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
        self.check_all_there().map_err(ModelError::Partial)?;
        let settings = &self.settings;
        let options = FitOptions {
            weighting: settings.weighting()?,
            relative_floor_j: settings.relative_floor_j,
            inner_folds: settings.inner_folds,
            ..options.clone()
        };
        options.check()?;
        check_columns(&settings.features, &options)?;
        let outline = settings.outline(&options)?;
        let features = &settings.features;
        let problem = CellProblem::new(features, cells, &outline, &options)?;
        let solved = problem.solve(features, cells, &outline, &options)?;
        let squares = (options.weighting == Weighting::Equal).then(|| {
            let b = solved.rounds.last_j.as_slice();
            squared_residuals(cells, b)
        });
        let model = solved.model(squares, &options)?;
        let settings =
            PartialSettings { solver: options.solver.name().to_owned(), ..settings.clone() };
        let rounds = JudgeRounds { format: PARTIAL_FORMAT, settings, rounds: solved.rounds };
        Ok(MergedFit { model, estimability: solved.known, rounds })
    }

    /// The cross-validation of all merged parts, and the sum of the squared residuals of the
    /// final costs in J^2.
    ///
    /// # Errors
    /// A part is missing, or no case was judged.
    pub fn validation(&self) -> Result<(CrossValidation, f64), ModelError> {
        let StatsBody::Errors(judged) = &self.body else {
            return Err(ModelError::Partial(self.wrong_kind()));
        };
        self.check_all_there().map_err(ModelError::Partial)?;
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

/// Sum of squared residuals of equally weighted rows.
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

impl PartialSettings {
    fn outline(&self, options: &FitOptions) -> Result<Outline, ModelError> {
        let floor_j = self.relative_floor_j.unwrap_or(0.0);
        Outline::with_floor(options, Some(self.folds), Some(self.inner_folds), floor_j)
    }

    fn weighting(&self) -> Result<Weighting, ModelError> {
        self.weighting.parse()
    }

    fn differs_in_features(&self, found: &[String]) -> SufficientStatsError {
        let extra = |a: &[String], b: &[String]| a.iter().find(|name| !b.contains(name)).cloned();
        let say = |count: usize, one: Option<String>| {
            let one = one.map_or(String::new(), |name| format!(", among them `{name}`"));
            format!("{count}{one}")
        };
        SufficientStatsError::Differs {
            what: "the features",
            found: say(found.len(), extra(found, &self.features)),
            other: "the others".to_owned(),
            expected: say(self.features.len(), extra(&self.features, found)),
        }
    }
}

impl JudgeRounds {
    /// The columns that it needs.
    pub fn choice(&self) -> ColumnChoice {
        let named = |what: &str| {
            let found = self.settings.columns.iter().find(|(of, _)| of == what);
            found.map(|(_, name)| name.clone())
        };
        ColumnChoice {
            target: named("target"),
            group: named("group"),
            weight: named("weight"),
            feature_names: Some(self.settings.features.clone()),
            ..ColumnChoice::default()
        }
    }

    /// As JSON.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn to_json(&self) -> Result<String, ModelError> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// From JSON.
    ///
    /// # Errors
    /// It is something else, or of another version.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        let rounds: Self = serde_json::from_str(text)?;
        if rounds.format != PARTIAL_FORMAT {
            return Err(ModelError::Partial(SufficientStatsError::Version {
                found: rounds.format,
            }));
        }
        let l = rounds.settings.features.len();
        let fits = |costs: &[f64]| costs.len() == l && costs.iter().all(|cost| cost.is_finite());
        let of_rounds = rounds.rounds.rounds.iter();
        if !fits(&rounds.rounds.last_j)
            || !of_rounds.clone().all(|round| fits(&round.costs_j))
            || of_rounds.count() != rounds.settings.folds.folds
        {
            let reason = "its rounds do not have one cost for each feature".to_owned();
            return Err(ModelError::Damaged { reason });
        }
        Ok(rounds)
    }

    fn checksum(&self) -> String {
        bytes::checksum(serde_json::to_string(self).unwrap_or_default().as_bytes())
    }

    /// What says which cases are refused.
    fn options(&self) -> Result<FitOptions, ModelError> {
        let solver: Solver = self.settings.solver.parse()?;
        let weighting = self.settings.weighting()?;
        Ok(FitOptions { weighting, ..FitOptions::new(solver) })
    }
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

/// Rows whose boards are noted as they pass.
struct DeviceTrackingRows<'r> {
    rows: &'r dyn RowSource,
    devices: std::cell::RefCell<std::collections::BTreeSet<String>>,
}

impl<'r> DeviceTrackingRows<'r> {
    fn new(rows: &'r dyn RowSource) -> Self {
        Self { rows, devices: Default::default() }
    }

    fn devices(self) -> Vec<String> {
        self.devices.into_inner().into_iter().collect()
    }
}

impl RowSource for DeviceTrackingRows<'_> {
    fn features(&self) -> &[String] {
        self.rows.features()
    }

    fn each(
        &self,
        wanted: crate::table::PassColumns,
        take: crate::table::Take<'_>,
    ) -> Result<(), TableError> {
        self.rows.each(wanted, &mut |block| {
            let mut devices = self.devices.borrow_mut();
            for i in 0..block.rows() {
                // A second board is one too many.
                if devices.len() < 2 && !devices.contains(block.device(i)) {
                    devices.insert(block.device(i).to_owned());
                }
            }
            take(block)
        })
    }
}

#[cfg(test)]
mod tests;
