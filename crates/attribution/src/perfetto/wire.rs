//! The messages of a Perfetto trace that are read or written, with the tags of
//! `protos/perfetto/trace/*.proto` of github.com/google/perfetto. All other fields are
//! skipped. Names that come from the kernel are bytes: they need not be UTF-8, and one
//! odd name is no reason to lose a packet.

use prost::Message;

pub use super::wire_kernel::*;

/// Message of a whole trace: packets one after another.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct WireTrace {
    #[prost(message, repeated, tag = "1")]
    pub packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TracePacket {
    #[prost(message, optional, tag = "1")]
    pub ftrace_events: Option<FtraceBundle>,
    #[prost(message, optional, tag = "2")]
    pub process_tree: Option<ProcessTree>,
    #[prost(message, optional, tag = "6")]
    pub clock_snapshot: Option<ClockSnapshot>,
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    pub trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    pub interned_data: Option<InternedData>,
    #[prost(uint32, tag = "13")]
    pub sequence_flags: u32,
    #[prost(message, optional, tag = "34")]
    pub ftrace_stats: Option<FtraceStats>,
    #[prost(message, optional, tag = "35")]
    pub trace_stats: Option<TraceStats>,
    #[prost(message, optional, tag = "38")]
    pub battery: Option<BatteryCounters>,
    #[prost(message, optional, tag = "40")]
    pub power_rails: Option<PowerRails>,
    #[prost(bool, tag = "41")]
    pub incremental_state_cleared: bool,
    #[prost(uint32, tag = "42")]
    pub previous_packet_dropped: u32,
    #[prost(message, optional, tag = "47")]
    pub packages_list: Option<PackagesList>,
    /// Written by tests only; `packets.rs` reads it, and field 133.
    #[prost(bytes = "vec", optional, tag = "50")]
    pub compressed_packets: Option<Vec<u8>>,
    #[prost(uint32, optional, tag = "58")]
    pub timestamp_clock_id: Option<u32>,
    #[prost(message, optional, tag = "59")]
    pub trace_packet_defaults: Option<PacketDefaults>,
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
    #[prost(message, optional, tag = "89")]
    pub trace_uuid: Option<TraceUuid>,
    /// The machine that a packet is of; none for that on which the trace was recorded.
    #[prost(uint32, tag = "98")]
    pub machine_id: u32,
    /// Written by tests only.
    #[prost(bytes = "vec", optional, tag = "133")]
    pub zstd_compressed_packets: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Message)]
pub(crate) struct TraceUuid {
    #[prost(int64, tag = "1")]
    pub msb: i64,
    #[prost(int64, tag = "2")]
    pub lsb: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PacketDefaults {
    #[prost(message, optional, tag = "11")]
    pub track_event_defaults: Option<TrackEventDefaults>,
    #[prost(uint32, optional, tag = "58")]
    pub timestamp_clock_id: Option<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TrackEventDefaults {
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ProcessTree {
    #[prost(message, repeated, tag = "1")]
    pub processes: Vec<WireProcess>,
    #[prost(message, repeated, tag = "2")]
    pub threads: Vec<WireThread>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WireProcess {
    #[prost(int32, tag = "1")]
    pub pid: i32,
    #[prost(bytes = "vec", repeated, tag = "3")]
    pub cmdline: Vec<Vec<u8>>,
    #[prost(int32, optional, tag = "5")]
    pub uid: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WireThread {
    #[prost(int32, tag = "1")]
    pub tid: i32,
    #[prost(bytes = "vec", tag = "2")]
    pub name: Vec<u8>,
    #[prost(int32, tag = "3")]
    pub tgid: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ClockSnapshot {
    #[prost(message, repeated, tag = "1")]
    pub clocks: Vec<WireClock>,
    #[prost(int32, tag = "2")]
    pub primary_trace_clock: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WireClock {
    #[prost(uint32, tag = "1")]
    pub clock_id: u32,
    #[prost(uint64, tag = "2")]
    pub timestamp: u64,
    #[prost(bool, tag = "3")]
    pub is_incremental: bool,
    #[prost(uint64, tag = "4")]
    pub unit_multiplier_ns: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct TrackEvent {
    /// Written only.
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    #[prost(int32, tag = "9")]
    pub kind: i32,
    #[prost(uint64, optional, tag = "10")]
    pub name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
    #[prost(bytes = "vec", optional, tag = "23")]
    pub name: Option<Vec<u8>>,
    #[prost(int64, optional, tag = "30")]
    pub counter_value: Option<i64>,
    #[prost(double, optional, tag = "44")]
    pub double_counter_value: Option<f64>,
}

/// Message of a figure beside a slice's name.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DebugAnnotation {
    #[prost(double, optional, tag = "5")]
    pub double_value: Option<f64>,
    #[prost(string, tag = "10")]
    pub name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct InternedData {
    #[prost(message, repeated, tag = "2")]
    pub event_names: Vec<EventName>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct EventName {
    #[prost(uint64, tag = "1")]
    pub iid: u64,
    #[prost(bytes = "vec", tag = "2")]
    pub name: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    pub uuid: u64,
    #[prost(bytes = "vec", optional, tag = "2")]
    pub name: Option<Vec<u8>>,
    #[prost(message, optional, tag = "3")]
    pub process: Option<ProcessDescriptor>,
    #[prost(message, optional, tag = "4")]
    pub thread: Option<ThreadDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    pub counter: Option<CounterDescriptor>,
    #[prost(bytes = "vec", optional, tag = "10")]
    pub static_name: Option<Vec<u8>>,
    #[prost(bytes = "vec", optional, tag = "13")]
    pub atrace_name: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ProcessDescriptor {
    #[prost(int32, tag = "1")]
    pub pid: i32,
    #[prost(bytes = "vec", tag = "6")]
    pub process_name: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ThreadDescriptor {
    #[prost(int32, tag = "1")]
    pub pid: i32,
    #[prost(int64, tag = "2")]
    pub tid: i64,
    #[prost(bytes = "vec", tag = "5")]
    pub thread_name: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CounterDescriptor {
    #[prost(bytes = "vec", tag = "6")]
    pub unit_name: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct PowerRails {
    #[prost(message, repeated, tag = "1")]
    pub rail_descriptor: Vec<RailDescriptor>,
    #[prost(message, repeated, tag = "2")]
    pub energy_data: Vec<EnergyData>,
    /// Whose indices these are, where several data sources record rails.
    #[prost(uint64, optional, tag = "3")]
    pub session_uuid: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
pub struct RailDescriptor {
    #[prost(uint32, tag = "1")]
    pub index: u32,
    #[prost(bytes = "vec", tag = "2")]
    pub rail_name: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub subsys_name: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub struct EnergyData {
    #[prost(uint32, tag = "1")]
    pub index: u32,
    /// Milliseconds of CLOCK_BOOTTIME.
    #[prost(uint64, tag = "2")]
    pub timestamp_ms: u64,
    /// Accumulated since boot, in microwatt-seconds.
    #[prost(uint64, tag = "3")]
    pub energy: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct BatteryCounters {
    #[prost(int64, optional, tag = "1")]
    pub charge_counter_uah: Option<i64>,
    #[prost(float, optional, tag = "2")]
    pub capacity_percent: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub current_ua: Option<i64>,
    /// Only where there are several.
    #[prost(bytes = "vec", tag = "5")]
    pub name: Vec<u8>,
    #[prost(int64, optional, tag = "6")]
    pub energy_counter_uwh: Option<i64>,
    #[prost(int64, optional, tag = "7")]
    pub voltage_uv: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PackagesList {
    #[prost(message, repeated, tag = "1")]
    pub packages: Vec<WirePackage>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WirePackage {
    #[prost(bytes = "vec", tag = "1")]
    pub name: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub uid: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TraceStats {
    #[prost(message, repeated, tag = "1")]
    pub buffer_stats: Vec<BufferStats>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct BufferStats {
    #[prost(uint64, tag = "3")]
    pub chunks_overwritten: u64,
    #[prost(uint64, tag = "18")]
    pub chunks_discarded: u64,
    #[prost(uint64, tag = "19")]
    pub trace_writer_packet_loss: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct FtraceStats {
    /// `Phase`: 1 at the start of the trace, 2 at its end.
    #[prost(int32, tag = "1")]
    pub phase: i32,
    #[prost(message, repeated, tag = "2")]
    pub cpu_stats: Vec<FtraceCpuStats>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct FtraceCpuStats {
    #[prost(uint64, tag = "1")]
    pub cpu: u64,
    #[prost(uint64, tag = "3")]
    pub overrun: u64,
    #[prost(uint64, tag = "8")]
    pub dropped_events: u64,
}
