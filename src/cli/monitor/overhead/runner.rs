//! One run of the command, with the agent or without it, and its figures.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::attribution::monitor::agent_overhead::RunFigure;
use crate::attribution::monitor::facts::TICKS_PER_S;
use crate::attribution::monitor::sensors::parse_process;
use crate::cli::monitor::arguments::Arguments;
use crate::cli::monitor::jvm::{Jvm, JvmSpan, START, prepare};
use crate::cli::stop::StopRequest;
use crate::device::{end_group, last_of};
use crate::failure::Failure;
use crate::format::{truncate, visible_name};
use crate::toolchain::Jdk;
use crate::toolchain::agent_link::AttachError;
use crate::toolchain::agent_session::AgentSession;

use super::configuration::AgentConfiguration;
use super::output_marks::{OutputFindings, OutputMarks};
use super::requests::{RequestError, RequestTarget};

/// Interval in which the end of a command is noticed.
const LOOK: Duration = Duration::from_millis(5);

/// Length of a cycle of the monitor, in which the agent is read.
const CYCLE: Duration = Duration::from_secs(1);

/// A server that does not answer by then does not start.
const SERVER_START: Duration = Duration::from_secs(300);

/// A JVM whose agent answers no more has to end by then.
const END: Duration = Duration::from_secs(2);

/// Characters of a command's last output in an error message.
const SHOWN: usize = 300;

/// Elapsed time and CPU time of a command up to a moment.
#[derive(Debug, Clone, Copy)]
struct SpentTime {
    elapsed_s: f64,
    cpu_s: Option<f64>,
}

/// Requests to a server, and for how long.
#[derive(Debug, Clone)]
pub struct RequestPhase {
    /// The page.
    pub target: RequestTarget,
    /// Seconds of requests that are not measured.
    pub warm_up_s: f64,
    /// Seconds of requests that are measured.
    pub measured_s: f64,
}

/// Runs a command as often as it is asked to.
pub struct AgentRunner<'a> {
    /// The command: `java` and its arguments.
    pub command: &'a [String],
    /// What its output says.
    pub marks: &'a OutputMarks,
    /// Requests to it; without them it runs until it ends.
    pub requests: Option<&'a RequestPhase>,
    /// The JDK that builds the agent.
    pub jdk: &'a Jdk,
    /// Whether to stop.
    pub stop: &'a StopRequest,
}

/// Thread that reads the output of the command.
type OutputReader = JoinHandle<io::Result<OutputFindings<SpentTime>>>;

/// The figures of a run.
type RunFigures = BTreeMap<RunFigure, f64>;

impl AgentRunner<'_> {
    /// One run; none if it was asked to stop.
    pub fn run(&self, configuration: &AgentConfiguration) -> Result<Option<RunFigures>, Failure> {
        let arguments = configuration.arguments.as_deref();
        let session = arguments.map(|arguments| prepare(arguments, self.jdk)).transpose()?;
        let options = session.as_ref().map(AgentSession::jvm_options).unwrap_or_default();
        let mut started = StartedCommand::start(self.command, &options)?;
        let agent = arguments.zip(session).map(|(arguments, session)| {
            AgentReader::start(arguments.clone(), session, started.child.id())
        });
        let output = started.read_output(self.marks);
        let mut figures = RunFigures::new();
        let is_whole = match self.requests {
            Some(phase) => self.send_requests(&mut started, phase, &mut figures)?,
            None => self.await_end(&mut started, &mut figures)?,
        };
        if !is_whole {
            return Ok(None);
        }
        end_group(&mut started.child);
        if let Some(agent) = agent {
            agent.finish()?;
        }
        if self.requests.is_none() {
            add_output(&mut figures, &self.output_findings(output)?, self.marks)?;
        }
        Ok(Some(figures))
    }

    /// What the thread that reads the output has found.
    fn output_findings(&self, reader: OutputReader) -> Result<OutputFindings<SpentTime>, Failure> {
        let found = result_of(reader, "output of the command")?;
        let name = self.command.first().map_or("", String::as_str);
        found.map_err(Failure::io("read", format!("standard output of {name}")))
    }

    /// Waits until the command ends; false if it was asked to stop before.
    fn await_end(
        &self,
        started: &mut StartedCommand,
        figures: &mut RunFigures,
    ) -> Result<bool, Failure> {
        while !started.is_over() {
            if self.stop.sleep(Instant::now() + LOOK, || false) {
                return Ok(false);
            }
        }
        // It is in the system's books until it is asked how it ended.
        let cpu_s = started.cpu_s();
        started.check_success()?;
        figures.extend(cpu_s.map(|seconds| (RunFigure::CpuTime, seconds)));
        Ok(true)
    }

    /// Sends requests from the first response on; false if it was asked to stop before.
    fn send_requests(
        &self,
        started: &mut StartedCommand,
        phase: &RequestPhase,
        figures: &mut RunFigures,
    ) -> Result<bool, Failure> {
        let limit = Instant::now() + SERVER_START;
        loop {
            match phase.target.send() {
                Ok(()) => break,
                Err(RequestError::NoConnection(_)) if Instant::now() < limit => {}
                Err(error) => return Err(phase.target.failure(&error)),
            }
            started.check_running()?;
            if self.stop.sleep(Instant::now() + LOOK, || false) {
                return Ok(false);
            }
        }
        add_start(figures, started.spent());
        let Some(_) = self.request_for(started, phase, phase.warm_up_s)? else { return Ok(false) };
        let before = started.spent();
        let Some(count) = self.request_for(started, phase, phase.measured_s)? else {
            return Ok(false);
        };
        let after = started.spent();
        let count = count.max(1) as f64;
        figures.insert(RunFigure::RequestTime, (after.elapsed_s - before.elapsed_s) / count);
        if let (Some(before), Some(after)) = (before.cpu_s, after.cpu_s) {
            figures.insert(RunFigure::RequestCpuTime, (after - before) / count);
        }
        Ok(true)
    }

    /// Number of requests in so many seconds; none if it was asked to stop.
    fn request_for(
        &self,
        started: &mut StartedCommand,
        phase: &RequestPhase,
        seconds: f64,
    ) -> Result<Option<u64>, Failure> {
        let end = Instant::now() + Duration::from_secs_f64(seconds);
        let mut count = 0;
        while Instant::now() < end {
            phase.target.send().map_err(|error| phase.target.failure(&error))?;
            started.check_running()?;
            if self.stop.is_asked() {
                return Ok(None);
            }
            count += 1;
        }
        Ok(Some(count))
    }
}

fn add_start(figures: &mut RunFigures, spent: SpentTime) {
    figures.insert(RunFigure::StartTime, spent.elapsed_s);
    figures.extend(spent.cpu_s.map(|seconds| (RunFigure::StartCpuTime, seconds)));
}

fn add_output(
    figures: &mut RunFigures,
    found: &OutputFindings<SpentTime>,
    marks: &OutputMarks,
) -> Result<(), Failure> {
    match (found.start, &marks.start) {
        (Some(spent), _) => add_start(figures, spent),
        (None, None) => {}
        (None, Some(text)) => {
            let why = "no line of the command's standard output contains it";
            return Err(Failure::Usage(format!("--start-line {text:?}: {why}")));
        }
    }
    match (found.request_s, &marks.request) {
        (None, Some(text)) => {
            let why = "no line of the command's standard output has a number after it";
            Err(Failure::Usage(format!("--request-line {text:?}: {why}")))
        }
        (request_s, _) => {
            figures.extend(request_s.map(|seconds| (RunFigure::RequestTime, seconds)));
            Ok(())
        }
    }
}

/// The command, in a process group of its own, which ends with this.
struct StartedCommand {
    name: String,
    child: Child,
    begin: Instant,
    said: File,
}

impl StartedCommand {
    fn start(command: &[String], options: &[String]) -> Result<Self, Failure> {
        let (program, rest) = command.split_first().ok_or_else(|| {
            Failure::Usage("give a command after `--`, or none for the built-in program".into())
        })?;
        let failed = Failure::io("start", program);
        let said = tempfile::tempfile().map_err(Failure::io("create", "a temporary file"))?;
        let errors = said.try_clone().map_err(Failure::io("create", "a temporary file"))?;
        let begin = Instant::now();
        let child = Command::new(program)
            .args(options)
            .args(rest)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        Ok(Self { name: program.clone(), child, begin, said })
    }

    /// Reads its output in a thread, until it ends.
    fn read_output(&mut self, marks: &OutputMarks) -> OutputReader {
        let (marks, pid, begin) = (marks.clone(), self.child.id(), self.begin);
        let output: Option<ChildStdout> = self.child.stdout.take();
        thread::spawn(move || match output {
            Some(output) => marks.read(BufReader::new(output), || spent(pid, begin)),
            None => Ok(OutputFindings { start: None, request_s: None }),
        })
    }

    fn spent(&self) -> SpentTime {
        spent(self.child.id(), self.begin)
    }

    fn cpu_s(&self) -> Option<f64> {
        cpu_s(self.child.id())
    }

    /// Whether it has ended; it stays in the system's books.
    fn is_over(&self) -> bool {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !pid.is_some_and(|pid| matches!(waitid(WaitId::Pid(pid), look), Ok(None)))
    }

    /// An error if a server has ended.
    fn check_running(&mut self) -> Result<(), Failure> {
        match self.child.try_wait() {
            Ok(Some(status)) => Err(self.ended(status)),
            _ => Ok(()),
        }
    }

    /// An error if it did not end with success.
    fn check_success(&mut self) -> Result<(), Failure> {
        let status = self.child.wait().map_err(Failure::io("wait for", &self.name))?;
        if status.success() { Ok(()) } else { Err(self.ended(status)) }
    }

    fn ended(&mut self, status: ExitStatus) -> Failure {
        let said = last_of(&mut self.said).unwrap_or_default();
        let said = match said.trim() {
            "" => String::new(),
            said => format!(": {}", visible_name(&truncate(said, SHOWN))),
        };
        Failure::Usage(format!("the command {} has ended ({status}){said}", self.name))
    }
}

impl Drop for StartedCommand {
    fn drop(&mut self) {
        end_group(&mut self.child);
    }
}

fn spent(pid: u32, begin: Instant) -> SpentTime {
    SpentTime { elapsed_s: begin.elapsed().as_secs_f64(), cpu_s: cpu_s(pid) }
}

/// CPU seconds of a process up to now, in steps of 10 ms.
fn cpu_s(pid: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Some(parse_process(&text)?.1.ticks as f64 / TICKS_PER_S)
}

/// Reads the agent once a cycle, as `wattline monitor` does, until the JVM ends.
struct AgentReader {
    thread: JoinHandle<Result<(), Failure>>,
    over: std::sync::mpsc::Sender<()>,
}

impl AgentReader {
    fn start(arguments: Arguments, session: AgentSession, pid: u32) -> Self {
        let (over, is_over) = channel();
        let thread = thread::spawn(move || read_agent(&arguments, session, pid, &is_over));
        Self { thread, over }
    }

    /// Ends the reading, after the JVM has ended.
    fn finish(self) -> Result<(), Failure> {
        drop(self.over);
        result_of(self.thread, "agent")?
    }
}

/// The result of a thread that reads `what`; an error if it panicked.
fn result_of<T>(thread: JoinHandle<T>, what: &str) -> Result<T, Failure> {
    let why = || format!("the thread that reads the {what} panicked; report this as a fault");
    thread.join().map_err(|_| Failure::Board(why()))
}

fn read_agent(
    arguments: &Arguments,
    session: AgentSession,
    pid: u32,
    is_over: &Receiver<()>,
) -> Result<(), Failure> {
    let lives = || fs::exists(format!("/proc/{pid}")).unwrap_or(false);
    let link = session.connect(pid, START, lives)?;
    let mut jvm = Jvm::new(arguments, Some(session), link, JvmSpan::FromStart)?;
    while !jvm.has_ended {
        match is_over.recv_timeout(CYCLE) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => break,
        }
        if let Err(error) = jvm.cycle() {
            return check_ended(error, is_over, END);
        }
    }
    Ok(())
}

/// The error of an agent's reader, unless the command ends within `patience`: a JVM that ends
/// closes its connections first.
fn check_ended(
    error: AttachError,
    is_over: &Receiver<()>,
    patience: Duration,
) -> Result<(), Failure> {
    match is_over.recv_timeout(patience) {
        Err(RecvTimeoutError::Timeout) => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_fails_fails_the_run_unless_the_command_ends() {
        let (command, is_over) = channel();
        let failed = check_ended(AttachError::NoProcess(7), &is_over, Duration::ZERO);
        assert!(failed.unwrap_err().to_string().contains("no process 7"));
        drop(command);
        check_ended(AttachError::NoProcess(7), &is_over, Duration::ZERO).unwrap();
    }

    #[test]
    fn a_reader_that_panicked_fails_the_run() {
        let (over, is_over) = channel();
        let thread = thread::spawn(move || {
            let _ = is_over.recv();
            panic!("in the test");
        });
        let error = AgentReader { thread, over }.finish().unwrap_err().to_string();
        assert!(error.contains("reads the agent panicked"), "{error}");
    }
}
