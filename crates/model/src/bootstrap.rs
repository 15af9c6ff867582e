//! Intervals for every solver by the bootstrap over cases: the fit is repeated on cases
//! drawn with replacement (Efron 1979), at the strength that was chosen for all.
//!
//! What it can't show is a bias: a penalty draws all repetitions the same way.

use faer::Mat;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use super::design::Design;
use super::error::ModelError;
use super::folds::{CaseUnits, FoldUnit};
use super::options::{BootstrapOptions, FitOptions, Penalty, Solver};
use super::solver::{Covariance, Solution, SolvedScope, refit};
use wattline_units::limits::{FIT_REPEATS, TABLE_NUMBERS};
use wattline_units::quantile::quantile;

/// Scaled costs of the repetitions of a fit.
#[derive(Debug, Clone)]
pub(crate) struct Replicates {
    /// Scaled costs, replicates x l.
    b: Mat<f64>,
}

impl Replicates {
    /// Covariance of the scaled costs.
    pub fn covariance(&self) -> Covariance {
        let (n, l) = (self.b.nrows(), self.b.ncols());
        let mean = |j: usize| self.b.col(j).iter().sum::<f64>() / n as f64;
        let means: Vec<f64> = (0..l).map(mean).collect();
        let centred = Mat::from_fn(n, l, |i, j| self.b[(i, j)] - means[j]);
        let of_b = centred.transpose() * &centred * faer::Scale(1.0 / (n as f64 - 1.0));
        Covariance { of_b, scope: SolvedScope::Estimable }
    }

    /// The quantiles `low` and `1 - low` of every scaled cost.
    pub(crate) fn percentiles(&self, low: f64) -> Vec<(f64, f64)> {
        (0..self.b.ncols())
            .map(|j| {
                let mut values: Vec<f64> = self.b.col(j).iter().copied().collect();
                values.sort_unstable_by(f64::total_cmp);
                (quantile(&values, low), quantile(&values, 1.0 - low))
            })
            .collect()
    }
}

/// Repeats a fit on cases drawn with replacement.
pub(crate) fn bootstrap(
    design: &Design,
    solution: &Solution,
    options: &FitOptions,
    bootstrap: BootstrapOptions,
) -> Result<Replicates, ModelError> {
    let n = bootstrap.replicates;
    if n < 2 {
        let (option, value, expected) = ("--bootstrap", n.to_string(), "0, or at least 2");
        return Err(ModelError::BadOption { option, value, expected });
    }
    let remedy = "lower --bootstrap";
    let numbers = (n as u64).saturating_mul(design.columns() as u64);
    FIT_REPEATS
        .check(n as u64)
        .and_then(|()| TABLE_NUMBERS.check(numbers))
        .map_err(ModelError::too_large(remedy))?;
    let options = at_chosen_strength(options, solution);
    let units = case_units(design, bootstrap.unit);
    let replicate = |at: usize| {
        let mut random = ChaCha8Rng::seed_from_u64(bootstrap.seed);
        random.set_stream(at as u64);
        refit(&resampled_design(design, &units, &mut random), &options, &solution.b)
    };
    let all: Result<Vec<Vec<f64>>, ModelError> = (0..n).into_par_iter().map(replicate).collect();
    let all = all?;
    Ok(Replicates { b: Mat::from_fn(n, design.columns(), |i, j| all[i][j]) })
}

/// Returns the options of the repetitions, with the strength and the misfit of microbenchmarks that
/// the fit to all cases chose; a choice among predictors is repeated.
fn at_chosen_strength(options: &FitOptions, solution: &Solution) -> FitOptions {
    if options.solver == Solver::Stack {
        return options.clone();
    }
    let names = ["penalty", "prior_strength"];
    let strength = names.iter().find_map(|name| solution.diagnostics.get(*name));
    let penalty = strength.map_or(options.penalty, |strength| Penalty::Fixed(*strength));
    let mut assumed = options.assumed;
    if let Some(misfit) = solution.diagnostics.get("microbenchmark_misfit") {
        assumed.microbenchmark_misfit = *misfit;
    }
    FitOptions { penalty, assumed, ..options.clone() }
}

/// Returns the units that are drawn as a whole: the rows of a case or of a group.
fn case_units(design: &Design, unit: FoldUnit) -> CaseUnits {
    let groups: Vec<&str> = design.groups.iter().map(String::as_str).collect();
    CaseUnits::new(&groups, unit)
}

/// Returns the problem with as many units drawn as there are; a row drawn k times has the weight k.
fn resampled_design(design: &Design, units: &CaseUnits, random: &mut ChaCha8Rng) -> Design {
    let mut times = vec![0u32; units.len()];
    (0..units.len()).for_each(|_| times[random.random_range(0..units.len())] += 1);
    let rows: Vec<(usize, f64)> = times
        .iter()
        .enumerate()
        .filter(|(_, times)| **times > 0)
        .flat_map(|(unit, times)| units.cases(unit).iter().map(|i| (*i, f64::from(*times).sqrt())))
        .collect();
    Design {
        x: Mat::from_fn(rows.len(), design.columns(), |i, j| rows[i].1 * design.x[(rows[i].0, j)]),
        y: rows.iter().map(|(i, root)| root * design.y[*i]).collect(),
        features: design.features.clone(),
        roots: rows.iter().map(|(i, root)| root * design.roots[*i]).collect(),
        seconds: design
            .seconds
            .as_ref()
            .map(|seconds| rows.iter().map(|(i, root)| root * seconds[*i]).collect()),
        groups: rows.iter().map(|(i, _)| design.groups[*i].clone()).collect(),
        folds: None,
        scale: design.scale.clone(),
        seen: design.seen.clone(),
        ..*design
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, table};
    use crate::{Solver, fit};

    fn with_bootstrap(solver: Solver, replicates: usize) -> FitOptions {
        let options = BootstrapOptions { replicates, ..Default::default() };
        FitOptions { bootstrap: Some(options), ..FitOptions::new(solver) }
    }

    /// One operation that runs once per case: the cost is the mean, whose bootstrap
    /// error is the root of `sum (e - mean)^2 / m^2`: energies 1..=9, sqrt(60 / 81).
    #[test]
    fn the_error_of_a_mean() {
        let rows: Vec<&[f64]> = vec![&[1.0]; 9];
        let energies: Vec<f64> = (1..=9).map(f64::from).collect();
        for solver in [Solver::Nnls, Solver::Ls, Solver::Gd] {
            let model = fit(&table(&rows, &energies), &with_bootstrap(solver, 4000)).unwrap();
            let cost = &model.costs[0];
            let (se, expected) = (cost.se_j.unwrap(), (60f64 / 81.0).sqrt());
            assert!((se / expected - 1.0).abs() < 0.05, "{solver:?} {se} {expected}");
            assert!(cost.lo_j.unwrap() > 3.0 && cost.hi_j.unwrap() < 7.0, "{cost:?}");
            assert_close(&[model.predict(&[(0, 2.0)]).se_j.unwrap()], &[2.0 * se], 1e-12);
        }
    }

    #[test]
    fn groups_are_drawn_whole_and_nothing_else_is_left_to_chance() {
        let rows: Vec<&[f64]> = vec![&[1.0]; 8];
        let mut data = table(&rows, &[1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0]);
        let se = |data: &_, unit| {
            let draws = BootstrapOptions { replicates: 2000, unit, seed: 3 };
            let options = FitOptions { bootstrap: Some(draws), ..FitOptions::new(Solver::Nnls) };
            fit(data, &options).unwrap().costs[0].se_j.unwrap()
        };
        for (i, case) in data.cases.iter_mut().enumerate() {
            case.group = format!("g{}", i / 4);
        }
        // Two groups of means 1 and 3: the error is sqrt(1/2), not sqrt(1/8).
        assert!((se(&data, FoldUnit::Group) - 0.5f64.sqrt()).abs() < 0.03);
        assert!((se(&data, FoldUnit::Case) - 0.125f64.sqrt()).abs() < 0.02);
        assert_eq!(se(&data, FoldUnit::Case), se(&data, FoldUnit::Case));
    }

    #[test]
    fn one_replicate_is_refused() {
        let data = table(&[&[1.0], &[2.0]], &[1.0, 2.0]);
        let error = fit(&data, &with_bootstrap(Solver::Ls, 1)).unwrap_err().to_string();
        assert!(error.contains("at least 2"), "{error}");
    }
}
