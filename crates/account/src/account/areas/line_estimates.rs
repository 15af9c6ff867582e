//! Lines of sampled methods. Where samples name their lines, a line's part of its method's
//! energy is what samples and words say together, by the estimator that finds methods' parts
//! of the whole; where they name none, the words alone divide a method.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::account::cost::CountVector;
use crate::account::entry::{Leaf, Place, Portion};
use crate::assumptions::Assumptions;
use crate::exact::Femtojoules;
use crate::interval::Interval;
use crate::model::areas::{
    AreaEstimate, CostEstimate, Direct, SmallArea, Tails, benchmarked, estimate,
};
use crate::units::Joules;

use super::grouped::Grouped;
use super::line_samples::LineSamples;
use super::method_group::MethodGroup;
use super::parts::{parts, weights};

/// What samples tell apart within an area: a line, or all of it where they name no lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineEstimate {
    /// Its area.
    pub area: usize,
    /// Its energy; an area's add up to the area's.
    pub energy: Femtojoules,
    /// What it has of each place.
    pub places: BTreeMap<Place, Portion>,
    /// How often each cost occurs in it.
    pub counts: CountVector,
    /// How it is known by samples, given the area's energy; absent where only the words divide.
    pub sampled: Option<SampledPart>,
}

/// What is unsure of a line's part of its method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SampledPart {
    /// The 95 % interval, given the method's energy.
    pub interval: Interval,
    /// Variance of its error in J^2.
    pub variance_j2: f64,
}

/// Spots, and how far, relative, lines are from what their words say.
pub(super) struct LineEstimates {
    pub spots: Vec<LineEstimate>,
    pub block_effect_sd: Option<f64>,
}

impl LineEstimates {
    /// Divides areas into lines and moves the leaves' energies, which are the words' parts of
    /// their areas, to what both say.
    pub fn divide(
        leaves: &mut [Leaf<'_>],
        grouped: &Grouped,
        areas: &[MethodGroup],
        lined: &[LineSamples],
        assumed: &Assumptions,
    ) -> Self {
        let pieces = pieces(leaves, grouped, lined, assumed);
        let (estimates, block_effect_sd) = estimates(&pieces);
        let mut spots = Vec::with_capacity(pieces.len());
        for of_area in runs(&pieces) {
            let area = pieces[of_area.start].area;
            let energies = made_to_add_up(areas[area].energy, &pieces, &estimates, &of_area);
            for (at, energy) in of_area.zip(energies) {
                let counts = pieces[at].move_to(leaves, energy, spots.len());
                let sampled = estimates[at].map(|estimate| pieces[at].sampled(energy, &estimate));
                let places = places(leaves, &pieces[at].leaves);
                spots.push(LineEstimate { area, energy, places, counts, sampled });
            }
        }
        Self { spots, block_effect_sd }
    }
}

fn places(leaves: &[Leaf<'_>], own: &[usize]) -> BTreeMap<Place, Portion> {
    let mut places = BTreeMap::<_, Portion>::new();
    for leaf in own.iter().map(|leaf| &leaves[*leaf]) {
        *places.entry(leaf.place()).or_default() += leaf.into();
    }
    places
}

/// One spot before it is estimated.
struct UnestimatedLine {
    area: usize,
    leaves: Vec<usize>,
    /// What the words say of it, in joules.
    words_j: f64,
    /// What they would if all operations cost the same, in joules.
    flat_j: f64,
    /// What samples with lines say, and of which part of it, 0..1.
    direct: Option<(Direct, f64)>,
}

impl UnestimatedLine {
    /// Shares an energy out to its leaves; what is counted in them then.
    fn move_to(&self, leaves: &mut [Leaf<'_>], energy: Femtojoules, spot: usize) -> CountVector {
        let mut counts = CountVector::default();
        for (leaf, part) in self.leaves.iter().zip(parts(energy, &weights(leaves, &self.leaves))) {
            let leaf = &mut leaves[*leaf];
            leaf.move_to(part);
            leaf.spot = Some(spot);
            if let Some(cost) = leaf.cost {
                counts.add(cost, leaf.weighted);
            }
        }
        counts
    }

    /// What is unsure of it, its interval moved along when lines were made to add up.
    fn sampled(&self, energy: Femtojoules, estimate: &AreaEstimate) -> SampledPart {
        let energy_j = energy.joules().0;
        let moved = energy_j - self.whole_j(estimate.energy_j);
        let end = |j: f64| self.whole_j(j) + moved;
        let lo = end(estimate.lo_j).clamp(0.0, energy_j.max(0.0));
        let interval = Interval { lo: Joules(lo), hi: Joules(end(estimate.hi_j).max(energy_j)) };
        SampledPart { interval, variance_j2: estimate.mse_j2 }
    }

    /// With the part of which samples name no lines.
    fn whole_j(&self, lined_j: f64) -> f64 {
        let part = self.direct.map_or(0.0, |(_, part)| part);
        lined_j + (1.0 - part) * self.words_j
    }
}

/// All areas' spots, those of one area after each other.
fn pieces(
    leaves: &[Leaf<'_>],
    grouped: &Grouped,
    lined: &[LineSamples],
    assumed: &Assumptions,
) -> Vec<UnestimatedLine> {
    let sum = |of: &[usize], value: fn(&Leaf<'_>) -> f64| -> f64 {
        of.iter().map(|leaf| value(&leaves[*leaf])).sum()
    };
    let joules = |of: &[usize]| sum(of, |leaf| leaf.energy.joules().0);
    let executions = |of: &[usize]| sum(of, |leaf| leaf.instructions() as f64);
    let mut pieces = Vec::new();
    for (area, own) in grouped.leaves_of_areas().into_iter().enumerate() {
        let area_j = joules(&own);
        if lined[area].is_empty() || area_j <= 0.0 {
            pieces.push(UnestimatedLine {
                area,
                leaves: own,
                words_j: area_j,
                flat_j: area_j,
                direct: None,
            });
            continue;
        }
        let once_j = area_j / executions(&own).max(1.0);
        let mut by: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for leaf in own {
            by.entry(leaves[leaf].operation.line).or_default().push(leaf);
        }
        let lined = &lined[area];
        pieces.extend(by.into_iter().map(|(line, leaves)| {
            let direct = lined.direct(line, area_j, assumed.sampled_line_spread);
            let direct = direct.map(|direct| (direct, lined.part()));
            let (words_j, flat_j) = (joules(&leaves), once_j * executions(&leaves));
            UnestimatedLine { area, words_j, flat_j, leaves, direct }
        }));
    }
    pieces
}

/// What words and samples say together of each line, and the lines' block effect. The words
/// of a line are taken as they are, since its method's energy is known: nothing is learnt of
/// costs.
fn estimates(pieces: &[UnestimatedLine]) -> (Vec<Option<AreaEstimate>>, Option<f64>) {
    let area = |piece: &UnestimatedLine| {
        let (direct, part) = piece.direct?;
        let words_j = part * piece.words_j;
        // Costs of single operations may be far too low, and no line is better known by the
        // words than by a sample.
        let usual_j = part * (piece.words_j + piece.flat_j) / 2.0;
        let scale = usual_j.max(direct.variance_j2.sqrt());
        Some(SmallArea { counts: vec![words_j], scale, direct: Some(direct) })
    };
    let areas: Vec<SmallArea> = pieces.iter().filter_map(area).collect();
    let known = CostEstimate::Normal { mean: vec![1.0], covariance: vec![0.0] };
    let Ok(fit) = estimate(&areas, &known, Tails::Estimated) else {
        return (vec![None; pieces.len()], None);
    };
    let mut estimates = fit.estimates.into_iter();
    let of = |piece: &UnestimatedLine| piece.direct.and_then(|_| estimates.next());
    (pieces.iter().map(of).collect(), fit.block_effect_sd)
}

/// Where the pieces of each area stand.
fn runs(pieces: &[UnestimatedLine]) -> Vec<Range<usize>> {
    let mut start = 0;
    let chunk = |of: &[UnestimatedLine]| {
        let range = start..start + of.len();
        start = range.end;
        range
    };
    pieces.chunk_by(|a, b| a.area == b.area).map(chunk).collect()
}

/// Energies of an area's pieces that add up to it.
fn made_to_add_up(
    energy: Femtojoules,
    pieces: &[UnestimatedLine],
    estimates: &[Option<AreaEstimate>],
    of_area: &Range<usize>,
) -> Vec<Femtojoules> {
    let said = |at: usize| match estimates[at] {
        Some(estimate) => (pieces[at].whole_j(estimate.energy_j), estimate.mse_j2),
        None => (pieces[at].words_j, 0.0),
    };
    let (energies, errors): (Vec<f64>, Vec<f64>) = of_area.clone().map(said).unzip();
    parts(energy, &benchmarked(&energies, &errors, energy.joules().0))
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

    use super::{UnestimatedLine, estimates};
    use crate::account::areas::line_samples::LineSamples;

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
            let spread = accounts.areas.as_ref().unwrap().line_run_spread.unwrap();
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
        assert_eq!(sum, accounts.explained());
        assert!(accounts.areas.unwrap().line_block_effect_sd.is_some());
    }

    #[test]
    fn without_lines_the_words_divide_a_method() {
        let accounts = accounted(&[(0, 200_000)]);
        let (first, second) = (line(&accounts, 2), line(&accounts, 3));
        assert!((first.0 - second.0).abs() < 1e-6 && (first.0 - 100.0).abs() < 5.0, "{first:?}");
        assert_eq!(accounts.areas.unwrap().line_block_effect_sd, None);
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
            let direct = |line| lined.direct(line, 200.0, spread).map(|direct| (direct, 1.0));
            let piece = |line| UnestimatedLine {
                area: 0,
                leaves: vec![],
                words_j: 100.0,
                flat_j: 100.0,
                direct: direct(line),
            };
            let estimate = estimates(&[piece(2), piece(3)]).0[0].unwrap();
            estimate.hi_j - estimate.lo_j
        };
        let doubled = 2.0 * ASSUMED.sampled_line_spread;
        let wide = width(&Assumptions { sampled_line_spread: doubled, ..ASSUMED });
        assert!(wide > 1.3 * width(&ASSUMED), "{wide}");
    }
}
