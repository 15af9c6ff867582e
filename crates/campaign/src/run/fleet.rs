//! A campaign spread over several boards: one worker per board makes its sessions, one
//! writer judges them and keeps the journal. Which board measures which case stands in the
//! journal, so that a campaign that is resumed gives the data set of an undisturbed
//! one: each board makes its own runs in its own order, whatever the others do.
//!
//! A board that is lost does not stop the others. Its runs stay open until it is back, or
//! ([`WhenLost::Move`]) what it has not done goes to the others, case by case: a case's
//! power and idle runs lie on one board.
//!
//! In a campaign that goes by rounds of repeats, no board begins a round before all have ended
//! the one before: then it is asked whether that was enough.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::campaign::{Assignment, PlannedRun};

use super::campaign::{Enough, HOPELESS, RunDriver, RunProgress, RunSummary, open};
use super::entry::RunEntry;
use super::error::{DriverError, RunError};
use super::journal::{Journal, Stopped};
use super::options::RunOptions;
use super::record::{RawRun, RunRecord};

/// A board with its driver.
pub struct Member<'d> {
    /// Its serial, as its records have it.
    pub board: String,
    /// Makes its sessions.
    pub driver: &'d mut (dyn RunDriver + Send),
}

/// What becomes of the runs of a board that is lost, or was not named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenLost {
    /// They stay open until it is back.
    KeepOpen,
    /// The other boards make them.
    Move,
}

/// A session to be made.
struct SessionTask {
    run: PlannedRun,
    attempt: u32,
}

/// What became of it.
struct SessionResult {
    board: String,
    task: SessionTask,
    raw: Result<RawRun, DriverError>,
}

/// Makes the runs of `order` that the journal does not have, all boards at the same time,
/// until a round of repeats was enough. `fresh` says which board measures what in a new
/// campaign; one that is resumed has its own assignment.
///
/// # Errors
/// Those of a campaign on one board, but for a lost board: when the others are done,
/// [`RunError::Open`] tells what it left.
pub fn run_fleet(
    order: &[PlannedRun],
    fresh: Assignment,
    members: Vec<Member<'_>>,
    options: &RunOptions,
    when_lost: WhenLost,
    enough: &mut Enough<'_>,
    progress: &mut dyn FnMut(&RunProgress<'_>),
) -> Result<RunSummary, RunError> {
    let mut journal = open(options)?;
    if journal.assignment.is_none() {
        journal.assign(fresh)?;
    }
    let boards: Vec<String> = members.iter().map(|member| member.board.clone()).collect();
    let mut fleet = Fleet::new(order, journal, options, when_lost, &boards)?;
    thread::scope(|scope| {
        let (tell, answers) = channel();
        let mut inboxes = BTreeMap::new();
        for Member { board, driver } in members {
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

/// A worker: makes the sessions it is given until there are no more.
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

/// The writer's side.
struct Fleet<'f> {
    order: &'f [PlannedRun],
    options: &'f RunOptions,
    when_lost: WhenLost,
    journal: Journal,
    /// Runs of each board, in order.
    queues: BTreeMap<String, Vec<PlannedRun>>,
    /// How many at the front of each queue are done.
    places: BTreeMap<String, usize>,
    /// Boards without a worker, and why.
    lost: BTreeMap<String, Option<DriverError>>,
    /// Entries in a row that a board gave up.
    hopeless: BTreeMap<String, u32>,
    /// The repeats that may be made; all where the campaign does not go by rounds.
    round: u32,
    resumed: usize,
}

impl<'f> Fleet<'f> {
    fn new(
        order: &'f [PlannedRun],
        journal: Journal,
        options: &'f RunOptions,
        when_lost: WhenLost,
        boards: &[String],
    ) -> Result<Self, RunError> {
        let assigned = journal.assignment.as_ref().map(Assignment::boards).unwrap_or_default();
        if let Some(board) = boards.iter().find(|board| !assigned.contains(board)) {
            return Err(RunError::NotAssigned { board: board.clone(), boards: assigned });
        }
        let absent = assigned.into_iter().filter(|board| !boards.contains(board));
        let lost = absent.map(|board| (board, None)).collect();
        let (queues, places, hopeless) = Default::default();
        let by_rounds = order.is_sorted_by_key(|run| run.repeat);
        let mut fleet = Self {
            order,
            options,
            when_lost,
            journal,
            queues,
            places,
            lost,
            hopeless,
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

    /// Takes from lost boards what they have not done, if that is wanted, and makes the
    /// queues.
    fn move_runs(&mut self) -> Result<(), RunError> {
        let gone: Vec<String> = self.lost.keys().cloned().collect();
        if self.when_lost == WhenLost::Move && !gone.is_empty() {
            let done = |case: &str, board: &str| {
                let mut runs = self.wanted().filter(|run| run.case == case);
                runs.all(|run| self.is_done(run, board))
            };
            let moved = self.assignment().without(&gone, done);
            if let Some(moved) = moved.filter(|moved| moved != self.assignment()) {
                self.journal.assign(moved)?;
            }
        }
        self.make_queues();
        Ok(())
    }

    /// The runs of the campaign, without those of rounds that it ended before.
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

    /// Goes on to the next round when all boards have ended this one, or ends the campaign
    /// with it. A board that is lost and keeps its runs keeps the round open.
    fn end_rounds(&mut self, enough: &mut Enough<'_>) -> Result<(), RunError> {
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
                    self.journal.stop(Stopped { after: self.round, saved, reason })?;
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

    /// Hands out runs and keeps what comes back until nothing can be made any more.
    fn run(
        &mut self,
        inboxes: &BTreeMap<String, Sender<SessionTask>>,
        answers: &Receiver<SessionResult>,
        enough: &mut Enough<'_>,
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
                Ok(raw) => self.keep(&board, &task, raw, progress)?,
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

    /// Puts a session into folder and journal; a board on which nothing works is lost.
    fn keep(
        &mut self,
        board: &str,
        task: &SessionTask,
        raw: RawRun,
        progress: &mut dyn FnMut(&RunProgress<'_>),
    ) -> Result<(), RunError> {
        let entry = RunEntry { run: &task.run, board: Some(board) };
        entry.keep(task.attempt, raw, self.options, &mut self.journal)?;
        self.tell(progress, true);
        if !entry.is_done(&self.journal, self.options.max_retries) {
            return Ok(());
        }
        let count = self.hopeless.entry(board.to_owned()).or_default();
        let Some(reasons) = entry.last_reasons(&self.journal) else {
            *count = 0;
            return Ok(());
        };
        *count += 1;
        if *count == HOPELESS {
            let run = task.run.id();
            let hopeless = RunError::Hopeless { count: HOPELESS, run, reasons };
            self.lost.insert(board.to_owned(), Some(DriverError::BoardLost(Box::new(hopeless))));
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

    /// What there is in the end; an error when runs are open.
    fn end(mut self) -> Result<RunSummary, RunError> {
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
            let (records, stopped) = self.journal.into_read();
            return Ok(RunSummary { records, given_up, resumed: self.resumed, stopped });
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
