//! Reads the facts of a scenario from a campaign's folder.

use crate::failure::Failure;
use crate::folder::{CampaignFolder, MeasuredCampaign, names};
use crate::run::{self, RunRecord};

use super::{ScenarioFacts, ScenarioFactsError, select_board};

impl ScenarioFacts {
    /// Reads a campaign's folder for one of its boards; without a name, for the first.
    pub fn read(folder: &CampaignFolder, device: Option<&str>) -> Result<Self, Failure> {
        Self::read_of(folder, folder.measured_campaign()?, device)
    }

    /// Reads the rest of a folder whose plan and runs are already read.
    pub fn read_of(
        folder: &CampaignFolder,
        campaign: MeasuredCampaign,
        device: Option<&str>,
    ) -> Result<Self, Failure> {
        let boards = select_board(&campaign.records, device)?;
        let own = campaign.records.iter().filter(|record| boards.is_own(record));
        let own: Vec<RunRecord> = own.cloned().collect();
        let stacks = run::read_stacks(folder.path(), &own)?;
        let facts = ScenarioFacts::of(campaign, boards, &stacks).map_err(|error| {
            let place = match &error {
                ScenarioFactsError::NoTracedRun { .. } => folder.file(names::JOURNAL),
                ScenarioFactsError::NoEnergy { .. } => names::JOURNAL.into(),
                ScenarioFactsError::Samples { .. } => names::RUNS.into(),
            };
            Failure::input(place, error)
        })?;
        Ok(ScenarioFacts { calls: folder.read_if_there()?, ..facts })
    }
}
