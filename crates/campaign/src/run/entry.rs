//! One entry of a campaign's plan: what the journal says of it, and putting a session that
//! was made for it into folder and journal.

use crate::campaign::{PlannedRun, RunPhase};

use super::error::RunError;
use super::journal::{Begun, Journal};
use super::judge::judge;
use super::judge_settings::RunReference;
use super::options::RunOptions;
use super::record::{ExitState, RawRun, RunRecord, RunVerdict};
use super::store::write_run;

/// A planned run, and the board that makes it where there are several.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunEntry<'e> {
    /// The run.
    pub run: &'e PlannedRun,
    /// Serial of its board; none in a campaign on one board.
    pub board: Option<&'e str>,
}

/// A variant hangs if so many of its sessions did.
const HUNG: usize = 2;

impl<'e> RunEntry<'e> {
    /// Its own records.
    fn records<'j>(&self, journal: &'j Journal) -> impl Iterator<Item = &'j RunRecord>
    where
        'e: 'j,
    {
        let run = self.run;
        self.repeats(journal).filter(move |record| record.run == *run)
    }

    /// The records of all repeats, on its board.
    fn repeats<'j>(&self, journal: &'j Journal) -> impl Iterator<Item = &'j RunRecord>
    where
        'e: 'j,
    {
        let RunEntry { run: PlannedRun { case, phase, .. }, board } = *self;
        let is_repeat = move |r: &&RunRecord| r.run.case == *case && r.run.phase == *phase;
        journal.records.iter().filter(is_repeat).filter(move |record| is_on(record, board))
    }

    /// How often it was tried.
    pub(super) fn attempts(&self, journal: &Journal) -> u32 {
        self.records(journal).count() as u32
    }

    /// Whether it is done, for good or bad.
    pub(super) fn is_done(&self, journal: &Journal, max_retries: u32) -> bool {
        let retries = if self.was_given_up(journal, max_retries) { 0 } else { max_retries };
        self.records(journal).any(RunRecord::is_good)
            || self.attempts(journal) > retries
            || self.hung(journal).is_some()
    }

    /// The last session of its variant, where that hung again and again and never ran well: any
    /// other would wait as long. One that hung once may have met a fault of the board.
    fn hung<'j>(&self, journal: &'j Journal) -> Option<&'j RunRecord> {
        // Asked for each run of a plan: few campaigns have such sessions, and which variant a
        // record is of takes longer to find.
        let timed_out = |r: &&RunRecord| r.conditions.exit == ExitState::TimedOut;
        if journal.records.iter().filter(timed_out).take(HUNG).count() < HUNG {
            return None;
        }
        let Some(Begun { basis }) = &journal.campaign else { return None };
        let variant = basis.variant_of(&self.run.case)?;
        let is_own = |r: &&RunRecord| {
            r.run.phase != RunPhase::Idle && basis.variant_of(&r.run.case) == Some(variant)
        };
        let own: Vec<&RunRecord> = journal.records.iter().filter(is_own).collect();
        let hung = own.iter().copied().filter(timed_out);
        let is_hopeless = hung.count() >= HUNG && !own.iter().any(|record| record.is_good());
        own.last().copied().filter(|_| is_hopeless)
    }

    /// Whether a repeat of it failed every time: mostly that is the case's own fault, and
    /// one more try of each further repeat is enough to see that it isn't.
    fn was_given_up(&self, journal: &Journal, max_retries: u32) -> bool {
        self.repeats(journal).any(|record| record.attempt >= max_retries && !record.is_good())
    }

    /// Why the last attempt was bad, or it was left out; none when it was good, or is open.
    pub(super) fn last_reasons(&self, journal: &Journal) -> Option<String> {
        match self.records(journal).last() {
            Some(last) => (!last.is_good()).then(|| last.reasons()),
            None => self.left_out(journal),
        }
    }

    /// Why it was never tried: its variant hung in another session.
    pub(super) fn left_out(&self, journal: &Journal) -> Option<String> {
        let hung = self.hung(journal).filter(|_| self.attempts(journal) == 0)?;
        Some(format!("left out: without the same blocks {} hung", hung.run.id()))
    }

    /// Judges a session and puts it into folder and journal.
    pub(super) fn keep(
        &self,
        attempt: u32,
        raw: RawRun,
        options: &RunOptions,
        journal: &mut Journal,
    ) -> Result<(), RunError> {
        let reference = self.reference(journal);
        let (measured, reasons) = judge(self.run.phase, &raw, &reference, &options.judge);
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

    /// Durations are a board's own; the path is the same on all.
    fn reference(&self, journal: &Journal) -> RunReference {
        let (case, phase) = (&self.run.case, self.run.phase);
        let good = || journal.records.iter().filter(|r| r.is_good_run_of(case, phase));
        let own = good().filter(|record| is_on(record, self.board));
        RunReference {
            durations_s: own.filter_map(|r| Some(r.measured.as_ref()?.duration_s)).collect(),
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
