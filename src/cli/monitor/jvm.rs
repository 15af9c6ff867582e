//! The JVM whose methods are measured: let the agent in, read it, and take probes out of
//! what is called too often.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use wattline_units::input::read_regular_text;
use wattline_units::limits::AGENT_LINE_BYTES;

use crate::assumptions::ASSUMED;
use crate::attribution::monitor::jvm::{
    JvmCycle, JvmState, Lighten, Way, parse_greeting, parse_reading,
};
use crate::failure::Failure;
use crate::recording::{CallCountKind, FoldedMethod};
use crate::toolchain::Jdk;
use crate::toolchain::agent_link::{AgentLink, AttachError, LinkFile};
use crate::toolchain::agent_session::{
    AgentSession, AgentSettings, CpuTimeAllocation, SmallMethodPolicy, check_attachable,
};
use crate::toolchain::monitor_agent::monitor_agent;

use super::arguments::Arguments;

/// How long an agent may take to answer: a large server's classes are woven first.
pub(super) const START: Duration = Duration::from_secs(60);

/// Milliseconds between two samples where probes count calls as well, which takes more.
const PERIOD_BESIDE_PROBES_MS: u32 = 20;

/// A JVM under measurement.
pub struct Jvm {
    /// Its process.
    pub pid: u32,
    /// Its version.
    pub java: String,
    /// How it is measured.
    pub way: Way,
    /// What is known of it.
    pub state: JvmState,
    /// The methods that lost their probe.
    pub folded: Vec<FoldedMethod>,
    /// Names of the methods whose calls are estimates.
    pub estimated: Vec<String>,
    /// Methods of which not all calls are counted, by number.
    pub counted: BTreeMap<usize, CallCountKind>,
    /// Whether it has ended: what is known stays.
    pub has_ended: bool,
    link: AgentLink,
    lighten: Lighten,
    /// By method: calls so far, and what of them is estimated.
    calls: BTreeMap<usize, (u64, u64)>,
    cycles: u64,
    /// The settings' folder, which goes with it.
    _session: Option<AgentSession>,
}

/// What is measured: the command that was started, and the JVM.
#[derive(Default)]
pub struct OpenedJvm {
    /// The command, if there is one.
    pub child: Option<Child>,
    /// The JVM, if it is known yet.
    pub jvm: Option<Jvm>,
    /// Whether the command may yet start a JVM.
    pub may_start_one: bool,
    /// What to know about it.
    pub note: Option<String>,
}

/// Since when a JVM is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JvmSpan {
    /// Its start.
    FromStart,
    /// Some moment in its life.
    FromNow,
}

/// Starts the command, if there is one, just after `begin`, and lets the agent into the JVM.
pub fn open(
    arguments: &Arguments,
    begin: &mut dyn FnMut() -> Result<(), Failure>,
) -> Result<OpenedJvm, Failure> {
    if let Some(file) = &arguments.link {
        return Ok(OpenedJvm { jvm: Some(linked(arguments, file)?), ..OpenedJvm::default() });
    }
    if let Some(pid) = arguments.jvm {
        return Ok(OpenedJvm { jvm: Some(attach(arguments, pid)?), ..OpenedJvm::default() });
    }
    let Some((program, rest)) = arguments.command.split_first() else {
        return Ok(OpenedJvm::default());
    };
    let mut command = Command::new(program);
    command.stdout(arguments.format.output_of_program()?);
    if !is_java(program) {
        begin()?;
        let child = command.args(rest).spawn().map_err(Failure::io("start", program))?;
        let note = format!(
            "{program} is no `java`: a JVM that it starts is measured from the cycle on in which it \
             is found"
        );
        return Ok(OpenedJvm {
            child: Some(child),
            may_start_one: true,
            note: Some(note),
            ..OpenedJvm::default()
        });
    }
    let session = prepare(arguments, &Jdk::find()?)?;
    let command = command.args(session.jvm_options()).args(rest);
    begin()?;
    let mut child = command.spawn().map_err(Failure::io("start", program))?;
    let link = session.connect(child.id(), START, || matches!(child.try_wait(), Ok(None)));
    let jvm = link
        .map_err(Failure::from)
        .and_then(|link| Jvm::new(arguments, Some(session), link, JvmSpan::FromStart));
    match jvm {
        Ok(jvm) => Ok(OpenedJvm { child: Some(child), jvm: Some(jvm), ..OpenedJvm::default() }),
        Err(_) if ends_soon(&mut child) => Ok(OpenedJvm {
            child: Some(child),
            note: Some("the JVM ended before its methods could be measured".into()),
            ..OpenedJvm::default()
        }),
        Err(failure) => {
            // It was started for this; what it said stands above.
            let _ = child.kill();
            let _ = child.wait();
            Err(failure)
        }
    }
}

/// Whether a program is `java`, to whose command line the agent is added.
pub(super) fn is_java(program: &str) -> bool {
    program.rsplit('/').next() == Some("java")
}

/// Whether a command that does not answer is about to end: a JVM closes its connections first.
fn ends_soon(child: &mut Child) -> bool {
    let until = Instant::now() + Duration::from_secs(2);
    while Instant::now() < until {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Lets the agent into a running JVM.
pub fn attach(arguments: &Arguments, pid: u32) -> Result<Jvm, Failure> {
    check_attachable(pid)?;
    let jdk = Jdk::find()?;
    let session = prepare(arguments, &jdk)?;
    session.attach(&jdk, pid)?;
    let link = session.connect(pid, START, || check_attachable(pid).is_ok())?;
    Jvm::new(arguments, Some(session), link, JvmSpan::FromNow)
}

/// A JVM that was started with the agent's jar.
fn linked(arguments: &Arguments, file: &Path) -> Result<Jvm, Failure> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let text = read_regular_text(file, AGENT_LINE_BYTES).map_err(Failure::io("read", file))?;
    let link = LinkFile::parse(&text, folder).ok_or_else(|| {
        let why = "this is not what an agent writes (socket or port, token and pid, a line each)";
        Failure::input(file, why)
    })?;
    let mut jvm = Jvm::new(arguments, None, link.connect()?, JvmSpan::FromNow)?;
    jvm.pid = arguments.jvm.unwrap_or(link.pid);
    Ok(jvm)
}

pub(super) fn prepare(arguments: &Arguments, jdk: &Jdk) -> Result<AgentSession, Failure> {
    let agent = monitor_agent(jdk)?;
    let instrumentation = arguments.mode == Way::Instrumentation.name();
    // Where all calls are timed, durations are the exact ones.
    let shares = if instrumentation && arguments.duty() >= 100 {
        CpuTimeAllocation::Durations
    } else {
        CpuTimeAllocation::Samples
    };
    let beside_probes = instrumentation.then_some(PERIOD_BESIDE_PROBES_MS);
    let settings = AgentSettings {
        mode: if instrumentation { Way::Instrumentation } else { Way::Sampling }.name(),
        include: arguments.include.clone(),
        exclude: arguments.exclude.clone(),
        period_ms: arguments.period_ms.or(beside_probes),
        shares,
        duty_percent: arguments.duty(),
        // samples alone leave the JVM's compiled code as it is
        counts_bytes: instrumentation || !arguments.network.is_empty(),
        small_methods: if arguments.small || arguments.exact {
            SmallMethodPolicy::Probe
        } else {
            SmallMethodPolicy::Skip
        },
    };
    Ok(AgentSession::prepare(&agent, &settings)?)
}

impl Jvm {
    pub(super) fn new(
        arguments: &Arguments,
        session: Option<AgentSession>,
        link: AgentLink,
        since: JvmSpan,
    ) -> Result<Jvm, Failure> {
        let greeting = parse_greeting(link.greeting());
        let greeting = greeting.map_err(|error| Failure::Board(error.to_string()))?;
        Ok(Jvm {
            pid: greeting.pid,
            java: greeting.java,
            way: greeting.way,
            state: match since {
                JvmSpan::FromStart => JvmState::from_start(greeting.now_ns),
                JvmSpan::FromNow => JvmState::default(),
            },
            folded: Vec::new(),
            estimated: Vec::new(),
            counted: BTreeMap::new(),
            has_ended: false,
            link,
            lighten: Lighten::new(arguments.budget(), ASSUMED),
            calls: BTreeMap::new(),
            cycles: 0,
            _session: session,
        })
    }

    /// What it did since the last time; nothing the first time, if it ran before, and when it
    /// has ended.
    pub fn cycle(&mut self) -> Result<Option<JvmCycle>, AttachError> {
        if self.has_ended {
            return Ok(None);
        }
        let answer = self.link.read().inspect_err(|_| self.has_ended = true)?;
        self.has_ended = answer.is_last;
        let reading = parse_reading(&answer.text).map_err(|error| {
            self.has_ended = true;
            AttachError::Disconnected(std::io::Error::new(std::io::ErrorKind::InvalidData, error))
        })?;
        let cycle = self.state.advance(&reading).map_err(|exceeded| {
            self.has_ended = true;
            AttachError::TooLong(exceeded.into())
        })?;
        if let (Some(cycle), Way::Instrumentation) = (&cycle, self.way) {
            self.count(cycle);
            if !self.has_ended {
                self.lighten(cycle)?;
            }
        }
        Ok(cycle)
    }

    fn count(&mut self, cycle: &JvmCycle) {
        self.cycles += 1;
        for method in cycle.threads.iter().flat_map(|thread| &thread.methods) {
            let sums = self.calls.entry(method.method).or_default();
            sums.0 = sums.0.saturating_add(method.calls);
            sums.1 = sums.1.saturating_add(method.estimated);
        }
    }

    /// Keeps the probes within their budget.
    fn lighten(&mut self, cycle: &JvmCycle) -> Result<(), AttachError> {
        let relief = self.lighten.after(cycle);
        self.link.measure_in_windows(&relief.window)?;
        self.link.remove_probes(&relief.fold)?;
        for number in relief.fold {
            let (calls, estimated) = self.calls.get(&number).copied().unwrap_or_default();
            let (method, is_estimate) = (self.name(number), estimated > 0);
            self.counted.insert(number, CallCountKind::Until(self.cycles));
            self.folded.push(FoldedMethod { method, calls, is_estimate, after_cycle: self.cycles });
        }
        for number in relief.window {
            self.estimated.push(self.name(number));
            self.counted.insert(number, CallCountKind::Estimated);
        }
        Ok(())
    }

    fn name(&self, number: usize) -> String {
        let method = self.state.method(number);
        format!("{}.{}", method.class, method.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_is_known_by_its_name_in_any_folder() {
        assert!(is_java("/usr/bin/java") && is_java("java"));
        assert!(!is_java("mvn") && !is_java("/opt/java/run"));
    }
}
