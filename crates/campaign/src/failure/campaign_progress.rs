//! How much of a campaign there is when it stops before its end.

use std::fmt;

use crate::format::counted_as;

/// The good runs of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CampaignProgress {
    /// How many there are.
    pub runs: usize,
    /// How many it is to have; none if its folder doesn't tell.
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
