//! Plot of the costliest lines as dots with whiskers on one scale, with the ground truth where
//! known: which lines differ significantly, and how accurate their intervals are.

use crate::account::{AccountEntry, LineKey};
use crate::format;
use crate::report::data::ReportData;
use crate::report::scatter::ticks;
use crate::report::view::accounts::source_line;
use crate::report::view::bar_style;
use crate::report::view::links::SourceLinks;
use crate::units::Joules;

/// Number of lines in the plot.
const TOP: usize = 20;

/// The plot: rows, ticks and ground truth.
pub(crate) struct WhiskersView {
    /// Lines by descending energy.
    pub rows: Vec<WhiskerView>,
    /// Ticks at round energies: position in percent, and label.
    pub ticks: Vec<(String, String)>,
    /// Whether the ground truth is marked.
    pub has_truth: bool,
}

/// Row of one line.
pub struct WhiskerView {
    /// `File.java:N`.
    pub place: String,
    /// Its link into the source; empty where the page doesn't show it.
    pub href: String,
    /// Source text of the line.
    pub text: String,
    /// Energy.
    pub energy: String,
    /// 95 % interval or none.
    pub interval: String,
    /// Ground truth from the simulated energy model; `none` where unknown.
    pub truth: String,
    /// Position of the dot in percent of the scale.
    pub dot: String,
    /// Position and width of the whisker in percent; absent without an interval.
    pub whisker: Option<(String, String)>,
    /// Position of the ground truth in percent; absent where unknown.
    pub mark: Option<String>,
}

/// Plot of the costliest lines.
pub(crate) fn whiskers(data: &ReportData<'_>, links: &SourceLinks<'_>) -> WhiskersView {
    let lines = &data.accounts.lines[..data.accounts.lines.len().min(TOP)];
    let truth = |entry: &AccountEntry<LineKey>| data.evaluation?.lines.get(&entry.key).copied();
    let ends = |entry: &AccountEntry<LineKey>| {
        let hi = entry.interval.map_or(0.0, |interval| interval.hi.0);
        entry.joules().0.max(hi).max(truth(entry).map_or(0.0, |energy| energy.0))
    };
    let widest = lines.iter().map(ends).fold(0.0, f64::max);
    let row = |entry| row(data, links, entry, (truth(entry), widest));
    WhiskersView {
        rows: lines.iter().map(row).collect(),
        ticks: scale(widest),
        has_truth: lines.iter().any(|entry| truth(entry).is_some()),
    }
}

/// Ticks at round energies from zero to `widest`.
fn scale(widest: f64) -> Vec<(String, String)> {
    if widest <= 0.0 {
        return Vec::new();
    }
    let name = |at: f64| if at == 0.0 { "0".into() } else { format::energy(Joules(at)) };
    ticks(0.0, widest).into_iter().map(|at| (bar_style(at, widest), name(at))).collect()
}

fn row(
    data: &ReportData<'_>,
    links: &SourceLinks<'_>,
    entry: &AccountEntry<LineKey>,
    (truth, widest): (Option<Joules>, f64),
) -> WhiskerView {
    let LineKey { file, line } = &entry.key;
    let name = file.rsplit('/').next().unwrap_or(file);
    let at = |energy: Joules| bar_style(energy.0, widest);
    WhiskerView {
        place: format::visible(&format!("{name}:{line}")),
        href: links.line(file, *line),
        text: source_line(data, file, *line),
        energy: format::energy(entry.joules()),
        interval: format::interval(entry.interval),
        truth: truth.map_or(format::NONE.into(), format::energy),
        dot: at(entry.joules()),
        whisker: entry.interval.map(|interval| (at(interval.lo), at(interval.hi - interval.lo))),
        mark: truth.map(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Interval;
    use crate::report::sample;

    #[test]
    fn dots_whiskers_and_truths_stand_on_one_scale() {
        let mut sample = sample::report();
        let line = sample.accounts.lines[0].clone();
        let energy = line.joules();
        let interval = Interval { lo: energy * 0.5, hi: energy * 1.5 };
        sample.accounts.lines[0].interval = Some(interval);
        sample.accounts.lines.truncate(1);
        let evaluation = sample.evaluation.as_mut().unwrap();
        evaluation.lines.insert(line.key, energy * 2.0);
        let view = whiskers(&sample.data(), &SourceLinks::default());
        let row = &view.rows[0];
        assert!(view.has_truth);
        assert_eq!((row.dot.as_str(), row.mark.as_deref()), ("50.00", Some("100.00")));
        assert_eq!(row.whisker, Some(("25.00".to_string(), "50.00".to_string())));
        assert_eq!(view.ticks[0], ("0.00".to_string(), "0".to_string()));
        sample.evaluation = None;
        let view = whiskers(&sample.data(), &SourceLinks::default());
        assert_eq!((view.has_truth, view.rows[0].truth.as_str()), (false, "none"));
    }
}
