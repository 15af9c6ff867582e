//! Applications: real JVM processes whose code is counted by the simulated energy model and whose
//! time is the board's. A process computes from its start until it asks the clock,
//! and again after each answer; the energy of the code executed since the last
//! question becomes busy time, and the answer comes when that time has passed.

mod clock_link;
mod launch;
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
pub(super) use launch::{
    AppEntryPoint, AppStartRequest, InstalledParts, IntentExtra, check_activity,
};
pub(super) use process::AppProcess;
pub(super) use start::start;
pub(super) use start_error::AppStartError;

/// Settings with which every application starts.
pub(super) struct AppSettings {
    /// Costs of executed code.
    pub costs: CostTable,
    /// Family, device level and multiplier of the simulated energy model.
    pub simulated_model: SimulatedModelOptions,
    /// Options for building the agent.
    pub agent: AgentOptions,
    /// Folder for the ground truth, with a folder per session.
    pub truth: Option<PathBuf>,
    /// Folder for counters and outputs.
    pub scratch: PathBuf,
}

/// Running applications, in the order of their start.
pub(super) struct RunningApps {
    settings: AppSettings,
    board: Arc<BoardState>,
    recordings: Arc<Recordings>,
    running: Mutex<Vec<Arc<AppProcess>>>,
}

impl RunningApps {
    /// No applications yet; their processes use the board's state and are sampled by its
    /// recordings.
    pub(super) fn new(
        settings: AppSettings,
        board: Arc<BoardState>,
        recordings: Arc<Recordings>,
    ) -> Self {
        Self { settings, board, recordings, running: Mutex::default() }
    }

    /// Scratch folder, which shells cannot reach.
    pub(super) fn scratch(&self) -> &Path {
        &self.settings.scratch
    }

    /// Process number and package of every running process.
    pub(super) fn running(&self) -> Vec<(u32, String)> {
        self.lock().iter().map(|process| (process.pid, process.package.clone())).collect()
    }

    pub(super) fn is_running(&self, package: &str) -> bool {
        self.lock().iter().any(|process| process.package == package)
    }

    /// Writes an input line to the application started last; true if a window takes it.
    pub(super) fn send_input(&self, line: &str) -> bool {
        let foreground = self.lock().last().cloned();
        foreground.is_some_and(|process| process.send_input(line))
    }

    /// Writes an input line to the window of a package's application.
    pub(super) fn send_input_to(&self, package: &str, line: &str) {
        let running = self.lock().clone();
        for process in running.iter().filter(|process| process.package == package) {
            process.send_input(line);
        }
    }

    /// Adds to the log what applications have printed.
    pub(super) fn log_outputs(&self) {
        let running = self.lock().clone();
        running.iter().for_each(|process| process.log_output());
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

    /// Sends a signal to all processes; their supervising threads handle the ends.
    pub(super) fn signal_all(&self, signal: Signal) {
        for process in self.lock().iter() {
            signal_process(process.pid, signal);
        }
    }

    /// Withholds the clock's answers from all processes from now on.
    pub(super) fn hang_all(&self) {
        self.lock().iter().for_each(|process| process.hang());
    }

    /// Adds a process that has started.
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
