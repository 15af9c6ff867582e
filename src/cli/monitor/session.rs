//! The monitor while it runs: the machine, its formulas and, with a JVM, the agent in it.

use std::os::unix::process::ExitStatusExt;
use std::process::Child;

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::attribution::mapping::Mapping;
use crate::attribution::monitor::formulas::MachinePart;
use crate::attribution::monitor::host::Host;
use crate::attribution::monitor::jvm::{JvmCycle, jvm_power};
use crate::attribution::monitor::machine::ThisMachine;
use crate::attribution::monitor::{Cycle, RunningModules, ShareDenominator};
use crate::boards::open_serial;
use crate::device::{AdbBoard, BoardFacts, MonitoredDevice, Server, read_facts};
use crate::failure::Failure;
use crate::recording::{FormulaDescription, JvmDescription, RecordingHeader};
use crate::toolchain::jvm_process::find_jvm;

use super::super::outcome::CommandOutcome;
use super::arguments::{Arguments, NO_VIRTUAL_BOARD};
use super::control::{ControlSocket, Order};
use super::frame::{JvmInterval, MonitorInterval};
use super::jvm::Jvm;
use super::published::Published;
use super::view::MethodNames;
use super::{jvm, meters, recording, view};

/// Remarks that are kept, and their characters: each cycle writes all of them anew.
const REMARKS_MAX: usize = 200;
const REMARK_LENGTH: usize = 1000;

/// The machine: owned here, lent to the sensors.
enum MonitoredMachine {
    This(ThisMachine),
    Device(Box<AdbBoard>),
}

impl MonitoredMachine {
    fn with<T>(&self, work: impl FnOnce(&dyn Host) -> T) -> T {
        match self {
            MonitoredMachine::This(machine) => work(machine),
            MonitoredMachine::Device(board) => work(&MonitoredDevice { board: board.as_ref() }),
        }
    }
}

/// Session of a monitor: host, formulas, JVM, outputs.
pub struct MonitorSession {
    machine: MonitoredMachine,
    modules: RunningModules,
    /// The JVM whose methods are measured, or were until it ended.
    pub jvm: Option<Jvm>,
    child: Option<Child>,
    /// How to measure the JVM that the command starts, until it has started one.
    follows: Option<Arguments>,
    /// Names of the sources, for what is shown; a recording has those that run.
    mapping: Option<Mapping>,
    published: Published,
    /// Where it takes orders, if anywhere.
    control: Option<ControlSocket>,
    /// What is measured, and how.
    pub about: RecordingHeader,
    cycles: u64,
    /// Whether the reading that the first cycle begins with is done.
    has_begun: bool,
    /// Remarks that were said; each is said once.
    said: std::collections::BTreeSet<String>,
}

impl MonitorSession {
    /// Chooses the formulas, starts the command, and attaches the agent.
    pub fn open(arguments: &Arguments) -> Result<MonitorSession, Failure> {
        let machine = match &arguments.board {
            Some(serial) => {
                MonitoredMachine::Device(Box::new(open_serial(Server::from_environment(), serial)?))
            }
            None => MonitoredMachine::This(ThisMachine::open()?),
        };
        if let MonitoredMachine::Device(board) = &machine {
            refuse_virtual(&read_facts(board.as_ref())?)?;
        }
        let (mut modules, notes) = machine.with(|host| meters::modules(arguments, host))?;
        let mut about = RecordingHeader {
            recording: 1,
            host: machine.with(|host| host.name()),
            share: modules.share.name().into(),
            formulas: modules.formulas().map(formula_about).collect(),
            notes,
            ..RecordingHeader::default()
        };
        if let MonitoredMachine::Device(board) = &machine {
            let facts = read_facts(board.as_ref())?;
            about.host = facts.model.unwrap_or(about.host);
        }
        let mapping = arguments.mapping.as_deref().map(recording::read_mapping).transpose()?;
        for pid in &arguments.pid {
            machine.with(|host| must_be_there(host, *pid))?;
        }
        let published = Published::open(arguments)?;
        let control = arguments.control.then(ControlSocket::open).transpose()?;
        // What a command's first cycle begins with is read just before it starts.
        let mut begin = || Ok(machine.with(|host| modules.cycle(host)).map(drop)?);
        let opened = jvm::open(arguments, &mut begin)?;
        let has_begun = opened.child.is_some();
        about.notes.extend(opened.note);
        let mut session = MonitorSession {
            machine,
            modules,
            jvm: opened.jvm,
            follows: opened.may_start_one.then(|| arguments.clone()),
            child: opened.child,
            mapping,
            published,
            control,
            about,
            cycles: 0,
            has_begun,
            said: std::collections::BTreeSet::new(),
        };
        session.describe_jvm();
        if !session.has_begun {
            // The first reading is what the first cycle begins with.
            session.next()?;
        }
        Ok(session)
    }

    fn describe_jvm(&mut self) {
        if let Some(jvm) = &self.jvm {
            self.about.jvm = Some(JvmDescription {
                pid: jvm.pid,
                java: jvm.java.clone(),
                way: jvm.way.name().into(),
                folded: jvm.folded.clone(),
                estimated: jvm.estimated.clone(),
            });
        }
    }

    /// Reads all sensors and the JVM; returns a cycle from the second call on.
    pub fn next(&mut self) -> Result<Option<MonitorInterval>, Failure> {
        self.follow();
        let cycle = self.machine.with(|host| self.modules.cycle(host))?;
        let inside = self.read_jvm();
        self.describe_jvm();
        let Some(mut cycle) = cycle else {
            if std::mem::replace(&mut self.has_begun, true) {
                let still = "the machine's clock stood still or went back: no cycle, no figure";
                self.note(still.to_string());
            }
            return Ok(None);
        };
        for remark in cycle.remarks.clone() {
            self.note(remark);
        }
        // What the processor spent is not known: no row says 0 J.
        if cycle.component(MachinePart::Cpu).is_none() {
            return Ok(None);
        }
        self.cycles += 1;
        self.about.cycles = self.cycles;
        self.about.duration_s += cycle.duration_s();
        let jvm = inside.and_then(|inside| self.jvm_frame(&mut cycle, inside));
        Ok(Some(MonitorInterval { number: self.cycles, cycle, jvm }))
    }

    /// Publishes a cycle to its readers while the monitor runs.
    pub fn publish(&mut self, frame: &MonitorInterval) -> Result<(), Failure> {
        let state = self.jvm.as_ref().map(|jvm| &jvm.state);
        self.published.tell(frame, state)
    }

    /// Lets the agent into the JVM that the command has started, once there is one.
    fn follow(&mut self) {
        let Some(process) = self.child.as_ref().filter(|_| self.follows.is_some()) else { return };
        let Some(pid) = find_jvm(process.id()) else { return };
        let Some(arguments) = self.follows.take() else { return };
        match jvm::attach(&arguments, pid) {
            Ok(jvm) => {
                self.note(format!(
                    "the command has started the JVM of process {pid}: its methods \
                                   are measured from here on"
                ));
                self.jvm = Some(jvm);
            }
            Err(failure) => self.note(format!("methods are not measured: {failure}")),
        }
    }

    fn read_jvm(&mut self) -> Option<JvmCycle> {
        let jvm = self.jvm.as_mut().filter(|jvm| !jvm.has_ended)?;
        let pid = jvm.pid;
        match jvm.cycle() {
            Ok(cycle) => {
                if self.jvm.as_ref().is_some_and(|jvm| jvm.has_ended) && self.child.is_none() {
                    self.note(format!("the JVM of process {pid} has ended"));
                }
                for problem in cycle.iter().flat_map(|cycle| &cycle.problems) {
                    self.note(format!("agent: {problem}"));
                }
                cycle
            }
            Err(error) => {
                self.note(format!(
                    "{error}; what its methods did after the last cycle is not known"
                ));
                None
            }
        }
    }

    /// A JVM's energy is that of its process.
    fn jvm_frame(&mut self, cycle: &mut Cycle, inside: JvmCycle) -> Option<JvmInterval> {
        let pid = self.jvm.as_ref()?.pid;
        if !cycle.processes.iter().any(|process| process.id.pid == pid) {
            cycle.give_ended(pid, inside.cpu_s);
        }
        let network_j = network_part(cycle, &inside).and_then(|part| cycle.give_network(pid, part));
        let process = cycle.processes.iter().find(|process| process.id.pid == pid);
        let cpu_j = process.map_or(0.0, |process| process.cpu_j);
        match jvm_power(&inside, cpu_j, network_j) {
            Ok(power) if power.is_conserved() => Some(JvmInterval { cycle: inside, power }),
            Ok(_) => {
                // Times that no clock shows are beyond what numbers can tell apart.
                self.note("the JVM's energy is not shared: its figures do not add up".into());
                None
            }
            Err(error) => {
                self.note(format!("the JVM's energy is not shared: {error}"));
                None
            }
        }
    }

    /// Keeps a remark that is new.
    fn note(&mut self, remark: String) {
        let remark = view::cut(&remark, REMARK_LENGTH);
        let has_room = self.said.len() < REMARKS_MAX;
        if has_room && self.said.insert(remark.clone()) {
            self.about.notes.push(remark);
        }
    }

    /// Whether the command that was started has ended, and how.
    pub fn ended(&mut self) -> Option<std::process::ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }

    /// How the command has ended, where it has.
    pub fn outcome(&mut self) -> CommandOutcome {
        let Some(status) = self.ended() else { return CommandOutcome::Done };
        // As a shell has it.
        let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        CommandOutcome::of_program(u8::try_from(code).unwrap_or(1))
    }

    /// Whether the command has ended. It stays in the system's books until it is asked how,
    /// so that what it used can still be read.
    pub fn is_over(&self) -> bool {
        let Some(child) = &self.child else { return false };
        let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
            return false;
        };
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error says that it is in the books no more.
        !matches!(waitid(WaitId::Pid(pid), look), Ok(None))
    }

    /// Returns the names of methods, for the view.
    pub fn names(&self) -> Option<MethodNames<'_>> {
        let (jvm, mapping) = (self.jvm.as_ref()?, self.mapping.as_ref());
        Some(MethodNames { state: &jvm.state, way: jvm.way, counted: &jvm.counted, mapping })
    }

    /// Returns the word for the counts of methods: calls, or samples where no calls are counted.
    pub fn calls(&self) -> &'static str {
        match self.about.jvm.as_ref().map(|jvm| jvm.way.as_str()) {
            Some("sampling") => "samples",
            _ => "calls",
        }
    }

    /// Whether an order waits that changes what is measured: then the cycle ends. Others are
    /// answered at once.
    pub fn is_asked(&mut self) -> bool {
        let Some(control) = &mut self.control else { return false };
        while let Some(request) = control.take(|order| !order.is_change()) {
            let modules = &mut self.modules;
            let said = self.machine.with(|host| request.order.obey(modules, host));
            request.answer(said);
        }
        control.is_asked()
    }

    /// Carries out the waiting order, after its cycle has ended.
    pub fn obey(&mut self) {
        let Some(request) = self.control.as_mut().and_then(|control| control.take(|_| true)) else {
            return;
        };
        let said = self.change(&request.order);
        request.answer(said);
    }

    fn change(&mut self, order: &Order) -> Result<String, Failure> {
        let modules = &mut self.modules;
        let (said, remarks) = self.machine.with(|host| {
            let said = order.obey(modules, host)?;
            Ok::<_, Failure>((said, modules.read_started(host)?))
        })?;
        // Rows of earlier cycles keep their formulas.
        for formula in self.modules.formulas().map(formula_about) {
            if !self.about.formulas.contains(&formula) {
                self.about.formulas.push(formula);
            }
        }
        self.about.share = self.modules.share.name().into();
        self.note(format!("from cycle {} on, by order: {said}", self.cycles + 1));
        remarks.into_iter().for_each(|remark| self.note(remark));
        Ok(said)
    }

    /// Changes to the other denominator of shares from now on.
    pub fn toggle_share(&mut self) {
        self.modules.share = match self.modules.share {
            ShareDenominator::Active => ShareDenominator::Capacity,
            ShareDenominator::Capacity => ShareDenominator::Active,
        };
        self.about.share = self.modules.share.name().into();
    }
}

/// A process that is named has to run.
fn must_be_there(host: &dyn Host, pid: u32) -> Result<(), Failure> {
    let path = format!("/proc/{pid}/stat");
    let snapshot = host.snapshot(&[path.clone()].into())?;
    match snapshot.text(&path) {
        Some(_) => Ok(()),
        None => Err(Failure::Usage(format!("--pid {pid}: there is no such process"))),
    }
}

/// A virtual board has no processes to share its energy among, and its clock moves only while
/// something sleeps on it.
fn refuse_virtual(facts: &BoardFacts) -> Result<(), Failure> {
    if facts.is_virtual() { Err(Failure::Usage(NO_VIRTUAL_BOARD.into())) } else { Ok(()) }
}

impl Drop for MonitorSession {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn formula_about(
    formula: &dyn crate::attribution::monitor::formulas::EnergyFormula,
) -> FormulaDescription {
    FormulaDescription {
        part: formula.part().name().into(),
        name: formula.name().into(),
        basis: formula.basis().name().into(),
        from: formula.describe(),
    }
}

/// The JVM's part of the bytes that the cards took: at most all of them.
fn network_part(cycle: &Cycle, inside: &JvmCycle) -> Option<f64> {
    let network = cycle.component(MachinePart::Network)?;
    let own = inside.bytes();
    let all = network.energy.bytes?;
    Some(if all > 0.0 { (own / all).min(1.0) } else { 0.0 })
}
