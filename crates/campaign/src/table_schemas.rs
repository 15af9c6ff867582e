//! Columns of the tables of a campaign folder, without those of accounts.

use wattline_units::file_schema::TableSchema;

use crate::campaign::assign::ASSIGNMENT_COLUMNS;
use crate::campaign::{PLAN_COLUMNS, RESIDUAL_COUNT_COLUMNS};
use crate::dataset::{CONTEXT_COLUMNS, DATASET_COLUMNS, ENERGY_COLUMNS};
use crate::fit::SOLVER_COLUMNS;
use crate::folder::names;
use crate::microbenchmarks::WINDOW_COLUMNS;
use crate::microbenchmarks::patterns::{PatternEnergy, PatternStatus};
use crate::microbenchmarks::prices::MicrobenchmarkPrice;
use crate::model::bayes::EffectEstimate;
use crate::model::{COVARIANCE_KEY, CvRow, DeviceFactor, LearningRow, OperationEstimability};
use crate::plan::coverage::{COVERAGE_COLUMNS, DROPPED_COLUMNS};
use crate::trial::session_lengths::SESSION_LENGTH_COLUMNS;
use crate::truth_folder::truth_table_schemas;

/// Returns the columns of the tables that plans, data sets, microbenchmarks and fits write.
pub fn campaign_table_schemas() -> Vec<TableSchema> {
    let mut tables = plan_tables();
    tables.extend(dataset_tables());
    tables.extend(fit_tables());
    tables.extend(truth_table_schemas());
    tables
}

const PLAN: &str = "`plan`, `pipeline`";
const FIT: &str = "`fit`, `pipeline`";
const COUNTS: &str = "one for each operation and library function, with its executions";

fn plan_tables() -> Vec<TableSchema> {
    vec![
        TableSchema::declared(
            names::PLAN,
            PLAN,
            "The cases: an input sequence and removed blocks",
            &PLAN_COLUMNS,
        ),
        TableSchema::declared(
            names::COVERAGE,
            PLAN,
            "Cases that remove each removable block",
            &COVERAGE_COLUMNS,
        ),
        TableSchema::declared(
            names::DROPPED,
            PLAN,
            "Blocks that no case removes",
            &DROPPED_COLUMNS,
        ),
        TableSchema::declared(
            names::RESIDUAL_COUNTS,
            PLAN,
            "Residual counts of removed blocks",
            &RESIDUAL_COUNT_COLUMNS,
        ),
        TableSchema::declared(
            names::ASSIGNMENT,
            "`run`, `pipeline` with several boards",
            "Which board measures a case",
            &ASSIGNMENT_COLUMNS,
        ),
        TableSchema::declared(
            names::SESSION_LENGTHS,
            "`pipeline`",
            "Inputs whose sessions were made longer than in the scenario",
            &SESSION_LENGTH_COLUMNS,
        ),
    ]
}

fn dataset_tables() -> Vec<TableSchema> {
    let dataset = "`dataset`, `pipeline`";
    let microbenchmarks = "`microbenchmarks`, `pipeline`";
    vec![
        TableSchema::declared(
            names::DATASET,
            dataset,
            "Energy and exact counts of each case",
            &DATASET_COLUMNS,
        )
        .with_further(COUNTS),
        TableSchema::declared(
            names::CONTEXTS,
            dataset,
            "The counts of each case by context",
            &CONTEXT_COLUMNS,
        ),
        TableSchema::declared(
            names::ENERGIES,
            dataset,
            "Total and idle energy of each case",
            &ENERGY_COLUMNS,
        ),
        TableSchema::of_rows::<MicrobenchmarkPrice>(
            names::MICROBENCHMARKS,
            microbenchmarks,
            "Costs of operations from microbenchmarks, by context",
        ),
        TableSchema::declared(
            names::MICROBENCHMARK_CASES,
            microbenchmarks,
            "Energy and counts of each microbenchmark, per million iterations",
            &DATASET_COLUMNS,
        )
        .with_further(COUNTS),
        TableSchema::declared(
            names::MICROBENCHMARK_WINDOWS,
            microbenchmarks,
            "Runs of each microbenchmark",
            &WINDOW_COLUMNS,
        ),
        TableSchema::declared(
            names::MICROBENCHMARKS_COVARIANCE,
            microbenchmarks,
            "Covariance of the errors of these costs, in square joules",
            &[COVARIANCE_KEY],
        )
        .with_further("one for each operation and library function"),
        TableSchema::of_rows::<DeviceFactor>(
            names::MICROBENCHMARKS_DEVICES,
            "`microbenchmarks`, `pipeline` with several boards",
            "Energy of each board relative to the first",
        ),
    ]
}

fn fit_tables() -> Vec<TableSchema> {
    vec![
        TableSchema::of_rows::<CvRow>(
            names::CROSS_VALIDATION,
            FIT,
            "Agreement of the model and of baselines with the cases of each round",
        ),
        TableSchema::declared(
            names::SOLVERS,
            FIT,
            "Error of each solver on the same folds",
            &SOLVER_COLUMNS,
        ),
        TableSchema::of_rows::<OperationEstimability>(
            names::ESTIMABILITY,
            FIT,
            "Which costs the cases determine",
        ),
        TableSchema::of_rows::<LearningRow>(
            names::LEARNING,
            FIT,
            "Error on held-out cases by the number of cases fitted to",
        ),
    ]
}

/// Returns the columns of tables of bytecode patterns: their energies, and effects fitted to them.
pub fn pattern_table_schemas() -> Vec<TableSchema> {
    const PATTERNS: &str = "`patterns`";
    vec![
        TableSchema::of_rows::<PatternEnergy>(
            "measured-patterns.csv",
            PATTERNS,
            "Energy of each bytecode pattern by board and session",
        ),
        TableSchema::of_rows::<PatternStatus>(
            "pattern-status.csv",
            PATTERNS,
            "Whether each pattern was measured, and why not",
        ),
        TableSchema::of_rows::<EffectEstimate>(
            "effects.csv",
            "`fit` for effects of patterns",
            "Posterior of the effect of each level of a factor",
        ),
    ]
}
