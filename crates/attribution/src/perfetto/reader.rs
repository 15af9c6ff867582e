//! The reader: bytes in, events out, one packet at a time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Read};

use prost::Message;

use super::bundle::{self, RunningThreads, kernel_text};
use super::clock::TraceClocks;
use super::event::{RailKey, RailSession, TraceEvent, TraceEventKind};
use super::losses::Losses;
use super::packets::{PacketSource, SourcePacket};
use super::sequence::{PacketSequence, described_track};
use super::wire::{self, TracePacket};

/// `BuiltinClock`, of the meters' times.
const CLOCK_BOOTTIME: u32 = 6;

/// Reader of the events of one machine in a Perfetto trace, plain, gzip or zstd, as they stand in
/// the file. Kernel events come in bundles: in order within a CPU, not across CPUs. Memory is that
/// of the largest packet and of the names of tracks; it does not grow with the trace.
///
/// ```no_run
/// use wattline_attribution::perfetto::{TraceEventKind, TraceReader};
///
/// let mut reader = TraceReader::new(std::fs::File::open("trace.pftrace")?)?;
/// for event in reader.by_ref() {
///     if let TraceEventKind::Switch { cpu, next_tid, .. } = event?.what {
///         println!("CPU {cpu} runs thread {next_tid}");
///     }
/// }
/// for finding in reader.losses().findings() {
///     eprintln!("{finding}");
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TraceReader {
    packets: PacketSource,
    packet: Vec<u8>,
    machine: u32,
    source: u32,
    has_switches: bool,
    ready: VecDeque<TraceEvent>,
    clocks: TraceClocks,
    running: RunningThreads,
    sequences: BTreeMap<u32, PacketSequence>,
    losses: Losses,
    is_over: bool,
}

impl TraceReader {
    /// Starts to read the events of the machine on which the trace was recorded.
    ///
    /// # Errors
    /// What the input says when its first bytes are read.
    pub fn new(input: impl Read + 'static) -> io::Result<Self> {
        Self::of_machine(input, 0, 0)
    }

    /// Starts to read the events of a machine, by its number in the trace. Events of several files
    /// that are read as one carry the file's number, `source`.
    ///
    /// # Errors
    /// What the input says when its first bytes are read.
    pub fn of_machine(input: impl Read + 'static, machine: u32, source: u32) -> io::Result<Self> {
        Ok(Self {
            packets: PacketSource::new(input)?,
            packet: Vec::new(),
            machine,
            source,
            has_switches: false,
            ready: VecDeque::new(),
            clocks: TraceClocks::default(),
            running: RunningThreads::new(),
            sequences: BTreeMap::new(),
            losses: Losses::default(),
            is_over: false,
        })
    }

    /// Returns the losses of the trace so far; complete after the last event.
    #[must_use]
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Reads one packet; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        match self.packets.next(&mut self.packet)? {
            SourcePacket::Packet => match TracePacket::decode(self.packet.as_slice()) {
                Ok(packet) if packet.machine_id == self.machine => {
                    self.losses.unread.packet(&self.packet);
                    self.take(packet);
                }
                Ok(packet) => {
                    *self.losses.other_machines.entry(packet.machine_id).or_default() += 1;
                }
                Err(_) => self.losses.unreadable_packets += 1,
            },
            SourcePacket::Unreadable => self.losses.unreadable_packets += 1,
            SourcePacket::End => return Ok(false),
            SourcePacket::Truncated(how) => {
                self.losses.truncation = Some(how);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take(&mut self, mut packet: TracePacket) {
        let has_gap = packet.previous_packet_dropped != 0;
        self.losses.dropped_packets += u64::from(has_gap);
        let id = packet.trusted_packet_sequence_id;
        if let Some(snapshot) = &packet.clock_snapshot {
            self.clocks.snapshot(id, snapshot);
        }
        self.take_statistics(&packet);
        self.push_names(&packet);
        if let Some(bundle) = packet.ftrace_events.take() {
            self.losses.lossy_bundles += u64::from(bundle.lost_events);
            if has_gap {
                self.forget_running(bundle.cpu, first_ns(&bundle));
            }
            let (events, timeless) =
                bundle::bundle_events(bundle, &mut self.clocks, &mut self.running);
            self.losses.timeless_events += timeless;
            self.has_switches |=
                events.iter().any(|e| matches!(e.what, TraceEventKind::Switch { .. }));
            self.ready.extend(events);
        }
        let sequence = self.sequences.entry(id).or_default();
        sequence.update(&mut packet);
        let clock = sequence.clock(&packet);
        let what = packet.track_event.as_ref().and_then(|event| sequence.event(event));
        let what = what.into_iter().chain(packet.battery.as_ref().map(battery_event));
        let what: Vec<TraceEventKind> = what.collect();
        if packet.power_rails.is_none() && what.is_empty() {
            return;
        }
        let at_ns = packet.timestamp.and_then(|at| self.clocks.trace_ns(id, clock, at));
        for what in what {
            self.push_event(at_ns, what);
        }
        if let Some(rails) = &packet.power_rails {
            self.push_rails(rails, id, at_ns);
        }
    }

    /// Forgets which threads run, since missing packets may have held bundles of any CPU.
    fn forget_running(&mut self, cpu: u32, at_ns: Option<u64>) {
        let known = std::mem::take(&mut self.running).into_keys();
        let cpus: BTreeSet<u32> = known.chain([cpu]).collect();
        let lost =
            cpus.into_iter().map(|cpu| TraceEvent { at_ns, what: TraceEventKind::Lost { cpu } });
        self.ready.extend(lost);
    }

    fn take_statistics(&mut self, packet: &TracePacket) {
        if let Some(stats) = &packet.ftrace_stats {
            self.losses.add_kernel_losses(stats);
        }
        if let Some(stats) = &packet.trace_stats {
            self.losses.add_service_losses(stats);
        }
    }

    /// Adds the events without a time: processes, threads, packages, tracks.
    fn push_names(&mut self, packet: &TracePacket) {
        if let Some(tree) = &packet.process_tree {
            for process in &tree.processes {
                let name =
                    process.cmdline.first().map(|name| kernel_text(name)).unwrap_or_default();
                self.push_fact(TraceEventKind::Process {
                    pid: process.pid,
                    name,
                    uid: process.uid,
                });
            }
            for thread in &tree.threads {
                let (tid, pid, name) = (thread.tid, Some(thread.tgid), kernel_text(&thread.name));
                self.push_fact(TraceEventKind::Thread { tid, pid, name });
            }
        }
        for package in packet.packages_list.iter().flat_map(|list| &list.packages) {
            self.push_fact(TraceEventKind::Package {
                name: kernel_text(&package.name),
                uid: package.uid,
            });
        }
        if let Some(descriptor) = &packet.track_descriptor {
            self.push_fact(TraceEventKind::Track(described_track(descriptor)));
        }
    }

    fn push_rails(&mut self, rails: &wire::PowerRails, sequence: u32, packet_ns: Option<u64>) {
        let session = rails.session_uuid.map_or(RailSession::Sequence(sequence), RailSession::Uuid);
        let source = self.source;
        let key = |index: u32| RailKey { source, session, index };
        for rail in &rails.rail_descriptor {
            let (name, subsystem) = (kernel_text(&rail.rail_name), kernel_text(&rail.subsys_name));
            self.push_fact(TraceEventKind::Rail { rail: key(rail.index), name, subsystem });
        }
        for sample in &rails.energy_data {
            let boot_ns = sample.timestamp_ms.saturating_mul(1_000_000);
            let own = (boot_ns > 0).then_some(boot_ns);
            let own = own.and_then(|at| self.clocks.trace_ns(0, Some(CLOCK_BOOTTIME), at));
            let (rail, energy_uj) = (key(sample.index), sample.energy);
            self.push_event(own.or(packet_ns), TraceEventKind::RailEnergy { rail, energy_uj });
        }
    }

    fn push_fact(&mut self, what: TraceEventKind) {
        self.ready.push_back(TraceEvent { at_ns: None, what });
    }

    fn push_event(&mut self, at_ns: Option<u64>, what: TraceEventKind) {
        match at_ns {
            Some(_) => self.ready.push_back(TraceEvent { at_ns, what }),
            None => self.losses.timeless_events += 1,
        }
    }
}

/// Returns the time of a bundle's first event, in the bundle's own clock.
fn first_ns(bundle: &wire::FtraceBundle) -> Option<u64> {
    let compact = bundle.compact_sched.as_ref().and_then(|sched| sched.switch_timestamp.first());
    bundle.event.iter().map(|event| event.timestamp).chain(compact.copied()).min()
}

fn battery_event(counters: &wire::BatteryCounters) -> TraceEventKind {
    TraceEventKind::Battery {
        name: kernel_text(&counters.name),
        charge_uah: counters.charge_counter_uah,
        energy_uwh: counters.energy_counter_uwh,
        current_ua: counters.current_ua,
        voltage_uv: counters.voltage_uv,
    }
}

impl Iterator for TraceReader {
    type Item = io::Result<TraceEvent>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(Ok(event));
            }
            if self.is_over {
                return None;
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => {
                    self.is_over = true;
                    if self.has_switches {
                        self.losses.unread.forget_read_switches();
                    }
                }
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
            }
        }
    }
}
