//! Estimates of the lines of sampled methods. Where samples have lines, a line's part of its
//! method's energy combines samples and count-based costs, by the estimator that finds the
//! methods' parts of the whole; elsewhere count-based costs alone divide a method.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::account::cost::CountVector;
use crate::account::entry::{BlockLine, Leaf, LeafTotals};
use crate::assumptions::Assumptions;
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::model::areas::{
    AreaCostPrior, AreaEstimate, BlockEffectTails, DirectEstimate, SmallArea, benchmark_to_total,
    estimate_areas,
};
use crate::units::Joules;

use super::grouped_leaves::GroupedLeaves;
use super::line_samples::LineSamples;
use super::method_group::MethodGroup;
use super::split_energy::{split_energy, weights};

/// Estimate of one line of a method group; of the whole group where its samples have no lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineEstimate {
    /// Index of its group.
    pub group: usize,
    /// Energy; the estimates of a group add up to the group's energy.
    pub energy: Femtojoules,
    /// Energy and executions by code location.
    pub places: BTreeMap<BlockLine, LeafTotals>,
    /// How often each cost occurs in the line.
    pub counts: CountVector,
    /// Interval and variance by samples, given the group's energy; absent where the share is
    /// count-based.
    pub sampled: Option<SampledPart>,
}

/// Uncertainty of a line's energy, given its method's energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SampledPart {
    /// 95 % interval of the line's energy.
    pub interval: Interval,
    /// Variance of the error of the line's energy in J^2.
    pub variance_j2: f64,
}

/// Line estimates of all groups, and the relative SD of the block effect of lines.
pub(super) struct LineEstimates {
    pub line_estimates: Vec<LineEstimate>,
    pub block_effect_sd: Option<f64>,
}

impl LineEstimates {
    /// Distributes the groups' energies over their lines, and rescales the leaves from
    /// count-based parts to these estimates.
    pub fn share_among_lines(
        leaves: &mut [Leaf<'_>],
        grouped: &GroupedLeaves,
        groups: &[MethodGroup],
        lined: &[LineSamples],
        assumed: &Assumptions,
    ) -> Self {
        let pieces = unestimated_lines(leaves, grouped, lined, assumed);
        let (estimates, block_effect_sd) = estimate_lines(&pieces);
        let mut line_estimates = Vec::with_capacity(pieces.len());
        for of_group in ranges_by_group(&pieces) {
            let group = pieces[of_group.start].group;
            let energies = energies_adding_up(groups[group].energy, &pieces, &estimates, &of_group);
            for (at, energy) in of_group.zip(energies) {
                let counts = pieces[at].set_energy(leaves, energy, line_estimates.len());
                let sampled = estimates[at].map(|estimate| pieces[at].sampled(energy, &estimate));
                let places = places(leaves, &pieces[at].leaves);
                line_estimates.push(LineEstimate { group, energy, places, counts, sampled });
            }
        }
        Self { line_estimates, block_effect_sd }
    }
}

fn places(leaves: &[Leaf<'_>], own: &[usize]) -> BTreeMap<BlockLine, LeafTotals> {
    let mut places = BTreeMap::<_, LeafTotals>::new();
    for leaf in own.iter().map(|leaf| &leaves[*leaf]) {
        *places.entry(leaf.block_line()).or_default() += leaf.into();
    }
    places
}

/// A line of a group before its estimate: leaves, count-based energy and samples.
struct UnestimatedLine {
    group: usize,
    leaves: Vec<usize>,
    /// Count-based energy in joules.
    words_j: f64,
    /// Energy in joules if all operations cost the same.
    flat_j: f64,
    /// Estimate from samples with lines, and the share of the line that it covers, 0..1.
    direct: Option<(DirectEstimate, f64)>,
}

impl UnestimatedLine {
    /// Sets the line's energy, which its leaves share; returns their counts.
    fn set_energy(
        &self,
        leaves: &mut [Leaf<'_>],
        energy: Femtojoules,
        line_estimate: usize,
    ) -> CountVector {
        let mut counts = CountVector::default();
        for (leaf, part) in
            self.leaves.iter().zip(split_energy(energy, &weights(leaves, &self.leaves)))
        {
            let leaf = &mut leaves[*leaf];
            leaf.set_energy(part);
            leaf.line_estimate = Some(line_estimate);
            if let Some(cost) = leaf.cost {
                counts.add(cost, leaf.weighted);
            }
        }
        counts
    }

    /// Uncertainty of the line, its interval shifted with the energy `energy`.
    fn sampled(&self, energy: Femtojoules, estimate: &AreaEstimate) -> SampledPart {
        let energy_j = energy.joules().0;
        let moved = energy_j - self.whole_j(estimate.energy_j);
        let end = |j: f64| self.whole_j(j) + moved;
        let lo = end(estimate.lo_j).clamp(0.0, energy_j.max(0.0));
        let interval = Interval { lo: Joules(lo), hi: Joules(end(estimate.hi_j).max(energy_j)) };
        SampledPart { interval, variance_j2: estimate.mse_j2 }
    }

    /// Adds the share of samples without lines to an energy of samples with lines, in joules.
    fn whole_j(&self, lined_j: f64) -> f64 {
        let part = self.direct.map_or(0.0, |(_, part)| part);
        lined_j + (1.0 - part) * self.words_j
    }
}

/// The lines of all groups before their estimates, group by group.
fn unestimated_lines(
    leaves: &[Leaf<'_>],
    grouped: &GroupedLeaves,
    lined: &[LineSamples],
    assumed: &Assumptions,
) -> Vec<UnestimatedLine> {
    let sum = |of: &[usize], value: fn(&Leaf<'_>) -> f64| -> f64 {
        of.iter().map(|leaf| value(&leaves[*leaf])).sum()
    };
    let joules = |of: &[usize]| sum(of, |leaf| leaf.energy.joules().0);
    let executions = |of: &[usize]| sum(of, |leaf| leaf.instructions() as f64);
    let mut pieces = Vec::new();
    for (group, own) in grouped.leaves_by_group().into_iter().enumerate() {
        let group_j = joules(&own);
        if lined[group].is_empty() || group_j <= 0.0 {
            pieces.push(UnestimatedLine {
                group,
                leaves: own,
                words_j: group_j,
                flat_j: group_j,
                direct: None,
            });
            continue;
        }
        let once_j = group_j / executions(&own).max(1.0);
        let mut by: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for leaf in own {
            by.entry(leaves[leaf].operation.line).or_default().push(leaf);
        }
        let lined = &lined[group];
        pieces.extend(by.into_iter().map(|(line, leaves)| {
            let direct = lined.direct_estimate(line, group_j, assumed.sampled_line_spread);
            let direct = direct.map(|direct| (direct, lined.lined_share()));
            let (words_j, flat_j) = (joules(&leaves), once_j * executions(&leaves));
            UnestimatedLine { group, words_j, flat_j, leaves, direct }
        }));
    }
    pieces
}

/// Estimates of all lines from count-based costs and samples, and the relative SD of their block
/// effect. The costs stay as they are, since the method's energy is known.
fn estimate_lines(pieces: &[UnestimatedLine]) -> (Vec<Option<AreaEstimate>>, Option<f64>) {
    let group = |piece: &UnestimatedLine| {
        let (direct, part) = piece.direct?;
        let words_j = part * piece.words_j;
        // Costs of single operations may be far too low, and no line is better known by the
        // words than by a sample.
        let usual_j = part * (piece.words_j + piece.flat_j) / 2.0;
        let scale = usual_j.max(direct.variance_j2.sqrt());
        Some(SmallArea { counts: vec![words_j], scale, direct: Some(direct) })
    };
    let groups: Vec<SmallArea> = pieces.iter().filter_map(group).collect();
    let known = AreaCostPrior::Normal { mean: vec![1.0], covariance: vec![0.0] };
    let Ok(fit) = estimate_areas(&groups, &known, BlockEffectTails::Estimated) else {
        return (vec![None; pieces.len()], None);
    };
    let mut estimates = fit.estimates.into_iter();
    let of = |piece: &UnestimatedLine| piece.direct.and_then(|_| estimates.next());
    (pieces.iter().map(of).collect(), fit.block_effect_sd)
}

/// Ranges of the lines of each group.
fn ranges_by_group(pieces: &[UnestimatedLine]) -> Vec<Range<usize>> {
    let mut start = 0;
    let chunk = |of: &[UnestimatedLine]| {
        let range = start..start + of.len();
        start = range.end;
        range
    };
    pieces.chunk_by(|a, b| a.group == b.group).map(chunk).collect()
}

/// Energies of a group's lines that add up to the group's energy.
fn energies_adding_up(
    energy: Femtojoules,
    pieces: &[UnestimatedLine],
    estimates: &[Option<AreaEstimate>],
    of_group: &Range<usize>,
) -> Vec<Femtojoules> {
    let said = |at: usize| match estimates[at] {
        Some(estimate) => (pieces[at].whole_j(estimate.energy_j), estimate.mse_j2),
        None => (pieces[at].words_j, 0.0),
    };
    let (energies, errors): (Vec<f64>, Vec<f64>) = of_group.clone().map(said).unzip();
    split_energy(energy, &benchmark_to_total(&energies, &errors, energy.joules().0))
}

#[cfg(test)]
mod tests {
    use crate::account::profile::Hits;
    use crate::account::sample::{OwnedScenario, block, model, with_relative_error};
    use crate::account::{AccountInput, Accounts, MeasuredEnergies, SampledCase, account};
    use crate::assumptions::{ASSUMED, Assumptions};
    use crate::blocks::BlockId;
    use crate::exact::Femtojoules;
    use crate::interval::Interval;
    use crate::operations::Dictionary;
    use crate::units::Joules;

    use super::{UnestimatedLine, estimate_lines};
    use crate::account::method_groups::line_samples::LineSamples;

    const ADDITION: &str = "Addition_int_int";

    /// `run` has two lines that cost the same by the words, 2 and 3 of the file; `other` has
    /// line 7. All three spend 100 uJ.
    fn program() -> OwnedScenario {
        let line = |line, n| (ADDITION, line, n);
        let blocks = vec![
            block(0, ("d.A", "run()"), ("", "entry"), (2, 3), &[line(2, 1), line(3, 1)]),
            block(1, ("d.A", "other()"), ("", "entry"), (7, 7), &[line(7, 1)]),
        ];
        OwnedScenario {
            dictionary: Dictionary { blocks },
            executions: (0..2).map(|id| (BlockId(id), 100)).collect(),
            model: with_relative_error(model(&[(ADDITION, 1e-6)]), 0.1),
            measured: MeasuredEnergies { total: Joules(300e-6), ..MeasuredEnergies::default() },
        }
    }

    /// Samples of `run` by line, 0 for none, and as many of `other` as of half of `run`.
    fn accounted(of_run: &[(u32, u64)]) -> Accounts {
        let name = |method: &str| ("d.A".to_owned(), method.to_owned());
        let all = of_run.iter().map(|(_, n)| n).sum::<u64>();
        let lined = of_run.iter().filter(|(line, _)| *line > 0);
        let hits = Hits {
            methods: [(name("run()"), all), (name("other()"), all / 2)].into(),
            places: lined.map(|(line, n)| ((name("run()"), *line), *n)).collect(),
            ..Hits::default()
        };
        let cases = [SampledCase::of(Joules(300e-6), vec![hits]).unwrap()];
        account(&AccountInput { samples: &cases, ..program().scenario() })
    }

    /// Runs whose lines differ by more than they are counted to are known the worse.
    #[test]
    fn lines_that_differ_between_runs_have_wider_intervals() {
        let width = |tilt: u64| {
            let name = ("d.A".to_owned(), "run()".to_owned());
            let run = |first| Hits {
                methods: [(name.clone(), 100_000), (("d.A".into(), "other()".into()), 50_000)]
                    .into(),
                places: [((name.clone(), 2), first), ((name.clone(), 3), 100_000 - first)].into(),
                ..Hits::default()
            };
            let runs = vec![run(50_000 + tilt), run(50_000 - tilt)];
            let cases = [SampledCase::of(Joules(300e-6), runs).unwrap()];
            let accounts = account(&AccountInput { samples: &cases, ..program().scenario() });
            let spread = accounts.method_groups.as_ref().unwrap().line_run_spread.unwrap();
            let (energy, interval) = line(&accounts, 2);
            (spread, 1e6 * (interval.hi.0 - interval.lo.0) / energy)
        };
        let (steady, differing) = (width(0), width(25_000));
        assert_eq!(steady.0, 0.0);
        assert!((differing.0 - 0.5f64.sqrt()).abs() < 0.01, "{differing:?}");
        assert!(differing.1 > 1.5 * steady.1, "{steady:?} {differing:?}");
    }

    /// A line's energy in microjoules, and its interval.
    fn line(accounts: &Accounts, line: u32) -> (f64, Interval) {
        let entry = accounts.lines.iter().find(|entry| entry.key.line == line).unwrap();
        (1e6 * entry.joules().0, entry.interval.unwrap())
    }

    #[test]
    fn lines_are_what_many_samples_say() {
        let accounts = accounted(&[(2, 150_000), (3, 50_000)]);
        for (number, expected) in [(2, 150.0), (3, 50.0), (7, 100.0)] {
            let (energy, interval) = line(&accounts, number);
            assert!((energy / expected - 1.0).abs() < 0.1, "{number}: {energy} uJ");
            assert!(interval.contains(Joules(expected * 1e-6)), "{number}: {interval:?}");
        }
        let sum: Femtojoules = accounts.lines.iter().map(|entry| entry.energy).sum();
        assert_eq!(sum, accounts.explained_energy());
        assert!(accounts.method_groups.unwrap().line_block_effect_sd.is_some());
    }

    #[test]
    fn without_lines_the_words_divide_a_method() {
        let accounts = accounted(&[(0, 200_000)]);
        let (first, second) = (line(&accounts, 2), line(&accounts, 3));
        assert!((first.0 - second.0).abs() < 1e-6 && (first.0 - 100.0).abs() < 5.0, "{first:?}");
        assert_eq!(accounts.method_groups.unwrap().line_block_effect_sd, None);
    }

    /// Two lines of a method whose energy is known, one with three times as much: what the one
    /// has too much the other has too little, and neither may have more than both.
    #[test]
    fn parts_of_a_known_whole_are_equally_unsure() {
        let line = |number, n| (ADDITION, number, n);
        let run = block(0, ("d.A", "run()"), ("", "entry"), (2, 3), &[line(2, 3), line(3, 1)]);
        let sample = OwnedScenario { dictionary: Dictionary { blocks: vec![run] }, ..program() };
        let hits = Hits {
            methods: [(("d.A".into(), "run()".into()), 1_000_000)].into(),
            ..Hits::default()
        };
        let cases = [SampledCase::of(Joules(300e-6), vec![hits]).unwrap()];
        let accounts = account(&AccountInput { samples: &cases, ..sample.scenario() });
        let above = |number| {
            let entry = accounts.lines.iter().find(|entry| entry.key.line == number).unwrap();
            entry.interval.unwrap().hi.0 - entry.joules().0
        };
        let whole = accounts.methods[0].interval.unwrap().hi;
        assert!(accounts.lines.iter().all(|entry| entry.interval.unwrap().hi <= whole));
        assert!(above(3) > 20e-6, "places may be off by much: {}", above(3));
        assert!(above(2) <= above(3) * 1.2, "{} {}", above(2), above(3));
    }

    #[test]
    fn what_names_no_line_is_left_to_the_words() {
        let accounts = accounted(&[(2, 100_000), (0, 100_000)]);
        // Half of run's 200 uJ is on the first line, the other half is divided by the words.
        let first = line(&accounts, 2).0;
        assert!((first - 150.0).abs() < 12.0, "{first} uJ");
    }

    /// Two lines of a method, alike by the words, of which samples say 3 and 1.
    #[test]
    fn doubled_doubts_about_lines_widen_their_intervals() {
        let lined = LineSamples::of_one_run(&[(2, 150_000), (3, 50_000)]);
        let width = |assumed: &Assumptions| {
            let spread = assumed.sampled_line_spread;
            let direct =
                |line| lined.direct_estimate(line, 200.0, spread).map(|direct| (direct, 1.0));
            let piece = |line| UnestimatedLine {
                group: 0,
                leaves: vec![],
                words_j: 100.0,
                flat_j: 100.0,
                direct: direct(line),
            };
            let estimate = estimate_lines(&[piece(2), piece(3)]).0[0].unwrap();
            estimate.hi_j - estimate.lo_j
        };
        let doubled = 2.0 * ASSUMED.sampled_line_spread;
        let wide = width(&Assumptions { sampled_line_spread: doubled, ..ASSUMED });
        assert!(wide > 1.3 * width(&ASSUMED), "{wide}");
    }
}
