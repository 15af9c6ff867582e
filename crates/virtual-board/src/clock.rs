//! Virtual clock of the board. It stands still while anything on the board computes, and
//! jumps to the earliest wake-up when everything waits. So what happens on the board
//! depends on its own events, never on the host's speed. One sleeper is woken at a
//! time, and the next only when all wait again; at the same instant the application
//! goes first, then shells in the order in which they were started.
//!
//! Times are nanoseconds since the board's boot. Time passes only for somebody: when
//! no host waits for a shell and no application is left, background sleepers stay
//! asleep.
//!
//! Beside a session a host may run a command of its own, whose time is not the board's: the
//! clock stands meanwhile, but for what the command has a shell of its own wait for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::proc_state;
use super::processes::{BoardProcesses, ProcessCheckInput};

/// Duration or time (146 years of nanoseconds) that means for ever, as of a hanging application:
/// the clock does not advance to it.
pub(super) const FOR_EVER: u64 = u64::MAX / 4;

/// Kind and process number of a sleeper, which order sleepers of the same instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sleeper {
    /// Application, by its process number.
    Application(u32),
    /// Command that sleeps for a shell: start of the shell (in the host's ticks, since process
    /// numbers are reused), its process number, then the command's own.
    Command { started: u64, shell: u32, pid: u32 },
    /// End of a recording of samples, by the process number of its command.
    Recording(u32),
}

/// Error of a sleep that was cut off: the board has ended, or the sleeper is being ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SleepInterrupted;

/// Virtual clock of the board.
pub(super) struct BoardClock {
    state: Mutex<ClockState>,
    changed: Condvar,
}

/// Time, sleepers, holds and shells of the clock, under its lock.
#[derive(Default)]
struct ClockState {
    now_ns: u64,
    /// Sleepers by their wake-up time, each with the channel that wakes it.
    sleepers: BTreeMap<(u64, Sleeper), Sender<()>>,
    /// Number of holds that keep the clock standing while something computes.
    holds: usize,
    /// Number of hosts that wait for a shell.
    waiting_hosts: usize,
    /// Process numbers of hosts' shells.
    shells: BTreeSet<u32>,
    /// Inodes of the input pipes of those shells.
    host_pipes: BTreeSet<u64>,
    /// Process numbers of commands that wait for something on the board, like a log line.
    parked: BTreeSet<u32>,
    /// Sleepers that must not sleep, since they are being ended.
    awake: BTreeSet<Sleeper>,
    /// Shells whose commands have slept since the last view.
    callers: Vec<u32>,
    /// Start time in the host's ticks of the shells of a host's command that runs beside the
    /// session, while it runs.
    beside_since: Option<u64>,
    /// Counter of changes that may affect which processes compute.
    changes: u64,
    /// Counter of changes that may have made a shell's process run.
    shell_changes: u64,
    stopped: bool,
}

/// Guard that keeps the clock standing until it is dropped.
pub(super) struct ClockHold(Arc<BoardClock>);

impl Drop for ClockHold {
    fn drop(&mut self) {
        self.0.update_state(|state| state.holds -= 1);
    }
}

impl BoardClock {
    /// Stopped clock at a time since boot, in nanoseconds.
    pub(super) fn new(now_ns: u64) -> Arc<Self> {
        let state = ClockState { now_ns, ..ClockState::default() };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Nanoseconds since boot.
    pub(super) fn now_ns(&self) -> u64 {
        self.lock().now_ns
    }

    /// Keeps the clock standing until the returned guard is dropped.
    pub(super) fn hold(self: &Arc<Self>) -> ClockHold {
        self.update_state(|state| state.holds += 1);
        ClockHold(self.clone())
    }

    /// Adds a running shell of a host, with the inode of its input pipe.
    pub(super) fn add_shell(&self, pid: u32, pipe: u64) {
        self.update_state(|state| {
            state.shell_changes += 1;
            state.waiting_hosts += 1;
            state.shells.insert(pid);
            state.host_pipes.insert(pipe);
        });
    }

    /// Notes that a host no longer waits for its shell.
    pub(super) fn end_host_wait(&self) {
        self.update_state(|state| state.waiting_hosts -= 1);
    }

    /// Removes an ended shell of a host; its background processes may live on.
    pub(super) fn remove_shell(&self, pid: u32, pipe: u64) {
        self.update_state(|state| {
            state.shell_changes += 1;
            state.shells.remove(&pid);
            state.host_pipes.remove(&pipe);
        });
    }

    /// Calls `send`, which makes waiting shells run (a signal), while the clock stands.
    pub(super) fn rouse_shells(self: &Arc<Self>, send: impl FnOnce()) {
        let _hold = self.hold();
        send();
        self.update_state(|state| state.shell_changes += 1);
    }

    /// Notes that a command begins or ends to wait for something else than time.
    pub(super) fn set_parked(&self, pid: u32, parked: bool) {
        self.update_state(|state| {
            state.shell_changes += 1;
            if parked {
                state.parked.insert(pid);
            } else {
                state.parked.remove(&pid);
            }
        });
    }

    /// Sleeps without a hold on the clock; returns when the clock has reached the end.
    pub(super) fn sleep(&self, duration_ns: u64, sleeper: Sleeper) -> Result<(), SleepInterrupted> {
        let woken = {
            let mut state = self.lock();
            if let Sleeper::Command { shell, .. } = sleeper {
                state.callers.push(shell);
                state.shell_changes += 1;
            }
            let until = state.now_ns.saturating_add(duration_ns);
            self.enqueue(&mut state, until, sleeper)
        };
        woken.recv().map_err(|_| SleepInterrupted)
    }

    /// Sleeps without the caller's hold on the clock, which it has again when it is woken.
    pub(super) fn sleep_releasing_hold(
        &self,
        _hold: &ClockHold,
        duration_ns: u64,
        sleeper: Sleeper,
    ) -> Result<(), SleepInterrupted> {
        let woken = {
            let mut state = self.lock();
            let until = state.now_ns.saturating_add(duration_ns);
            state.holds -= 1;
            self.enqueue(&mut state, until, sleeper)
        };
        woken.recv().map_err(|_| {
            // Nobody woke it, so it takes its hold back itself.
            self.update_state(|state| state.holds += 1);
            SleepInterrupted
        })
    }

    /// Ends the sleep of a sleeper, whatever the time; it cannot sleep again until it is
    /// [allowed](Self::allow).
    pub(super) fn interrupt(&self, sleeper: Sleeper) {
        self.update_state(|state| {
            state.sleepers.retain(|(_, other), _| *other != sleeper);
            state.awake.insert(sleeper);
        });
    }

    /// Allows an interrupted sleeper to sleep again.
    pub(super) fn allow(&self, sleeper: Sleeper) {
        self.lock().awake.remove(&sleeper);
    }

    /// Wakes a sleeper before its time: now, or at `at_ns` if that is later.
    pub(super) fn wake_earlier(&self, sleeper: Sleeper, at_ns: u64) {
        self.update_state(|state| {
            let found = state.sleepers.keys().find(|(_, other)| *other == sleeper).copied();
            if let Some(key) = found
                && let Some(wake) = state.sleepers.remove(&key)
            {
                let until = key.0.min(at_ns.max(state.now_ns));
                state.sleepers.insert((until, sleeper), wake);
            }
        });
    }

    /// Notes that a host's command runs beside the session, with shells that start from `since` on
    /// (in the host's ticks); `None`: no longer.
    pub(super) fn set_beside_since(&self, since: Option<u64>) {
        self.update_state(|state| state.beside_since = since);
    }

    /// Sets the clock, as a restart of the board does. Sleepers keep the time they still have to
    /// sleep.
    pub(super) fn reset(&self, now_ns: u64) {
        self.update_state(|state| {
            let was = state.now_ns;
            state.beside_since = None;
            let sleepers = std::mem::take(&mut state.sleepers);
            state.sleepers = sleepers
                .into_iter()
                .map(|((until, who), wake)| {
                    ((until.saturating_sub(was).saturating_add(now_ns), who), wake)
                })
                .collect();
            state.now_ns = now_ns;
        });
    }

    /// Stops the clock for ever: sleepers are interrupted, [`BoardClock::run`] returns.
    pub(super) fn stop(&self) {
        self.update_state(|state| {
            state.stopped = true;
            state.sleepers.clear();
        });
    }

    /// Whether the clock was stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Moves the clock until it is stopped. It calls `moved` with each new time before the sleeper
    /// is woken; `woken` after it, before the clock moves again, which may wait for sleepers to
    /// end; `stuck` with the living processes when sleepers have waited for `patience` of real time
    /// and the clock could not move.
    pub(super) fn run(
        &self,
        patience: Duration,
        moved: impl Fn(u64),
        woken: impl Fn(),
        stuck: impl Fn(BTreeSet<u32>),
    ) {
        let mut processes = BoardProcesses::default();
        let mut since = (Instant::now(), 0);
        let mut tries = 0;
        // Shells that waited still do when only an application was woken since.
        let mut quiet = None;
        while let Some(view) = self.wait_for_sleepers() {
            if since.1 != view.changes || view.waits_for_host {
                since = (Instant::now(), view.changes);
                tries = 0;
            }
            view.callers.iter().for_each(|pid| processes.remember(*pid));
            let known_quiet = quiet == Some(view.shell_changes);
            if !view.held && (known_quiet || processes.are_all_waiting(&view.check_input())) {
                if !known_quiet && self.remove_dead_sleepers(&view) {
                    continue;
                }
                quiet = Some(view.shell_changes);
                if let Some((now, wake)) = self.advance(view.changes) {
                    moved(now);
                    self.wake(&wake);
                    woken();
                }
            } else if since.0.elapsed() > patience {
                stuck(processes.living(&view.shells));
                since.0 = Instant::now();
            } else {
                self.rest_before_check(view.changes, tries);
                tries += 1;
            }
        }
    }

    /// Waits until there are sleepers and a host or application wants time to pass; `None` once the
    /// clock is stopped.
    fn wait_for_sleepers(&self) -> Option<ClockView> {
        let idle = |state: &mut ClockState| !state.stopped && !state.may_pass();
        let state = self.changed.wait_while(self.lock(), idle);
        let mut state = state.unwrap_or_else(|poisoned| poisoned.into_inner());
        (!state.stopped).then(|| ClockView::of(&mut state))
    }

    /// Removes the sleepers whose command was killed; false if there were none.
    fn remove_dead_sleepers(&self, view: &ClockView) -> bool {
        let dead = |pid: &&u32| !proc_state::is_alive(**pid);
        let dead: BTreeSet<u32> = view.asleep.iter().filter(dead).copied().collect();
        if !dead.is_empty() {
            self.update_state(|state| {
                state.shell_changes += 1;
                state.parked.retain(|pid| !dead.contains(pid));
                state.sleepers.retain(|(_, who), _| match who {
                    Sleeper::Command { pid, .. } => !dead.contains(pid),
                    Sleeper::Application(_) | Sleeper::Recording(_) => true,
                });
            });
        }
        !dead.is_empty()
    }

    /// Takes the earliest sleeper and sets the clock to its time, unless something has changed
    /// since `changes`.
    fn advance(&self, changes: u64) -> Option<(u64, (Sleeper, Sender<()>))> {
        let mut state = self.lock();
        if state.changes != changes {
            return None;
        }
        let ((until, sleeper), wake) = state.sleepers.pop_first()?;
        state.now_ns = state.now_ns.max(until);
        // Stands for the sleeper until it is awake.
        state.holds += 1;
        state.changes += 1;
        if matches!(sleeper, Sleeper::Command { .. }) {
            state.shell_changes += 1;
        }
        Some((state.now_ns, (sleeper, wake)))
    }

    /// Wakes a sleeper, which holds the clock from then on; a command does not.
    fn wake(&self, (sleeper, wake): &(Sleeper, Sender<()>)) {
        let delivered = wake.send(()).is_ok();
        // Who was woken holds the clock while it computes; a command is seen to.
        if !delivered || matches!(sleeper, Sleeper::Command { .. }) {
            self.lock().holds -= 1;
        }
    }

    /// Rests before the next check of the processes, longer after more checks.
    fn rest_before_check(&self, changes: u64, tries: u32) {
        let rest = Duration::from_micros(50 << tries.min(6));
        let unchanged = |state: &mut ClockState| state.changes == changes && !state.stopped;
        drop(self.changed.wait_timeout_while(self.lock(), rest, unchanged));
    }

    /// Adds a sleeper and returns the channel that wakes it; dead at once where it must not sleep.
    fn enqueue(&self, state: &mut ClockState, until: u64, sleeper: Sleeper) -> Receiver<()> {
        let (wake, woken) = channel();
        if !state.stopped && !state.awake.contains(&sleeper) {
            state.sleepers.insert((until, sleeper), wake);
        }
        state.changes += 1;
        self.changed.notify_all();
        woken
    }

    /// Changes the state, counts the change and wakes the clock's thread.
    fn update_state(&self, act: impl FnOnce(&mut ClockState)) {
        let mut state = self.lock();
        act(&mut state);
        state.changes += 1;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, ClockState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl ClockState {
    /// Whether a host's command runs beside the session and waits for nothing on the board.
    fn is_waiting_for_host(&self) -> bool {
        let is_its = |(_, who): &(u64, Sleeper), since: u64| match who {
            Sleeper::Command { started, .. } => *started >= since,
            Sleeper::Application(_) | Sleeper::Recording(_) => false,
        };
        self.beside_since.is_some_and(|since| !self.sleepers.keys().any(|key| is_its(key, since)))
    }

    /// Whether time may pass: there are sleepers, and a host or application that waits for them.
    fn may_pass(&self) -> bool {
        let application = |(_, who): &(u64, Sleeper)| matches!(who, Sleeper::Application(_));
        let foreground =
            self.holds > 0 || self.waiting_hosts > 0 || self.sleepers.keys().any(application);
        let is_woken = |(until, _): &(u64, Sleeper)| *until < FOR_EVER;
        self.sleepers.keys().any(is_woken) && foreground
    }
}

/// Copy of the clock's state for checks outside the lock.
struct ClockView {
    changes: u64,
    shell_changes: u64,
    held: bool,
    waits_for_host: bool,
    shells: BTreeSet<u32>,
    asleep: BTreeSet<u32>,
    host_pipes: BTreeSet<u64>,
    callers: Vec<u32>,
}

impl ClockView {
    /// Copies the state and takes its callers.
    fn of(state: &mut ClockState) -> Self {
        let commands = state.sleepers.keys().filter_map(|(_, who)| match who {
            Sleeper::Command { pid, .. } => Some(*pid),
            Sleeper::Application(_) | Sleeper::Recording(_) => None,
        });
        let waits_for_host = state.is_waiting_for_host();
        Self {
            changes: state.changes,
            shell_changes: state.shell_changes,
            held: state.holds > 0 || waits_for_host,
            waits_for_host,
            asleep: commands.chain(state.parked.iter().copied()).collect(),
            shells: state.shells.clone(),
            host_pipes: state.host_pipes.clone(),
            callers: std::mem::take(&mut state.callers),
        }
    }

    /// Shells, waiting processes and host pipes for checking the processes.
    fn check_input(&self) -> ProcessCheckInput<'_> {
        ProcessCheckInput {
            shells: &self.shells,
            asleep: &self.asleep,
            host_pipes: &self.host_pipes,
        }
    }
}

#[cfg(test)]
mod tests;
