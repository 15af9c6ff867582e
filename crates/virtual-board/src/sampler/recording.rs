//! One `simpleperf record`: its application, duration and collected samples.

use std::sync::{Arc, Mutex, MutexGuard};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rustix::process::Signal;
use sha2::{Digest, Sha256};

use super::profile::CollectedSamples;
use super::recording_request::{RecordedApplication, RecordingRequest, RecordingTarget};
use super::report::{LostSituation, RecordData, ReportMetaInfo, ReportRecord, ReportSample};
use super::tick_sampling::{ApplicationWork, SampledShare, Ticks, WorkDistribution};
use crate::board_state::BoardState;
use crate::clock::{BoardClock, Sleeper};
use crate::signals::signal_process;
use crate::simulated_model::{CallFrame, ExecutedCode};

/// Work executed between two questions to the clock.
pub(crate) struct ClockInterval {
    pub from_ns: u64,
    /// Nanoseconds that the work takes.
    pub busy_ns: u64,
    pub spent: Vec<SampledShare>,
}

/// Recording of samples by `simpleperf record`.
pub(crate) struct SamplerRecording {
    wanted: RecordingRequest,
    state: Mutex<RecordingState>,
}

/// Progress of a recording.
struct RecordingState {
    /// Collected samples; `None` until there is an application.
    running: Option<RunningRecording>,
    ticks: Ticks,
    generator: ChaCha8Rng,
}

/// Application of a recording with its samples.
struct RunningRecording {
    application: RecordedApplication,
    profile: CollectedSamples,
    from_ns: u64,
    /// End of the recording; `None` while it goes on.
    until_ns: Option<u64>,
}

/// Result of a recording that is over.
pub(crate) struct FinishedRecording {
    pub application: RecordedApplication,
    pub samples: Vec<ReportSample>,
    pub names: Vec<ReportRecord>,
    pub event: String,
    pub duration_ns: u64,
}

impl SamplerRecording {
    /// Recording that waits for its application. Samples depend on the board's seed, the session's
    /// label and the time: so a repeated session gives the same samples.
    pub(super) fn new(wanted: RecordingRequest, (seed, label, now_ns): (u64, &str, u64)) -> Self {
        let seed = Sha256::new()
            .chain_update(b"simpleperf")
            .chain_update(seed.to_le_bytes())
            .chain_update(now_ns.to_le_bytes())
            .chain_update(label.as_bytes())
            .finalize();
        let ticks = Ticks::new(wanted.rate_hz);
        let generator = ChaCha8Rng::from_seed(seed.into());
        Self { wanted, state: Mutex::new(RecordingState { running: None, ticks, generator }) }
    }

    /// Whether the recording still waits for its application.
    pub(crate) fn is_waiting(&self) -> bool {
        self.lock().running.is_none()
    }

    /// Whether the recording is of this process.
    pub(super) fn is_of_process(&self, pid: u32) -> bool {
        self.lock().running.as_ref().is_some_and(|running| running.application.pid == pid)
    }

    /// Begins with an application if it is the one that the recording waits for.
    pub(crate) fn start_if_wanted(
        self: &Arc<Self>,
        board: &BoardState,
        application: &RecordedApplication,
    ) {
        let mut state = self.lock();
        let wanted = match &self.wanted.target {
            RecordingTarget::Package(package) => *package == application.package,
            RecordingTarget::Process(pid) => *pid == application.pid,
        };
        if !wanted || state.running.is_some() {
            return;
        }
        state.running = Some(RunningRecording {
            application: application.clone(),
            profile: CollectedSamples::new(application.clone()),
            from_ns: board.clock.now_ns(),
            until_ns: None,
        });
        drop(state);
        if let Some(duration_ns) = self.wanted.duration_ns {
            self.end_after(&board.clock, duration_ns);
        }
    }

    /// Ends the recording when so many nanoseconds of the board's time have passed.
    fn end_after(self: &Arc<Self>, clock: &Arc<BoardClock>, duration_ns: u64) {
        let hold = clock.hold();
        let (recording, clock) = (self.clone(), clock.clone());
        let sleeper = self.end_sleeper();
        let wait = move || {
            // Who is interrupted has been ended by others.
            if clock.sleep_releasing_hold(&hold, duration_ns, sleeper).is_ok() {
                recording.end(clock.now_ns());
            }
        };
        // Without a thread it goes on until the application ends.
        std::thread::Builder::new().name("recording".into()).spawn(wait).ok();
    }

    /// Sleeper that stands for the recording's end.
    fn end_sleeper(&self) -> Sleeper {
        Sleeper::Recording(self.wanted.command)
    }

    /// Ends the recording and signals its command to stop, as the real one is.
    pub(super) fn end(&self, now_ns: u64) {
        let mut state = self.lock();
        if let Some(running) = state.running.as_mut().filter(|it| it.until_ns.is_none()) {
            running.until_ns = Some(now_ns);
            signal_process(self.wanted.command, Signal::TERM);
        }
    }

    /// Draws the samples of an interval's work; `frames` gives the frames of executed code.
    pub(crate) fn sample_interval(
        &self,
        interval: &ClockInterval,
        frames: impl Fn(ExecutedCode) -> Vec<CallFrame>,
    ) {
        let mut state = self.lock();
        let RecordingState { running, ticks, generator } = &mut *state;
        let Some(running) = running.as_mut().filter(|it| it.until_ns.is_none()) else { return };
        let lots = WorkDistribution::new(&interval.spent);
        for offset_ns in ticks.ticks_in(interval.busy_ns) {
            let Some(work) = lots.draw(generator) else { continue };
            let mut chain = match work {
                ApplicationWork::Code(code) => frames(code),
                ApplicationWork::Collector | ApplicationWork::Log => Vec::new(),
            };
            if !self.wanted.callchain {
                chain.truncate(1);
            }
            running.profile.add(work, chain, interval.from_ns + offset_ns, ticks.period_ns());
        }
    }

    /// Ends the recording and takes its samples; `None` if there was no application.
    pub(crate) fn finish(&self, clock: &BoardClock) -> Option<FinishedRecording> {
        clock.interrupt(self.end_sleeper());
        clock.allow(self.end_sleeper());
        let mut state = self.lock();
        let running = state.running.as_mut()?;
        let until_ns = *running.until_ns.get_or_insert_with(|| clock.now_ns());
        Some(FinishedRecording {
            application: running.application.clone(),
            samples: running.profile.samples_until(until_ns).cloned().collect(),
            names: running.profile.name_records(),
            event: self.wanted.event.clone(),
            duration_ns: until_ns.saturating_sub(running.from_ns),
        })
    }

    fn lock(&self) -> MutexGuard<'_, RecordingState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl FinishedRecording {
    /// Records of a recording file, with all times moved by `offset_ns`.
    pub(crate) fn to_records(&self, meta: ReportMetaInfo, offset_ns: i128) -> Vec<ReportRecord> {
        let moved = |sample: &ReportSample| {
            let time = sample.time.map(|time| (i128::from(time) + offset_ns).max(0) as u64);
            RecordData::Sample(ReportSample { time, ..sample.clone() }).into()
        };
        let count = Some(self.samples.len() as u64);
        let lost = LostSituation { sample_count: count, lost_count: Some(0) };
        let head = ReportRecord::from(RecordData::MetaInfo(meta));
        let mut records: Vec<ReportRecord> =
            std::iter::once(head).chain(self.samples.iter().map(moved)).collect();
        records.push(RecordData::Lost(lost).into());
        records.extend(self.names.iter().cloned());
        records
    }
}
