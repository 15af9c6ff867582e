//! Views of operations, lines and methods for their tables.

use crate::account::{AccountEntry, EnergyShare, Interval};
use crate::format;
use crate::report::data::ReportData;
use crate::report::view::bar_style;
use crate::report::view::links::SourceLinks;
use crate::units::Joules;

/// Largest number of operations on the page, of which 30 are visible at first.
pub(crate) const TOP_OPERATIONS: usize = 400;
/// Largest number of lines and methods on the page, of which 30 are visible at first.
pub(crate) const TOP_PLACES: usize = 300;

/// Columns that all entries share.
pub struct EntryFigures {
    /// Executions as text.
    pub executions: String,
    /// Executions as a number, for sorting.
    pub executions_raw: u64,
    /// Energy.
    pub energy: String,
    /// Energy in joules, for sorting.
    pub energy_raw: f64,
    /// 95 % interval or none.
    pub interval: String,
    /// Part of the scenario.
    pub share: String,
    /// Width of the bar relative to the largest of the table.
    pub width: String,
}

/// Shared columns of an entry.
fn figure<K>(entry: &AccountEntry<K>, widest: f64) -> EntryFigures {
    EntryFigures {
        executions: format::count(entry.executions),
        executions_raw: entry.executions,
        energy: format::energy(entry.joules()),
        energy_raw: entry.joules().0,
        interval: format::interval(entry.interval),
        share: format::percent_or_none(entry.share),
        width: bar_style(entry.joules().0, widest),
    }
}

/// Energy in joules of the first, largest entry.
fn widest<K>(entry: Option<&AccountEntry<K>>) -> f64 {
    entry.map_or(0.0, |entry| entry.joules().0)
}

/// Row of the operations' table.
pub(crate) struct OperationView {
    /// Rank by energy, from 1.
    pub rank: usize,
    /// Its name.
    pub name: String,
    /// Class, also the colour.
    pub class: &'static str,
    /// Energy of one execution, or `none`.
    pub cost: String,
    /// Energy of one execution in joules, for sorting.
    pub cost_raw: f64,
    /// Its 95 % interval or none.
    pub cost_interval: String,
    /// Rank by the cost of one execution, or `none`.
    pub rank_by_cost: String,
    /// Rank by the cost of one execution, for sorting; operations without a cost come last.
    pub rank_by_cost_raw: usize,
    /// Share of the energy above idle of all operations up to this one.
    pub cumulative: String,
    /// Whether the cases alone determine its cost.
    pub estimable: &'static str,
    /// The shared columns.
    pub figure: EntryFigures,
}

/// Rows of the costliest operations.
pub fn operations(data: &ReportData<'_>) -> Vec<OperationView> {
    let operations = &data.accounts.operations;
    let (curve, ranks) = (data.accounts.cumulative_shares(), data.accounts.ranks_by_cost());
    let widest = widest(operations.first().map(|operation| &operation.entry));
    let costs = crate::account::IndexedModel::new(data.model);
    operations
        .iter()
        .enumerate()
        .take(TOP_OPERATIONS)
        .map(|(i, operation)| OperationView {
            rank: i + 1,
            name: format::visible(operation.entry.key.name()),
            class: crate::account::class::name_of(operation.entry.key.class()),
            cost: operation.cost.map_or(format::NONE.into(), format::energy),
            cost_raw: operation.cost.map_or(0.0, |cost| cost.0),
            cost_interval: format::interval(costs.of(operation.entry.key.name()).and_then(
                |cost| {
                    let fitted = costs.fitted(cost);
                    Some(Interval { lo: Joules(fitted.lo_j?), hi: Joules(fitted.hi_j?) })
                },
            )),
            rank_by_cost: ranks[i].map_or(format::NONE.into(), |rank| rank.to_string()),
            rank_by_cost_raw: ranks[i].unwrap_or(usize::MAX),
            cumulative: curve.get(i).map_or(format::NONE.into(), |part| format::percent(*part)),
            estimable: match operation.estimable {
                Some(true) => "yes",
                Some(false) => "no",
                None => "unknown cost",
            },
            figure: figure(&operation.entry, widest),
        })
        .collect()
}

/// Sentence above the operations' table.
pub(crate) fn operations_sentence(data: &ReportData<'_>) -> String {
    let ran = format::counted_operations(data.accounts.operations.len());
    match ranked_operations(data) {
        Some(shares) => format!("{ran} ran. {shares}."),
        None => format!("{ran} ran."),
    }
}

/// Sentence on the share of the costliest operations; `None` without energy.
pub(crate) fn ranked_operations(data: &ReportData<'_>) -> Option<String> {
    let (first, more) = data.accounts.concentration.operations.split_first()?;
    let mut text = format!(
        "First {}: {} of the energy above idle",
        first.last,
        share_with_interval(first.share)
    );
    for next in more {
        let count = next.last + 1 - next.first;
        text += &format!("; next {count}: {}", share_with_interval(next.share));
    }
    Some(text)
}

/// Sentence on the fewest blocks with half of the blocks' energy; `None` without energy.
pub(crate) fn blocks_of_half(data: &ReportData<'_>) -> Option<String> {
    let half = data.accounts.concentration.half?;
    let (few, all) = (half.blocks, format::counted(half.of, "block"));
    Some(format!("{few} of {all}: {} of the energy of all blocks", share_with_interval(half.share)))
}

/// Share with its interval as text: `71.3 % (70.1 to 72.5 %)`.
fn share_with_interval(share: EnergyShare) -> String {
    let part = format::percent(share.part);
    match share.interval {
        Some([lo, hi]) => {
            format!("{part} ({:.1} to {})", 100.0 * lo, format::percent(hi))
        }
        None => format!("{part} (no interval)"),
    }
}

/// Row of the tables of lines and methods.
pub(crate) struct PlaceView {
    /// `file:line` or class.
    pub place: String,
    /// Link to the code location; empty where the page does not show it.
    pub href: String,
    /// The source line, or the method.
    pub text: String,
    /// The shared columns.
    pub figure: EntryFigures,
}

/// Rows of the costliest lines with their source.
pub fn lines(data: &ReportData<'_>, links: &SourceLinks<'_>) -> Vec<PlaceView> {
    let widest = widest(data.accounts.lines.first());
    let lines = data.accounts.lines.iter().take(TOP_PLACES);
    lines
        .map(|entry| PlaceView {
            place: format::visible(&format!("{}:{}", entry.key.file, entry.key.line)),
            href: links.line(&entry.key.file, entry.key.line),
            text: source_line(data, &entry.key.file, entry.key.line),
            figure: figure(entry, widest),
        })
        .collect()
}

/// Rows of the costliest methods.
pub fn methods(data: &ReportData<'_>, links: &SourceLinks<'_>) -> Vec<PlaceView> {
    let widest = widest(data.accounts.methods.first());
    let methods = data.accounts.methods.iter().take(TOP_PLACES);
    methods
        .map(|entry| PlaceView {
            place: format::visible(&entry.key.class),
            href: links.method_of(&entry.key),
            text: format::visible(&entry.key.method),
            figure: figure(entry, widest),
        })
        .collect()
}

/// Text of a source line; empty where the source is missing.
pub(super) fn source_line(data: &ReportData<'_>, file: &str, line: u32) -> String {
    let text = data.sources.get(file).map_or("", String::as_str);
    let found = text.lines().nth((line as usize).saturating_sub(1)).unwrap_or("");
    format::truncate(format::visible(found).trim(), 160)
}
