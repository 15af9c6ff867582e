//! The reader: bytes in, events out, one packet at a time.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::read::ZlibDecoder;
use prost::Message;

use super::bundle::{self, Running, text};
use super::clock::TraceClocks;
use super::event::{TraceEvent, What};
use super::framing::{PacketRead, Packets, unpacked};
use super::losses::Losses;
use super::sequence::{Sequence, track};
use super::wire::{self, TracePacket};

/// `BuiltinClock`, of the meters' times.
const CLOCK_BOOTTIME: u32 = 6;

/// The packets inside a packet of compressed ones.
type Nested = Packets<BufReader<ZlibDecoder<Cursor<Vec<u8>>>>>;

/// Reads the events of a Perfetto trace, plain or gzip, as they stand in the file. Kernel
/// events come in bundles: in order within a CPU, not across CPUs. Memory is that of the
/// largest packet and of the names of tracks; it does not grow with the trace.
///
/// ```no_run
/// use wattline_attribution::perfetto::{TraceReader, What};
///
/// let mut reader = TraceReader::new(std::fs::File::open("trace.pftrace")?)?;
/// for event in reader.by_ref() {
///     if let What::Switch { cpu, next_tid, .. } = event?.what {
///         println!("CPU {cpu} runs thread {next_tid}");
///     }
/// }
/// for finding in reader.losses().findings() {
///     eprintln!("{finding}");
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct TraceReader {
    packets: Packets<Box<dyn BufRead>>,
    compressed: Option<Nested>,
    packet: Vec<u8>,
    ready: VecDeque<TraceEvent>,
    clocks: TraceClocks,
    running: Running,
    sequences: BTreeMap<u32, Sequence>,
    losses: Losses,
    is_over: bool,
}

impl TraceReader {
    /// Starts to read.
    ///
    /// # Errors
    /// What the input says when its first bytes are read.
    pub fn new(input: impl Read + 'static) -> io::Result<Self> {
        Ok(Self {
            packets: Packets::new(unpacked(input)?),
            compressed: None,
            packet: Vec::new(),
            ready: VecDeque::new(),
            clocks: TraceClocks::default(),
            running: Running::new(),
            sequences: BTreeMap::new(),
            losses: Losses::default(),
            is_over: false,
        })
    }

    /// What the trace lost so far; whole after the last event.
    #[must_use]
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Reads one packet; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let is_nested = self.compressed.is_some();
        let frame = match &mut self.compressed {
            Some(inner) => inner.next(&mut self.packet)?,
            None => self.packets.next(&mut self.packet)?,
        };
        match frame {
            PacketRead::Packet => match TracePacket::decode(self.packet.as_slice()) {
                Ok(packet) => self.take(packet, is_nested),
                Err(_) => self.losses.unreadable_packets += 1,
            },
            PacketRead::End if is_nested => self.compressed = None,
            // What is left of damaged compressed packets is lost; the file goes on.
            PacketRead::Truncated(_) if is_nested => {
                self.losses.unreadable_packets += 1;
                self.compressed = None;
            }
            PacketRead::End => return Ok(false),
            PacketRead::Truncated(how) => {
                self.losses.truncation = Some(how);
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take(&mut self, mut packet: TracePacket, is_nested: bool) {
        if let Some(bytes) = packet.compressed_packets.take() {
            if is_nested {
                self.losses.unreadable_packets += 1;
            } else {
                let inner = BufReader::new(ZlibDecoder::new(Cursor::new(bytes)));
                self.compressed = Some(Packets::new(inner));
            }
            return;
        }
        let has_gap = packet.previous_packet_dropped != 0;
        self.losses.dropped_packets += u64::from(has_gap);
        let id = packet.trusted_packet_sequence_id;
        if let Some(snapshot) = &packet.clock_snapshot {
            self.clocks.snapshot(id, snapshot);
        }
        self.statistics(&packet);
        self.names(&packet);
        if let Some(bundle) = packet.ftrace_events.take() {
            self.losses.lossy_bundles += u64::from(bundle.lost_events);
            if has_gap {
                self.forget_running(bundle.cpu, first_ns(&bundle));
            }
            let (events, timeless) = bundle::events(bundle, &mut self.clocks, &mut self.running);
            self.losses.timeless_events += timeless;
            self.ready.extend(events);
        }
        let sequence = self.sequences.entry(id).or_default();
        sequence.update(&mut packet);
        let clock = sequence.clock(&packet);
        let what = packet.track_event.as_ref().and_then(|event| sequence.event(event));
        let what = what.into_iter().chain(packet.battery.as_ref().map(battery));
        let what: Vec<What> = what.collect();
        if packet.power_rails.is_none() && what.is_empty() {
            return;
        }
        let at_ns = packet.timestamp.and_then(|at| self.clocks.trace_ns(id, clock, at));
        for what in what {
            self.push(at_ns, what);
        }
        if let Some(rails) = &packet.power_rails {
            self.rails(rails, at_ns);
        }
    }

    /// Missing packets may have held bundles of any CPU: who runs is not known any more.
    fn forget_running(&mut self, cpu: u32, at_ns: Option<u64>) {
        let known = std::mem::take(&mut self.running).into_keys();
        let cpus: BTreeSet<u32> = known.chain([cpu]).collect();
        let lost = cpus.into_iter().map(|cpu| TraceEvent { at_ns, what: What::Lost { cpu } });
        self.ready.extend(lost);
    }

    fn statistics(&mut self, packet: &TracePacket) {
        if let Some(stats) = &packet.ftrace_stats {
            self.losses.kernel(stats);
        }
        if let Some(stats) = &packet.trace_stats {
            self.losses.service(stats);
        }
    }

    /// Facts without a time: processes, threads, packages, tracks.
    fn names(&mut self, packet: &TracePacket) {
        if let Some(tree) = &packet.process_tree {
            for process in &tree.processes {
                let name = process.cmdline.first().map(|name| text(name)).unwrap_or_default();
                self.fact(What::Process { pid: process.pid, name, uid: process.uid });
            }
            for thread in &tree.threads {
                let (tid, pid, name) = (thread.tid, Some(thread.tgid), text(&thread.name));
                self.fact(What::Thread { tid, pid, name });
            }
        }
        for package in packet.packages_list.iter().flat_map(|list| &list.packages) {
            self.fact(What::Package { name: text(&package.name), uid: package.uid });
        }
        if let Some(descriptor) = &packet.track_descriptor {
            self.fact(What::Track(track(descriptor)));
        }
    }

    fn rails(&mut self, rails: &wire::PowerRails, packet_ns: Option<u64>) {
        for rail in &rails.rail_descriptor {
            let (name, subsystem) = (text(&rail.rail_name), text(&rail.subsys_name));
            self.fact(What::Rail { index: rail.index, name, subsystem });
        }
        for sample in &rails.energy_data {
            let boot_ns = sample.timestamp_ms.saturating_mul(1_000_000);
            let own = (boot_ns > 0).then_some(boot_ns);
            let own = own.and_then(|at| self.clocks.trace_ns(0, Some(CLOCK_BOOTTIME), at));
            let (index, energy_uj) = (sample.index, sample.energy);
            self.push(own.or(packet_ns), What::RailEnergy { index, energy_uj });
        }
    }

    fn fact(&mut self, what: What) {
        self.ready.push_back(TraceEvent { at_ns: None, what });
    }

    fn push(&mut self, at_ns: Option<u64>, what: What) {
        match at_ns {
            Some(_) => self.ready.push_back(TraceEvent { at_ns, what }),
            None => self.losses.timeless_events += 1,
        }
    }
}

/// The time of a bundle's first event, as it stands.
fn first_ns(bundle: &wire::FtraceBundle) -> Option<u64> {
    let compact = bundle.compact_sched.as_ref().and_then(|sched| sched.switch_timestamp.first());
    bundle.event.iter().map(|event| event.timestamp).chain(compact.copied()).min()
}

fn battery(counters: &wire::BatteryCounters) -> What {
    What::Battery {
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
                Ok(is_more) => self.is_over = !is_more,
                Err(error) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
            }
        }
    }
}
