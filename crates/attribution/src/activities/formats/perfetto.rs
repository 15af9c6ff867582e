//! Perfetto traces -> components of a phone: cores with idle states and frequencies, GPUs,
//! counters of screen and radio as far as the trace has them; the rails as the meter;
//! sections as activities. Who runs on a core comes from the scheduler's switches.

use std::collections::BTreeMap;
use std::io::{self, Read};

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
            What::Rail { index, name, .. } => {
                self.rails.insert(*index, name.clone());
            }
            What::RailEnergy { index, energy_uj } => {
                self.energies.push((at_ns, *index, *energy_uj));
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
<<<<<<< 3a4c739651bc9787c558a503ba0e7fbd6b7942be
=======
            What::Rail { .. } | What::RailEnergy { .. } | What::Battery { .. } => {
                self.meter.take(event);
            }
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
>>>>>>> e078b2eba1228ae97c12d8b63e82b3368ef5939c
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
            let message = format!(
                "{} binder transactions were received whose sending is not in the trace: what \
                 they caused is charged to the process that served them",
                self.binder.unknown
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
<<<<<<< 3a4c739651bc9787c558a503ba0e7fbd6b7942be
mod tests;
=======
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::activities::{AnalysisOptions, Payer, analyse};
    use crate::perfetto::encode::{
        BatteryCounters, ProcessDescriptor, TraceBytes, TracePacket, TrackDescriptor, call,
        frequency, idle, print, received, reply, switch,
    };

    const MS: u64 = 1_000_000;

    /// A core that idles (1 W), runs at two frequencies (3 W and 6 W) and idles again; its
    /// thread has two sections of the API, and one that is none.
    fn trace() -> TraceBytes {
        let mut trace = TraceBytes::default();
        trace.clocks(&[(6, 1_000)]);
        trace.processes(&[(100, "com.example.app", 10_123)]);
        trace.threads(&[(101, 100, "worker")]);
        trace.rails(&["cpu", "other"]);
        for (ms, cpu) in [(0, 0), (100, 100), (200, 400), (300, 1000), (400, 1100)] {
            trace.energies(1000 + ms, &[cpu * 1000, 7 * ms]);
        }
        let at = |ms: u64| (1000 + ms) * MS;
        trace.bundle(
            0,
            vec![
                frequency(at(0), 0, 1_000_000),
                idle(at(0), 0, 1),
                switch(at(100), (0, "swapper/0"), (101, "worker")),
                idle(at(100), 0, u32::MAX),
                print(at(100), 101, "B|100|wattline:load\n"),
                frequency(at(200), 0, 2_000_000),
                print(at(250), 101, "E|100\n"),
                print(at(250), 101, "B|100|wattline:4:search\n"),
                print(at(290), 101, "E|100\n"),
                switch(at(300), (101, "worker"), (0, "swapper/0")),
                idle(at(300), 0, 1),
                print(at(310), 101, "E|100\n"),
            ],
        );
        trace
    }

    fn read(bytes: Vec<u8>, rails: &[&str]) -> io::Result<(NodeLog, Labels)> {
        let mut labels = Labels::default();
        let rails = rails.iter().map(|rail| (*rail).to_owned()).collect();
        let options = PerfettoOptions { rails };
        let log = read_perfetto(Cursor::new(bytes), "phone", &mut labels, &options)?;
        Ok((log, labels))
    }

    #[test]
    fn cores_frequencies_rails_and_sections() {
        let (log, mut labels) = read(trace().0, &["cpu"]).unwrap();
        let kinds: Vec<RemarkKind> = log.remarks.iter().map(|remark| remark.kind).collect();
        assert_eq!(kinds, [RemarkKind::EndWithoutBegin]);
        let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        let powers = found.powers.unwrap();
        assert_eq!(found.columns.names, ["cpu0:active 1000000 kHz", "cpu0:active 2000000 kHz"]);
        let w: Vec<f64> = powers.of.iter().map(|power| power.unwrap().w).collect();
        assert!((powers.constant.w - 1.0).abs() < 1e-9 && (w[0] - 2.0).abs() < 1e-9, "{w:?}");
        assert!((w[1] - 5.0).abs() < 1e-9, "{w:?}");
        let account = found.account.unwrap();
        let by_payer = account.by_payer();
        let of = |labels: &mut Labels, origin: &str, name: &str| {
            by_payer[&Payer::Activity(labels.intern(origin, name))]
        };
        assert!((of(&mut labels, "com.example.app", "load") - 0.45).abs() < 1e-9);
        assert!((of(&mut labels, "4", "search") - 0.20).abs() < 1e-9);
        assert!((of(&mut labels, "com.example.app", "-") - 0.05).abs() < 1e-9);
        assert!((account.split.total_j() - 1.1).abs() < 1e-9);
    }

    /// An application (thread 101, core 0) calls a service (201, core 1), which calls a second
    /// one (301, core 2), each of which works for 100 ms; the service calls back.
    fn calls() -> TraceBytes {
        let mut trace = TraceBytes::default();
        trace.clocks(&[(6, 1_000)]);
        trace.processes(&[(100, "app", 10_123), (200, "service", 1000), (300, "media", 1013)]);
        trace.threads(&[(101, 100, "main"), (201, 200, "binder:1"), (301, 300, "binder:2")]);
        let at = |ms: u64| (1000 + ms) * MS;
        let (idle, main) = ((0, "swapper"), (101, "main"));
        let (service, media) = ((201, "binder:1"), (301, "binder:2"));
        trace.bundle(
            0,
            vec![
                switch(at(0), idle, main),
                print(at(0), 101, "B|100|wattline:load\n"),
                call(at(100), 101, 7, false),
                switch(at(100), main, idle),
                // Called back while it waits.
                switch(at(300), idle, main),
                received(at(300) + 10, 101, 9),
                reply(at(400), 101, 10),
                switch(at(400), main, idle),
                switch(at(600), idle, main),
                received(at(600), 101, 11),
                print(at(700), 101, "E|100\n"),
                call(at(700), 101, 12, true),
                switch(at(800), main, idle),
            ],
        );
        trace.bundle(
            1,
            vec![
                switch(at(100), idle, service),
                received(at(100), 201, 7),
                print(at(110), 201, "B|200|query\n"),
                call(at(200), 201, 8, true),
                print(at(290), 201, "E|200\n"),
                call(at(300), 201, 9, false),
                switch(at(300), service, idle),
                switch(at(400), idle, service),
                received(at(400), 201, 10),
                reply(at(500), 201, 11),
                switch(at(600), service, idle),
                switch(at(800), idle, service),
                received(at(800), 201, 12),
                print(at(850), 201, "B|200|wattline:cache\n"),
                print(at(900), 201, "E|200\n"),
                // A transaction from before the trace.
                received(at(900), 201, 1),
                switch(at(1000), service, idle),
            ],
        );
        let media_work = [switch(at(200), idle, media), received(at(200), 301, 8)];
        trace.bundle(2, [&media_work[..], &[switch(at(300), media, idle)]].concat());
        trace
    }

    #[test]
    fn calls_carry_the_activity_into_other_processes() {
        let (log, mut labels) = read(calls().0, &[]).unwrap();
        let said: Vec<&str> = log.remarks.iter().map(|remark| remark.message.as_str()).collect();
        assert!(said[0].starts_with("1 binder transactions were received"), "{said:?}");
        assert!(!said.iter().any(|said| said.contains("never ends")), "{said:?}");
        let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        let mut ms = |core: usize, origin: &str, name: &str| {
            let payer = Payer::Activity(labels.intern(origin, name));
            (found.times_s.get(&(core, payer)).copied().unwrap_or(0.0) * 1e3).round()
        };
        // 100 ms before the call, 100 called back, 100 after the reply; then its process's own.
        assert_eq!((ms(0, "app", "load"), ms(0, "app", "-")), (300.0, 100.0));
        // From the call to the reply, whatever the service calls its work.
        assert_eq!((ms(1, "app", "load"), ms(1, "service", "query")), (300.0, 0.0));
        // 100 ms between its reply and its sleep, 100 for a caller that is not known.
        assert_eq!(ms(1, "service", "-"), 200.0);
        // A call without an activity is for its process, but what the API names is itself.
        assert_eq!((ms(1, "app", "-"), ms(1, "service", "cache")), (50.0, 50.0));
        // Carried on, and nobody waits for it.
        assert_eq!((ms(2, "app", "load"), ms(2, "media", "-")), (100.0, 0.0));
    }

    #[test]
    fn slices_of_threads_are_sections_too() {
        let mut trace = TraceBytes::default();
        trace.clocks(&[(6, 1_000)]);
        trace.processes(&[(100, "app", 10_123)]);
        trace.thread_track(9, 100, 101);
        trace.bundle(0, vec![switch(MS, (0, "swapper/0"), (101, "worker"))]);
        trace.slice(2 * MS, 9, Some("draw"));
        trace.slice(5 * MS, 9, None);
        trace.bundle(0, vec![switch(7 * MS, (101, "worker"), (0, "swapper/0"))]);
        let (log, mut labels) = read(trace.0, &[]).unwrap();
        assert_eq!(log.remarks.last().map(|remark| remark.kind), Some(RemarkKind::NoMeter));
        let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        let draw = Payer::Activity(labels.intern("app", "draw"));
        assert!((found.times_s[&(0, draw)] - 0.003).abs() < 1e-9, "{:?}", found.times_s);
    }

    /// Screen on from the start, one section that no thread holds from 1 s to 3 s.
    fn with_sections(begin: &str, end: &str) -> TraceBytes {
        let mut trace = TraceBytes::default();
        trace.clocks(&[(6, 1_000)]).processes(&[(100, "app", 10_123)]);
        let at = |s: u64| s * 1000 * MS;
        let marks = ["C|100|ScreenState|2\n", begin, end, "C|100|ScreenState|0\n"];
        let marks = marks.iter().zip([0, 1, 3, 4]);
        trace.bundle(0, marks.map(|(text, s)| print(at(s), 100, text)).collect());
        trace
    }

    fn screen_s(trace: TraceBytes, name: &str) -> (f64, Vec<String>) {
        let (log, mut labels) = read(trace.0, &[]).unwrap();
        let said = log.remarks.iter().map(|remark| remark.message.clone()).collect();
        let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        let section = Payer::Activity(labels.intern("app", name));
        let times = found.times_s.iter().filter(|((_, payer), _)| *payer == section);
        (times.map(|(_, s)| *s).sum(), said)
    }

    #[test]
    fn sections_on_tracks_of_their_own_are_the_devices() {
        for (begin, end) in [
            ("S|100|get|7", "F|100|get|7"),
            ("G|100|net|get|7", "H|100|net|7"),
            ("G|100|net|get|7", "H|100|net|get|7"),
        ] {
            let (seconds, said) = screen_s(with_sections(begin, end), "get");
            assert!((seconds - 2.0).abs() < 1e-9, "{begin} {end}: {seconds} s {said:?}");
        }
        let (_, said) = screen_s(with_sections("Q|100|net|get|7", "E"), "get");
        assert!(said.iter().any(|said| said.contains("of the form Q|")), "{said:?}");
    }

    #[test]
    fn slices_on_tracks_of_a_process_are_the_devices() {
        let mut trace = with_sections("I|100|now", "I|100|now");
        let process = Some(ProcessDescriptor { pid: 100, process_name: Vec::new() });
        let track = |uuid, parent_uuid, process| TracePacket {
            track_descriptor: Some(TrackDescriptor {
                uuid,
                parent_uuid,
                process,
                ..TrackDescriptor::default()
            }),
            ..TracePacket::default()
        };
        trace.packet(track(5, None, process)).packet(track(6, Some(5), None));
        trace.slice(1000 * MS, 6, Some("get")).slice(2500 * MS, 6, None);
        trace.slice(1000 * MS, 99, Some("whose")).slice(2500 * MS, 99, None);
        let (seconds, said) = screen_s(trace, "get");
        assert!((seconds - 1.5).abs() < 1e-9, "{seconds} s");
        assert!(said.iter().any(|said| said.starts_with("1 slices are on tracks")), "{said:?}");
    }

    #[test]
    fn a_battery_is_the_meter_for_want_of_rails() {
        let mut trace = calls();
        for (ms, uah) in [(900, 1000), (1900, 990), (2900, 970)] {
            for name in ["left", "right"] {
                let battery = BatteryCounters {
                    name: name.into(),
                    charge_counter_uah: Some(uah),
                    voltage_uv: Some(4_000_000),
                    ..BatteryCounters::default()
                };
                trace.battery(ms * MS, battery);
            }
        }
        let (log, _) = read(trace.0, &[]).unwrap();
        let energies: Vec<f64> = log.readings.iter().map(|reading| reading.energy_j).collect();
        // 10 uAh at 4 V are 0.144 J, of each of two batteries.
        assert_eq!(energies.len(), 3);
        assert!((energies[1] - 0.288).abs() < 1e-6 && (energies[2] - 0.864).abs() < 1e-6);
    }

    #[test]
    fn a_remedy_is_for_traces_that_were_understood() {
        let no_meter = |trace: TraceBytes| {
            let (log, _) = read(trace.0, &[]).unwrap();
            let found = log.remarks.into_iter().find(|r| r.kind == RemarkKind::NoMeter);
            found.unwrap().message
        };
        assert!(no_meter(calls()).contains("record it with"));
        let mut trace = calls();
        // Field 141 of a packet, which no Perfetto has yet.
        trace.0.extend([0x0a, 4, 0xea, 0x08, 1, 0]);
        assert!(!no_meter(trace).contains("record it with"));
    }

    #[test]
    fn a_rail_that_is_not_there_is_named() {
        let error = read(trace().0, &["gpu"]).unwrap_err().to_string();
        assert_eq!(error, "there is no rail gpu; there are: cpu, other");
    }

    #[test]
    fn a_trace_that_is_cut_off_gives_what_it_has() {
        let bytes = trace().0;
        let mut cut_off = 0;
        for length in (0..bytes.len()).step_by(7) {
            let Ok((log, labels)) = read(bytes[..length].to_vec(), &[]) else { continue };
            cut_off += usize::from(log.remarks.iter().any(|r| r.kind == RemarkKind::Truncated));
            if let Ok(found) = analyse(log, &labels, &AnalysisOptions::default()) {
                assert!(found.account.is_none_or(|account| account.is_conserved()));
            }
        }
        assert!(cut_off > 20, "{cut_off}");
    }
}
>>>>>>> e078b2eba1228ae97c12d8b63e82b3368ef5939c
