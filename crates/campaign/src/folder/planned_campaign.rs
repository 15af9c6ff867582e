//! The planned cases of a campaign.

use crate::campaign::{PlannedCase, ResidualCounts};
use crate::failure::Failure;

use super::CampaignFolder;

/// The part of a plan that runs and data sets are made from.
#[derive(Debug, Clone)]
pub struct PlannedCampaign {
    /// The cases.
    pub cases: Vec<PlannedCase>,
    /// Operations that removed blocks still execute, by variant.
    pub residual_counts: ResidualCounts,
}

impl CampaignFolder {
    /// Reads the plan of an earlier command.
    pub fn planned_campaign(&self) -> Result<PlannedCampaign, Failure> {
        Ok(PlannedCampaign { cases: self.cases()?, residual_counts: self.read()? })
    }
}
