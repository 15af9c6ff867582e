//! The rows of a recording's files.

use crate::csv_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::RecordingHeader;
use crate::account::Femtojoules;
use crate::attribution::monitor::jvm::{JvmCycle, JvmPower, JvmState, MethodPower, Way};
use crate::attribution::monitor::{Cycle, ProcessCycle};
use crate::units::Joules;

/// Row of `cycles.csv`: energy of a part of the machine in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CycleRow {
    /// Number of the cycle, from 1.
    pub cycle: u64,
    /// Begin in seconds since the machine's start.
    pub start_s: f64,
    /// End in seconds since the machine's start.
    pub end_s: f64,
    /// `cpu` or `network`.
    pub part: String,
    /// Name of the formula.
    pub formula: String,
    /// `measured` or `estimated`.
    pub basis: String,
    /// Energy of the part.
    #[serde(with = "joules")]
    #[schemars(with = "f64")]
    pub energy_j: Femtojoules,
    /// Energy without a known process.
    #[serde(with = "joules")]
    #[schemars(with = "f64")]
    pub unattributed_j: Femtojoules,
}

/// Row of `processes.csv`: a process in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// Process number.
    pub pid: u32,
    /// Start time in ticks.
    pub start_ticks: u64,
    /// Its name.
    pub name: String,
    /// CPU time in seconds.
    pub cpu_s: f64,
    /// Share of active CPU time.
    pub share_active: f64,
    /// Share of the CPU capacity.
    pub share_capacity: f64,
    /// Energy of the CPU.
    #[serde(with = "joules")]
    #[schemars(with = "f64")]
    pub cpu_j: Femtojoules,
    /// Energy of the network; empty where unknown.
    #[serde(with = "maybe_joules")]
    #[schemars(with = "Option<f64>")]
    pub network_j: Option<Femtojoules>,
}

/// Row of `threads.csv`: a thread in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// Process number.
    pub pid: u32,
    /// Thread number, in the JVM or the system. From 2^62 on it is a group of ended threads whose
    /// names differ by digits alone; 0 is those of no known group.
    pub thread: u64,
    /// Its name.
    pub name: String,
    /// CPU time in seconds; empty for ended threads where it is unknown.
    pub cpu_s: Option<f64>,
    /// Energy of the CPU.
    #[serde(with = "joules")]
    #[schemars(with = "f64")]
    pub energy_j: Femtojoules,
    /// Power by the paper's literal formula; empty outside a JVM.
    pub literal_w: Option<f64>,
    /// What of the energy no sample and no timed call covers.
    #[serde(default, with = "joules")]
    #[schemars(with = "f64")]
    pub not_sampled_j: Femtojoules,
}

/// Row of `methods.csv`: a method in a thread in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MethodRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// Thread number.
    pub thread: u64,
    /// Class.
    pub class: String,
    /// Method.
    pub method: String,
    /// Source file, with its package as folders.
    pub file: String,
    /// First line; 0 where unknown.
    pub first_line: u32,
    /// Last line.
    pub last_line: u32,
    /// Calls; empty without a probe.
    pub calls: Option<u64>,
    /// Samples; empty where none were taken.
    pub samples: Option<u64>,
    /// Exclusive duration by the probes' clock, in seconds.
    pub duration_s: f64,
    /// Waiting time in seconds by the probes' clock.
    pub waited_s: f64,
    /// Bytes received by sockets.
    pub received: u64,
    /// Bytes sent by sockets.
    pub sent: u64,
    /// CPU time in seconds.
    pub cpu_s: f64,
    /// Energy of the CPU.
    #[serde(with = "joules")]
    #[schemars(with = "f64")]
    pub cpu_j: Femtojoules,
    /// Energy of the network; empty where unknown.
    #[serde(with = "maybe_joules")]
    #[schemars(with = "Option<f64>")]
    pub network_j: Option<Femtojoules>,
    /// Power by the paper's literal formula.
    pub literal_w: f64,
}

/// Row of `stacks.csv`: sampled energy of a call path in a thread and cycle, part of its last
/// method's row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// Thread number.
    pub thread: u64,
    /// Last node of the path.
    pub node: u64,
    /// Energy of the CPU.
    #[serde(with = "joules")]
    #[schemars(with = "f64")]
    pub cpu_j: Femtojoules,
}

/// Row of `nodes.csv`: a node of the call tree, a method on a path.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeRow {
    /// Node number; parents precede their children.
    pub node: u64,
    /// Node number of the caller; empty where a path begins.
    pub parent: Option<u64>,
    /// Class.
    pub class: String,
    /// Method.
    pub method: String,
    /// Source file, with its package as folders.
    pub file: String,
    /// First line; 0 where unknown.
    pub first_line: u32,
    /// Last line.
    pub last_line: u32,
}

/// Row of `jvm.csv`: a JVM in a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JvmRow {
    /// Number of the cycle.
    pub cycle: u64,
    /// Process number.
    pub pid: u32,
    /// Length of the cycle by the JVM's clock, in seconds.
    pub duration_s: f64,
    /// CPU time in seconds, garbage collector and compiler included.
    pub cpu_s: f64,
    /// Energy of the CPU.
    #[serde(with = "joules")]
    #[schemars(with = "f64")]
    pub cpu_j: Femtojoules,
    /// Energy of the network; empty where unknown.
    #[serde(with = "maybe_joules")]
    #[schemars(with = "Option<f64>")]
    pub network_j: Option<Femtojoules>,
}

/// A recording in memory: the rows of all its files.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    /// Contents of `monitor.toml`.
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

/// Error of a malformed file of a recording: line and problem.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct RecordingError {
    /// Line, from 1.
    pub line: u64,
    /// What is wrong.
    pub problem: String,
}

/// Parses the rows of a file. An incomplete last line, as after a crash, is dropped.
///
/// # Errors A malformed row.
/// A row that is none.
pub fn read_rows<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, RecordingError> {
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let rows: Result<Vec<T>, csv::Error> = csv_text::reader(whole).into_deserialize().collect();
    rows.map_err(|error| RecordingError {
        line: error.position().map_or(1, csv::Position::line),
        problem: error.to_string(),
    })
}

/// Rows as CSV text, with the column names where they begin a file.
pub fn to_csv<T: Serialize>(rows: &[T], head: HeaderRow) -> String {
    let mut writer =
        csv::WriterBuilder::new().has_headers(head == HeaderRow::With).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("rows of plain fields are CSV");
    }
    let bytes = writer.into_inner().expect("memory has no errors");
    csv_text::guard_formulas(String::from_utf8(bytes).expect("fields are text"))
}

/// Whether rows begin a file, and so need its column names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderRow {
    /// Begin a file: with column names.
    With,
    /// Follow other rows: without column names.
    Without,
}

fn femtojoules(joules: f64) -> Femtojoules {
    Femtojoules::from_joules(Joules(joules))
}

/// Rows of a cycle's parts of the machine.
pub fn cycle_rows(number: u64, cycle: &Cycle) -> Vec<CycleRow> {
    let row = |component: &crate::attribution::monitor::ComponentEnergy| CycleRow {
        cycle: number,
        start_s: cycle.start_s,
        end_s: cycle.end_s,
        part: component.part.name().into(),
        formula: component.formula.into(),
        basis: component.basis.name().into(),
        energy_j: femtojoules(component.energy.joules),
        unattributed_j: femtojoules(component.unattributed_j),
    };
    cycle.components.iter().map(row).collect()
}

/// Rows of a cycle's processes.
pub fn process_rows(number: u64, cycle: &Cycle) -> Vec<ProcessRow> {
    let row = |process: &ProcessCycle| ProcessRow {
        cycle: number,
        pid: process.id.pid,
        start_ticks: process.id.start_ticks,
        name: process.name.clone(),
        cpu_s: process.cpu_s,
        share_active: process.share_active,
        share_capacity: process.share_capacity,
        cpu_j: femtojoules(process.cpu_j),
        network_j: process.network_j.map(femtojoules),
    };
    cycle.processes.iter().map(row).collect()
}

/// Rows of the watched processes' threads; a JVM's threads have its own names.
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
            energy_j: femtojoules(thread.cpu_j),
            literal_w: None,
            not_sampled_j: Femtojoules::ZERO,
        }));
    }
    if let Some((pid, power)) = jvm {
        rows.extend(power.threads.iter().map(|thread| ThreadRow {
            cycle: number,
            pid,
            thread: thread.id,
            name: thread.name.clone(),
            cpu_s: thread.cpu_s,
            energy_j: femtojoules(thread.cpu_j),
            literal_w: Some(thread.literal_w),
            not_sampled_j: femtojoules(thread.not_sampled_j),
        }));
    }
    rows
}

/// One cycle of a JVM with its methods and energies.
#[derive(Clone, Copy)]
pub struct JvmCycleData<'j> {
    /// Process number.
    pub pid: u32,
    /// Way in which the JVM is measured.
    pub way: Way,
    /// Names of methods and threads.
    pub state: &'j JvmState,
    /// Times and calls of methods in the cycle.
    pub cycle: &'j JvmCycle,
    /// Energies of methods in the cycle.
    pub power: &'j JvmPower,
}

/// Rows of a JVM and its methods.
pub fn jvm_rows(number: u64, seen: JvmCycleData<'_>) -> (JvmRow, Vec<MethodRow>) {
    let JvmCycleData { pid, way, state, cycle, power } = seen;
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
            cpu_j: femtojoules(method.cpu_j),
            network_j: method.network_j.map(femtojoules),
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
        cpu_j: femtojoules(power.cpu_j),
        network_j: power.network_j.map(femtojoules),
    };
    (jvm, methods.collect())
}

/// Rows of a JVM's call paths in a cycle.
pub fn stack_rows(number: u64, power: &JvmPower) -> Vec<StackRow> {
    let threads = power.threads.iter();
    let all = threads.flat_map(|thread| thread.stacks.iter().map(|stack| (thread.id, *stack)));
    let rows = all.filter(|(_, (_, joules))| *joules > 0.0).map(|(thread, (node, joules))| {
        StackRow { cycle: number, thread, node: node as u64, cpu_j: femtojoules(joules) }
    });
    rows.collect()
}

/// Rows of call-tree nodes from index `from` on.
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

/// Serialises an energy as joules with all decimals.
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

/// Serialises an optional energy as joules with all decimals.
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
            cpu_j: femtojoules(cpu_j),
            network_j: None,
        }
    }

    #[test]
    fn a_torn_end_is_left_out() {
        let text = to_csv(&[process("a", 1.0), process("b", 2.0)], HeaderRow::With);
        let rows: Vec<ProcessRow> = read_rows(&text[..text.len() - 3]).unwrap();
        assert_eq!(rows, [process("a", 1.0)]);
        let error = read_rows::<ProcessRow>("cycle,pid\n1,2\n").unwrap_err();
        assert_eq!(error.line, 2);
    }

    proptest! {
        #[test]
        fn rows_read_back(name in "[ -~]{0,20}", energy in -1e3..1e6_f64, network in proptest::option::of(0.0..9.0_f64)) {
            let row = ProcessRow { network_j: network.map(femtojoules), ..process(&name, energy) };
            let rows = vec![row.clone(), row];
            let text = to_csv(&rows[..1], HeaderRow::With) + &to_csv(&rows[1..], HeaderRow::Without);
            prop_assert_eq!(read_rows::<ProcessRow>(&text).unwrap(), rows);
        }

        #[test]
        fn no_text_panics(text in "[ -~\n]{0,200}") {
            let _ = read_rows::<MethodRow>(&text);
        }
    }
}
