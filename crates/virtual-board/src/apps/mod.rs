//! Applications: real JVM processes whose code is counted by the simulated energy model and whose
//! time is the board's. A process computes from its start until it asks the clock,
//! and again after each answer; the energy of what it executed since the last
//! question becomes busy time, and the answer comes when the clock is there.

mod launch;
mod link;
mod output;
mod process;
mod report;
mod start;
mod start_error;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use rustix::process::Signal;

use super::board_state::BoardState;
use super::sampler::Recordings;
use super::signals::signal_process;
use super::simulated_model::{AgentOptions, CostTable, SimulatedModelOptions};
pub(super) use launch::{AppStart, Extra, InstalledParts, LaunchEntryPoint, check_activity};
pub(super) use process::AppProcess;
pub(super) use start::start;
pub(super) use start_error::StartError;

/// What every application is started with.
pub(super) struct AppSettings {
    /// Cost file of the simulated energy model.
    pub costs: CostTable,
    /// Device level and multiplier.
    pub simulated_model: SimulatedModelOptions,
    /// How the agent is built.
    pub agent: AgentOptions,
    /// Where the ground truth goes, a folder per session.
    pub truth: Option<PathBuf>,
    /// Scratch space for counters and outputs.
    pub scratch: PathBuf,
}

/// The applications that run, in the order of their start.
pub(super) struct Apps {
    settings: AppSettings,
    board: Arc<BoardState>,
    recordings: Arc<Recordings>,
    running: Mutex<Vec<Arc<AppProcess>>>,
}

impl Apps {
    /// Their processes work with the board's state, and are sampled by its recordings.
    pub(super) fn new(
        settings: AppSettings,
        board: Arc<BoardState>,
        recordings: Arc<Recordings>,
    ) -> Self {
        Self { settings, board, recordings, running: Mutex::default() }
    }

    /// Scratch space, which shells can't reach.
    pub(super) fn scratch(&self) -> &Path {
        &self.settings.scratch
    }

    /// Process number and package of everything that runs.
    pub(super) fn running(&self) -> Vec<(u32, String)> {
        self.lock().iter().map(|process| (process.pid, process.package.clone())).collect()
    }

    pub(super) fn is_running(&self, package: &str) -> bool {
        self.lock().iter().any(|process| process.package == package)
    }

    /// Gives a line to the application started last; whether it has a window that takes it.
    pub(super) fn send_input(&self, line: &str) -> bool {
        let foreground = self.lock().last().cloned();
        foreground.is_some_and(|process| process.send_input(line))
    }

    /// Gives a line to the application of a package, as what is for its window.
    pub(super) fn send_to(&self, package: &str, line: &str) {
        let running = self.lock().clone();
        for process in running.iter().filter(|process| process.package == package) {
            process.send_input(line);
        }
    }

    /// Brings into the log what applications have printed.
    pub(super) fn read_outputs(&self) {
        let running = self.lock().clone();
        running.iter().for_each(|process| process.read_output());
    }

    /// Ends a package's processes and waits until they are gone.
    pub(super) fn stop(&self, package: &str) {
        let running = self.lock().clone();
        for process in running.iter().filter(|process| process.package == package) {
            process.stop();
        }
    }

    /// Ends all processes and waits until they are gone.
    pub(super) fn stop_all(&self) {
        let running = self.lock().clone();
        running.iter().for_each(|process| process.stop());
    }

    /// Sends a signal to all processes, which see to their ends themselves.
    pub(super) fn signal_all(&self, signal: Signal) {
        for process in self.lock().iter() {
            signal_process(process.pid, signal);
        }
    }

    /// No process gets an answer from the clock any more.
    pub(super) fn hang_all(&self) {
        self.lock().iter().for_each(|process| process.hang());
    }

    fn add(&self, process: Arc<AppProcess>) {
        self.lock().push(process);
    }

    fn remove(&self, pid: u32) {
        self.lock().retain(|process| process.pid != pid);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<AppProcess>>> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
