//! One process of an application: its output, energy, allocations, and its end.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::output::ProcessOutput;
use super::report::AppReport;
use crate::board_state::BoardState;
use crate::clock::{ClockHold, FOR_EVER, SleepInterrupted, Sleeper};
use crate::log_buffer::BufferedLine;
use crate::sampler::{ApplicationWork, ClockInterval, MethodSampler, Recordings, SampledShare};
use crate::signals::kill_group;
use crate::simulated_model::SimulatedModel;

/// Beginning of a line of standard error where a thread ends with an exception.
const UNCAUGHT: &str = "Exception in thread ";
/// Maximum of stack trace lines that are logged as a crash: a JVM's thousand frames, and causes.
const TRACE_LINES_MAX: usize = 1200;

/// Running process of an application.
pub(crate) struct AppProcess {
    board: Arc<BoardState>,
    recordings: Arc<Recordings>,
    /// Folder for the ground truth of sessions.
    truth: Option<PathBuf>,
    pub(super) pid: u32,
    pub(super) package: String,
    /// Folder of the simulated energy model's counters.
    pub(super) folder: PathBuf,
    /// Hold on the clock while the process computes.
    pub(super) hold: Mutex<Option<ClockHold>>,
    stdin: Mutex<Option<ChildStdin>>,
    has_window: bool,
    /// End of the busy time (nanoseconds since boot) while the process dozes until something is due
    /// or input arrives.
    doze_busy_until_ns: Mutex<Option<u64>>,
    parts: Mutex<ProcessAccounting>,
    stage: Mutex<ProcessStage>,
    /// Reports of the process's instrumentation.
    instrumentation_reports: Mutex<Vec<AppReport>>,
    /// Process numbers of commands that wait for the end.
    watchers: Mutex<Vec<u32>>,
    changed: Condvar,
    hangs: AtomicBool,
}

/// Outputs and counters of a process that are read step by step.
struct ProcessAccounting {
    stdout: ProcessOutput,
    stderr: ProcessOutput,
    reports: ProcessOutput,
    simulated_model: Box<dyn SimulatedModel>,
    /// Android's sampler of methods, while it runs.
    sampler: Option<MethodSampler>,
    /// Bytes allocated since the last GC.
    allocated: u64,
    /// Lines and bytes that were logged and whose energy is not spent yet.
    logged: (u64, u64),
    /// Busy time in nanoseconds that is still to pass when the process ends.
    last_busy_ns: u64,
    /// Stack trace of the last uncaught exception.
    trace: Vec<String>,
}

/// Stage in the life of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProcessStage {
    /// The JVM starts.
    Starting,
    /// The JVM has called the clock.
    Ready,
    /// The board is ending the process.
    Stopping,
    /// The process has ended and its energy is spent.
    Ended,
}

/// Initial parts of a process.
pub(super) struct AppProcessInit {
    pub board: Arc<BoardState>,
    pub recordings: Arc<Recordings>,
    /// Folder for the ground truth of sessions.
    pub truth: Option<PathBuf>,
    pub pid: u32,
    pub package: String,
    pub folder: PathBuf,
    pub hold: ClockHold,
    pub stdin: Option<ChildStdin>,
    /// Whether standard input is for a window.
    pub has_window: bool,
    pub outputs: [ProcessOutput; 2],
    pub reports: ProcessOutput,
    pub simulated_model: Box<dyn SimulatedModel>,
}

impl AppProcess {
    pub(super) fn new(begin: AppProcessInit) -> Self {
        let AppProcessInit {
            board,
            recordings,
            truth,
            pid,
            package,
            folder,
            hold,
            stdin,
            has_window,
            outputs,
            reports,
            simulated_model,
        } = begin;
        let [stdout, stderr] = outputs;
        let trace = Vec::new();
        let (allocated, logged, last_busy_ns) = (0, (0, 0), 0);
        let parts = ProcessAccounting {
            stdout,
            stderr,
            reports,
            simulated_model,
            sampler: None,
            allocated,
            logged,
            last_busy_ns,
            trace,
        };
        Self {
            board,
            recordings,
            truth,
            pid,
            package,
            folder,
            hold: Mutex::new(Some(hold)),
            stdin: Mutex::new(stdin),
            has_window,
            doze_busy_until_ns: Mutex::default(),
            parts: Mutex::new(parts),
            stage: Mutex::new(ProcessStage::Starting),
            instrumentation_reports: Mutex::default(),
            watchers: Mutex::default(),
            changed: Condvar::new(),
            hangs: AtomicBool::new(false),
        }
    }

    /// Nanoseconds since boot on the board's clock.
    pub(super) fn now_ns(&self) -> u64 {
        self.board.clock.now_ns()
    }

    /// Withholds the clock's answers from now on: the process lives and does nothing.
    pub(super) fn hang(&self) {
        self.hangs.store(true, Ordering::SeqCst);
    }

    /// Waits until the JVM has called the clock for the first time, or has ended.
    pub(crate) fn wait_until_ready(&self) {
        let starting = |stage: &mut ProcessStage| *stage == ProcessStage::Starting;
        drop(self.changed.wait_while(lock(&self.stage), starting));
    }

    /// Notes that the JVM has called the clock.
    pub(super) fn mark_ready(&self) {
        self.set_stage(
            |stage| if stage == ProcessStage::Starting { ProcessStage::Ready } else { stage },
        );
    }

    /// Writes a line to standard input; true if it is for a window, which then reads it as soon as
    /// it has time.
    pub(super) fn send_input(&self, line: &str) -> bool {
        if let Some(stdin) = lock(&self.stdin).as_mut() {
            // A process that closed its input, or is gone, does not hear it.
            stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).ok();
        }
        let busy_until_ns =
            lock(&self.doze_busy_until_ns).filter(|_| !self.hangs.load(Ordering::SeqCst));
        if let Some(busy_until_ns) = busy_until_ns {
            self.board.clock.wake_earlier(Sleeper::Application(self.pid), busy_until_ns);
        }
        self.has_window
    }

    /// Kills the process and waits until its energy is spent.
    pub(super) fn stop(&self) {
        self.set_stage(
            |stage| if stage == ProcessStage::Ended { stage } else { ProcessStage::Stopping },
        );
        kill_group(self.pid);
        self.board.clock.interrupt(Sleeper::Application(self.pid));
        let running = |stage: &mut ProcessStage| *stage != ProcessStage::Ended;
        drop(self.changed.wait_while(lock(&self.stage), running));
    }

    /// Adds to the log what the process has printed.
    pub(super) fn log_output(&self) {
        let mut parts = lock(&self.parts);
        self.take_reports(&mut parts);
        let (out, err) = (parts.stdout.take_lines(), parts.stderr.take_lines());
        self.log_lines(&mut parts, &out, &err);
    }

    /// Takes new reports: keeps those of an instrumentation for waiting commands, starts and stops
    /// the method sampler, logs the rest.
    fn take_reports(&self, parts: &mut ProcessAccounting) {
        for report in parts.reports.take_lines().iter().filter_map(|line| AppReport::parse(line)) {
            match report {
                AppReport::Log { level, tag, text } => {
                    for line in text.lines() {
                        self.board.log(level, &tag, self.pid, line);
                        parts.logged.0 += 1;
                        parts.logged.1 += line.len() as u64;
                    }
                }
                AppReport::StartSampling(wanted) => {
                    parts.sampler = Some(self.recordings.new_method_sampler(&self.board, wanted));
                }
                AppReport::StopSampling => {
                    if let Some(sampler) = parts.sampler.take() {
                        sampler.finish_and_write(&self.board);
                    }
                }
                said @ (AppReport::Status { .. } | AppReport::Result { .. }) => {
                    lock(&self.instrumentation_reports).push(said);
                    self.changed.notify_all();
                }
            }
        }
    }

    /// Registers a command that waits for the end of the process, so that the clock may move
    /// meanwhile.
    pub(crate) fn add_watcher(&self, command: u32) {
        let stage = lock(&self.stage);
        if *stage != ProcessStage::Ended {
            lock(&self.watchers).push(command);
            self.board.clock.set_parked(command, true);
        }
    }

    /// Waits until there are more than `told` instrumentation reports or the process has ended;
    /// returns the new reports and whether it has ended.
    pub(crate) fn wait_for_reports(&self, told: usize) -> (Vec<AppReport>, bool) {
        let quiet = |stage: &mut ProcessStage| {
            *stage != ProcessStage::Ended && lock(&self.instrumentation_reports).len() <= told
        };
        let stage = self.changed.wait_while(lock(&self.stage), quiet);
        let ended = *stage.unwrap_or_else(|poisoned| poisoned.into_inner()) == ProcessStage::Ended;
        (lock(&self.instrumentation_reports).get(told..).unwrap_or_default().to_vec(), ended)
    }

    /// Spends the energy of what was executed since the last call, from the present time on, and
    /// returns its busy time in nanoseconds.
    pub(super) fn spend_executed(&self) -> u64 {
        self.log_output();
        let mut parts = lock(&self.parts);
        let usage = parts.simulated_model.advance();
        let (costs, collector) = (&self.board.file.costs, &self.board.file.collector);
        let (lines, bytes) = std::mem::take(&mut parts.logged);
        let logging_j = lines as f64 * costs.log_line_j + bytes as f64 * costs.log_byte_j;
        let before = parts.allocated;
        let allocated = before.saturating_add(usage.allocated_bytes);
        parts.allocated = allocated % collector.every_bytes;
        let collections = allocated / collector.every_bytes;
        let joules = usage.energy_j + logging_j + collections as f64 * collector.energy_j;
        let now = self.board.clock.now_ns();
        let mut hardware = self.board.hardware();
        let busy_ns = hardware.busy_ns(joules);
        hardware.spend(now, now + busy_ns, joules);
        drop(hardware);
        let besides = [
            SampledShare { work: ApplicationWork::Log, energy_j: logging_j },
            SampledShare {
                work: ApplicationWork::Collector,
                energy_j: collections as f64 * collector.energy_j,
            },
        ];
        self.record_samples(&mut parts, (now, busy_ns), besides);
        for number in 1..=collections {
            let share = (number * collector.every_bytes - before) as f64;
            let share = share / usage.allocated_bytes.max(1) as f64;
            let at_ns = now + (busy_ns as f64 * share.clamp(0.0, 1.0)) as u64;
            self.board.log.add(self.gc_log_line(at_ns));
        }
        busy_ns
    }

    /// Passes what was executed in an interval to the running recordings and the method sampler.
    fn record_samples(
        &self,
        parts: &mut ProcessAccounting,
        (from_ns, busy_ns): (u64, u64),
        besides: [SampledShare; 2],
    ) {
        let recordings = self.recordings.recordings_of(self.pid);
        if recordings.is_empty() && parts.sampler.is_none() {
            return;
        }
        let simulated_model = parts.simulated_model.as_ref();
        let shares = simulated_model.shares().into_iter();
        let code = shares
            .map(|it| SampledShare { work: ApplicationWork::Code(it.code), energy_j: it.energy_j });
        let interval = ClockInterval { from_ns, busy_ns, spent: code.chain(besides).collect() };
        recordings
            .iter()
            .for_each(|it| it.sample_interval(&interval, |code| simulated_model.frames(code)));
        if let Some(sampler) = &mut parts.sampler {
            sampler.sample_interval(&interval, |code| simulated_model.frames(code));
        }
    }

    /// Log line of a GC, in Dalvik's format.
    fn gc_log_line(&self, at_ns: u64) -> BufferedLine {
        let collector = &self.board.file.collector;
        let freed_kb = collector.every_bytes / 1024;
        let free_percent = 100 * freed_kb.min(collector.heap_kb) / collector.heap_kb.max(1);
        let used_kb = collector.heap_kb.saturating_sub(freed_kb);
        let total_ms = self.board.hardware().busy_ns(collector.energy_j) / 1_000_000;
        let text = format!(
            "GC_CONCURRENT freed {freed_kb}K, {free_percent}% free {used_kb}K/{}K, \
             paused 2ms+2ms, total {total_ms}ms",
            collector.heap_kb
        );
        let (moved_ns, tag) = (self.board.moved_ns(), "dalvikvm".to_owned());
        BufferedLine { at_ns, moved_ns, pid: self.pid, level: 'D', tag, text }
    }

    /// Sleeps on the board's clock; for ever if the process hangs.
    pub(super) fn sleep(&self, duration_ns: u64) -> Result<(), SleepInterrupted> {
        let hold = lock(&self.hold);
        let ending = matches!(*lock(&self.stage), ProcessStage::Stopping | ProcessStage::Ended);
        let for_ever = self.hangs.load(Ordering::SeqCst) && !ending;
        let duration_ns = if for_ever { FOR_EVER } else { duration_ns };
        match hold.as_ref() {
            Some(hold) if duration_ns > 0 => self.board.clock.sleep_releasing_hold(
                hold,
                duration_ns,
                Sleeper::Application(self.pid),
            ),
            _ => Ok(()),
        }
    }

    /// Sleeps for the busy time and the duration; ends early where input arrives, but not before
    /// the busy time is over.
    pub(super) fn doze(&self, busy_ns: u64, duration_ns: u64) -> Result<(), SleepInterrupted> {
        *lock(&self.doze_busy_until_ns) = Some(self.board.clock.now_ns().saturating_add(busy_ns));
        let end = self.sleep(busy_ns.saturating_add(duration_ns));
        *lock(&self.doze_busy_until_ns) = None;
        end
    }

    /// Notes that the process is about to end, with the busy time of its last work in nanoseconds.
    pub(super) fn note_exit(&self, busy_ns: u64) {
        lock(&self.parts).last_busy_ns = busy_ns;
    }

    /// Completes an ended process: spends the energy of its last work, logs how it ended, and
    /// writes the ground truth.
    pub(super) fn complete(&self, status: Option<ExitStatus>) {
        let busy_ns = self.spend_executed() + lock(&self.parts).last_busy_ns;
        let stopped = *lock(&self.stage) == ProcessStage::Stopping;
        if !stopped {
            // The board's end leaves nothing to wait for.
            self.sleep(busy_ns).ok();
        }
        self.log_end(status, stopped);
        self.write_ground_truth();
    }

    /// Wakes all that wait for the end of the process, once it is no longer among the running ones.
    pub(super) fn release(&self) {
        self.recordings.end_recordings_of(self.pid, self.board.clock.now_ns());
        // They go on before the clock moves.
        lock(&self.watchers)
            .drain(..)
            .for_each(|command| self.board.clock.set_parked(command, false));
        lock(&self.hold).take();
        self.board.clock.allow(Sleeper::Application(self.pid));
        self.set_stage(|_| ProcessStage::Ended);
    }

    /// Logs how the process ended: force-stopped, crashed or died.
    fn log_end(&self, status: Option<ExitStatus>, stopped: bool) {
        let mut parts = lock(&self.parts);
        self.take_reports(&mut parts);
        let has_result = |report: &AppReport| matches!(report, AppReport::Result { .. });
        if !lock(&self.instrumentation_reports).iter().any(has_result) {
            lock(&self.instrumentation_reports).push(AppReport::crash("Process crashed.", ""));
        }
        let (out, err) = (parts.stdout.take_rest(), parts.stderr.take_rest());
        self.log_lines(&mut parts, &out, &err);
        let (package, pid) = (&self.package, self.pid);
        let log = |level, tag: &str, pid, text: &str| self.board.log(level, tag, pid, text);
        if stopped {
            return log(
                'I',
                "ActivityManager",
                1,
                &format!("Force stopping {package} (pid {pid})"),
            );
        }
        let failed = status.is_none_or(|status| !status.success());
        if failed && !parts.trace.is_empty() {
            log('E', "AndroidRuntime", pid, "FATAL EXCEPTION: main");
            log('E', "AndroidRuntime", pid, &format!("Process: {package}, PID: {pid}"));
            parts.trace.iter().for_each(|line| log('E', "AndroidRuntime", pid, line));
        }
        if failed {
            let how = status.map_or("an unknown status".to_owned(), |status| status.to_string());
            log('W', "ActivityManager", 1, &format!("Process {package} (pid {pid}) ended: {how}"));
        }
        log('I', "ActivityManager", 1, &format!("Process {package} (pid {pid}) has died"));
    }

    /// Logs lines of standard output and error, and collects the stack trace of an uncaught
    /// exception.
    fn log_lines(&self, parts: &mut ProcessAccounting, out: &[String], err: &[String]) {
        for line in out {
            self.board.log('I', "System.out", self.pid, line);
        }
        for line in err {
            self.board.log('W', "System.err", self.pid, line);
            if line.starts_with(UNCAUGHT) {
                parts.trace.clear();
            }
            let in_trace = line.starts_with(UNCAUGHT) || !parts.trace.is_empty();
            if in_trace && parts.trace.len() < TRACE_LINES_MAX {
                parts.trace.push(line.clone());
            }
        }
        let lines = out.len() + err.len();
        let bytes: usize = out.iter().chain(err).map(String::len).sum();
        parts.logged.0 += lines as u64;
        parts.logged.1 += bytes as u64;
    }

    /// Writes the ground truth of the session, with the rail factors.
    fn write_ground_truth(&self) {
        let Some(truth) = &self.truth else { return };
        let folder = truth.join(self.board.session_label());
        let written = lock(&self.parts).simulated_model.write_ground_truth(&folder);
        if let Err(error) = written.and_then(|()| self.write_rail_factors(&folder)) {
            self.board.report_problem(&format!("no ground truth in {}: {error}", folder.display()));
        }
    }

    /// Writes `rails.csv`: the factor from ground truth to drawn energy for each rail.
    fn write_rail_factors(&self, folder: &Path) -> io::Result<()> {
        let factors = self.board.hardware().rail_factors();
        let rows = factors.iter().map(|(rail, factor)| format!("{rail},{factor}\n"));
        fs::write(folder.join("rails.csv"), format!("rail,factor\n{}", rows.collect::<String>()))
    }

    /// Moves the process to another stage and wakes all waiting threads.
    fn set_stage(&self, next: impl FnOnce(ProcessStage) -> ProcessStage) {
        let mut stage = lock(&self.stage);
        *stage = next(*stage);
        self.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
