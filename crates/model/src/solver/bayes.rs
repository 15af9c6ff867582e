//! The posterior of the hierarchical model at source level, by Gibbs sampling; see
//! [`super::super::bayes::source_level`] for the model.

use faer::Mat;

use super::super::bayes::chains::{ChainDraws, run_chains};
use super::super::bayes::source_level::SourceLevelStats;
use super::super::design::Design;
use super::super::error::ModelError;
use super::super::linear::{dot, matrix_times_vector};
use super::super::options::FitOptions;
use super::solution::{Covariance, Solution, SolvedScope, diagnostics};
use wattline_units::quantile::quantile;

/// Number of draws that go into the model, of the thousands that were made.
const DRAWS_KEPT: usize = 200;

pub(super) fn solve(design: &Design, options: &FitOptions) -> Result<Solution, ModelError> {
    let source = SourceLevelStats::new(design, &options.priors)?;
    let draws = run_chains(&options.chains, |random| source.start(random))?;
    let l = source.columns();
    let values: Vec<Vec<f64>> = (0..l).map(|j| draws.of(j)).collect();
    let b: Vec<f64> = values.iter().map(|v| v.iter().sum::<f64>() / v.len() as f64).collect();
    let of_b = covariance(&values, &b);
    let noise = noise(design, &b);
    let parameters = effective_parameters(design, &of_b, noise);
    let mut found = figures(&draws);
    found.insert("effective_parameters".to_owned(), parameters);
    let microbenchmarks =
        options.priors.costs.iter().filter(|p| design.features.contains(&p.operation));
    found.insert("microbenchmark_priors".to_owned(), microbenchmarks.count() as f64);
    Ok(Solution {
        b,
        covariance: Some(Covariance { of_b, scope: SolvedScope::All }),
        draws: thinned(&values),
        of_microbenchmarks: None,
        stacked: None,
        intervals: Some(values.into_iter().map(interval).collect()),
        parameters,
        diagnostics: found,
    })
}

/// Returns evenly spaced draws, draw by draw, over all chains.
fn thinned(values: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let all = values.first().map_or(0, Vec::len);
    let step = (all / DRAWS_KEPT).max(1);
    (0..all).step_by(step).map(|at| values.iter().map(|of| of[at]).collect()).collect()
}

/// Returns the 2.5 % and 97.5 % quantiles.
fn interval(mut draws: Vec<f64>) -> (f64, f64) {
    draws.sort_unstable_by(f64::total_cmp);
    (quantile(&draws, 0.025), quantile(&draws, 0.975))
}

fn covariance(values: &[Vec<f64>], means: &[f64]) -> Mat<f64> {
    let n = values.first().map_or(0, Vec::len);
    let centred = Mat::from_fn(n, values.len(), |i, j| values[j][i] - means[j]);
    centred.transpose() * &centred * faer::Scale(1.0 / (n as f64 - 1.0))
}

fn noise(design: &Design, b: &[f64]) -> f64 {
    let fitted = matrix_times_vector(design.x.as_ref(), b);
    let off: Vec<f64> = design.y.iter().zip(fitted).map(|(y, fitted)| y - fitted).collect();
    (dot(&off, &off) / design.rows() as f64).max(f64::MIN_POSITIVE)
}

/// Returns the number of parameters that the cases determine: `trace(X'X Cov) / s^2`, at most the
/// cases.
fn effective_parameters(design: &Design, of_b: &Mat<f64>, noise: f64) -> f64 {
    let spread = &design.x * of_b;
    let trace: f64 = (0..spread.ncols())
        .map(|j| spread.col(j).iter().zip(design.x.col(j).iter()).map(|(a, b)| a * b).sum::<f64>())
        .sum();
    let found = trace / noise;
    // s^2 per case counts the fitted part out: m s^2 = (m - p) sigma^2.
    let m = design.rows() as f64;
    (found / (1.0 + found / m)).min(design.columns() as f64)
}

fn figures(draws: &ChainDraws) -> std::collections::BTreeMap<String, f64> {
    let (bulk, tail) = draws.ess_min();
    let chains = draws.values.first().map_or(0, Vec::len);
    let kept = draws.values.first().and_then(|chains| chains.first()).map_or(0, Vec::len);
    diagnostics([
        ("rhat_max", draws.rhat_max()),
        ("ess_bulk_min", bulk),
        ("ess_tail_min", tail),
        ("chains", chains as f64),
        ("draws", (chains * kept) as f64),
        ("sweeps", draws.sweeps as f64),
        ("divergences", 0.0),
    ])
}

#[cfg(test)]
mod tests {
    use crate::testing::{Campaign, assert_close, table};
    use crate::{FitOptions, Penalty, Solver, fit};

    /// With many cases and little noise the prior has no say: the posterior is least
    /// squares, mean and error.
    #[test]
    fn much_data_speaks_for_itself() {
        let campaign = Campaign::new(3, 400, 5, 5, 0.01);
        let posterior = fit(&campaign.table, &FitOptions::new(Solver::Bayes)).unwrap();
        let weighting = FitOptions::new(Solver::Bayes).weighting;
        let options = FitOptions { weighting, ..FitOptions::new(Solver::Ls) };
        let exact = fit(&campaign.table, &options).unwrap();
        for (a, b) in posterior.costs.iter().zip(&exact.costs) {
            let se = b.se_j.unwrap();
            assert!((a.cost_j - b.cost_j).abs() < 0.2 * se, "{a:?} {b:?}");
            assert!((a.se_j.unwrap() / se - 1.0).abs() < 0.15, "{a:?} {b:?}");
        }
        assert!(posterior.diagnostics["rhat_max"] < 1.01);
        assert!(posterior.diagnostics["ess_tail_min"] > 400.0);
    }

    /// Two operations that always run together: their sum is known, each alone lies
    /// anywhere between zero and the sum.
    #[test]
    fn what_the_cases_cannot_tell_stays_wide() {
        let rows: Vec<Vec<f64>> = (1..40).map(|i| vec![f64::from(i), f64::from(i)]).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let energies: Vec<f64> = (1..40).map(|i| f64::from(i) * 4.0).collect();
        let model = fit(&table(&rows, &energies), &FitOptions::new(Solver::Bayes)).unwrap();
        let (one, sum) = (model.predict(&[(0, 1.0)]), model.predict(&[(0, 1.0), (1, 1.0)]));
        assert_close(&[sum.energy_j], &[4.0], 0.01);
        assert!(sum.se_j.unwrap() < 0.05 && one.se_j.unwrap() > 0.7, "{one:?} {sum:?}");
        assert!(model.costs.iter().all(|cost| cost.lo_j.unwrap() >= 0.0));
    }

    /// The other way to the same idea agrees on blocks within their errors.
    #[test]
    fn blocks_agree_with_shrink() {
        let campaign = Campaign::new(4, 80, 20, 12, 0.02);
        let draws = fit(&campaign.table, &FitOptions::new(Solver::Bayes)).unwrap();
        let gaussian = fit(&campaign.table, &FitOptions::new(Solver::Shrink)).unwrap();
        for block in &campaign.blocks {
            let counts: Vec<(usize, f64)> = block.iter().copied().enumerate().collect();
            let (a, b) = (draws.predict(&counts), gaussian.predict(&counts));
            let error = f64::hypot(a.se_j.unwrap(), b.se_j.unwrap());
            assert!((a.energy_j - b.energy_j).abs() < 2.0 * error, "{a:?} {b:?}");
        }
    }

    /// The draws that are kept have about the mean and the spread of all, also of sums.
    #[test]
    fn draws_of_costs_are_draws_of_blocks() {
        let campaign = Campaign::new(5, 80, 12, 10, 0.02);
        let model = fit(&campaign.table, &FitOptions::new(Solver::Bayes)).unwrap();
        assert_eq!(model.draws.len(), 200);
        for block in &campaign.blocks {
            let counts: Vec<(usize, f64)> = block.iter().copied().enumerate().collect();
            let all = model.predict(&counts);
            let sum = |draw: &Vec<f64>| draw.iter().zip(block).map(|(c, n)| c * n).sum::<f64>();
            let sums: Vec<f64> = model.draws.iter().map(sum).collect();
            let mean = sums.iter().sum::<f64>() / 200.0;
            let sd = (sums.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 199.0).sqrt();
            let se = all.se_j.unwrap();
            assert!((mean - all.energy_j).abs() < 0.3 * se, "{mean} {all:?}");
            assert!((sd / se - 1.0).abs() < 0.25, "{sd} {all:?}");
        }
    }

    #[test]
    fn a_penalty_is_no_setting_of_a_posterior() {
        let data = table(&[&[1.0], &[2.0]], &[1.0, 2.0]);
        let penalty = Penalty::Fixed(1.0);
        let options = FitOptions { penalty, ..FitOptions::new(Solver::Bayes) };
        assert!(fit(&data, &options).is_err());
    }
}
