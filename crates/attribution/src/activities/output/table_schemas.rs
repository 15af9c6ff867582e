//! Columns of the tables that `activities` writes.

use wattline_units::file_schema::{DeclaredColumn, TableSchema};

use super::comparison::COMPARISON_COLUMNS;
use super::duty_cycles::DUTY_CYCLE_COLUMNS;
use super::matrices::{NODE_AND_ACTIVITY, NODE_AND_QUANTITY};
use super::occurrences::OCCURRENCE_COLUMNS;
use super::tables::{
    ACTIVITY_COLUMNS, ACTIVITY_ENERGY_COLUMNS, POWER_COLUMNS, REMARK_COLUMNS, TIMELINE_COLUMNS,
};

/// Returns the columns of the tables that `activities` writes.
#[must_use]
pub fn activity_table_schemas() -> Vec<TableSchema> {
    let mut tables = result_tables();
    tables.extend(matrix_tables());
    tables.extend(question_tables());
    tables
}

/// Writer of the tables.
const ACTIVITIES: &str = "`activities`";

fn result_tables() -> Vec<TableSchema> {
    let table = |file, contents, columns: &[DeclaredColumn]| {
        TableSchema::declared(file, ACTIVITIES, contents, columns)
    };
    vec![
        table("powers.csv", "Power of each state above its baseline", &POWER_COLUMNS),
        table("energy.csv", "Energy by component and activity", &ACTIVITY_ENERGY_COLUMNS),
        table("activities.csv", "Energy by activity over all nodes", &ACTIVITY_COLUMNS),
        table("duty-cycles.csv", "Time away from the baseline", &DUTY_CYCLE_COLUMNS),
        table("timeline.csv", "Energy by step of time (`--step-s`)", &TIMELINE_COLUMNS),
        table("findings.csv", "Remarks about the logs", &REMARK_COLUMNS),
    ]
}

fn matrix_tables() -> Vec<TableSchema> {
    let seconds = "Seconds by activity and component";
    let joules = "Joules by activity and component";
    let powers = "Power of each state, in watts, and its current, in amperes";
    vec![
        TableSchema::declared("time-matrix.csv", ACTIVITIES, seconds, &NODE_AND_ACTIVITY)
            .with_further("one for each component"),
        TableSchema::declared("energy-matrix.csv", ACTIVITIES, joules, &NODE_AND_ACTIVITY)
            .with_further("one for each component, and `(total)`"),
        TableSchema::declared("power-matrix.csv", ACTIVITIES, powers, &NODE_AND_QUANTITY)
            .with_further("one for each state, and `(constant)`"),
    ]
}

fn question_tables() -> Vec<TableSchema> {
    vec![
        TableSchema::declared(
            "occurrences.csv",
            "`activities --occurrences`",
            "How many occurrences of a name contain another",
            &OCCURRENCE_COLUMNS,
        ),
        TableSchema::declared(
            "comparison.csv",
            "`activities --against`",
            "Differences of two logs",
            &COMPARISON_COLUMNS,
        ),
    ]
}
