//! The whole board for its commands: its state, and the packages, applications and recordings on
//! it.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustix::process::{Signal, kill_process};

use super::adb::HostConnections;
use super::android::InstalledPackages;
use super::apps::{
    self, AppEntryPoint, AppProcess, AppStartError, AppStartRequest, InstalledParts, RunningApps,
};
use super::board_state::BoardState;
use super::fault::FaultSchedule;
use super::proc_state;
use super::sampler::{RecordedApplication, RecordingRequest, Recordings, SamplerRecording};
use super::signals::kernel_pid;

/// State, applications, packages, recordings, faults and connections of a board.
pub(super) struct Machine {
    /// Clock, electricity, log, properties, settings and files.
    pub state: Arc<BoardState>,
    pub apps: Arc<RunningApps>,
    /// Installed Android packages.
    pub android: InstalledPackages,
    /// Running recordings of samples.
    pub recordings: Arc<Recordings>,
    /// Scheduled faults and calls.
    pub schedule: FaultSchedule,
    /// Connections of adb hosts.
    pub connections: Arc<HostConnections>,
}

impl Machine {
    /// Starts an application, with the package of its instrumentation if there is one.
    pub(super) fn start_app(
        &self,
        start: &AppStartRequest<'_>,
    ) -> Result<Arc<AppProcess>, AppStartError> {
        let other = match start.entry {
            AppEntryPoint::Instrumentation { package, .. } if package != start.package => {
                Some(package)
            }
            _ => None,
        };
        let installed = InstalledParts {
            application: self.android.find(start.package),
            instrumentation: other.and_then(|package| self.android.find(package)),
        };
        apps::start(&self.apps, installed, start)
    }

    /// Begins a recording of an application that runs or will run.
    pub(super) fn start_recording(&self, wanted: RecordingRequest) -> Arc<SamplerRecording> {
        let recording = self.recordings.start(&self.state, wanted);
        let running = self.apps.running().into_iter();
        let running = running.map(|(pid, package)| RecordedApplication { pid, package });
        running.for_each(|application| recording.start_if_wanted(&self.state, &application));
        recording
    }

    /// Ends all processes of a board whose clock stands for too long although something waits for
    /// it, so that hosts get an error.
    pub(super) fn end_stalled_processes(&self, processes: &BTreeSet<u32>) {
        let mut message = "the board stood still: something computes, or waits for what only time \
                           could bring; everything that ran was ended"
            .to_owned();
        if let Some(pid) = processes.iter().find(|pid| proc_state::hides_wait_call(**pid)) {
            message += &format!(
                "; this user may not see what process {pid} waits for: /proc/{pid}/syscall and \
                 /proc/{pid}/wchan are closed"
            );
        }
        self.state.report_problem(&message);
        for pid in processes.iter().filter_map(|pid| kernel_pid(*pid)) {
            kill_process(pid, Signal::KILL).ok();
        }
        self.apps.stop_all();
    }
}
