//! Hints with the source lines that they are about.

use crate::hint::{Amount, Hint, PATTERNS};
use crate::report::data::ReportData;
use crate::report::format::{self, Piece};

/// Hints shown on the page; the rest is in `hints.sarif`.
const SHOWN: usize = 40;
/// Source lines shown of one place.
const LONGEST_EXCERPT: usize = 24;

/// One hint.
pub struct HintView {
    /// Number, from 1.
    pub rank: usize,
    /// Title of the pattern.
    pub title: &'static str,
    /// Name of the pattern.
    pub pattern: &'static str,
    /// Where the pattern is described.
    pub reference: &'static str,
    /// Block's name.
    pub block: String,
    /// `file:first-last`.
    pub place: String,
    /// What was found.
    pub sentence: Vec<Piece>,
    /// What to do.
    pub advice: Vec<Piece>,
    /// The rewrite.
    pub rewrite: String,
    /// When it does the same.
    pub condition: Vec<Piece>,
    /// Saving in percent of the scenario.
    pub saving: String,
    /// Its interval or none.
    pub saving_interval: String,
    /// Saving in joules.
    pub saving_energy: String,
    /// What the saving can't exceed.
    pub bound: String,
    /// Widths of saving and bound in percent of the scenario.
    pub saving_width: String,
    /// The same for the bound.
    pub bound_width: String,
    /// low, medium, high.
    pub confidence: &'static str,
    /// The source lines.
    pub source: Vec<SourceLine>,
}

/// A numbered line.
pub struct SourceLine {
    /// Number, from 1.
    pub number: usize,
    /// Text.
    pub text: String,
}

/// The hints that the page shows.
pub fn hints(data: &ReportData<'_>) -> Vec<HintView> {
    let shown = data.hints.iter().take(SHOWN).enumerate();
    shown.map(|(i, hint)| view(data, i + 1, hint)).collect()
}

/// One hint.
fn view(data: &ReportData<'_>, rank: usize, hint: &Hint) -> HintView {
    let title = PATTERNS.iter().find(|pattern| pattern.name == hint.pattern);
    let width = |amount: &Amount| format::width(amount.share.unwrap_or(0.0));
    HintView {
        rank,
        title: title.map_or(hint.pattern, |pattern| pattern.title),
        pattern: hint.pattern,
        reference: title.map_or("", |pattern| pattern.reference),
        block: format::visible(&hint.block_name),
        place: format::visible(&place(hint)),
        sentence: format::pieces(&hint.sentence),
        advice: format::pieces(&hint.advice),
        rewrite: format::visible(&hint.rewrite),
        condition: format::pieces(&hint.condition),
        saving: format::percent_or_none(hint.saving.share),
        saving_interval: share_interval(&hint.saving),
        saving_energy: format::energy(hint.saving.energy),
        bound: format::percent_or_none(hint.bound.share),
        saving_width: width(&hint.saving),
        bound_width: width(&hint.bound),
        confidence: hint.confidence.name(),
        source: excerpt(data, hint),
    }
}

/// `file:first-last`.
pub fn place(hint: &Hint) -> String {
    if hint.start_line == hint.end_line {
        format!("{}:{}", hint.file, hint.start_line)
    } else {
        format!("{}:{}-{}", hint.file, hint.start_line, hint.end_line)
    }
}

/// An interval in percent of the scenario, or none.
pub fn share_interval(amount: &Amount) -> String {
    match amount.share_interval() {
        Some((lo, hi)) => format!("{} to {}", format::percent(lo), format::percent(hi)),
        None => format::NONE.into(),
    }
}

/// The source lines of a hint, without the indentation that all share.
fn excerpt(data: &ReportData<'_>, hint: &Hint) -> Vec<SourceLine> {
    let text = data.sources.get(&hint.file).map_or("", String::as_str);
    let first = (hint.start_line as usize).max(1);
    let count = (hint.end_line as usize + 1).saturating_sub(first).clamp(1, LONGEST_EXCERPT);
    let lines: Vec<String> =
        text.lines().skip(first - 1).take(count).map(format::visible).collect();
    let indent = |line: &String| line.chars().take_while(|c| *c == ' ').count();
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let common = filled.map(indent).min().unwrap_or(0);
    lines
        .iter()
        .enumerate()
        .map(|(i, line)| SourceLine {
            number: first + i,
            text: format::shortened(&line.chars().skip(common).collect::<String>(), 160),
        })
        .collect()
}
