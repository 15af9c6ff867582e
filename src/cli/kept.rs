//! What a campaign's folder keeps when the campaign stops before its end.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::campaign::order_runs;
use crate::device::LOCAL_SERIAL;
use crate::run::read_journal;

use super::folder::read_scenario_copy;
use super::run::read_cases;
use super::sampled;

/// The campaign that this program makes.
static CAMPAIGN: OnceLock<PathBuf> = OnceLock::new();

/// From now on this program makes the campaign in a folder.
pub fn begin(folder: &Path) {
    // There is one campaign in a program's life.
    let _ = CAMPAIGN.set(folder.to_path_buf());
}

/// What is kept of the campaign that this program makes, and how to go on; none if it makes
/// none, or has not planned it yet.
pub fn sentence() -> Option<String> {
    Some(format!("{}: --resume goes on", Kept::of(CAMPAIGN.get()?)?))
}

/// The good runs of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept {
    runs: usize,
    /// How many it is to have; none if its folder doesn't tell.
    planned: Option<usize>,
}

impl Kept {
    /// What the campaign in a folder has; none if there is neither a plan nor a journal.
    pub fn of(folder: &Path) -> Option<Kept> {
        let planned = planned(folder);
        let records = read_journal(folder).ok();
        if planned.is_none() && records.is_none() {
            return None;
        }
        let runs = records.unwrap_or_default().iter().filter(|record| record.is_good()).count();
        Some(Kept { runs, planned })
    }
}

fn planned(folder: &Path) -> Option<usize> {
    let cases = read_cases(&folder.join("plan.csv")).ok()?;
    let scenario = read_scenario_copy(folder).ok()?;
    let records = read_journal(folder).unwrap_or_default();
    let is_local = records.iter().any(|record| record.board.serial == LOCAL_SERIAL);
    Some(order_runs(&cases, &sampled::settings(&scenario.campaign, is_local)).len())
}

impl fmt::Display for Kept {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.runs, self.planned) {
            (runs, Some(planned)) => write!(out, "{runs} of {planned} runs are kept"),
            (runs, None) => write!(out, "{runs} runs are kept"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_a_campaign_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Kept::of(folder.path()), None);
        std::fs::write(folder.path().join("journal.jsonl"), "").unwrap();
        assert_eq!(Kept::of(folder.path()).unwrap().to_string(), "0 runs are kept");
        assert_eq!(Kept { runs: 13, planned: Some(60) }.to_string(), "13 of 60 runs are kept");
    }
}
