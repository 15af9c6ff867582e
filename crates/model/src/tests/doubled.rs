//! What moves when an assumption is doubled.

use wattline_units::assumptions::{ASSUMED, Assumptions};

use super::super::testing::{Campaign, table};
use super::*;
use crate::devices::device_factors;
use crate::table::{Case, GARBAGE_COLLECTION};

/// The assumptions with one of them doubled.
fn doubled(name: &str) -> Assumptions {
    let mut all = serde_json::to_value(ASSUMED).unwrap();
    let value = all[name].as_f64().unwrap();
    all[name] = (2.0 * value).into();
    serde_json::from_value(all).unwrap()
}

fn named(table: &mut Table, names: &[&str]) {
    for (feature, name) in table.features.iter_mut().zip(names) {
        *feature = (*name).to_owned();
    }
}

/// Forty cases of operations with microbenchmarks, without, of unknown length, and collections.
fn campaign() -> Table {
    let mut data = Campaign::new(7, 40, 8, 16, 0.03).table;
    let names = ["Addition_int_int", "Not", "Addition_long_long", "Increment", "And"];
    named(&mut data, &names);
    named_from(&mut data, 5, &["lib:java.util.List.add", "New_Object", GARBAGE_COLLECTION]);
    for case in data.cases.iter_mut().skip(20) {
        case.energy_se_j = Some(1e-2 * case.energy_j);
    }
    data
}

fn named_from(table: &mut Table, first: usize, names: &[&str]) {
    for (feature, name) in table.features[first..].iter_mut().zip(names) {
        *feature = (*name).to_owned();
    }
}

fn microbenchmarks(cost_j: f64) -> CostPriors {
    let prior = |name: &str, times: f64| CostPrior {
        operation: name.to_owned(),
        cost_j: cost_j * times,
        se_j: 0.02 * cost_j,
    };
    vec![prior("Addition_int_int", 1.0), prior("Not", 1.5)].into()
}

/// Costs and their standard errors, one after the other.
fn answer(table: &Table, options: &FitOptions) -> Vec<f64> {
    let costs = fit(table, options).unwrap().costs;
    costs.iter().flat_map(|cost| [cost.cost_j, cost.se_j.unwrap_or(0.0)]).collect()
}

/// Twenty cases on two boards, the second of about 1.3 times the energy, and twenty on one;
/// one in three without a standard error, the rest with next to none.
fn boards(assumed: &Assumptions) -> Vec<f64> {
    let mut data = campaign();
    for i in 0..40 {
        data.cases[i].energy_se_j = (i % 3 > 0).then_some(1e-9 * data.cases[i].energy_j);
        if i < 20 {
            let again = data.row(i).to_vec();
            data.counts.extend(again);
            let (device, energy_j) = ("other".to_owned(), 1.3 * data.cases[i].energy_j);
            data.cases.push(Case { device, energy_j, ..data.cases[i].clone() });
        }
    }
    let found = device_factors(&data, None, assumed).unwrap();
    found.iter().flat_map(|f| [f.factor, f.factor_se.unwrap_or(0.0)]).collect()
}

/// The answers of fits and factors under some assumptions.
fn answers(assumed: &Assumptions) -> Vec<(&'static str, Vec<f64>)> {
    let shrink = FitOptions { assumed: *assumed, ..FitOptions::new(Solver::Shrink) };
    let with_microbenchmarks = FitOptions { priors: microbenchmarks(1e-9), ..shrink.clone() };
    let at_their_word = FitOptions { penalty: Penalty::AsStated, ..with_microbenchmarks.clone() };
    let cheap_microbenchmarks = FitOptions {
        priors: microbenchmarks(1e-12),
        penalty: Penalty::Fixed(1e-3),
        ..shrink.clone()
    };
    let chains = ChainOptions::default().as_draft();
    let bayes = FitOptions {
        solver: Solver::Bayes,
        weighting: Weighting::Equal,
        chains,
        ..with_microbenchmarks.clone()
    };
    let mut one = table(&[&[2.0, 1.0]], &[2.0]);
    named(&mut one, &["Not", "Increment"]);
    let two = table(&[&[2.0, 1.0], &[1.0, 3.0]], &[4.0, 7.0]);
    let of_one = FitOptions { priors: microbenchmarks(1.0), ..shrink.clone() };
    let far = table(&[&[1.0, 0.0], &[0.0, 1.0], &[0.0, 2.0]], &[1e9, 1.0, 2.0]);
    let held = FitOptions { penalty: Penalty::Fixed(1e-2), ..shrink.clone() };
    vec![
        ("without microbenchmarks", answer(&campaign(), &shrink)),
        ("with microbenchmarks", answer(&campaign(), &with_microbenchmarks)),
        ("with microbenchmarks at their word", answer(&campaign(), &at_their_word)),
        ("with microbenchmarks far too cheap", answer(&campaign(), &cheap_microbenchmarks)),
        ("of two cases", answer(&two, &shrink)),
        ("of one case", answer(&one, &of_one)),
        ("of a cost far out", answer(&far, &held)),
        ("bayes", answer(&campaign(), &bayes)),
        ("two boards", boards(assumed)),
    ]
}

/// The largest relative change of an answer.
fn change(before: &[f64], after: &[f64]) -> f64 {
    let changes = before.iter().zip(after).filter(|(a, _)| **a != 0.0).map(|(a, b)| b / a - 1.0);
    changes.fold(0.0, |most, change| if change.abs() > f64::abs(most) { change } else { most })
}

/// Where doubling an assumption changes something by 0.05 % or more, and by how much at
/// most: a line for each that a fit uses. None is without effect. (How far a guess is let
/// go is doubled where it is used, `shrink/prior.rs`.)
#[test]
fn every_assumption_moves_what_it_should() {
    let before = answers(&ASSUMED);
    let (mut text, mut idle) = (String::new(), Vec::new());
    let used = [
        "simulated_chip_case_misfit",
        "microbenchmark_misfit",
        "microbenchmark_level",
        "family_spread",
        "simulated_chip_body_spread",
        "collection_share",
        "common_cost_max",
        "guess_freedom",
        "cost_variance_least",
        "supposed_noise_share",
        "untuned_strength",
        "case_noise_unknown",
        "case_noise_least",
        "noise_freedom",
    ];
    for name in used {
        let after = answers(&doubled(name));
        let moved = before.iter().zip(after).filter_map(|((scene, before), (_, after))| {
            let change = change(before, &after);
            (change.abs() >= 5e-4).then(|| format!("{scene} {:+.1} %", 100.0 * change))
        });
        let moved: Vec<String> = moved.collect();
        text += &format!("{name}: {}\n", moved.join(", "));
        idle.extend(moved.is_empty().then_some(name));
    }
    assert!(idle.is_empty(), "{idle:?} move nothing");
    insta::assert_snapshot!(text);
}
