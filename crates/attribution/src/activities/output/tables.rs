//! The tables. An absent figure is an empty field.

use std::collections::BTreeMap;

use wattline_units::csv_text::CsvText;

use super::super::account::Payer;
use super::super::analysis::Analysis;
use super::super::column_roles::ColumnRole;
use super::super::label::Labels;
use super::super::log::nanoseconds_to_seconds;
use super::super::usage::NodeUsage;
use super::energies::energy_rows;
use super::usage_rows::{UsageRow, constant_row, joint_rows, state_row};
use super::{TOTAL_NAME, UNEXPLAINED_NAME, optional_field, payer_name, row_name};

/// Returns `powers.csv`: every state with its power above its baseline, or why it has none; how
/// long and how often the component was in it, and what it adds to the mean power.
#[must_use]
pub fn powers_csv(analyses: &[Analysis]) -> String {
    let mut lines = CsvText::new([
        "node",
        "component",
        "state",
        "power_w",
        "power_lo_w",
        "power_hi_w",
        "note",
        "current_a",
        "current_lo_a",
        "current_hi_a",
        "time_s",
        "duty_cycle",
        "occurrences",
        "energy_j",
        "mean_power_w",
        "mean_power_lo_w",
        "mean_power_hi_w",
    ]);
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

/// Returns `energy.csv`: energy by node, component and activity.
#[must_use]
pub fn energy_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new([
        "node",
        "component",
        "activity",
        "time_s",
        "energy_j",
        "energy_lo_j",
        "energy_hi_j",
        "share",
        "undetermined_s",
    ]);
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

/// Returns `activities.csv`: energy by activity over all nodes.
#[must_use]
pub fn activities_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new([
        "activity",
        "origin",
        "nodes",
        "energy_j",
        "energy_lo_j",
        "energy_hi_j",
        "share",
    ]);
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

/// Returns `timeline.csv`: energy by step of time, component and activity.
#[must_use]
pub fn timeline_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new(["node", "start_s", "end_s", "component", "activity", "energy_j"]);
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

/// Returns `findings.csv`: the remarks on all logs.
#[must_use]
pub fn findings_csv(analyses: &[Analysis]) -> String {
    let mut lines = CsvText::new(["node", "at_s", "kind", "message"]);
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
