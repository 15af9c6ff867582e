//! A comparison as a comment on a pull request.

use std::fmt::Write as _;

use super::recorded_text::{self, ShareCells};
use super::text::{TextCells, heading, text_cells, verdict_sentence};
use super::{ChangeRow, CompareMode, Comparison, GateVerdict, RecordedShares};
use crate::format;

/// Markdown text of a comparison, with at most `limit` methods.
pub fn markdown(comparison: &Comparison, limit: usize) -> String {
    let mut text = String::new();
    let mut put = |line: String| writeln!(text, "{line}").expect("memory has no errors");
    let mark = match comparison.verdict() {
        GateVerdict::Pass => "✅",
        GateVerdict::OverBudget | GateVerdict::Increase => "❌",
        GateVerdict::NoData => "⚠️",
    };
    put(format!("### {mark} Energy: {}\n", plain(&verdict_sentence(comparison))));
    put(head(heading(comparison)));
    put(row(&comparison.headline));
    comparison.inputs.iter().for_each(|input| put(row(input)));
    if !comparison.methods.is_empty() {
        let n = comparison.methods.len();
        let changed = format::counted(n, "method");
        put(format!("\n<details><summary>{changed}{}</summary>\n", changed_by(comparison)));
        put(head("Method"));
        comparison.methods.iter().take(limit).for_each(|method| put(row(method)));
        put(String::new());
        if n > limit {
            put(format!("... and {} more\n", n - limit));
        }
        put("</details>".into());
    }
    if let Some(recorded) = &comparison.recorded {
        put(shares(recorded, limit));
        recorded_text::stability_lines(&recorded.stability)
            .iter()
            .for_each(|line| put(format!("- {}", plain(line))));
    }
    if !comparison.budgets.is_empty() {
        put("\n| Budget | energy | 95 % interval | allowed | |\n|---|--:|--:|--:|---|".into());
        for budget in &comparison.budgets {
            put(format!(
                "| {} {} | {} | {} | {} | {} |",
                budget.budget.level,
                code(&budget.budget.name),
                budget.energy.map_or(format::NONE.into(), format::energy),
                format::interval(budget.interval),
                format::energy(budget.budget.joules),
                budget.verdict.name()
            ));
        }
    }
    for note in &comparison.notes {
        put(format!("\n> {}", plain(note)));
    }
    text
}

fn changed_by(comparison: &Comparison) -> &'static str {
    match comparison.mode {
        CompareMode::Measured | CompareMode::Predicted => " changed, by the model",
        CompareMode::Recorded => " of the recordings, the largest change first",
    }
}

/// Parts of the whole; at most `limit` rows.
fn shares(recorded: &RecordedShares, limit: usize) -> String {
    let mut text =
        "\n| Part of the whole | base | new | change | 95 % interval |\n|---|--:|--:|--:|--:|\n"
            .to_owned();
    for row in recorded.rows.iter().take(limit) {
        let ShareCells { base, new, change, interval } = ShareCells::of(row);
        let (level, name) = (row.subject.level(), code(&row.subject.name()));
        let _ = writeln!(text, "| {level} {name} | {base} | {new} | {change} | {interval} |");
    }
    text
}

fn head(title: &str) -> String {
    format!(
        "| {title} | base | new | change | 95 % interval | change | 95 % interval |\n\
         |---|--:|--:|--:|--:|--:|--:|"
    )
}

fn row(row: &ChangeRow) -> String {
    let TextCells { base, new, change, interval, share, share_interval } = text_cells(row);
    let remark = match row.remark.as_str() {
        "" => String::new(),
        remark => format!("<br>{}", plain(remark)),
    };
    format!(
        "| {} {}{remark} | {base} | {new} | {change} | {interval} | {share} | {share_interval} |",
        row.subject.level(),
        code(&row.subject.name())
    )
}

/// Source text in backticks, escaped so that it cannot end the cell or the code span.
fn code(text: &str) -> String {
    format!("`{}`", format::visible(text).replace('`', "'").replace('|', "\\|").replace('\n', " "))
}

/// A sentence with all markup escaped.
fn plain(text: &str) -> String {
    let mut safe = String::new();
    for c in format::visible(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '|' | '*' | '_' | '[' | ']' | '`' | '\\' => safe.extend(['\\', c]),
            '\n' => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
