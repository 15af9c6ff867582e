//! What counts of samples say about energies.

use super::Direct;

/// The energy of an area that had `hits` of a session's `samples`, where the session spent
/// `energy_j`: the share, with the binomial error of its count (that of one hit where there
/// was none, since none of 100 samples does not say that nothing ran) and the error that
/// power is not everywhere the same. `None` without samples or energy.
pub fn share_of(hits: u64, samples: u64, energy_j: f64, power_factor: f64) -> Option<Direct> {
    if samples == 0 || hits > samples || !(energy_j.is_finite() && energy_j > 0.0) {
        return None;
    }
    let all = samples as f64;
    let share = hits as f64 / all;
    let left = (1.0 - share).max(1.0 / all);
    let counted = hits.max(1) as f64 / all / all * left * energy_j * energy_j;
    let variance_j2 = counted + (power_factor * share * energy_j).powi(2);
    Some(Direct { energy_j: share * energy_j, variance_j2 })
}

/// How far areas' parts of the samples differ between runs of the same, relative, beyond what
/// counting makes of them: a compiler decides anew in each. `cases` have samples by area, run
/// by run. The moments of Pearson's statistic: with `N` samples a run and parts `p`,
/// `E sum (k - N p)^2 / (N p) = sum (1 - p) + s^2 N`, less what the mean over the runs takes
/// (McCullagh and Nelder 1989, section 4.5). `None` where no case has two runs.
pub fn run_spread(cases: &[Vec<Vec<u64>>]) -> Option<f64> {
    let (mut excess, mut samples) = (0.0, 0.0);
    for runs in cases.iter().filter(|runs| runs.len() > 1) {
        let sizes: Vec<f64> = runs.iter().map(|run| run.iter().sum::<u64>() as f64).collect();
        let all: f64 = sizes.iter().sum();
        let free = (runs.len() - 1) as f64;
        for area in 0..runs[0].len() {
            let part = runs.iter().map(|run| run[area] as f64).sum::<f64>() / all;
            if part > 0.0 {
                let term = |(run, size): (&Vec<u64>, &f64)| {
                    (run[area] as f64 - size * part).powi(2) / (size * part)
                };
                let found: f64 = runs.iter().zip(&sizes).map(term).filter(|t| t.is_finite()).sum();
                excess += found - free * (1.0 - part);
                samples += free / runs.len() as f64 * all * part;
            }
        }
    }
    (samples > 0.0).then(|| (excess / samples).max(0.0).sqrt())
}

#[cfg(test)]
mod tests {
    use wattline_units::assumptions::ASSUMED;

    use super::*;

    #[test]
    fn errors_are_those_of_counts() {
        let direct = share_of(25, 100, 8.0, 0.0).unwrap();
        assert_eq!(direct.energy_j, 2.0);
        assert!((direct.variance_j2 - 64.0 * 0.25 * 0.75 / 100.0).abs() < 1e-12);
        let none = share_of(0, 100, 8.0, 0.05).unwrap();
        assert!(none.energy_j == 0.0 && (none.variance_j2.sqrt() - 0.08).abs() < 1e-3);
        assert!(share_of(100, 100, 8.0, 0.0).unwrap().variance_j2 > 0.0);
        assert!(share_of(0, 0, 8.0, 0.0).is_none() && share_of(2, 1, 8.0, 0.0).is_none());
    }

    /// Areas of 3000 and 1000 samples that differ by a tenth, and by nothing.
    #[test]
    fn runs_that_differ_by_more_than_counts_do_are_told() {
        let run = |first: u64| vec![first, 4000 - first];
        let found = run_spread(&[vec![run(2900), run(3100)]]).unwrap();
        // A hundred of 3000 and of 1000, each known to its counting error.
        let pearson = 2.0 * (100f64.powi(2) / 3000.0 + 100f64.powi(2) / 1000.0);
        let expected = ((pearson - 1.0) / 4000.0).sqrt();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        assert_eq!(run_spread(&[vec![run(3000), run(3001)]]), Some(0.0));
        assert_eq!(run_spread(&[vec![run(3000)]]), None);
        assert_eq!(run_spread(&[vec![vec![0, 0], vec![0, 0]]]), None);
    }

    /// A quarter of a million samples of 8 J, so that the counts' own error is small.
    #[test]
    fn assumed_differences_of_power_widen_and_shift_nothing() {
        let spread = ASSUMED.sampled_power_spread;
        let [usual, doubled] =
            [spread, 2.0 * spread].map(|spread| share_of(250_000, 1_000_000, 8.0, spread).unwrap());
        assert_eq!(usual.energy_j, doubled.energy_j);
        let ratio = (doubled.variance_j2 / usual.variance_j2).sqrt();
        assert!((1.95..=2.0).contains(&ratio), "{ratio}");
    }
}
