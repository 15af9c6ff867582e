//! The density against the effects' own, and its gradient against differences.

use super::super::effects::{Effects, Sign};
use super::super::factors::Factors;
use super::*;

/// Sizes qualify two of three operations, devices all; some effects are pressed against
/// zero.
fn data() -> Factors {
    let names = ["operation", "size", "device"].map(str::to_owned);
    let patterns = [("Add", "Load"), ("Add", "Constant"), ("Mul", "Load"), ("If", ""), ("Or", "")];
    let mut measured = Vec::new();
    for (i, (operation, size)) in patterns.iter().enumerate() {
        for (d, device) in ["A", "B"].iter().enumerate() {
            for repeat in 0..3 {
                let energy = 0.1 + 0.3 * i as f64 + 0.2 * d as f64 + 0.1 * f64::from(repeat);
                measured.push(([*operation, size, device].map(str::to_owned).to_vec(), energy));
            }
        }
    }
    Factors::new(&names, &measured).unwrap()
}

fn position() -> Vec<f64> {
    vec![0.3, -1.2, -0.4, 0.9, -0.4, -1.0, -1.7, -1.1]
}

#[test]
fn the_gradient_is_that_of_the_density() {
    let model = Positive::new(&Effects::new(&data(), Sign::Positive), 1);
    let n = model.dimension();
    assert_eq!(n, position().len());
    let (mut gradient, mut other, mut room) = (vec![0.0; n], vec![0.0; n], model.room());
    model.density(&position(), &mut gradient, &mut room).unwrap();
    for (i, slope) in gradient.iter().enumerate() {
        let mut near = |by: f64| {
            let mut position = position();
            position[i] += by;
            model.density(&position, &mut other, &mut room).unwrap()
        };
        let expected = (near(1e-4) - near(-1e-4)) / 2e-4;
        assert!((slope - expected).abs() < 1e-5 * (1.0 + expected.abs()), "{i} {slope} {expected}");
    }
}
