//! A comparison as terminal text, and the number formats of all comparison outputs.

use std::fmt::Write as _;

use crate::account::Interval;
use crate::format::{self, signed_percent};
use crate::units::Joules;

use super::text_cells::subject_cell;
use super::{BudgetRow, ChangeRow, CompareMode, Comparison, GateVerdict, recorded_text};

/// Text of the whole comparison, with at most `limit` classes and `limit` methods.
pub fn text(comparison: &Comparison, limit: usize) -> String {
    let mut text = String::new();
    let mut put = |line: String| writeln!(text, "{line}").expect("memory has no errors");
    put(format!(
        "{:<52} {:>9} {:>9} {:>9}  {:<24} {:>8}  {}",
        heading(comparison),
        "base",
        "new",
        "change",
        "95 % interval",
        "",
        "95 % interval"
    ));
    put(row(&comparison.headline));
    comparison.inputs.iter().for_each(|input| put(row(input)));
    for (title, rows) in [("Classes", &comparison.classes), ("Methods", &comparison.methods)] {
        if !rows.is_empty() {
            put(format!("\n{title}{} ({})", row_subjects(comparison), rows.len()));
            rows.iter().take(limit).for_each(|one| put(row(one)));
        }
        if rows.len() > limit {
            put(format!("  ... and {} more", rows.len() - limit));
        }
    }
    if let Some(recorded) = &comparison.recorded {
        put(recorded_text::shares_text(recorded, limit));
        put(recorded_text::stability_text(&recorded.stability));
    }
    if !comparison.budgets.is_empty() {
        put("\nBudgets".into());
        comparison.budgets.iter().for_each(|budget| put(budget_line(budget)));
    }
    comparison.notes.iter().for_each(|note| put(format!("note: {}", format::visible_name(note))));
    put(format!("\nverdict: {}", verdict_sentence(comparison)));
    text
}

/// Title of the table, by the mode of the comparison.
pub fn heading(comparison: &Comparison) -> &'static str {
    match comparison.mode {
        CompareMode::Measured => "Energy above idle, measured",
        CompareMode::Predicted => "Energy above idle; new = prediction",
        CompareMode::Recorded => "Energy, recorded by monitor",
    }
}

/// What classes and methods are rows, and by what.
pub(super) fn row_subjects(comparison: &Comparison) -> &'static str {
    match comparison.mode {
        CompareMode::Measured | CompareMode::Predicted => " that changed, by the model",
        CompareMode::Recorded => " of the recordings, the largest change first",
    }
}

/// The verdict in one sentence.
pub fn verdict_sentence(comparison: &Comparison) -> String {
    let headline = &comparison.headline;
    let limit = format::percent(comparison.limit.0);
    let over = over_budget(comparison);
    let unknown =
        comparison.budgets.iter().filter(|row| row.verdict == GateVerdict::NoData).count();
    let share = share_text(headline);
    match (headline.verdict, over, unknown) {
        (Some(GateVerdict::NoData) | None, ..) => format!("no data: {}", reason(headline)),
        (_, _, 1..) => {
            let unknown = format::counted_as(unknown, "budget has", "budgets have");
            format!("no data: {unknown} no figure to be held against")
        }
        (Some(GateVerdict::Increase), over, _) => {
            let too = over.map_or(String::new(), |over| format!("; over budget: {over}"));
            format!("increase: {share}, over the limit of {limit}, and the interval agrees{too}")
        }
        (_, Some(over), _) => format!("over budget: {over}; the change is {share}"),
        _ => format!("pass: {share}; the limit is {limit}"),
    }
}

/// Sentence on the first exceeded budget and the number of others.
fn over_budget(comparison: &Comparison) -> Option<String> {
    let mut over = comparison.budgets.iter().filter(|row| row.verdict == GateVerdict::OverBudget);
    let first = over.next()?;
    let energy = first.energy.map_or(format::NONE.into(), format::energy);
    let allowed = format::energy(first.budget.joules);
    let name = format::visible(&first.budget.name).replace('\n', " ");
    let more = match over.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("{} {name} with {energy} of {allowed}{more}", first.budget.level))
}

fn reason(row: &ChangeRow) -> &str {
    match row.remark.as_str() {
        "" => "the base can't be told from nothing, or the change has no interval",
        remark => remark,
    }
}

fn row(row: &ChangeRow) -> String {
    let name = subject_cell(row.subject.level(), &row.subject.name());
    let TextCells { base, new, change, interval, share, share_interval } = text_cells(row);
    let line = format!(
        "{name:<52} {base:>9} {new:>9} {change:>9}  {interval:<24} {share:>8}  {share_interval}"
    );
    let line = line.trim_end().to_string();
    match row.remark.as_str() {
        "" => line,
        remark => format!("{line}\n    {}", format::visible_name(remark)),
    }
}

fn budget_line(row: &BudgetRow) -> String {
    let name = subject_cell(row.budget.level, &row.budget.name);
    let energy = row.energy.map_or(format::NONE.into(), format::energy);
    format!(
        "{name:<52} {energy:>9} of {:>9}  ({})  {}",
        format::energy(row.budget.joules),
        format::interval(row.interval),
        row.verdict.name()
    )
}

/// Figures of a row as text; `none` for a missing one.
pub struct TextCells {
    /// Energy of the base.
    pub base: String,
    /// Energy of the new side.
    pub new: String,
    /// Difference with its sign.
    pub change: String,
    /// 95 % interval of the difference.
    pub interval: String,
    /// Difference in percent of the base.
    pub share: String,
    /// 95 % interval of it.
    pub share_interval: String,
}

/// Figures of a row as text.
pub fn text_cells(row: &ChangeRow) -> TextCells {
    let energy = |energy: Option<Joules>| energy.map_or(format::NONE.into(), format::energy);
    let change = &row.change;
    let share_interval = change.share_interval;
    TextCells {
        base: energy(change.base),
        new: energy(change.new),
        change: change.difference().map_or(format::NONE.into(), signed_energy),
        interval: change.interval.map_or(format::NONE.into(), interval_text),
        share: change.share().map_or(format::NONE.into(), signed_percent),
        share_interval: share_interval.map_or(format::NONE.into(), |(lo, hi)| {
            format!("{} to {}", signed_percent(lo), signed_percent(hi))
        }),
    }
}

fn share_text(row: &ChangeRow) -> String {
    let TextCells { share, share_interval, .. } = text_cells(row);
    format!("{share} ({share_interval})")
}

fn interval_text(interval: Interval) -> String {
    format!("{} to {}", signed_energy(interval.lo), signed_energy(interval.hi))
}

/// Text of an energy with its sign.
fn signed_energy(energy: Joules) -> String {
    let text = format::energy(energy);
    if energy.0 > 0.0 { format!("+{text}") } else { text }
}
