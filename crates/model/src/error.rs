//! Everything that can keep a model from being fitted, read or judged, with the case,
//! the column or the option at fault and what to do about it.

use thiserror::Error;
use wattline_units::format::{counted, counted_as};
use wattline_units::limits::LimitExceeded;
use wattline_units::shortened::shortened;

/// Reason why a model cannot be fitted, read or judged.
#[derive(Debug, Error)]
pub enum ModelError {
    /// The table has no rows.
    #[error("the table has no cases; at least one is needed")]
    NoCases,
    /// The table has no columns.
    #[error("the table has no feature columns; name some with --features")]
    NoFeatures,
    /// The number of counts is not that of rows times columns.
    #[error("the table holds {found} counts, but {cases} cases by {features} features need {}", cases * features)]
    Shape {
        /// Counts in the table.
        found: usize,
        /// Rows of the table.
        cases: usize,
        /// Columns of the table.
        features: usize,
    },
    /// Two columns have one name.
    #[error("the feature `{}` is there twice; drop or rename one column", shortened(name))]
    DuplicateFeature {
        /// The name.
        name: String,
    },
    /// A value is NaN or infinite.
    #[error(
        "case `{}`, column `{}`: {value} is not a finite number; correct or drop the case",
        shortened(case),
        shortened(column)
    )]
    NotFinite {
        /// Name of the case.
        case: String,
        /// Name of the column.
        column: String,
        /// The value.
        value: f64,
    },
    /// The second opinion needs cases that determine every cost.
    #[error(
        "{} not determine the costs of {} by themselves; measure more cases",
        counted_as(cases, "case does", "cases do"),
        counted(operations, "counted operation")
    )]
    Undetermined {
        /// Cases fitted to.
        cases: usize,
        /// Columns that have a count.
        operations: usize,
    },
    /// Every count is zero.
    #[error("all counts are zero, so the energies can't be explained by them; check --features")]
    NoCounts,
    /// A relative error or weight is undefined for a case without energy.
    #[error(
        "case `{}` has an energy of 0 J, so {wanted} is not defined; drop the case",
        shortened(case)
    )]
    ZeroEnergy {
        /// Name of the case.
        case: String,
        /// The figure that divides by the energy.
        wanted: &'static str,
    },
    /// The cases do not determine a board's factor.
    #[error(
        "board {} has no case whose energy is clear of its error, so what it spends by the \
         others can't be told; measure more cases on it, or drop its rows",
        shortened(device)
    )]
    NoFactor {
        /// The board.
        device: String,
    },
    /// A weight needs a column that the case doesn't have.
    #[error(
        "case `{}` has no {column}, which the weights `{weighting}` need; choose other weights with --weight",
        shortened(case)
    )]
    MissingForWeight {
        /// Name of the case.
        case: String,
        /// The absent column.
        column: &'static str,
        /// The weighting's name.
        weighting: &'static str,
    },
    /// A weight is not a positive number.
    #[error(
        "case `{}`: the weight {weight} (by `{weighting}`) is not a positive number; choose other weights with --weight",
        shortened(case)
    )]
    BadWeight {
        /// Name of the case.
        case: String,
        /// The weight.
        weight: f64,
        /// The weighting's name.
        weighting: &'static str,
    },
    /// Not enough cases for the folds.
    #[error("{folds} folds need at least {folds} {what}, there are {found}; lower --folds")]
    TooFewForFolds {
        /// Folds asked for.
        folds: usize,
        /// `cases` or `groups`.
        what: &'static str,
        /// Number of these.
        found: usize,
    },
    /// A fold of cases that are dealt out by a hash got none.
    #[error(
        "fold {fold} of {folds} has no case: there are too few groups or cases; lower --folds, or \
         give cases names in a column `case`"
    )]
    EmptyFold {
        /// The fold, from 1.
        fold: usize,
        /// Folds asked for.
        folds: usize,
    },
    /// An option is out of its range.
    #[error("{option} is {value}, but must be {expected}")]
    BadOption {
        /// The option.
        option: &'static str,
        /// Value of the option.
        value: String,
        /// Values that are allowed.
        expected: &'static str,
    },
    /// The problem exceeds a limit of size.
    #[error("{exceeded}; {remedy}")]
    TooLarge {
        /// The limit and the size.
        exceeded: LimitExceeded,
        /// Remedy for the user.
        remedy: &'static str,
    },
    /// No solver has this name.
    #[error("there is no solver `{}`; choose one of {known}", shortened(name))]
    UnknownSolver {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// No weighting has this name.
    #[error(
        "there are no weights `{}`; choose 1, 1/se^2, 1/e^2, sqrt(Et), relative or a column",
        shortened(name)
    )]
    UnknownWeighting {
        /// The name given.
        name: String,
    },
    /// An iteration did not reach its stop rule.
    #[error(
        "{solver} did not converge in {}: {measure} is {reached:.2e}, allowed is {allowed:.2e}; {remedy}",
        counted(iterations, "step")
    )]
    NoConvergence {
        /// The solver's name.
        solver: &'static str,
        /// Steps made.
        iterations: usize,
        /// Figure that the stop rule compares.
        measure: &'static str,
        /// Last value of the figure.
        reached: f64,
        /// The value asked for.
        allowed: f64,
        /// Remedy for the user.
        remedy: &'static str,
    },
    /// A table of factors has a bad line.
    #[error("line {line}: {message}; see --factors and --target")]
    Factor {
        /// Line number, from 1.
        line: u64,
        /// Fault of the line.
        message: String,
    },
    /// Chains did not come to agree.
    #[error(
        "the chains of bayes have not mixed after {}: R-hat {rhat:.3} (allowed {rhat_max}), effective sample size {ess:.0} (needed {ess_min:.0}); give microbenchmarks with --prior, name fewer features, or use --solver shrink",
        counted(sweeps, "sweep")
    )]
    NotMixed {
        /// Sweeps of each chain.
        sweeps: usize,
        /// Largest R-hat.
        rhat: f64,
        /// The R-hat asked for.
        rhat_max: f64,
        /// Smallest effective sample size.
        ess: f64,
        /// The effective sample size asked for.
        ess_min: f64,
    },
    /// A matrix could not be decomposed.
    #[error("{what} could not be decomposed; the counts may span too many orders of magnitude")]
    Decomposition {
        /// The matrix.
        what: &'static str,
    },
    /// Too many steps of NUTS diverged.
    #[error(
        "NUTS diverged in {divergences} of {}; the posterior has corners that it can't follow: use Gibbs sampling",
        counted(steps, "step")
    )]
    Diverged {
        /// Steps that diverged.
        divergences: usize,
        /// Steps in all.
        steps: usize,
    },
    /// NUTS failed to start or to continue.
    #[error("NUTS stopped: {message}; use Gibbs sampling")]
    Sampler {
        /// Message of the sampler.
        message: String,
    },
    /// A second table does not hold the same cases.
    #[error(
        "the table of block counts has case `{}` where the data set has `{}`; both need the same cases in the same order",
        shortened(found),
        shortened(expected)
    )]
    CasesDiffer {
        /// Name in the data set.
        expected: String,
        /// Name in the other table.
        found: String,
    },
    /// A prior file has a bad line.
    #[error("prior, line {line}: {message}")]
    Prior {
        /// Line number, from 1.
        line: u64,
        /// Fault of the line, and its remedy.
        message: String,
    },
    /// A model of a later version.
    #[error(
        "the model has format {found}, this version reads up to {supported}; use a newer wattline or fit again"
    )]
    NewerFormat {
        /// Format of the file.
        found: u64,
        /// Newest format known.
        supported: u32,
    },
    /// The text is no model in JSON.
    #[error("this is not a model.json: {0}")]
    Json(#[from] serde_json::Error),
    /// A model has parts of lengths that do not fit together.
    #[error("the model is damaged: {reason}; fit it again")]
    Damaged {
        /// Parts that do not fit together.
        reason: String,
    },
    /// Rows could not be read.
    #[error(transparent)]
    Table(#[from] crate::table::TableError),
    /// Partials cannot be merged.
    #[error(transparent)]
    Partial(#[from] crate::stream::SufficientStatsError),
    /// A table could not be written.
    #[error("the table could not be written: {0}")]
    Csv(#[from] csv::Error),
}

impl ModelError {
    /// Returns a constructor of [`ModelError::TooLarge`] with this remedy.
    pub(crate) fn too_large(remedy: &'static str) -> impl Fn(LimitExceeded) -> Self {
        move |exceeded| Self::TooLarge { exceeded, remedy }
    }
}
