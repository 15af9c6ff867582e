//! Choosing cases by the expected error of line energies: greedily, then by exchange.

use std::collections::{BTreeMap, BTreeSet};

use crate::operations::Dictionary;

use super::counts::OperationMatrix;
use super::criterion::{Belief, LineError, Shares, Target, shares};
use super::selection::Pool;

/// The part of the base cases' operations whose lines count, as in an evaluation.
const COUNTED: f64 = 0.95;

/// Rounds of exchange at most; each lowers the criterion.
const MOST_EXCHANGES: u32 = 5;

/// An exchange has to lower the criterion by this part of it.
const LEAST_EXCHANGE: f64 = 1e-6;

/// Lines that matter and what is known before any case is measured.
pub(super) struct LineChoice {
    target: Target,
    before: Belief,
}

impl LineChoice {
    /// The lines that make up most of the base cases' executions.
    pub fn new(
        with_kernel: &BTreeSet<String>,
        dictionary: &Dictionary,
        matrix: &OperationMatrix,
        bases: &[Vec<u64>],
    ) -> Self {
        let lines = lines_of(dictionary, matrix, bases);
        let has_kernel = |operation: &String| with_kernel.contains(operation);
        let known: Vec<bool> = matrix.operations.iter().map(has_kernel).collect();
        Self { target: Target::new(lines, matrix.operations.len()), before: Belief::before(&known) }
    }

    /// The errors of line energies to be expected once these cases are measured.
    pub fn expected<'r>(&self, rows: impl Iterator<Item = &'r Vec<u128>>) -> Option<LineError> {
        let mut belief = self.before.clone();
        rows.for_each(|row| belief.add(&shares(row)));
        self.target.expected(&belief)
    }

    /// The same for cases whose energies have relative errors of their own.
    pub fn expected_with<'r>(
        &self,
        rows: impl Iterator<Item = (&'r Vec<u128>, f64)>,
    ) -> Option<LineError> {
        let mut belief = self.before.clone();
        rows.for_each(|(row, error)| belief.add_with(&shares(row), error));
        self.target.expected(&belief)
    }

    /// Adds cases to `chosen`, each time the one that lowers the error most, until there
    /// are enough or the error is small enough; then exchanges them.
    pub fn choose(&self, pool: &Pool<'_, '_>, mut chosen: Vec<usize>) -> Vec<usize> {
        let found = pool.search.found.iter();
        let rows: Vec<Shares> =
            found.map(|found| shares(&pool.matrix.row(&found.executions))).collect();
        let fixed = chosen.len();
        let mut belief = self.before.clone();
        chosen.iter().for_each(|index| belief.add(&rows[*index]));
        while chosen.len() < pool.settings.campaign.cases && !self.is_enough(pool, &belief) {
            let Some((_, best)) = self.best(pool, &belief, &rows, &chosen) else { break };
            belief.add(&rows[best]);
            chosen.push(best);
        }
        for _ in 0..MOST_EXCHANGES {
            if !self.exchange(pool, &mut belief, &rows, &mut chosen[..], fixed) {
                break;
            }
        }
        chosen
    }

    fn is_enough(&self, pool: &Pool<'_, '_>, belief: &Belief) -> bool {
        let expected = self.target.expected(belief);
        pool.settings.campaign.line_error.zip(expected).is_some_and(|(goal, e)| e.median <= goal)
    }

    /// The case that lowers the criterion most and by how much, the first of equals.
    fn best(
        &self,
        pool: &Pool<'_, '_>,
        belief: &Belief,
        rows: &[Shares],
        chosen: &[usize],
    ) -> Option<(f64, usize)> {
        (0..rows.len())
            .filter(|index| !chosen.contains(index) && pool.may_take(*index, chosen))
            .map(|index| (self.target.gain(belief, &rows[index]), index))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    }

    /// Puts a better case in the place of each but the first `fixed`; whether any was.
    fn exchange(
        &self,
        pool: &Pool<'_, '_>,
        belief: &mut Belief,
        rows: &[Shares],
        chosen: &mut [usize],
        fixed: usize,
    ) -> bool {
        let mut changed = false;
        for place in fixed..chosen.len() {
            let own = chosen[place];
            belief.remove(&rows[own]);
            let kept = self.target.gain(belief, &rows[own]);
            let others: Vec<usize> = chosen.iter().copied().filter(|index| *index != own).collect();
            let least = kept + LEAST_EXCHANGE * self.target.mean_square(belief);
            match self.best(pool, belief, rows, &others) {
                Some((gain, better)) if gain > least => {
                    chosen[place] = better;
                    changed = true;
                }
                _ => {}
            }
            belief.add(&rows[chosen[place]]);
        }
        changed
    }
}

/// The operations of each line over all base cases, as shares: of the lines that hold
/// most executed operations and together [`COUNTED`] of all.
fn lines_of(dictionary: &Dictionary, matrix: &OperationMatrix, bases: &[Vec<u64>]) -> Vec<Shares> {
    let column: BTreeMap<&str, usize> =
        matrix.operations.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let mut lines: BTreeMap<(&str, u32), BTreeMap<usize, f64>> = BTreeMap::new();
    for (at, block) in dictionary.blocks.iter().enumerate() {
        let ran: f64 = bases.iter().filter_map(|base| base.get(at)).map(|n| *n as f64).sum();
        for operation in block.operations.iter().filter(|_| ran > 0.0) {
            let line = lines.entry((block.file.as_str(), operation.line)).or_default();
            let count = ran * f64::from(operation.count);
            *line.entry(column[operation.operation.as_str()]).or_default() += count;
        }
    }
    let mut lines: Vec<(f64, BTreeMap<usize, f64>)> =
        lines.into_values().map(|line| (line.values().sum(), line)).collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    let all: f64 = lines.iter().map(|(count, _)| count).sum();
    let mut sum = 0.0;
    let counted = lines.into_iter().take_while(|(count, _)| {
        let counts = sum < COUNTED * all;
        sum += count;
        counts
    });
    counted
        .map(|(all, line)| line.into_iter().map(|(column, count)| (column, count / all)).collect())
        .collect()
}
