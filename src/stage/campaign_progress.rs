//! How much of a campaign there is when it stops before its end.

use std::fmt;

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
        match (self.runs, self.planned) {
            (runs, Some(planned)) => write!(out, "{runs} of {planned} runs are kept"),
            (1, None) => out.write_str("1 run is kept"),
            (runs, None) => write!(out, "{runs} runs are kept"),
        }
    }
}
