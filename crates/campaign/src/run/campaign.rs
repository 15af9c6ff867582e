//! A campaign on one board: makes its runs one after the other, each with session, checks, folder
//! and journal line. The campaign may be stopped at any moment; runs in the journal are not
//! measured again.

use crate::campaign::PlannedRun;

use super::basis::{BasisChanges, BasisVerdict};
use super::entry::RunEntry;
use super::error::{DriverError, RunError};
use super::journal::{CampaignStart, EarlyStop, Journal};
use super::options::{OnExisting, RunOptions};
use super::record::{RawRun, RunRecord};
use super::store::remove_unfinished;

/// A maker of sessions: builds, installs and runs what a planned run needs on a board.
pub trait RunDriver {
    /// Makes the session of a run and returns its logs. A session that went wrong is no error: its
    /// logs and conditions show what happened. `attempt` counts the earlier bad runs of the plan
    /// entry.
    fn run(&mut self, run: &PlannedRun, attempt: u32) -> Result<RawRun, DriverError>;
}

/// Progress of a campaign after a run.
#[derive(Debug)]
pub struct RunProgress<'r> {
    /// Plan entries that are done, for good or bad.
    pub done: usize,
    /// Plan entries.
    pub total: usize,
    /// The run just made; none for entries that the journal had.
    pub record: Option<&'r RunRecord>,
}

/// Result of a campaign: its records, the entries that failed for good, and why it ended early.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignOutcome {
    /// All runs, those of the journal included, in the order in which they were made.
    pub records: Vec<RunRecord>,
    /// Plan entries whose runs were all bad, with the reasons of the last one.
    pub given_up: Vec<(PlannedRun, String)>,
    /// Number of plan entries that the journal had at the start.
    pub resumed: usize,
    /// Reason why the campaign ended before all repeats; none if it made all.
    pub stopped: Option<EarlyStop>,
}

/// Function called after each round of repeats, with the records of all rounds so far: returns the
/// reason why no further round is needed, or none. Must depend on the records alone, so that a
/// resumed campaign ends where an undisturbed one would.
pub type RepeatCheck<'e> = dyn FnMut(&[RunRecord]) -> Result<Option<String>, DriverError> + 'e;

/// Number of entries in a row failing for good that ends the campaign.
pub(super) const FAILURES_IN_A_ROW_MAX: u32 = 5;

/// Makes the runs of `order` that the journal does not have, on one board, until `enough` gives a
/// reason to stop after a round of repeats. Calls `progress` after each run.
pub fn run_campaign_until(
    order: &[PlannedRun],
    driver: &mut dyn RunDriver,
    options: &RunOptions,
    enough: &mut RepeatCheck<'_>,
    progress: &mut dyn FnMut(&RunProgress<'_>),
) -> Result<CampaignOutcome, RunError> {
    let mut journal = open_journal(options)?;
    let mut given_up = Vec::new();
    let (mut resumed, mut failures_in_a_row) = (0, 0);
    for (index, run) in order.iter().enumerate() {
        let entry = RunEntry { run, board: None };
        let is_done = |journal: &Journal| entry.is_done(journal, options.max_retries);
        if is_done(&journal) {
            resumed += 1;
            let told = RunProgress { done: index + 1, total: order.len(), record: None };
            progress(&told);
        }
        while !is_done(&journal) {
            make_run(entry, driver, options, &mut journal)?;
            let done = index + usize::from(is_done(&journal));
            progress(&RunProgress { done, total: order.len(), record: journal.records.last() });
        }
        match entry.last_reasons(&journal) {
            None => failures_in_a_row = 0,
            Some(reasons) if entry.left_out_reason(&journal).is_some() => {
                given_up.push((run.clone(), reasons));
            }
            Some(reasons) => {
                failures_in_a_row += 1;
                if failures_in_a_row == FAILURES_IN_A_ROW_MAX {
                    return Err(RunError::TooManyFailures {
                        count: FAILURES_IN_A_ROW_MAX,
                        run: run.id(),
                        reasons,
                    });
                }
                given_up.push((run.clone(), reasons));
            }
        }
        if is_enough(order, index, enough, &mut journal)? {
            progress(&RunProgress { done: order.len(), total: order.len(), record: None });
            break;
        }
    }
    let (records, stopped) = journal.into_records();
    Ok(CampaignOutcome { records, given_up, resumed, stopped })
}

/// Whether the run at `index` ends the campaign, as the last of a round after which no further one
/// is needed.
fn is_enough(
    order: &[PlannedRun],
    index: usize,
    enough: &mut RepeatCheck<'_>,
    journal: &mut Journal,
) -> Result<bool, RunError> {
    let (made, open) = order.split_at(index + 1);
    let round = made.iter().map(|run| run.repeat).max().unwrap_or(0);
    // In a campaign without rounds this is nowhere.
    if open.is_empty() || open.iter().any(|run| run.repeat <= round) {
        return Ok(false);
    }
    if let Some(stopped) = &journal.stopped {
        return Ok(stopped.after == round);
    }
    let past = journal.records.iter().filter(|record| record.run.repeat <= round);
    let past: Vec<RunRecord> = past.cloned().collect();
    let run = || order[index].id();
    match enough(&past).map_err(|source| RunError::Driver { run: run(), source })? {
        None => Ok(false),
        Some(reason) => {
            journal.stop(EarlyStop { after: round, saved: open.len(), reason })?;
            Ok(true)
        }
    }
}

pub(super) fn open_journal(options: &RunOptions) -> Result<Journal, RunError> {
    let folder = &options.folder;
    std::fs::create_dir_all(folder).map_err(RunError::file(folder, "making the folder"))?;
    let mut journal = Journal::open(folder)?;
    match &journal.campaign {
        None => journal.begin(&options.basis)?,
        Some(_) if options.existing != OnExisting::Resume => {
            return Err(RunError::Exists { folder: folder.clone() });
        }
        Some(CampaignStart { basis }) if *basis == options.basis => {}
        Some(CampaignStart { basis }) => {
            let changes = BasisChanges::between(basis, &options.basis);
            if let BasisVerdict::Refused(lines) = changes.outcome(&journal.records) {
                let changes = lines.join("\n  ");
                return Err(RunError::OtherCampaign { folder: folder.clone(), changes });
            }
            journal.begin(&options.basis)?;
        }
    }
    remove_unfinished(folder)?;
    Ok(journal)
}

/// Makes one run and puts it into folder and journal.
fn make_run(
    entry: RunEntry<'_>,
    driver: &mut dyn RunDriver,
    options: &RunOptions,
    journal: &mut Journal,
) -> Result<(), RunError> {
    let attempt = entry.attempts(journal);
    let raw = driver
        .run(entry.run, attempt)
        .map_err(|source| RunError::Driver { run: entry.run.id(), source })?;
    entry.store_session(attempt, raw, options, journal)
}

#[cfg(test)]
#[path = "campaign_tests.rs"]
pub(crate) mod tests;
