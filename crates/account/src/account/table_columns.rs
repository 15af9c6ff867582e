//! Columns of the tables of accounts, and of the comparisons with them.

use wattline_units::file_schema::{ColumnKind, ColumnSchema, DeclaredColumn, TableSchema};

use super::class::{CLASSES, name_of};
use crate::folder::names;

/// Columns that all tables have after the key.
pub(super) const FIGURE_COLUMNS: [DeclaredColumn; 5] = [
    DeclaredColumn::integer("executions", "Executions; empty where they are not counted"),
    DeclaredColumn::number("energy_j", "Energy above idle"),
    DeclaredColumn::number("energy_lo_j", "Lower end of the 95 % interval; empty without one"),
    DeclaredColumn::number("energy_hi_j", "Upper end of the 95 % interval; empty without one"),
    DeclaredColumn::number("share", "Share of the energy above idle"),
];

/// Last columns of the tables of a level.
pub(super) const LAST_COLUMNS: [DeclaredColumn; 2] = [
    DeclaredColumn::integer("unknown_executions", "Executions of operations without a cost"),
    DeclaredColumn::boolean("determined", "Whether the cases determine the energy"),
];

/// Key of `operations.csv`.
pub(super) const OPERATION_KEY: [DeclaredColumn; 1] =
    [DeclaredColumn::text("operation", "Operation or library function")];

/// Columns of `operations.csv` after the figures.
pub(super) const OPERATION_OWN: [DeclaredColumn; 7] = [
    DeclaredColumn::text("class", "Class of the operation"),
    DeclaredColumn::number("cost_j", "Energy of one execution; empty where unknown"),
    DeclaredColumn::boolean("estimable", "Whether the cases alone determine the cost"),
    DeclaredColumn::text(
        "costed_as",
        "Operation whose cost is taken, if the operation has none of its own",
    ),
    DeclaredColumn::integer("unknown_executions", "Executions without a cost"),
    DeclaredColumn::integer("rank_by_cost", "Rank by the cost of one execution, from 1"),
    DeclaredColumn::number("cumulative_share", "Share of this and the more expensive operations"),
];

/// Key of `blocks.csv`.
pub(super) const BLOCK_KEY: [DeclaredColumn; 8] = [
    DeclaredColumn::integer("block", "Number of the basic block"),
    DeclaredColumn::text("name", "Name of the block"),
    DeclaredColumn::text("kind", "Kind of the block"),
    DeclaredColumn::text("class", "Class, with its package"),
    DeclaredColumn::text("method", "Method, with the types of its parameters"),
    DeclaredColumn::text("file", "Path of the source file"),
    DeclaredColumn::integer("start_line", "First line"),
    DeclaredColumn::integer("end_line", "Last line"),
];

/// Costs of a block.
pub(super) const BLOCK_COSTS: [DeclaredColumn; 4] = [
    DeclaredColumn::number("cost_j", "Energy of one execution"),
    DeclaredColumn::number("cost_lo_j", "Lower end of its 95 % interval"),
    DeclaredColumn::number("cost_hi_j", "Upper end of its 95 % interval"),
    DeclaredColumn::number("energy_3000_j", "Energy of 3000 executions (Li and Gallagher 2016)"),
];

/// Key of `lines.csv`.
pub(super) const LINE_KEY: [DeclaredColumn; 2] = [
    DeclaredColumn::text("file", "Path of the source file"),
    DeclaredColumn::integer("line", "Source line"),
];

/// Key of `methods.csv` and of inclusive energies.
pub(super) const METHOD_KEY: [DeclaredColumn; 2] = [
    DeclaredColumn::text("class", "Class, with its package"),
    DeclaredColumn::text("method", "Method, with the types of its parameters"),
];

/// Key of `classes.csv`.
pub(super) const CLASS_KEY: [DeclaredColumn; 1] =
    [DeclaredColumn::text("class", "Class, with its package")];

/// Key of `packages.csv`.
pub(super) const PACKAGE_KEY: [DeclaredColumn; 1] = [DeclaredColumn::text("package", "Package")];

/// Key of `threads.csv`.
pub(super) const THREAD_KEY: [DeclaredColumn; 1] = [DeclaredColumn::text("thread", "Thread")];

/// Key of `calltree.csv`.
pub(super) const CALL_NODE_KEY: [DeclaredColumn; 6] = [
    DeclaredColumn::text("thread", "Thread"),
    DeclaredColumn::integer("node", "Number of the node, from 0"),
    DeclaredColumn::integer("parent", "Number of the caller; empty where a path begins"),
    DeclaredColumn::integer("depth", "Callers above the node"),
    DeclaredColumn::text("class", "Class, with its package"),
    DeclaredColumn::text("method", "Method, with the types of its parameters"),
];

/// Inclusive energy of a call.
pub(super) const CUMULATIVE_COLUMNS: [DeclaredColumn; 4] = [
    DeclaredColumn::number("cumulative_j", "Inclusive energy: with the calls that it makes"),
    DeclaredColumn::number("cumulative_lo_j", "Lower end of its 95 % interval"),
    DeclaredColumn::number("cumulative_hi_j", "Upper end of its 95 % interval"),
    DeclaredColumn::number(
        "cumulative_share",
        "Inclusive energy as a share of the energy above idle",
    ),
];

/// Columns of `method-estimates.csv`.
pub(super) const METHOD_ESTIMATE_COLUMNS: [DeclaredColumn; 12] = [
    DeclaredColumn::text("class", "Class, with its package"),
    DeclaredColumn::text("method", "Method, or methods that bytecode cannot separate, joined by +"),
    DeclaredColumn::integer("samples", "Samples"),
    DeclaredColumn::number("sampled_j", "Sampling-based estimate"),
    DeclaredColumn::number("counted_j", "Count-based estimate"),
    DeclaredColumn::number("energy_j", "Combined estimate"),
    DeclaredColumn::number("energy_lo_j", "Lower end of its 95 % interval"),
    DeclaredColumn::number("energy_hi_j", "Upper end of its 95 % interval"),
    DeclaredColumn::number("weight", "Weight of the samples, from 0 to 1"),
    DeclaredColumn::number(
        "block_effect_sd",
        "Standard deviation of the block effect, the same in all rows",
    ),
    DeclaredColumn::number("run_spread", "Spread between runs of the method"),
    DeclaredColumn::number("session_spread", "Spread between sessions of the method"),
];

/// Columns of `ledger.csv`.
pub(super) const LEDGER_COLUMNS: [DeclaredColumn; 6] = [
    DeclaredColumn::text("entry", "Entry; the first, measured, is the sum of the others"),
    DeclaredColumn::number("energy_j", "Energy"),
    DeclaredColumn::number("energy_lo_j", "Lower end of the 95 % interval; empty without one"),
    DeclaredColumn::number("energy_hi_j", "Upper end of the 95 % interval; empty without one"),
    DeclaredColumn::number("share", "Share of the energy above idle"),
    DeclaredColumn::text("remark", "What the entry contains"),
];

/// Columns of `evaluation.csv`.
pub(super) const EVALUATION_COLUMNS: [DeclaredColumn; 9] = [
    DeclaredColumn::text("level", "Level: line, block, method or operation"),
    DeclaredColumn::integer(
        "entries",
        "Entries that are compared: the most expensive, with 95 % of the energy",
    ),
    DeclaredColumn::number("share", "Share of the ground truth in these entries"),
    DeclaredColumn::number("median_error", "Median relative error"),
    DeclaredColumn::number("p90_error", "90th percentile of the relative errors"),
    DeclaredColumn::number("coverage", "Share of the 95 % intervals that contain the ground truth"),
    DeclaredColumn::number(
        "bias",
        "Sum of the estimates less that of the ground truth, as a share of the latter",
    ),
    DeclaredColumn::integer(
        "unmatched",
        "Compared entries without a match in the accounts, whose error is 100 %",
    ),
    DeclaredColumn::number(
        "unmatched_share",
        "Share of the ground truth in entries without a match, compared or not",
    ),
];

/// Columns of `unseen.csv`.
pub(super) const UNSEEN_COLUMNS: [DeclaredColumn; 9] = [
    DeclaredColumn::text("input", "Input that is left out of the fit"),
    DeclaredColumn::number(
        "measured_j",
        "Measured energy above idle, without the threads of the runtime",
    ),
    DeclaredColumn::number("predicted_j", "Energy that the accounts of the other inputs predict"),
    DeclaredColumn::number("predicted_lo_j", "Lower end of the 95 % interval"),
    DeclaredColumn::number("predicted_hi_j", "Upper end of the 95 % interval"),
    DeclaredColumn::number("accounts_se_j", "Standard error from the accounts alone"),
    DeclaredColumn::number(
        "of_new_blocks_j",
        "Predicted energy of blocks that the other inputs do not execute",
    ),
    DeclaredColumn::number("flat_j", "Prediction with one cost for all operations, a baseline"),
    DeclaredColumn::number("duration_j", "Prediction by one power for all durations, a baseline"),
];

/// Columns of `profile.csv`.
pub(super) const PROFILE_COLUMNS: [DeclaredColumn; 16] = [
    DeclaredColumn::text("level", "Level: method or line"),
    DeclaredColumn::integer("samples", "Samples of the profiler"),
    DeclaredColumn::integer(
        "entries",
        "Entries that are compared: the most sampled, with 90 % of the samples",
    ),
    DeclaredColumn::number(
        "median_error",
        "Median relative difference of the accounts from the profile",
    ),
    DeclaredColumn::number("p90_error", "90th percentile of these differences"),
    DeclaredColumn::number("counting_median", "Median difference that sample counts explain"),
    DeclaredColumn::number("counting_p90", "90th percentile of these differences"),
    DeclaredColumn::number("run_median", "Median difference from another run of the profiler"),
    DeclaredColumn::number("run_p90", "90th percentile of these differences"),
    DeclaredColumn::number("total_variation", "Half the sum of the absolute differences of shares"),
    DeclaredColumn::number("counting_variation", "The part of it that sample counts explain"),
    DeclaredColumn::number("run_variation", "The same of another run"),
    DeclaredColumn::number(
        "coverage",
        "Share of the intervals that contain the share of the profile",
    ),
    DeclaredColumn::integer("unmatched", "Compared entries without a match in the accounts"),
    DeclaredColumn::number("run_spread", "Spread between runs"),
    DeclaredColumn::text("run_spread_of", "What the spread is of"),
];

/// Columns of `profile-entries.csv`.
pub(super) const PROFILE_ENTRY_COLUMNS: [DeclaredColumn; 9] = [
    DeclaredColumn::text("level", "Level: method or line"),
    DeclaredColumn::text("name", "Method or line"),
    DeclaredColumn::integer("samples", "Samples of the profiler"),
    DeclaredColumn::number("profile_share", "Share of the samples"),
    DeclaredColumn::number(
        "account_share",
        "Share of the energy; empty where the accounts lack the entry",
    ),
    DeclaredColumn::number("error", "Relative difference"),
    DeclaredColumn::number("counting_error", "Difference that the number of samples explains"),
    DeclaredColumn::number("run_error", "Difference from another run of the profiler"),
    DeclaredColumn::text("remark", "Why there is no difference; empty where there is one"),
];

/// Returns the columns of `blocks.csv`, with a share for each class of operations.
pub(super) fn block_columns() -> Vec<ColumnSchema> {
    let of = |columns: &[DeclaredColumn]| -> Vec<ColumnSchema> {
        columns.iter().map(ColumnSchema::from).collect()
    };
    let share = |class| {
        let name = format!("{}_share", name_of(class));
        let meaning = "Share of the block's energy that this class of operations has";
        ColumnSchema::new(&name, ColumnKind::Number, meaning)
    };
    [of(&BLOCK_KEY), of(&FIGURE_COLUMNS), of(&BLOCK_COSTS)]
        .into_iter()
        .flatten()
        .chain(CLASSES.map(share))
        .chain(of(&LAST_COLUMNS))
        .collect()
}

/// Writers of accounts.
const ACCOUNT: &str = "`account`, `pipeline`";

/// Returns the columns of the tables of accounts.
pub fn account_table_schemas() -> Vec<TableSchema> {
    let level = |file, contents, key: &[DeclaredColumn], own: &[DeclaredColumn]| {
        let columns = [key, &FIGURE_COLUMNS, own].concat();
        TableSchema::declared(file, ACCOUNT, contents, &columns)
    };
    let calls = &CUMULATIVE_COLUMNS;
    vec![
        TableSchema::declared(
            names::LEDGER,
            ACCOUNT,
            "What the measured energy divides into",
            &LEDGER_COLUMNS,
        ),
        level("accounts/operations.csv", "Energy by operation", &OPERATION_KEY, &OPERATION_OWN),
        TableSchema::of_columns(
            "accounts/blocks.csv",
            ACCOUNT,
            "Energy by basic block",
            block_columns(),
        ),
        level("accounts/lines.csv", "Energy by line", &LINE_KEY, &LAST_COLUMNS),
        level("accounts/methods.csv", "Energy by method", &METHOD_KEY, &LAST_COLUMNS),
        level("accounts/classes.csv", "Energy by class", &CLASS_KEY, &LAST_COLUMNS),
        level("accounts/packages.csv", "Energy by package", &PACKAGE_KEY, &LAST_COLUMNS),
        TableSchema::declared(
            "accounts/method-estimates.csv",
            ACCOUNT,
            "Sampling-based and count-based estimates of methods",
            &METHOD_ESTIMATE_COLUMNS,
        ),
        level("accounts/calltree.csv", "Energy by call path and thread", &CALL_NODE_KEY, calls),
        level("accounts/cumulative.csv", "Self and inclusive energy by method", &METHOD_KEY, calls),
        level("accounts/threads.csv", "Energy by thread", &THREAD_KEY, &LAST_COLUMNS),
    ]
}

/// Returns the columns of the tables that compare accounts with other figures.
pub fn evaluation_table_schemas() -> Vec<TableSchema> {
    vec![
        TableSchema::declared(
            names::UNSEEN_INPUTS,
            ACCOUNT,
            "Each input predicted from the accounts of the others",
            &UNSEEN_COLUMNS,
        ),
        TableSchema::declared(
            names::EVALUATION,
            "`evaluate`, `pipeline` on virtual boards",
            "Error against the ground truth of a virtual board, whose energy is simulated",
            &EVALUATION_COLUMNS,
        )
        .with_further("`device` with several boards"),
        TableSchema::declared(
            "profile.csv",
            "`evaluate --profile`",
            "Differences from a profile, by level",
            &PROFILE_COLUMNS,
        ),
        TableSchema::declared(
            "profile-entries.csv",
            "`evaluate --profile`",
            "Differences from a profile, by method and line",
            &PROFILE_ENTRY_COLUMNS,
        ),
    ]
}
