//! Occurrences of one thing with and without another in tables.

use wattline_units::csv_text::CsvText;
use wattline_units::file_schema::DeclaredColumn;
use wattline_units::units::Seconds;

use super::super::containment::{ContainmentCounts, CountedOccurrences};
use super::optional_field;
use super::printed_table::{PrintedTable, figure_or_dash, interval_or_dash, percent_text};

/// Columns of `occurrences.csv`.
pub(super) const OCCURRENCE_COLUMNS: [DeclaredColumn; 12] = [
    DeclaredColumn::text("node", "Node"),
    DeclaredColumn::text("outer", "Outer name of the question"),
    DeclaredColumn::text("inner", "Inner name of the question"),
    DeclaredColumn::integer("occurrences", "Occurrences of the outer name"),
    DeclaredColumn::integer("with", "Occurrences that contain the inner name"),
    DeclaredColumn::number("share_with", "Their share"),
    DeclaredColumn::number("share_with_lo", "Lower end of its 95 % interval"),
    DeclaredColumn::number("share_with_hi", "Upper end of its 95 % interval"),
    DeclaredColumn::number("time_with_s", "Time of these occurrences"),
    DeclaredColumn::integer("without", "Occurrences without the inner name"),
    DeclaredColumn::number("share_without", "Their share"),
    DeclaredColumn::number("time_without_s", "Time of these occurrences"),
];

/// Returns `occurrences.csv`: how many occurrences of the outer name contain the inner one, by node
/// and question.
#[must_use]
pub fn occurrences_csv(all: &[(String, ContainmentCounts)]) -> String {
    let mut lines = CsvText::new(OCCURRENCE_COLUMNS);
    for (node, found) in all {
        let (lo, hi) = found.share_interval().unzip();
        lines.row([
            node.clone(),
            found.question.outer.clone(),
            found.question.inner.clone(),
            found.occurrences().to_string(),
            found.with.count.to_string(),
            optional_field(found.share_with()),
            optional_field(lo),
            optional_field(hi),
            found.with.time_s.to_string(),
            found.without.count.to_string(),
            optional_field(found.share_with().map(|share| 1.0 - share)),
            found.without.time_s.to_string(),
        ]);
    }
    lines.text()
}

/// Returns a node's counts as a printed table.
#[must_use]
pub fn occurrences_table(node: &str, found: &ContainmentCounts) -> PrintedTable {
    let (outer, inner) = (&found.question.outer, &found.question.inner);
    let caption = format!("node {node}: {} occurrences of {outer}", found.occurrences());
    let columns = ["", "occurrences", "share", "95 % interval", "time", "mean time"];
    let mut table = PrintedTable::new(caption, &columns);
    let share = found.share_with();
    let with = found.share_interval();
    let without = with.map(|(lo, hi)| (1.0 - hi, 1.0 - lo));
    table.rows.push((format!("with {inner}"), containment_fields(found.with, share, with)));
    let rest = share.map(|share| 1.0 - share);
    table.rows.push((format!("without {inner}"), containment_fields(found.without, rest, without)));
    table
}

fn containment_fields(
    counted: CountedOccurrences,
    share: Option<f64>,
    of_share: Option<(f64, f64)>,
) -> Vec<String> {
    let mean = (counted.count > 0).then(|| counted.time_s / counted.count as f64);
    vec![
        counted.count.to_string(),
        figure_or_dash(share.map(percent_text)),
        interval_or_dash(of_share, percent_text),
        Seconds(counted.time_s).to_string(),
        figure_or_dash(mean.map(Seconds)),
    ]
}
