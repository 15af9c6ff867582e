//! The rows of a recording's files.

use crate::csv_text;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::RecordingHeader;
use crate::account::Femtojoules;
use crate::attribution::monitor::jvm::{JvmCycle, JvmPower, JvmState, MethodPower, Way};
use crate::attribution::monitor::{Cycle, ProcessCycle};
use crate::units::Joules;

/// A part of the machine in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CycleRow {
    /// Number of the cycle, from 1.
    pub cycle: u64,
    /// Its start in seconds since the machine's start.
    pub start_s: f64,
    /// Its end.
    pub end_s: f64,
    /// `cpu` or `network`.
    pub part: String,
    /// The formula.
    pub formula: String,
    /// `measured` or `model`.
    pub basis: String,
    /// Energy of the part.
    #[serde(with = "joules")]
    pub energy_j: Femtojoules,
    /// What of it no process is known for.
    #[serde(with = "joules")]
    pub unattributed_j: Femtojoules,
}

/// A process in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProcessRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// The process.
    pub pid: u32,
    /// When it started, in ticks.
    pub start_ticks: u64,
    /// Its name.
    pub name: String,
    /// CPU time in seconds.
    pub cpu_s: f64,
    /// Its part of active time.
    pub share_active: f64,
    /// Its part of all time.
    pub share_capacity: f64,
    /// Energy of the processor.
    #[serde(with = "joules")]
    pub cpu_j: Femtojoules,
    /// Energy of the network; empty where not known.
    #[serde(with = "maybe_joules")]
    pub network_j: Option<Femtojoules>,
}

/// A thread in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ThreadRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// Its process.
    pub pid: u32,
    /// Its number, in the JVM or the system; 0 for all of a JVM's that have ended.
    pub thread: u64,
    /// Its name.
    pub name: String,
    /// CPU time in seconds; empty for those that ended, where it is not known.
    pub cpu_s: Option<f64>,
    /// Energy of the processor.
    #[serde(with = "joules")]
    pub energy_j: Femtojoules,
    /// Power by the paper's literal formula; empty for one that is none of a JVM's.
    pub literal_w: Option<f64>,
}

/// A method in a thread in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MethodRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// The thread.
    pub thread: u64,
    /// Class.
    pub class: String,
    /// Method.
    pub method: String,
    /// Source file, by package.
    pub file: String,
    /// First line; 0 where unknown.
    pub first_line: u32,
    /// Last line.
    pub last_line: u32,
    /// Calls; empty without a probe.
    pub calls: Option<u64>,
    /// Samples; empty where none were taken.
    pub samples: Option<u64>,
    /// Exclusive duration by the probes' clock.
    pub duration_s: f64,
    /// Waiting, in seconds by the same clock.
    pub waited_s: f64,
    /// Bytes received by sockets.
    pub received: u64,
    /// Bytes sent.
    pub sent: u64,
    /// CPU time in seconds.
    pub cpu_s: f64,
    /// Energy of the processor.
    #[serde(with = "joules")]
    pub cpu_j: Femtojoules,
    /// Energy of the network; empty where not known.
    #[serde(with = "maybe_joules")]
    pub network_j: Option<Femtojoules>,
    /// Power by the paper's literal formula.
    pub literal_w: f64,
}

/// A path of calls in a thread in a cycle, by samples: a part of its last method's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StackRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// The thread.
    pub thread: u64,
    /// The path's last node.
    pub node: u64,
    /// Energy of the processor.
    #[serde(with = "joules")]
    pub cpu_j: Femtojoules,
}

/// A node of the tree of calls: a method on a path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeRow {
    /// Its number; parents stand before their children.
    pub node: u64,
    /// Its caller's; empty where a path begins.
    pub parent: Option<u64>,
    /// Class.
    pub class: String,
    /// Method.
    pub method: String,
    /// Source file, by package.
    pub file: String,
    /// First line; 0 where unknown.
    pub first_line: u32,
    /// Last line.
    pub last_line: u32,
}

/// A JVM in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JvmRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// Its process.
    pub pid: u32,
    /// The cycle's length by its own clock.
    pub duration_s: f64,
    /// Its CPU time, collector and compiler included.
    pub cpu_s: f64,
    /// Its energy of the processor.
    #[serde(with = "joules")]
    pub cpu_j: Femtojoules,
    /// Its energy of the network; empty where not known.
    #[serde(with = "maybe_joules")]
    pub network_j: Option<Femtojoules>,
}

/// A recording, read back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// What it is.
    pub about: RecordingHeader,
    /// `cycles.csv`.
    pub cycles: Vec<CycleRow>,
    /// `processes.csv`.
    pub processes: Vec<ProcessRow>,
    /// `threads.csv`.
    pub threads: Vec<ThreadRow>,
    /// `methods.csv`.
    pub methods: Vec<MethodRow>,
    /// `jvm.csv`.
    pub jvm: Vec<JvmRow>,
    /// `stacks.csv`.
    pub stacks: Vec<StackRow>,
    /// `nodes.csv`.
    pub nodes: Vec<NodeRow>,
}

/// A file of a recording that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct RecordingError {
    /// Line, from 1.
    pub line: u64,
    /// What is wrong.
    pub problem: String,
}

/// Rows of a file. One that ends in the middle of a line, as after a crash, is read up to
/// there.
///
/// # Errors
/// A row that is none.
pub fn read_rows<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, RecordingError> {
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let rows: Result<Vec<T>, csv::Error> = csv_text::reader(whole).into_deserialize().collect();
    rows.map_err(|error| RecordingError {
        line: error.position().map_or(1, csv::Position::line),
        problem: error.to_string(),
    })
}

/// The rows as CSV, with the head for the first ones of a file.
pub fn to_csv<T: Serialize>(rows: &[T], head: FirstRow) -> String {
    let mut writer =
        csv::WriterBuilder::new().has_headers(head == FirstRow::With).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("rows of plain fields are CSV");
    }
    let bytes = writer.into_inner().expect("memory has no errors");
    csv_text::guarded(String::from_utf8(bytes).expect("fields are text"))
}

/// Whether rows begin a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstRow {
    /// They do.
    With,
    /// They follow others.
    Without,
}

fn fj(joules: f64) -> Femtojoules {
    Femtojoules::from_joules(Joules(joules))
}

/// The parts of the machine.
pub fn cycle_rows(number: u64, cycle: &Cycle) -> Vec<CycleRow> {
    let row = |component: &crate::attribution::monitor::ComponentEnergy| CycleRow {
        cycle: number,
        start_s: cycle.start_s,
        end_s: cycle.end_s,
        part: component.part.name().into(),
        formula: component.formula.into(),
        basis: component.basis.name().into(),
        energy_j: fj(component.energy.joules),
        unattributed_j: fj(component.unattributed_j),
    };
    cycle.components.iter().map(row).collect()
}

/// The processes.
pub fn process_rows(number: u64, cycle: &Cycle) -> Vec<ProcessRow> {
    let row = |process: &ProcessCycle| ProcessRow {
        cycle: number,
        pid: process.id.pid,
        start_ticks: process.id.start_ticks,
        name: process.name.clone(),
        cpu_s: process.cpu_s,
        share_active: process.share_active,
        share_capacity: process.share_capacity,
        cpu_j: fj(process.cpu_j),
        network_j: process.network_j.map(fj),
    };
    cycle.processes.iter().map(row).collect()
}

/// The watched processes' threads; the JVM's own names for its threads, where it is one.
pub fn thread_rows(number: u64, cycle: &Cycle, jvm: Option<(u32, &JvmPower)>) -> Vec<ThreadRow> {
    let mut rows = Vec::new();
    let jvm_pid = jvm.map(|(pid, _)| pid);
    for process in cycle.processes.iter().filter(|process| Some(process.id.pid) != jvm_pid) {
        rows.extend(process.threads.iter().map(|thread| ThreadRow {
            cycle: number,
            pid: process.id.pid,
            thread: u64::from(thread.tid),
            name: thread.name.clone(),
            cpu_s: Some(thread.cpu_s),
            energy_j: fj(thread.cpu_j),
            literal_w: None,
        }));
    }
    if let Some((pid, power)) = jvm {
        rows.extend(power.threads.iter().map(|thread| ThreadRow {
            cycle: number,
            pid,
            thread: thread.id,
            name: thread.name.clone(),
            cpu_s: thread.cpu_s,
            energy_j: fj(thread.cpu_j),
            literal_w: Some(thread.literal_w),
        }));
    }
    rows
}

/// A cycle of a JVM.
#[derive(Clone, Copy)]
pub struct JvmSeen<'j> {
    /// Its process.
    pub pid: u32,
    /// How it is measured.
    pub way: Way,
    /// The names of its methods.
    pub state: &'j JvmState,
    /// What they did.
    pub cycle: &'j JvmCycle,
    /// What that cost.
    pub power: &'j JvmPower,
}

/// A JVM and its methods.
pub fn jvm_rows(number: u64, seen: JvmSeen<'_>) -> (JvmRow, Vec<MethodRow>) {
    let JvmSeen { pid, way, state, cycle, power } = seen;
    let row = |thread: u64, method: &MethodPower| {
        let named = state.method(method.method);
        MethodRow {
            cycle: number,
            thread,
            class: named.class,
            method: named.name,
            file: named.file,
            first_line: named.first_line,
            last_line: named.last_line,
            calls: (way == Way::Instrumentation && method.did.is_counted)
                .then_some(method.did.calls),
            samples: (way == Way::Sampling || method.did.samples > 0).then_some(method.did.samples),
            duration_s: method.did.time_ns * 1e-9,
            waited_s: method.did.waited_ns * 1e-9,
            received: method.did.bytes.0,
            sent: method.did.bytes.1,
            cpu_s: method.cpu_s,
            cpu_j: fj(method.cpu_j),
            network_j: method.network_j.map(fj),
            literal_w: method.literal_w,
        }
    };
    let methods = power.threads.iter().flat_map(|thread| {
        thread.methods.iter().map(|method| row(thread.id, method)).collect::<Vec<_>>()
    });
    let jvm = JvmRow {
        cycle: number,
        pid,
        duration_s: cycle.duration_s,
        cpu_s: cycle.cpu_s,
        cpu_j: fj(power.cpu_j),
        network_j: power.network_j.map(fj),
    };
    (jvm, methods.collect())
}

/// The paths of calls of a JVM.
pub fn stack_rows(number: u64, power: &JvmPower) -> Vec<StackRow> {
    let threads = power.threads.iter();
    let all = threads.flat_map(|thread| thread.stacks.iter().map(|stack| (thread.id, *stack)));
    let rows = all.filter(|(_, (_, joules))| *joules > 0.0).map(|(thread, (node, joules))| {
        StackRow { cycle: number, thread, node: node as u64, cpu_j: fj(joules) }
    });
    rows.collect()
}

/// The nodes of the tree of calls from a number on.
pub fn node_rows(state: &JvmState, from: usize) -> Vec<NodeRow> {
    let nodes = state.nodes().iter().enumerate().skip(from);
    let row = |(number, node): (usize, &crate::attribution::monitor::jvm::JvmCallNode)| {
        let named = state.method(node.method);
        NodeRow {
            node: number as u64,
            parent: node.parent.map(|parent| parent as u64),
            class: named.class,
            method: named.name,
            file: named.file,
            first_line: named.first_line,
            last_line: named.last_line,
        }
    };
    nodes.map(row).collect()
}

/// Energies as joules with all decimals.
mod joules {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use wattline_units::shortened::shortened;

    use crate::account::Femtojoules;

    pub fn serialize<S: Serializer>(energy: &Femtojoules, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(energy)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Femtojoules, D::Error> {
        let text = String::deserialize(from)?;
        let bad = || D::Error::custom(format!("`{}` is no energy in joules", shortened(&text)));
        Femtojoules::parse(&text).ok_or_else(bad)
    }
}

/// The same where there may be none.
mod maybe_joules {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use wattline_units::shortened::shortened;

    use crate::account::Femtojoules;

    pub fn serialize<S: Serializer>(
        energy: &Option<Femtojoules>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match energy {
            Some(energy) => to.collect_str(energy),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<Femtojoules>, D::Error> {
        let Some(text) = Option::<String>::deserialize(from)?.filter(|text| !text.is_empty())
        else {
            return Ok(None);
        };
        let bad = || D::Error::custom(format!("`{}` is no energy in joules", shortened(&text)));
        Femtojoules::parse(&text).map(Some).ok_or_else(bad)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn process(name: &str, cpu_j: f64) -> ProcessRow {
        ProcessRow {
            cycle: 1,
            pid: 7,
            start_ticks: 9,
            name: name.into(),
            cpu_s: 0.25,
            share_active: 0.5,
            share_capacity: 0.125,
            cpu_j: fj(cpu_j),
            network_j: None,
        }
    }

    #[test]
    fn a_torn_end_is_left_out() {
        let text = to_csv(&[process("a", 1.0), process("b", 2.0)], FirstRow::With);
        let rows: Vec<ProcessRow> = read_rows(&text[..text.len() - 3]).unwrap();
        assert_eq!(rows, [process("a", 1.0)]);
        let error = read_rows::<ProcessRow>("cycle,pid\n1,2\n").unwrap_err();
        assert_eq!(error.line, 2);
    }

    proptest! {
        #[test]
        fn rows_read_back(name in "[ -~]{0,20}", energy in -1e3..1e6_f64, network in proptest::option::of(0.0..9.0_f64)) {
            let row = ProcessRow { network_j: network.map(fj), ..process(&name, energy) };
            let rows = vec![row.clone(), row];
            let text = to_csv(&rows[..1], FirstRow::With) + &to_csv(&rows[1..], FirstRow::Without);
            prop_assert_eq!(read_rows::<ProcessRow>(&text).unwrap(), rows);
        }

        #[test]
        fn no_text_panics(text in "[ -~\n]{0,200}") {
            let _ = read_rows::<MethodRow>(&text);
        }
    }
}
