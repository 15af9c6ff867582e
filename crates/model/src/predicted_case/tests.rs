//! Distributions of predicted cases: against closed forms, and their coverage of new measurements.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::StandardNormal;

use crate::testing::{Campaign, assert_close, table};
use crate::{
    CostPrior, DeviceFactor, FitOptions, Model, Penalty, PredictiveDistribution, ResidualSize,
    ResidualSpread, Solver, Weighting, fit,
};

/// Columns 0 and 1 always run together: c = 2.4 with se 0.2, residual sd sqrt(0.2), one degree of
/// freedom (see `ls`).
fn together() -> Model {
    let data = table(&[&[1.0, 1.0], &[2.0, 2.0]], &[2.0, 5.0]);
    fit(&data, &FitOptions::new(Solver::Ls)).unwrap()
}

/// Share of Student's t with one degree of freedom below `x`.
fn cauchy(x: f64) -> f64 {
    0.5 + x.atan() / std::f64::consts::PI
}

#[test]
fn a_new_measurement_has_the_residual_beside_the_errors_of_costs() {
    let model = together();
    let case = model.predicted_case(&[(0, 3.0), (1, 3.0)], None);
    assert_close(&[case.energy_j, case.se_j().unwrap()], &[7.2, 0.6], 1e-12);
    let found = case.prognosis();
    let (expected, measurement) = (found.expected.unwrap(), found.measurement.unwrap());
    let sd = (0.36f64 + 0.2).sqrt();
    assert_close(&[expected.sd_j(), measurement.sd_j()], &[0.6, sd], 1e-12);
    let below = [expected.probability_below(8.0), measurement.probability_below(8.0)];
    assert_close(&below, &[cauchy(0.8 / 0.6), cauchy(0.8 / sd)], 1e-6);
    assert!(case.missing_reason(&case.prognosis()).is_none());
}

/// Of 3 and 1 executions the errors are of one cost: their difference has that of 2, and two
/// residuals.
#[test]
fn errors_that_two_cases_share_cancel_in_their_difference() {
    let model = together();
    let of = |n: f64| model.predicted_case(&[(0, n), (1, n)], None);
    let found = of(3.0).difference(&of(1.0));
    let (expected, measurement) = (found.expected.unwrap(), found.measurement.unwrap());
    let sd = (0.16f64 + 0.4).sqrt();
    assert_close(&[expected.mean_j(), expected.sd_j()], &[4.8, 0.4], 1e-12);
    assert_close(&[measurement.mean_j(), measurement.sd_j()], &[4.8, sd], 1e-12);
    let below = [expected.probability_below(0.0), measurement.probability_below(0.0)];
    assert_close(&below, &[cauchy(-12.0), cauchy(-4.8 / sd)], 1e-4);
    // Neither count is determined by the cases, and their difference is not, either.
    let undetermined = model.predicted_case(&[(0, 3.0)], None);
    let found = undetermined.prognosis();
    assert_eq!(found, crate::EnergyPrognosis::default());
    assert!(undetermined.missing_reason(&found).unwrap().contains("do not determine"));
}

#[test]
fn what_is_unknown_is_absent_and_has_a_reason() {
    let data = table(&[&[1.0], &[2.0], &[4.0]], &[1.0, 2.1, 3.9]);
    let nnls = fit(&data, &FitOptions::new(Solver::Nnls)).unwrap();
    let case = nnls.predicted_case(&[(0, 1.0)], None);
    assert_eq!((case.prognosis().expected, case.prognosis().measurement), (None, None));
    assert!(case.missing_reason(&case.prognosis()).unwrap().contains("--bootstrap"));
    let single = table(&[&[1.0]], &[1.0]);
    let shrunk = fit(&single, &FitOptions::new(Solver::Shrink)).unwrap();
    let shrunk = Model { residual: None, ..shrunk };
    let case = shrunk.predicted_case(&[(0, 1.0)], None);
    assert!(case.prognosis().expected.is_some() && case.prognosis().measurement.is_none());
    assert!(case.missing_reason(&case.prognosis()).unwrap().contains("degrees of freedom"));
}

/// Errors of held-out cases in joules have no part in proportion to the energy that the error of a
/// board's factor could be added to.
#[test]
fn a_measurement_on_a_board_of_an_uncertain_factor_is_unknown_by_errors_in_joules() {
    let data = table(&[&[1.0], &[2.0], &[4.0]], &[1.0, 2.1, 3.9]);
    let nnls = fit(&data, &FitOptions::new(Solver::Nnls)).unwrap();
    let factor = |device: &str, factor: f64, factor_se: Option<f64>| DeviceFactor {
        device: device.to_owned(),
        factor,
        factor_se,
        factor_lo: None,
        factor_hi: None,
        cases: 3,
    };
    let spread = ResidualSpread { size: ResidualSize::Joules(0.1), degrees_of_freedom: 3.0 };
    let devices = vec![factor("a", 1.0, None), factor("b", 2.0, None), factor("c", 2.0, Some(0.1))];
    let model = Model { devices, held_out: Some(spread), ..nnls };
    let measurement_on = |board: &str| {
        let model = model.on_device(board).unwrap();
        let case = model.predicted_case(&[(0, 1.0)], None);
        let found = case.prognosis();
        assert!(case.missing_reason(&found).is_some());
        found.measurement.map(|found| found.sd_j())
    };
    assert_eq!(["a", "b", "c"].map(measurement_on), [Some(0.1), Some(0.2), None]);
}

/// Number of values within the intervals of the expected energy and of a new measurement.
#[derive(Default)]
struct Coverage {
    all: f64,
    with_interval: f64,
    expected: f64,
    measurement: f64,
}

impl Coverage {
    fn count(&mut self, model: &Model, counts: &[f64], [expected_j, measured_j]: [f64; 2]) {
        let counts: Vec<(usize, f64)> = counts.iter().copied().enumerate().collect();
        let found = model.predicted_case(&counts, None).prognosis();
        let within = |of: Option<PredictiveDistribution>, energy_j: f64| {
            let (lo, hi) = of.map_or((f64::NAN, f64::NAN), |of| of.interval_j());
            f64::from(u8::from((lo..=hi).contains(&energy_j)))
        };
        self.all += 1.0;
        self.with_interval += f64::from(u8::from(found.measurement.is_some()));
        self.expected += within(found.expected, expected_j);
        self.measurement += within(found.measurement, measured_j);
    }
}

/// Eight cases of three costs, fitted anew 2000 times: both intervals of a ninth case hold in 95 %.
#[test]
fn intervals_of_least_squares_hold_in_95_percent() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let costs = [1.0, 0.5, 2.0];
    let energy = |counts: &[f64]| counts.iter().zip(costs).map(|(n, c)| n * c).sum::<f64>();
    let mut seen = Coverage::default();
    for _ in 0..2000 {
        let rows: Vec<Vec<f64>> = (0..9)
            .map(|_| (0..3).map(|_| f64::from(random.random_range(1..20u32))).collect())
            .collect();
        let measured: Vec<f64> = rows
            .iter()
            .map(|row| energy(row) + 0.7 * random.sample::<f64, _>(StandardNormal))
            .collect();
        let fitted: Vec<&[f64]> = rows[..8].iter().map(Vec::as_slice).collect();
        let model = fit(&table(&fitted, &measured[..8]), &FitOptions::new(Solver::Ls)).unwrap();
        seen.count(&model, &rows[8], [energy(&rows[8]), measured[8]]);
    }
    let shares = [seen.expected / seen.all, seen.measurement / seen.all];
    assert!(shares.iter().all(|share| (0.935..0.965).contains(share)), "{shares:?}");
}

/// Fits `cases` of applications whose energies scatter in proportion, and counts their other cases
/// within the intervals.
fn coverage_of_other_cases(options: impl Fn(&Campaign) -> FitOptions, constant: f64) -> f64 {
    let mut seen = Coverage::default();
    for seed in 0..8 {
        let mut campaign = Campaign::new(seed, 140, 12, 14, 0.05);
        let mean = campaign.table.cases.iter().map(|case| case.energy_j).sum::<f64>() / 140.0;
        campaign.table.cases.iter_mut().for_each(|case| case.energy_j += constant * mean);
        let mut fitted = campaign.table.clone();
        fitted.cases.truncate(80);
        fitted.counts.truncate(80 * 12);
        let model = fit(&fitted, &options(&campaign)).unwrap();
        for i in 80..140 {
            let measured_j = campaign.table.cases[i].energy_j;
            seen.count(&model, campaign.table.row(i), [measured_j; 2]);
        }
    }
    // Cases beyond the reach of the fitted ones have no interval; most are within.
    assert!(seen.with_interval > 0.75 * seen.all, "{} {}", seen.with_interval, seen.all);
    seen.measurement / seen.with_interval
}

#[test]
fn measurements_of_proportional_residuals_lie_in_95_percent() {
    let relative = |solver| {
        move |_: &Campaign| FitOptions { weighting: Weighting::Relative, ..FitOptions::new(solver) }
    };
    for solver in [Solver::Shrink, Solver::Stack] {
        let share = coverage_of_other_cases(relative(solver), 0.0);
        assert!((0.92..0.985).contains(&share), "{solver:?} {share}");
    }
}

/// A constant beside the operations, which a combination finds and microbenchmarks do not: costs of
/// cases have no errors, and held-out cases tell those of predictions.
#[test]
fn held_out_cases_tell_errors_where_costs_have_none() {
    let options = |campaign: &Campaign| {
        let prior = |(operation, cost_j): (&String, &f64)| CostPrior {
            operation: operation.clone(),
            cost_j: *cost_j,
            se_j: 0.01 * cost_j,
        };
        let priors: Vec<CostPrior> =
            campaign.table.features.iter().zip(&campaign.costs).map(prior).collect();
        FitOptions {
            weighting: Weighting::Relative,
            priors: priors.into(),
            penalty: Penalty::AsStated,
            ..FitOptions::new(Solver::Stack)
        }
    };
    let share = coverage_of_other_cases(options, 1.0);
    assert!((0.92..0.99).contains(&share), "{share}");
}

/// Draws of `bayes` have the mean and the standard deviation of all draws, of which a model keeps
/// some; on another board those of its factor, too.
#[test]
fn draws_have_the_moments_of_the_covariance() {
    let data = Campaign::new(3, 40, 6, 8, 0.05).table;
    let options = FitOptions { weighting: Weighting::Relative, ..FitOptions::new(Solver::Bayes) };
    let model = fit(&data, &options).unwrap();
    let counts: Vec<(usize, f64)> = data.row(0).iter().copied().enumerate().collect();
    let case = model.predicted_case(&counts, None);
    let expected = case.prognosis().expected.unwrap();
    assert!(matches!(expected, PredictiveDistribution::Draws { .. }), "{expected:?}");
    let moments = [expected.mean_j(), expected.sd_j()];
    assert_close(&moments, &[case.energy_j, case.se_j().unwrap()], 1e-9);
    // A case and the same with a few more executions: far less than either is unsure of.
    let more: Vec<(usize, f64)> = counts.iter().map(|(j, n)| (*j, n * 1.001)).collect();
    let more = model.predicted_case(&more, None);
    let less = case.difference(&more).expected.unwrap().probability_below(0.0);
    assert!(less > 0.99 && more.energy_j - case.energy_j < 0.2 * case.se_j().unwrap(), "{less}");
}
