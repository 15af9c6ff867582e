//! Perfetto traces of one machine in a file or an archive. Traces of one machine since one start
//! share its clock and are read as one; of several machines one is chosen, since a machine's energy
//! is shared among its own processes.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use wattline_units::limits::FILE_BYTES;

use super::archive::{LogArchive, LogMember};
use super::manifest::TraceManifest;
use super::member::LogLocation;
use super::{LogFileError, listed};
use crate::attribution::perfetto::{MachineSurvey, TraceReader, TraceSurvey, survey_trace};
use crate::format::counted;

/// Largest difference of the start times (ns) in traces of one start of a machine, by steps of the
/// wall clock.
const SAME_START_TOLERANCE_NS: u128 = 2_000_000_000;

/// Traces of one machine that are read as one.
#[derive(Debug)]
pub(crate) struct TraceFiles {
    files: Vec<TraceOfMachine>,
    /// Remarks on entries that are not read, a sentence each.
    pub not_read: Vec<String>,
    /// Other remarks for the user, a sentence each.
    pub notes: Vec<String>,
}

/// Trace of a chosen machine.
#[derive(Debug, Clone)]
struct TraceOfMachine {
    /// Name of the entry; empty for a file of its own.
    name: String,
    place: LogLocation,
    machine: u32,
}

/// Trace with the survey of its machines.
struct SurveyedTrace {
    name: String,
    place: LogLocation,
    survey: TraceSurvey,
}

/// Machine with its traces.
struct Machine {
    name: String,
    traces: Vec<TraceOfMachine>,
    surveys: Vec<MachineSurvey>,
}

impl TraceFiles {
    /// Opens readers of all traces, each with a number of its own.
    ///
    /// # Errors
    /// As [`LogLocation::open`].
    pub fn readers(&self) -> Result<Vec<TraceReader>, LogFileError> {
        let open = |(source, file): (usize, &TraceOfMachine)| {
            let source = u32::try_from(source).unwrap_or(u32::MAX);
            Ok(TraceReader::of_machine(file.place.open()?, file.machine, source)?)
        };
        self.files.iter().enumerate().map(open).collect()
    }
}

/// Finds the traces in a file; `machine` chooses one of several machines by its name or number.
///
/// # Errors
/// Those of the system and of archives; no trace, or traces of several machines.
pub(crate) fn find_traces(path: &Path, machine: Option<&str>) -> Result<TraceFiles, LogFileError> {
    let (traces, manifest, not_read) = match LogArchive::open(path)? {
        None => (vec![("".to_owned(), LogLocation::Path(path.to_owned()))], None, Vec::new()),
        Some(archive) => archive_traces(&archive)?,
    };
    let mut notes = Vec::new();
    let mut surveyed: Vec<SurveyedTrace> = Vec::new();
    for (name, place) in traces {
        let place = place.reopenable()?;
        let survey = survey_trace(place.open()?)?;
        if survey.packets == 0 {
            let mut start = Vec::new();
            place.open()?.take(64).read_to_end(&mut start)?;
            return Err(LogFileError::NoTrace(likely_kind(&start)));
        }
        let copy =
            surveyed.iter().find(|one| survey.uuid.is_some() && one.survey.uuid == survey.uuid);
        match copy {
            Some(other) => {
                notes.push(format!("{name} is a copy of {} and counts once", other.name))
            }
            None => surveyed.push(SurveyedTrace { name, place, survey }),
        }
    }
    let machines = machines_of(&surveyed, manifest.as_ref());
    let chosen = choose_machine(machines, machine)?;
    check_clocks(&chosen, manifest.as_ref())?;
    if chosen.traces.len() > 1 {
        let names: Vec<String> = chosen.traces.iter().map(|trace| trace.name.clone()).collect();
        notes.push(format!("read as one: {}", listed(&names)));
    }
    Ok(TraceFiles { files: chosen.traces, not_read, notes })
}

/// What a file without a trace probably is, and the remedy, as the end of a message.
fn likely_kind(start: &[u8]) -> &'static str {
    let text = start.trim_ascii_start();
    match text {
        [] => ", it is empty",
        [b'{' | b'[', ..] => {
            ", but a trace in JSON, which has no switches of the scheduler; give the trace that \
             it was made of"
        }
        [b'<', ..] => {
            ", but a page of systrace, which is not read; record with Perfetto, or give the text \
             of ftrace in it to `wattline tenants perf`"
        }
        _ if text.starts_with(b"# tracer") || text.starts_with(b"TRACE:") => {
            ", but text of ftrace: `wattline tenants perf` reads it"
        }
        _ if text.starts_with(b"PERFILE2") => {
            ", but a recording of perf: print it with `perf script` for `wattline tenants perf`"
        }
        _ => ", or nothing of it can be read",
    }
}

/// Traces of an archive by name, its manifest, and remarks on entries that are not read.
type ArchiveTraces = (Vec<(String, LogLocation)>, Option<TraceManifest>, Vec<String>);

/// Finds the traces and the manifest of an archive.
fn archive_traces(archive: &LogArchive) -> Result<ArchiveTraces, LogFileError> {
    let is_manifest = |member: &&LogMember| TraceManifest::is_manifest(&member.head);
    let manifest = match archive.members.iter().find(is_manifest) {
        None => None,
        Some(member) => {
            let text = io::read_to_string(FILE_BYTES.reader(member.place.open()?))?;
            let problem = |problem| LogFileError::Manifest { entry: member.name.clone(), problem };
            Some(TraceManifest::parse(&text).map_err(problem)?)
        }
    };
    let (traces, others): (Vec<_>, Vec<_>) = archive
        .members
        .iter()
        .filter(|member| !is_manifest(member))
        .partition(|member| member.is_trace());
    if traces.is_empty() {
        // Says which entries there are.
        archive.only_entry("a Perfetto trace", LogMember::is_trace)?;
    }
    let names: Vec<String> = others.iter().map(|member| member.name.clone()).collect();
    let not_read = (!names.is_empty()).then(|| {
        format!(
            "no Perfetto traces, and not read: {} of the archive: {}",
            counted(names.len(), "entry"),
            listed(&names)
        )
    });
    let traces = traces.into_iter().map(|m| (m.name.clone(), m.place.clone())).collect();
    Ok((traces, manifest, not_read.into_iter().collect()))
}

/// Machines of all traces. A manifest names them; without one, traces of machines that started at
/// one moment are of one machine.
fn machines_of(traces: &[SurveyedTrace], manifest: Option<&TraceManifest>) -> Vec<Machine> {
    let mut machines: Vec<Machine> = Vec::new();
    let mut named: BTreeMap<String, usize> = BTreeMap::new();
    for trace in traces {
        let mut found = trace.survey.machines.clone();
        if found.is_empty() {
            found.insert(0, MachineSurvey::default());
        }
        for (id, survey) in found {
            let part = TraceOfMachine {
                name: trace.name.clone(),
                place: trace.place.clone(),
                machine: id,
            };
            let name = manifest.and_then(|manifest| manifest.machine_name(&trace.name, id));
            let known = match name {
                Some(name) => named.get(name).copied(),
                None => machines.iter().position(|machine| is_same_machine(machine, id, &survey)),
            };
            match known {
                Some(at) => {
                    machines[at].traces.push(part);
                    machines[at].surveys.push(survey);
                }
                None => {
                    named.extend(name.map(|name| (name.to_owned(), machines.len())));
                    let name = name.map_or_else(|| machine_label(&trace.name, id), str::to_owned);
                    machines.push(Machine { name, traces: vec![part], surveys: vec![survey] });
                }
            }
        }
    }
    machines
}

/// Name of a machine without one in the manifest: its trace and number.
fn machine_label(trace: &str, id: u32) -> String {
    match (trace, id) {
        ("", id) => id.to_string(),
        (trace, 0) => trace.to_owned(),
        (trace, id) => format!("{trace}:{id}"),
    }
}

/// Whether a machine in a trace is a known one: same number, clock and start time.
fn is_same_machine(machine: &Machine, id: u32, survey: &MachineSurvey) -> bool {
    machine.traces.iter().zip(&machine.surveys).any(|(trace, other)| {
        let starts = survey.booted_ns.zip(other.booted_ns);
        trace.machine == id
            && survey.clock == other.clock
            && starts.is_some_and(|(a, b)| a.abs_diff(b) < SAME_START_TOLERANCE_NS)
    })
}

/// Machine named `wanted`; without a name the only one, or, in a trace of several, the one on which
/// it was recorded.
fn choose_machine(
    mut machines: Vec<Machine>,
    wanted: Option<&str>,
) -> Result<Machine, LogFileError> {
    let known = || listed(&machines.iter().map(|machine| machine.name.clone()).collect::<Vec<_>>());
    let at = match wanted {
        Some(wanted) => {
            let found = machines.iter().position(|machine| machine.name == wanted);
            found
                .ok_or_else(|| LogFileError::NoMachine { wanted: wanted.into(), known: known() })?
        }
        None if machines.len() == 1 => 0,
        None => {
            let is_host = |machine: &Machine| machine.traces.iter().any(|trace| trace.machine == 0);
            let mut hosts = (0..machines.len()).filter(|at| is_host(&machines[*at]));
            match (hosts.next(), hosts.next()) {
                (Some(host), None) => host,
                _ => return Err(LogFileError::Machines(known())),
            }
        }
    };
    Ok(machines.swap_remove(at))
}

/// Refuses a manifest that moves the clocks of traces that are read as one.
fn check_clocks(chosen: &Machine, manifest: Option<&TraceManifest>) -> Result<(), LogFileError> {
    let names: Vec<&str> = chosen.traces.iter().map(|trace| trace.name.as_str()).collect();
    let moved = names.iter().find(|name| manifest.is_some_and(|m| m.moves_clock(name, &names)));
    match moved {
        None => Ok(()),
        Some(name) => Err(LogFileError::Manifest {
            entry: (*name).to_owned(),
            problem: "its clock is moved against another trace of its machine, which is not \
                      followed; merge the traces with `trace_processor`, or give one of them"
                .into(),
        }),
    }
}
