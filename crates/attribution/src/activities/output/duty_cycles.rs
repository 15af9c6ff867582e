//! Duty cycles: how long and how often each component was in each state and worked for each
//! activity, and what that adds to the mean power.

use wattline_units::csv_text::CsvText;
use wattline_units::file_schema::DeclaredColumn;
use wattline_units::units::{Amperes, Seconds, Watts};

use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::super::usage::NodeUsage;
use super::optional_field;
use super::printed_table::{
    NO_FIGURE, PrintedTable, figure_or_dash, interval_or_dash, percent_text,
};
use super::usage_rows::{
    UsageRow, UsageSubject, activity_rows, component_row, node_row, state_rows, usage_rows,
};

/// Columns of both tables, without that of the names.
const FIGURE_COLUMNS: [&str; 5] =
    ["time", "duty cycle", "occurrences", "mean power", "95 % interval"];

/// Number of states above which a component has a row for the sum of all but its baseline.
const MOST_STATES_WITHOUT_SUM: usize = 2;

/// Columns of `duty-cycles.csv`.
pub(super) const DUTY_CYCLE_COLUMNS: [DeclaredColumn; 13] = [
    DeclaredColumn::text("node", "Node"),
    DeclaredColumn::text("of", "Kind of the row: component, activity or node"),
    DeclaredColumn::text("name", "Component, activity or node"),
    DeclaredColumn::number("time_s", "Time away from the baseline"),
    DeclaredColumn::number("duty_cycle", "Share of the time of the log"),
    DeclaredColumn::integer("occurrences", "How often it began"),
    DeclaredColumn::number("energy_j", "Energy"),
    DeclaredColumn::number("energy_lo_j", "Lower end of its 95 % interval"),
    DeclaredColumn::number("energy_hi_j", "Upper end of its 95 % interval"),
    DeclaredColumn::number("mean_power_w", "What it adds to the mean power"),
    DeclaredColumn::number("mean_power_lo_w", "Lower end of its 95 % interval"),
    DeclaredColumn::number("mean_power_hi_w", "Upper end of its 95 % interval"),
    DeclaredColumn::number("mean_current_a", "The same as a current, if the supply is known"),
];

/// Returns `duty-cycles.csv`: components away from their baselines, activities, and each node.
/// States are in `powers.csv`.
#[must_use]
pub fn duty_cycles_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new(DUTY_CYCLE_COLUMNS);
    for analysis in analyses {
        let rows = usage_rows(analysis, labels).into_iter();
        for row in rows.filter(|row| row.of != UsageSubject::State) {
            let names =
                [analysis.log.node.clone(), row.of.subject_word().to_owned(), row.name.clone()];
            let energies = [row.energy_j, row.interval_j.map(|i| i.0), row.interval_j.map(|i| i.1)];
            let current = analysis.log.current_a(row.mean_power_w());
            let fields = names.into_iter().chain(row.occupancy_fields());
            let fields = fields.chain(energies.map(optional_field)).chain(row.mean_power_fields());
            lines.row(fields.chain([optional_field(current)]));
        }
    }
    lines.text()
}

/// Returns printed tables of the times in states, and of the times of activities.
pub(super) fn duty_cycle_tables(analysis: &Analysis, labels: &Labels) -> Vec<PrintedTable> {
    let usage = NodeUsage::of(analysis);
    let mut states = empty_table("time in each state, and what it adds to the mean power", "state");
    for (at, component) in analysis.log.components.iter().enumerate() {
        if component.states.len() > MOST_STATES_WITHOUT_SUM {
            let mut row = component_row(analysis, &usage, at);
            row.name = format!("{}, not {}", row.name, analysis.columns.baselines[at]);
            states.rows.push(table_row(analysis, &row));
        }
        let rows = state_rows(analysis, &usage, at);
        states.rows.extend(rows.iter().map(|row| table_row(analysis, row)));
    }
    let caption = "time for each activity, and what it adds to the mean power";
    let mut activities = empty_table(caption, "activity");
    let rows = activity_rows(analysis, &usage, labels).into_iter();
    for row in rows.chain([node_row(analysis, &usage)]) {
        activities.rows.push(table_row(analysis, &row));
    }
    let mut tables = vec![states, activities];
    if analysis.log.supply_v.is_some() {
        tables.iter_mut().for_each(|table| table.columns.push("mean current".to_owned()));
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn empty_table(caption: &str, name: &str) -> PrintedTable {
    let mut table = PrintedTable::new(caption, &[name]);
    table.columns.extend(FIGURE_COLUMNS.map(String::from));
    table
}

/// Returns a row of the printed table.
fn table_row(analysis: &Analysis, row: &UsageRow) -> (String, Vec<String>) {
    let occurrences = match row.of {
        UsageSubject::Node => None,
        _ => row.occupancy.map(|of| of.occurrences),
    };
    let mean_w = row.mean_power_w();
    let mut cells = vec![
        figure_or_dash(row.occupancy.map(|of| Seconds(of.time_s))),
        row.duty_cycle().map_or_else(|| NO_FIGURE.to_owned(), percent_text),
        figure_or_dash(occurrences),
        figure_or_dash(mean_w.map(Watts)),
        interval_or_dash(row.mean_power_interval_w(), Watts),
    ];
    if analysis.log.supply_v.is_some() {
        cells.push(figure_or_dash(analysis.log.current_a(mean_w).map(Amperes)));
    }
    (row.name.clone(), cells)
}
