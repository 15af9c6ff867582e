//! What a campaign is to measure.

use crate::campaign::{PlannedCase, ResidualCounts};
use crate::failure::Failure;

use super::CampaignFolder;

/// A plan, as far as runs and data sets are made of it.
#[derive(Debug, Clone)]
pub struct PlannedCampaign {
    /// The cases.
    pub cases: Vec<PlannedCase>,
    /// What still runs of removed blocks, by variant.
    pub remains: ResidualCounts,
}

impl CampaignFolder {
    /// The plan of an earlier command.
    pub fn planned(&self) -> Result<PlannedCampaign, Failure> {
        Ok(PlannedCampaign { cases: self.cases()?, remains: self.read()? })
    }
}
