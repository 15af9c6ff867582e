//! The density against the effects' own, its gradient against differences, and draws
//! against those of Gibbs sampling.

use super::super::chains::{ChainOptions, run_chains};
use super::super::effects::{EffectSign, EffectStats};
use super::super::factors::FactorMeasurements;
use super::super::nuts::{self, assert_gradient};
use super::*;

/// Sizes qualify two of four operations, devices all, three times each. `Add` and `Load`
/// are pressed against zero.
fn data() -> FactorMeasurements {
    let names = ["operation", "size", "device"].map(str::to_owned);
    let patterns = [("Add", "Load"), ("Add", "Constant"), ("Mul", "Load"), ("If", ""), ("Or", "")];
    let mut measured = Vec::new();
    for ((operation, size), mean) in patterns.into_iter().zip([-0.4, 0.3, 0.4, 0.8, 1.1]) {
        for (device, more) in [("A", 0.0), ("B", 0.2)] {
            for noise in [-0.1, 0.15, 0.0] {
                let levels = [operation, size, device].map(str::to_owned).to_vec();
                measured.push((levels, mean + more + noise));
            }
        }
    }
    FactorMeasurements::new(&names, &measured).unwrap()
}

fn model(data: &FactorMeasurements) -> PositiveEffectsPosterior {
    PositiveEffectsPosterior::new(&EffectStats::new(data, EffectSign::Positive), 1)
}

/// Four levels besides the operations, three scales and the noise.
fn position() -> Vec<f64> {
    vec![0.3, -1.2, -0.4, 0.9, -0.4, -1.0, -1.7, -1.1]
}

#[test]
fn the_gradient_is_that_of_the_density() {
    assert_gradient(&model(&data()), &position(), 1e-4, 1e-5);
}

/// `log p(E, effects, scales)` with the operations integrated over a grid.
fn written_out(data: &FactorMeasurements, typical: f64, first: &[f64], logs: &[f64]) -> f64 {
    let [of_operations, of_sizes, of_devices, noise] = [0, 1, 2, 3].map(|at| logs[at].exp());
    let half_normal = |x: f64, tau: f64| -(x / tau).powi(2) / 2.0 - tau.ln();
    let mut log = first[..2].iter().map(|x| half_normal(*x, of_sizes)).sum::<f64>()
        + first[2..].iter().map(|x| half_normal(*x, of_devices)).sum::<f64>()
        + logs[..3].iter().map(|log| log - log.exp()).sum::<f64>();
    for operation in 0..4 {
        let measured =
            data.rows.iter().zip(&data.energies_j).filter(|(row, _)| row[0] == operation);
        let rest: Vec<f64> = measured
            .map(|(row, e)| e / typical - row[1..].iter().map(|at| first[at - 4]).sum::<f64>())
            .collect();
        let squares = |x: f64| rest.iter().map(|e| (e - x).powi(2)).sum::<f64>();
        let height = |x: f64| {
            half_normal(x, of_operations)
                - squares(x) / (2.0 * noise * noise)
                - rest.len() as f64 * noise.ln()
        };
        let steps = (0..200_000).map(|k| height((f64::from(k) + 0.5) * 5e-5).exp() * 5e-5);
        log += steps.sum::<f64>().ln();
    }
    log
}

/// Up to a constant: differences between positions agree. The volume of the change from
/// `z` to effects is the product of the slopes along the diagonal, as each effect depends
/// on its own `z` and those of the effects drawn before.
#[test]
fn the_density_is_that_of_the_effects() {
    let data = data();
    let typical = EffectStats::new(&data, EffectSign::Positive).typical_j;
    let model = model(&data);
    let (mut gradient, mut room) = (vec![0.0; 8], model.workspace());
    let mut difference = |position: &[f64]| {
        let density = model.density(position, &mut gradient, &mut room).unwrap();
        let (logs, effects) = (room.logs.clone(), room.effects.clone());
        let volume = |i: usize| {
            let mut effect = |by: f64| {
                let mut position = position.to_vec();
                position[i] += by;
                model.density(&position, &mut gradient, &mut room).unwrap();
                room.effects[i]
            };
            ((effect(1e-4) - effect(-1e-4)) / 2e-4).ln()
        };
        let volume: f64 = (0..4).map(volume).sum();
        // Priors are given in the logarithms of scales.
        let of_scales = scales::slopes_to_coordinates(&position[4..], &logs, &mut [0.0; 4]);
        density - volume - of_scales - written_out(&data, typical, &effects, &logs)
    };
    let expected = difference(&position());
    for i in 0..8 {
        let mut position = position();
        position[i] -= 0.7;
        let found = difference(&position);
        assert!((found - expected).abs() < 1e-5, "{i}: {found} {expected}");
    }
}

/// Means and spreads of everything agree with those of Gibbs sampling within their errors.
#[test]
fn draws_are_those_of_gibbs_sampling() {
    let data = data();
    let effects = EffectStats::new(&data, EffectSign::Positive);
    let options = ChainOptions { draws: 2000, thin: 1, ..Default::default() };
    let gibbs = ChainOptions { thin: 10, ..options };
    let expected = run_chains(&gibbs, |random| effects.start(random)).unwrap();
    for seed in 1..=5 {
        let options = ChainOptions { seed, ..options };
        let found = nuts::run(&PositiveEffectsPosterior::new(&effects, seed), &options).unwrap();
        assert!(found.divergences == 0 && found.rhat_max() < 1.01);
        for (quantity, (x, y)) in found.diagnoses.iter().zip(&expected.diagnoses).enumerate() {
            let (a, b) = (moments(&found.of(quantity)), moments(&expected.of(quantity)));
            let error = f64::hypot(x.unwrap().mcse_mean, y.unwrap().mcse_mean);
            assert!((a.0 - b.0).abs() < 4.5 * error, "{seed} {quantity}: {a:?} {b:?} {error}");
            assert!((a.1 / b.1 - 1.0).abs() < 0.15, "{seed} {quantity}: {a:?} {b:?}");
        }
    }
}

/// A factor by itself, of which nothing is left but its scale.
#[test]
fn one_factor_is_enough() {
    let measured: Vec<(Vec<String>, f64)> = (0..12)
        .map(|i| (vec![(i % 3).to_string()], f64::from(i % 3) + 0.1 * f64::from(i)))
        .collect();
    let data = FactorMeasurements::new(&["operation".to_owned()], &measured).unwrap();
    let options = ChainOptions { thin: 1, ..Default::default() };
    let found = nuts::run(&model(&data), &options).unwrap();
    assert!(found.values.len() == 5 && found.divergences == 0);
}

/// Mean and standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / values.len() as f64).sqrt())
}
