//! Streamed fits are the fits of the table.

use super::*;
use crate::table::{PassColumns, Table};
use crate::testing::{assert_close, table};
use crate::validation::cross_validate_in;
use crate::{CvSet, FoldUnit, Penalty, Solver, Weighting, fit};

/// The fold of every case.
fn fold_of(data: &Table, options: &FitOptions, folds: FoldOptions) -> Vec<usize> {
    let plan = CellPlan::with_floor(options, Some(folds), None, 0.0).unwrap();
    let mut of = Vec::new();
    data.for_each_block(PassColumns::Cases, &mut |block| {
        of.extend((0..block.rows()).map(|i| plan.fold(block, i)));
        std::ops::ControlFlow::Continue(())
    })
    .unwrap();
    of
}

/// 240 cases of six operations, of which two are nearly proportional at `tilt` small.
fn data(tilt: f64) -> Table {
    let rows: Vec<[f64; 6]> = (0..240u32)
        .map(|i| {
            let digit = |k: u32| f64::from((i * (7 + 4 * k) + i * i * (k + 3)) % 23);
            [digit(0), digit(1), digit(2), digit(0) + tilt * digit(3), 1e9 * digit(4), digit(5)]
        })
        .collect();
    let energies: Vec<f64> = rows
        .iter()
        .enumerate()
        .map(|(i, n)| {
            let energy = 2.0 * n[0] + 0.5 * n[1] + 3.0 * n[2] + n[3] + 1e-9 * n[4] + 0.1 * n[5];
            energy * (1.0 + 0.01 * f64::from(i as u32 * 37 % 11) - 0.05) + 1.0
        })
        .collect();
    let rows: Vec<&[f64]> = rows.iter().map(|row| row.as_slice()).collect();
    let mut table = table(&rows, &energies);
    for (i, case) in table.cases.iter_mut().enumerate() {
        case.group = format!("g{}", i % 24);
        case.duration_s = Some(1.0 + (i % 5) as f64);
    }
    table
}

fn costs(model: &Model) -> Vec<f64> {
    let scale = |j: usize| if j == 4 { 1e9 } else { 1.0 };
    model.costs.iter().enumerate().map(|(j, cost)| cost.cost_j * scale(j)).collect()
}

#[test]
fn every_solver_finds_the_costs_and_figures_of_the_table() {
    let data = data(1.0);
    let not_here = [Solver::Bayes, Solver::Stack];
    for solver in Solver::ALL.into_iter().filter(|solver| !not_here.contains(solver)) {
        for unit in [FoldUnit::Case, FoldUnit::Group] {
            let options = FitOptions {
                weighting: Weighting::InverseEnergy,
                penalty: Penalty::Fixed(1e-3),
                ..FitOptions::new(solver)
            };
            let folds = FoldOptions { folds: 3, unit, seed: 5 };
            let streamed = fit_rows(&data, &options, Some(folds)).unwrap();
            let model = fit(&data, &options).unwrap();
            assert_close(&costs(&streamed.model), &costs(&model), 1e-6);
            assert_eq!(streamed.model.rank, model.rank);
            let errors = |m: &Model| m.costs.iter().filter_map(|c| c.se_j).collect::<Vec<_>>();
            assert_close(&errors(&streamed.model), &errors(&model), 1e-6);
            let of = fold_of(&data, &options, folds);
            let direct = cross_validate_in(&of, &data, &options, folds, None).unwrap();
            let found = streamed.validation.unwrap();
            assert_eq!(found.rows.len(), direct.rows.len());
            for (a, b) in found.rows.iter().zip(&direct.rows) {
                assert_eq!(
                    (&a.model, a.round, a.set, a.cases),
                    (&b.model, b.round, b.set, b.cases)
                );
                assert!((a.nmae - b.nmae).abs() < 1e-6, "{a:?} {b:?}");
                assert!((a.bias - b.bias).abs() < 1e-6, "{a:?} {b:?}");
                assert!((a.r.unwrap_or(9.0) - b.r.unwrap_or(9.0)).abs() < 1e-6, "{a:?} {b:?}");
            }
        }
    }
}

/// Two columns that differ by a part in 1e7: cross products can't tell them apart,
/// products with all digits can.
#[test]
fn near_collinearity_takes_all_digits() {
    let data = data(1e-7);
    let options = FitOptions::new(Solver::Ls);
    let streamed = fit_rows(&data, &options, None).unwrap();
    let model = fit(&data, &options).unwrap();
    assert_eq!((streamed.model.rank, model.rank), (6, 6));
    assert_close(&costs(&streamed.model), &costs(&model), 1e-5);
    let equal = fit_rows(&self::data(0.0), &options, None).unwrap();
    assert_eq!(equal.model.rank, 5);
    assert_eq!(equal.estimability.operations[0].group, Some(1));
}

#[test]
fn strengths_are_chosen_by_folds_of_the_cells() {
    let data = data(1.0);
    for solver in [Solver::Ridge, Solver::ElasticNet, Solver::Shrink] {
        let folds = Some(FoldOptions::default());
        let found = fit_rows(&data, &FitOptions::new(solver), folds).unwrap();
        let mean = found.validation.unwrap().mean(solver.name(), CvSet::Validation).unwrap();
        assert!(mean.nmae < 0.1, "{solver:?} {mean:?}");
    }
}

#[test]
fn bad_rows_are_named() {
    let options = FitOptions::new(Solver::Nnls);
    let message = |table: &Table, folds| fit_rows(table, &options, folds).unwrap_err().to_string();
    let mut bad = data(1.0);
    bad.counts[8] = f64::NAN;
    let found = message(&bad, None);
    assert!(found.contains("case_1") && found.contains("op_2"), "{found}");
    let mut zero = data(1.0);
    zero.cases[3].energy_j = 0.0;
    assert!(message(&zero, Some(FoldOptions::default())).contains("case_3"));
    assert!(matches!(fit_rows(&Table::default(), &options, None), Err(ModelError::NoFeatures)));
    let none = table(&[&[0.0], &[0.0]], &[1.0, 2.0]);
    assert!(matches!(fit_rows(&none, &options, None), Err(ModelError::NoCounts)));
    let few = table(&[&[1.0], &[2.0]], &[1.0, 2.0]);
    assert!(message(&few, Some(FoldOptions::default())).contains("of 4 has no case"));
}

/// Folds are about as large as each other, and change with the seed.
#[test]
fn folds_are_drawn_from_names_or_energies() {
    let mut data = data(1.0);
    let options = FitOptions::new(Solver::Ls);
    let by_name = fold_of(&data, &options, FoldOptions::default());
    assert_ne!(by_name, fold_of(&data, &options, FoldOptions { seed: 2, ..Default::default() }));
    data.cases.iter_mut().for_each(|case| case.name.clear());
    let by_energy = fold_of(&data, &options, FoldOptions::default());
    for of in [by_name, by_energy] {
        for fold in 0..4 {
            let size = of.iter().filter(|found| **found == fold).count();
            assert!((35..=85).contains(&size), "{size} of 240");
        }
    }
}

/// Rows that are read once can't be held out within reach of each other.
#[test]
fn a_choice_of_solvers_is_refused() {
    let error = fit_rows(&data(1.0), &FitOptions::new(Solver::Stack), None).unwrap_err();
    assert!(error.to_string().contains("stack"), "{error}");
}
