//! Agreement of predicted energies with measured ones: correlation, relative error and bias.

/// Returns Pearson's correlation; `None` for fewer than three pairs, since two always lie on a
/// line, or where one side is constant.
pub fn pearson_r(predicted: &[f64], measured: &[f64]) -> Option<f64> {
    let n = predicted.len() as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
    let (mean_p, mean_m) = (mean(predicted), mean(measured));
    let (mut pp, mut mm, mut pm) = (0.0, 0.0, 0.0);
    for (p, m) in predicted.iter().zip(measured) {
        let (p, m) = (p - mean_p, m - mean_m);
        pp += p * p;
        mm += m * m;
        pm += p * m;
    }
    // A constant leaves rounding errors, not exact zeros: those of a mean of n terms.
    let noise = |mean: f64| n * ((4.0 + n) * f64::EPSILON * mean).powi(2);
    if predicted.len() < 3 || pp <= noise(mean_p) || mm <= noise(mean_m) {
        return None;
    }
    Some((pm / (pp.sqrt() * mm.sqrt())).clamp(-1.0, 1.0))
}

/// `1/n sum |(predicted - measured) / measured|`, a pure number; the measured values must
/// not be zero. `None` for no pairs.
pub fn nmae(predicted: &[f64], measured: &[f64]) -> Option<f64> {
    let errors = predicted.iter().zip(measured).map(|(p, m)| ((p - m) / m).abs());
    (!predicted.is_empty()).then(|| errors.sum::<f64>() / predicted.len() as f64)
}

/// `sum (predicted - measured) / sum |measured|`, a pure number: what is left when cases
/// add up. `None` for no pairs, and where nothing was measured.
pub fn bias(predicted: &[f64], measured: &[f64]) -> Option<f64> {
    let off: f64 = predicted.iter().zip(measured).map(|(p, m)| p - m).sum();
    let size: f64 = measured.iter().map(|m| m.abs()).sum();
    (size > 0.0).then(|| off / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        // Errors 1/2, 0, 1/4 -> 0.25.
        assert_eq!(nmae(&[1.0, 3.0, 5.0], &[2.0, 3.0, 4.0]), Some(0.25));
        // (-1 + 0 + 1) / 9, and 1 / 4.
        assert_eq!(bias(&[1.0, 3.0, 5.0], &[2.0, 3.0, 4.0]), Some(0.0));
        assert_eq!((bias(&[3.0, 2.0], &[2.0, 2.0]), bias(&[], &[])), (Some(0.25), None));
        // Deviations (-1, 0, 1) and (-1, 1, 0): r = 1 / sqrt(2 * 2).
        let r = pearson_r(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap();
        assert!((r - 0.5).abs() < 1e-15, "{r}");
    }

    #[test]
    fn a_constant_and_two_pairs_have_no_correlation() {
        assert_eq!(pearson_r(&[1.0, 2.0], &[1.0, 9.0]), None);
        assert_eq!(pearson_r(&[0.1, 0.1, 0.1], &[1.0, 2.0, 3.0]), None);
        assert_eq!(pearson_r(&[1.0], &[1.0]), None);
        assert_eq!(nmae(&[], &[]), None);
    }
}
