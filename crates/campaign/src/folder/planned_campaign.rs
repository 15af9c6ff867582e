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
    /// Reads the plan of an earlier command, or one that a user wrote: that needs no residual
    /// counts where it removes nothing.
    ///
    /// # Errors
    /// A file is missing, or is none of a plan.
    pub fn planned_campaign(&self) -> Result<PlannedCampaign, Failure> {
        let cases = self.cases()?;
        let removes_nothing = cases.iter().all(|case| case.removed.is_empty());
        let residual_counts = match removes_nothing {
            true => self.read_if_there()?.unwrap_or_default(),
            false => self.read()?,
        };
        Ok(PlannedCampaign { cases, residual_counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::names;

    #[test]
    fn a_plan_needs_residual_counts_where_it_removes_blocks() {
        let place = tempfile::tempdir().unwrap();
        let folder = CampaignFolder::new(place.path());
        let row = |removed: &str, blocks: &str| {
            format!(
                "case,input,group,variant,removed,removed_blocks,executions,executions_share,\
                 energy_share,rank\nc,few,few,v,{removed},{blocks},5,1,1,1\n"
            )
        };
        std::fs::write(folder.file(names::PLAN), row("", "0")).unwrap();
        assert_eq!(folder.planned_campaign().unwrap().cases.len(), 1);
        std::fs::write(folder.file(names::PLAN), row("3 4", "2")).unwrap();
        let error = folder.planned_campaign().unwrap_err().to_string();
        assert!(error.contains(names::RESIDUAL_COUNTS), "{error}");
    }
}
