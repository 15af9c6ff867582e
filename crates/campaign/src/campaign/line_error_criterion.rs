//! The expected error of line energies once given cases are measured.

use std::collections::BTreeMap;

use crate::assumptions::ASSUMED;
use crate::operations::Dictionary;

use super::counts::OperationMatrix;
use super::criterion::{CostBelief, LineError, OperationShares, TargetLines, shares};
use super::planned_microbenchmarks::PlannedMicrobenchmarks;

/// Share of the base cases' executed operations that the chosen lines cover, as in an evaluation.
const COUNTED_SHARE: f64 = 0.95;

/// Criterion for choosing cases: the expected error of line energies, by a prior belief about the
/// costs of operations.
pub(super) struct LineErrorCriterion {
    pub(super) target: TargetLines,
    pub(super) before: CostBelief,
}

impl LineErrorCriterion {
    /// The criterion for the lines with [`COUNTED_SHARE`] of the operations that `bases` execute
    /// (executions per block of each base case), where costs are believed beforehand as
    /// microbenchmarks will give them.
    pub fn for_busiest_lines(
        microbenchmarks: &PlannedMicrobenchmarks,
        dictionary: &Dictionary,
        matrix: &OperationMatrix,
        bases: &[Vec<u64>],
    ) -> Self {
        let lines = lines_of(dictionary, matrix, bases);
        let mut executions = vec![0; matrix.operations.len()];
        for row in bases.iter().map(|base| matrix.row(base)) {
            executions.iter_mut().zip(row).for_each(|(sum, n)| *sum += n);
        }
        let known = microbenchmarks.known(&matrix.operations, &executions);
        let target = TargetLines::new(lines, matrix.operations.len());
        Self { target, before: CostBelief::before(&known, &ASSUMED) }
    }

    /// The expected errors of line energies once the cases with these counts (a row per case) are
    /// measured.
    pub fn expected_error<'r>(
        &self,
        rows: impl Iterator<Item = &'r Vec<u128>>,
    ) -> Option<LineError> {
        let mut belief = self.before.clone();
        rows.for_each(|row| belief.add(&shares(row)));
        self.target.expected_error(&belief)
    }

    /// The expected errors of line energies from cases, each with its counts and the relative error
    /// of its energy.
    pub(crate) fn expected_error_with<'r>(
        &self,
        rows: impl Iterator<Item = (&'r Vec<u128>, f64)>,
    ) -> Option<LineError> {
        let mut belief = self.before.clone();
        rows.for_each(|(row, error)| belief.add_with(&shares(row), error));
        self.target.expected_error(&belief)
    }
}

/// The operations of each line over all base cases, as shares: of the lines that hold most executed
/// operations and together [`COUNTED_SHARE`] of all.
fn lines_of(
    dictionary: &Dictionary,
    matrix: &OperationMatrix,
    bases: &[Vec<u64>],
) -> Vec<OperationShares> {
    let column: BTreeMap<&str, usize> =
        matrix.operations.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let mut lines: BTreeMap<(&str, u32), BTreeMap<usize, f64>> = BTreeMap::new();
    for (at, block) in dictionary.blocks.iter().enumerate() {
        let ran: f64 = bases.iter().filter_map(|base| base.get(at)).map(|n| *n as f64).sum();
        for operation in block.operations.iter().filter(|_| ran > 0.0) {
            let line = lines.entry((block.file.as_str(), operation.line)).or_default();
            let count = ran * f64::from(operation.count);
            *line.entry(column[operation.operation.name()]).or_default() += count;
        }
    }
    let mut lines: Vec<(f64, BTreeMap<usize, f64>)> =
        lines.into_values().map(|line| (line.values().sum(), line)).collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all: f64 = lines.iter().map(|(count, _)| count).sum();
    let mut sum = 0.0;
    let counted = lines.into_iter().take_while(|(count, _)| {
        let counts = sum < COUNTED_SHARE * all;
        sum += count;
        counts
    });
    counted
        .map(|(all, line)| line.into_iter().map(|(column, count)| (column, count / all)).collect())
        .collect()
}
