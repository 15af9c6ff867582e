//! Sampling profilers: recordings of `simpleperf` that collect samples while applications run,
//! and Android's sampler of methods in an application's process (`method_sampler`).
//!
//! Samples are drawn from the executed code. Every reading of the counters gives the energy of
//! each piece of code and, energy being time, how long each ran. The sampler ticks at its rate in
//! that busy time, and each tick falls on a piece of code with the probability of its part of the
//! time (`tick_sampling`). The order of things within a reading is not known, and neither are
//! callers: `docs/internals/virtual-board-simpleperf.md` describes what that leaves out.

mod method_sampler;
mod profile;
mod recording;
mod recording_request;
pub(super) mod report;
mod tick_sampling;
mod trace_file;

use std::sync::{Arc, Mutex, MutexGuard};

use super::board_state::BoardState;
use method_sampler::SamplerStart;
pub(super) use method_sampler::{MethodSampler, TraceRequest};
pub(super) use recording::{ClockInterval, FinishedRecording, SamplerRecording};
pub(super) use recording_request::{RecordedApplication, RecordingRequest, RecordingTarget};
pub(super) use tick_sampling::{ApplicationWork, SampledShare};
use trace_file::Vm;

/// Running recordings of samples.
pub(super) struct Recordings {
    /// Seed of the board.
    seed: u64,
    running: Mutex<Vec<Arc<SamplerRecording>>>,
}

impl Recordings {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, running: Mutex::default() }
    }

    /// Begins a recording and offers it each application that starts from now on.
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

    /// Creates the method sampler that an application asks for; it is not one of the running
    /// recordings: the process keeps it and finishes it.
    pub(super) fn new_method_sampler(
        &self,
        board: &BoardState,
        wanted: TraceRequest,
    ) -> MethodSampler {
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

    /// Offers an application that has started to all recordings.
    pub(super) fn offer_application(&self, board: &BoardState, application: &RecordedApplication) {
        self.all().iter().for_each(|recording| recording.start_if_wanted(board, application));
    }

    /// Ends the recordings of a process that has ended.
    pub(super) fn end_recordings_of(&self, pid: u32, now_ns: u64) {
        self.recordings_of(pid).iter().for_each(|recording| recording.end(now_ns));
    }

    /// Recordings of a process.
    pub(super) fn recordings_of(&self, pid: u32) -> Vec<Arc<SamplerRecording>> {
        self.lock().iter().filter(|recording| recording.is_of_process(pid)).cloned().collect()
    }

    /// Removes a finished recording.
    pub(super) fn remove(&self, recording: &Arc<SamplerRecording>) {
        self.lock().retain(|other| !Arc::ptr_eq(other, recording));
    }

    /// Copy of the list of running recordings.
    fn all(&self) -> Vec<Arc<SamplerRecording>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<SamplerRecording>>> {
        self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
