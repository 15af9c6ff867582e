//! One entry of a campaign's plan: its state by the journal, and storing its sessions in folder and
//! journal.

use crate::campaign::{PlannedRun, RunPhase};

use super::compared_time::ComparedTime;
use super::error::RunError;
use super::journal::{CampaignStart, Journal};
use super::judge::judge_run;
use super::judge_settings::RunReference;
use super::options::RunOptions;
use super::record::{ExitState, RawRun, RunRecord, RunVerdict};
use super::store::write_run;

/// An entry of a campaign's plan: a run, and its board if there are several.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunEntry<'e> {
    /// The run.
    pub run: &'e PlannedRun,
    /// Serial of the board; none in a campaign on one board.
    pub board: Option<&'e str>,
}

/// Number of hanging sessions from which a variant counts as hanging.
const HUNG: usize = 2;

impl<'e> RunEntry<'e> {
    /// The records of this run on its board.
    fn records<'j>(&self, journal: &'j Journal) -> impl Iterator<Item = &'j RunRecord>
    where
        'e: 'j,
    {
        let run = self.run;
        self.repeats(journal).filter(move |record| record.run == *run)
    }

    /// The records of all repeats of the run's case and phase on its board.
    fn repeats<'j>(&self, journal: &'j Journal) -> impl Iterator<Item = &'j RunRecord>
    where
        'e: 'j,
    {
        let RunEntry { run: PlannedRun { case, phase, .. }, board } = *self;
        let is_repeat = move |r: &&RunRecord| r.run.case == *case && r.run.phase == *phase;
        journal.records.iter().filter(is_repeat).filter(move |record| is_on(record, board))
    }

    /// Number of attempts so far.
    pub(super) fn attempts(&self, journal: &Journal) -> u32 {
        self.records(journal).count() as u32
    }

    /// Whether the entry needs no more sessions: a run was good, or the retries are used up.
    pub(super) fn is_done(&self, journal: &Journal, max_retries: u32) -> bool {
        let retries = if self.was_given_up(journal, max_retries) { 0 } else { max_retries };
        self.records(journal).any(RunRecord::is_good)
            || self.attempts(journal) > retries
            || self.hung_session(journal).is_some()
    }

    /// The last session of the run's variant if that hung repeatedly and never ran well, as any
    /// other session would hang too. A single hang may be a fault of the board.
    fn hung_session<'j>(&self, journal: &'j Journal) -> Option<&'j RunRecord> {
        // Asked for each run of a plan: few campaigns have such sessions, and which variant a
        // record is of takes longer to find.
        let timed_out = |r: &&RunRecord| r.conditions.exit == ExitState::TimedOut;
        if journal.records.iter().filter(timed_out).take(HUNG).count() < HUNG {
            return None;
        }
        let Some(CampaignStart { basis }) = &journal.campaign else { return None };
        let variant = basis.variant_of(&self.run.case)?;
        let is_own = |r: &&RunRecord| {
            r.run.phase != RunPhase::Idle && basis.variant_of(&r.run.case) == Some(variant)
        };
        let own: Vec<&RunRecord> = journal.records.iter().filter(is_own).collect();
        let hung = own.iter().copied().filter(timed_out);
        let is_hopeless = hung.count() >= HUNG && !own.iter().any(|record| record.is_good());
        own.last().copied().filter(|_| is_hopeless)
    }

    /// Whether a repeat of the run failed in all attempts: mostly that is caused by the case
    /// itself, and one attempt of each further repeat is enough to see if not.
    fn was_given_up(&self, journal: &Journal, max_retries: u32) -> bool {
        self.repeats(journal).any(|record| record.attempt >= max_retries && !record.is_good())
    }

    /// Reasons why the last attempt was bad, or why the entry was left out; none if it was good or
    /// is open.
    pub(super) fn last_reasons(&self, journal: &Journal) -> Option<String> {
        match self.records(journal).last() {
            Some(last) => (!last.is_good()).then(|| last.reasons()),
            None => self.left_out_reason(journal),
        }
    }

    /// Reason why the entry was never tried: its variant hung in other sessions.
    pub(super) fn left_out_reason(&self, journal: &Journal) -> Option<String> {
        let hung = self.hung_session(journal).filter(|_| self.attempts(journal) == 0)?;
        Some(format!("left out: without the same blocks {} hung", hung.run.id()))
    }

    /// Judges a session and stores logs and record in folder and journal.
    pub(super) fn store_session(
        &self,
        attempt: u32,
        raw: RawRun,
        options: &RunOptions,
        journal: &mut Journal,
    ) -> Result<(), RunError> {
        let reference = self.reference(journal);
        let (measured, reasons) = judge_run(self.run.phase, &raw, &reference, &options.judge);
        let good = reasons.is_empty();
        let record = RunRecord {
            folder: self.folder(attempt),
            run: self.run.clone(),
            attempt,
            verdict: if good { RunVerdict::Good } else { RunVerdict::Bad { reasons } },
            board: raw.board,
            conditions: raw.conditions,
            measured,
            tool_version: env!("CARGO_PKG_VERSION").into(),
            seed: options.seed,
        };
        write_run(&options.folder, &record, &raw.logs)?;
        journal.finish(record)
    }

    /// Name of the folder of an attempt.
    pub(super) fn folder(&self, attempt: u32) -> String {
        let mut name = self.run.id();
        if let Some(board) = self.board {
            let safe = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            name += "-on-";
            name.extend(board.chars().map(|letter| if safe(letter) { letter } else { '_' }));
        }
        match attempt {
            0 => name,
            attempt => format!("{name}-retry-{attempt}"),
        }
    }

    /// The values that runs are compared with: durations of good runs on this board, and counts of
    /// any board.
    fn reference(&self, journal: &Journal) -> RunReference {
        let (case, phase) = (&self.run.case, self.run.phase);
        let good = || journal.records.iter().filter(|r| r.is_good_run_of(case, phase));
        let own = good().filter(|record| is_on(record, self.board));
        RunReference {
            times_s: own.filter_map(RunRecord::compared_time).map(ComparedTime::seconds).collect(),
            counts_crc32: match phase {
                RunPhase::Traced => good().find_map(|r| r.measured.as_ref()?.counts_crc32),
                RunPhase::Power | RunPhase::Sampled | RunPhase::Idle => None,
            },
        }
    }
}

fn is_on(record: &RunRecord, board: Option<&str>) -> bool {
    board.is_none_or(|board| record.board.serial == board)
}
