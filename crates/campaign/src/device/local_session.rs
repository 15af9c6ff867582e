//! One session on this machine's JVM: the application and its input, the sampler, the log.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use jiff::civil::date;

use crate::assumptions::ASSUMED;
use crate::build::counts_files;
use crate::power::{MachineLoad, MachineReading, MarkerTexts, crash_trace};
use crate::scenario::steps_in_order;
use crate::toolchain::jvm::exit_code;
use crate::toolchain::{UTF8_LOCALE, flight_recorder};

use super::error::DeviceError;
use super::input_command::run_with_input_command;
use super::local::{LOCAL_SERIAL, LocalJvm};
use super::session::{SessionEnd, SessionLogs, SessionOutcome};
use super::session_plan::{SessionKind, SessionPlan};
use super::session_profile::SessionProfile;
use super::thread_times::ThreadTimes;

/// Time between two readings of thread times, so that no thread ends with unread time: the shortest
/// time that HotSpot keeps an idle compiler thread.
const THREADS_PERIOD: Duration = Duration::from_millis(100);

/// Time between two readings of the machine's load.
const MACHINE_PERIOD: Duration = Duration::from_millis(200);

impl LocalJvm {
    /// Runs a session to its end; calls `closed` with the number of microbenchmarks that have ended
    /// plus those compiled before. See [`run_session_watched`](super::run_session_watched).
    pub fn run_session_watched(
        &self,
        plan: &SessionPlan,
        closed: &mut dyn FnMut(u64),
    ) -> Result<SessionLogs, DeviceError> {
        let session = LocalSession::new(self, plan, self.header(plan));
        let command = plan.input_command.as_ref();
        let (logs, input) = run_with_input_command(command, LOCAL_SERIAL, &|| (), |begin| {
            session.run(begin, closed)
        });
        let mut logs = logs?;
        if let Some(end) = input {
            logs.add_input_result(&end);
        }
        Ok(logs)
    }

    fn header(&self, plan: &SessionPlan) -> String {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let period = plan.period.as_micros();
        let name = self.meter();
        format!(
            "# wattline-readings 1 meter={name} period_us={period} tdp_w={} cores={cores}\n",
            ASSUMED.design_power_w
        )
    }
}

/// The text before the name of a compiled microbenchmark in its program's output
/// (`MicrobenchmarkMain.java`).
const COMPILED: &str = "wattline: compiled";

/// Prefix of the extras for the runner of an application (`Runner.java`): here they become system
/// properties.
const OWN_EXTRAS: &str = "wattline.";

/// Whether an extra is the one with the lines of standard input, which becomes no property.
fn is_input((key, _): &&(String, String)) -> bool {
    key == "wattline.input"
}

/// State of one session on this machine's JVM while it runs, shared by its threads.
struct LocalSession<'s> {
    jvm: &'s LocalJvm,
    plan: &'s SessionPlan,
    log: Mutex<Vec<(f64, String)>>,
    samples: Mutex<String>,
    /// Readings of the machine's load.
    machine: Mutex<Vec<MachineReading>>,
    /// The application's process; 0 where none runs.
    pid: AtomicU32,
    /// CPU times of its threads.
    threads: Mutex<ThreadTimes>,
    over: AtomicBool,
    /// Number of microbenchmarks that were compiled, plus those that have ended.
    closed: AtomicU64,
    /// The code with which the application ended by itself; 0 while it has not.
    code: AtomicI32,
}

/// Files that the application and its sampler wrote: counts, snapshots, profile.
#[derive(Default)]
struct SessionOutput {
    counts: Option<String>,
    windows: Option<String>,
    profile: Option<SessionProfile>,
    /// Why a sampled session has no profile.
    trouble: Option<String>,
}

impl<'s> LocalSession<'s> {
    /// A session that has not begun; `header` is the first text of its samples.
    fn new(jvm: &'s LocalJvm, plan: &'s SessionPlan, header: String) -> Self {
        Self {
            jvm,
            plan,
            log: Mutex::default(),
            samples: Mutex::new(header),
            machine: Mutex::default(),
            pid: AtomicU32::new(0),
            threads: Mutex::default(),
            over: AtomicBool::new(false),
            closed: AtomicU64::new(0),
            code: AtomicI32::new(0),
        }
    }

    /// Runs the session to its end; calls `begin` when the application has begun.
    fn run(
        &self,
        begin: &mut dyn FnMut(),
        closed: &mut dyn FnMut(u64),
    ) -> Result<SessionLogs, DeviceError> {
        thread::scope(|scope| {
            let header = lock(&self.samples).len();
            let sampler = scope.spawn(|| self.sample());
            // The first reading is before the window, whose times are cut to milliseconds.
            while lock(&self.samples).len() == header && !sampler.is_finished() {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(Duration::from_millis(2));
            let began_s = self.mark_uptime();
            let end = match self.plan.kind {
                SessionKind::Idle { duration } => self.idle(duration),
                SessionKind::App | SessionKind::Traced | SessionKind::Sampled(_) => {
                    self.application(begin, closed)
                }
            };
            let ended_s = self.mark_uptime();
            self.over.store(true, Ordering::SeqCst);
            // A sampler that panicked has written what it has written.
            sampler.join().ok();
            let (end, left) = end?;
            Ok(self.logs(end, left, (began_s, ended_s)))
        })
    }

    /// Reads the meter once a period, and once after the end.
    fn sample(&self) {
        let mut last = false;
        let mut machine_read: Option<Instant> = None;
        loop {
            let reading = self.jvm.reading(self.pid.load(Ordering::SeqCst));
            let now_s = self.jvm.now_s();
            *lock(&self.samples) += &format!("@ {now_s:.6}\n{reading}");
            if last || machine_read.is_none_or(|read| read.elapsed() >= MACHINE_PERIOD) {
                machine_read = Some(Instant::now());
                self.read_machine();
            }
            if last {
                return;
            }
            thread::sleep(self.plan.period);
            last = self.over.load(Ordering::SeqCst);
        }
    }

    /// Reads the machine's load.
    fn read_machine(&self) {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        lock(&self.machine).extend(MachineReading::parse(&stat));
    }

    /// Load of the machine by other work from the session's start to its end.
    fn load(&self) -> Option<MachineLoad> {
        let own_s = lock(&self.threads).times().process_s;
        MachineLoad::between(&lock(&self.machine), own_s)
    }

    /// Adds a line to the log at the present time.
    fn say(&self, tag: &str, pid: u32, text: &str) {
        let now_s = self.jvm.now_s();
        lock(&self.log).push((now_s, format!("{pid:5} {pid:5} I {tag:<8}: {text}")));
    }

    fn mark_uptime(&self) -> f64 {
        let now_s = self.jvm.now_s();
        // The time in the line is that of the line, to the millisecond that is printed.
        let line = format!("    1     1 I wattline: uptime {:.3}", floor_ms(now_s));
        lock(&self.log).push((now_s, line));
        now_s
    }

    fn idle(&self, duration: Duration) -> Result<(SessionEnd, SessionOutput), DeviceError> {
        self.say("System.out", 1, &self.plan.marks.begin);
        thread::sleep(duration);
        self.say("System.out", 1, &self.plan.marks.end);
        Ok((SessionEnd::Ok, SessionOutput::default()))
    }

    fn application(
        &self,
        begin: &mut dyn FnMut(),
        closed: &mut dyn FnMut(u64),
    ) -> Result<(SessionEnd, SessionOutput), DeviceError> {
        let failed = |source| DeviceError::File { path: self.jvm.jdk.java.clone(), source };
        let folder = tempfile::tempdir_in(self.jvm.folder.path()).map_err(failed)?;
        let sampled = matches!(self.plan.kind, SessionKind::Sampled(_));
        let recording = folder.path().join("wattline.jfr");
        let options = sampled.then(|| self.jvm.sampling(folder.path(), &recording)).transpose();
        let options =
            options.map_err(|source| DeviceError::File { path: folder.path().into(), source })?;
        let mut options = options.unwrap_or_default();
        options.extend(self.jvm.options()?);
        let mut child = self.start(folder.path(), options).map_err(failed)?;
        let pid = child.id();
        self.pid.store(pid, Ordering::SeqCst);
        let (out, err, mut input) = (child.stdout.take(), child.stderr.take(), child.stdin.take());
        let lines = self.plan.extras.iter().find(is_input);
        if let (Some((_, lines)), Some(input)) = (lines, &mut input) {
            // A program that reads none may close it.
            input.write_all((lines.replace(';', "\n") + "\n").as_bytes()).ok();
        }
        let end = thread::scope(|scope| {
            scope.spawn(|| self.copy(out, "System.out", pid));
            scope.spawn(|| self.copy(err, "System.err", pid));
            let end = self.drive(&mut child, input, begin, closed);
            if sampled {
                // What its sampler knows is written when it ends by itself, or is told to.
                flight_recorder::stop_jvm(&mut child);
            }
            // It may have ended by itself.
            child.kill().ok();
            child.wait().ok();
            end
        });
        self.pid.store(0, Ordering::SeqCst);
        let unread = |source| DeviceError::File { path: folder.path().into(), source };
        let is_whole = counts_files::are_counts_whole(folder.path()).map_err(unread)?;
        let counts = counts_files::read_counts(folder.path()).map_err(unread)?;
        let windows = counts_files::read_snapshots(folder.path()).map_err(unread)?;
        let (profile, trouble) = match sampled.then(|| self.profile(&recording)) {
            None => (None, None),
            Some(Ok(profile)) => (Some(profile), None),
            Some(Err(trouble)) => (None, Some(trouble)),
        };
        Ok((end, SessionOutput { counts: counts.filter(|_| is_whole), windows, profile, trouble }))
    }

    /// Starts the application in a folder, its JVM with these options.
    fn start(&self, folder: &Path, options: Vec<OsString>) -> io::Result<Child> {
        let (own, extras): (Vec<_>, Vec<_>) =
            self.plan.extras.iter().partition(|(key, _)| key.starts_with(OWN_EXTRAS));
        let extras = extras.iter().map(|(key, value)| format!("{key}={value}"));
        let properties = own.iter().map(|(key, value)| format!("-D{key}={value}"));
        Command::new(&self.jvm.jdk.java)
            .args(options)
            .args(properties)
            .arg("-cp")
            .arg(self.jvm.jar())
            .arg(&self.plan.main)
            .args(extras)
            .current_dir(folder)
            .envs(UTF8_LOCALE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }

    /// The profile of the samples between the markers, or the reason why there is none.
    fn profile(&self, recording: &Path) -> Result<SessionProfile, String> {
        let bytes = fs::read(recording)
            .map_err(|error| format!("the sampler left no recording: {error}"))?;
        let marks = &self.plan.marks;
        let wall_ms = |mark: &str| Some(self.jvm.wall_ms(self.time_of(mark)?));
        let window = wall_ms(&marks.begin).zip(wall_ms(&marks.end));
        let stacks = flight_recorder::collapsed_samples(&self.jvm.jdk, recording, window);
        let stacks = stacks.map_err(|error| error.to_string())?;
        Ok(SessionProfile { recording: bytes, stacks })
    }

    fn copy(&self, output: Option<impl Read>, tag: &str, pid: u32) {
        let Some(output) = output else { return };
        let MarkerTexts { begin, end } = &self.plan.marks;
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            self.say(tag, pid, &line);
            let closes = |mark: &str| line.strip_prefix(mark).is_some_and(|of| of.starts_with(' '));
            if closes(end) || closes(COMPILED) {
                self.closed.fetch_add(1, Ordering::SeqCst);
            }
            if line.starts_with(begin) || line.starts_with(end) {
                let times = self.read_threads(pid).times();
                self.say("wattline", pid, &times.to_string());
            }
        }
    }

    /// The times of the process's threads up to now.
    fn read_threads(&self, pid: u32) -> MutexGuard<'_, ThreadTimes> {
        let mut threads = lock(&self.threads);
        threads.read(&PathBuf::from(format!("/proc/{pid}")));
        threads
    }

    /// Sends the input at its times and ends it then; waits for the end marker, the process's
    /// end, or the limit.
    fn drive(
        &self,
        child: &mut Child,
        mut input: Option<ChildStdin>,
        begin: &mut dyn FnMut(),
        closed: &mut dyn FnMut(u64),
    ) -> SessionEnd {
        let mut steps = steps_in_order(&self.plan.steps).into_iter().peekable();
        let started = Instant::now();
        let mut looked = started;
        let mut ended: Option<Instant> = None;
        let mut told = 0;
        loop {
            let now = self.closed.load(Ordering::SeqCst);
            if now != told {
                told = now;
                closed(now);
            }
            let begun_s = self.time_of(&self.plan.marks.begin);
            if begun_s.is_some() {
                begin();
            }
            let passed_s = begun_s.map(|begun_s| self.jvm.now_s() - begun_s);
            while let (Some(step), Some(passed_s)) = (steps.peek(), passed_s)
                && step.at_s <= passed_s
            {
                // One that closed its input does not hear it.
                let line = format!("{}\n", step.action.command());
                input.as_mut().map(|input| input.write_all(line.as_bytes()));
                steps.next();
            }
            if steps.peek().is_none() {
                // Its input ends there, as on a board: one that reads all of it does not hang.
                input = None;
            }
            if looked.elapsed() >= THREADS_PERIOD {
                looked = Instant::now();
                drop(self.read_threads(child.id()));
            }
            let status = child.try_wait().ok().flatten();
            let has_ended = self.time_of(&self.plan.marks.end).is_some();
            if has_ended {
                ended.get_or_insert_with(Instant::now);
            }
            match status {
                Some(status) => return self.ended_by_itself(child.id(), status),
                None if ended.is_some_and(|ended| ended.elapsed() >= self.settling_time()) => {
                    return SessionEnd::Ok;
                }
                None if started.elapsed() >= self.plan.limit => return SessionEnd::TimedOut,
                None => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Time for which the application may run on after its end marker.
    fn settling_time(&self) -> Duration {
        match self.plan.kind {
            SessionKind::Traced => Duration::from_millis(2500),
            // It ends by itself, and writes its samples then, which takes a while.
            SessionKind::Sampled(_) => Duration::from_secs(5),
            _ => Duration::from_millis(500),
        }
    }

    /// Notes that the process is gone, with its code.
    fn ended_by_itself(&self, pid: u32, status: ExitStatus) -> SessionEnd {
        // What it printed last may still be on its way.
        thread::sleep(Duration::from_millis(50));
        let has_ended = self.time_of(&self.plan.marks.end).is_some();
        let code = exit_code(status);
        self.code.store(code, Ordering::SeqCst);
        let text = format!("Process {} (pid {pid}) has died", self.plan.package);
        self.say("ActivityManager", 1, &format!("{text}: {code}"));
        if has_ended { SessionEnd::Ok } else { SessionEnd::Died }
    }

    /// Uptime in seconds at which a marker was printed.
    fn time_of(&self, mark: &str) -> Option<f64> {
        let log = lock(&self.log);
        let found = log.iter().find(|(_, line)| line.ends_with(&format!(": {mark}")));
        found.map(|(time_s, _)| *time_s)
    }

    /// The exception in the log of an application that ended badly.
    fn crash(&self, logcat: &str) -> Option<String> {
        let code = Some(self.code.load(Ordering::SeqCst)).filter(|code| *code != 0)?;
        Some(crash_trace(logcat).unwrap_or_else(|| format!("exit code {code}")))
    }

    fn logs(&self, end: SessionEnd, left: SessionOutput, uptime_s: (f64, f64)) -> SessionLogs {
        let mut lines = std::mem::take(&mut *lock(&self.log));
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        let logcat = lines.iter().map(|(time_s, line)| format!("{} {line}\n", stamp(*time_s)));
        let logcat: String = logcat.collect();
        let traced = self.plan.kind == SessionKind::Traced;
        let mut warnings: Vec<String> = self.jvm.remark().into_iter().collect();
        if traced && left.counts.is_none() {
            warnings.push("the application ended before it had written all its counts".into());
        }
        warnings.extend(left.trouble);
        SessionLogs {
            samples: std::mem::take(&mut *lock(&self.samples)),
            crash: self.crash(&logcat),
            logcat,
            script_output: format!("meter={}\n", self.jvm.meter()),
            counts: left.counts.filter(|_| traced),
            windows: left.windows.filter(|_| traced),
            profile: left.profile,
            outcome: SessionOutcome {
                end,
                uptime_s,
                temperature_before_c: None,
                temperature_after_c: None,
                frequency_start_khz: None,
                frequency_khz: None,
                frequency_min_khz: None,
                throttled_s: None,
                thermal_status: None,
                screen_on: None,
                compiled: None,
                load: self.load(),
                input_fault: None,
                warnings,
            },
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn floor_ms(seconds: f64) -> f64 {
    (seconds * 1000.0).floor() / 1000.0
}

/// `MM-DD HH:MM:SS.mmm`, as if this machine had started at the first moment of a leap year.
fn stamp(seconds: f64) -> String {
    let since = SignedDuration::from_millis((seconds * 1000.0).floor() as i64);
    let at = date(2024, 1, 1).at(0, 0, 0, 0).saturating_add(since);
    at.strftime("%m-%d %H:%M:%S.%3f").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_count_from_the_start_of_the_machine() {
        assert_eq!(stamp(0.0015), "01-01 00:00:00.001");
        assert_eq!(stamp(86_400.0 + 3_661.25), "01-02 01:01:01.250");
        assert_eq!(stamp(60.0 * 86_400.0), "03-01 00:00:00.000");
    }
}
