//! Energy models: a cost per operation from a table of cases, with solvers, estimability and
//! validation. No file is read or written here.
//!
//! `fit` makes a [`Model`], `fit_rows` one of rows that don't fit into memory; `estimability` finds
//! which costs the cases determine at all; `cross_validate` judges a solver beside baselines;
//! `bayes` has chains, their diagnostics and the model of factors. `docs/internals/models.md` has the theory.

// Only the command line prints.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod areas;
mod baseline;
mod baseline_comparison;
pub mod bayes;
mod bootstrap;
mod case_predictor;
mod design;
mod devices;
mod double_double;
mod error;
mod estimability;
mod fit;
pub mod fitted_model;
mod folds;
mod gram;
mod json;
mod learning_curve;
mod library;
mod linear;
#[cfg(feature = "linfa")]
pub mod linfa_dataset;
pub mod metrics;
mod microbenchmark_costs;
mod microbenchmark_prior;
mod missing_costs;
mod on_device;
mod options;
mod predicted_case;
mod prediction;
mod predictive_distribution;
mod predictor_choice;
mod prior_file;
mod quantiles;
mod residual_spread;
#[cfg(feature = "linfa")]
mod second_opinion;
mod solver;
mod stream;
pub mod table;
mod table_check;
mod tails;
mod tuning;
mod validation;
mod validity_limits;
mod weights;

#[cfg(test)]
mod testing;
#[cfg(test)]
pub(crate) mod tests;

pub use baseline_comparison::{
    BASELINES, BaselineComparison, ComparisonOutcome, HeldOutError, mean_nmae,
};
pub use bayes::{ChainDraws, ChainOptions, Diagnosis};
pub use devices::{DeviceFactor, device_names, devices_csv, devices_text};
pub use error::ModelError;
pub use estimability::{
    Estimability, OperationEstimability, estimability, estimability_csv, estimability_rows,
};
pub use fit::fit;
pub use fitted_model::{
    ContextPrice, Cost, CostPrior, CostPriors, CovarianceScope, MODEL_FORMAT, MicrobenchmarkCosts,
    Model, Provenance, RowSpace,
};
pub use folds::{FoldOptions, FoldUnit};
pub use learning_curve::{LearningRow, learning_csv, learning_curve};
pub use library::LIBRARY_OTHER;
pub use options::{
    BootstrapOptions, FitOptions, GdOptions, LearningRate, LibraryColumns, Penalty, Solver,
};
pub use predicted_case::PredictedCase;
pub use prediction::{ColumnIndex, EnergyPrediction};
pub use predictive_distribution::{EnergyPrognosis, PredictiveDistribution};
pub use predictor_choice::{CandidateScore, ConstantEnergy, PredictorChoice};
pub use prior_file::COVARIANCE_KEY;
pub use quantiles::{normal_quantile, student_975, student_quantile};
pub use residual_spread::{ResidualSize, ResidualSpread};
#[cfg(feature = "linfa")]
pub use second_opinion::{SECOND_OPINION, second_opinion};
pub use stream::{
    MergedFit, MergedRounds, PARTIAL_FORMAT, PartLabel, PartialMerger, PartialSettings, StreamFit,
    SufficientStats, SufficientStatsError, SummedPart, fit_rows,
};
pub use validation::{
    CrossValidation, CvMean, CvRow, CvSet, cross_validate, cross_validate_repeatedly, cv_csv,
    cv_mean, cv_rows, cv_verdict,
};
pub use validity_limits::ValidityLimits;
pub use weights::Weighting;

/// Serialises rows as CSV, with a header.
pub fn csv_of<R: serde::Serialize>(
    rows: impl IntoIterator<Item = R>,
) -> Result<String, ModelError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    text_of(writer)
}

/// Returns the text that a CSV writer has written.
pub(crate) fn text_of(writer: csv::Writer<Vec<u8>>) -> Result<String, ModelError> {
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(wattline_units::csv_text::guard_formulas(
        String::from_utf8(bytes).expect("CSV of text is text"),
    ))
}

#[cfg(test)]
#[path = "../../../tests/common/skip.rs"]
mod skip;

#[cfg(test)]
#[path = "../../../tests/common/schema.rs"]
mod schema;
#[cfg(test)]
mod schema_tests;
