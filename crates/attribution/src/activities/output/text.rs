//! What the command says: powers, energy by component and by activity, what is unexplained.

use super::super::account::{Account, LoggingAs};
use super::super::analysis::{Analysis, network};
use super::super::label::Labels;
use super::super::logging::LoggingCost;
use super::duty_cycles::duty_cycle_tables;
use super::matrices::matrix_tables;
use super::shown::percent;
use super::{payer_name, row_name};
use wattline_units::format::{counted, visible_name};
use wattline_units::units::{Amperes, Joules, Seconds, Watts};

/// A summary of all nodes.
#[must_use]
pub fn summary(analyses: &[Analysis], labels: &Labels, logging: LoggingAs) -> String {
    let mut text = String::new();
    for analysis in analyses {
        node(&mut text, analysis, labels, logging);
    }
    if analyses.iter().filter(|analysis| analysis.account.is_some()).count() > 1 {
        together(&mut text, analyses, labels);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Adds a line, whatever names are in it.
fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.push_str(&visible_name(&arguments.to_string()));
    text.push('\n');
}

fn node(text: &mut String, analysis: &Analysis, labels: &Labels, logging: LoggingAs) {
    let name = &analysis.log.node;
    let Some(account) = &analysis.account else {
        line(text, format_args!("node {name}: no measured energy; times only"));
        usage(text, analysis, labels);
        text.push('\n');
        return;
    };
    let equations = analysis.powers.as_ref().map_or(0, |powers| powers.equations);
    line(
        text,
        format_args!(
            "node {name}: {} measured in {}, {} on average; {}, {}",
            Joules(account.split.total_j()),
            Seconds(account.metered_s),
            Watts(account.split.total_j() / account.metered_s),
            counted(analysis.equations.intervals, "interval"),
            counted(equations, "equation"),
        ),
    );
    powers(text, analysis);
    line(text, format_args!("  energy by component"));
    for (row, energy) in account.by_row() {
        entry(text, account, &row_name(analysis, row), energy, None);
    }
    line(text, format_args!("  energy by activity"));
    for (payer, energy) in account.by_payer() {
        let interval = Some(account.payer_interval(payer));
        entry(text, account, &payer_name(payer, labels), energy, interval);
    }
    entry(text, account, super::UNEXPLAINED, account.split.unattributed_j(), Some(None));
    usage(text, analysis, labels);
    if let Some(cost) = account.logging {
        line(text, format_args!("  {}", logged(&cost, logging)));
    }
    text.push('\n');
}

fn powers(text: &mut String, analysis: &Analysis) {
    let Some(powers) = &analysis.powers else { return };
    line(text, format_args!("  power of each state above its baseline, and its 95 % interval"));
    let mut power = |name: &str, power: Option<super::super::FittedPower>| {
        let shown = match power {
            None => "not determined (see findings.csv)".to_owned(),
            Some(power) => {
                let interval = power
                    .interval_w
                    .map_or("none".into(), |(lo, hi)| format!("{} to {}", Watts(lo), Watts(hi)));
                let current = analysis.log.current_a(Some(power.w)).map(Amperes);
                let current =
                    current.map_or_else(String::new, |of| format!("{:>9}  ", of.to_string()));
                format!("{:>9}  {current}{interval}", Watts(power.w).to_string())
            }
        };
        line(text, format_args!("    {name:<28} {shown}"));
    };
    power("(constant)", Some(powers.constant));
    for (name, of) in super::state_powers(analysis) {
        power(&name, of);
    }
}

fn entry(
    text: &mut String,
    account: &Account,
    name: &str,
    energy: f64,
    interval: Option<Option<(f64, f64)>>,
) {
    let share = percent(energy / account.split.total_j());
    let interval = interval.map_or(String::new(), |interval| {
        let of =
            interval.map_or("none".into(), |(lo, hi)| format!("{} to {}", Joules(lo), Joules(hi)));
        format!("  {of}")
    });
    let energy = Joules(energy).to_string();
    line(text, format_args!("    {name:<28} {energy:>9} {share:>9}{interval}"));
}

fn logged(cost: &LoggingCost, logging: LoggingAs) -> String {
    let of_active = cost.of_active.map_or(String::new(), |part| {
        format!("{:.1} % of the processor's active time, ", part * 100.0)
    });
    let energy =
        cost.energy_j.map_or("of unknown energy".into(), |energy| Joules(energy).to_string());
    let place = match logging {
        LoggingAs::Within => "part of the activities above; --logging apart takes it out",
        LoggingAs::Apart => "the processor's part is the row (logging)",
    };
    format!(
        "writing the log: {}, {} ({of_active}{:.2} % of all time), {energy} with the \
         constant ({place})",
        counted(cost.entries, "entry"),
        Seconds(cost.time_s),
        cost.of_all * 100.0
    )
}

/// How long and how often, and the matrices: those that a terminal has room for.
fn usage(text: &mut String, analysis: &Analysis, labels: &Labels) {
    for table in duty_cycle_tables(analysis, labels).iter().chain(&matrix_tables(analysis, labels))
    {
        if table.has_room() {
            *text += &table.text();
            continue;
        }
        let rows = counted(table.rows.len(), "row");
        let columns = counted(table.columns.len() - 1, "column");
        line(text, format_args!("  {}: {rows}, {columns}, see activities.html", table.caption));
    }
}

fn together(text: &mut String, analyses: &[Analysis], labels: &Labels) {
    let (sums, unexplained) = network(analyses);
    let total: f64 = sums.values().sum::<f64>() + unexplained;
    line(text, format_args!("all nodes: {}", Joules(total)));
    for (payer, energy) in sums {
        let (name, share) = (payer_name(payer, labels), percent(energy / total));
        let energy = Joules(energy).to_string();
        line(text, format_args!("    {name:<28} {energy:>9} {share:>9}"));
    }
    let share = percent(unexplained / total);
    let energy = Joules(unexplained).to_string();
    line(text, format_args!("    {:<28} {energy:>9} {share:>9}", super::UNEXPLAINED));
}
