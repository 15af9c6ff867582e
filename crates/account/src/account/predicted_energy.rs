//! Prediction of the energy of other runs of the same blocks, from the accounts of the measured
//! runs: a block keeps its energy per execution, and a block that did not run there, or had too
//! few samples, costs the sum of its operations.

use std::collections::{BTreeMap, BTreeSet};

use crate::blocks::BlockId;
use crate::exact::Femtojoules;
use crate::interval::{Interval, NORMAL_975};
use crate::model::{EnergyPrognosis, PredictiveDistribution, student_975};
use crate::units::Joules;

use super::PricedParts;
use super::cost::IndexedModel;
use super::entry::{self, Bundle, Leaf};
use super::input::AccountInput;
use super::input_spread::InputSpread;
use super::method_groups::{MethodGroups, SampledCase};

/// Predicted energy of runs that were counted but not measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PredictedEnergy {
    /// Energy above idle, without the runtime's own threads.
    pub energy: Joules,
    /// Standard error from the errors of the accounts; absent where it is unknown.
    pub se: Option<Joules>,
    /// Part of the energy in blocks that the accounts' runs did not execute, or had too few
    /// samples of.
    pub of_new_blocks: Joules,
}

/// Predicts the energy of given executions of each block from the accounts of a scenario.
/// Unexplained energy scales in proportion; operations without a cost in new blocks are left out.
///
/// Within methods the prediction is count-based: compiled code keeps lines for some instructions
/// only, so that a line that ran once may have the samples of its neighbours, and other runs may
/// run it often.
pub fn predict_energy(
    scenario: &AccountInput<'_>,
    executions: &BTreeMap<BlockId, u64>,
) -> PredictedEnergy {
    let samples: Vec<SampledCase> = scenario.samples.iter().map(SampledCase::by_method).collect();
    let scenario = &AccountInput { samples: &samples, ..*scenario };
    let PricedParts { leaves, method_groups, model } = scenario.priced();
    let costs = IndexedModel::new(&model);
    let told = estimated_blocks(&leaves, method_groups.as_ref());
    let is_sample_based = |leaf: &&Leaf<'_>| told.contains(&leaf.block.id);
    let known =
        rescaled_bundle(leaves.iter().filter(is_sample_based), scenario.executions, executions);
    let is_new = |(block, _): &(&BlockId, &u64)| !told.contains(*block);
    let new = executions.iter().filter(is_new).map(|(block, runs)| (*block, *runs)).collect();
    let new = entry::leaves(scenario.dictionary, &new, &costs);
    let level = explained_ratio(scenario, &leaves, &costs);
    let of_new_blocks = total_energy(&new) * level;
    let energy = known.energy.joules() * level + of_new_blocks;
    let variance = variance(known, &new, method_groups.as_ref(), &costs);
    let se = variance.map(|variance| Joules(level * variance.max(0.0).sqrt()));
    PredictedEnergy { energy, se, of_new_blocks }
}

impl PredictedEnergy {
    /// The 95 % interval: from the errors of the accounts and, where `spread` is known, from the
    /// spread of inputs about predictions from other inputs.
    pub fn interval(&self, spread: Option<&InputSpread>) -> Option<Interval> {
        let of_accounts = Interval::around(self.energy, self.se?.0.powi(2));
        let half_j = spread.map_or(0.0, InputSpread::half_width) * self.energy.0;
        Some(of_accounts.widened(self.energy, (half_j / NORMAL_975).powi(2)))
    }
}

impl PredictedEnergy {
    /// Returns the distributions of the energy of a run that was not measured. The spread of
    /// inputs contains the noise of their measurements, so that with it a new measurement has the
    /// distribution of the expected energy; without it only the errors of the accounts are known.
    /// The interval is that of [`Self::interval`].
    pub fn prognosis(&self, spread: Option<&InputSpread>) -> EnergyPrognosis {
        let Some(se) = self.se else { return EnergyPrognosis::default() };
        let (mean_j, of_accounts) = (self.energy.0, se.0);
        let of_inputs = spread.map_or(0.0, |spread| spread.relative() * mean_j);
        let variance = of_accounts.powi(2) + of_inputs.powi(2);
        // Welch and Satterthwaite: the spread alone has few degrees of freedom.
        let degrees_of_freedom = spread
            .map(|spread| spread.inputs() * variance.powi(2) / of_inputs.powi(4))
            .filter(|degrees| degrees.is_finite());
        let half_of_inputs = spread.map_or(0.0, InputSpread::half_width) * mean_j;
        let half = f64::hypot(NORMAL_975 * of_accounts, half_of_inputs);
        let sd_j = half / degrees_of_freedom.map_or(NORMAL_975, student_975);
        let expected = PredictiveDistribution::Student { mean_j, sd_j, degrees_of_freedom };
        let measurement = spread.map(|_| expected.clone());
        EnergyPrognosis { expected: Some(expected), measurement }
    }
}

/// Blocks whose energy per execution the accounts estimate: any that ran, where only counts
/// exist; with samples, those whose larger part samples determine.
fn estimated_blocks(
    leaves: &[Leaf<'_>],
    method_groups: Option<&MethodGroups>,
) -> BTreeSet<BlockId> {
    let mut known: BTreeMap<BlockId, Femtojoules> = BTreeMap::new();
    for leaf in leaves {
        let is_sample_based =
            method_groups.is_none_or(|method_groups| method_groups.is_determined_by_samples(leaf));
        let energy = if is_sample_based { leaf.energy } else { -leaf.energy };
        *known.entry(leaf.block.id).or_default() += energy;
    }
    known
        .into_iter()
        .filter(|(_, known)| *known >= Femtojoules::ZERO)
        .map(|(block, _)| block)
        .collect()
}

/// The bundle of leaves with their executions scaled from `before` to `now`.
fn rescaled_bundle<'l, 'a: 'l>(
    leaves: impl Iterator<Item = &'l Leaf<'a>>,
    before: &BTreeMap<BlockId, u64>,
    now: &BTreeMap<BlockId, u64>,
) -> Bundle<'a> {
    let mut bundle = Bundle::default();
    for leaf in leaves {
        let runs = |of: &BTreeMap<BlockId, u64>| of.get(&leaf.block.id).map_or(0.0, |n| *n as f64);
        let part = runs(now) / runs(before);
        if part > 0.0 {
            let energy = Femtojoules::from_joules(leaf.energy.joules() * part);
            bundle.add_part(leaf, part, energy, (leaf.executions as f64 * part).round() as u64);
        }
    }
    bundle
}

/// Measured energy per joule of the leaves.
fn explained_ratio(
    scenario: &AccountInput<'_>,
    leaves: &[Leaf<'_>],
    costs: &IndexedModel<'_>,
) -> f64 {
    let (own, explained) = (scenario.energy_without_runtime(costs).0, total_energy(leaves).0);
    if own > 0.0 && explained > 0.0 { own / explained } else { 1.0 }
}

fn total_energy(leaves: &[Leaf<'_>]) -> Joules {
    leaves.iter().map(|leaf| leaf.energy).sum::<Femtojoules>().joules()
}

/// Variance in J^2: of the accounts' parts, and of new blocks, which are count-based.
fn variance<'a>(
    mut known: Bundle<'a>,
    new: &[Leaf<'a>],
    method_groups: Option<&MethodGroups>,
    costs: &IndexedModel<'_>,
) -> Option<f64> {
    let mut of_new = Bundle::default();
    new.iter().for_each(|leaf| of_new.add(leaf));
    match method_groups {
        Some(method_groups) => {
            let places = method_groups.block_effect_variance(new);
            Some(method_groups.variance(&known, costs)? + costs.variance(&of_new.counts)? + places)
        }
        None => {
            known.merge(&of_new);
            known.variance(costs)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, profile::Hits, sample};

    const ADDITION: &str = "Addition_int_int";

    /// Two methods of the same words, run as often; the samples say that one spends three times
    /// as much as the other. A third did not run.
    fn program() -> sample::OwnedScenario {
        let of = |id, method| {
            sample::block(id, ("d.A", method), ("", "entry"), (id, id), &[(ADDITION, id, 10)])
        };
        let mut sample = sample::block_of_30_6_microjoules();
        sample.dictionary.blocks = vec![of(1, "dear()"), of(2, "cheap()"), of(3, "new()")];
        sample.executions = [(BlockId(1), 1000), (BlockId(2), 1000)].into();
        sample.model = sample::with_relative_error(sample::model(&[(ADDITION, 1e-7)]), 0.1);
        sample.measured =
            crate::account::MeasuredEnergies { total: Joules(2e-3), ..Default::default() };
        sample
    }

    fn samples() -> Vec<SampledCase> {
        sampled(&[("dear()", 75_000), ("cheap()", 25_000)])
    }

    /// One run, with so many samples in each method.
    fn sampled(hits: &[(&str, u64)]) -> Vec<SampledCase> {
        let hits = hits.iter().map(|(method, hits)| (("d.A".into(), (*method).into()), *hits));
        let hits = Hits { methods: hits.collect(), ..Hits::default() };
        vec![SampledCase::of(Joules(2e-3), vec![hits]).unwrap()]
    }

    #[test]
    fn the_same_runs_spend_the_same() {
        let (sample, samples) = (program(), samples());
        for samples in [&[][..], &samples] {
            let scenario = AccountInput { samples, ..sample.scenario() };
            let found = predict_energy(&scenario, &sample.executions);
            assert!((found.energy.0 - 2e-3).abs() < 1e-9, "{found:?}");
            assert!(found.interval(None).unwrap().contains(found.energy));
            assert_eq!(found.of_new_blocks, Joules::ZERO);
            let explained = account(&scenario).explained_energy().joules();
            assert!((explained.0 - 2e-3).abs() < 1e-9, "{explained:?}");
        }
    }

    /// Its interval is the one that is written, and without a spread of inputs a new measurement
    /// has none.
    #[test]
    fn the_distribution_has_the_interval_that_is_written() {
        let predicted = PredictedEnergy {
            energy: Joules(2.0),
            se: Some(Joules(0.1)),
            of_new_blocks: Joules::ZERO,
        };
        let inputs =
            ["a", "b", "c"].map(|name| super::super::unseen::tests::input(name, 1.06, 1.0, 0.0));
        let spread = InputSpread::of(&inputs).unwrap();
        let found = predicted.prognosis(Some(&spread));
        let written = predicted.interval(Some(&spread)).unwrap();
        let (lo, hi) = found.expected.clone().unwrap().interval_j();
        assert!((lo - written.lo.0).abs() < 1e-9 && (hi - written.hi.0).abs() < 1e-9);
        assert_eq!(found.expected, found.measurement);
        assert!((found.expected.unwrap().probability_below(hi) - 0.975).abs() < 1e-4);
        let alone = predicted.prognosis(None);
        assert!((alone.expected.unwrap().sd_j() - 0.1).abs() < 1e-12);
        assert_eq!(alone.measurement, None);
        assert_eq!(PredictedEnergy { se: None, ..predicted }.prognosis(None).expected, None);
    }

    /// Words say that a run of either method spends 1 uJ; the samples 1.5 and 0.5.
    #[test]
    fn a_method_spends_in_other_runs_what_samples_said_of_it() {
        let (sample, samples) = (program(), samples());
        let dear = [(BlockId(1), 4000)].into();
        let words = predict_energy(&sample.scenario(), &dear);
        assert!((words.energy.0 / 4e-3 - 1.0).abs() < 1e-6, "{words:?}");
        let scenario = AccountInput { samples: &samples, ..sample.scenario() };
        let found = predict_energy(&scenario, &dear);
        assert!((found.energy.0 / 6e-3 - 1.0).abs() < 0.05, "{found:?}");
        assert!(found.interval(None).unwrap().contains(Joules(6e-3)), "{found:?}");
    }

    /// A method that ran once, in which one of a hundred samples fell: that is twenty times what
    /// its words say of a run, and says nothing of a thousand.
    #[test]
    fn a_sample_by_chance_is_not_what_a_run_spends() {
        let mut sample = program();
        sample.executions.insert(BlockId(3), 1);
        let samples = sampled(&[("dear()", 74), ("cheap()", 25), ("new()", 1)]);
        let scenario = AccountInput { samples: &samples, ..sample.scenario() };
        let found = predict_energy(&scenario, &[(BlockId(3), 1000)].into());
        assert_eq!(found.of_new_blocks, found.energy);
        assert!((0.2e-3..5e-3).contains(&found.energy.0), "{found:?}");
        assert!(found.interval(None).unwrap().contains(Joules(1e-3)), "{found:?}");
    }

    /// A method whose ten runs words say to be a hundredth of the other's thousand, and sixty of
    /// a hundred samples: however far below the words are, so many samples are no chance.
    #[test]
    fn many_samples_are_not_undone_by_words() {
        let mut sample = program();
        sample.executions.insert(BlockId(1), 10);
        let samples = sampled(&[("dear()", 60), ("cheap()", 40)]);
        let scenario = AccountInput { samples: &samples, ..sample.scenario() };
        let found = predict_energy(&scenario, &[(BlockId(1), 1000)].into());
        assert_eq!(found.of_new_blocks, Joules::ZERO);
        assert!((found.energy.0 / 0.12 - 1.0).abs() < 0.3, "{found:?}");
    }

    /// A method of two lines, one of which ran once in a thousand times and is what all samples
    /// of the method name.
    #[test]
    fn samples_of_a_neighbour_are_not_what_a_line_spends_in_other_runs() {
        let mut sample = program();
        let cheap = ("d.A", "cheap()");
        let rare = sample::block(3, cheap, ("if_1", "then"), (3, 3), &[(ADDITION, 3, 10)]);
        sample.dictionary.blocks[2] = rare;
        sample.executions.insert(BlockId(3), 1);
        let mut samples = samples();
        let name = ("d.A".to_owned(), "cheap()".to_owned());
        samples[0].runs[0].places.insert((name, 3), 25_000);
        let scenario = AccountInput { samples: &samples, ..sample.scenario() };
        let often = predict_energy(&scenario, &[(BlockId(2), 1000), (BlockId(3), 1000)].into());
        assert!((0.5e-3..2e-3).contains(&often.energy.0), "{often:?}");
    }

    #[test]
    fn new_blocks_cost_what_their_words_do_and_are_less_sure() {
        let (sample, samples) = (program(), samples());
        let scenario = AccountInput { samples: &samples, ..sample.scenario() };
        let width = |found: PredictedEnergy| {
            let Interval { lo, hi } = found.interval(None).unwrap();
            (hi.0 - lo.0) / found.energy.0
        };
        let new = predict_energy(&scenario, &[(BlockId(3), 1000)].into());
        assert_eq!(new.of_new_blocks, new.energy);
        assert!(new.energy.0 > 0.3e-3 && new.energy.0 < 3e-3, "{new:?}");
        let known = predict_energy(&scenario, &[(BlockId(1), 1000)].into());
        assert!(width(new) > 3.0 * width(known), "{new:?} {known:?}");
        assert_eq!(predict_energy(&scenario, &BTreeMap::new()).energy, Joules::ZERO);
    }
}
