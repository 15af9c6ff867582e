//! The choice on tables whose outcome is known, and on tables made to run away.

use proptest::prelude::*;

use crate::table::Table;
use crate::testing::{Campaign, table};
use crate::{
    CostPrior, CrossValidation, CvSet, FitOptions, FoldOptions, Model, Penalty, Solver,
    cross_validate, fit,
};

fn stack() -> FitOptions {
    FitOptions::new(Solver::Stack)
}

/// Validation NMAE of each round.
fn rounds(found: &CrossValidation, model: &str) -> Vec<f64> {
    let held_out = |row: &&crate::CvRow| row.set == CvSet::Validation && row.model == model;
    found.rows.iter().filter(held_out).map(|row| row.nmae).collect()
}

/// The rounds of which one has more than three times flat's error, that round's or the mean
/// of all, and more than three times what the true costs would have there: a case of another
/// kind that is held out harms every predictor, and which one more is chance, but none may run
/// away.
fn runaway(data: &Table, of_truth: f64) -> Option<(Vec<f64>, Vec<f64>)> {
    let found = cross_validate(data, &stack(), FoldOptions::default(), None).unwrap();
    let (ours, flat) = (rounds(&found, "stack"), rounds(&found, "flat"));
    let mean = flat.iter().sum::<f64>() / flat.len() as f64;
    let limit = |flat: f64| 3.0 * flat.max(mean).max(of_truth) + 1e-9;
    let mut pairs = ours.iter().zip(&flat);
    pairs.any(|(ours, flat)| *ours > limit(*flat)).then_some((ours, flat))
}

#[test]
fn shrink_stays_as_it_is_where_it_predicts_well() {
    let campaign = Campaign::new(5, 80, 12, 10, 0.02);
    let (ours, alone) =
        (fit(&campaign.table, &stack()).unwrap(), fit(&campaign.table, &FitOptions::default()));
    assert_eq!(ours.choice.as_ref().unwrap().chosen, "shrink", "{:?}", ours.choice);
    assert_eq!((&ours.costs, ours.constant), (&alone.unwrap().costs, None));
}

/// Each case spends a constant beside its operations, of which a combination knows and `shrink`
/// does not: cases are predicted by it, and operations keep the costs that microbenchmarks tell.
#[test]
fn beside_microbenchmarks_a_combination_predicts_cases_only() {
    let Campaign { mut table, costs, .. } = Campaign::new(5, 80, 12, 10, 0.0);
    let mean = table.cases.iter().map(|case| case.energy_j).sum::<f64>() / 80.0;
    table.cases.iter_mut().for_each(|case| case.energy_j += mean);
    let microbenchmark = |(operation, cost_j): (&String, &f64)| CostPrior {
        operation: operation.clone(),
        cost_j: *cost_j,
        se_j: 0.01 * cost_j,
    };
    let priors: Vec<CostPrior> = table.features.iter().zip(&costs).map(microbenchmark).collect();
    let known = FitOptions { priors: priors.into(), penalty: Penalty::AsStated, ..stack() };
    let (ours, blind) = (fit(&table, &known).unwrap(), fit(&table, &stack()).unwrap());
    let alone = FitOptions { solver: Solver::Shrink, ..known };
    let alone = fit(&table, &alone).unwrap();
    assert_eq!(ours.choice.as_ref().unwrap().chosen, "combination", "{:?}", ours.choice);
    assert_eq!((&ours.costs, &ours.covariance), (&alone.costs, &alone.covariance));
    assert!(ours.case_costs_j.is_some() && blind.case_costs_j.is_none());
    let counts: Vec<(usize, f64)> = table.row(0).iter().copied().enumerate().collect();
    let error = |model: &Model| {
        let energy_j = model.predicted_case(&counts, table.cases[0].duration_s).energy_j;
        (energy_j / table.cases[0].energy_j - 1.0).abs()
    };
    assert!(error(&ours) < 0.02 && error(&ours) < error(&alone), "{}", error(&ours));
}

/// Energies of one power and a constant, whatever ran: cases are told by these, which say nothing
/// of operations, and so operations keep the costs of `shrink` and are not free.
#[test]
fn what_time_tells_is_told_by_time() {
    let mut data = Campaign::new(6, 80, 12, 10, 0.02).table;
    for (i, case) in data.cases.iter_mut().enumerate() {
        let seconds = 1.0 + (i * 7 % 11) as f64;
        (case.duration_s, case.energy_j) = (Some(seconds), 3.0 + 2.0 * seconds);
    }
    let model = fit(&data, &stack()).unwrap();
    let choice = model.choice.unwrap();
    assert_eq!(choice.chosen, "combination", "{choice:?}");
    let constant = model.constant.unwrap();
    assert!((constant.case_j - 3.0).abs() < 0.1 && (constant.second_w - 2.0).abs() < 0.02);
    let weights: f64 = choice.candidates.iter().map(|candidate| candidate.weight).sum();
    assert!((weights - 1.0).abs() < 1e-9);
    let alone = fit(&data, &FitOptions::default()).unwrap();
    assert!(model.case_costs_j.is_some() && model.costs.iter().any(|cost| cost.cost_j > 0.0));
    assert_eq!((model.costs, model.covariance), (alone.costs, alone.covariance));
    assert!(runaway(&data, 0.0).is_none());
}

/// Every case is mostly of an operation that no other has, and energies are of one power: what is
/// beyond the reach of operations is not beyond that of durations.
#[test]
fn durations_reach_where_no_cost_does() {
    let mut data = Campaign::new(8, 12, 12, 12, 0.02).table;
    for i in 0..12 {
        let seconds = 1.0 + (i * 7 % 5) as f64;
        let (case, row) = (&mut data.cases[i], &mut data.counts[i * 12..(i + 1) * 12]);
        (case.duration_s, case.energy_j) = (Some(seconds), 2.0 * seconds);
        row.iter_mut().enumerate().for_each(|(j, count)| *count = if i == j { 1e6 } else { 1.0 });
    }
    let found = cross_validate(&data, &stack(), FoldOptions::default(), None).unwrap();
    assert!(rounds(&found, "stack").into_iter().all(|nmae| nmae < 1e-6), "{:?}", found.rows);
}

/// An operation that hardly runs where it is fitted, and nothing else where it is held out.
#[test]
fn a_rare_operation_does_not_run_away() {
    let mut data = Campaign::new(7, 40, 6, 6, 0.02).table;
    let l = data.features.len();
    for i in 0..40 {
        // Once in cases that are more expensive for another reason, a million times in one that
        // isn't.
        let runs = if i == 3 { 1e6 } else { f64::from(u8::from(i >= 36)) };
        data.counts[i * l + l - 1] = runs;
        data.cases[i].energy_j *= if i >= 36 { 1.5 } else { 1.0 };
    }
    let found = cross_validate(&data, &stack(), FoldOptions::default(), None).unwrap();
    let worst = rounds(&found, "stack").into_iter().fold(0.0, f64::max);
    assert!(worst < 1.0, "{worst}");
    let free = cross_validate(&data, &FitOptions::new(Solver::Nnls), FoldOptions::default(), None);
    let free = rounds(&free.unwrap(), "nnls").into_iter().fold(0.0, f64::max);
    assert!(free > 10.0 * worst, "{free} {worst}");
}

#[test]
fn too_few_cases_to_choose_by() {
    let model = fit(&table(&[&[1.0, 2.0]], &[3.0]), &stack()).unwrap();
    let choice = model.choice.unwrap();
    assert_eq!((choice.chosen.as_str(), choice.folds), ("shrink", 0));
}

#[test]
fn intervals_of_a_combination_are_wide_enough() {
    let (mut held, mut all) = (0, 0);
    for seed in 0..12 {
        let mut campaign = Campaign::new(seed, 80, 14, 16, 0.02);
        // A constant in all cases, which no cost of an operation explains.
        let mean: f64 = campaign.table.cases.iter().map(|case| case.energy_j).sum::<f64>() / 80.0;
        campaign.table.cases.iter_mut().for_each(|case| case.energy_j += mean);
        let model = fit(&campaign.table, &stack()).unwrap();
        let choice = model.choice.as_ref().unwrap();
        assert_eq!(choice.chosen, "combination", "{choice:?}");
        let found = campaign.intervals_with_truth(&model);
        (held, all) = (held + found.0, all + found.1);
    }
    let share = f64::from(held as u32) / f64::from(all as u32);
    eprintln!("blocks' 95 % intervals of combinations: {share}");
    assert!(share > 0.9, "{share}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Columns that always run together, one case of any energy, one of any counts.
    #[test]
    fn no_round_runs_away(
        seed in 0u64..1000, factor in -3.0..3.0f64, outlier in 0usize..40, rare in 0usize..40,
        count in 0.0..8.0f64,
    ) {
        let mut data = Campaign::new(seed, 40, 10, 6, 0.05).table;
        let l = data.features.len();
        for i in 0..40 {
            data.counts[i * l + 1] = 3.0 * data.counts[i * l];
        }
        data.cases[outlier].energy_j *= 10f64.powf(factor);
        data.counts[rare * l + 2] += 10f64.powf(count);
        // Of ten cases in a round the outlier is the one that true costs predict too high.
        let of_truth = (10f64.powf(-factor) - 1.0) / 10.0;
        let found = runaway(&data, of_truth);
        prop_assert!(found.is_none(), "{found:?}");
    }
}
