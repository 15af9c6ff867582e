//! Reading what a campaign's folder says of its scenario.

use crate::failure::Failure;
use crate::folder::{CampaignFolder, MeasuredCampaign, names};
use crate::run::{self, RunRecord};

use super::{FactsError, ScenarioFacts, device_of};

impl ScenarioFacts {
    /// What a campaign's folder says of its scenario, on one of the boards; without a name on
    /// the first of them.
    pub fn read(folder: &CampaignFolder, device: Option<&str>) -> Result<Self, Failure> {
        Self::read_of(folder, folder.campaign()?, device)
    }

    /// The same where the plan and the runs were read already.
    pub fn read_of(
        folder: &CampaignFolder,
        campaign: MeasuredCampaign,
        device: Option<&str>,
    ) -> Result<Self, Failure> {
        let boards = device_of(&campaign.records, device)?;
        let own = campaign.records.iter().filter(|record| boards.is_own(record));
        let own: Vec<RunRecord> = own.cloned().collect();
        let stacks = run::read_stacks(folder.path(), &own)?;
        let facts = ScenarioFacts::of(campaign, boards, &stacks).map_err(|error| {
            let place = match &error {
                FactsError::NoTracedRun { .. } => folder.file(names::JOURNAL),
                FactsError::NoEnergy { .. } => names::JOURNAL.into(),
                FactsError::Samples { .. } => names::RUNS.into(),
            };
            Failure::input(place, error)
        })?;
        Ok(ScenarioFacts { calls: folder.read_if_there()?, ..facts })
    }
}
