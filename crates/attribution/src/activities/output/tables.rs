//! The tables. An absent figure is an empty field.

use std::collections::BTreeMap;

use wattline_units::csv_text::CsvText;
use wattline_units::file_schema::DeclaredColumn;

use super::super::account::Payer;
use super::super::analysis::Analysis;
use super::super::column_roles::ColumnRole;
use super::super::label::Labels;
use super::super::log::nanoseconds_to_seconds;
use super::super::usage::NodeUsage;
use super::energies::energy_rows;
use super::usage_rows::{UsageRow, constant_row, joint_rows, state_row};
use super::{TOTAL_NAME, UNEXPLAINED_NAME, optional_field, payer_name, row_name};

/// Columns of `powers.csv`.
pub(super) const POWER_COLUMNS: [DeclaredColumn; 17] = [
    DeclaredColumn::text("node", "Node"),
    DeclaredColumn::text("component", "Component"),
    DeclaredColumn::text("state", "State of the component"),
    DeclaredColumn::number(
        "power_w",
        "Power above the baseline of the component; empty where it is unknown",
    ),
    DeclaredColumn::number("power_lo_w", "Lower end of its 95 % interval"),
    DeclaredColumn::number("power_hi_w", "Upper end of its 95 % interval"),
    DeclaredColumn::text("note", "Why the state has no power of its own"),
    DeclaredColumn::number("current_a", "Current at the supply of the node, if that is known"),
    DeclaredColumn::number("current_lo_a", "Lower end of its 95 % interval"),
    DeclaredColumn::number("current_hi_a", "Upper end of its 95 % interval"),
    DeclaredColumn::number("time_s", "Time in the state"),
    DeclaredColumn::number("duty_cycle", "Share of the time of the log"),
    DeclaredColumn::integer("occurrences", "How often the state began"),
    DeclaredColumn::number("energy_j", "Energy in the state"),
    DeclaredColumn::number("mean_power_w", "What the state adds to the mean power"),
    DeclaredColumn::number("mean_power_lo_w", "Lower end of its 95 % interval"),
    DeclaredColumn::number("mean_power_hi_w", "Upper end of its 95 % interval"),
];

/// Returns `powers.csv`: every state with its power above its baseline, or why it has none; how
/// long and how often the component was in it, and what it adds to the mean power.
#[must_use]
pub fn powers_csv(analyses: &[Analysis]) -> String {
    let mut lines = CsvText::new(POWER_COLUMNS);
    for analysis in analyses {
        let usage = NodeUsage::of(analysis);
        let mut row = |component: &str, state: &str, of: &UsageRow, note: String| {
            let names = [component, state].map(String::from);
            let fields = [analysis.log.node.clone()].into_iter().chain(names);
            let fields = fields.chain(of.power_fields()).chain([note]);
            let fields = fields.chain(of.current_fields(&analysis.log));
            let fields = fields.chain(of.occupancy_fields()).chain([optional_field(of.energy_j)]);
            lines.row(fields.chain(of.mean_power_fields()));
        };
        if let Some(of) = constant_row(analysis, &usage) {
            row("(constant)", "", &of, "all baselines together".to_owned());
        }
        for (at, component) in analysis.log.components.iter().enumerate() {
            for (state, name) in component.states.iter().enumerate() {
                let of = state_row(analysis, &usage, at, state);
                row(
                    &component.name,
                    name,
                    &of,
                    power_note(analysis, analysis.columns.of[at][state]),
                );
            }
        }
        for (name, of) in joint_rows(analysis, &usage) {
            row(&name, "", &of, "of all of them: they can't be told apart".to_owned());
        }
    }
    lines.text()
}

/// Returns a note on a power that its reader needs.
fn power_note(analysis: &Analysis, column: Option<usize>) -> String {
    let Some(column) = column else { return "baseline: part of the constant".into() };
    let Some(powers) = &analysis.powers else { return "no measured energy".into() };
    let name = |column: usize| analysis.columns.names[column].as_str();
    let together = |lead: usize| {
        let others = powers.twins(lead).into_iter().filter(|twin| *twin != column);
        let others: Vec<&str> = others.map(name).collect();
        match others.as_slice() {
            [] => String::new(),
            others => {
                format!("together with {}, from which it can't be told apart", others.join(", "))
            }
        }
    };
    match &powers.roles[column] {
        ColumnRole::Fitted => together(column),
        ColumnRole::SameAs(lead) => together(*lead),
        ColumnRole::PartOf { .. } => "can't be told apart: part of others (findings.csv)".into(),
        ColumnRole::Unseen => "occurs in no usable interval".into(),
    }
}

/// Columns of `energy.csv`.
pub(super) const ACTIVITY_ENERGY_COLUMNS: [DeclaredColumn; 9] = [
    DeclaredColumn::text("node", "Node"),
    DeclaredColumn::text("component", "Component, or a name in brackets for a row that is none"),
    DeclaredColumn::text("activity", "Activity, or a name in brackets for a row that is none"),
    DeclaredColumn::number("time_s", "Time of the component for the activity"),
    DeclaredColumn::number("energy_j", "Energy"),
    DeclaredColumn::number("energy_lo_j", "Lower end of its 95 % interval"),
    DeclaredColumn::number("energy_hi_j", "Upper end of its 95 % interval"),
    DeclaredColumn::number("share", "Share of the measured energy"),
    DeclaredColumn::number("undetermined_s", "Time in states without a power of their own"),
];

/// Returns `energy.csv`: energy by node, component and activity.
#[must_use]
pub fn energy_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new(ACTIVITY_ENERGY_COLUMNS);
    for analysis in analyses {
        let node = &analysis.log.node;
        let account = analysis.account.as_ref();
        let total = account.map(|account| account.split.total_j());
        let share = |energy: Option<f64>| {
            energy.zip(total).filter(|(_, total)| *total != 0.0).map(|(e, total)| e / total)
        };
        for row in energy_rows(analysis) {
            lines.row([
                node.clone(),
                row.component,
                payer_name(row.payer, labels),
                optional_field(row.time_s),
                optional_field(row.energy_j),
                optional_field(row.interval_j.map(|i| i.0)),
                optional_field(row.interval_j.map(|i| i.1)),
                optional_field(share(row.energy_j)),
                optional_field(row.undetermined_s),
            ]);
        }
        let Some(account) = account else { continue };
        let rest = account.split.unattributed_j();
        for (name, energy) in [(UNEXPLAINED_NAME, rest), (TOTAL_NAME, account.split.total_j())] {
            let time = if name == TOTAL_NAME { Some(account.metered_s) } else { None };
            let fields = [node.clone(), name.to_owned(), String::new(), optional_field(time)];
            let none = String::new();
            let rest = [
                energy.to_string(),
                none.clone(),
                none.clone(),
                optional_field(share(Some(energy))),
                none,
            ];
            lines.row(fields.into_iter().chain(rest));
        }
    }
    lines.text()
}

/// Energy in joules with its interval.
type EnergySum = (f64, Option<(f64, f64)>);

/// Columns of `activities.csv`.
pub(super) const ACTIVITY_COLUMNS: [DeclaredColumn; 7] = [
    DeclaredColumn::text("activity", "Activity"),
    DeclaredColumn::text("origin", "Node at which the activity began"),
    DeclaredColumn::text("nodes", "Nodes that spent energy for it"),
    DeclaredColumn::number("energy_j", "Energy of all nodes"),
    DeclaredColumn::number("energy_lo_j", "Lower end of its 95 % interval"),
    DeclaredColumn::number("energy_hi_j", "Upper end of its 95 % interval"),
    DeclaredColumn::number("share", "Share of the measured energy"),
];

/// Returns `activities.csv`: energy by activity over all nodes.
#[must_use]
pub fn activities_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new(ACTIVITY_COLUMNS);
    let mut sums: BTreeMap<Payer, (EnergySum, Vec<&str>)> = BTreeMap::new();
    let (mut unexplained, mut total) = (0.0, 0.0);
    for analysis in analyses {
        let Some(account) = &analysis.account else { continue };
        unexplained += account.split.unattributed_j();
        total += account.split.total_j();
        for (payer, energy) in account.energies_by_payer() {
            let (sum, nodes) = sums.entry(payer).or_insert(((0.0, Some((0.0, 0.0))), Vec::new()));
            let of = account.payer_interval(payer);
            sum.0 += energy;
            sum.1 = sum.1.zip(of).map(|(a, b)| (a.0 + b.0, a.1 + b.1));
            nodes.push(&analysis.log.node);
        }
    }
    if total == 0.0 {
        return lines.text();
    }
    for (payer, ((energy, interval), nodes)) in sums {
        let origin = match payer {
            Payer::Activity(label) => labels.origin(label).to_owned(),
            _ => String::new(),
        };
        lines.row([
            payer_name(payer, labels),
            origin,
            nodes.join(" "),
            energy.to_string(),
            optional_field(interval.map(|i| i.0)),
            optional_field(interval.map(|i| i.1)),
            (energy / total).to_string(),
        ]);
    }
    for (name, energy) in [(UNEXPLAINED_NAME, unexplained), (TOTAL_NAME, total)] {
        let none = String::new;
        let fields = [name.to_owned(), none(), none(), energy.to_string(), none(), none()];
        lines.row(fields.into_iter().chain([(energy / total).to_string()]));
    }
    lines.text()
}

/// Columns of `timeline.csv`.
pub(super) const TIMELINE_COLUMNS: [DeclaredColumn; 6] = [
    DeclaredColumn::text("node", "Node"),
    DeclaredColumn::number("start_s", "Begin of the step of time"),
    DeclaredColumn::number("end_s", "End of the step of time"),
    DeclaredColumn::text("component", "Component"),
    DeclaredColumn::text("activity", "Activity"),
    DeclaredColumn::number("energy_j", "Energy in the step"),
];

/// Returns `timeline.csv`: energy by step of time, component and activity.
#[must_use]
pub fn timeline_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new(TIMELINE_COLUMNS);
    for analysis in analyses {
        for bin in analysis.account.iter().flat_map(|account| &account.bins) {
            let mut row = |component: String, activity: String, energy: f64| {
                let times = [
                    nanoseconds_to_seconds(bin.start_ns).to_string(),
                    nanoseconds_to_seconds(bin.end_ns).to_string(),
                ];
                let fields = [component, activity, energy.to_string()];
                let node = [analysis.log.node.clone()];
                lines.row(node.into_iter().chain(times).chain(fields));
            };
            for ((at, payer), energy) in bin.split.shares() {
                row(row_name(analysis, *at), payer_name(*payer, labels), *energy);
            }
            row(UNEXPLAINED_NAME.into(), String::new(), bin.split.unattributed_j());
        }
    }
    lines.text()
}

/// Columns of `findings.csv`.
pub(super) const REMARK_COLUMNS: [DeclaredColumn; 4] = [
    DeclaredColumn::text("node", "Node"),
    DeclaredColumn::number("at_s", "Time in the log; empty for the whole log"),
    DeclaredColumn::text("kind", "Kind of the remark"),
    DeclaredColumn::text("message", "The remark in one sentence"),
];

/// Returns `findings.csv`: the remarks on all logs.
#[must_use]
pub fn findings_csv(analyses: &[Analysis]) -> String {
    let mut lines = CsvText::new(REMARK_COLUMNS);
    for analysis in analyses {
        for remark in &analysis.remarks {
            lines.row([
                analysis.log.node.clone(),
                optional_field(remark.at_ns.map(nanoseconds_to_seconds)),
                remark.kind.to_string(),
                remark.message.clone(),
            ]);
        }
    }
    lines.text()
}
