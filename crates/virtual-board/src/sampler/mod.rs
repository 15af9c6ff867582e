//! The sampling profilers: what the recordings of `simpleperf` collect while applications run,
//! and Android's sampler of methods in an application's process (`methods`).
//!
//! Samples are drawn from what the chip executed. At every reading of its counters the board
//! knows which code the energy went to and, energy being time, for how long each ran. The
//! sampler ticks at its rate in that busy time, and each tick falls on a piece of code with
//! the probability of its part of the time (`draw`). The order of things within a reading is
//! not known, and neither are callers: `docs/virtual-board-simpleperf.md` says what that
//! leaves out.

mod draw;
mod methods;
mod profile;
mod recording;
mod recording_request;
pub(super) mod report;
mod trace_file;

use std::sync::{Arc, Mutex, MutexGuard};

use super::board_state::BoardState;
pub(super) use draw::{ApplicationWork, SampledShare};
use methods::SamplerStart;
pub(super) use methods::{MethodSampler, WantedTrace};
pub(super) use recording::{ClockInterval, FinishedRecording, SamplerRecording};
pub(super) use recording_request::{RecordedApplication, RecordingRequest, RecordingTarget};
use trace_file::Vm;

/// The recordings that run.
pub(super) struct Recordings {
    /// The board's.
    seed: u64,
    running: Mutex<Vec<Arc<SamplerRecording>>>,
}

impl Recordings {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, running: Mutex::default() }
    }

    /// Begins a recording, which is offered each application that starts from now on.
    pub(super) fn start(
        &self,
        board: &BoardState,
        wanted: RecordingRequest,
    ) -> Arc<SamplerRecording> {
        let now_ns = board.clock.now_ns();
        let label = board.session_label();
        let recording = Arc::new(SamplerRecording::new(wanted, (self.seed, &label, now_ns)));
        self.lock().push(recording.clone());
        recording
    }

    /// A sampler of methods, of a process that has asked for one.
    pub(super) fn of_methods(&self, board: &BoardState, wanted: WantedTrace) -> MethodSampler {
        let now_ns = board.clock.now_ns();
        let label = board.session_label();
        let beginning = SamplerStart {
            vm: Vm::of(board.file.sdk),
            now_ns,
            epoch_us: (board.wall_epoch_ns() / 1000) as u64,
            seed: (self.seed, &label),
        };
        MethodSampler::new(wanted, &beginning)
    }

    /// An application has been started.
    pub(super) fn started(&self, board: &BoardState, application: &RecordedApplication) {
        self.all().iter().for_each(|recording| recording.offer(board, application));
    }

    /// A process has ended: so have its recordings.
    pub(super) fn ended(&self, pid: u32, now_ns: u64) {
        self.of(pid).iter().for_each(|recording| recording.end(now_ns));
    }

    /// The recordings of a process.
    pub(super) fn of(&self, pid: u32) -> Vec<Arc<SamplerRecording>> {
        self.lock().iter().filter(|recording| recording.is_of(pid)).cloned().collect()
    }

    /// A recording is over.
    pub(super) fn remove(&self, recording: &Arc<SamplerRecording>) {
        self.lock().retain(|other| !Arc::ptr_eq(other, recording));
    }

    fn all(&self) -> Vec<Arc<SamplerRecording>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<SamplerRecording>>> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
