//! One process of an application: what it printed, used and allocated, and its end.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use super::output::ProcessOutput;
use super::report::AppReport;
use crate::board_state::BoardState;
use crate::clock::{FOR_EVER, Hold, Interrupted, Sleeper};
use crate::log_buffer::BufferedLine;
use crate::sampler::{ApplicationWork, ClockInterval, MethodSampler, Recordings, SampledShare};
use crate::signals::kill_group;
use crate::simulated_model::SimulatedModel;

/// A line of standard error begins so when a thread ends with an exception.
const UNCAUGHT: &str = "Exception in thread ";
/// Lines of a stack trace that go to the log as the crash: a JVM's thousand frames, and causes.
const TRACE_LINES_MAX: usize = 1200;

/// A process.
pub(crate) struct AppProcess {
    board: Arc<BoardState>,
    recordings: Arc<Recordings>,
    /// Where the ground truth of sessions goes.
    truth: Option<PathBuf>,
    pub(super) pid: u32,
    pub(super) package: String,
    /// Where the simulated energy model's counters lie.
    pub(super) folder: PathBuf,
    /// Keeps the clock standing while the process computes.
    pub(super) hold: Mutex<Option<Hold>>,
    stdin: Mutex<Option<ChildStdin>>,
    has_window: bool,
    /// While it sleeps until something is due or somebody touches it: when it is no longer busy.
    dozes: Mutex<Option<u64>>,
    parts: Mutex<Parts>,
    stage: Mutex<Stage>,
    /// What its instrumentation has said.
    said: Mutex<Vec<AppReport>>,
    /// The commands that wait for its end.
    watchers: Mutex<Vec<u32>>,
    changed: Condvar,
    hangs: AtomicBool,
}

/// What is used up step by step.
struct Parts {
    stdout: ProcessOutput,
    stderr: ProcessOutput,
    reports: ProcessOutput,
    simulated_model: Box<dyn SimulatedModel>,
    /// Android's sampler of methods, while it runs.
    sampler: Option<MethodSampler>,
    /// Bytes allocated since the last collection.
    allocated: u64,
    /// Lines and bytes that were logged and whose energy was not spent yet.
    logged: (u64, u64),
    /// Busy time that has not passed yet when the process ends.
    last_busy_ns: u64,
    /// The stack trace of the last uncaught exception.
    trace: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The JVM starts.
    Starting,
    /// It has called the clock.
    Ready,
    /// It is being ended by the board.
    Stopping,
    /// It has ended and is accounted for.
    Ended,
}

/// Everything a process begins with.
pub(super) struct Begin {
    pub board: Arc<BoardState>,
    pub recordings: Arc<Recordings>,
    /// Where the ground truth of sessions goes.
    pub truth: Option<PathBuf>,
    pub pid: u32,
    pub package: String,
    pub folder: PathBuf,
    pub hold: Hold,
    pub stdin: Option<ChildStdin>,
    /// Whether its standard input is for its window.
    pub has_window: bool,
    pub outputs: [ProcessOutput; 2],
    pub reports: ProcessOutput,
    pub simulated_model: Box<dyn SimulatedModel>,
}

impl AppProcess {
    pub(super) fn new(begin: Begin) -> Self {
        let Begin {
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
        let parts = Parts {
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
            dozes: Mutex::default(),
            parts: Mutex::new(parts),
            stage: Mutex::new(Stage::Starting),
            said: Mutex::default(),
            watchers: Mutex::default(),
            changed: Condvar::new(),
            hangs: AtomicBool::new(false),
        }
    }

    /// Nanoseconds since boot on the board's clock.
    pub(super) fn now_ns(&self) -> u64 {
        self.board.clock.now_ns()
    }

    /// From now on it gets no answer from the clock: it lives and does nothing.
    pub(super) fn hang(&self) {
        self.hangs.store(true, Ordering::SeqCst);
    }

    /// Waits until the JVM has called the clock for the first time, or has ended.
    pub(crate) fn wait_until_ready(&self) {
        let starting = |stage: &mut Stage| *stage == Stage::Starting;
        drop(self.changed.wait_while(lock(&self.stage), starting));
    }

    /// The JVM has called the clock.
    pub(super) fn ready(&self) {
        self.set_stage(|stage| if stage == Stage::Starting { Stage::Ready } else { stage });
    }

    /// Writes a line to the standard input; whether it is for a window, which then looks at it
    /// as soon as it has time.
    pub(super) fn send_input(&self, line: &str) -> bool {
        if let Some(stdin) = lock(&self.stdin).as_mut() {
            // A process that closed its input, or is gone, does not hear it.
            stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).ok();
        }
        let busy_until_ns = lock(&self.dozes).filter(|_| !self.hangs.load(Ordering::SeqCst));
        if let Some(busy_until_ns) = busy_until_ns {
            self.board.clock.hasten(Sleeper::Application(self.pid), busy_until_ns);
        }
        self.has_window
    }

    /// Ends the process and waits until it is accounted for.
    pub(super) fn stop(&self) {
        self.set_stage(|stage| if stage == Stage::Ended { stage } else { Stage::Stopping });
        kill_group(self.pid);
        self.board.clock.interrupt(Sleeper::Application(self.pid));
        let running = |stage: &mut Stage| *stage != Stage::Ended;
        drop(self.changed.wait_while(lock(&self.stage), running));
    }

    /// Brings into the log what the process has printed.
    pub(super) fn read_output(&self) {
        let mut parts = lock(&self.parts);
        self.take_reports(&mut parts);
        let (out, err) = (parts.stdout.lines(), parts.stderr.lines());
        self.log_lines(&mut parts, &out, &err);
    }

    /// Keeps what an instrumentation says for those who wait for it, and logs the rest.
    fn take_reports(&self, parts: &mut Parts) {
        for report in parts.reports.lines().iter().filter_map(|line| AppReport::parse(line)) {
            match report {
                AppReport::Log { level, tag, text } => {
                    for line in text.lines() {
                        self.board.log(level, &tag, self.pid, line);
                        parts.logged.0 += 1;
                        parts.logged.1 += line.len() as u64;
                    }
                }
                AppReport::Sample(wanted) => {
                    parts.sampler = Some(self.recordings.of_methods(&self.board, wanted));
                }
                AppReport::Sampled => {
                    if let Some(sampler) = parts.sampler.take() {
                        sampler.write(&self.board);
                    }
                }
                said @ (AppReport::Status { .. } | AppReport::Result { .. }) => {
                    lock(&self.said).push(said);
                    self.changed.notify_all();
                }
            }
        }
    }

    /// A command waits for the process's end: the clock may move meanwhile.
    pub(crate) fn watch(&self, command: u32) {
        let stage = lock(&self.stage);
        if *stage != Stage::Ended {
            lock(&self.watchers).push(command);
            self.board.clock.park(command, true);
        }
    }

    /// Waits until the instrumentation has said more than `told` things, or the process has
    /// ended; what is new, and whether it has ended.
    pub(crate) fn more(&self, told: usize) -> (Vec<AppReport>, bool) {
        let quiet = |stage: &mut Stage| *stage != Stage::Ended && lock(&self.said).len() <= told;
        let stage = self.changed.wait_while(lock(&self.stage), quiet);
        let ended = *stage.unwrap_or_else(|poisoned| poisoned.into_inner()) == Stage::Ended;
        (lock(&self.said).get(told..).unwrap_or_default().to_vec(), ended)
    }

    /// Spends the energy of what was executed since the last call, from now on, and
    /// returns how long that takes.
    pub(super) fn account(&self) -> u64 {
        self.read_output();
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
        self.sample(&mut parts, (now, busy_ns), besides);
        for number in 1..=collections {
            let share = (number * collector.every_bytes - before) as f64;
            let share = share / usage.allocated_bytes.max(1) as f64;
            let at_ns = now + (busy_ns as f64 * share.clamp(0.0, 1.0)) as u64;
            self.board.log.add(self.collection(at_ns));
        }
        busy_ns
    }

    /// Lets those who record samples take theirs of what was executed.
    fn sample(
        &self,
        parts: &mut Parts,
        (from_ns, busy_ns): (u64, u64),
        besides: [SampledShare; 2],
    ) {
        let recordings = self.recordings.of(self.pid);
        if recordings.is_empty() && parts.sampler.is_none() {
            return;
        }
        let simulated_model = parts.simulated_model.as_ref();
        let shares = simulated_model.shares().into_iter();
        let code = shares
            .map(|it| SampledShare { work: ApplicationWork::Code(it.code), energy_j: it.energy_j });
        let interval = ClockInterval { from_ns, busy_ns, spent: code.chain(besides).collect() };
        recordings.iter().for_each(|it| it.take(&interval, |code| simulated_model.frames(code)));
        if let Some(sampler) = &mut parts.sampler {
            sampler.take(&interval, |code| simulated_model.frames(code));
        }
    }

    /// The line of a collection, as Dalvik logs it.
    fn collection(&self, at_ns: u64) -> BufferedLine {
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

    /// Sleeps on the board's clock, first the busy time, then the rest.
    pub(super) fn sleep(&self, duration_ns: u64) -> Result<(), Interrupted> {
        let hold = lock(&self.hold);
        let ending = matches!(*lock(&self.stage), Stage::Stopping | Stage::Ended);
        let for_ever = self.hangs.load(Ordering::SeqCst) && !ending;
        let duration_ns = if for_ever { FOR_EVER } else { duration_ns };
        match hold.as_ref() {
            Some(hold) if duration_ns > 0 => {
                self.board.clock.sleep_held(hold, duration_ns, Sleeper::Application(self.pid))
            }
            _ => Ok(()),
        }
    }

    /// The same of a sleep that ends early where somebody touches the window, but not before
    /// the busy time is over.
    pub(super) fn doze(&self, busy_ns: u64, duration_ns: u64) -> Result<(), Interrupted> {
        *lock(&self.dozes) = Some(self.board.clock.now_ns().saturating_add(busy_ns));
        let end = self.sleep(busy_ns.saturating_add(duration_ns));
        *lock(&self.dozes) = None;
        end
    }

    /// The process has said that it ends; its last work takes so long.
    pub(super) fn leave(&self, busy_ns: u64) {
        lock(&self.parts).last_busy_ns = busy_ns;
    }

    /// The process has ended: its last work is accounted for, the log says how it
    /// ended, the ground truth is written.
    pub(super) fn settle(&self, status: Option<ExitStatus>) {
        let busy_ns = self.account() + lock(&self.parts).last_busy_ns;
        let stopped = *lock(&self.stage) == Stage::Stopping;
        if !stopped {
            // The board's end leaves nothing to wait for.
            self.sleep(busy_ns).ok();
        }
        self.log_end(status, stopped);
        self.write_truth();
    }

    /// Those who wait for the end of the process go on, once it is among the running ones no
    /// longer.
    pub(super) fn release(&self) {
        self.recordings.ended(self.pid, self.board.clock.now_ns());
        // They go on before the clock moves.
        lock(&self.watchers).drain(..).for_each(|command| self.board.clock.park(command, false));
        lock(&self.hold).take();
        self.board.clock.allow(Sleeper::Application(self.pid));
        self.set_stage(|_| Stage::Ended);
    }

    fn log_end(&self, status: Option<ExitStatus>, stopped: bool) {
        let mut parts = lock(&self.parts);
        self.take_reports(&mut parts);
        let has_result = |report: &AppReport| matches!(report, AppReport::Result { .. });
        if !lock(&self.said).iter().any(has_result) {
            lock(&self.said).push(AppReport::crash("Process crashed.", ""));
        }
        let (out, err) = (parts.stdout.rest(), parts.stderr.rest());
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

    fn log_lines(&self, parts: &mut Parts, out: &[String], err: &[String]) {
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

    fn write_truth(&self) {
        let Some(truth) = &self.truth else { return };
        let folder = truth.join(self.board.session_label());
        let written = lock(&self.parts).simulated_model.write_truth(&folder);
        if let Err(error) = written.and_then(|()| self.write_rail_factors(&folder)) {
            self.board.problem(&format!("no ground truth in {}: {error}", folder.display()));
        }
    }

    /// What the ground truth is to be multiplied with for each rail.
    fn write_rail_factors(&self, folder: &Path) -> io::Result<()> {
        let factors = self.board.hardware().rail_factors();
        let rows = factors.iter().map(|(rail, factor)| format!("{rail},{factor}\n"));
        fs::write(folder.join("rails.csv"), format!("rail,factor\n{}", rows.collect::<String>()))
    }

    fn set_stage(&self, next: impl FnOnce(Stage) -> Stage) {
        let mut stage = lock(&self.stage);
        *stage = next(*stage);
        self.changed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
