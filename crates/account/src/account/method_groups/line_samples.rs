//! Samples of method groups by line, and the spread of lines' parts between runs.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::entry::Leaf;
use crate::account::profile::Hits;
use crate::account::profile::nearest_line::nearest_counted_line;
use crate::model::areas::{DirectEstimate, RepeatedRuns, RunSpread, direct_estimate, run_spread};

use super::grouped_leaves::GroupedLeaves;
use super::sampled_case::SampledCase;

/// Samples of one method group by line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LineSamples {
    /// By line that has operations; every sample with a line is on one of these.
    lines: BTreeMap<u32, LineSampleEnergy>,
    /// Energy of all samples of the group, in joules.
    all_j: f64,
    /// Samples by line, run by run, case by case.
    cases: Vec<Vec<BTreeMap<u32, u64>>>,
}

/// Samples on one line, with their energy and spread.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct LineSampleEnergy {
    samples: u64,
    /// Energy that the samples represent, in joules.
    energy_j: f64,
    /// Variance of that energy in J^2 for a relative spread of 1 between runs.
    unit_variance_j2: f64,
    /// Relative spread between runs of the line's part of the group.
    run_spread: f64,
}

/// Samples of all method groups by line.
pub(super) struct LineSamplesByGroup {
    /// Samples of each group, by group index.
    pub groups: Vec<LineSamples>,
    /// Relative spread between runs of lines' parts of their groups, pooled; absent where no case
    /// was sampled twice.
    pub run_spread: Option<f64>,
}

impl LineSamplesByGroup {
    /// Collects the samples of each group by line.
    pub fn of(leaves: &[Leaf<'_>], grouped: &GroupedLeaves, cases: &[SampledCase]) -> Self {
        let of_group =
            |own: Vec<usize>| own.iter().map(|leaf| leaves[*leaf].operation.line).collect();
        let known: Vec<BTreeSet<u32>> =
            grouped.leaves_by_group().into_iter().map(of_group).collect();
        let mut groups = vec![LineSamples::default(); known.len()];
        // Inlined code that goes by its caller's name has lines of another method.
        for case in cases.iter().filter(|case| !case.hits.hides_inlined) {
            let sample_j = case.energy.0 / case.samples() as f64;
            for (group, of_case) in samples_by_group(grouped, &known, &case.runs) {
                groups[group].add(of_case, sample_j);
            }
        }
        let spread = run_spread(&repeated_runs(&groups));
        if let Some(spread) = &spread {
            let lines = groups.iter_mut().flat_map(|lined| lined.lines.values_mut());
            lines.zip(&spread.areas).for_each(|(line, own)| line.run_spread = *own);
        }
        Self { groups, run_spread: spread.map(|RunSpread { common, .. }| common) }
    }

    /// Relative spread between runs of lines' parts, by group index and line.
    pub(crate) fn run_spreads(&self) -> BTreeMap<(usize, u32), f64> {
        let of_lines = |(group, lined): (usize, &LineSamples)| {
            let of_line = |(line, on): (&u32, &LineSampleEnergy)| ((group, *line), on.run_spread);
            lined.lines.iter().map(of_line).collect::<Vec<_>>()
        };
        self.groups.iter().enumerate().flat_map(of_lines).collect()
    }
}

/// Samples of one method group in one case.
#[derive(Debug, Clone, Default)]
struct CaseSamples {
    /// Samples of all runs, those without a line included.
    samples: u64,
    /// Samples by line, run by run.
    runs: Vec<BTreeMap<u32, u64>>,
}

/// Samples of each group in a case's runs; `known` has the lines of each group that have
/// operations.
fn samples_by_group(
    grouped: &GroupedLeaves,
    known: &[BTreeSet<u32>],
    runs: &[Hits],
) -> BTreeMap<usize, CaseSamples> {
    let mut groups = BTreeMap::<usize, CaseSamples>::new();
    for (number, run) in runs.iter().enumerate() {
        for (method, samples) in &run.methods {
            let Some(group) = grouped.group_of(&method.0, &method.1) else { continue };
            let of_case = groups.entry(group).or_default();
            of_case.samples += samples;
            of_case.runs.resize(runs.len(), BTreeMap::new());
            for (line, samples) in run.lines_of(method) {
                if let Some(line) = nearest_counted_line(&known[group], line) {
                    *of_case.runs[number].entry(line).or_default() += samples;
                }
            }
        }
    }
    groups
}

/// Sample counts by run for each case of each group, with lines numbered over all groups.
fn repeated_runs(groups: &[LineSamples]) -> Vec<RepeatedRuns> {
    let mut first = 0;
    let mut repeats = Vec::new();
    for lined in groups {
        let of_run = |run: &BTreeMap<u32, u64>| {
            lined.lines.keys().map(|line| run.get(line).copied().unwrap_or_default()).collect()
        };
        let of_case = |runs: &Vec<BTreeMap<u32, u64>>| RepeatedRuns {
            first,
            runs: runs.iter().map(of_run).collect(),
        };
        repeats.extend(lined.cases.iter().map(of_case));
        first += lined.lines.len();
    }
    repeats
}

impl LineSamples {
    fn add(&mut self, CaseSamples { samples, runs }: CaseSamples, sample_j: f64) {
        self.all_j += samples as f64 * sample_j;
        let mut lines = BTreeMap::<u32, u64>::new();
        for (line, samples) in runs.iter().flatten() {
            *lines.entry(*line).or_default() += samples;
        }
        for (line, samples) in lines {
            let energy_j = samples as f64 * sample_j;
            let on = self.lines.entry(line).or_default();
            on.samples += samples;
            on.energy_j += energy_j;
            on.unit_variance_j2 += energy_j.powi(2) / runs.len() as f64;
        }
        self.cases.push(runs);
    }

    /// Whether no sample names a line.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Estimate of a line's energy from samples with lines, for a group of energy `group_j` in
    /// joules and a relative spread `spread`.
    pub fn direct_estimate(&self, line: u32, group_j: f64, spread: f64) -> Option<DirectEstimate> {
        let all = self.lines.values().map(|on| on.samples).sum();
        let lined_j: f64 = self.lines.values().map(|on| on.energy_j).sum();
        let on = self.lines.get(&line).copied().unwrap_or_default();
        let of_group = group_j / self.all_j;
        let counted = direct_estimate(on.samples, all, of_group * lined_j, spread)?;
        let between_runs_j2 = (on.run_spread * of_group).powi(2) * on.unit_variance_j2;
        Some(DirectEstimate {
            energy_j: of_group * on.energy_j,
            variance_j2: counted.variance_j2 + between_runs_j2,
        })
    }

    /// Share of samples that have a line, 0..1.
    pub fn lined_share(&self) -> f64 {
        self.lines.values().map(|on| on.energy_j / self.all_j).sum::<f64>().min(1.0)
    }

    /// One run of one case, in which a sample is a millijoule.
    #[cfg(test)]
    pub(crate) fn of_one_run(samples: &[(u32, u64)]) -> Self {
        let mut lined = Self::default();
        let all = samples.iter().map(|(_, samples)| samples).sum();
        lined
            .add(CaseSamples { samples: all, runs: vec![samples.iter().copied().collect()] }, 1e-3);
        lined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line's error between runs is of each case's mean over its runs, and cases are
    /// independent of each other.
    #[test]
    fn cases_of_two_runs_halve_the_variance_of_each() {
        let run = |first: u64| BTreeMap::from([(2, first), (3, 1000 - first)]);
        let mut lined = LineSamples::default();
        for _ in 0..4 {
            lined.add(CaseSamples { samples: 2000, runs: vec![run(600), run(400)] }, 1e-3);
        }
        let variance =
            |lined: &LineSamples| lined.direct_estimate(2, 8.0, 0.0).unwrap().variance_j2;
        let counted = variance(&lined);
        lined.lines.get_mut(&2).unwrap().run_spread = 0.1;
        // A joule a case, off by a tenth of it in each of two runs.
        let expected = 4.0 * 0.1f64.powi(2) / 2.0;
        assert!((variance(&lined) - counted - expected).abs() < 1e-12);
        let other = LineSamples::of_one_run(&[(7, 1), (8, 1)]);
        let of_case = RepeatedRuns { first: 2, runs: vec![vec![600, 400], vec![400, 600]] };
        assert_eq!(repeated_runs(&[other, lined])[1..], vec![of_case; 4]);
    }
}
