//! A small encoder of traces, for tests: the messages of `wire.rs` written in the order
//! given.

use std::io::Write;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use prost::Message;

use super::wire::{
    self, BinderReceived, BinderTransaction, ClockSnapshot, CompactSched, CpuState, FtraceBundle,
    FtraceEvent, Print, ProcessTree, SchedSwitch, TrackEvent, WireProcess, WireThread, WireTrace,
};
pub use super::wire::{
    BatteryCounters, EnergyData, PowerRails, ProcessDescriptor, RailDescriptor, TracePacket,
    TrackDescriptor,
};

/// Encoder of a trace for tests: packets in the order in which they are added.
#[derive(Default)]
pub(crate) struct TraceEncoder(pub Vec<u8>);

impl TraceEncoder {
    /// Adds a packet.
    pub fn packet(&mut self, packet: TracePacket) -> &mut Self {
        WireTrace { packet: vec![packet] }.encode(&mut self.0).unwrap();
        self
    }

    /// Adds a snapshot of several clocks: (`BuiltinClock`, nanoseconds) each.
    pub fn clocks(&mut self, clocks: &[(u32, u64)]) -> &mut Self {
        let clock = |&(clock_id, timestamp): &(u32, u64)| wire::WireClock {
            clock_id,
            timestamp,
            ..wire::WireClock::default()
        };
        let clocks = clocks.iter().map(clock).collect();
        let clock_snapshot = Some(ClockSnapshot { clocks, primary_trace_clock: 6 });
        self.packet(TracePacket { clock_snapshot, ..TracePacket::default() })
    }

    /// Adds a bundle of a CPU's kernel events.
    pub fn bundle(&mut self, cpu: u32, event: Vec<FtraceEvent>) -> &mut Self {
        let bundle = FtraceBundle { cpu, event, ..FtraceBundle::default() };
        self.packet(TracePacket { ftrace_events: Some(bundle), ..TracePacket::default() })
    }

    /// Adds a bundle of a CPU's switches in the compact form: (time, next thread, its name).
    pub fn compact(&mut self, cpu: u32, switches: &[(u64, i32, &str)]) -> &mut Self {
        let mut compact = CompactSched::default();
        let mut before = 0;
        for (at, tid, comm) in switches {
            let known = compact.intern_table.iter().position(|name| name == comm.as_bytes());
            let index = known.unwrap_or_else(|| {
                compact.intern_table.push(comm.as_bytes().to_vec());
                compact.intern_table.len() - 1
            });
            compact.switch_timestamp.push(at - before);
            compact.switch_next_pid.push(*tid);
            compact.switch_next_comm_index.push(index as u32);
            before = *at;
        }
        let bundle = FtraceBundle { cpu, compact_sched: Some(compact), ..FtraceBundle::default() };
        self.packet(TracePacket { ftrace_events: Some(bundle), ..TracePacket::default() })
    }

    /// Adds a process tree with processes: (id, name, user) each.
    pub fn processes(&mut self, processes: &[(i32, &str, i32)]) -> &mut Self {
        let process = |&(pid, name, uid): &(i32, &str, i32)| WireProcess {
            pid,
            cmdline: vec![name.into()],
            uid: Some(uid),
        };
        let processes = processes.iter().map(process).collect();
        let process_tree = Some(ProcessTree { processes, threads: Vec::new() });
        self.packet(TracePacket { process_tree, ..TracePacket::default() })
    }

    /// Adds a process tree with threads: (id, process, name) each.
    pub fn threads(&mut self, threads: &[(i32, i32, &str)]) -> &mut Self {
        let thread =
            |&(tid, tgid, name): &(i32, i32, &str)| WireThread { tid, tgid, name: name.into() };
        let threads = threads.iter().map(thread).collect();
        let process_tree = Some(ProcessTree { processes: Vec::new(), threads });
        self.packet(TracePacket { process_tree, ..TracePacket::default() })
    }

    /// Adds names of rails, by their index.
    pub fn rails(&mut self, names: &[&str]) -> &mut Self {
        let rail = |(index, name): (usize, &&str)| RailDescriptor {
            index: index as u32,
            rail_name: name.as_bytes().to_vec(),
            subsys_name: if name.contains("CPU") { b"cpu".to_vec() } else { b"rest".to_vec() },
        };
        let rail_descriptor = names.iter().enumerate().map(rail).collect();
        let power_rails = Some(PowerRails { rail_descriptor, ..PowerRails::default() });
        self.packet(TracePacket { power_rails, timestamp: Some(0), ..TracePacket::default() })
    }

    /// Adds the energies of all rails (microjoules since boot) at a time in milliseconds.
    pub fn energies(&mut self, timestamp_ms: u64, energies_uj: &[u64]) -> &mut Self {
        let sample = |(index, &energy): (usize, &u64)| EnergyData {
            index: index as u32,
            timestamp_ms,
            energy,
        };
        let energy_data = energies_uj.iter().enumerate().map(sample).collect();
        let power_rails = Some(PowerRails { energy_data, ..PowerRails::default() });
        let timestamp = Some(timestamp_ms * 1_000_000);
        self.packet(TracePacket { power_rails, timestamp, ..TracePacket::default() })
    }

    /// Adds the battery's counters at a time in nanoseconds.
    pub fn battery(&mut self, at_ns: u64, battery: BatteryCounters) -> &mut Self {
        let (battery, timestamp) = (Some(battery), Some(at_ns));
        self.packet(TracePacket { battery, timestamp, ..TracePacket::default() })
    }

    /// Adds the descriptor of a track.
    pub fn track(&mut self, uuid: u64, name: &str) -> &mut Self {
        let name = Some(name.as_bytes().to_vec());
        let descriptor = TrackDescriptor { uuid, name, ..TrackDescriptor::default() };
        self.packet(TracePacket { track_descriptor: Some(descriptor), ..TracePacket::default() })
    }

    /// Adds the begin (with a name) or the end (without) of a slice.
    pub fn slice(&mut self, at_ns: u64, track: u64, name: Option<&str>) -> &mut Self {
        let event = TrackEvent {
            kind: if name.is_some() { 1 } else { 2 },
            track_uuid: Some(track),
            name: name.map(|name| name.as_bytes().to_vec()),
            ..TrackEvent::default()
        };
        let (track_event, timestamp) = (Some(event), Some(at_ns));
        self.packet(TracePacket { track_event, timestamp, ..TracePacket::default() })
    }

    /// Returns the packets so far as one packet of deflated packets.
    pub fn compressed(&self) -> Self {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&self.0).unwrap();
        let bytes = encoder.finish().unwrap();
        let mut outer = Self::default();
        outer.packet(TracePacket { compressed_packets: Some(bytes), ..TracePacket::default() });
        outer
    }

    /// Returns the packets so far as one packet of packets compressed by zstd.
    pub(crate) fn zstd_bundle(&self) -> Self {
        let bytes = zstd::encode_all(self.0.as_slice(), 3).unwrap();
        let mut outer = Self::default();
        let zstd_compressed_packets = Some(bytes);
        outer.packet(TracePacket { zstd_compressed_packets, ..TracePacket::default() });
        outer
    }

    /// Returns the trace's bytes as gzip.
    pub fn gzip(&self) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&self.0).unwrap();
        encoder.finish().unwrap()
    }
}

/// Event of a switch between threads: (id, name) each.
pub fn thread_switch(timestamp: u64, prev: (i32, &str), next: (i32, &str)) -> FtraceEvent {
    let sched_switch = Some(SchedSwitch {
        prev_comm: prev.1.into(),
        prev_pid: prev.0,
        next_comm: next.1.into(),
        next_pid: next.0,
    });
    FtraceEvent { timestamp, pid: prev.0 as u32, sched_switch, ..FtraceEvent::default() }
}

/// Event of a CPU's frequency in kHz.
pub fn cpu_frequency(timestamp: u64, cpu_id: u32, state: u32) -> FtraceEvent {
    let cpu_frequency = Some(CpuState { state, cpu_id });
    FtraceEvent { timestamp, cpu_frequency, ..FtraceEvent::default() }
}

/// Event of a CPU's idle state; `u32::MAX` when it leaves idleness.
pub fn cpu_idle(timestamp: u64, cpu_id: u32, state: u32) -> FtraceEvent {
    let cpu_idle = Some(CpuState { state, cpu_id });
    FtraceEvent { timestamp, cpu_idle, ..FtraceEvent::default() }
}

/// Event of a line of `trace_marker`.
pub fn marker_print(timestamp: u64, pid: u32, text: &str) -> FtraceEvent {
    let print = Some(Print { buf: text.into() });
    FtraceEvent { timestamp, pid, print, ..FtraceEvent::default() }
}

/// Event of a thread's call into another process by a transaction.
pub fn binder_call(timestamp: u64, pid: u32, debug_id: i32, is_one_way: bool) -> FtraceEvent {
    let flags = u32::from(is_one_way);
    let binder_transaction = Some(BinderTransaction { debug_id, reply: 0, flags });
    FtraceEvent { timestamp, pid, binder_transaction, ..FtraceEvent::default() }
}

/// Event of a thread's reply to the call that it serves.
pub fn binder_reply(timestamp: u64, pid: u32, debug_id: i32) -> FtraceEvent {
    let binder_transaction = Some(BinderTransaction { debug_id, reply: 1, flags: 0 });
    FtraceEvent { timestamp, pid, binder_transaction, ..FtraceEvent::default() }
}

/// Event of a thread's receipt of a transaction.
pub fn binder_received(timestamp: u64, pid: u32, debug_id: i32) -> FtraceEvent {
    let binder_transaction_received = Some(BinderReceived { debug_id });
    FtraceEvent { timestamp, pid, binder_transaction_received, ..FtraceEvent::default() }
}

/// Counters of a battery: microamperes and microvolts.
pub fn battery(current_ua: i64, voltage_uv: i64) -> BatteryCounters {
    let (current_ua, voltage_uv) = (Some(current_ua), Some(voltage_uv));
    BatteryCounters { current_ua, voltage_uv, ..BatteryCounters::default() }
}

impl TraceEncoder {
    /// Adds the descriptor of a thread's track.
    pub(crate) fn thread_track(&mut self, uuid: u64, pid: i32, tid: i64) -> &mut Self {
        let thread = Some(wire::ThreadDescriptor { pid, tid, ..wire::ThreadDescriptor::default() });
        let descriptor = TrackDescriptor { uuid, thread, ..TrackDescriptor::default() };
        self.packet(TracePacket { track_descriptor: Some(descriptor), ..TracePacket::default() })
    }
}
