//! Which operations' costs will be known from micro-kernels, before any has run.

use std::collections::BTreeSet;

/// The kernels that a campaign will run. The default runs none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlannedKernels {
    /// Operations and library functions that some kernel measures.
    pub measurable: BTreeSet<String>,
    /// For how many operations, the most executed ones, kernels are run.
    pub count: usize,
}

impl PlannedKernels {
    /// Whether each operation, of these executions, will be known.
    pub fn known(&self, operations: &[String], executions: &[f64]) -> Vec<bool> {
        let mut ranked: Vec<usize> = (0..operations.len()).collect();
        ranked.sort_by(|a, b| executions[*b].total_cmp(&executions[*a]).then(a.cmp(b)));
        let mut known = vec![false; operations.len()];
        for at in ranked.into_iter().take(self.count).filter(|at| executions[*at] > 0.0) {
            known[at] = self.measurable.contains(&operations[at]);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of four operations one never runs and one has no kernel; the two that ran most are
    /// taken, whether they have one or not.
    #[test]
    fn the_most_executed_are_known_if_they_have_a_kernel() {
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        let measurable = ["a", "b", "d"].map(str::to_owned).into();
        let known = |count| {
            let kernels = PlannedKernels { measurable: BTreeSet::clone(&measurable), count };
            kernels.known(&names, &[1.0, 5.0, 9.0, 0.0])
        };
        assert_eq!(known(2), [false, true, false, false]);
        assert_eq!(known(9), [true, true, false, false]);
        assert_eq!(PlannedKernels::default().known(&names, &[1.0; 4]), [false; 4]);
    }
}
