//! The density against the whole normal distribution written out, and its gradient
//! against differences.

use faer::Mat;

use super::super::effects::{EffectSign, EffectStats};
use super::super::factors::FactorMeasurements;
use super::super::nuts::assert_gradient;
use super::*;
use crate::linear::{invert_positive, log_determinant};

/// Sizes qualify two of three operations, devices all.
fn data() -> FactorMeasurements {
    let names = ["operation", "size", "device"].map(str::to_owned);
    let patterns = [("Add", "Load"), ("Add", "Constant"), ("Mul", "Load"), ("If", ""), ("Or", "")];
    let mut measured = Vec::new();
    for (i, (operation, size)) in patterns.iter().enumerate() {
        for (d, device) in ["A", "B"].iter().enumerate() {
            for repeat in 0..3 {
                let energy = 1.0 + 0.3 * i as f64 + 0.2 * d as f64 + 0.01 * f64::from(repeat);
                measured.push(([*operation, size, device].map(str::to_owned).to_vec(), energy));
            }
        }
    }
    FactorMeasurements::new(&names, &measured).unwrap()
}

/// `log p(E, scales)`: E is normal with covariance `X Sigma X' + sigma^2`.
fn written_out(data: &FactorMeasurements, typical: f64, position: &[f64]) -> f64 {
    let factor = |level: usize| data.names.iter().position(|f| *f == data.levels[level].factor);
    let covariance = |a: usize, b: usize| match factor(a) == factor(b) {
        true => {
            FACTOR_MEAN_PRIOR_SD * FACTOR_MEAN_PRIOR_SD
                + f64::from(u8::from(a == b)) * (2.0 * position[factor(a).unwrap()]).exp()
        }
        false => 0.0,
    };
    let n = data.rows.len();
    let all = Mat::from_fn(n, n, |i, j| {
        let sum: f64 = data.rows[i]
            .iter()
            .map(|a| data.rows[j].iter().map(|b| covariance(*a, *b)).sum::<f64>())
            .sum();
        sum + f64::from(u8::from(i == j)) * (2.0 * position[data.names.len()]).exp()
    });
    let e: Vec<f64> = data.energies_j.iter().map(|e| e / typical).collect();
    let square = dot(
        &e,
        &crate::linear::matrix_times_vector(invert_positive(all.as_ref()).unwrap().as_ref(), &e),
    );
    let scales = &position[..data.names.len()];
    scales.iter().map(|s| s - s.exp()).sum::<f64>()
        - (square + log_determinant(all.as_ref()).unwrap()) / 2.0
}

fn position() -> Vec<f64> {
    vec![-0.4, -1.0, -1.7, -2.1]
}

/// Up to a constant: differences between positions agree.
#[test]
fn the_density_is_that_of_the_whole_distribution() {
    let data = data();
    let model = EffectStats::new(&data, EffectSign::Free);
    let collapsed = CollapsedDensity::new(&model);
    let (mut gradient, mut room) = (vec![0.0; 4], collapsed.workspace());
    let mut difference = |other: &[f64]| {
        let (a, b) = (position(), other.to_vec());
        let mut at = |logs: &[f64]| {
            room.logs.copy_from_slice(logs);
            collapsed.density_of_logs(&mut gradient, &mut room).unwrap()
        };
        let own = at(&b) - at(&a);
        let expected =
            written_out(&data, model.typical_j, &b) - written_out(&data, model.typical_j, &a);
        assert!((own - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{own} {expected}");
    };
    difference(&[-0.1, -1.0, -1.7, -2.1]);
    difference(&[-0.4, -0.2, -1.7, -2.1]);
    difference(&[-0.4, -1.0, -0.3, -2.1]);
    difference(&[-0.4, -1.0, -1.7, -1.1]);
}

#[test]
fn the_gradient_is_that_of_the_density() {
    let collapsed = CollapsedDensity::new(&EffectStats::new(&data(), EffectSign::Free));
    assert_gradient(&collapsed, &position(), 1e-5, 1e-4);
}

/// Where a factor's levels don't differ at all, a smaller scale changes nothing but the
/// prior's `e^x`: rounding errors don't grow.
#[test]
fn a_scale_may_get_as_small_as_it_likes() {
    let collapsed = CollapsedDensity::new(&EffectStats::new(&data(), EffectSign::Free));
    let (mut gradient, mut room) = (vec![0.0; 4], collapsed.workspace());
    for factor in 0..3 {
        let mut at = |x: f64| {
            let mut position = position();
            position[factor] = x;
            let density = collapsed.density(&position, &mut gradient, &mut room).unwrap();
            (density, gradient[factor])
        };
        let (near, far) = (at(-30.0), at(-90.0));
        assert!((near.0 - far.0 - 60.0).abs() < 1e-6, "{factor}: {near:?} {far:?}");
        assert!((near.1 - 1.0).abs() < 1e-6 && (far.1 - 1.0).abs() < 1e-6);
    }
}

/// What is drawn without noise is the mean: patterns are predicted to about their own mean.
#[test]
fn effects_are_drawn_about_what_the_measurements_say() {
    let data = data();
    let model = EffectStats::new(&data, EffectSign::Free);
    let collapsed = CollapsedDensity::new(&model);
    let drawn = collapsed.draw_all(&position(), &mut collapsed.workspace(), || 0.0).unwrap();
    assert_eq!(drawn.len(), data.levels.len() + 4);
    for (row, energy) in data.rows.iter().zip(&data.energies_j).step_by(3) {
        let sum: f64 = row.iter().map(|level| drawn[*level]).sum();
        assert!((sum - energy / model.typical_j).abs() < 0.03, "{sum} {energy}");
    }
}
