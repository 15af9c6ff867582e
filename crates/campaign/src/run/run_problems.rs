//! The problems of a campaign's runs by kind: number of bad runs for each kind of reason, and of
//! sessions that were begun again.

use std::collections::BTreeMap;

use super::record::{RunRecord, RunVerdict};

/// A kind of problem, with the number of runs that had it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunProblem {
    /// The reason with `N` in place of its numbers.
    pub reason: String,
    /// Number of runs with the problem.
    pub runs: usize,
    /// Folder of the first of these runs.
    pub first: String,
}

/// The kinds of problems in a campaign's records, the most frequent first.
pub fn run_problems(records: &[RunRecord]) -> Vec<RunProblem> {
    let mut kinds: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for record in records {
        let begun_again =
            record.conditions.warnings.iter().filter(|text| text.starts_with("begun again: "));
        let reasons = match &record.verdict {
            RunVerdict::Good => [].iter(),
            RunVerdict::Bad { reasons } => reasons.iter(),
        };
        for reason in reasons.chain(begun_again) {
            let kind = kinds.entry(without_numbers(reason));
            kind.or_insert_with(|| (0, record.folder.clone())).0 += 1;
        }
    }
    let mut run_problems: Vec<RunProblem> = kinds
        .into_iter()
        .map(|(reason, (runs, first))| RunProblem { reason, runs, first })
        .collect();
    run_problems.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.reason.cmp(&b.reason)));
    run_problems
}

/// The text with one `N` for each number.
fn without_numbers(text: &str) -> String {
    let mut kind = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        kind += before;
        kind.push('N');
        rest = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    }
    kind + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::campaign::tests::record;

    #[test]
    fn reasons_are_counted_whatever_their_numbers() {
        let bad = |repeat, reasons: &[&str]| {
            let reasons = reasons.iter().map(|reason| reason.to_string()).collect();
            RunRecord { verdict: RunVerdict::Bad { reasons }, ..record("base-a", repeat) }
        };
        let mut lost = RunRecord { verdict: RunVerdict::Good, ..record("base-a", 3) };
        lost.conditions.warnings = vec!["begun again: b: lost".into(), "not pinned".into()];
        let records = [bad(1, &["it lasted 10.20 s"]), bad(2, &["died", "it lasted 9 s"]), lost];
        let trouble = |reason: &str, runs, first: &str| RunProblem {
            reason: reason.into(),
            runs,
            first: first.into(),
        };
        let expected = [
            trouble("it lasted N s", 2, "base-a-power-1"),
            trouble("begun again: b: lost", 1, "base-a-power-3"),
            trouble("died", 1, "base-a-power-2"),
        ];
        assert_eq!(run_problems(&records), expected);
    }
}
