//! Formatting of figures and foreign text in reports.

use std::fmt::{Display, Write as _};
use std::path::Path;

use crate::interval::Interval;
use crate::units::Joules;

/// Text in the place of a missing figure.
pub const NONE: &str = "none";

/// Formats an energy with three significant digits and the micro sign: `30.6 µJ`.
pub fn energy(energy: Joules) -> String {
    energy.to_string().replace(" uJ", " µJ").replace('-', "\u{2212}")
}

/// Formats an interval, or `none`: `11.9 mJ to 12.8 mJ`.
pub fn interval(interval: Option<Interval>) -> String {
    interval.map_or(NONE.into(), |i| format!("{} to {}", energy(i.lo), energy(i.hi)))
}

/// Formats a part of a whole with one decimal: `26.3 %`; two below 1 %, and `< 0.01 %`.
pub fn percent(part: f64) -> String {
    let size = part.abs() * 100.0;
    let sign = if part < 0.0 { "\u{2212}" } else { "" };
    match size {
        size if !size.is_finite() => NONE.into(),
        size if size >= 1e6 => format!("{sign}{size:.2e} %"),
        size if size >= 1000.0 => format!("{sign}{size:.0} %"),
        size if size >= 0.95 || size == 0.0 => format!("{sign}{size:.1} %"),
        size if size >= 0.005 => format!("{sign}{size:.2} %"),
        _ => "< 0.01 %".into(),
    }
}

/// Formats a change as a part of a whole, as [`percent`] with its sign: `+26.3 %`.
pub fn signed_percent(part: f64) -> String {
    let text = percent(part);
    let is_small = text.starts_with('<');
    if part > 0.0 && !is_small && text != NONE { format!("+{text}") } else { text }
}

/// Piece of a sentence, source text or prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePiece {
    /// Whether it stood between backticks: source text.
    pub is_code: bool,
    /// The text.
    pub text: String,
}

/// Splits a sentence at its backticks, and makes invisible characters in it visible.
pub fn sentence_pieces(sentence: &str) -> Vec<SentencePiece> {
    let parts = sentence.split('`').enumerate().filter(|(_, text)| !text.is_empty());
    parts.map(|(i, text)| SentencePiece { is_code: i % 2 == 1, text: visible(text) }).collect()
}

/// Joins the first `shown` texts, and how many more there are: `a, b and 3 more`.
pub fn listed<T: Display>(texts: &[T], shown: usize) -> String {
    let first: Vec<String> = texts.iter().take(shown).map(T::to_string).collect();
    match texts.len().saturating_sub(shown) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Formats a part of a whole as [`percent`], or `none`.
pub fn percent_or_none(part: Option<f64>) -> String {
    part.map_or(NONE.into(), percent)
}

/// Formats a correlation with four decimals, as the difference between models lies there.
pub fn correlation(r: Option<f64>) -> String {
    r.filter(|r| r.is_finite()).map_or(NONE.into(), |r| format!("{r:.4}"))
}

/// Formats a count with thin spaces between thousands.
pub fn count(count: u64) -> String {
    grouped(count).replace(' ', "\u{202f}")
}

/// Formats a count with its noun in singular or plural: `1 file`, `2 files`, `3 entries`. `one`
/// is the singular.
pub fn counted(count: impl Display, one: &str) -> String {
    counted_as(count, one, &plural(one))
}

/// Formats a count with a phrase for one or for many, where a verb changes with the noun:
/// `1 file is new`, `2 files are new`.
pub fn counted_as(count: impl Display, one: &str, many: &str) -> String {
    let count = count.to_string();
    let words = if count == "1" { one } else { many };
    format!("{count} {words}")
}

/// Formats a count of features with costs: operations, and library functions, which are counted
/// as operations are.
pub fn counted_operations(count: impl Display) -> String {
    counted_as(count, "operation or library function", "operations and library functions")
}

/// Returns the plural of a noun.
fn plural(one: &str) -> String {
    let ends = |ends: &[&str]| ends.iter().any(|end| one.ends_with(end));
    match one.strip_suffix('y') {
        Some(stem) if !ends(&["ay", "ey", "oy", "uy"]) => format!("{stem}ies"),
        _ if ends(&["s", "x", "ch", "sh"]) => format!("{one}es"),
        _ => format!("{one}s"),
    }
}

/// Formats a count with spaces between thousands: `1 234 567`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// Formats a part (0..1) as the width of a bar in percent for CSS: between 0 and 100, with a
/// decimal point.
pub fn bar_width(part: f64) -> String {
    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
    format!("{:.2}", part * 100.0)
}

/// Escapes text so that nothing of it is read as markup, in HTML and in XML, attributes included.
pub fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Replaces characters of foreign text that change how the text around them is read (control
/// characters and those that reorder text) by their codes.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str("    "),
            '\n' => shown.push('\n'),
            '\r' | '\u{feff}' => {}
            c if c.is_control() || is_hiding_or_reordering(c) => {
                write!(shown, "\\u{:04X}", c as u32).expect("writing to a String can't fail");
            }
            c => shown.push(c),
        }
    }
    shown
}

/// Makes a name [`visible`] and replaces its line breaks by their code, for use within a line.
pub fn visible_name(name: &str) -> String {
    visible(name).replace('\n', "\\u000A")
}

/// Formats a path for a sentence, as [`visible_name`] does.
pub fn visible_path(path: &Path) -> String {
    visible_name(&path.to_string_lossy())
}

/// Whether a character reorders or hides text: bidirectional controls, zero-width ones,
/// line separators; or is none, which XML forbids.
fn is_hiding_or_reordering(c: char) -> bool {
    matches!(
        c,
        '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{061c}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Cuts text to at most `width` characters, the end replaced by an ellipsis.
pub fn truncate(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_kind_is_not_many() {
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(0, "file"), "0 files");
        assert_eq!(counted(grouped(1234), "entry"), "1 234 entries");
        assert_eq!(counted(2u64, "class"), "2 classes");
        assert_eq!(counted(3, "key"), "3 keys");
        assert_eq!(counted(1.0, "row"), "1 row");
        assert_eq!(counted_as(1, "file is", "files are"), "1 file is");
        assert_eq!(counted_as(0, "file is", "files are"), "0 files are");
        assert_eq!(counted_operations(1), "1 operation or library function");
    }

    #[test]
    fn figures_have_units_or_say_none() {
        assert_eq!(energy(Joules(30.6e-6)), "30.6 µJ");
        assert_eq!(percent(0.26333), "26.3 %");
        assert_eq!(percent(0.0004), "0.04 %");
        assert_eq!(percent(1e-9), "< 0.01 %");
        assert_eq!(percent(f64::NAN), "none");
        assert_eq!(percent(1e300), "1.00e302 %");
        assert_eq!(percent(-0.5), "\u{2212}50.0 %");
        let signed = [0.2633, -0.001, 0.0, 1e-9, f64::INFINITY].map(signed_percent);
        assert_eq!(signed, ["+26.3 %", "\u{2212}0.10 %", "0.0 %", "< 0.01 %", "none"]);
        assert_eq!(interval(None), "none");
        assert_eq!(bar_width(f64::INFINITY), "0.00");
    }

    #[test]
    fn backticks_mark_source_text() {
        let code: Vec<bool> =
            sentence_pieces("`a` and `b`.").iter().map(|piece| piece.is_code).collect();
        assert_eq!(code, [true, false, true, false]);
    }

    #[test]
    fn text_that_would_reorder_the_page_is_shown_as_codes() {
        assert_eq!(visible("a\u{202e}b\u{0}\tc\r"), "a\\u202Eb\\u0000    c");
        assert_eq!(visible_name("a\n\u{1b}[2Jb\u{9b}1m"), "a\\u000A\\u001B[2Jb\\u009B1m");
        assert_eq!(truncate("abcdef", 4), "abc…");
    }
}
