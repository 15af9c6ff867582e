//! How often 95 % intervals hold the truth, on simulated campaigns. Blocks are what
//! users read, and what the cases determine; 80 campaigns of 16 blocks give the share
//! to about 1 %.

use crate::model::testing::Campaign;
use crate::model::{BootstrapOptions, FitOptions, Solver, Weighting, fit};

/// Share of block intervals that hold the truth.
fn coverage(campaigns: u64, operations: usize, options: &FitOptions) -> f64 {
    let (mut held, mut all) = (0, 0);
    for seed in 0..campaigns {
        let campaign = Campaign::new(seed, 120, operations, 16, 0.02);
        let found = campaign.covered(&fit(&campaign.table, options).unwrap());
        (held, all) = (held + found.0, all + found.1);
    }
    assert_eq!(all, 16 * campaigns as usize, "a block without an interval");
    held as f64 / all as f64
}

fn options(solver: Solver, bootstrap: Option<usize>) -> FitOptions {
    let settings = |replicates| BootstrapOptions { replicates, ..Default::default() };
    FitOptions {
        weighting: Weighting::Relative,
        bootstrap: bootstrap.map(settings),
        ..FitOptions::new(solver)
    }
}

fn check(name: &str, share: f64) {
    eprintln!("{name}: {share:.4}");
    assert!((0.93..=0.97).contains(&share), "{name}: {share}");
}

#[test]
fn intervals_hold_the_truth_as_often_as_they_say() {
    check("ls, analytic", coverage(80, 14, &options(Solver::Ls, None)));
    check("ls, bootstrap", coverage(80, 14, &options(Solver::Ls, Some(200))));
    check("nnls, bootstrap", coverage(80, 14, &options(Solver::Nnls, Some(200))));
}

/// More operations than blocks: only sums are determined, and they have intervals.
#[test]
fn sums_that_are_determined_have_honest_intervals() {
    check("ls, analytic, rank 16 of 24", coverage(80, 24, &options(Solver::Ls, None)));
    check("ls, bootstrap, rank 16 of 24", coverage(80, 24, &options(Solver::Ls, Some(200))));
    check("nnls, bootstrap, rank 16 of 24", coverage(80, 24, &options(Solver::Nnls, Some(200))));
}

/// Draws of the hierarchical model.
#[test]
fn the_posterior_of_bayes_is_honest() {
    check("bayes, 14 operations", coverage(25, 14, &options(Solver::Bayes, None)));
    check("bayes, 24 operations", coverage(25, 24, &options(Solver::Bayes, None)));
}

/// The posterior of the default solver.
#[test]
fn the_posterior_of_shrink_is_honest() {
    check("shrink, 14 operations", coverage(80, 14, &options(Solver::Shrink, None)));
    check("shrink, 24 operations", coverage(80, 24, &options(Solver::Shrink, None)));
}
