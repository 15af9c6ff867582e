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
mod shown;
mod svg;
mod tables;
mod text;
mod trace;
mod usage_rows;
mod view;

pub use comparison::{ComparedNode, ComparedRow, compared, comparison_csv, comparison_tables};
pub use duty_cycles::duty_cycles_csv;
pub use energies::{ExactActivity, exact_activities};
pub use matrices::{energy_matrix_csv, power_matrix_csv, time_matrix_csv};
pub use occurrences::{occurrences_csv, occurrences_table};
pub use picture::{PictureOptions, TIMELINE_STYLE, timelines};
pub use shown::ShownTable;
pub use tables::{activities_csv, energy_csv, findings_csv, powers_csv, timeline_csv};
pub use text::summary;
pub use trace::perfetto_trace;
pub use usage_rows::{UsageOf, UsageRow};

use super::account::Payer;
use super::analysis::Analysis;
use super::independent::ColumnRole;
use super::label::Labels;
use super::powers::FittedPower;

/// What stands for a payer in tables and pictures.
fn payer_name(payer: Payer, labels: &Labels) -> String {
    match payer {
        Payer::Activity(label) => labels.text(label),
        Payer::Nobody => "(none)".into(),
        Payer::NotToldApart => "(not told apart)".into(),
        Payer::Logging => "(logging)".into(),
        Payer::Constant => "(constant)".into(),
    }
}

/// The name of an account's row.
fn row_name(analysis: &Analysis, row: usize) -> String {
    match &analysis.account {
        Some(account) if row == account.rows.len() - 1 => "(constant)".into(),
        Some(account) => account.rows[row].clone(),
        None => analysis.log.components[row].name.clone(),
    }
}

/// Every power state with its power; those that can't be told apart are one, with one power
/// for all of them.
fn state_powers(analysis: &Analysis) -> Vec<(String, Option<FittedPower>)> {
    let Some(powers) = &analysis.powers else { return Vec::new() };
    let is_first = |column: &usize| !matches!(powers.roles[*column], ColumnRole::SameAs(_));
    let columns = (0..powers.roles.len()).filter(is_first);
    columns.map(|at| (powers.name(at, &analysis.columns), powers.of[at])).collect()
}

/// A figure as a field of a table, which is empty where there is none.
fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// The row of what the powers don't explain.
const UNEXPLAINED: &str = "(unexplained)";
/// The row of the sum.
const TOTAL: &str = "(total)";
