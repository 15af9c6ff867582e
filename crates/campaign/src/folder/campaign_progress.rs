//! The progress of the campaign in a folder.

use crate::campaign::{order_runs, settings_with_sampled_repeats};
use crate::device::{LOCAL_SERIAL, Sampler};
use crate::failure::{CampaignProgress, Failure};
use crate::run::RunRecord;

use super::CampaignFolder;

impl CampaignFolder {
    /// Number of good and of planned runs; none if there is neither a plan nor a journal.
    pub fn progress(&self) -> Option<CampaignProgress> {
        let planned = self.planned_runs();
        let records = self.records().ok();
        if planned.is_none() && records.is_none() {
            return None;
        }
        let runs = records.unwrap_or_default().iter().filter(|record| record.is_good()).count();
        Some(CampaignProgress { runs, planned })
    }

    /// Fails if the folder has a campaign, as another one is to begin. `can_force`: whether the
    /// command can start again in the same folder.
    pub fn refuse_another(&self, can_force: bool) -> Result<(), Failure> {
        let folder = self.path().to_path_buf();
        match self.progress() {
            None => Ok(()),
            Some(progress) => Err(Failure::CampaignExists { folder, progress, can_force }),
        }
    }

    fn planned_runs(&self) -> Option<usize> {
        let cases = self.cases().ok()?;
        let scenario = self.scenario().ok()?;
        let records = self.records().unwrap_or_default();
        let sampler = |record: &RunRecord| match &record.board.sampler {
            Some(name) => Sampler::from_name(name),
            // Records of older versions don't name it.
            None => (record.board.serial == LOCAL_SERIAL).then_some(Sampler::FlightRecorder),
        };
        let usual = |record| sampler(record).map_or(0, Sampler::usual_runs);
        let usual = records.iter().map(usual).min().unwrap_or(0);
        Some(order_runs(&cases, &settings_with_sampled_repeats(&scenario.campaign, usual)).len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::names::JOURNAL;

    #[test]
    fn a_folder_without_a_campaign_keeps_nothing() {
        let place = tempfile::tempdir().unwrap();
        let folder = CampaignFolder::new(place.path());
        assert_eq!(folder.progress(), None);
        std::fs::write(folder.file(JOURNAL), "").unwrap();
        assert_eq!(folder.progress().unwrap().to_string(), "0 runs are kept");
        assert_eq!(
            CampaignProgress { runs: 13, planned: Some(60) }.to_string(),
            "13 of 60 runs are kept"
        );
    }
}
