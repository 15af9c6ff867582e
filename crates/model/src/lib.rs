//! Table -> cost per operation: one file per solver, what the data can and can't
//! tell, validation. No file is read or written here.
//!
//! `fit` makes a [`Model`], `fit_rows` one of rows that don't fit into memory;
//! `estimability` says what the cases can tell at all; `cross_validate` judges a solver
//! beside baselines; `bayes` has chains, their diagnostics and the model of factors.
//! `docs/models.md` has the theory.

// Only the command line prints.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod areas;
mod baseline;
mod baseline_comparison;
pub mod bayes;
mod bootstrap;
mod by_microbenchmarks;
mod check;
mod choice;
mod design;
mod devices;
mod double_double;
mod error;
mod estimability;
mod fit;
pub mod fitted;
mod folds;
mod gram;
mod interval;
mod json;
mod learning;
mod library;
mod linear;
#[cfg(feature = "linfa")]
pub mod linfa_dataset;
pub mod metrics;
mod microbenchmark_prior;
mod on_device;
mod options;
mod predict;
mod priced;
mod prior_file;
mod reach;
#[cfg(feature = "linfa")]
mod second_opinion;
mod solver;
mod stream;
pub mod table;
mod tails;
mod tune;
mod validation;
mod weights;
mod with_costs_of;

#[cfg(test)]
mod testing;
#[cfg(test)]
pub(crate) mod tests;

pub use baseline_comparison::{BASELINES, BaselineComparison, HeldOutError, Standing, mean_nmae};
pub use bayes::{ChainOptions, Diagnosis, Draws};
pub use choice::{CandidateScore, ConstantEnergy, PredictorChoice};
pub use devices::{DeviceFactor, devices, devices_csv, devices_text};
pub use error::ModelError;
pub use estimability::{
    Estimability, OperationEstimability, estimability, estimability_csv, estimability_rows,
};
pub use fit::fit;
pub use fitted::{
    ContextPrice, Cost, CostPrior, CostPriors, CovarianceScope, FORMAT, MicrobenchmarkCosts, Model,
    Provenance, RowSpace,
};
pub use folds::{FoldOptions, FoldUnit};
pub use interval::{normal_quantile, student_975, student_quantile};
pub use learning::{LearningRow, learning_csv, learning_curve};
pub use library::LIBRARY_OTHER;
pub use options::{
    BootstrapOptions, FitOptions, GdOptions, LearningRate, LibraryColumns, Penalty, Solver,
};
pub use predict::{ColumnIndex, Prediction};
pub use reach::Reach;
#[cfg(feature = "linfa")]
pub use second_opinion::{SECOND_OPINION, second_opinion};
pub use stream::{
    JudgeRounds, Merge, MergedFit, PARTIAL_FORMAT, PartLabel, PartOf, PartialSettings, StreamFit,
    SufficientStats, SufficientStatsError, fit_rows,
};
pub use validation::{
    CrossValidation, CvMean, CvRow, CvSet, cross_validate, cross_validate_repeatedly, cv_csv,
    cv_mean, cv_rows, cv_verdict,
};
pub use weights::Weighting;

/// Rows as CSV, with a header.
pub fn csv_of<R: serde::Serialize>(
    rows: impl IntoIterator<Item = R>,
) -> Result<String, ModelError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    text_of(writer)
}

/// The text that a CSV writer has written.
pub(crate) fn text_of(writer: csv::Writer<Vec<u8>>) -> Result<String, ModelError> {
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(wattline_units::csv_text::guarded(String::from_utf8(bytes).expect("CSV of text is text")))
}

#[cfg(test)]
#[path = "../../../tests/common/skip.rs"]
mod skip;

#[cfg(test)]
#[path = "../../../tests/common/schema.rs"]
mod schema;
#[cfg(test)]
mod schema_tests;
