//! A comparison as JUnit XML, which every build server shows: a test case for the
//! scenario and for each budget. An increase is a failure, missing data an error.

use std::fmt::Write as _;

use super::text::sentence;
use super::{Comparison, Verdict};
use crate::report::format;

/// The text of `compare.xml`.
pub fn junit(comparison: &Comparison) -> String {
    let headline = comparison.headline.verdict.unwrap_or(Verdict::NoData);
    let of_budgets = comparison.budgets.iter().map(|row| {
        let name = format!("budget of {} {}", row.budget.level, row.budget.name);
        let energy = row.energy.map_or(format::NONE.into(), format::energy);
        let interval = format::interval(row.interval);
        let budget = format::energy(row.budget.joules);
        (name, row.verdict, format!("{energy} ({interval}) of {budget}"))
    });
    let alone = Comparison { budgets: Vec::new(), ..comparison.clone() };
    let name = format!("scenario {}", comparison.headline.subject.name());
    let cases: Vec<(String, Verdict, String)> =
        std::iter::once((name, headline, sentence(&alone))).chain(of_budgets).collect();
    let count = |wanted| cases.iter().filter(|(_, verdict, _)| *verdict == wanted).count();
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let mut put = |line: String| writeln!(text, "{line}").expect("memory has no errors");
    let totals = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        cases.len(),
        count(Verdict::Increase),
        count(Verdict::NoData)
    );
    put(format!("<testsuites {totals}>\n  <testsuite name=\"wattline compare\" {totals}>"));
    for (name, verdict, message) in &cases {
        let (name, message) = (escaped(name), escaped(message));
        put(format!("    <testcase classname=\"energy\" name=\"{name}\">"));
        match verdict {
            Verdict::Pass => put(format!("      <system-out>{message}</system-out>")),
            Verdict::Increase => put(format!("      <failure message=\"{message}\"/>")),
            Verdict::NoData => put(format!("      <error message=\"{message}\"/>")),
        }
        put("    </testcase>".into());
    }
    put("  </testsuite>\n</testsuites>".into());
    text
}

/// Text for XML, without the characters that XML can't hold.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}
