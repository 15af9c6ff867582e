//! Choice of cases by the expected error of line energies: greedily, then by exchange.

use super::criterion::{CostBelief, OperationShares, shares};
use super::line_error_criterion::LineErrorCriterion;
use super::pool::CandidatePool;

/// Most rounds of exchange; each lowers the criterion.
const MOST_EXCHANGES: u32 = 5;

/// Least part by which an exchange must lower the criterion.
const LEAST_EXCHANGE: f64 = 1e-6;

impl LineErrorCriterion {
    /// Adds cases to `chosen`, each time the one that lowers the error most, until there
    /// are enough or the error is small enough; then exchanges them.
    pub fn choose(&self, pool: &CandidatePool<'_, '_>, mut chosen: Vec<usize>) -> Vec<usize> {
        let found = pool.search.found.iter();
        let rows: Vec<OperationShares> =
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

    fn is_enough(&self, pool: &CandidatePool<'_, '_>, belief: &CostBelief) -> bool {
        let expected = self.target.expected_error(belief);
        pool.settings.campaign.line_error.zip(expected).is_some_and(|(goal, e)| e.median <= goal)
    }

    /// Index of the case that lowers the criterion most, the first of equals, and by how much.
    fn best(
        &self,
        pool: &CandidatePool<'_, '_>,
        belief: &CostBelief,
        rows: &[OperationShares],
        chosen: &[usize],
    ) -> Option<(f64, usize)> {
        (0..rows.len())
            .filter(|index| !chosen.contains(index) && pool.may_take(*index, chosen))
            .map(|index| (self.target.gain(belief, &rows[index]), index))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    }

    /// Replaces each case but the first `fixed` by a better one, where there is one; returns
    /// whether any was replaced.
    fn exchange(
        &self,
        pool: &CandidatePool<'_, '_>,
        belief: &mut CostBelief,
        rows: &[OperationShares],
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
