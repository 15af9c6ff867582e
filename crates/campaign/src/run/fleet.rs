//! A campaign on several boards: one worker per board makes its sessions, one writer judges them
//! and keeps the journal. The journal contains the assignment of cases to boards, so that a resumed
//! campaign gives the data set of an undisturbed one: each board makes its own runs in its own
//! order, whatever the others do.
//!
//! A board that is lost does not stop the others. Its runs stay open until it is back, or
//! ([`LostBoardPolicy::Move`]) what it has not done goes to the others, case by case: a case's
//! power and idle runs lie on one board.
//!
//! In a campaign with rounds of repeats, no board begins a round before all have ended the one
//! before: then `enough` decides whether a further one is needed.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::campaign::{Assignment, PlannedRun};

use super::campaign::{
    CampaignOutcome, FAILURES_IN_A_ROW_MAX, RepeatCheck, RunDriver, RunProgress, open_journal,
};
use super::entry::RunEntry;
use super::error::{DriverError, RunError};
use super::journal::{EarlyStop, Journal};
use super::options::RunOptions;
use super::record::{RawRun, RunRecord};

/// A board of the campaign, with the driver that makes its sessions.
pub struct FleetBoard<'d> {
    /// Its serial, as its records have it.
    pub board: String,
    /// Makes its sessions.
    pub driver: &'d mut (dyn RunDriver + Send),
}

/// Policy for the runs of a board that is lost, or was not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostBoardPolicy {
    /// The runs stay open until the board is back.
    KeepOpen,
    /// The other boards make the runs.
    Move,
}

/// A session that a worker is to make.
struct SessionTask {
    run: PlannedRun,
    attempt: u32,
}

/// A worker's result for one session.
struct SessionResult {
    board: String,
    task: SessionTask,
    raw: Result<RawRun, DriverError>,
}

/// Makes the runs of `order` that the journal does not have, on all boards at the same time, until
/// a round of repeats was enough. `fresh` assigns cases to boards in a new campaign; a resumed one
/// has its own assignment.
///
/// # Errors
/// Those of a campaign on one board, except for a lost board: when the others are done,
/// [`RunError::Open`] names the open runs.
pub fn run_fleet(
    order: &[PlannedRun],
    fresh: Assignment,
    members: Vec<FleetBoard<'_>>,
    options: &RunOptions,
    when_lost: LostBoardPolicy,
    enough: &mut RepeatCheck<'_>,
    progress: &mut dyn FnMut(&RunProgress<'_>),
) -> Result<CampaignOutcome, RunError> {
    let mut journal = open_journal(options)?;
    if journal.assignment.is_none() {
        journal.assign(fresh)?;
    }
    let boards: Vec<String> = members.iter().map(|member| member.board.clone()).collect();
    let mut fleet = FleetWriter::new(order, journal, options, when_lost, &boards)?;
    thread::scope(|scope| {
        let (tell, answers) = channel();
        let mut inboxes = BTreeMap::new();
        for FleetBoard { board, driver } in members {
            let (inbox, tasks) = channel();
            let tell = tell.clone();
            inboxes.insert(board.clone(), inbox);
            scope.spawn(move || work(&board, driver, &tasks, &tell));
        }
        // Only workers hold a sender now: without any, waiting ends.
        drop(tell);
        fleet.run(&inboxes, &answers, enough, progress)
    })?;
    fleet.end()
}

/// Body of a board's worker: makes the sessions that it receives until there are no more.
fn work(
    board: &str,
    driver: &mut (dyn RunDriver + Send),
    tasks: &Receiver<SessionTask>,
    tell: &Sender<SessionResult>,
) {
    while let Ok(task) = tasks.recv() {
        // A worker that ended without an answer would be waited for.
        let run = || driver.run(&task.run, task.attempt);
        let raw = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|_| Err(DriverError::Broken("the board's driver panicked".into())));
        if tell.send(SessionResult { board: board.to_owned(), task, raw }).is_err() {
            return;
        }
    }
}

/// The writer of a campaign on several boards: hands out runs, judges and stores sessions.
struct FleetWriter<'f> {
    order: &'f [PlannedRun],
    options: &'f RunOptions,
    when_lost: LostBoardPolicy,
    journal: Journal,
    /// Runs of each board, in order.
    queues: BTreeMap<String, Vec<PlannedRun>>,
    /// How many at the front of each queue are done.
    places: BTreeMap<String, usize>,
    /// Boards without a worker, with the error that lost them.
    lost: BTreeMap<String, Option<DriverError>>,
    /// Number of entries in a row that failed for good, by board.
    failures_in_a_row: BTreeMap<String, u32>,
    /// The repeats that may be made; all where the campaign does not go by rounds.
    round: u32,
    resumed: usize,
}

impl<'f> FleetWriter<'f> {
    fn new(
        order: &'f [PlannedRun],
        journal: Journal,
        options: &'f RunOptions,
        when_lost: LostBoardPolicy,
        boards: &[String],
    ) -> Result<Self, RunError> {
        let assigned = journal.assignment.as_ref().map(Assignment::boards).unwrap_or_default();
        if let Some(board) = boards.iter().find(|board| !assigned.contains(board)) {
            return Err(RunError::NotAssigned { board: board.clone(), boards: assigned });
        }
        let absent = assigned.into_iter().filter(|board| !boards.contains(board));
        let lost = absent.map(|board| (board, None)).collect();
        let (queues, places, failures_in_a_row) = Default::default();
        let by_rounds = order.is_sorted_by_key(|run| run.repeat);
        let mut fleet = Self {
            order,
            options,
            when_lost,
            journal,
            queues,
            places,
            lost,
            failures_in_a_row,
            round: if by_rounds { 1 } else { u32::MAX },
            resumed: 0,
        };
        fleet.move_runs()?;
        fleet.resumed = fleet.done();
        Ok(fleet)
    }

    fn assignment(&self) -> &Assignment {
        self.journal.assignment.as_ref().expect("it is made before anything else")
    }

    fn is_done(&self, run: &PlannedRun, board: &str) -> bool {
        let entry = RunEntry { run, board: Some(board) };
        entry.is_done(&self.journal, self.options.max_retries)
    }

    /// Moves the open runs of lost boards to the others, if the policy is to move, and makes the
    /// queues.
    fn move_runs(&mut self) -> Result<(), RunError> {
        let gone: Vec<String> = self.lost.keys().cloned().collect();
        if self.when_lost == LostBoardPolicy::Move && !gone.is_empty() {
            let done = |case: &str, board: &str| {
                let mut runs = self.wanted().filter(|run| run.case == case);
                runs.all(|run| self.is_done(run, board))
            };
            let moved = self.assignment().without_boards(&gone, done);
            if let Some(moved) = moved.filter(|moved| moved != self.assignment()) {
                self.journal.assign(moved)?;
            }
        }
        self.make_queues();
        Ok(())
    }

    /// The runs of the campaign, without those after an early end.
    fn wanted(&self) -> impl Iterator<Item = &PlannedRun> {
        let last = self.journal.stopped.as_ref().map_or(u32::MAX, |stopped| stopped.after);
        self.order.iter().filter(move |run| run.repeat <= last)
    }

    fn make_queues(&mut self) {
        let (assignment, wanted) = (self.assignment(), self.wanted().cloned().collect::<Vec<_>>());
        let queue = |board: String| (board.clone(), assignment.queue(&wanted, &board));
        self.queues = assignment.boards().into_iter().map(queue).collect();
        self.places.clear();
    }

    /// Begins the next round if all boards have ended this one and `enough` gives no reason to
    /// stop; else ends the campaign. A lost board that keeps its runs keeps the round open.
    fn end_rounds(&mut self, enough: &mut RepeatCheck<'_>) -> Result<(), RunError> {
        loop {
            let is_open = |(board, run): &(&str, &PlannedRun)| !self.is_done(run, board);
            let next = self.entries().filter(is_open).map(|(_, run)| run.repeat).min();
            let Some(next) = next.filter(|next| *next > self.round) else { return Ok(()) };
            let past = |record: &&RunRecord| record.run.repeat <= self.round;
            let past: Vec<RunRecord> = self.journal.records.iter().filter(past).cloned().collect();
            let run = format!("(the last of round {})", self.round);
            match enough(&past).map_err(|source| RunError::Driver { run, source })? {
                None => self.round = next,
                Some(reason) => {
                    let saved = self.entries().filter(|(_, run)| run.repeat > self.round).count();
                    self.journal.stop(EarlyStop { after: self.round, saved, reason })?;
                    self.make_queues();
                    return Ok(());
                }
            }
        }
    }

    /// The next open run of a board.
    fn next(&mut self, board: &str) -> Option<SessionTask> {
        if self.lost.contains_key(board) {
            return None;
        }
        let mut place = self.places.get(board).copied().unwrap_or(0);
        let queue = self.queues.get(board)?;
        while queue.get(place).is_some_and(|run| self.is_done(run, board)) {
            place += 1;
        }
        self.places.insert(board.to_owned(), place);
        let run = self.queues[board].get(place).filter(|run| run.repeat <= self.round)?.clone();
        let attempt = RunEntry { run: &run, board: Some(board) }.attempts(&self.journal);
        Some(SessionTask { run, attempt })
    }

    /// Hands out runs to the workers and stores their results until no more can be made.
    fn run(
        &mut self,
        inboxes: &BTreeMap<String, Sender<SessionTask>>,
        answers: &Receiver<SessionResult>,
        enough: &mut RepeatCheck<'_>,
        progress: &mut dyn FnMut(&RunProgress<'_>),
    ) -> Result<(), RunError> {
        self.tell(progress, false);
        let mut idle: Vec<String> = inboxes.keys().cloned().collect();
        let (mut busy, mut broken) = (0, None);
        loop {
            if broken.is_none() {
                self.end_rounds(enough)?;
            }
            for board in std::mem::take(&mut idle) {
                let task = if broken.is_none() { self.next(&board) } else { None };
                match task.is_some_and(|task| inboxes[&board].send(task).is_ok()) {
                    true => busy += 1,
                    false => idle.push(board),
                }
            }
            if busy == 0 {
                return broken.map_or(Ok(()), Err);
            }
            let Ok(SessionResult { board, task, raw }) = answers.recv() else { return Ok(()) };
            busy -= 1;
            idle.push(board.clone());
            match raw {
                Ok(raw) => self.store_session(&board, &task, raw, progress)?,
                Err(error @ DriverError::BoardLost(_)) => {
                    self.lost.insert(board, Some(error));
                    self.move_runs()?;
                }
                // The others' sessions are brought home first.
                Err(source) => {
                    broken = Some(RunError::Driver { run: task.run.id(), source });
                }
            }
        }
    }

    /// Stores a session in folder and journal; a board with too many failures in a row counts as
    /// lost.
    fn store_session(
        &mut self,
        board: &str,
        task: &SessionTask,
        raw: RawRun,
        progress: &mut dyn FnMut(&RunProgress<'_>),
    ) -> Result<(), RunError> {
        let entry = RunEntry { run: &task.run, board: Some(board) };
        entry.store_session(task.attempt, raw, self.options, &mut self.journal)?;
        self.tell(progress, true);
        if !entry.is_done(&self.journal, self.options.max_retries) {
            return Ok(());
        }
        let count = self.failures_in_a_row.entry(board.to_owned()).or_default();
        let Some(reasons) = entry.last_reasons(&self.journal) else {
            *count = 0;
            return Ok(());
        };
        *count += 1;
        if *count == FAILURES_IN_A_ROW_MAX {
            let run = task.run.id();
            let error = RunError::TooManyFailures { count: FAILURES_IN_A_ROW_MAX, run, reasons };
            self.lost.insert(board.to_owned(), Some(DriverError::BoardLost(Box::new(error))));
            self.move_runs()?;
        }
        Ok(())
    }

    fn entries(&self) -> impl Iterator<Item = (&str, &PlannedRun)> {
        let queues = self.queues.iter();
        queues.flat_map(|(board, runs)| runs.iter().map(move |run| (board.as_str(), run)))
    }

    fn done(&self) -> usize {
        self.entries().filter(|(board, run)| self.is_done(run, board)).count()
    }

    fn tell(&self, progress: &mut dyn FnMut(&RunProgress<'_>), is_new: bool) {
        let record = self.journal.records.last().filter(|_| is_new);
        progress(&RunProgress { done: self.done(), total: self.entries().count(), record });
    }

    /// The campaign's summary; an error if runs are open.
    fn end(mut self) -> Result<CampaignOutcome, RunError> {
        let mut open: BTreeMap<String, usize> = BTreeMap::new();
        let mut given_up = Vec::new();
        for (board, run) in self.entries() {
            let entry = RunEntry { run, board: Some(board) };
            if !self.is_done(run, board) {
                *open.entry(board.to_owned()).or_default() += 1;
            } else if let Some(reasons) = entry.last_reasons(&self.journal) {
                given_up.push((run.clone(), format!("on {board}: {reasons}")));
            }
        }
        if open.is_empty() {
            let (records, stopped) = self.journal.into_records();
            return Ok(CampaignOutcome { records, given_up, resumed: self.resumed, stopped });
        }
        let why = |board: &String| match self.lost.get(board) {
            Some(Some(_)) => "lost",
            _ => "not there",
        };
        let boards = open
            .iter()
            .map(|(board, runs)| format!("{runs} of {board} ({})", why(board)))
            .collect();
        let source = open.keys().find_map(|board| self.lost.remove(board).flatten());
        Err(RunError::Open { open: open.values().sum(), boards, source })
    }
}

#[cfg(test)]
#[path = "fleet_tests.rs"]
mod tests;
