//! What the command says: powers, energy by component and by activity, what is unexplained.

use super::super::account::{Account, LoggingAttribution};
use super::super::analysis::{Analysis, payer_energies_of_nodes};
use super::super::label::Labels;
use super::super::logging::LoggingCost;
use super::duty_cycles::duty_cycle_tables;
use super::matrices::matrix_tables;
use super::printed_table::percent_text;
use super::{payer_name, row_name};
use wattline_units::format::{counted, visible_name};
use wattline_units::units::{Amperes, Joules, Seconds, Watts};

/// Returns a summary of all nodes for a terminal.
#[must_use]
pub fn summary_text(analyses: &[Analysis], labels: &Labels, logging: LoggingAttribution) -> String {
    let mut text = String::new();
    for analysis in analyses {
        push_node(&mut text, analysis, labels, logging);
    }
    if analyses.iter().filter(|analysis| analysis.account.is_some()).count() > 1 {
        push_energies_of_nodes(&mut text, analyses, labels);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Appends a line, with control characters of names shown as codes.
fn push_line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.push_str(&visible_name(&arguments.to_string()));
    text.push('\n');
}

fn push_node(text: &mut String, analysis: &Analysis, labels: &Labels, logging: LoggingAttribution) {
    let name = &analysis.log.node;
    let Some(account) = &analysis.account else {
        push_line(text, format_args!("node {name}: no measured energy; times only"));
        push_usage(text, analysis, labels);
        text.push('\n');
        return;
    };
    let equations = analysis.powers.as_ref().map_or(0, |powers| powers.equations);
    push_line(
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
    push_powers(text, analysis);
    push_line(text, format_args!("  energy by component"));
    for (row, energy) in account.energies_by_row() {
        push_power(text, account, &row_name(analysis, row), energy, None);
    }
    push_line(text, format_args!("  energy by activity"));
    for (payer, energy) in account.energies_by_payer() {
        let interval = Some(account.payer_interval(payer));
        push_power(text, account, &payer_name(payer, labels), energy, interval);
    }
    push_power(text, account, super::UNEXPLAINED_NAME, account.split.unattributed_j(), Some(None));
    push_usage(text, analysis, labels);
    if let Some(cost) = account.logging {
        push_line(text, format_args!("  {}", logging_sentence(&cost, logging)));
    }
    text.push('\n');
}

fn push_powers(text: &mut String, analysis: &Analysis) {
    let Some(powers) = &analysis.powers else { return };
    push_line(
        text,
        format_args!("  power of each state above its baseline, and its 95 % interval"),
    );
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
        push_line(text, format_args!("    {name:<28} {shown}"));
    };
    power("(constant)", Some(powers.constant));
    for (name, of) in super::state_powers(analysis) {
        power(&name, of);
    }
}

fn push_power(
    text: &mut String,
    account: &Account,
    name: &str,
    energy: f64,
    interval: Option<Option<(f64, f64)>>,
) {
    let share = percent_text(energy / account.split.total_j());
    let interval = interval.map_or(String::new(), |interval| {
        let of =
            interval.map_or("none".into(), |(lo, hi)| format!("{} to {}", Joules(lo), Joules(hi)));
        format!("  {of}")
    });
    let energy = Joules(energy).to_string();
    push_line(text, format_args!("    {name:<28} {energy:>9} {share:>9}{interval}"));
}

fn logging_sentence(cost: &LoggingCost, logging: LoggingAttribution) -> String {
    let of_active = cost.of_active.map_or(String::new(), |part| {
        format!("{:.1} % of the processor's active time, ", part * 100.0)
    });
    let energy =
        cost.energy_j.map_or("of unknown energy".into(), |energy| Joules(energy).to_string());
    let place = match logging {
        LoggingAttribution::Within => "part of the activities above; --logging apart takes it out",
        LoggingAttribution::Apart => "the processor's part is the row (logging)",
    };
    format!(
        "writing the log: {}, {} ({of_active}{:.2} % of all time), {energy} with the \
         constant ({place})",
        counted(cost.entries, "entry"),
        Seconds(cost.time_s),
        cost.of_all * 100.0
    )
}

/// Appends the tables of times and occurrences, and the matrices, as far as they fit into a
/// terminal.
fn push_usage(text: &mut String, analysis: &Analysis, labels: &Labels) {
    for table in duty_cycle_tables(analysis, labels).iter().chain(&matrix_tables(analysis, labels))
    {
        if table.fits_terminal() {
            *text += &table.text();
            continue;
        }
        let rows = counted(table.rows.len(), "row");
        let columns = counted(table.columns.len() - 1, "column");
        push_line(
            text,
            format_args!("  {}: {rows}, {columns}, see activities.html", table.caption),
        );
    }
}

fn push_energies_of_nodes(text: &mut String, analyses: &[Analysis], labels: &Labels) {
    let (sums, unexplained) = payer_energies_of_nodes(analyses);
    let total: f64 = sums.values().sum::<f64>() + unexplained;
    push_line(text, format_args!("all nodes: {}", Joules(total)));
    for (payer, energy) in sums {
        let (name, share) = (payer_name(payer, labels), percent_text(energy / total));
        let energy = Joules(energy).to_string();
        push_line(text, format_args!("    {name:<28} {energy:>9} {share:>9}"));
    }
    let share = percent_text(unexplained / total);
    let energy = Joules(unexplained).to_string();
    push_line(text, format_args!("    {:<28} {energy:>9} {share:>9}", super::UNEXPLAINED_NAME));
}
