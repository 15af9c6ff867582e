//! Whether a campaign has repeated enough: asked after each round, of what it measured.

use std::collections::BTreeMap;

use crate::campaign::{Replicated, count_operations, outlook};
use crate::dataset::{AssembleOptions, IdlePolicy, TracedCase, TracedRuns, assemble};
use crate::failure::Failure;
use crate::folder::{CampaignFolder, PlannedCampaign};
use crate::microbenchmarks::planned_microbenchmarks;
use crate::model::table::LibraryTop;
use crate::operations::Dictionary;
use crate::run::RunRecord;
use crate::scenario::Scenario;

/// What is asked with.
pub(crate) struct StopRule<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// Its plan.
    pub planned: &'s PlannedCampaign,
    /// Its blocks.
    pub dictionary: &'s Dictionary,
    /// The campaign's folder.
    pub folder: &'s CampaignFolder,
}

impl StopRule<'_> {
    /// Why no further round is needed, or nothing. A round that leaves a case without a
    /// standard error says nothing of that case.
    pub fn enough(&self, records: &[RunRecord]) -> Result<Option<String>, Failure> {
        let Some(goal) = self.scenario.campaign.stop_lines else { return Ok(None) };
        let executions = self.folder.executions(records, self.dictionary.blocks.len())?;
        let PlannedCampaign { cases, remains } = self.planned;
        let traced = TracedRuns { dictionary: self.dictionary, remains, executions: &executions };
        let mut counts = BTreeMap::new();
        let mut bases = Vec::new();
        for TracedCase { case, blocks, executions } in traced.of(cases) {
            counts.insert(case.name.clone(), count_operations(&blocks, executions));
            if case.removed.is_empty() {
                bases.push(executions.to_vec());
            }
        }
        let options = AssembleOptions {
            library: LibraryTop::All,
            idle: IdlePolicy::Campaign,
            duration_mismatch: self.scenario.limits.duration_mismatch,
        };
        // Too little to say anything is too little to stop.
        let Ok(measured) = assemble(cases, records, &counts, &options) else {
            return Ok(None);
        };
        let replicated = measured.cases.into_iter().filter_map(|case| {
            let relative_se = case.energy.energy_se_j? / case.energy.energy_j.abs();
            Some(Replicated { counts: case.counts, relative_se })
        });
        let replicated: Vec<Replicated> = replicated.collect();
        if replicated.is_empty() {
            return Ok(None);
        }
        let microbenchmarks = planned_microbenchmarks(self.scenario);
        let outlook = outlook(&microbenchmarks, self.dictionary, &bases, &replicated);
        Ok(outlook.and_then(|outlook| outlook.enough(goal)))
    }
}
