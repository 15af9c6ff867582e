//! Perfetto traces -> components of a phone: cores with idle states and frequencies, GPUs,
//! counters of screen and radio as far as the trace has them; the rails as the meter;
//! sections as activities. Who runs on a core comes from the scheduler's switches.

use std::collections::BTreeMap;
use std::io::{self, Read};

use wattline_units::format::counted_as;

use super::super::api::SECTION;
use super::super::binder::Binder;
use super::super::combine::with_frequencies;
use super::super::label::{Label, Labels};
use super::super::log::{Component, ComponentEvent, LIMIT_NS, NodeLog};
use super::super::remark::{Remark, RemarkKind, summarised};
use super::super::sections::{Sections, Thread};
use super::open_sections::OpenSections;
use super::trace_meter::TraceMeter;
use crate::perfetto::{Holds, Losses, TraceEvent, TraceMarker, TraceReader, What};

/// What a trace is read with.
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

/// Reads a trace. What it lost and what makes no sense is said.
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

/// Reads traces of one machine, in one clock, as one log.
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
            events.extend((!is_of_no_use(&event.what)).then_some(event));
        }
    }
    // Bundles are in order within a core only; names come first.
    events.sort_by_key(|event| event.at_ns);
    let mut builder = PerfettoLogBuilder::new(node, labels);
    for event in &events {
        builder.event(event);
    }
    let losses: Vec<&Losses> = traces.iter().map(TraceReader::losses).collect();
    builder.finish(options, &losses).map_err(io::Error::other)
}

/// Events that nothing is made of.
fn is_of_no_use(what: &What) -> bool {
    matches!(what, What::Package { .. } | What::Instant { .. } | What::Counter { .. })
}

/// A thread; its number is enough on one device.
fn thread(tid: i32) -> Thread {
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
    binder: Binder,
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
            binder: Binder::default(),
            running: BTreeMap::new(),
            meter: TraceMeter::default(),
            open: OpenSections::default(),
        }
    }

    fn event(&mut self, event: &TraceEvent) {
        let at_ns = event.at_ns.map_or(0, |at| i64::try_from(at).unwrap_or(LIMIT_NS).min(LIMIT_NS));
        match &event.what {
            What::Rail { .. } | What::RailEnergy { .. } | What::Battery { .. } => {
                self.meter.take(event);
            }
            what @ (What::Process { .. } | What::Thread { .. } | What::Track(_)) => {
                self.register(what);
            }
            what @ (What::CpuIdle { .. }
            | What::CpuFrequency { .. }
            | What::CpuHotplug { .. }
            | What::GpuFrequency { .. }
            | What::Lost { .. }) => self.change_state(at_ns, what),
            what => self.change_activity(at_ns, what),
        }
    }

    /// Remembers processes, threads and tracks.
    fn register(&mut self, what: &What) {
        match what {
            What::Process { pid, name, .. } => {
                self.names.insert(*pid, name.clone());
                self.process_of.insert(*pid, *pid);
            }
            What::Thread { tid, pid: Some(pid), .. } => {
                self.process_of.insert(*tid, *pid);
            }
            What::Track(track) => {
                let thread = track.tid.and_then(|tid| i32::try_from(tid).ok());
                if let (Some(pid), Some(tid)) = (track.pid, thread) {
                    self.tracks.insert(track.uuid, (pid, tid));
                } else {
                    self.open.track(track);
                }
            }
            _ => {}
        }
    }

    /// Power states of cores and GPUs.
    fn change_state(&mut self, at_ns: i64, what: &What) {
        match what {
            What::CpuIdle { cpu, state } => {
                let state = if state.is_some() { "idle" } else { "active" };
                self.state(at_ns, &format!("cpu{cpu}"), state);
            }
            What::CpuFrequency { cpu, khz } => {
                self.state(at_ns, &format!("cpu{cpu} frequency"), &format!("{khz} kHz"));
            }
            What::CpuHotplug { cpu, is_online } => {
                let state = if *is_online { "active" } else { "off" };
                self.state(at_ns, &format!("cpu{cpu}"), state);
            }
            What::GpuFrequency { gpu, state } => {
                let name = if *state == 0 { "idle".to_owned() } else { format!("{state} kHz") };
                self.state(at_ns, &format!("gpu{gpu}"), &name);
            }
            What::Lost { cpu } => self.lost(at_ns, *cpu),
            _ => {}
        }
    }

    /// Who runs, and what for.
    fn change_activity(&mut self, at_ns: i64, what: &What) {
        match what {
            What::Switch { cpu, next_tid, .. } => {
                self.running.insert(*cpu, *next_tid);
                self.paint(at_ns, *cpu);
            }
            What::Mark { tid, mark } => self.mark(at_ns, *tid, mark),
            What::SliceBegin { track, name } => {
                let name = name.clone().unwrap_or_else(|| "(name lost)".into());
                match self.tracks.get(track).copied() {
                    Some((pid, tid)) => self.mark(at_ns, tid, &TraceMarker::Begin { pid, name }),
                    None => self.slice_begins(at_ns, *track, &name),
                }
            }
            What::SliceEnd { track } => match self.tracks.get(track).copied() {
                Some((_, tid)) => self.mark(at_ns, tid, &TraceMarker::End),
                None => {
                    let ended = self.open.slice_ends(*track);
                    self.devices(at_ns, ended.map(ComponentEvent::Remove));
                }
            },
            What::Transaction { tid, id, is_reply: true, .. } => {
                self.binder.reply(*id, thread(*tid), &mut self.sections);
                self.repaint(at_ns, *tid);
            }
            What::Transaction { tid, id, is_one_way, .. } => {
                let (label, served) = (self.activity(*tid), self.sections.carried(thread(*tid)));
                self.binder.call(*id, thread(*tid), label, served, *is_one_way);
            }
            What::TransactionReceived { tid, id } => {
                self.binder.received(at_ns, *id, thread(*tid), &mut self.sections);
                self.repaint(at_ns, *tid);
            }
            _ => {}
        }
    }

    fn state(&mut self, at_ns: i64, component: &str, state: &str) {
        let component = self.log.component(component);
        self.log.set_state(at_ns, component, state);
    }

    /// The kernel lost events of a core: its state and activity are not known.
    fn lost(&mut self, at_ns: i64, cpu: u32) {
        self.running.remove(&cpu);
        for name in [format!("cpu{cpu}"), format!("cpu{cpu} frequency")] {
            let known = self.log.components.iter().position(|component| component.name == name);
            if let Some(component) = known {
                self.log.change(at_ns, component, ComponentEvent::Lost);
            }
        }
    }

    fn mark(&mut self, at_ns: i64, tid: i32, mark: &TraceMarker) {
        match mark {
            TraceMarker::Begin { pid, name } => {
                self.process_of.entry(tid).or_insert(*pid);
                let label = self.within_call(tid, name).unwrap_or_else(|| self.section(*pid, name));
                self.sections.begin(at_ns, thread(tid), label);
                self.repaint(at_ns, tid);
            }
            TraceMarker::End => {
                self.sections.end(at_ns, thread(tid));
                self.repaint(at_ns, tid);
            }
            TraceMarker::AsyncBegin { pid, name, .. } => {
                let label = self.section(*pid, name);
                self.devices(at_ns, Some(ComponentEvent::Add(label)));
            }
            TraceMarker::AsyncEnd { pid, name, .. } => {
                let label = self.section(*pid, name);
                self.devices(at_ns, Some(ComponentEvent::Remove(label)));
            }
            TraceMarker::TrackBegin { pid, track, name, cookie } => {
                let label = self.section(*pid, name);
                self.open.begin(*pid, track, *cookie, label);
                self.devices(at_ns, Some(ComponentEvent::Add(label)));
            }
            TraceMarker::TrackEnd { pid, track, cookie } => {
                let ended = self.open.end(*pid, track, *cookie);
                self.devices(at_ns, ended.map(ComponentEvent::Remove));
            }
            TraceMarker::Unknown(letter) => {
                *self.open.unknown_marks.entry(*letter).or_default() += 1;
            }
            TraceMarker::Counter { name, value, .. } => {
                let known = STATE_COUNTERS.iter().find(|(end, _)| name.ends_with(end));
                if let Some((_, component)) = known {
                    let state = if *value == 0 { "off".into() } else { format!("level {value}") };
                    self.state(at_ns, component, &state);
                }
            }
            TraceMarker::Instant | TraceMarker::Text(_) => {}
        }
    }

    /// While a thread serves a call, its sections are the caller's: what a service calls its
    /// work is no activity. Those that the API names are.
    fn within_call(&self, tid: i32, name: &str) -> Option<Label> {
        let serves = self.sections.carried(thread(tid)) > 0 && !name.starts_with(SECTION);
        self.sections.innermost(thread(tid)).filter(|_| serves)
    }

    /// The label of a section: the API's own, or process and name.
    fn section(&mut self, pid: i32, name: &str) -> Label {
        let process = self.process(pid);
        match name.strip_prefix(SECTION) {
            Some(label) => self.labels.parse(&process, label),
            None => self.labels.intern(&process, name),
        }
    }

    fn process(&self, pid: i32) -> String {
        let name = self.names.get(&pid).filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| format!("process {pid}"))
    }

    fn slice_begins(&mut self, at_ns: i64, track: u64, name: &str) {
        let process = self.open.process(track);
        let label = process.map(|pid| self.section(pid, name));
        self.open.slice_begins(track, label);
        self.devices(at_ns, label.map(ComponentEvent::Add));
    }

    /// Sections that no thread holds are of all devices that are no cores, in equal parts.
    fn devices(&mut self, at_ns: i64, event: Option<ComponentEvent>) {
        let Some(event) = event else { return };
        let is_device = |component: &Component| !component.name.starts_with("cpu");
        if matches!(event, ComponentEvent::Add(_)) && !self.log.components.iter().any(is_device) {
            self.open.homeless += 1;
        }
        for component in 0..self.log.components.len() {
            if !self.log.components[component].name.starts_with("cpu") {
                self.log.change(at_ns, component, event);
            }
        }
    }

    /// A thread's section changed: so does the core that it runs on.
    fn repaint(&mut self, at_ns: i64, tid: i32) {
        let cpu = self.running.iter().find(|(_, running)| **running == tid).map(|(cpu, _)| *cpu);
        if let Some(cpu) = cpu {
            self.paint(at_ns, cpu);
        }
    }

    /// A core works for what its thread works for.
    fn paint(&mut self, at_ns: i64, cpu: u32) {
        let Some(tid) = self.running.get(&cpu).copied() else { return };
        let component = self.log.component(&format!("cpu{cpu}"));
        let label = if tid == 0 {
            let node = self.log.node.clone();
            self.labels.intern(&node, "Idle")
        } else {
            self.activity(tid)
        };
        self.log.change(at_ns, component, ComponentEvent::Set(label));
    }

    /// What a thread works for: its innermost section, or a call that it serves; without
    /// both, its process.
    fn activity(&mut self, tid: i32) -> Label {
        self.sections.innermost(thread(tid)).unwrap_or_else(|| {
            let process = self.process_of.get(&tid).copied().unwrap_or(tid);
            let process = self.process(process);
            self.labels.intern(&process, "-")
        })
    }

    fn finish(mut self, options: &PerfettoOptions, losses: &[&Losses]) -> Result<NodeLog, String> {
        let (readings, told) = std::mem::take(&mut self.meter).readings(&options.rails)?;
        self.log.readings = readings;
        self.log.remarks.extend(told);
        super::csv::meter_steps(&mut self.log);
        self.idle_by_switches();
        let labels = &*self.labels;
        self.sections.finish(|label| labels.text(label));
        let unread = self.open.unread();
        let mut log = self.log;
        log.remarks.append(&mut self.sections.remarks);
        let lost = losses.iter().flat_map(|losses| losses.findings());
        log.remarks.extend(lost.map(|loss| Remark::new(RemarkKind::Truncated, loss)));
        let wanted = [Holds::Scheduling, Holds::Energy, Holds::Sections];
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
            log.remarks.push(Remark::new(RemarkKind::NoMeter, no_meter(&log.remarks)));
        }
        log.sort();
        log.components.iter_mut().for_each(Component::choose_baseline);
        log = with_frequencies(log);
        log.remarks = summarised(log.remarks);
        Ok(log)
    }

    /// Cores without idle events in the trace: idle while thread 0 runs.
    fn idle_by_switches(&mut self) {
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

/// Why there is no meter: a remedy only for a trace that was understood whole.
fn no_meter(remarks: &[Remark]) -> &'static str {
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
