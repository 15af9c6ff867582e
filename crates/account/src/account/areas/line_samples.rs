//! Samples of areas by line, and how far lines' parts of their areas differ between runs.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::entry::Leaf;
use crate::account::profile::Hits;
use crate::account::profile::nearest_line::nearest;
use crate::model::areas::{Direct, Repeats, RunSpread, run_spread, share_of};

use super::grouped::Grouped;
use super::sampled_case::SampledCase;

/// Samples of one area by line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LineSamples {
    /// By those of its lines that count something, in one of which every sample with a line is.
    lines: BTreeMap<u32, OnLine>,
    /// Energy of all samples of the area, in joules.
    all_j: f64,
    /// Cases, of which each run has its samples by line.
    cases: Vec<Vec<BTreeMap<u32, u64>>>,
}

/// Samples on one line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct OnLine {
    samples: u64,
    /// What they stand for, in joules.
    energy_j: f64,
    /// Its variance in J^2 for a spread of 1 between runs.
    unit_variance_j2: f64,
    /// How far, relative, the line's part of the area differs between runs.
    run_spread: f64,
}

/// Samples of all areas by line.
pub(super) struct LineSamplesByGroup {
    /// By area.
    pub areas: Vec<LineSamples>,
    /// How far, relative, lines' parts of their areas differ between runs, all lines together;
    /// absent where no case was sampled twice.
    pub run_spread: Option<f64>,
}

impl LineSamplesByGroup {
    /// The samples of each area.
    pub fn of(leaves: &[Leaf<'_>], grouped: &Grouped, cases: &[SampledCase]) -> Self {
        let of_area =
            |own: Vec<usize>| own.iter().map(|leaf| leaves[*leaf].operation.line).collect();
        let known: Vec<BTreeSet<u32>> =
            grouped.leaves_of_areas().into_iter().map(of_area).collect();
        let mut areas = vec![LineSamples::default(); known.len()];
        // Inlined code that goes by its caller's name has lines of another method.
        for case in cases.iter().filter(|case| !case.hits.hides_inlined) {
            let sample_j = case.energy.0 / case.samples() as f64;
            for (area, of_case) in by_area(grouped, &known, &case.runs) {
                areas[area].add(of_case, sample_j);
            }
        }
        let spread = run_spread(&repeats(&areas));
        if let Some(spread) = &spread {
            let lines = areas.iter_mut().flat_map(|lined| lined.lines.values_mut());
            lines.zip(&spread.areas).for_each(|(line, own)| line.run_spread = *own);
        }
        Self { areas, run_spread: spread.map(|RunSpread { common, .. }| common) }
    }

    /// How far, relative, lines' parts of their areas differ between runs, by area and line.
    pub(crate) fn run_spreads(&self) -> BTreeMap<(usize, u32), f64> {
        let of_lines = |(area, lined): (usize, &LineSamples)| {
            let of_line = |(line, on): (&u32, &OnLine)| ((area, *line), on.run_spread);
            lined.lines.iter().map(of_line).collect::<Vec<_>>()
        };
        self.areas.iter().enumerate().flat_map(of_lines).collect()
    }
}

/// Samples of one area in one case.
#[derive(Debug, Clone, Default)]
struct OfCase {
    /// Of all its runs, those that name no line included.
    samples: u64,
    /// By line, run by run.
    runs: Vec<BTreeMap<u32, u64>>,
}

/// What each area has of the runs of a case; `known` are its lines that count something.
fn by_area(grouped: &Grouped, known: &[BTreeSet<u32>], runs: &[Hits]) -> BTreeMap<usize, OfCase> {
    let mut areas = BTreeMap::<usize, OfCase>::new();
    for (number, run) in runs.iter().enumerate() {
        for (method, samples) in &run.methods {
            let Some(area) = grouped.find(&method.0, &method.1) else { continue };
            let of_case = areas.entry(area).or_default();
            of_case.samples += samples;
            of_case.runs.resize(runs.len(), BTreeMap::new());
            for (line, samples) in run.lines_of(method) {
                if let Some(line) = nearest(&known[area], line) {
                    *of_case.runs[number].entry(line).or_default() += samples;
                }
            }
        }
    }
    areas
}

/// Runs of what each area has of each case, its lines numbered through all areas.
fn repeats(areas: &[LineSamples]) -> Vec<Repeats> {
    let mut first = 0;
    let mut repeats = Vec::new();
    for lined in areas {
        let of_run = |run: &BTreeMap<u32, u64>| {
            lined.lines.keys().map(|line| run.get(line).copied().unwrap_or_default()).collect()
        };
        let of_case = |runs: &Vec<BTreeMap<u32, u64>>| Repeats {
            first,
            runs: runs.iter().map(of_run).collect(),
        };
        repeats.extend(lined.cases.iter().map(of_case));
        first += lined.lines.len();
    }
    repeats
}

impl LineSamples {
    fn add(&mut self, OfCase { samples, runs }: OfCase, sample_j: f64) {
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

    /// What samples say of the part of a line of an area that spends `area_j`; the rest of the
    /// line is of samples without lines.
    pub fn direct(&self, line: u32, area_j: f64, spread: f64) -> Option<Direct> {
        let all = self.lines.values().map(|on| on.samples).sum();
        let lined_j: f64 = self.lines.values().map(|on| on.energy_j).sum();
        let on = self.lines.get(&line).copied().unwrap_or_default();
        let of_area = area_j / self.all_j;
        let counted = share_of(on.samples, all, of_area * lined_j, spread)?;
        let between_runs_j2 = (on.run_spread * of_area).powi(2) * on.unit_variance_j2;
        Some(Direct {
            energy_j: of_area * on.energy_j,
            variance_j2: counted.variance_j2 + between_runs_j2,
        })
    }

    /// The part of the samples that have a line, 0..1.
    pub fn part(&self) -> f64 {
        self.lines.values().map(|on| on.energy_j / self.all_j).sum::<f64>().min(1.0)
    }

    /// One run of one case, in which a sample is a millijoule.
    #[cfg(test)]
    pub(crate) fn of_one_run(samples: &[(u32, u64)]) -> Self {
        let mut lined = Self::default();
        let all = samples.iter().map(|(_, samples)| samples).sum();
        lined.add(OfCase { samples: all, runs: vec![samples.iter().copied().collect()] }, 1e-3);
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
            lined.add(OfCase { samples: 2000, runs: vec![run(600), run(400)] }, 1e-3);
        }
        let variance = |lined: &LineSamples| lined.direct(2, 8.0, 0.0).unwrap().variance_j2;
        let counted = variance(&lined);
        lined.lines.get_mut(&2).unwrap().run_spread = 0.1;
        // A joule a case, off by a tenth of it in each of two runs.
        let expected = 4.0 * 0.1f64.powi(2) / 2.0;
        assert!((variance(&lined) - counted - expected).abs() < 1e-12);
        let other = LineSamples::of_one_run(&[(7, 1), (8, 1)]);
        let of_case = Repeats { first: 2, runs: vec![vec![600, 400], vec![400, 600]] };
        assert_eq!(repeats(&[other, lined])[1..], vec![of_case; 4]);
    }
}
