//! The criterion of a plan: the expected error of the energy of each target line, given what is
//! known of the costs of operations and what cases would add; pure linear algebra, before a single
//! power run.
//!
//! Costs are in units of the mean cost, and none is known to the planner, so lines are
//! weighed as if all operations cost the same. Belief about the costs is Gaussian with
//! covariance `S`; a case with the shares `x` of its operations is a measurement of
//! `x'c` with the error `m` (the misfit of a case, `assumptions`), after which
//! `S' = S - S x x'S / (m^2 + x'S x)`. The criterion is A-optimality weighted by
//! lines: `tr(L S L') / lines`, the mean squared relative error of the lines, where row l
//! of `L` holds the shares of line l's operations. With `M = L'L / lines` a case lowers
//! it by `x'S M S x / (m^2 + x'S x)` (Fedorov, Theory of Optimal Experiments, 1972).

use faer::{Col, Mat};

use crate::assumptions::Assumptions;

/// A row of counts as shares: the column of each operation and its share; the shares sum up to 1.
pub type OperationShares = Vec<(usize, f64)>;

/// Gaussian belief about the costs of operations, in units of the mean cost.
#[derive(Debug, Clone)]
pub struct CostBelief {
    covariance: Mat<f64>,
    /// Variance of a case's misfit, the part of its energy that no costs explain.
    misfit: f64,
}

impl CostBelief {
    /// The belief before the campaign, with a small variance for each operation that has a
    /// microbenchmark (a flag per operation).
    pub fn before(has_microbenchmark: &[bool], assumed: &Assumptions) -> Self {
        let Assumptions { microbenchmark_misfit, cost_spread, .. } = *assumed;
        let level = match has_microbenchmark.contains(&true) {
            true => assumed.microbenchmark_level,
            false => assumed.level_unknown,
        };
        let l = has_microbenchmark.len();
        let covariance = Mat::from_fn(l, l, |i, j| {
            let own = if has_microbenchmark[i] { microbenchmark_misfit } else { cost_spread };
            level * level + if i == j { own * own } else { 0.0 }
        });
        Self { covariance, misfit: assumed.simulated_chip_case_misfit.powi(2) }
    }

    /// Updates the belief by the measurement of a case.
    pub fn add(&mut self, case: &OperationShares) {
        self.update(case, 1.0);
    }

    /// Undoes [`CostBelief::add`] for a case that was added before.
    pub fn remove(&mut self, case: &OperationShares) {
        self.update(case, -1.0);
    }

    /// Updates the belief by a case whose energy has this relative error in addition to the misfit.
    pub(crate) fn add_with(&mut self, case: &OperationShares, error: f64) {
        self.update_with(case, 1.0, self.misfit + error * error);
    }

    fn update(&mut self, case: &OperationShares, sign: f64) {
        self.update_with(case, sign, self.misfit);
    }

    fn update_with(&mut self, case: &OperationShares, sign: f64, variance: f64) {
        let seen = self.times(case);
        let scale = sign / (variance + sign * product(case, &seen));
        let l = self.covariance.nrows();
        for j in 0..l {
            for i in 0..l {
                self.covariance[(i, j)] -= scale * seen[i] * seen[j];
            }
        }
    }

    /// `S x`.
    fn times(&self, shares: &OperationShares) -> Col<f64> {
        let mut sum = Col::zeros(self.covariance.nrows());
        for (column, share) in shares {
            sum += *share * self.covariance.col(*column);
        }
        sum
    }

    /// The expected relative error of a sum of operations: one standard deviation.
    pub(crate) fn error_of(&self, shares: &OperationShares) -> f64 {
        product(shares, &self.times(shares)).max(0.0).sqrt()
    }
}

/// The lines whose energies are to have small errors.
#[derive(Debug, Clone)]
pub(crate) struct TargetLines {
    lines: Vec<OperationShares>,
    /// `M`: the mean over lines of the outer product of their shares.
    weights: Mat<f64>,
}

impl TargetLines {
    /// Lines as shares of operations, over `operations` columns.
    pub fn new(lines: Vec<OperationShares>, operations: usize) -> Self {
        let mut weights = Mat::zeros(operations, operations);
        for line in &lines {
            for (i, a) in line {
                for (j, b) in line {
                    weights[(*i, *j)] += a * b / lines.len() as f64;
                }
            }
        }
        Self { lines, weights }
    }

    /// The mean squared relative error of the lines.
    pub(crate) fn mean_square(&self, belief: &CostBelief) -> f64 {
        let l = self.weights.nrows();
        let columns = (0..l).map(|j| (0..l).map(move |i| (i, j)));
        columns.flatten().map(|at| belief.covariance[at] * self.weights[at]).sum()
    }

    /// How much a case lowers the mean squared relative error of the lines.
    pub fn gain(&self, belief: &CostBelief, case: &OperationShares) -> f64 {
        let seen = belief.times(case);
        let lowered = seen.transpose() * (&self.weights * &seen);
        lowered / (belief.misfit + product(case, &seen))
    }

    /// Median and 90th percentile of the lines' expected errors; none without lines.
    pub fn expected_error(&self, belief: &CostBelief) -> Option<LineError> {
        let mut errors: Vec<f64> = self.lines.iter().map(|line| belief.error_of(line)).collect();
        errors.sort_by(f64::total_cmp);
        let at = |part: f64| errors.get(((errors.len() as f64 - 1.0) * part).round() as usize);
        Some(LineError { median: *at(0.5)?, p90: *at(0.9)? })
    }
}

/// Expected relative errors of line energies: one standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineError {
    /// Median over the lines.
    pub median: f64,
    /// 90th percentile over the lines.
    pub p90: f64,
}

fn product(shares: &OperationShares, with: &Col<f64>) -> f64 {
    shares.iter().map(|(column, share)| share * with[*column]).sum()
}

/// Counts divided by their sum; empty if all are zero.
pub fn shares(counts: &[u128]) -> OperationShares {
    let all = counts.iter().sum::<u128>() as f64;
    let ran = counts.iter().enumerate().filter(|(_, count)| **count > 0);
    ran.map(|(column, count)| (column, *count as f64 / all)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assumptions::ASSUMED;

    fn close(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
    }

    /// Two operations with microbenchmarks: variances 0.04 + 0.01, covariance 0.04. A case of the
    /// first alone: 0.05 - 0.05^2 / 0.0504; of the second 0.05 - 0.04^2 / 0.0504.
    #[test]
    fn a_case_tells_of_its_operations_and_of_the_level() {
        let mut belief = CostBelief::before(&[true, true], &ASSUMED);
        close(belief.error_of(&vec![(0, 1.0)]), 0.05f64.sqrt());
        belief.add(&vec![(0, 1.0)]);
        close(belief.error_of(&vec![(0, 1.0)]), (0.05f64 - 0.0025 / 0.0504).sqrt());
        close(belief.error_of(&vec![(1, 1.0)]), (0.05f64 - 0.0016 / 0.0504).sqrt());
        belief.remove(&vec![(0, 1.0)]);
        close(belief.error_of(&vec![(1, 1.0)]), 0.05f64.sqrt());
    }

    /// Doubled: two operations, the second with a microbenchmark; the errors beforehand, and after
    /// a case of the first.
    #[test]
    fn what_is_assumed_moves_what_is_expected() {
        let errors = |assumed: &Assumptions| {
            let mut belief = CostBelief::before(&[false, true], assumed);
            let before = [0, 1].map(|of| belief.error_of(&vec![(of, 1.0)]));
            belief.add(&vec![(0, 1.0)]);
            (before, belief.error_of(&vec![(0, 1.0)]))
        };
        let (usual, after) = errors(&ASSUMED);
        let (spread, _) = errors(&Assumptions { cost_spread: 1.5, ..ASSUMED });
        assert!(spread[0] > 1.9 * usual[0] && spread[1] == usual[1]);
        let (microbenchmarks, _) = errors(&Assumptions { microbenchmark_misfit: 0.2, ..ASSUMED });
        assert!(microbenchmarks[0] == usual[0] && microbenchmarks[1] > 1.2 * usual[1]);
        let (level, _) = errors(&Assumptions { microbenchmark_level: 0.4, ..ASSUMED });
        assert!(level[0] > usual[0] && level[1] > 1.8 * usual[1]);
        let doubted = Assumptions { simulated_chip_case_misfit: 0.04, ..ASSUMED };
        assert!(errors(&doubted).0 == usual && errors(&doubted).1 > 1.9 * after);
        let unknown =
            |assumed: &Assumptions| CostBelief::before(&[false], assumed).error_of(&vec![(0, 1.0)]);
        let nothing = Assumptions { level_unknown: 20.0, ..ASSUMED };
        assert!(unknown(&nothing) > 1.9 * unknown(&ASSUMED));
    }

    #[test]
    fn the_gain_is_what_a_case_lowers_the_criterion_by() {
        let lines = vec![vec![(0, 0.5), (1, 0.5)], vec![(2, 1.0)]];
        let target = TargetLines::new(lines, 3);
        let mut belief = CostBelief::before(&[false, true, false], &ASSUMED);
        for case in [shares(&[3, 1, 0]), shares(&[0, 2, 2]), shares(&[0, 0, 1])] {
            let before = target.mean_square(&belief);
            let gain = target.gain(&belief, &case);
            belief.add(&case);
            close(before - target.mean_square(&belief), gain);
        }
        let expected = target.expected_error(&belief).unwrap();
        let errors = [belief.error_of(&target.lines[0]), belief.error_of(&target.lines[1])];
        assert_eq!(expected.p90, errors[0].max(errors[1]));
        let squares = errors.iter().map(|error| error * error).sum::<f64>();
        close(squares / 2.0, target.mean_square(&belief));
    }

    #[test]
    fn what_a_microbenchmark_knows_needs_no_case() {
        let target = TargetLines::new(vec![vec![(0, 1.0)], vec![(1, 1.0)]], 2);
        let mut belief = CostBelief::before(&[true, false], &ASSUMED);
        belief.add(&shares(&[1, 1]));
        assert!(target.gain(&belief, &shares(&[0, 1])) > 0.0);
        assert!(belief.error_of(&vec![(0, 1.0)]) < belief.error_of(&vec![(1, 1.0)]));
        assert_eq!(shares(&[0, 0]), []);
        assert_eq!(TargetLines::new(Vec::new(), 2).expected_error(&belief), None);
    }
}
