//! Benchmarking: adjusts the energies of areas so that they add up to the measured total.

/// Returns energies in joules, not below zero, that add up to `total_j`: the difference is
/// distributed in proportion to the mean squared errors, so that certain energies stay (Wang,
/// Fuller and Qu 2008: the predictor under the constraint, where errors are independent). Where no
/// area is uncertain, or the uncertain ones cannot absorb an excess, all energies are scaled.
pub fn benchmark_to_total(energies_j: &[f64], mse_j2: &[f64], total_j: f64) -> Vec<f64> {
    let mut energies: Vec<f64> = energies_j.iter().map(|energy| energy.max(0.0)).collect();
    let mut free: Vec<usize> = (0..energies.len()).filter(|a| mse_j2[*a] > 0.0).collect();
    loop {
        let missing = total_j - energies.iter().sum::<f64>();
        let largest = free.iter().map(|a| mse_j2[*a]).fold(0.0, f64::max);
        if missing == 0.0 || largest == 0.0 {
            break;
        }
        // An infinite error is only larger than the others, not alone.
        let cap = if largest.is_finite() { largest } else { total_j * total_j };
        let weight = |a: usize| mse_j2[a].min(cap);
        let sum: f64 = free.iter().map(|a| weight(*a)).sum();
        free.iter().for_each(|a| energies[*a] += missing * weight(*a) / sum);
        let before = free.len();
        free.retain(|a| energies[*a] > 0.0);
        energies.iter_mut().for_each(|energy| *energy = energy.max(0.0));
        if free.len() == before {
            break;
        }
    }
    scale_to_total(energies, total_j)
}

/// Scales energies to the total: for rounding, and for an excess that the uncertain areas cannot
/// absorb.
fn scale_to_total(mut energies: Vec<f64>, total_j: f64) -> Vec<f64> {
    let sum: f64 = energies.iter().sum();
    if sum > 0.0 {
        energies.iter_mut().for_each(|energy| *energy *= total_j / sum);
    }
    energies
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_sure_stays() {
        let found = benchmark_to_total(&[1.0, 2.0, 3.0], &[0.0, 1.0, 3.0], 10.0);
        assert_eq!(found, [1.0, 3.0, 6.0]);
    }

    #[test]
    fn nothing_goes_below_zero() {
        let found = benchmark_to_total(&[1.0, 2.0, 3.0], &[1.0, 1.0, 1.0], 2.0);
        assert_eq!(found, [0.0, 0.5, 1.5]);
    }

    proptest! {
        #[test]
        fn the_sum_is_the_total(
            areas in prop::collection::vec((0.0..1e3f64, 0.0..1e3f64), 1..40),
            total in 1e-9..1e9f64,
        ) {
            let (energies, errors): (Vec<f64>, Vec<f64>) = areas.into_iter().unzip();
            prop_assume!(errors.iter().any(|error| *error > 0.0));
            let found = benchmark_to_total(&energies, &errors, total);
            prop_assert!(found.iter().all(|energy| *energy >= 0.0));
            prop_assert!((found.iter().sum::<f64>() / total - 1.0).abs() < 1e-12);
        }
    }
}
