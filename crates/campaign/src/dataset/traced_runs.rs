//! The traced runs of a campaign: how often each case executed each block, and the operations of
//! the blocks in that case.

use std::collections::BTreeMap;

use crate::campaign::{PlannedCase, ResidualCounts};
use crate::operations::Dictionary;

/// The traced runs of a campaign: dictionary, residual counts, and executions per block by case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TracedRuns<'d> {
    /// Blocks of the application with their operations.
    pub dictionary: &'d Dictionary,
    /// Operations that removed blocks still execute.
    pub residual_counts: &'d ResidualCounts,
    /// Executions per block, by case.
    pub executions: &'d BTreeMap<String, Vec<u64>>,
}

/// A case with a traced run.
pub(crate) struct TracedCase<'c, 'd> {
    /// The case.
    pub case: &'c PlannedCase,
    /// Blocks of the case's variant with their operations.
    pub blocks: Dictionary,
    /// Executions per block.
    pub executions: &'d [u64],
}

impl<'d> TracedRuns<'d> {
    /// The dictionary of the case's variant: removed blocks hold only their residual operations.
    pub fn variant_dictionary(&self, case: &PlannedCase) -> Dictionary {
        self.residual_counts.dictionary(self.dictionary, &case.variant, &case.removed)
    }

    /// Those of `cases` that have a traced run.
    pub fn traced_cases<'c>(
        &self,
        cases: &'c [PlannedCase],
    ) -> impl Iterator<Item = TracedCase<'c, 'd>> {
        let traced = cases.iter().filter_map(|case| Some((case, self.executions.get(&case.name)?)));
        traced.map(|(case, executions)| TracedCase {
            case,
            blocks: self.variant_dictionary(case),
            executions,
        })
    }
}
