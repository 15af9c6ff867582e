//! Limits within which costs hold: a cost that was found where an operation made up at most a tenth
//! of a case's executions is not valid for a case that hardly does anything else. Executions of a
//! case beyond the largest share in the cases fitted to are priced at the average cost of an
//! execution.

use serde::{Deserialize, Serialize};

/// Relative rounding error that does not count as beyond reach.
const ROUNDING: f64 = 1e-9;

/// Limits within which costs hold: the largest share of each operation in the cases fitted to, and
/// the cost of executions beyond.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidityLimits {
    /// Energy of an execution beyond reach, in joules: its average cost by the predictor, in the
    /// cases fitted to. 0 for a predictor by durations alone.
    pub cost_j: f64,
    /// Largest share of a case's executions that each operation had, length l.
    pub shares: Vec<f64>,
}

/// Returns the largest share of each column over `rows` of counts; rows without a positive total
/// have none.
pub(crate) fn largest_shares<'r>(
    columns: usize,
    rows: impl Iterator<Item = std::borrow::Cow<'r, [f64]>>,
) -> Vec<f64> {
    let mut shares = vec![0.0f64; columns];
    for row in rows {
        let total: f64 = row.iter().sum();
        if total > 0.0 {
            shares.iter_mut().zip(row.iter()).for_each(|(share, n)| *share = share.max(n / total));
        }
    }
    shares
}

impl ValidityLimits {
    /// Returns the energy of counts in joules: executions up to each operation's largest known
    /// share at `costs` (joules per execution), those beyond at the average cost of an execution.
    /// Counts without a positive total all count at `costs`.
    pub fn price_counts_j(&self, counts: &[f64], costs: &[f64]) -> f64 {
        let priced = |n: &[f64]| n.iter().zip(costs).map(|(n, c)| n * c).sum::<f64>();
        let Some(within) = self.counts_within(counts) else { return priced(counts) };
        let beyond: f64 = counts.iter().zip(&within).map(|(n, within)| n - within).sum();
        priced(&within) + beyond * self.cost_j
    }

    /// Returns the counts limited to the reach; `None` if they all are within.
    pub fn counts_within(&self, counts: &[f64]) -> Option<Vec<f64>> {
        counts_within_shares(&self.shares, counts)
    }
}

/// Returns the counts limited to these largest shares; `None` if they all are within.
pub(crate) fn counts_within_shares(shares: &[f64], counts: &[f64]) -> Option<Vec<f64>> {
    let total: f64 = counts.iter().sum();
    let is_beyond = |(n, share): (&f64, &f64)| *n > share * total * (1.0 + ROUNDING);
    if !(total > 0.0 && counts.iter().zip(shares).any(is_beyond)) {
        return None;
    }
    let within = |(n, share): (&f64, &f64)| n.min(share * total);
    Some(counts.iter().zip(shares).map(within).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    /// Shares of at most 1/2 and 3/4: of (8, 2) executions 5 and 2 are within reach, and 3
    /// cost 1 J each: 5 * 2 + 2 * 3 + 3.
    #[test]
    fn what_no_case_had_takes_the_one_cost() {
        let rows = [[2.0, 2.0], [1.0, 3.0], [0.0, 0.0]];
        let shares = largest_shares(2, rows.iter().map(|row| Cow::Borrowed(&row[..])));
        assert_eq!(shares, [0.5, 0.75]);
        let reach = ValidityLimits { cost_j: 1.0, shares };
        assert_eq!(reach.price_counts_j(&[8.0, 2.0], &[2.0, 3.0]), 19.0);
        assert_eq!(reach.price_counts_j(&[4.0, 4.0], &[2.0, 3.0]), 20.0);
        assert_eq!(
            (reach.counts_within(&[4.0, 4.0]), reach.counts_within(&[0.0, 0.0])),
            (None, None)
        );
    }

    /// However dear an operation that hardly ran: ten of a thousand executions at most
    /// are at its cost.
    #[test]
    fn a_rare_operation_cannot_run_away() {
        let reach = ValidityLimits { cost_j: 1e-9, shares: vec![1.0, 0.01] };
        let energy = reach.price_counts_j(&[0.0, 1000.0], &[1e-9, 1e-3]);
        assert!((energy / (10.0 * 1e-3 + 990.0 * 1e-9) - 1.0).abs() < 1e-12);
    }
}
