//! The number of good runs of a campaign that has not ended.

use std::fmt;

use crate::format::counted_as;

/// The number of good runs of a campaign, and of planned ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CampaignProgress {
    /// Number of good runs.
    pub runs: usize,
    /// Number of planned runs; none if the folder does not show it.
    pub planned: Option<usize>,
}

impl fmt::Display for CampaignProgress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = |count: usize| counted_as(count, "run is kept", "runs are kept");
        match self.planned {
            Some(planned) => write!(out, "{} of {}", self.runs, kept(planned)),
            None => out.write_str(&kept(self.runs)),
        }
    }
}
