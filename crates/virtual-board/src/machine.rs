//! The board itself: its state, and the packages, applications and recordings on it, as its
//! commands find them.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustix::process::{Signal, kill_process};

use super::adb::HostConnections;
use super::android::InstalledPackages;
use super::apps::{self, AppProcess, AppStart, Apps, InstalledParts, LaunchEntryPoint, StartError};
use super::board_state::BoardState;
use super::fault::FaultSchedule;
use super::proc_state;
use super::sampler::{RecordedApplication, RecordingRequest, Recordings, SamplerRecording};
use super::signals::raw_pid;

/// The board.
pub(super) struct Machine {
    /// Clock, electricity, log, properties, settings and files.
    pub state: Arc<BoardState>,
    pub apps: Arc<Apps>,
    /// The packages that are installed.
    pub android: InstalledPackages,
    /// The recordings of samples that run.
    pub recordings: Arc<Recordings>,
    /// What is to go wrong when.
    pub schedule: FaultSchedule,
    /// The connections of hosts.
    pub connections: Arc<HostConnections>,
}

impl Machine {
    /// Starts an application.
    pub(super) fn start(&self, start: &AppStart<'_>) -> Result<Arc<AppProcess>, StartError> {
        let other = match start.entry {
            LaunchEntryPoint::Instrumentation { package, .. } if package != start.package => {
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

    /// Begins a recording, of an application that runs or will.
    pub(super) fn record(&self, wanted: RecordingRequest) -> Arc<SamplerRecording> {
        let recording = self.recordings.start(&self.state, wanted);
        let running = self.apps.running().into_iter();
        let running = running.map(|(pid, package)| RecordedApplication { pid, package });
        running.for_each(|application| recording.offer(&self.state, &application));
        recording
    }

    /// Nothing has moved for long although somebody waits: everything that runs is
    /// ended, so that hosts are told.
    pub(super) fn give_up(&self, processes: &BTreeSet<u32>) {
        let mut message = "the board stood still: something computes, or waits for what only time \
                           could bring; everything that ran was ended"
            .to_owned();
        if let Some(pid) = processes.iter().find(|pid| proc_state::is_closed(**pid)) {
            message += &format!(
                "; this user may not see what process {pid} waits for: /proc/{pid}/syscall and \
                 /proc/{pid}/wchan are closed"
            );
        }
        self.state.problem(&message);
        for pid in processes.iter().filter_map(|pid| raw_pid(*pid)) {
            kill_process(pid, Signal::KILL).ok();
        }
        self.apps.stop_all();
    }
}
