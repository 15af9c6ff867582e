//! Expected error of line energies, computed from the lines' own intervals: the reference for an
//! evaluation against a ground truth.

use crate::account::accounts::Accounts;
use crate::interval::NORMAL_975;
use crate::model::normal_quantile;
use crate::quantile::quantile;

/// Expected relative error of the lines that make up 95 % of the energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedLineError {
    /// Median of |error| / energy, 0.., assuming the sign of an error is random.
    pub median: f64,
    /// 90th percentile of |error| / energy.
    pub p90: f64,
    /// Number of lines.
    pub lines: usize,
}

/// Share of the energy in the lines considered, as in an evaluation.
const ENERGY_COMPARED: f64 = 0.95;

/// Points of the distribution of each line's error.
const POINTS: usize = 50;

impl Accounts {
    /// Expected error of lines; `None` where one of them has no interval.
    ///
    /// The error of a line is assumed normal with the standard deviation from its interval (from
    /// the upper end, which is not cut off at zero); the errors of all lines are pooled.
    pub(crate) fn expected_line_error(&self) -> Option<ExpectedLineError> {
        let wanted = ENERGY_COMPARED * self.explained_energy().joules().0;
        let mut sum = 0.0;
        let mut errors = Vec::new();
        let mut lines = 0;
        for line in self.lines.iter().filter(|line| line.joules().0 > 0.0) {
            if sum >= wanted {
                break;
            }
            let energy = line.joules().0;
            let sd = (line.interval?.hi.0 - energy) / NORMAL_975 / energy;
            errors.extend(normal_quantiles().map(|point| point * sd));
            (sum, lines) = (sum + energy, lines + 1);
        }
        errors.sort_unstable_by(f64::total_cmp);
        let at = |p: f64| (!errors.is_empty()).then(|| quantile(&errors, p));
        Some(ExpectedLineError { median: at(0.5)?, p90: at(0.9)?, lines })
    }
}

/// Quantiles of |error| for a standard normal error.
fn normal_quantiles() -> impl Iterator<Item = f64> {
    (0..POINTS).map(|k| normal_quantile(0.5 + (k as f64 + 0.5) / (2 * POINTS) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{account, sample};

    /// Costs with 5 % each: half of the errors of a line are below 0.674 of its standard
    /// deviation, nine tenths below 1.645 of it.
    #[test]
    fn the_promise_is_what_the_intervals_say() {
        let mut sample = sample::block_of_30_6_microjoules();
        sample.model = sample::with_relative_error(sample.model, 0.05);
        let accounts = account(&sample.scenario());
        let line = &accounts.lines[0];
        let sd = (line.interval.unwrap().hi.0 / line.joules().0 - 1.0) / NORMAL_975;
        let expected = accounts.expected_line_error().unwrap();
        assert!((expected.median / (0.6745 * sd) - 1.0).abs() < 0.03, "{expected:?} {sd}");
        assert!((expected.p90 / (1.645 * sd) - 1.0).abs() < 0.03, "{expected:?} {sd}");
        assert_eq!(expected.lines, 1);
    }

    #[test]
    fn without_intervals_nothing_is_promised() {
        let sample = sample::block_of_30_6_microjoules();
        assert_eq!(account(&sample.scenario()).expected_line_error(), None);
    }
}
