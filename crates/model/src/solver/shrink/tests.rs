//! The shrinkage solver on figures solved on paper and on drawn data.

use super::*;
use crate::table::Table;
use crate::testing::{assert_close, table};
use crate::{CostPrior, Model, Solver, fit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, LogNormal, Normal};
use rayon::prelude::*;

fn prior(operation: &str, cost_j: f64, se_j: f64) -> CostPrior {
    CostPrior { operation: operation.to_owned(), cost_j, se_j }
}

/// Only the sum of two equal columns is known, 6 J; microbenchmarks say 1 and 3 (10 % each and
/// 20 % together). The fit keeps their ratio nearly, and the sum.
#[test]
fn microbenchmarks_tell_apart_what_the_cases_cannot() {
    let data = table(&[&[1.0, 1.0], &[2.0, 2.0], &[3.0, 3.0]], &[4.4, 8.8, 13.2]);
    let priors = vec![prior("op_0", 1.0, 0.0), prior("op_1", 3.0, 0.0)].into();
    let penalty = Penalty::Fixed(1e-6);
    let model = fit(&data, &FitOptions { priors, penalty, ..FitOptions::default() }).unwrap();
    let (a, b) = (&model.costs[0], &model.costs[1]);
    assert!((a.cost_j + b.cost_j - 4.4).abs() < 1e-3, "{a:?} {b:?}");
    // Prior covariance with 4.4 - 4 = 0.4 to share: (0.05 + 0.12) and (0.45 + 0.12)
    // of 0.74: 0.0919 and 0.3081.
    assert_close(&[a.cost_j, b.cost_j], &[1.0919, 3.3081], 1e-3);
    let sum = model.predict(&[(0, 1.0), (1, 1.0)]);
    assert!(sum.se_j.unwrap() < 0.2 * a.se_j.unwrap(), "{sum:?} {a:?}");
}

#[test]
fn costs_are_never_negative_and_all_have_intervals() {
    let data = table(&[&[1.0, 1.0], &[1.0, 0.0], &[2.0, 1.0], &[3.0, 1.0]], &[2.0, 3.0, 5.0, 8.0]);
    let model = fit(&data, &FitOptions::default()).unwrap();
    for cost in &model.costs {
        assert!(cost.cost_j >= 0.0 && cost.lo_j.unwrap() >= 0.0);
        assert!(cost.hi_j.unwrap() > cost.cost_j && cost.se_j.unwrap() > 0.0);
    }
}

/// One case and one operation: e/n.
#[test]
fn one_case_is_enough_for_the_common_cost() {
    let model = fit(&table(&[&[2.0, 2.0]], &[8.0]), &FitOptions::default()).unwrap();
    assert_close(&[model.costs[0].cost_j, model.costs[1].cost_j], &[2.0, 2.0], 1e-6);
}

#[test]
fn an_operation_that_never_ran_keeps_its_prior() {
    let data = table(&[&[1.0, 0.0], &[2.0, 0.0], &[4.0, 0.0]], &[2.0, 4.1, 7.9]);
    let priors = vec![prior("op_0", 2.0, 0.1), prior("op_1", 7.0, 0.1)].into();
    let model = fit(&data, &FitOptions { priors, ..FitOptions::default() }).unwrap();
    assert!((model.costs[1].cost_j - 7.0).abs() < 0.3, "{:?}", model.costs[1]);
    assert!(model.costs[1].se_j.unwrap() > 0.7 && !model.costs[1].estimable);
}

/// A made-up application: blocks with random operations; every case leaves some out
/// and runs the rest a random number of times; costs spread over a factor of ten.
struct Application {
    blocks: Vec<Vec<f64>>,
    /// How often each runs in a case, about.
    hot: Vec<f64>,
    costs: Vec<f64>,
    table: Table,
    random: ChaCha8Rng,
}

impl Application {
    fn new(cases: usize, operations: usize, seed: u64) -> Self {
        Self::dear(cases, operations, seed, None)
    }

    /// With every `dear`-th operation 30 times as dear.
    fn dear(cases: usize, operations: usize, seed: u64, dear: Option<usize>) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let spread = LogNormal::new(0.0, 0.8).unwrap();
        let factor = |j: usize| if dear.is_some_and(|n| j.is_multiple_of(n)) { 30.0 } else { 1.0 };
        let costs: Vec<f64> =
            (0..operations).map(|j| 1e-8 * factor(j) * spread.sample(&mut random)).collect();
        let popularity: Vec<f64> =
            (0..operations).map(|_| random.random::<f64>().powi(3)).collect();
        let blocks: Vec<Vec<f64>> = (0..80)
            .map(|_| {
                let count = |p: &f64| {
                    if random.random::<f64>() < 0.25 * p + 0.01 {
                        random.random_range(1.0f64..6.0).floor()
                    } else {
                        0.0
                    }
                };
                popularity.iter().map(count).collect()
            })
            .collect();
        let hot: Vec<f64> =
            (0..80).map(|_| 1e6 * LogNormal::new(0.0, 2.0).unwrap().sample(&mut random)).collect();
        let mut made = Self { blocks, hot, costs, table: Table::default(), random };
        made.measure(cases);
        made
    }

    /// Runs other cases, on a device that costs what `costs` says.
    fn measure(&mut self, cases: usize) {
        let mut rows = Vec::new();
        let mut energies = Vec::new();
        let Self { blocks, hot, costs, random, .. } = self;
        for _ in 0..cases {
            let length = random.random_range(0.7..1.4);
            let runs: Vec<f64> = hot
                .iter()
                .map(|hot| {
                    let removed = random.random::<f64>() < 0.15;
                    if removed {
                        0.0
                    } else {
                        (hot * length * random.random_range(0.7..1.3)).floor()
                    }
                })
                .collect();
            let row: Vec<f64> = (0..costs.len())
                .map(|j| blocks.iter().zip(&runs).map(|(block, runs)| block[j] * runs).sum())
                .collect();
            let energy: f64 = row.iter().zip(&*costs).map(|(n, c)| n * c).sum();
            let noise = Normal::new(1.0, 0.01).unwrap().sample(random);
            energies.push(energy * noise);
            rows.push(row);
        }
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        self.table = table(&rows, &energies);
    }

    fn microbenchmarks(&mut self, relative_error: f64) -> Vec<CostPrior> {
        let error = Normal::new(1.0, relative_error).unwrap();
        let microbenchmark = |(j, cost): (usize, &f64)| {
            prior(&format!("op_{j}"), cost * error.sample(&mut self.random), 0.02 * cost)
        };
        self.costs.iter().enumerate().map(microbenchmark).collect()
    }

    /// Relative errors of the blocks' costs, sorted, and the share of 95 % intervals
    /// that hold the ground truth.
    fn block_errors(&self, model: &Model) -> (Vec<f64>, f64) {
        let mut errors = Vec::new();
        let mut covered = 0.0;
        for block in self.blocks.iter().filter(|block| block.iter().any(|n| *n > 0.0)) {
            let counts: Vec<(usize, f64)> = block.iter().copied().enumerate().collect();
            let truth: f64 = block.iter().zip(&self.costs).map(|(n, c)| n * c).sum();
            let predicted = model.predict(&counts);
            errors.push((predicted.energy_j / truth - 1.0).abs());
            covered += f64::from(
                (predicted.energy_j - truth).abs() < 1.96 * predicted.se_j.unwrap_or(0.0),
            );
        }
        covered /= errors.len() as f64;
        errors.sort_by(f64::total_cmp);
        (errors, covered)
    }
}

/// Means over 12 applications of the blocks' median and p90 error and of the coverage, as
/// the table in `docs/experiments/2026-11-models-prior.md` has them (`--nocapture` prints
/// them), with every `dear`-th operation 30 times as dear.
fn of_twelve(
    name: &str,
    dear: Option<usize>,
    priors: impl Fn(&mut Application) -> Vec<CostPrior> + Sync,
) -> [f64; 3] {
    let judged = |seed: u64| {
        let mut application = Application::dear(60, 100, seed, dear);
        let priors = priors(&mut application).into();
        let options = FitOptions { priors, ..FitOptions::default() };
        let model = fit(&application.table, &options).unwrap();
        let (errors, covered) = application.block_errors(&model);
        [errors[errors.len() / 2], errors[errors.len() * 9 / 10], covered]
    };
    let all: Vec<[f64; 3]> = (1..=12).into_par_iter().map(judged).collect();
    let mean = |of: usize| all.iter().map(|row| row[of]).sum::<f64>() / 12.0;
    let found = [mean(0), mean(1), mean(2)];
    eprintln!("{name}: {:.1} / {:.1} %, held {:.3}", 100.0 * found[0], 100.0 * found[1], found[2]);
    found
}

/// The rows of the table: no row's intervals hold less than 92 % of the blocks.
#[test]
#[ignore = "84 fits; scripts/nightly.sh runs it"]
fn the_table_of_made_up_applications() {
    let within = |error: f64| move |a: &mut Application| a.microbenchmarks(error);
    let low = |a: &mut Application| {
        let microbenchmarks = a.microbenchmarks(0.1).into_iter();
        microbenchmarks.map(|k| CostPrior { cost_j: 0.7 * k.cost_j, ..k }).collect()
    };
    let some = |a: &mut Application| a.microbenchmarks(0.1).into_iter().take(69).collect();
    let none = |_: &mut Application| Vec::new();
    let rows = [
        (of_twelve("no microbenchmarks", None, none), [0.20, 0.65]),
        (of_twelve("microbenchmarks within 10 %", None, within(0.1)), [0.05, 0.10]),
        (of_twelve("the same, all 30 % too low", None, low), [0.05, 0.10]),
        (of_twelve("the same, for 69 of 100", None, some), [0.10, 0.30]),
        (of_twelve("microbenchmarks within 30 %", None, within(0.3)), [0.10, 0.25]),
        (
            of_twelve("no microbenchmarks, every fifth 30 times more expensive", Some(5), none),
            [0.5, 4.0],
        ),
        (of_twelve("microbenchmarks within 10 %, the same", Some(5), within(0.1)), [0.05, 0.15]),
    ];
    for (at, (found, most)) in rows.iter().enumerate() {
        assert!(found[0] < most[0] && found[1] < most[1] && found[2] > 0.92, "{at}: {found:?}");
    }
}

#[test]
fn an_old_device_tells_of_a_new_one() {
    a_new_device_has_errors_after(&[1, 10], 4);
}

#[test]
#[ignore = "144 fits; scripts/nightly.sh runs it"]
fn the_table_of_a_new_device() {
    a_new_device_has_errors_after(&[1, 3, 5, 10, 20, 40], 12);
}

/// A new device: each cost 15 % more expensive, give or take 10 % of its own. Means over some
/// applications of the blocks' median error after some runs on it, without a prior and
/// with an old device's costs (from 60 cases and microbenchmarks): the table in
/// `docs/experiments/2026-11-models-prior.md`.
fn a_new_device_has_errors_after(runs_made: &[usize], applications: u64) {
    let errors = |seed: u64, runs: usize| {
        let mut application = Application::new(60, 100, seed);
        let priors = application.microbenchmarks(0.1).into();
        let old = FitOptions { priors, ..FitOptions::default() };
        let old = fit(&application.table, &old).unwrap();
        let off = LogNormal::new(1.15f64.ln(), 0.1).unwrap();
        for cost in &mut application.costs {
            *cost *= off.sample(&mut application.random);
        }
        application.measure(runs);
        let with = FitOptions { priors: old.as_priors(), ..FitOptions::default() };
        [FitOptions::default(), with].map(|options| {
            let model = fit(&application.table, &options).unwrap();
            let (errors, held) = application.block_errors(&model);
            (errors[errors.len() / 2], held)
        })
    };
    for &runs in runs_made {
        let all: Vec<_> =
            (1..=applications).into_par_iter().map(|seed| errors(seed, runs)).collect();
        let mean =
            |of: fn(&[(f64, f64); 2]) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        let (alone, with) = (mean(|e| e[0].0), mean(|e| e[1].0));
        let held = mean(|e| e[1].1);
        eprintln!(
            "{runs} runs: {:.1} % alone, {:.1} % with the old device's, held {held:.3}",
            100.0 * alone,
            100.0 * with
        );
        assert!(with < 0.5 * alone && with < 0.1 && held > 0.9, "{runs}: {alone} {with} {held}");
    }
}

/// With microbenchmarks within 10 %, blocks within a few percent, though 60 cases can't
/// determine 100 costs; without, as shrinking to one common cost does; and 95 %
/// intervals that hold.
#[test]
fn block_energies_are_as_good_as_the_prior_allows() {
    let mut application = Application::new(60, 100, 4);
    let priors = application.microbenchmarks(0.1);
    let mut low = priors.clone();
    low.iter_mut().for_each(|prior| prior.cost_j *= 0.7);
    let judge = |options: FitOptions| {
        let model = fit(&application.table, &options).unwrap();
        let (errors, covered) = application.block_errors(&model);
        [errors[errors.len() / 2], errors[errors.len() * 9 / 10], covered]
    };
    let with = judge(FitOptions { priors: priors.into(), ..FitOptions::default() });
    let all_low = judge(FitOptions { priors: low.into(), ..FitOptions::default() });
    let without = judge(FitOptions::default());
    let nnls = judge(FitOptions::new(Solver::Nnls));
    assert!(with[0] < 0.05 && with[1] < 0.12 && with[2] > 0.9, "microbenchmarks: {with:?}");
    // A factor that all microbenchmarks are off by is found from the cases.
    assert!(all_low[0] < 0.05 && all_low[2] > 0.9, "microbenchmarks 30 % low: {all_low:?}");
    assert!(without[0] < 0.22 && without[1] < 0.67, "common cost: {without:?}");
    assert!((0.85..=1.0).contains(&without[2]), "common cost: {without:?}");
    assert!(nnls[0] > 2.0 * without[0], "nnls: {nnls:?}");
}

/// Energies that one cost for all explains as well as any others do not make costs alike:
/// the strength stays where guesses may be off by as much as they say.
#[test]
fn totals_that_one_cost_explains_do_not_make_costs_alike() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let counts: Vec<Vec<f64>> =
        (0..30).map(|_| (0..40).map(|_| random.random_range(90.0..110.0)).collect()).collect();
    let noise = Normal::new(1.0, 0.03).unwrap();
    let energy = |row: &Vec<f64>| 1e-8 * row.iter().sum::<f64>() * noise.sample(&mut random);
    let energies: Vec<f64> = counts.iter().map(energy).collect();
    let rows: Vec<&[f64]> = counts.iter().map(Vec::as_slice).collect();
    let diagnostics = fit(&table(&rows, &energies), &FitOptions::default()).unwrap().diagnostics;
    let spread = diagnostics["noise_relative"].powi(2) / diagnostics["prior_strength"];
    assert!(spread > 0.99 && diagnostics["microbenchmark_priors"] == 0.0, "{diagnostics:?}");
}

/// Columns of different sorts have no common cost, and the folds find that out.
#[test]
fn columns_of_different_sorts_get_a_prior_by_share() {
    let counts: Vec<[f64; 2]> =
        (0..12).map(|i| [1e9 * f64::from(1 + i % 5), f64::from(1 + i % 3)]).collect();
    let rows: Vec<&[f64]> = counts.iter().map(|row| row.as_slice()).collect();
    let energies: Vec<f64> = counts.iter().map(|[a, b]| 1e-9 * a + 0.5 * b).collect();
    let model = fit(&table(&rows, &energies), &FitOptions::default()).unwrap();
    assert_eq!(model.diagnostics["prior_by_share"], 1.0);
    assert_close(&[model.costs[0].cost_j * 1e9, model.costs[1].cost_j], &[1.0, 0.5], 1e-4);
}

/// Microbenchmarks that are right, and microbenchmarks that are off by a factor of 3 either way,
/// beside exact and noisy cases: the cases tell which, and costs are near the ground truth in all
/// of these.
#[test]
fn how_far_microbenchmarks_are_off_is_told_by_the_cases() {
    // Least squares of 12 costs on 40 such cases has about ten times their noise.
    let most = |noise: f64| 0.05 + 10.0 * noise;
    let misfit = |wrong: f64, noise: f64| {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        let costs: Vec<f64> = (0..12).map(|_| random.random_range(1.0..5.0)).collect();
        let row = |_| (0..12).map(|_| random.random_range(0.0f64..9.0).floor()).collect();
        let rows: Vec<Vec<f64>> = (0..40).map(row).collect();
        let mut energy = |row: &Vec<f64>| {
            let sum: f64 = row.iter().zip(&costs).map(|(n, c)| n * c).sum();
            sum * (1.0 + noise * random.random_range(-1.0..1.0))
        };
        let energies: Vec<f64> = rows.iter().map(&mut energy).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let data = table(&rows, &energies);
        let factor = |j: usize| if j.is_multiple_of(2) { wrong } else { wrong.recip() };
        let microbenchmark = |j: usize| prior(&format!("op_{j}"), costs[j] * factor(j), 0.0);
        let options = FitOptions {
            priors: (0..12).map(microbenchmark).collect::<Vec<_>>().into(),
            penalty: Penalty::AsStated,
            ..FitOptions::new(Solver::Shrink)
        };
        let model = fit(&data, &options).unwrap();
        let off = model.costs.iter().zip(&costs).map(|(found, c)| (found.cost_j / c - 1.0).abs());
        let off = off.fold(0.0, f64::max);
        assert!(off < most(noise), "{wrong} {noise}: off by {off}");
        // What microbenchmarks say by themselves is kept where the cases say something else.
        let kept = model.of_microbenchmarks.as_ref();
        assert_eq!(kept.is_some(), model.diagnostics["microbenchmark_misfit"] > 0.1);
        for (j, cost_j) in kept.iter().flat_map(|kept| &kept.costs_j).enumerate() {
            let of_microbenchmark = costs[j] * factor(j);
            assert!(
                (0.4..2.5).contains(&(cost_j / of_microbenchmark)),
                "{j}: {cost_j} {of_microbenchmark}"
            );
        }
        model.diagnostics["microbenchmark_misfit"]
    };
    for noise in [0.0, 0.005, 0.03] {
        assert_eq!(misfit(1.0, noise), 0.1);
        let off = misfit(3.0, noise);
        assert!((0.4..=3.2).contains(&off), "{noise}: {off}");
    }
}
