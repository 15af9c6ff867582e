//! What the traced runs of a campaign say: how often each case executed which blocks, and
//! what these hold in it.

use std::collections::BTreeMap;

use crate::campaign::{PlannedCase, ResidualCounts};
use crate::operations::Dictionary;

/// The traced runs of a campaign.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TracedRuns<'d> {
    /// The blocks.
    pub dictionary: &'d Dictionary,
    /// What removed ones still hold.
    pub remains: &'d ResidualCounts,
    /// Executions per block, by case.
    pub executions: &'d BTreeMap<String, Vec<u64>>,
}

/// A case that was traced.
pub(crate) struct TracedCase<'c, 'd> {
    /// The case.
    pub case: &'c PlannedCase,
    /// The blocks of its variant.
    pub blocks: Dictionary,
    /// How often each of them ran.
    pub executions: &'d [u64],
}

impl<'d> TracedRuns<'d> {
    /// The case's blocks: removed ones hold what still runs of them.
    pub fn variant(&self, case: &PlannedCase) -> Dictionary {
        self.remains.dictionary(self.dictionary, &case.variant, &case.removed)
    }

    /// The cases that were traced.
    pub fn of<'c>(&self, cases: &'c [PlannedCase]) -> impl Iterator<Item = TracedCase<'c, 'd>> {
        let traced = cases.iter().filter_map(|case| Some((case, self.executions.get(&case.name)?)));
        traced.map(|(case, executions)| TracedCase { case, blocks: self.variant(case), executions })
    }
}
