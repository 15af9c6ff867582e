//! What recordings tell beyond energies, for the terminal: parts of the whole, and how alike
//! repeats are.

use std::fmt::Write as _;

use crate::format::{self, signed_percent};
use crate::units::Joules;

use super::shares::{RecordedShares, ShareRow, SideStability, Stability};
use super::text_cells::subject_cell;

/// The figures of a part as text; `none` where there is none.
pub(super) struct ShareCells {
    pub base: String,
    pub new: String,
    pub change: String,
    pub interval: String,
}

impl ShareCells {
    pub fn of(row: &ShareRow) -> Self {
        let side = |share: f64, sd: Option<f64>| match sd {
            Some(sd) => format!("{} \u{b1} {}", format::percent(share), format::percent(sd)),
            None => format::percent(share),
        };
        let interval = row
            .interval
            .map(|(lo, hi)| format!("{} to {}", signed_percent(lo), signed_percent(hi)));
        Self {
            base: side(row.base, row.base_sd),
            new: side(row.new, row.new_sd),
            change: signed_percent(row.new - row.base),
            interval: interval.unwrap_or_else(|| format::NONE.into()),
        }
    }
}

/// Parts of the whole; at most `limit` rows.
pub(super) fn shares_text(recorded: &RecordedShares, limit: usize) -> String {
    let mut text = format!(
        "\nParts of the whole; \u{b1} is the standard deviation over repeats\n{:<52} {:>17} {:>17} {:>9}  \
         95 % interval",
        "", "base", "new", "change"
    );
    for row in recorded.rows.iter().take(limit) {
        let ShareCells { base, new, change, interval } = ShareCells::of(row);
        let name = subject_cell(row.subject.level(), &row.subject.name());
        let _ = write!(text, "\n{name:<52} {base:>17} {new:>17} {change:>9}  {interval}");
    }
    if recorded.rows.len() > limit {
        let _ = write!(text, "\n  ... and {} more", recorded.rows.len() - limit);
    }
    text
}

/// How alike recordings are.
pub(super) fn stability_text(stability: &Stability) -> String {
    let lines = stability_lines(stability).join("\n  ");
    format!("\nStability\n  {lines}")
}

/// The same, a sentence each.
pub(super) fn stability_lines(stability: &Stability) -> Vec<String> {
    let between = stability.between.map_or_else(
        || "no rank correlation: fewer than three methods".to_owned(),
        |r| format!("rank correlation of the methods {r:.3}"),
    );
    vec![
        format!("base: {}", side(&stability.base)),
        format!("new: {}", side(&stability.new)),
        format!("base against new: {between}"),
    ]
}

fn side(side: &SideStability) -> String {
    let (Some(sd), Some(of_share), Some((most, key))) =
        (side.whole_sd_j, side.share_sd, &side.share_sd_most)
    else {
        let recordings = format::counted(side.recordings, "recording");
        return format!("{recordings}, so nothing is known of how alike repeats are");
    };
    let rank = side.rank_correlation.map_or_else(
        || "no rank correlation: fewer than three methods".to_owned(),
        |(mean, least)| format!("rank correlation of the methods {mean:.3}, at least {least:.3}"),
    );
    let whose = format::visible_name(&format!("{}.{}", key.class, key.method));
    format!(
        "{}; {} \u{b1} {} ({}); parts of methods \u{b1} {} on average, at most \u{b1} {} \
         ({whose}); {rank}",
        format::counted(side.recordings, "recording"),
        format::energy(Joules(side.whole_j)),
        format::energy(Joules(sd)),
        format::percent(sd / side.whole_j),
        format::percent(of_share),
        format::percent(*most),
    )
}
