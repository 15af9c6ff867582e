//! The stop rule of a campaign: whether further rounds of repeats are needed, by the measurements
//! so far.

use std::collections::BTreeMap;

use crate::campaign::{ReplicatedCase, count_operations, line_error_outlook};
use crate::dataset::{AssembleOptions, TracedCase, TracedRuns, assemble};
use crate::failure::Failure;
use crate::folder::{CampaignFolder, PlannedCampaign};
use crate::microbenchmarks::planned_microbenchmarks;
use crate::model::table::LibraryTop;
use crate::operations::Dictionary;
use crate::run::RunRecord;
use crate::scenario::Scenario;

/// The inputs of the stop rule: scenario, plan, dictionary, folder.
pub(crate) struct StopRule<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// Planned cases.
    pub planned: &'s PlannedCampaign,
    /// Dictionary of blocks.
    pub dictionary: &'s Dictionary,
    /// The campaign's folder.
    pub folder: &'s CampaignFolder,
}

impl StopRule<'_> {
    /// Reason why no further round is needed, by these records; none if one is needed. Cases
    /// without a standard error are ignored.
    pub fn enough(&self, records: &[RunRecord]) -> Result<Option<String>, Failure> {
        let Some(goal) = self.scenario.campaign.stop_lines else { return Ok(None) };
        let executions = self.folder.executions(records, self.dictionary.blocks.len())?;
        let PlannedCampaign { cases, residual_counts } = self.planned;
        let traced =
            TracedRuns { dictionary: self.dictionary, residual_counts, executions: &executions };
        let mut counts = BTreeMap::new();
        let mut bases = Vec::new();
        for TracedCase { case, blocks, executions } in traced.traced_cases(cases) {
            counts.insert(case.name.clone(), count_operations(&blocks, executions));
            if case.removed.is_empty() {
                bases.push(executions.to_vec());
            }
        }
        let options = AssembleOptions {
            library: LibraryTop::All,
            idle: self.scenario.campaign.idle,
            duration_mismatch: self.scenario.limits.duration_mismatch,
        };
        // Too little to say anything is too little to stop.
        let Ok(measured) = assemble(cases, records, &counts, &options) else {
            return Ok(None);
        };
        let replicated = measured.cases.into_iter().filter_map(|case| {
            let relative_se = case.energy.energy_se_j? / case.energy.energy_j.abs();
            Some(ReplicatedCase { counts: case.counts, relative_se })
        });
        let replicated: Vec<ReplicatedCase> = replicated.collect();
        if replicated.is_empty() {
            return Ok(None);
        }
        let microbenchmarks = planned_microbenchmarks(self.scenario);
        let outlook = line_error_outlook(&microbenchmarks, self.dictionary, &bases, &replicated);
        Ok(outlook.and_then(|outlook| outlook.stop_reason(goal)))
    }
}
