//! Analyses -> what people and tools read: tables, a summary, a picture, a Perfetto trace.
//! Pure: values in, bytes out.

mod comparison;
mod duty_cycles;
mod energies;
mod lanes;
mod matrices;
mod occurrences;
mod palette;
mod picture;
mod printed_table;
mod svg;
mod table_schemas;
mod tables;
mod text;
mod time_view;
mod trace;
mod usage_rows;

pub use comparison::{ComparedNode, ComparedRow, compare_nodes, comparison_csv, comparison_tables};
pub use duty_cycles::duty_cycles_csv;
pub use energies::{ExactActivity, exact_activities};
pub use matrices::{energy_matrix_csv, power_matrix_csv, time_matrix_csv};
pub use occurrences::{occurrences_csv, occurrences_table};
pub use picture::{PictureOptions, TIMELINE_STYLE, timelines};
pub use printed_table::PrintedTable;
pub use table_schemas::activity_table_schemas;
pub use tables::{activities_csv, energy_csv, findings_csv, powers_csv, timeline_csv};
pub use text::summary_text;
pub use trace::perfetto_trace;
pub use usage_rows::{UsageRow, UsageSubject};

use super::account::Payer;
use super::analysis::Analysis;
use super::column_roles::ColumnRole;
use super::label::Labels;
use super::powers::FittedPower;

/// Returns the name of a payer in tables and pictures.
fn payer_name(payer: Payer, labels: &Labels) -> String {
    match payer {
        Payer::Activity(label) => labels.text(label),
        Payer::Nobody => "(none)".into(),
        Payer::NotToldApart => "(not told apart)".into(),
        Payer::Logging => "(logging)".into(),
        Payer::Constant => "(constant)".into(),
    }
}

/// Returns the name of an account's row.
fn row_name(analysis: &Analysis, row: usize) -> String {
    match &analysis.account {
        Some(account) if row == account.rows.len() - 1 => "(constant)".into(),
        Some(account) => account.rows[row].clone(),
        None => analysis.log.components[row].name.clone(),
    }
}

/// Returns every power state with its power; states that cannot be separated are one, with one
/// power for all of them.
fn state_powers(analysis: &Analysis) -> Vec<(String, Option<FittedPower>)> {
    let Some(powers) = &analysis.powers else { return Vec::new() };
    let is_first = |column: &usize| !matches!(powers.roles[*column], ColumnRole::SameAs(_));
    let columns = (0..powers.roles.len()).filter(is_first);
    columns.map(|at| (powers.column_name(at, &analysis.columns), powers.of[at])).collect()
}

/// Returns a figure as a field of a table, empty without one.
fn optional_field(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// Name of the row of the unexplained energy.
const UNEXPLAINED_NAME: &str = "(unexplained)";
/// Name of the row of the sum.
const TOTAL_NAME: &str = "(total)";
