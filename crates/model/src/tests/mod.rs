//! All solvers on the same problems, and what no solver may choke on.

mod coverage;
mod doubled;
mod real_board;

use super::testing::{assert_close, table};
use super::*;
use crate::table::Table;

/// Six cases of three operations, exactly 2, 0.5 and 3 J.
fn full_rank() -> (Table, [f64; 3]) {
    let costs = [2.0, 0.5, 3.0];
    let rows: [&[f64]; 6] = [
        &[1.0, 4.0, 0.0],
        &[3.0, 0.0, 1.0],
        &[0.0, 2.0, 5.0],
        &[2.0, 2.0, 2.0],
        &[5.0, 1.0, 0.0],
        &[1.0, 0.0, 4.0],
    ];
    let energy = |row: &&[f64]| row.iter().zip(&costs).map(|(n, c)| n * c).sum();
    let energies: Vec<f64> = rows.iter().map(energy).collect();
    (table(&rows, &energies), costs)
}

/// The solvers that find one answer, which is the ground truth where nothing keeps them from it.
const PLAIN: [Solver; 6] =
    [Solver::Shrink, Solver::Nnls, Solver::Ls, Solver::Gd, Solver::Ridge, Solver::ElasticNet];

fn costs_of(model: &Model) -> Vec<f64> {
    model.costs.iter().map(|cost| cost.cost_j).collect()
}

/// Options with next to no penalty.
fn faithful(solver: Solver) -> FitOptions {
    let weighting = Weighting::Equal;
    FitOptions { penalty: Penalty::Fixed(1e-12), weighting, ..FitOptions::new(solver) }
}

#[test]
fn all_solvers_agree_where_the_cases_determine_all() {
    let (data, costs) = full_rank();
    for solver in PLAIN {
        let model = fit(&data, &faithful(solver)).unwrap();
        assert_close(&costs_of(&model), &costs, 1e-4);
        assert_eq!((model.rank, model.row_space.is_none()), (3, true), "{solver:?}");
        assert_eq!(model.solver, solver.name());
    }
}

/// With noise the least-squares solvers agree on the solution, not only on the ground truth.
#[test]
fn plain_solvers_agree_with_noise_and_weights() {
    let (mut data, _) = full_rank();
    for (i, case) in data.cases.iter_mut().enumerate() {
        case.energy_j *= 1.0 + 0.02 * (i as f64 - 2.5);
        case.weight = Some(1.0 + i as f64);
    }
    for weighting in [Weighting::Equal, Weighting::Column, Weighting::InverseEnergy] {
        let costs =
            |solver| costs_of(&fit(&data, &FitOptions { weighting, ..faithful(solver) }).unwrap());
        for solver in [Solver::Gd, Solver::Nnls, Solver::Ridge, Solver::Shrink] {
            assert_close(&costs(solver), &costs(Solver::Ls), 1e-8);
        }
    }
}

/// Another library's least squares as the oracle, on cases that determine all costs.
#[test]
fn least_squares_agree_with_linfa() {
    use linfa::prelude::*;

    for seed in 0..5 {
        let campaign = crate::testing::Campaign::new(seed, 60, 12, 12, 0.02);
        let data = &campaign.table;
        let (m, l) = (data.cases.len(), data.features.len());
        // linfa answers anything where costs are not determined.
        let ours = fit(data, &faithful(Solver::Ls)).unwrap();
        assert_eq!(ours.rank, l);
        let counts = ndarray::Array2::from_shape_vec((m, l), data.counts.clone()).unwrap();
        let energies = data.cases.iter().map(|case| case.energy_j).collect();
        let theirs = linfa_linear::LinearRegression::new()
            .with_intercept(false)
            .fit(&linfa::Dataset::new(counts, ndarray::Array1::from_vec(energies)))
            .unwrap();
        assert_close(&costs_of(&ours), theirs.params().as_slice().unwrap(), 1e-7);
    }
}

#[test]
fn huge_counts_beside_single_ones() {
    let counts: Vec<[f64; 2]> =
        (0..10).map(|i| [1e12 * f64::from(1 + i % 4), f64::from(1 + i % 3)]).collect();
    let rows: Vec<&[f64]> = counts.iter().map(|row| row.as_slice()).collect();
    let energies: Vec<f64> = counts.iter().map(|[a, b]| 1e-12 * a + 0.5 * b).collect();
    let data = table(&rows, &energies);
    for solver in PLAIN {
        // Without choosing between priors, shrink would take the two for comparable.
        let tuned = FitOptions::new(Solver::Shrink);
        let options = if solver == Solver::Shrink { tuned } else { faithful(solver) };
        let costs = costs_of(&fit(&data, &options).unwrap());
        assert_close(&[costs[0] * 1e12, costs[1]], &[1.0, 0.5], 1e-4);
    }
}

/// A number or a reason, no panic.
#[test]
fn counts_beyond_all_reason() {
    let beyond = table(&[&[1e300, 1.0], &[1e308, 2.0]], &[1e-300, 2e-300]);
    for solver in Solver::ALL {
        if let Ok(model) = fit(&beyond, &FitOptions::new(solver)) {
            assert!(costs_of(&model).iter().all(|cost| cost.is_finite()), "{solver:?}");
        }
    }
}

#[test]
fn strange_tables_are_fitted_or_refused() {
    let strange: [(&str, Table); 6] = [
        ("one case", table(&[&[1.0, 2.0]], &[3.0])),
        ("more predictors than cases", table(&[&[1.0, 2.0, 1.0], &[2.0, 1.0, 5.0]], &[3.0, 4.0])),
        ("a column of zeros", table(&[&[1.0, 0.0], &[2.0, 0.0], &[1.0, 0.0]], &[1.0, 2.0, 1.1])),
        ("a constant column", table(&[&[1.0, 7.0], &[2.0, 7.0], &[4.0, 7.0]], &[8.0, 9.0, 11.0])),
        ("energies below zero", table(&[&[1.0, 2.0], &[2.0, 1.0]], &[-3.0, -1.0])),
        ("no energy at all", table(&[&[1.0, 2.0], &[2.0, 1.0]], &[0.0, 0.0])),
    ];
    for (name, data) in strange {
        for solver in Solver::ALL {
            let model = match fit(&data, &FitOptions::new(solver)) {
                Err(ModelError::NotMixed { .. }) => continue,
                found => found.expect(name),
            };
            assert!(costs_of(&model).iter().all(|cost| cost.is_finite()), "{name} {solver:?}");
            let again = Model::from_json(&model.to_json().unwrap()).unwrap();
            assert_eq!(again, model, "{name} {solver:?}");
        }
    }
}

/// Without a prior there is nothing to say about an operation that never ran.
#[test]
fn no_interval_where_there_is_no_information() {
    let data = table(&[&[1.0, 0.0], &[2.0, 0.0], &[1.0, 0.0]], &[1.0, 2.0, 1.1]);
    let model = fit(&data, &FitOptions::new(Solver::Ls)).unwrap();
    let silent = &model.costs[1];
    assert_eq!((silent.cost_j, silent.se_j, silent.estimable), (0.0, None, false));
    assert!(model.costs[0].se_j.is_some() && model.predict(&[(1, 1.0)]).se_j.is_none());
}

#[test]
fn microbenchmarks_are_for_shrink_only() {
    let (data, _) = full_rank();
    let priors = CostPrior::from_csv("operation,cost_j,se_j\nop_0,2,0.1\n").unwrap().into();
    let error = fit(&data, &FitOptions { priors, ..FitOptions::new(Solver::Nnls) }).unwrap_err();
    assert!(error.to_string().contains("shrink"), "{error}");
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (data, _) = full_rank();
    for solver in Solver::ALL {
        let json = || fit(&data, &FitOptions::new(solver)).unwrap().to_json().unwrap();
        assert_eq!(json(), json());
    }
}

/// One case per operation beside a common loop, as microbenchmarks are: least squares by
/// relative error finds every cost, be it a thousand times the others, and its errors
/// make it a prior.
#[test]
fn a_table_of_microbenchmarks_gives_each_operation_its_cost() {
    let costs: Vec<f64> =
        (0..20).map(|j| if j == 19 { 1e-6 } else { 1e-9 * f64::from(1 + j % 4) }).collect();
    let mut rows = vec![vec![0.0; 20]; 40];
    for (i, row) in rows.iter_mut().enumerate() {
        row[..3].fill(1e6);
        row[i % 20] += if i < 20 { 4e6 } else { 8e6 };
    }
    let noisy = |(i, row): (usize, &Vec<f64>)| {
        let energy: f64 = row.iter().zip(&costs).map(|(n, c)| n * c).sum();
        energy * if i % 3 == 0 { 1.01 } else { 0.995 }
    };
    let energies: Vec<f64> = rows.iter().enumerate().map(noisy).collect();
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let options = FitOptions { weighting: Weighting::Relative, ..FitOptions::new(Solver::Ls) };
    let model = fit(&table(&rows, &energies), &options).unwrap();
    for (found, cost) in model.costs.iter().zip(&costs) {
        assert!(
            (found.cost_j / cost - 1.0).abs() < 0.1 && found.se_j.is_some(),
            "{found:?} {cost}"
        );
    }
}
