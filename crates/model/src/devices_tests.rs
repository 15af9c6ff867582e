//! Boards that differ by a known factor.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use wattline_units::assumptions::ASSUMED;

use super::*;
use crate::testing::{assert_close, table};
use crate::{CvSet, FitOptions, FoldOptions, Solver, cross_validate, fit};

/// `bases` cases on both boards and `own` more on each, of 12 operations whose costs differ
/// by a factor of ten; board `b` spends `factor` times as much, with relative noise.
fn campaign(bases: usize, own: usize, factor: f64, noise: f64, seed: u64) -> (Table, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let costs: Vec<f64> = (0..12).map(|_| 10f64.powf(rng.random_range(-9.0..-8.0))).collect();
    let (mut rows, mut energies, mut boards, mut names) = (vec![], vec![], vec![], vec![]);
    for at in 0..bases + 2 * own {
        let row: Vec<f64> = (0..12).map(|_| rng.random_range(0.0f64..1e8).round()).collect();
        let energy: f64 = row.iter().zip(&costs).map(|(n, c)| n * c).sum();
        let on: &[(&str, f64)] = match at {
            at if at < bases => &[("a", 1.0), ("b", factor)],
            at if at < bases + own => &[("a", 1.0)],
            _ => &[("b", factor)],
        };
        for (board, factor) in on {
            // Uniform, of standard deviation 1.
            let error: f64 = rng.random_range(-1.732..1.732);
            energies.push(energy * factor * (1.0 + noise * error));
            rows.push(row.clone());
            boards.push(*board);
            names.push(format!("case_{at}"));
        }
    }
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let mut table = table(&rows, &energies);
    for ((case, board), name) in table.cases.iter_mut().zip(boards).zip(names) {
        (case.device, case.name, case.group) = (board.to_owned(), name.clone(), name);
        case.energy_se_j = Some(noise * case.energy_j);
    }
    (table, costs)
}

#[test]
fn the_same_work_on_two_boards_gives_their_factor() {
    let (table, _) = campaign(3, 0, 1.25, 1e-9, 1);
    let found = device_factors(&table, None, &ASSUMED).unwrap();
    assert_eq!((found[0].device.as_str(), found[0].factor), ("a", 1.0));
    assert_eq!(found[0].factor_se, None);
    assert!((found[1].factor - 1.25).abs() < 1e-6, "{found:?}");
    let swapped = device_factors(&table, Some("b"), &ASSUMED).unwrap();
    assert_eq!(swapped[0].device, "b");
    assert!((swapped[1].factor - 0.8).abs() < 1e-6);
    assert_eq!(device_factors(&table, Some("elsewhere"), &ASSUMED).unwrap(), found);
}

/// 95 % intervals hold the ground truth in at least 90 of 100 campaigns, and are of use: narrower
/// than the boards' difference, though no case but two was measured on both.
#[test]
fn intervals_hold_the_truth() {
    let (mut inside, mut widths) = (0, 0.0);
    for seed in 0..100 {
        let (table, _) = campaign(2, 15, 1.2, 0.01, seed);
        let found = device_factors(&table, None, &ASSUMED).unwrap();
        let (lo, hi) = (found[1].factor_lo.unwrap(), found[1].factor_hi.unwrap());
        inside += usize::from(lo <= 1.2 && 1.2 <= hi);
        widths += (hi - lo) / 100.0;
    }
    assert!(inside >= 90, "{inside}");
    assert!(widths < 0.08, "{widths}");
}

#[test]
fn costs_are_those_of_the_reference_and_of_any_board_asked_for() {
    let (table, costs) = campaign(4, 10, 1.25, 1e-4, 3);
    for solver in [Solver::Ls, Solver::Shrink] {
        let model = fit(&table, &FitOptions::new(solver)).unwrap();
        assert_eq!(model.reference_device(), Some("a"));
        let found: Vec<f64> = model.costs.iter().map(|cost| cost.cost_j).collect();
        assert_close(&found, &costs, 0.02);
        let other = model.on_device("b").unwrap();
        assert_eq!(other.reference_device(), Some("b"));
        let factor = model.devices[1].factor;
        for (cost, before) in other.costs.iter().zip(&model.costs) {
            assert!((cost.cost_j / before.cost_j - factor).abs() < 1e-9);
            assert!(cost.se_j.unwrap() > before.se_j.unwrap());
            assert!(cost.lo_j.unwrap() < cost.cost_j && cost.cost_j < cost.hi_j.unwrap());
        }
        let all: Vec<(usize, f64)> = (0..costs.len()).map(|j| (j, 1e6)).collect();
        let [here, there] = [&model, &other].map(|model| model.predict(&all));
        assert!((there.energy_j / here.energy_j - factor).abs() < 1e-9);
        let relative = |p: crate::EnergyPrediction| p.se_j.unwrap() / p.energy_j;
        assert!(relative(there) > relative(here), "the factor's own error is in it");
        let back = other.on_device("a").unwrap();
        assert!((back.devices[1].factor - factor).abs() < 1e-9);
        assert!(model.on_device("c").is_none());
    }
}

/// With boards as a factor held-out cases are predicted as well as on one board.
#[test]
fn cross_validation_knows_the_boards() {
    let (table, _) = campaign(6, 25, 1.5, 0.002, 5);
    let options = FitOptions::new(Solver::Shrink);
    let nmae = |table: &Table| {
        let validation = cross_validate(table, &options, FoldOptions::default(), None).unwrap();
        validation.mean("shrink", CvSet::Validation).unwrap().nmae
    };
    let mut blind = table.clone();
    blind.cases.iter_mut().for_each(|case| case.device = "a".into());
    let (seeing, blind) = (nmae(&table), nmae(&blind));
    assert!(seeing < 0.02 && blind > 5.0 * seeing, "{seeing} {blind}");
}

#[test]
fn a_board_that_nothing_is_known_of_is_an_error_and_one_board_no_factor() {
    let (mut table, _) = campaign(2, 2, 1.2, 0.01, 1);
    for case in table.cases.iter_mut().filter(|case| case.device == "b") {
        case.energy_j = -1.0;
    }
    let error = device_factors(&table, None, &ASSUMED).unwrap_err().to_string();
    assert!(error.contains("board b"), "{error}");
    table.cases.iter_mut().for_each(|case| case.device = "a".into());
    assert_eq!(device_factors(&table, None, &ASSUMED).unwrap(), []);
}
