//! Occurrences of one thing with and without another in tables.

use wattline_units::csv_text::CsvText;
use wattline_units::units::Seconds;

use super::super::containing::{Containing, CountedOccurrences};
use super::optional;
use super::shown::{ShownTable, figure, interval, percent};

/// `occurrences.csv`: how many of the outer contain the inner, by node and question.
#[must_use]
pub fn occurrences_csv(all: &[(String, Containing)]) -> String {
    let mut lines = CsvText::new([
        "node",
        "outer",
        "inner",
        "occurrences",
        "with",
        "share_with",
        "share_with_lo",
        "share_with_hi",
        "time_with_s",
        "without",
        "share_without",
        "time_without_s",
    ]);
    for (node, found) in all {
        let (lo, hi) = found.share_interval().unzip();
        lines.row([
            node.clone(),
            found.question.outer.clone(),
            found.question.inner.clone(),
            found.occurrences().to_string(),
            found.with.count.to_string(),
            optional(found.share_with()),
            optional(lo),
            optional(hi),
            found.with.time_s.to_string(),
            found.without.count.to_string(),
            optional(found.share_with().map(|share| 1.0 - share)),
            found.without.time_s.to_string(),
        ]);
    }
    lines.text()
}

/// A node's answer in words.
#[must_use]
pub fn occurrences_table(node: &str, found: &Containing) -> ShownTable {
    let (outer, inner) = (&found.question.outer, &found.question.inner);
    let caption = format!("node {node}: {} occurrences of {outer}", found.occurrences());
    let columns = ["", "occurrences", "share", "95 % interval", "time", "mean time"];
    let mut table = ShownTable::new(caption, &columns);
    let share = found.share_with();
    let with = found.share_interval();
    let without = with.map(|(lo, hi)| (1.0 - hi, 1.0 - lo));
    table.rows.push((format!("with {inner}"), cells(found.with, share, with)));
    let rest = share.map(|share| 1.0 - share);
    table.rows.push((format!("without {inner}"), cells(found.without, rest, without)));
    table
}

fn cells(
    counted: CountedOccurrences,
    share: Option<f64>,
    of_share: Option<(f64, f64)>,
) -> Vec<String> {
    let mean = (counted.count > 0).then(|| counted.time_s / counted.count as f64);
    vec![
        counted.count.to_string(),
        figure(share.map(percent)),
        interval(of_share, percent),
        Seconds(counted.time_s).to_string(),
        figure(mean.map(Seconds)),
    ]
}
