//! The reference profile for accounts: runs of a profiler, with counting errors and with a spread
//! because a compiler decides anew in each process.

use std::collections::BTreeMap;

use crate::model::areas::{RepeatedRuns, run_spread};

use super::Hits;
use super::counted_lines::CountedLines;

/// Samples of one or more profiler runs of one workload.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReferenceProfile {
    /// Samples of all runs.
    hits: Hits,
    /// Samples of each run, by the processes that it consists of.
    runs: Vec<Vec<Hits>>,
}

/// Spread of samples by name between runs.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleSpread<K> {
    /// Relative spread between the runs, pooled over all names; absent for a single run.
    pub common: Option<f64>,
    /// Standard deviations of the runs' sums, in samples, by name. For a single run: what they
    /// would be if processes had a relative spread of 1.
    pub names: BTreeMap<K, f64>,
}

impl ReferenceProfile {
    /// Collects runs, each given as the samples of one or several processes.
    pub fn of(runs: Vec<Vec<Hits>>) -> Self {
        let mut hits = Hits::default();
        runs.iter().flatten().for_each(|part| hits.merge(part));
        Self { hits, runs }
    }

    /// Samples of all runs.
    pub fn hits(&self) -> &Hits {
        &self.hits
    }

    /// The profile with each sample on a line that has operations, as in accounts.
    pub(super) fn moved_to_counted_lines(&self, counted: &CountedLines<'_>) -> Self {
        let parts = |parts: &Vec<Hits>| {
            parts.iter().map(|part| part.moved_to_counted_lines(counted)).collect()
        };
        Self::of(self.runs.iter().map(parts).collect())
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Standard deviation of the samples of each name. For several runs with `N_i` samples it is
    /// `k s sqrt(sum N_i^2) / N`, where the name has `k` of all `N` samples and its own moderated
    /// spread `s` ([`run_spread`]); for one run with `k_p` in its processes, `sqrt(sum k_p^2)`.
    pub fn deviations<K: Ord + Clone>(
        &self,
        samples: fn(&Hits) -> &BTreeMap<K, u64>,
    ) -> SampleSpread<K> {
        match self.runs.as_slice() {
            [processes] => {
                SampleSpread { common: None, names: process_deviations(processes, samples) }
            }
            runs => spread_between_runs(runs, samples(&self.hits), samples),
        }
    }
}

fn process_deviations<K: Ord + Clone>(
    processes: &[Hits],
    samples: fn(&Hits) -> &BTreeMap<K, u64>,
) -> BTreeMap<K, f64> {
    let mut names: BTreeMap<K, f64> = BTreeMap::new();
    for (name, count) in processes.iter().flat_map(samples) {
        let sum = names.entry(name.clone()).or_default();
        *sum = sum.hypot(*count as f64);
    }
    names
}

fn spread_between_runs<K: Ord + Clone>(
    runs: &[Vec<Hits>],
    all: &BTreeMap<K, u64>,
    samples: fn(&Hits) -> &BTreeMap<K, u64>,
) -> SampleSpread<K> {
    let count = |parts: &Vec<Hits>, name: &K| -> u64 {
        parts.iter().filter_map(|part| samples(part).get(name)).sum()
    };
    let of_run =
        |parts: &Vec<Hits>| all.keys().map(|name| count(parts, name)).collect::<Vec<u64>>();
    let counts: Vec<Vec<u64>> = runs.iter().map(of_run).collect();
    let sizes: Vec<f64> = counts.iter().map(|run| run.iter().sum::<u64>() as f64).collect();
    let part = sizes.iter().map(|size| size * size).sum::<f64>().sqrt() / sizes.iter().sum::<f64>();
    let Some(spread) = run_spread(&[RepeatedRuns::of_all(counts)]) else {
        return SampleSpread { common: None, names: BTreeMap::new() };
    };
    let deviation =
        |((name, count), own): ((&K, &u64), &f64)| (name.clone(), *count as f64 * own * part);
    let names = all.iter().zip(&spread.areas).map(deviation).collect();
    SampleSpread { common: Some(spread.common), names }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(of: &[(&str, u64)]) -> Hits {
        let key = |&(method, n): &(&str, u64)| (("a.A".into(), method.into()), n);
        Hits { methods: of.iter().map(key).collect(), ..Hits::default() }
    }

    fn deviation(deviations: &SampleSpread<(String, String)>, method: &str) -> f64 {
        deviations.names[&("a.A".to_owned(), method.to_owned())]
    }

    /// Half as much of two runs as of one.
    #[test]
    fn several_runs_tell_their_own_error() {
        let run = |f, g| vec![hits(&[("f", f), ("g", g)])];
        let reference = ReferenceProfile::of(vec![run(6000, 4000), run(4000, 6000)]);
        let found = reference.deviations(|hits| &hits.methods);
        let common = found.common.unwrap();
        assert!((common - 0.28).abs() < 0.01, "{common}");
        for method in ["f", "g"] {
            let expected = 10_000.0 * common / 2f64.sqrt();
            assert!((deviation(&found, method) / expected - 1.0).abs() < 0.01, "{found:?}");
        }
        assert_eq!((reference.runs(), reference.hits().inside()), (2, 20_000));
    }

    #[test]
    fn parts_of_a_run_are_processes_of_their_own() {
        let parts = vec![hits(&[("f", 30), ("g", 5)]), hits(&[("f", 40)])];
        let found = ReferenceProfile::of(vec![parts]).deviations(|hits| &hits.methods);
        assert_eq!(found.common, None);
        assert_eq!((deviation(&found, "f"), deviation(&found, "g")), (50.0, 5.0));
        let nothing = ReferenceProfile::default().deviations(|hits| &hits.methods);
        assert_eq!((nothing.common, nothing.names.len()), (None, 0));
    }
}
