//! Energies of areas and their variances from counts of samples.

use super::DirectEstimate;

/// Returns the energy of an area that had `hits` of the `samples` of a session, where the session
/// spent `energy_j`: the share, with the binomial error of its count (that of one hit where there
/// was none, since no hit in 100 samples does not mean that nothing ran) and the error that power
/// is not everywhere the same. `None` without samples or energy.
pub fn direct_estimate(
    hits: u64,
    samples: u64,
    energy_j: f64,
    power_factor: f64,
) -> Option<DirectEstimate> {
    if samples == 0 || hits > samples || !(energy_j.is_finite() && energy_j > 0.0) {
        return None;
    }
    let all = samples as f64;
    let share = hits as f64 / all;
    let left = (1.0 - share).max(1.0 / all);
    let counted = hits.max(1) as f64 / all / all * left * energy_j * energy_j;
    let variance_j2 = counted + (power_factor * share * energy_j).powi(2);
    Some(DirectEstimate { energy_j: share * energy_j, variance_j2 })
}

/// Returns the variances that differences between sessions add to the energies of areas, in J^2 by
/// area.
///
/// `cases` are the areas' energies in each case, by case and area, and `errors` the relative
/// standard error of each case's energy. Areas add up to what was measured of all cases, so that a
/// case of which too much was measured has too much for what is its own, and too little for the
/// rest: with an area's part `p_a` of all, and `E_c` of a case, `sum_c (e_c (d_ac - p_a E_c))^2`. 0
/// for a single case, for which shares of a session are enough.
pub fn session_variances(cases: &[Vec<f64>], errors: &[f64]) -> Vec<f64> {
    let areas = cases.iter().map(Vec::len).max().unwrap_or(0);
    let of_cases: Vec<f64> = cases.iter().map(|case| case.iter().sum()).collect();
    let all: f64 = of_cases.iter().sum();
    let variance = |area: usize| {
        let part = cases.iter().map(|case| case[area]).sum::<f64>() / all;
        let beyond_part = cases.iter().zip(&of_cases).map(|(case, sum)| case[area] - part * sum);
        beyond_part.zip(errors).map(|(own_j, error)| (error * own_j).powi(2)).sum()
    };
    match all > 0.0 {
        true => (0..areas).map(variance).collect(),
        false => vec![0.0; areas],
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;
    use rand_distr::StandardNormal;
    use wattline_units::assumptions::ASSUMED;

    use super::*;

    #[test]
    fn errors_are_those_of_counts() {
        let direct = direct_estimate(25, 100, 8.0, 0.0).unwrap();
        assert_eq!(direct.energy_j, 2.0);
        assert!((direct.variance_j2 - 64.0 * 0.25 * 0.75 / 100.0).abs() < 1e-12);
        let none = direct_estimate(0, 100, 8.0, 0.05).unwrap();
        assert!(none.energy_j == 0.0 && (none.variance_j2.sqrt() - 0.08).abs() < 1e-3);
        assert!(direct_estimate(100, 100, 8.0, 0.0).unwrap().variance_j2 > 0.0);
        assert!(
            direct_estimate(0, 0, 8.0, 0.0).is_none() && direct_estimate(2, 1, 8.0, 0.0).is_none()
        );
    }

    /// Of the first area a case has all, of the second half, of the third its part.
    #[test]
    fn what_a_case_has_alone_is_off_as_the_case_is() {
        let cases = [vec![4.0, 2.0, 2.0], vec![0.0, 2.0, 2.0]];
        let variances = session_variances(&cases, &[0.1, 0.0]);
        let expected = [4.0 - 4.0 * 8.0 / 12.0, 2.0 - 4.0 * 8.0 / 12.0, 2.0 - 4.0 * 8.0 / 12.0];
        for (found, expected) in variances.iter().zip(expected) {
            assert!((found - (0.1f64 * expected).powi(2)).abs() < 1e-15, "{variances:?}");
        }
        let alone = session_variances(&cases[..1], &[0.5]);
        assert!(alone.iter().all(|variance| *variance < 1e-30), "{alone:?}");
        assert_eq!(session_variances(&[vec![0.0]], &[0.5]), [0.0]);
        assert!(session_variances(&[], &[]).is_empty());
    }

    /// Sessions that differ by a tenth, of four cases whose areas are partly shared: what was
    /// measured of areas is off by what is said.
    #[test]
    fn areas_of_sessions_that_differ_are_off_by_what_is_said() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let cases: Vec<Vec<f64>> = (0..4)
            .map(|case| (0..6).map(|area| f64::from((case * 5 + area * 3) % 7)).collect())
            .collect();
        let all: f64 = cases.iter().flatten().sum();
        let true_parts: Vec<f64> =
            (0..6).map(|area| cases.iter().map(|case| case[area]).sum::<f64>() / all).collect();
        let mut squares = [0.0; 6];
        const DRAWS: u32 = 4000;
        for _ in 0..DRAWS {
            let off: Vec<f64> =
                (0..4).map(|_| 1.0 + 0.1 * random.sample::<f64, _>(StandardNormal)).collect();
            let own = |area: usize| -> f64 {
                cases.iter().zip(&off).map(|(case, off)| case[area] * off).sum()
            };
            let measured: f64 = (0..6).map(own).sum();
            for (area, square) in squares.iter_mut().enumerate() {
                *square += ((own(area) / measured - true_parts[area]) * all).powi(2);
            }
        }
        for (said, found) in session_variances(&cases, &[0.1; 4]).iter().zip(squares) {
            let ratio = found / f64::from(DRAWS) / said;
            assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
        }
    }

    /// A quarter of a million samples of 8 J, so that the counts' own error is small.
    #[test]
    fn assumed_differences_of_power_widen_and_shift_nothing() {
        let spread = ASSUMED.sampled_power_spread;
        let [usual, doubled] = [spread, 2.0 * spread]
            .map(|spread| direct_estimate(250_000, 1_000_000, 8.0, spread).unwrap());
        assert_eq!(usual.energy_j, doubled.energy_j);
        let ratio = (doubled.variance_j2 / usual.variance_j2).sqrt();
        assert!((1.95..=2.0).contains(&ratio), "{ratio}");
    }
}
