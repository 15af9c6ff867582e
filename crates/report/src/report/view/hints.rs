//! Views of hints with their source lines.

use crate::format::{self, SentencePiece};
use crate::hint::{Caller, EnergyAmount, Hint, JointSaving, PATTERNS};
use crate::report::data::ReportData;
use crate::report::view::calls;
use crate::report::view::links::SourceLinks;

/// Largest number of hints on the page; the others are only in `hints.sarif`.
const SHOWN: usize = 40;
/// Number of hints that are open at first.
const OPEN: usize = 3;
/// Largest number of lines of a diff.
const LONGEST_DIFF: usize = 60;
/// Largest number of source lines of a hint.
const LONGEST_EXCERPT: usize = 24;

/// Largest number of rewrites that are named as left out.
const NAMED: usize = 5;

/// One hint on the page.
pub(crate) struct HintView {
    /// Number, from 1.
    pub rank: usize,
    /// Title of the pattern.
    pub title: &'static str,
    /// Where the pattern is described.
    pub reference: &'static str,
    /// Block's name.
    pub block: String,
    /// `File.java:first-last`.
    pub place: String,
    /// Its link into the source; empty where the page doesn't show it.
    pub href: String,
    /// Whether the hint is open at first.
    pub is_open: bool,
    /// Finding as a sentence.
    pub sentence: Vec<SentencePiece>,
    /// Advice on what to change.
    pub advice: Vec<SentencePiece>,
    /// Source text of the rewrite.
    pub rewrite: String,
    /// Condition under which the rewrite is equivalent.
    pub condition: Vec<SentencePiece>,
    /// Whether there is a predicted saving, not only a measured one.
    pub is_predicted: bool,
    /// Predicted saving in percent of the scenario.
    pub saving: String,
    /// Interval of the predicted saving, or `none`.
    pub saving_interval: String,
    /// Measured saving; empty where it was not measured.
    pub measured: String,
    /// Interval of the measured saving; empty where it was not measured.
    pub measured_interval: String,
    /// Saving of such rewrites on the board relative to the prediction; empty where unknown.
    pub on_board: String,
    /// Predicted saving in joules.
    pub saving_energy: String,
    /// Upper bound of the saving.
    pub bound: String,
    /// Width of the saving's bar in percent of the scenario.
    pub saving_width: String,
    /// Width of the bound's bar in percent of the scenario.
    pub bound_width: String,
    /// `low`, `medium` or `high`.
    pub confidence: &'static str,
    /// Source lines of the hint.
    pub source: Vec<SourceLine>,
    /// Unified diff of the automatic fix, if there is one.
    pub diff: Vec<DiffLine>,
    /// For a method to inline, its most frequent callers.
    pub callers: Vec<CallerView>,
}

/// A line of a diff with its style.
pub(crate) struct DiffLine {
    /// `head`, `added`, `removed` or `same`: the style.
    pub kind: &'static str,
    /// Text with its sign.
    pub text: String,
}

/// A caller of a method to inline.
pub(crate) struct CallerView {
    /// Class and method.
    pub name: String,
    /// Its link into the source; empty where the page doesn't show it.
    pub href: String,
    /// Number of its calls.
    pub calls: String,
    /// Share of all calls of the method.
    pub share: String,
}

/// A source line with its number.
pub(crate) struct SourceLine {
    /// Number, from 1.
    pub number: usize,
    /// Text.
    pub text: String,
}

/// Views of the hints that the page shows.
pub fn hint_views(data: &ReportData<'_>, links: &SourceLinks<'_>) -> Vec<HintView> {
    let shown = data.hints.iter().take(SHOWN).enumerate();
    shown.map(|(i, hint)| view(data, links, i + 1, hint)).collect()
}

/// View of one hint.
fn view(data: &ReportData<'_>, links: &SourceLinks<'_>, rank: usize, hint: &Hint) -> HintView {
    let title = PATTERNS.iter().find(|pattern| pattern.name == hint.pattern);
    let predicted = hint.predicted();
    let width = |amount: &EnergyAmount| format::bar_width(amount.share.unwrap_or(0.0));
    HintView {
        rank,
        title: title.map_or(hint.pattern, |pattern| pattern.title),
        reference: title.map_or("", |pattern| pattern.reference),
        block: format::visible(&hint.block_name),
        place: format::visible(&short_place(hint)),
        href: links.line(&hint.file, hint.start_line),
        is_open: rank <= OPEN,
        sentence: format::sentence_pieces(&hint.sentence),
        advice: format::sentence_pieces(&hint.advice),
        rewrite: format::visible(&hint.rewrite),
        condition: format::sentence_pieces(&hint.condition),
        is_predicted: predicted.is_some(),
        saving: format::percent_or_none(predicted.and_then(|saving| saving.share)),
        saving_interval: predicted.map_or(format::NONE.into(), share_interval),
        measured: hint
            .measured
            .map_or(String::new(), |measured| format::percent_or_none(measured.saving.share)),
        measured_interval: hint
            .measured
            .map_or(String::new(), |measured| share_interval(&measured.saving)),
        on_board: hint.on_board.map_or(String::new(), |ratio| ratio.to_string()),
        saving_energy: predicted.map_or("not predicted".into(), |it| format::energy(it.energy)),
        bound: format::percent_or_none(hint.bound.share),
        saving_width: predicted.map_or(format::bar_width(0.0), width),
        bound_width: width(&hint.bound),
        confidence: hint.confidence.name(),
        source: excerpt(data, hint),
        diff: hint.diff.as_deref().map_or(Vec::new(), diff),
        callers: hint.callers.iter().map(|caller| caller_view(caller, links)).collect(),
    }
}

/// Lines of a diff, with a note where it is cut.
fn diff(text: &str) -> Vec<DiffLine> {
    let head = text.lines().take_while(|line| !line.starts_with("@@")).count();
    let shown = text.lines().take(LONGEST_DIFF).enumerate();
    let mut lines: Vec<DiffLine> = shown.map(|(i, line)| diff_line(line, i < head)).collect();
    let more = text.lines().count().saturating_sub(LONGEST_DIFF);
    if more > 0 {
        let more = format::counted(more, "line");
        let text = format!("{more} more: wattline hints FOLDER --apply N --out DIR");
        lines.push(DiffLine { kind: "head", text });
    }
    lines
}

/// A line of a diff; those before the first hunk name the file.
fn diff_line(line: &str, is_name: bool) -> DiffLine {
    let kind = match line.as_bytes().first() {
        Some(b'@' | b'\\') => "head",
        _ if is_name => "head",
        Some(b'+') => "added",
        Some(b'-') => "removed",
        _ => "same",
    };
    DiffLine { kind, text: format::truncate(&format::visible(line), 160) }
}

fn caller_view(caller: &Caller, links: &SourceLinks<'_>) -> CallerView {
    CallerView {
        name: calls::short_method_name(&caller.method),
        href: links.method_of(&caller.method),
        calls: format::count(caller.calls),
        share: format::percent(caller.share),
    }
}

/// Code location of a hint: `file:first-last`.
pub fn code_location_text(hint: &Hint) -> String {
    if hint.start_line == hint.end_line {
        format!("{}:{}", hint.file, hint.start_line)
    } else {
        format!("{}:{}-{}", hint.file, hint.start_line, hint.end_line)
    }
}

/// Code location of a hint without folders.
pub(crate) fn short_place(hint: &Hint) -> String {
    let place = code_location_text(hint);
    place.rsplit('/').next().unwrap_or(&place).to_string()
}

/// Saving with its interval in percent of the scenario: `5.9 % (4.8 % to 7.0 %)`.
pub fn saving_share_text(amount: &EnergyAmount) -> String {
    format!("{} ({})", format::percent_or_none(amount.share), share_interval(amount))
}

/// Interval in percent of the scenario, or `none`.
pub fn share_interval(amount: &EnergyAmount) -> String {
    match amount.share_interval() {
        Some((lo, hi)) => format!("{} to {}", format::percent(lo), format::percent(hi)),
        None => format::NONE.into(),
    }
}

/// Sentence on the measured saving of all verified rewrites together, beside the sum of the single
/// ones.
pub fn joint_sentence(joint: &JointSaving) -> String {
    let rewrites = format::counted(joint.applied.len(), "measured rewrite");
    let together = saving_share_text(&joint.together.saving);
    let sum = match (&joint.sum, &joint.difference) {
        (Some(sum), Some(difference)) => format!(
            "the sum of the single savings is {}, and together less sum {}",
            saving_share_text(&sum.saving),
            saving_share_text(&difference.saving)
        ),
        _ => "there is no sum of single savings, since one was not measured by itself".to_owned(),
    };
    let left_out = match joint.overlapping.as_slice() {
        [] => String::new(),
        names => {
            let names: Vec<String> = names.iter().map(|name| format::visible(name)).collect();
            format!(" Left out, as they change the same code: {}.", format::listed(&names, NAMED))
        }
    };
    format!("Together {rewrites} save {together}; {sum}.{left_out}")
}

/// Source lines of a hint, without common indentation.
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
            text: format::truncate(&line.chars().skip(common).collect::<String>(), 160),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Interval;
    use crate::hint::MeasuredSaving;
    use crate::report::sample;
    use crate::units::Joules;

    #[test]
    fn three_hints_stand_open() {
        let sample = sample::report();
        let views = hint_views(&sample.data(), &SourceLinks::default());
        let open: Vec<bool> = views.iter().map(|view| view.is_open).collect();
        assert!(open.len() > 3, "{}", open.len());
        assert!(open.iter().enumerate().all(|(i, open)| *open == (i < 3)));
    }

    /// 2 J of 20 J together, 2.5 J one by one; without a sum it is said why.
    #[test]
    fn a_joint_saving_stands_beside_the_sum() {
        let amount = |energy_j: f64| EnergyAmount {
            energy: Joules(energy_j),
            interval: Some(Interval { lo: Joules(energy_j - 0.2), hi: Joules(energy_j + 0.2) }),
            share: Some(energy_j / 20.0),
        };
        let joint = JointSaving {
            applied: vec!["bulk-copy A.java:1".into(), "string-buffer A.java:9".into()],
            overlapping: vec!["unroll-loop A.java:1".into()],
            together: MeasuredSaving { saving: amount(2.0), pairs: 3 },
            sum: Some(MeasuredSaving { saving: amount(2.5), pairs: 3 }),
            difference: Some(MeasuredSaving { saving: amount(-0.5), pairs: 3 }),
        };
        let text = joint_sentence(&joint);
        assert!(text.starts_with("Together 2 measured rewrites save 10.0 % (9.0 % to 11.0 %); "));
        assert!(text.contains("single savings is 12.5 % (11.5 % to 13.5 %), and"), "{text}");
        assert!(text.contains("sum \u{2212}2.5 %") && text.ends_with("unroll-loop A.java:1."));
        let sample = sample::report();
        let data = ReportData { joint: Some(&joint), ..sample.data() };
        assert!(crate::report::report_page(&data).contains("id=\"joint-saving\""));
        let text = joint_sentence(&JointSaving { sum: None, overlapping: Vec::new(), ..joint });
        assert!(text.ends_with("one was not measured by itself."), "{text}");
    }

    #[test]
    fn a_diff_is_told_by_the_sign_of_its_lines() {
        let text = "--- a/A.java\n+++ b/A.java\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n--- i;\n";
        let kinds: Vec<&str> = diff(text).iter().map(|line| line.kind).collect();
        assert_eq!(kinds, ["head", "head", "head", "same", "removed", "added", "removed"]);
        let long = format!("@@ -1 +1 @@\n{}", " x\n".repeat(100));
        assert!(diff(&long).last().unwrap().text.starts_with("41 lines more"));
    }
}
