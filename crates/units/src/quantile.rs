//! Quantiles of measured values.

/// Returns the quantile `at` (0..1) of ascending values, interpolated between neighbours (the
/// usual definition, Hyndman & Fan's seventh). Panics on an empty list.
pub fn quantile(sorted: &[f64], at: f64) -> f64 {
    let place = at * (sorted.len() as f64 - 1.0);
    let (below, part) = (place.floor() as usize, place.fract());
    let next = sorted[(below + 1).min(sorted.len() - 1)];
    sorted[below] + part * (next - sorted[below])
}

/// Returns the median of values in any order, the mean of the two middle ones of an even number;
/// `None` of no value.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    (!sorted.is_empty()).then(|| quantile(&sorted, 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.5), 2.0);
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), 2.5);
        assert_eq!(quantile(&[5.0], 0.975), 5.0);
        assert_eq!(quantile(&[7.0], 0.9), 7.0);
        assert!((quantile(&[0.0, 1.0, 2.0], 0.9) - 1.8).abs() < 1e-12);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([4.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median([]), None);
    }
}
