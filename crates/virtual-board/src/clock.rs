//! The board's clock. It stands still while anything on the board computes, and
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
use super::processes::{BoardProcesses, Scene};

/// Whoever sleeps until then or so long (146 years of nanoseconds) sleeps for ever, as an
/// application that hangs does: the clock does not go there.
pub(super) const FOR_EVER: u64 = u64::MAX / 4;

/// Who sleeps: decides the order among sleepers of the same instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sleeper {
    /// An application, by its process number.
    Application(u32),
    /// A command that sleeps for a shell: when the shell was started (in the host's ticks;
    /// process numbers begin anew at some point), its process number, then its own.
    Command { started: u64, shell: u32, pid: u32 },
    /// The end of a recording of samples, by the process number of its command.
    Recording(u32),
}

/// The board is gone, broken, or the sleeper was told not to wait any longer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Interrupted;

/// The clock.
pub(super) struct BoardClock {
    state: Mutex<ClockState>,
    changed: Condvar,
}

#[derive(Default)]
struct ClockState {
    now_ns: u64,
    /// Who sleeps until when; the sender wakes.
    sleepers: BTreeMap<(u64, Sleeper), Sender<()>>,
    /// How many keep the clock standing: they compute.
    holds: usize,
    /// How many hosts wait for what they started.
    waiting_hosts: usize,
    /// The shells of hosts.
    shells: BTreeSet<u32>,
    /// Pipes into those shells.
    host_pipes: BTreeSet<u64>,
    /// Commands that wait for something on the board, like a log line.
    parked: BTreeSet<u32>,
    /// Those that are not allowed to sleep: they are being ended.
    awake: BTreeSet<Sleeper>,
    /// Shells whose commands have slept.
    callers: Vec<u32>,
    /// While a host's command runs beside the session: shells that were started from then on
    /// (in the host's ticks) are the command's.
    beside_since: Option<u64>,
    /// Counts what may have changed who computes.
    changes: u64,
    /// Counts what may have made a shell's process run.
    shell_changes: u64,
    stopped: bool,
}

/// Keeps the clock standing until it is dropped.
pub(super) struct Hold(Arc<BoardClock>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.change(|state| state.holds -= 1);
    }
}

impl BoardClock {
    /// A clock that stands at a time since boot.
    pub(super) fn new(now_ns: u64) -> Arc<Self> {
        let state = ClockState { now_ns, ..ClockState::default() };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Nanoseconds since boot.
    pub(super) fn now_ns(&self) -> u64 {
        self.lock().now_ns
    }

    /// Keeps the clock standing.
    pub(super) fn hold(self: &Arc<Self>) -> Hold {
        self.change(|state| state.holds += 1);
        Hold(self.clone())
    }

    /// A host's shell runs from now on; its input pipe is fed by the host.
    pub(super) fn shell_started(&self, pid: u32, pipe: u64) {
        self.change(|state| {
            state.shell_changes += 1;
            state.waiting_hosts += 1;
            state.shells.insert(pid);
            state.host_pipes.insert(pipe);
        });
    }

    /// A host no longer waits for what its shell started.
    pub(super) fn host_satisfied(&self) {
        self.change(|state| state.waiting_hosts -= 1);
    }

    /// A host's shell has ended; what it left in the background may not have.
    pub(super) fn shell_ended(&self, pid: u32, pipe: u64) {
        self.change(|state| {
            state.shell_changes += 1;
            state.shells.remove(&pid);
            state.host_pipes.remove(&pipe);
        });
    }

    /// Sends what makes shells run that wait, such as a signal.
    pub(super) fn rouse_shells(self: &Arc<Self>, send: impl FnOnce()) {
        let _hold = self.hold();
        send();
        self.change(|state| state.shell_changes += 1);
    }

    /// A command waits for something else than time, or does so no longer.
    pub(super) fn park(&self, pid: u32, parked: bool) {
        self.change(|state| {
            state.shell_changes += 1;
            if parked {
                state.parked.insert(pid);
            } else {
                state.parked.remove(&pid);
            }
        });
    }

    /// A command sleeps; returns when the clock is there.
    pub(super) fn sleep(&self, duration_ns: u64, sleeper: Sleeper) -> Result<(), Interrupted> {
        let woken = {
            let mut state = self.lock();
            if let Sleeper::Command { shell, .. } = sleeper {
                state.callers.push(shell);
                state.shell_changes += 1;
            }
            let until = state.now_ns.saturating_add(duration_ns);
            self.enqueue(&mut state, until, sleeper)
        };
        woken.recv().map_err(|_| Interrupted)
    }

    /// One that holds the clock sleeps; it holds the clock again when it is woken.
    pub(super) fn sleep_held(
        &self,
        _hold: &Hold,
        duration_ns: u64,
        sleeper: Sleeper,
    ) -> Result<(), Interrupted> {
        let woken = {
            let mut state = self.lock();
            let until = state.now_ns.saturating_add(duration_ns);
            state.holds -= 1;
            self.enqueue(&mut state, until, sleeper)
        };
        woken.recv().map_err(|_| {
            // Nobody woke it, so it takes its hold back itself.
            self.change(|state| state.holds += 1);
            Interrupted
        })
    }

    /// Ends the sleep of a sleeper, wherever the clock is; it can't sleep until it is
    /// allowed again.
    pub(super) fn interrupt(&self, sleeper: Sleeper) {
        self.change(|state| {
            state.sleepers.retain(|(_, other), _| *other != sleeper);
            state.awake.insert(sleeper);
        });
    }

    /// Allows an interrupted sleeper to sleep again.
    pub(super) fn allow(&self, sleeper: Sleeper) {
        self.lock().awake.remove(&sleeper);
    }

    /// Wakes a sleeper before its time: now, or at a later time that is given.
    pub(super) fn hasten(&self, sleeper: Sleeper, at_ns: u64) {
        self.change(|state| {
            let found = state.sleepers.keys().find(|(_, other)| *other == sleeper).copied();
            if let Some(key) = found
                && let Some(wake) = state.sleepers.remove(&key)
            {
                let until = key.0.min(at_ns.max(state.now_ns));
                state.sleepers.insert((until, sleeper), wake);
            }
        });
    }

    /// A host's command runs beside the session, whose shells are those that are started from
    /// a time on (in the host's ticks), or runs no more.
    pub(super) fn runs_beside(&self, since: Option<u64>) {
        self.change(|state| state.beside_since = since);
    }

    /// Sets the clock, as a restart of the board does. Sleepers keep the time they
    /// still have to sleep.
    pub(super) fn reset(&self, now_ns: u64) {
        self.change(|state| {
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
        self.change(|state| {
            state.stopped = true;
            state.sleepers.clear();
        });
    }

    /// Whether the clock was stopped.
    pub(super) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Moves the clock until it is stopped. `moved` is told each new time before the
    /// sleeper is woken; `woken` is called after it, before the clock moves again, and may
    /// wait for sleepers to end; `stuck` is called when sleepers have waited for `patience`
    /// of real time and the clock could not move.
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
            if !view.held && (known_quiet || processes.all_wait(&view.scene())) {
                if !known_quiet && self.drop_dead(&view) {
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
                self.pause(view.changes, tries);
                tries += 1;
            }
        }
    }

    /// Waits until somebody sleeps and somebody wants time to pass.
    fn wait_for_sleepers(&self) -> Option<ClockView> {
        let idle = |state: &mut ClockState| !state.stopped && !state.wants_time();
        let state = self.changed.wait_while(self.lock(), idle);
        let mut state = state.unwrap_or_else(|poisoned| poisoned.into_inner());
        (!state.stopped).then(|| ClockView::of(&mut state))
    }

    /// Removes the sleepers whose command was killed; whether there were any.
    fn drop_dead(&self, view: &ClockView) -> bool {
        let dead = |pid: &&u32| !proc_state::lives(**pid);
        let dead: BTreeSet<u32> = view.asleep.iter().filter(dead).copied().collect();
        if !dead.is_empty() {
            self.change(|state| {
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

    /// Takes the earliest sleeper and sets the clock, unless something has changed.
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

    fn wake(&self, (sleeper, wake): &(Sleeper, Sender<()>)) {
        let delivered = wake.send(()).is_ok();
        // Who was woken holds the clock while it computes; a command is seen to.
        if !delivered || matches!(sleeper, Sleeper::Command { .. }) {
            self.lock().holds -= 1;
        }
    }

    /// A short rest before the next look, longer the more looks there were.
    fn pause(&self, changes: u64, tries: u32) {
        let rest = Duration::from_micros(50 << tries.min(6));
        let unchanged = |state: &mut ClockState| state.changes == changes && !state.stopped;
        drop(self.changed.wait_timeout_while(self.lock(), rest, unchanged));
    }

    fn enqueue(&self, state: &mut ClockState, until: u64, sleeper: Sleeper) -> Receiver<()> {
        let (wake, woken) = channel();
        if !state.stopped && !state.awake.contains(&sleeper) {
            state.sleepers.insert((until, sleeper), wake);
        }
        state.changes += 1;
        self.changed.notify_all();
        woken
    }

    fn change(&self, act: impl FnOnce(&mut ClockState)) {
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
    /// Whether a host's command runs beside the session, and waits for nothing on the board.
    fn waits_for_host(&self) -> bool {
        let is_its = |(_, who): &(u64, Sleeper), since: u64| match who {
            Sleeper::Command { started, .. } => *started >= since,
            Sleeper::Application(_) | Sleeper::Recording(_) => false,
        };
        self.beside_since.is_some_and(|since| !self.sleepers.keys().any(|key| is_its(key, since)))
    }

    fn wants_time(&self) -> bool {
        let application = |(_, who): &(u64, Sleeper)| matches!(who, Sleeper::Application(_));
        let foreground =
            self.holds > 0 || self.waiting_hosts > 0 || self.sleepers.keys().any(application);
        let is_woken = |(until, _): &(u64, Sleeper)| *until < FOR_EVER;
        self.sleepers.keys().any(is_woken) && foreground
    }
}

/// What the clock's thread looks at outside the lock.
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
    fn of(state: &mut ClockState) -> Self {
        let commands = state.sleepers.keys().filter_map(|(_, who)| match who {
            Sleeper::Command { pid, .. } => Some(*pid),
            Sleeper::Application(_) | Sleeper::Recording(_) => None,
        });
        let waits_for_host = state.waits_for_host();
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

    fn scene(&self) -> Scene<'_> {
        Scene { shells: &self.shells, asleep: &self.asleep, host_pipes: &self.host_pipes }
    }
}

#[cfg(test)]
mod tests;
