//! Duty cycles: how long and how often each component was in each state and worked for each
//! activity, and what that adds to the mean power.

use wattline_units::csv_text::CsvText;
use wattline_units::units::{Amperes, Seconds, Watts};

use super::super::analysis::Analysis;
use super::super::label::Labels;
use super::super::usage::Usage;
use super::optional;
use super::shown::{NO_FIGURE, ShownTable, figure, interval, percent};
use super::usage_rows::{
    UsageOf, UsageRow, activity_rows, component_row, node_row, state_rows, usage_rows,
};

/// Columns of both tables but the names.
const COLUMNS: [&str; 5] = ["time", "duty cycle", "occurrences", "mean power", "95 % interval"];

/// Components with more states than this have a row for all of them but the baseline.
const TWO: usize = 2;

/// `duty-cycles.csv`: components away from their baselines, activities, and each node. States
/// are in `powers.csv`.
#[must_use]
pub fn duty_cycles_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new([
        "node",
        "of",
        "name",
        "time_s",
        "duty_cycle",
        "occurrences",
        "energy_j",
        "energy_lo_j",
        "energy_hi_j",
        "mean_power_w",
        "mean_power_lo_w",
        "mean_power_hi_w",
        "mean_current_a",
    ]);
    for analysis in analyses {
        let rows = usage_rows(analysis, labels).into_iter();
        for row in rows.filter(|row| row.of != UsageOf::State) {
            let names = [analysis.log.node.clone(), row.of.name().to_owned(), row.name.clone()];
            let energies = [row.energy_j, row.interval_j.map(|i| i.0), row.interval_j.map(|i| i.1)];
            let current = analysis.log.current_a(row.mean_power_w());
            let fields = names.into_iter().chain(row.occupancy_fields());
            let fields = fields.chain(energies.map(optional)).chain(row.mean_fields());
            lines.row(fields.chain([optional(current)]));
        }
    }
    lines.text()
}

/// The times in each state, and those of the activities.
pub(super) fn duty_cycle_tables(analysis: &Analysis, labels: &Labels) -> Vec<ShownTable> {
    let usage = Usage::of(analysis);
    let mut states = table("time in each state, and what it adds to the mean power", "state");
    for (at, component) in analysis.log.components.iter().enumerate() {
        if component.states.len() > TWO {
            let mut row = component_row(analysis, &usage, at);
            row.name = format!("{}, not {}", row.name, analysis.columns.baselines[at]);
            states.rows.push(shown(analysis, &row));
        }
        let rows = state_rows(analysis, &usage, at);
        states.rows.extend(rows.iter().map(|row| shown(analysis, row)));
    }
    let caption = "time for each activity, and what it adds to the mean power";
    let mut activities = table(caption, "activity");
    let rows = activity_rows(analysis, &usage, labels).into_iter();
    for row in rows.chain([node_row(analysis, &usage)]) {
        activities.rows.push(shown(analysis, &row));
    }
    let mut tables = vec![states, activities];
    if analysis.log.supply_v.is_some() {
        tables.iter_mut().for_each(|table| table.columns.push("mean current".to_owned()));
    }
    tables.retain(|table| !table.rows.is_empty());
    tables
}

fn table(caption: &str, name: &str) -> ShownTable {
    let mut table = ShownTable::new(caption, &[name]);
    table.columns.extend(COLUMNS.map(String::from));
    table
}

/// A row in words.
fn shown(analysis: &Analysis, row: &UsageRow) -> (String, Vec<String>) {
    let occurrences = match row.of {
        UsageOf::Node => None,
        _ => row.occupancy.map(|of| of.occurrences),
    };
    let mean_w = row.mean_power_w();
    let mut cells = vec![
        figure(row.occupancy.map(|of| Seconds(of.time_s))),
        row.duty_cycle().map_or_else(|| NO_FIGURE.to_owned(), percent),
        figure(occurrences),
        figure(mean_w.map(Watts)),
        interval(row.mean_interval_w(), Watts),
    ];
    if analysis.log.supply_v.is_some() {
        cells.push(figure(analysis.log.current_a(mean_w).map(Amperes)));
    }
    (row.name.clone(), cells)
}
