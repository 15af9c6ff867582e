//! The estimator against published figures, in its limits, and on areas whose ground truth is
//! known.

use proptest::prelude::*;
use rand::RngExt;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal, StudentT};

use super::milk;
use super::*;
use crate::testing::assert_close;

fn direct(energy_j: f64, sd_j: f64) -> Option<DirectEstimate> {
    Some(DirectEstimate { energy_j, variance_j2: sd_j * sd_j })
}

fn milk_areas() -> Vec<SmallArea> {
    let counts =
        |major: usize| (1..=4).map(|k| f64::from(u8::from(k == 1 || k == major))).collect();
    let area = |&(y, sd, major): &(f64, f64, usize)| SmallArea {
        counts: counts(major),
        scale: 1.0,
        direct: direct(y, sd),
    };
    milk::AREAS.iter().map(area).collect()
}

#[test]
fn the_published_example_comes_out() {
    let fit =
        estimate_areas(&milk_areas(), &AreaCostPrior::Nothing, BlockEffectTails::Normal).unwrap();
    let variance = fit.block_effect_sd.unwrap().powi(2);
    assert!((variance / milk::VARIANCE - 1.0).abs() < 1e-9, "{variance}");
    for (j, (coefficient, error)) in milk::COEFFICIENTS.into_iter().enumerate() {
        // Six digits: `sae` stops before the seventh is found.
        assert!((fit.costs[j] - coefficient).abs() < 5e-7, "{}", fit.costs[j]);
        let found = fit.covariance[j * 4 + j].sqrt();
        assert!((found - error).abs() < 5e-7, "{found} {error}");
    }
    for (found, [sae, sae_mse, exact, exact_mse]) in fit.estimates.iter().zip(milk::ESTIMATES) {
        assert!((found.energy_j / exact - 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.mse_j2 / exact_mse - 1.0).abs() < 1e-9, "{found:?}");
        assert!((found.energy_j / sae - 1.0).abs() < 1e-6, "{found:?}");
        assert!((found.mse_j2 / sae_mse - 1.0).abs() < 5e-6, "{found:?}");
    }
}

/// Areas whose ground truth is known: `operations` costs, effects of relative width `width` drawn
/// by `effect`, samples with a relative error of `noise`.
struct Simulated {
    areas: Vec<SmallArea>,
    truth: Vec<f64>,
    belief: AreaCostPrior,
}

fn simulated(
    seed: u64,
    (areas, operations): (usize, usize),
    (width, noise): (f64, f64),
    mut effect: impl FnMut(&mut rand_chacha::ChaCha8Rng) -> f64,
) -> Simulated {
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let normal = |random: &mut rand_chacha::ChaCha8Rng| random.sample::<f64, _>(StandardNormal);
    let costs: Vec<f64> =
        (0..operations).map(|_| 1e-9 * (0.5 * normal(&mut random)).exp()).collect();
    let mut made = Vec::new();
    let mut truth = Vec::new();
    for _ in 0..areas {
        let size = 10f64.powf(3.0 + 3.0 * random.random::<f64>());
        let counts: Vec<f64> = (0..operations)
            .map(|_| (size * random.random::<f64>().powi(4)).floor() + 1.0)
            .collect();
        let scale: f64 = counts.iter().sum::<f64>() * 1e-9;
        let mean: f64 = counts.iter().zip(&costs).map(|(n, c)| n * c).sum();
        let energy = mean + width * scale * effect(&mut random);
        let error = noise * scale;
        truth.push(energy);
        let direct = direct(energy + error * normal(&mut random), error);
        made.push(SmallArea { counts, scale, direct });
    }
    let mut covariance = vec![0.0; operations * operations];
    (0..operations).for_each(|j| covariance[j * operations + j] = 0.25e-18);
    Simulated {
        areas: made,
        truth,
        belief: AreaCostPrior::Normal { mean: vec![1e-9; operations], covariance },
    }
}

fn normal_effect(random: &mut rand_chacha::ChaCha8Rng) -> f64 {
    random.sample(StandardNormal)
}

/// The belief's mean and error are what is left: today's result.
#[test]
fn without_samples_the_costs_alone_speak() {
    let mut found = simulated(1, (20, 5), (0.3, 0.1), normal_effect);
    found.areas.iter_mut().for_each(|area| area.direct = None);
    let fit = estimate_areas(&found.areas, &found.belief, BlockEffectTails::Estimated).unwrap();
    assert_eq!((fit.block_effect_sd, fit.freedom), (None, None));
    assert_close(&fit.costs, &[1e-9; 5], 1e-12);
    for (area, estimate) in found.areas.iter().zip(&fit.estimates) {
        let energy = area.counts.iter().sum::<f64>() * 1e-9;
        let error = area.counts.iter().map(|n| (n * 0.5e-9).powi(2)).sum::<f64>();
        assert!((estimate.energy_j / energy - 1.0).abs() < 1e-9);
        assert!((estimate.mse_j2 / error - 1.0).abs() < 1e-9 && estimate.weight == 0.0);
        assert!(
            (estimate.hi_j - energy - 1.959_963_984_540_054 * error.sqrt()).abs() < 1e-9 * energy
        );
    }
}

#[test]
fn samples_without_an_error_are_the_truth() {
    for tails in [BlockEffectTails::Normal, BlockEffectTails::Estimated] {
        let found = simulated(2, (60, 5), (0.3, 1e-7), normal_effect);
        let fit = estimate_areas(&found.areas, &found.belief, tails).unwrap();
        for (truth, estimate) in found.truth.iter().zip(&fit.estimates) {
            assert!((estimate.energy_j - truth).abs() < 1e-5 * truth.abs(), "{estimate:?} {truth}");
            assert!(estimate.weight > 0.999 && estimate.hi_j - estimate.lo_j < 1e-4 * truth.abs());
        }
    }
}

/// `s` is found, areas without samples have wider intervals than those with, and 95 % of
/// the intervals hold the ground truth.
#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    let (mut held, mut all, mut factors) = ([0.0, 0.0], [0.0, 0.0], Vec::new());
    for seed in 0..12 {
        let mut found = simulated(seed, (150, 8), (0.3, 0.2), normal_effect);
        found.areas.iter_mut().step_by(5).for_each(|area| area.direct = None);
        let fit = estimate_areas(&found.areas, &found.belief, BlockEffectTails::Estimated).unwrap();
        factors.push(fit.block_effect_sd.unwrap());
        for (area, (estimate, truth)) in fit.estimates.iter().zip(&found.truth).enumerate() {
            let kind = usize::from(area % 5 == 0);
            all[kind] += 1.0;
            held[kind] += f64::from(u8::from(estimate.lo_j <= *truth && *truth <= estimate.hi_j));
        }
    }
    let factor = factors.iter().sum::<f64>() / factors.len() as f64;
    assert!((factor - 0.3).abs() < 0.02, "{factors:?}");
    for kind in [0, 1] {
        let coverage = held[kind] / all[kind];
        assert!((0.92..=0.975).contains(&coverage), "{kind}: {coverage}");
    }
}

/// Effects of Student's t with 2 degrees of freedom: what the long tail does to the normal
/// model is what the mixture is for.
#[test]
fn a_long_tail_is_seen_and_makes_estimates_better() {
    let student = StudentT::new(2.0).unwrap();
    let (mut better, mut freedoms) = (0, Vec::new());
    for seed in 0..8 {
        let found = simulated(100 + seed, (200, 8), (0.3, 0.3), |random| student.sample(random));
        let absolute = |tails| {
            let fit = estimate_areas(&found.areas, &found.belief, tails).unwrap();
            let errors = fit.estimates.iter().zip(&found.truth).zip(&found.areas);
            let errors = errors.map(|((e, truth), area)| (e.energy_j - truth).abs() / area.scale);
            (errors.sum::<f64>(), fit.freedom)
        };
        let ((normal, none), (robust, freedom)) =
            (absolute(BlockEffectTails::Normal), absolute(BlockEffectTails::Estimated));
        assert_eq!(none, None);
        freedoms.push(freedom);
        better += usize::from(robust < normal);
    }
    assert!(better >= 7, "better in {better} of 8");
    assert!(freedoms.iter().all(|f| f.is_some_and(|f| f <= 5.0)), "{freedoms:?}");
}

/// A method of which the words say a ten-millionth of what its samples do.
#[test]
fn an_area_that_words_do_not_know_is_what_samples_say() {
    let mut found = simulated(7, (60, 5), (0.3, 0.1), normal_effect);
    let area = &mut found.areas[11];
    area.counts = vec![1.0; 5];
    area.scale = 5e-9;
    area.direct = direct(0.05, 0.0025);
    let fit = estimate_areas(&found.areas, &found.belief, BlockEffectTails::Estimated).unwrap();
    let estimate = fit.estimates[11];
    assert!((estimate.energy_j - 0.05).abs() < 1e-3 && estimate.weight > 0.9, "{estimate:?}");
}

/// A tenth of a percent more in an area's samples, and what its estimate changes by.
#[test]
fn the_response_is_the_derivative() {
    let student = StudentT::new(2.0).unwrap();
    let found = simulated(100, (200, 8), (0.3, 0.3), |random| student.sample(random));
    let fit = |areas: &[SmallArea]| {
        let system = AreaSystem::new(areas, &found.belief).unwrap();
        let place = Mixture::of(0.09, Some(3.0));
        let costs = vec![0.0; areas.len()];
        // Costs that learn nothing, so that one area's samples don't change them.
        let solution = system.solve(&costs).unwrap();
        predictor::estimates(&system, &solution, Some(&place))
    };
    let before = fit(&found.areas);
    for area in [0, 17, 60, 199] {
        let mut areas = found.areas.clone();
        let step = 1e-3 * areas[area].scale;
        areas[area].direct.as_mut().unwrap().energy_j += step;
        let changed = (fit(&areas)[area].energy_j - before[area].energy_j) / step;
        let response = before[area].response;
        assert!((changed - response).abs() < 0.02, "{area}: {changed} {response}");
    }
}

/// Methods of a program on a busy machine: their energies, what counts say of them, and samples.
struct BusyMachine {
    truth: Vec<f64>,
    counted: Vec<f64>,
    areas: Vec<SmallArea>,
}

impl BusyMachine {
    /// So many samples of 160 methods. Counts are off by a factor, of each method by chance and
    /// of methods that run rarely (these are interpreted) by `interpreted`.
    fn new(seed: u64, samples: f64, (spread, interpreted): (f64, f64)) -> Self {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let normal = |random: &mut rand_chacha::ChaCha8Rng| random.sample::<f64, _>(StandardNormal);
        let sizes: Vec<f64> = (0..160).map(|_| (1.8 * normal(&mut random)).exp()).collect();
        let rare = |size: f64| if size < 2.0 { interpreted } else { 1.0 };
        let spent: Vec<f64> = sizes
            .iter()
            .map(|size| size * rare(*size) * (spread * normal(&mut random)).exp())
            .collect();
        let part = |of: &[f64]| -> Vec<f64> {
            let sum: f64 = of.iter().sum();
            of.iter().map(|one| one / sum).collect()
        };
        let (truth, counted) = (part(&spent), part(&sizes));
        let hits: Vec<f64> = truth
            .iter()
            .map(|part| rand_distr::Poisson::new(samples * part).unwrap().sample(&mut random))
            .collect();
        let all: f64 = hits.iter().sum();
        let area = |(hits, counted): (&f64, &f64)| SmallArea {
            counts: vec![*counted],
            scale: (counted / 2.0 + 1.0 / 320.0).max(1.0 / all),
            direct: direct_estimate(*hits as u64, all as u64, 1.0, 0.05),
        };
        let areas = hits.iter().zip(&counted).map(area).collect();
        Self { truth, counted, areas }
    }

    /// Errors of samples, of counts and of both together: the part of the energy that is in the
    /// wrong method, and the median relative error of methods that have 90 %.
    fn errors(&self) -> [[f64; 2]; 3] {
        let belief = AreaCostPrior::Normal { mean: vec![1.0], covariance: vec![0.01] };
        let fit = estimate_areas(&self.areas, &belief, BlockEffectTails::Estimated).unwrap();
        let sources: Vec<AreaSources> = self
            .areas
            .iter()
            .zip(&self.counted)
            .map(|(area, counted_j)| AreaSources {
                direct: area.direct.unwrap(),
                counted_j: *counted_j,
            })
            .collect();
        let way = weight_of_estimates(&fit.estimates, &sources);
        let both = hold_between_sources(&fit.estimates, &sources, way);
        let samples = sources.iter().map(|of| of.direct.energy_j).collect::<Vec<_>>();
        let both = both.iter().map(|both| both.energy_j).collect::<Vec<_>>();
        [&samples, &self.counted, &both].map(|found| self.error(found))
    }

    fn error(&self, found: &[f64]) -> [f64; 2] {
        let wrong: f64 = found.iter().zip(&self.truth).map(|(a, b)| (a - b).abs()).sum();
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by(|a, b| self.truth[*b].total_cmp(&self.truth[*a]));
        let mut reached = 0.0;
        let large = order.into_iter().take_while(|a| {
            let is_wanted = reached < 0.9;
            reached += self.truth[*a];
            is_wanted
        });
        let mut errors: Vec<f64> =
            large.map(|a| (found[a] - self.truth[a]).abs() / self.truth[a]).collect();
        errors.sort_by(f64::total_cmp);
        [wrong / 2.0, errors[errors.len() / 2]]
    }
}

/// With few samples or many, and counts that are right, off by chance, or off as the estimator
/// does not suppose, both together are not further off than the better of them, but for two points
/// and a twentieth of what these differ by: which is better is not known.
#[test]
fn both_together_are_no_worse_than_the_better_one() {
    for samples in [150.0, 600.0, 3000.0] {
        for bias in [(0.05, 1.0), (0.5, 1.0), (1.5, 1.0), (0.3, 15.0), (1.0, 40.0)] {
            let mut sums = [[0.0; 2]; 3];
            for seed in 0..10 {
                let errors = BusyMachine::new(seed, samples, bias).errors();
                for (sum, errors) in sums.iter_mut().flatten().zip(errors.iter().flatten()) {
                    *sum += errors / 10.0;
                }
            }
            let [by_samples, by_counts, both] = sums;
            for kind in [0, 1] {
                let (one, other) = (by_samples[kind], by_counts[kind]);
                let (better, apart) = (one.min(other), (one - other).abs());
                assert!(
                    both[kind] <= better + apart / 20.0 + 0.02,
                    "{samples} samples, {bias:?}: {sums:?}"
                );
            }
        }
    }
}

#[test]
fn what_can_not_be_told_is_an_error() {
    let area =
        |counts: &[f64]| SmallArea { counts: counts.into(), scale: 1.0, direct: direct(1.0, 0.1) };
    let alike = [area(&[1.0, 2.0]), area(&[2.0, 4.0]), area(&[3.0, 6.0])];
    let error =
        estimate_areas(&alike, &AreaCostPrior::Nothing, BlockEffectTails::Normal).unwrap_err();
    assert!(matches!(error, AreaEstimationError::Undetermined));
    assert!(matches!(
        estimate_areas(&[], &AreaCostPrior::Nothing, BlockEffectTails::Normal),
        Err(AreaEstimationError::Empty)
    ));
    let ragged = [area(&[1.0, 2.0]), area(&[2.0])];
    let error =
        estimate_areas(&ragged, &AreaCostPrior::Nothing, BlockEffectTails::Normal).unwrap_err();
    assert!(error.to_string().contains("area 1 has 1 counts"), "{error}");
    let mut broken = [area(&[1.0])];
    broken[0].direct = direct(1.0, 0.0);
    let error =
        estimate_areas(&broken, &AreaCostPrior::Nothing, BlockEffectTails::Normal).unwrap_err();
    assert!(error.to_string().contains("the variance is 0"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Neither the order of the areas nor the unit of energy changes anything.
    #[test]
    fn order_and_unit_change_nothing(seed in 0u64..1000, turn in 1usize..30, power in -6i32..7) {
        let found = simulated(seed, (40, 4), (0.4, 0.2), normal_effect);
        let unit = 10f64.powi(power);
        let mut turned = found.areas.clone();
        turned.rotate_left(turn);
        for area in &mut turned {
            area.scale *= unit;
            let direct = area.direct.as_mut().unwrap();
            direct.energy_j *= unit;
            direct.variance_j2 *= unit * unit;
        }
        let AreaCostPrior::Normal { mean, covariance } = &found.belief else { unreachable!() };
        let mean = mean.iter().map(|cost| cost * unit).collect();
        let covariance = covariance.iter().map(|entry| entry * unit * unit).collect();
        let one = estimate_areas(&found.areas, &found.belief, BlockEffectTails::Estimated).unwrap();
        let two = estimate_areas(&turned, &AreaCostPrior::Normal { mean, covariance }, BlockEffectTails::Estimated).unwrap();
        let (s, t) = (one.block_effect_sd.unwrap(), two.block_effect_sd.unwrap());
        prop_assert!((s - t).abs() < 1e-4 * s, "{s} {t}");
        let mut expected = one.estimates;
        expected.rotate_left(turn);
        for (a, b) in expected.iter().zip(&two.estimates) {
            let close = |x: f64, y: f64| (x * unit - y).abs() <= 1e-4 * (x * unit).abs().max(y.abs());
            prop_assert!(close(a.energy_j, b.energy_j) && close(a.hi_j, b.hi_j), "{a:?} {b:?}");
        }
    }
}

/// Five areas that samples and words tell alike: few as they are, they don't say that places
/// have no effect; five hundred say that they have hardly any.
#[test]
fn few_areas_never_tell_that_places_are_alike() {
    let width = |areas: usize| {
        let one = |a: usize| SmallArea {
            counts: vec![1.0],
            scale: 1.0,
            direct: direct(if a.is_multiple_of(2) { 0.98 } else { 1.02 }, 0.1),
        };
        let areas: Vec<SmallArea> = (0..areas).map(one).collect();
        let belief = AreaCostPrior::Normal { mean: vec![1.0], covariance: vec![0.01] };
        let restricted = estimate_areas(&areas, &belief, BlockEffectTails::Normal)
            .unwrap()
            .block_effect_sd
            .unwrap();
        assert_eq!(restricted, 0.0);
        estimate_areas(&areas, &belief, BlockEffectTails::Estimated).unwrap()
    };
    let (few, many) = (width(5), width(500));
    let (few_s, many_s) = (few.block_effect_sd.unwrap(), many.block_effect_sd.unwrap());
    assert!(few_s > 0.03 && many_s < few_s / 3.0, "{few_s} {many_s}");
    assert!(few.block_effect_spread().unwrap() >= few_s);
}

/// One area tells next to nothing of how far places are off: about their own size.
#[test]
fn one_area_bounds_its_place_effect() {
    for energy in [0.5, 1.0, 2.0] {
        let area = SmallArea { counts: vec![1.0], scale: 1.0, direct: direct(energy, 0.05) };
        let belief = AreaCostPrior::Normal { mean: vec![1.0], covariance: vec![0.01] };
        let found = estimate_areas(&[area], &belief, BlockEffectTails::Estimated)
            .unwrap()
            .block_effect_sd
            .unwrap();
        assert!((0.1..2.0).contains(&found), "{energy}: {found}");
    }
}
