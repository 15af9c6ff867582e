//! What the traced runs of a campaign say: how often each case executed which blocks, and
//! what these hold in it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::campaign::{PlannedCase, Remains};
use crate::operations::Dictionary;
use crate::run::RunRecord;

use super::Failure;
use super::output::read_text;
use super::scenario_facts::executions_by_case;

/// The traced runs of a campaign's folder.
pub struct TracedRuns<'d> {
    dictionary: &'d Dictionary,
    remains: Remains,
    executions: BTreeMap<String, Vec<u64>>,
}

impl<'d> TracedRuns<'d> {
    /// Reads the counts that belong to the records.
    pub fn read(
        folder: &Path,
        dictionary: &'d Dictionary,
        records: &[RunRecord],
    ) -> Result<Self, Failure> {
        let executions = executions_by_case(folder, records, dictionary.blocks.len())?;
        let path = folder.join("remains.csv");
        let remains = Remains::from_csv(&read_text(&path)?);
        let remains = remains.map_err(|error| Failure::input(&path, error))?;
        Ok(Self { dictionary, remains, executions })
    }

    /// The case's blocks: removed ones hold what still runs of them.
    pub fn variant(&self, case: &PlannedCase) -> Dictionary {
        self.remains.dictionary(self.dictionary, &case.variant, &case.removed)
    }

    /// The cases that were traced, each with its blocks and their executions.
    pub fn of<'c>(
        &self,
        cases: &'c [PlannedCase],
    ) -> impl Iterator<Item = (&'c PlannedCase, Dictionary, &Vec<u64>)> {
        let traced = cases.iter().filter_map(|case| Some((case, self.executions.get(&case.name)?)));
        traced.map(|(case, executions)| (case, self.variant(case), executions))
    }
}
