//! Before/after microbenchmarks: a loop that a hint's pattern finds, and the loop after its
//! rewrite. The part of the energy that the rewrite saves on a board is the value of the pattern
//! there.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::measure::MicrobenchmarkRun;
use super::{CatalogueError, Microbenchmark};

/// A rewrite as two microbenchmarks, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BeforeAfterPair {
    /// Name of the pattern of hints.
    pub pattern: String,
    /// Name of the pair among those of the pattern.
    pub name: String,
    /// The code that the pattern finds.
    pub before: Microbenchmark,
    /// The code after the rewrite.
    pub after: Microbenchmark,
}

/// The measured saving of a before/after microbenchmark on a board.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasuredPair {
    /// Name of the pattern of hints.
    pub pattern: String,
    /// Name of the pair among those of the pattern.
    pub name: String,
    /// Saved part of the energy before the rewrite, mean over sessions; negative if the rewrite
    /// costs more.
    pub saved: f64,
    /// Standard error of `saved`; none for a single session.
    pub saved_se: Option<f64>,
    /// Number of sessions.
    pub sessions: usize,
    /// Executions of each form of operation per iteration before.
    pub before: BTreeMap<String, f64>,
    /// Executions of each form of operation per iteration after.
    pub after: BTreeMap<String, f64>,
}

/// The built-in before/after microbenchmarks.
pub fn before_after_pairs() -> Vec<BeforeAfterPair> {
    parse(include_str!("pairs.toml")).expect("the built-in pairs are checked by a test")
}

/// The microbenchmarks of pairs, each before followed by its after.
pub fn microbenchmarks_of(pairs: &[BeforeAfterPair]) -> Vec<Microbenchmark> {
    pairs.iter().flat_map(|pair| [pair.before.clone(), pair.after.clone()]).collect()
}

/// Computes the savings of pairs from sessions and counted runs. A session counts for a pair if
/// both of its microbenchmarks ran on one board and the first used energy; a pair without sessions
/// is left out.
pub fn measured_pairs(
    pairs: &[BeforeAfterPair],
    sessions: &[Vec<MicrobenchmarkRun>],
    counts: &BTreeMap<String, BTreeMap<String, f64>>,
) -> Vec<MeasuredPair> {
    pairs.iter().filter_map(|pair| pair.measured(sessions, counts)).collect()
}

impl BeforeAfterPair {
    fn measured(
        &self,
        sessions: &[Vec<MicrobenchmarkRun>],
        counts: &BTreeMap<String, BTreeMap<String, f64>>,
    ) -> Option<MeasuredPair> {
        let saved: Vec<f64> = sessions.iter().filter_map(|runs| self.saved(runs)).collect();
        let n = saved.len() as f64;
        let mean = saved.iter().sum::<f64>() / n;
        let squares: f64 = saved.iter().map(|saved| (saved - mean).powi(2)).sum();
        Some(MeasuredPair {
            pattern: self.pattern.clone(),
            name: self.name.clone(),
            saved: Some(mean).filter(|mean| mean.is_finite())?,
            saved_se: (saved.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt()),
            sessions: saved.len(),
            before: counts.get(&self.before.name)?.clone(),
            after: counts.get(&self.after.name)?.clone(),
        })
    }

    /// Saved part of the energy in one session.
    fn saved(&self, runs: &[MicrobenchmarkRun]) -> Option<f64> {
        let per_iteration = |microbenchmark: &Microbenchmark| {
            let run = runs.iter().find(|run| run.name == microbenchmark.name)?;
            Some(run.energy_j / run.iterations as f64)
        };
        let (before, after) = (per_iteration(&self.before)?, per_iteration(&self.after)?);
        (before > 0.0).then(|| 1.0 - after / before)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairsFile {
    pair: Vec<PairEntry>,
}

/// A pair in the file of pairs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairEntry {
    pattern: String,
    name: String,
    #[serde(default)]
    locals: String,
    #[serde(default)]
    helper: String,
    before: String,
    after: String,
    keep: String,
}

impl PairEntry {
    fn pair(self) -> BeforeAfterPair {
        let stem = format!("{}_{}", self.pattern.replace('-', "_"), self.name);
        let microbenchmark = |which: &str, body: &str| Microbenchmark {
            name: format!("{stem}_{which}"),
            measures: Vec::new(),
            locals: self.locals.clone(),
            body: body.to_owned(),
            helper: self.helper.clone(),
            keep: self.keep.clone(),
            feed: None,
            copies: 1,
            places: 1,
            elements: None,
        };
        let (before, after) =
            (microbenchmark("before", &self.before), microbenchmark("after", &self.after));
        BeforeAfterPair { pattern: self.pattern, name: self.name, before, after }
    }
}

fn parse(text: &str) -> Result<Vec<BeforeAfterPair>, CatalogueError> {
    let file: PairsFile = toml::from_str(text)?;
    let pairs: Vec<BeforeAfterPair> = file.pair.into_iter().map(PairEntry::pair).collect();
    let mut names = BTreeSet::new();
    match pairs.iter().find(|pair| !names.insert(&pair.before.name)) {
        Some(twice) => Err(CatalogueError::Twice(twice.before.name.clone())),
        None => Ok(pairs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, iterations: u64, energy_j: f64) -> MicrobenchmarkRun {
        MicrobenchmarkRun {
            name: name.into(),
            device: "board".into(),
            iterations,
            gc_runs: 0,
            energy_j,
            duration_s: 1.0,
        }
    }

    /// Half is saved in one session and 30 % in the other; a third has only one of the two.
    #[test]
    fn what_is_saved_is_told_session_by_session() {
        let pair = &before_after_pairs()[0];
        let (before, after) = (&*pair.before.name, &*pair.after.name);
        let sessions = [
            vec![run(before, 10, 20.0), run(after, 20, 20.0)],
            vec![run(before, 10, 10.0), run(after, 10, 7.0)],
            vec![run(before, 10, 10.0)],
        ];
        let count = |n: f64| BTreeMap::from([("Not".to_string(), n)]);
        let counts = BTreeMap::from([(before.to_string(), count(2.0)), (after.into(), count(1.0))]);
        let found = measured_pairs(std::slice::from_ref(pair), &sessions, &counts);
        assert_eq!(found.len(), 1);
        assert!((found[0].saved - 0.4).abs() < 1e-12 && found[0].sessions == 2);
        assert!((found[0].saved_se.unwrap() - 0.1).abs() < 1e-12);
        assert_eq!((found[0].before["Not"], found[0].after["Not"]), (2.0, 1.0));
        assert!(measured_pairs(&before_after_pairs(), &[], &counts).is_empty());
    }

    #[test]
    fn names_are_those_of_java() {
        for microbenchmark in microbenchmarks_of(&before_after_pairs()) {
            assert!(microbenchmark.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
        }
    }
}
