//! Perfetto traces -> components of a phone: cores with idle states and frequencies, GPUs,
//! counters of screen and radio as far as the trace has them; the rails as the meter;
//! sections as activities. Who runs on a core comes from the scheduler's switches.

use std::collections::BTreeMap;
use std::io::{self, Read};

use wattline_units::format::counted_as;

use super::super::api::SECTION_PREFIX;
use super::super::binder::BinderTransactions;
use super::super::combine::merge_frequencies_into_states;
use super::super::label::{Label, Labels};
use super::super::log::{Component, ComponentEvent, MOMENT_LIMIT_NS, NodeLog};
use super::super::remark::{Remark, RemarkKind, summarise_remarks};
use super::super::sections::{Sections, Thread};
use super::open_sections::OpenSections;
use super::trace_meter::TraceMeter;
use crate::perfetto::{
    Losses, RecordContent, TraceEvent, TraceEventKind, TraceMarker, TraceReader,
};

/// Options of reading a trace: names of the node and of the rails.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PerfettoOptions {
    /// Rails of the meter; all that the trace has if none are named.
    pub rails: Vec<String>,
}

/// Counters of `trace_marker` that are power states of a component, by the end of their
/// names: 0 is off, any other value a level.
const STATE_COUNTERS: [(&str, &str); 4] = [
    ("ScreenState", "screen"),
    ("ScreenBrightness", "screen"),
    ("mobile_radio", "radio"),
    ("wifi_radio", "wifi"),
];

/// Reads a trace as a node's log, with remarks on lost and inconsistent events.
///
/// # Errors
/// What the input says, and rails that are not there.
pub fn read_perfetto(
    input: impl Read + 'static,
    node: &str,
    labels: &mut Labels,
    options: &PerfettoOptions,
) -> io::Result<NodeLog> {
    read_traces(vec![TraceReader::new(input)?], node, labels, options)
}

/// Reads traces of one machine with one clock as one log.
///
/// # Errors
/// As [`read_perfetto`].
pub fn read_traces(
    mut traces: Vec<TraceReader>,
    node: &str,
    labels: &mut Labels,
    options: &PerfettoOptions,
) -> io::Result<NodeLog> {
    let mut events: Vec<TraceEvent> = Vec::new();
    for trace in &mut traces {
        for event in trace.by_ref() {
            let event = event?;
            events.extend((!is_unused(&event.what)).then_some(event));
        }
    }
    // Bundles are in order within a core only; names come first.
    events.sort_by_key(|event| event.at_ns);
    let mut builder = PerfettoLogBuilder::new(node, labels);
    for event in &events {
        builder.take_event(event);
    }
    let losses: Vec<&Losses> = traces.iter().map(TraceReader::losses).collect();
    builder.finish(options, &losses).map_err(io::Error::other)
}

/// Whether no part of the log is made from an event of this kind.
fn is_unused(what: &TraceEventKind) -> bool {
    matches!(
        what,
        TraceEventKind::Package { .. }
            | TraceEventKind::Instant { .. }
            | TraceEventKind::Counter { .. }
    )
}

/// Returns a thread's key: on one device its number is enough.
fn thread_key(tid: i32) -> Thread {
    (0, i64::from(tid))
}

struct PerfettoLogBuilder<'a> {
    labels: &'a mut Labels,
    log: NodeLog,
    sections: Sections,
    /// Process of each thread, and the names of processes.
    process_of: BTreeMap<i32, i32>,
    names: BTreeMap<i32, String>,
    /// Process and thread of the tracks that are threads'.
    tracks: BTreeMap<u64, (i32, i32)>,
    /// Calls between processes.
    binder: BinderTransactions,
    /// The thread on each core, with the label that the core shows.
    running: BTreeMap<u32, i32>,
    meter: TraceMeter,
    open: OpenSections,
}

impl<'a> PerfettoLogBuilder<'a> {
    fn new(node: &str, labels: &'a mut Labels) -> Self {
        Self {
            labels,
            log: NodeLog::new(node),
            sections: Sections::default(),
            process_of: BTreeMap::new(),
            names: BTreeMap::new(),
            tracks: BTreeMap::new(),
            binder: BinderTransactions::default(),
            running: BTreeMap::new(),
            meter: TraceMeter::default(),
            open: OpenSections::default(),
        }
    }

    fn take_event(&mut self, event: &TraceEvent) {
        let at_ns = event
            .at_ns
            .map_or(0, |at| i64::try_from(at).unwrap_or(MOMENT_LIMIT_NS).min(MOMENT_LIMIT_NS));
        match &event.what {
            TraceEventKind::Rail { .. }
            | TraceEventKind::RailEnergy { .. }
            | TraceEventKind::Battery { .. } => {
                self.meter.take(event);
            }
            what @ (TraceEventKind::Process { .. }
            | TraceEventKind::Thread { .. }
            | TraceEventKind::Track(_)) => {
                self.register(what);
            }
            what @ (TraceEventKind::CpuIdle { .. }
            | TraceEventKind::CpuFrequency { .. }
            | TraceEventKind::CpuHotplug { .. }
            | TraceEventKind::GpuFrequency { .. }
            | TraceEventKind::Lost { .. }) => self.change_state(at_ns, what),
            what => self.change_activity(at_ns, what),
        }
    }

    /// Registers processes, threads and tracks.
    fn register(&mut self, what: &TraceEventKind) {
        match what {
            TraceEventKind::Process { pid, name, .. } => {
                self.names.insert(*pid, name.clone());
                self.process_of.insert(*pid, *pid);
            }
            TraceEventKind::Thread { tid, pid: Some(pid), .. } => {
                self.process_of.insert(*tid, *pid);
            }
            TraceEventKind::Track(track) => {
                let thread = track.tid.and_then(|tid| i32::try_from(tid).ok());
                if let (Some(pid), Some(tid)) = (track.pid, thread) {
                    self.tracks.insert(track.uuid, (pid, tid));
                } else {
                    self.open.register_track(track);
                }
            }
            _ => {}
        }
    }

    /// Changes the power states of cores and GPUs.
    fn change_state(&mut self, at_ns: i64, what: &TraceEventKind) {
        match what {
            TraceEventKind::CpuIdle { cpu, state } => {
                let state = if state.is_some() { "idle" } else { "active" };
                self.set_state(at_ns, &format!("cpu{cpu}"), state);
            }
            TraceEventKind::CpuFrequency { cpu, khz } => {
                self.set_state(at_ns, &format!("cpu{cpu} frequency"), &format!("{khz} kHz"));
            }
            TraceEventKind::CpuHotplug { cpu, is_online } => {
                let state = if *is_online { "active" } else { "off" };
                self.set_state(at_ns, &format!("cpu{cpu}"), state);
            }
            TraceEventKind::GpuFrequency { gpu, state } => {
                let name = if *state == 0 { "idle".to_owned() } else { format!("{state} kHz") };
                self.set_state(at_ns, &format!("gpu{gpu}"), &name);
            }
            TraceEventKind::Lost { cpu } => self.lose_core(at_ns, *cpu),
            _ => {}
        }
    }

    /// Changes the running threads of cores and their activities.
    fn change_activity(&mut self, at_ns: i64, what: &TraceEventKind) {
        match what {
            TraceEventKind::Switch { cpu, next_tid, .. } => {
                self.running.insert(*cpu, *next_tid);
                self.update_core_activity(at_ns, *cpu);
            }
            TraceEventKind::Mark { tid, mark } => self.apply_marker(at_ns, *tid, mark),
            TraceEventKind::SliceBegin { track, name } => {
                let name = name.clone().unwrap_or_else(|| "(name lost)".into());
                match self.tracks.get(track).copied() {
                    Some((pid, tid)) => {
                        self.apply_marker(at_ns, tid, &TraceMarker::Begin { pid, name })
                    }
                    None => self.begin_slice(at_ns, *track, &name),
                }
            }
            TraceEventKind::SliceEnd { track } => match self.tracks.get(track).copied() {
                Some((_, tid)) => self.apply_marker(at_ns, tid, &TraceMarker::End),
                None => {
                    let ended = self.open.end_slice(*track);
                    self.change_devices(at_ns, ended.map(ComponentEvent::Remove));
                }
            },
            TraceEventKind::Transaction { tid, id, is_reply: true, .. } => {
                self.binder.reply(*id, thread_key(*tid), &mut self.sections);
                self.update_core_of_thread(at_ns, *tid);
            }
            TraceEventKind::Transaction { tid, id, is_one_way, .. } => {
                let (label, served) =
                    (self.thread_activity(*tid), self.sections.served_calls(thread_key(*tid)));
                self.binder.call(*id, thread_key(*tid), label, served, *is_one_way);
            }
            TraceEventKind::TransactionReceived { tid, id } => {
                self.binder.receive(at_ns, *id, thread_key(*tid), &mut self.sections);
                self.update_core_of_thread(at_ns, *tid);
            }
            _ => {}
        }
    }

    fn set_state(&mut self, at_ns: i64, component: &str, state: &str) {
        let component = self.log.component_number(component);
        self.log.set_state(at_ns, component, state);
    }

    /// Marks a core's state and activity as unknown, since the kernel lost events of it.
    fn lose_core(&mut self, at_ns: i64, cpu: u32) {
        self.running.remove(&cpu);
        for name in [format!("cpu{cpu}"), format!("cpu{cpu} frequency")] {
            let known = self.log.components.iter().position(|component| component.name == name);
            if let Some(component) = known {
                self.log.add_change(at_ns, component, ComponentEvent::Lost);
            }
        }
    }

    fn apply_marker(&mut self, at_ns: i64, tid: i32, mark: &TraceMarker) {
        match mark {
            TraceMarker::Begin { pid, name } => {
                self.process_of.entry(tid).or_insert(*pid);
                let label = self
                    .served_call_label(tid, name)
                    .unwrap_or_else(|| self.section_label(*pid, name));
                self.sections.begin(at_ns, thread_key(tid), label);
                self.update_core_of_thread(at_ns, tid);
            }
            TraceMarker::End => {
                self.sections.end(at_ns, thread_key(tid));
                self.update_core_of_thread(at_ns, tid);
            }
            TraceMarker::AsyncBegin { pid, name, .. } => {
                let label = self.section_label(*pid, name);
                self.change_devices(at_ns, Some(ComponentEvent::Add(label)));
            }
            TraceMarker::AsyncEnd { pid, name, .. } => {
                let label = self.section_label(*pid, name);
                self.change_devices(at_ns, Some(ComponentEvent::Remove(label)));
            }
            TraceMarker::TrackBegin { pid, track, name, cookie } => {
                let label = self.section_label(*pid, name);
                self.open.begin(*pid, track, *cookie, label);
                self.change_devices(at_ns, Some(ComponentEvent::Add(label)));
            }
            TraceMarker::TrackEnd { pid, track, cookie } => {
                let ended = self.open.end(*pid, track, *cookie);
                self.change_devices(at_ns, ended.map(ComponentEvent::Remove));
            }
            TraceMarker::Unknown(letter) => {
                *self.open.unknown_marks.entry(*letter).or_default() += 1;
            }
            TraceMarker::Counter { name, value, .. } => {
                let known = STATE_COUNTERS.iter().find(|(end, _)| name.ends_with(end));
                if let Some((_, component)) = known {
                    let state = if *value == 0 { "off".into() } else { format!("level {value}") };
                    self.set_state(at_ns, component, &state);
                }
            }
            TraceMarker::Instant | TraceMarker::Text(_) => {}
        }
    }

    /// Returns the caller's label for a section of a thread that serves a call, since a service's
    /// names for its work are no activities; `None` for sections of the API.
    fn served_call_label(&self, tid: i32, name: &str) -> Option<Label> {
        let serves =
            self.sections.served_calls(thread_key(tid)) > 0 && !name.starts_with(SECTION_PREFIX);
        self.sections.innermost(thread_key(tid)).filter(|_| serves)
    }

    /// Returns the label of a section: the API's own, or process and name.
    fn section_label(&mut self, pid: i32, name: &str) -> Label {
        let process = self.process_name(pid);
        match name.strip_prefix(SECTION_PREFIX) {
            Some(label) => self.labels.parse(&process, label),
            None => self.labels.intern(&process, name),
        }
    }

    fn process_name(&self, pid: i32) -> String {
        let name = self.names.get(&pid).filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("process {pid}"))
    }

    fn begin_slice(&mut self, at_ns: i64, track: u64, name: &str) {
        let process = self.open.process_of_track(track);
        let label = process.map(|pid| self.section_label(pid, name));
        self.open.begin_slice(track, label);
        self.change_devices(at_ns, label.map(ComponentEvent::Add));
    }

    /// Changes the activity of all components that are no cores, which share sections that belong
    /// to no thread in equal parts.
    fn change_devices(&mut self, at_ns: i64, event: Option<ComponentEvent>) {
        let Some(event) = event else { return };
        let is_device = |component: &Component| !component.name.starts_with("cpu");
        if matches!(event, ComponentEvent::Add(_)) && !self.log.components.iter().any(is_device) {
            self.open.homeless += 1;
        }
        for component in 0..self.log.components.len() {
            if !self.log.components[component].name.starts_with("cpu") {
                self.log.add_change(at_ns, component, event);
            }
        }
    }

    /// Updates the activity of the core that a thread runs on, after its section changed.
    fn update_core_of_thread(&mut self, at_ns: i64, tid: i32) {
        let cpu = self.running.iter().find(|(_, running)| **running == tid).map(|(cpu, _)| *cpu);
        if let Some(cpu) = cpu {
            self.update_core_activity(at_ns, cpu);
        }
    }

    /// Sets a core's activity to that of its running thread.
    fn update_core_activity(&mut self, at_ns: i64, cpu: u32) {
        let Some(tid) = self.running.get(&cpu).copied() else { return };
        let component = self.log.component_number(&format!("cpu{cpu}"));
        let label = if tid == 0 {
            let node = self.log.node.clone();
            self.labels.intern(&node, "Idle")
        } else {
            self.thread_activity(tid)
        };
        self.log.add_change(at_ns, component, ComponentEvent::Set(label));
    }

    /// Returns the activity of a thread: its innermost section or the call that it serves, else its
    /// process.
    fn thread_activity(&mut self, tid: i32) -> Label {
        self.sections.innermost(thread_key(tid)).unwrap_or_else(|| {
            let process = self.process_of.get(&tid).copied().unwrap_or(tid);
            let process = self.process_name(process);
            self.labels.intern(&process, "-")
        })
    }

    fn finish(mut self, options: &PerfettoOptions, losses: &[&Losses]) -> Result<NodeLog, String> {
        let (readings, told) = std::mem::take(&mut self.meter).readings(&options.rails)?;
        self.log.readings = readings;
        self.log.remarks.extend(told);
        super::csv::mark_meter_resets(&mut self.log);
        self.infer_idle_from_switches();
        let labels = &*self.labels;
        self.sections.finish(|label| labels.text(label));
        let unread = self.open.unread_section_findings();
        let mut log = self.log;
        log.remarks.append(&mut self.sections.remarks);
        let lost = losses.iter().flat_map(|losses| losses.findings());
        log.remarks.extend(lost.map(|loss| Remark::new(RemarkKind::Truncated, loss)));
        let wanted = [RecordContent::Scheduling, RecordContent::Energy, RecordContent::Sections];
        let unread = losses.iter().flat_map(|l| l.unread_findings(&wanted)).chain(unread);
        log.remarks.extend(unread.map(|what| Remark::new(RemarkKind::NotRead, what)));
        if self.binder.unknown > 0 {
            let message = counted_as(
                self.binder.unknown,
                "binder transaction was received whose sending is not in the trace: what it caused \
                 is charged to the process that served it",
                "binder transactions were received whose sending is not in the trace: what they \
                 caused is charged to the process that served them",
            );
            log.remarks.push(Remark::new(RemarkKind::Note, message));
        }
        if log.readings.is_empty() {
            log.remarks.push(Remark::new(RemarkKind::NoMeter, missing_meter_reason(&log.remarks)));
        }
        log.sort();
        log.components.iter_mut().for_each(Component::choose_baseline);
        log = merge_frequencies_into_states(log);
        log.remarks = summarise_remarks(log.remarks);
        Ok(log)
    }

    /// Sets cores without idle events in the trace to idle while thread 0 runs.
    fn infer_idle_from_switches(&mut self) {
        for component in 0..self.log.components.len() {
            let of = &self.log.components[component];
            if !of.states.is_empty() || !of.name.starts_with("cpu") {
                continue;
            }
            let changes: Vec<(i64, bool)> = self
                .log
                .changes
                .iter()
                .filter(|change| change.component == component)
                .filter_map(|change| match change.event {
                    ComponentEvent::Set(label) => Some((change.at_ns, self.labels.is_idle(label))),
                    _ => None,
                })
                .collect();
            for (at_ns, is_idle) in changes {
                self.log.set_state(at_ns, component, if is_idle { "idle" } else { "active" });
            }
        }
    }
}

/// Returns why there is no meter, with a remedy only if the whole trace was read.
fn missing_meter_reason(remarks: &[Remark]) -> &'static str {
    let is_whole = |r: &Remark| !matches!(r.kind, RemarkKind::NotRead | RemarkKind::Truncated);
    match remarks.iter().all(is_whole) {
        true => {
            "the trace has no power rails; record it with the data source android.power, or give \
             a meter beside it"
        }
        false => {
            "no power rails are in what could be read of the trace; a meter can be given beside it"
        }
    }
}

#[cfg(test)]
mod tests;
