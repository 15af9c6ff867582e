//! The tables. An absent figure is an empty field.

use std::collections::BTreeMap;

use wattline_units::csv_text::CsvText;

use super::super::account::{Account, Payer};
use super::super::analysis::Analysis;
use super::super::independent::ColumnRole;
use super::super::label::Labels;
use super::super::log::seconds;
use super::energies::energy_rows;
use super::{TOTAL, UNEXPLAINED, payer_name, row_name};

fn optional(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// `powers.csv`: every state with its power above its baseline, or why it has none.
#[must_use]
pub fn powers_csv(analyses: &[Analysis]) -> String {
    let mut lines =
        CsvText::new(["node", "component", "state", "power_w", "power_lo_w", "power_hi_w", "note"]);
    for analysis in analyses {
        let Some(powers) = &analysis.powers else { continue };
        let node = &analysis.log.node;
        let mut row =
            |component: &str, state: &str, power: Option<super::super::FittedPower>, note| {
                let interval = power.and_then(|power| power.interval_w);
                lines.row([
                    node.clone(),
                    component.to_owned(),
                    state.to_owned(),
                    optional(power.map(|power| power.w)),
                    optional(interval.map(|interval| interval.0)),
                    optional(interval.map(|interval| interval.1)),
                    note,
                ]);
            };
        row("(constant)", "", Some(powers.constant), "all baselines together".to_owned());
        for (at, component) in analysis.log.components.iter().enumerate() {
            for (state, name) in component.states.iter().enumerate() {
                let column = analysis.columns.of[at][state];
                // A power of several is none of each.
                let own = column.filter(|column| powers.twins(*column).len() == 1);
                row(
                    &component.name,
                    name,
                    own.and_then(|own| powers.of[own]),
                    note(analysis, column),
                );
            }
        }
        for column in (0..powers.roles.len()).filter(|column| powers.twins(*column).len() > 1) {
            let name = powers.name(column, &analysis.columns);
            row(&name, "", powers.of[column], "of all of them: they can't be told apart".into());
        }
    }
    lines.text()
}

/// What a reader of a power must know.
fn note(analysis: &Analysis, column: Option<usize>) -> String {
    let (Some(powers), Some(column)) = (&analysis.powers, column) else {
        return "baseline: part of the constant".into();
    };
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

/// `energy.csv`: energy by node, component and activity.
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
                optional(row.time_s),
                optional(row.energy_j),
                optional(row.interval_j.map(|i| i.0)),
                optional(row.interval_j.map(|i| i.1)),
                optional(share(row.energy_j)),
                optional(row.undetermined_s),
            ]);
        }
        let Some(account) = account else { continue };
        let rest = account.split.unattributed_j();
        for (name, energy) in [(UNEXPLAINED, rest), (TOTAL, account.split.total_j())] {
            let time = if name == TOTAL { Some(account.metered_s) } else { None };
            let fields = [node.clone(), name.to_owned(), String::new(), optional(time)];
            let none = String::new();
            let rest = [
                energy.to_string(),
                none.clone(),
                none.clone(),
                optional(share(Some(energy))),
                none,
            ];
            lines.row(fields.into_iter().chain(rest));
        }
    }
    lines.text()
}

/// Joules with their interval.
type Sum = (f64, Option<(f64, f64)>);

/// `activities.csv`: energy by activity over all nodes.
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
    let mut sums: BTreeMap<Payer, (Sum, Vec<&str>)> = BTreeMap::new();
    let (mut unexplained, mut total) = (0.0, 0.0);
    for analysis in analyses {
        let Some(account) = &analysis.account else { continue };
        unexplained += account.split.unattributed_j();
        total += account.split.total_j();
        for (payer, energy) in account.by_payer() {
            let (sum, nodes) = sums.entry(payer).or_insert(((0.0, Some((0.0, 0.0))), Vec::new()));
            let of = payer_interval(account, payer);
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
            optional(interval.map(|i| i.0)),
            optional(interval.map(|i| i.1)),
            (energy / total).to_string(),
        ]);
    }
    for (name, energy) in [(UNEXPLAINED, unexplained), (TOTAL, total)] {
        let none = String::new;
        let fields = [name.to_owned(), none(), none(), energy.to_string(), none(), none()];
        lines.row(fields.into_iter().chain([(energy / total).to_string()]));
    }
    lines.text()
}

/// The interval of all that a payer pays.
pub(super) fn payer_interval(account: &Account, payer: Payer) -> Option<(f64, f64)> {
    let own = account.intervals_j.iter().filter(|((_, of), _)| *of == payer);
    own.map(|(_, interval)| *interval)
        .try_fold((0.0, 0.0), |sum, interval| interval.map(|i| (sum.0 + i.0, sum.1 + i.1)))
}

/// `timeline.csv`: energy by step of time, component and activity.
#[must_use]
pub fn timeline_csv(analyses: &[Analysis], labels: &Labels) -> String {
    let mut lines = CsvText::new(["node", "start_s", "end_s", "component", "activity", "energy_j"]);
    for analysis in analyses {
        for bin in analysis.account.iter().flat_map(|account| &account.bins) {
            let mut row = |component: String, activity: String, energy: f64| {
                let times = [seconds(bin.start_ns).to_string(), seconds(bin.end_ns).to_string()];
                let fields = [component, activity, energy.to_string()];
                let node = [analysis.log.node.clone()];
                lines.row(node.into_iter().chain(times).chain(fields));
            };
            for ((at, payer), energy) in bin.split.shares() {
                row(row_name(analysis, *at), payer_name(*payer, labels), *energy);
            }
            row(UNEXPLAINED.into(), String::new(), bin.split.unattributed_j());
        }
    }
    lines.text()
}

/// `findings.csv`: what was noticed.
#[must_use]
pub fn findings_csv(analyses: &[Analysis]) -> String {
    let mut lines = CsvText::new(["node", "at_s", "kind", "message"]);
    for analysis in analyses {
        for remark in &analysis.remarks {
            lines.row([
                analysis.log.node.clone(),
                optional(remark.at_ns.map(seconds)),
                remark.kind.to_string(),
                remark.message.clone(),
            ]);
        }
    }
    lines.text()
}
