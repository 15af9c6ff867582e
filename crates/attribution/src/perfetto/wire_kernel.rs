//! The messages of kernel events (`protos/perfetto/trace/ftrace/*.proto`), as in `wire.rs`.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct FtraceBundle {
    #[prost(uint32, tag = "1")]
    pub cpu: u32,
    #[prost(message, repeated, tag = "2")]
    pub event: Vec<FtraceEvent>,
    #[prost(bool, tag = "3")]
    pub lost_events: bool,
    #[prost(message, optional, tag = "4")]
    pub compact_sched: Option<CompactSched>,
    #[prost(int32, tag = "5")]
    pub ftrace_clock: i32,
    #[prost(int64, tag = "6")]
    pub ftrace_timestamp: i64,
    #[prost(int64, tag = "7")]
    pub boot_timestamp: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CompactSched {
    #[prost(uint64, repeated, tag = "1")]
    pub switch_timestamp: Vec<u64>,
    #[prost(int32, repeated, tag = "3")]
    pub switch_next_pid: Vec<i32>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    pub intern_table: Vec<Vec<u8>>,
    #[prost(uint32, repeated, tag = "6")]
    pub switch_next_comm_index: Vec<u32>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct FtraceEvent {
    #[prost(uint64, tag = "1")]
    pub timestamp: u64,
    #[prost(uint32, tag = "2")]
    pub pid: u32,
    #[prost(message, optional, tag = "3")]
    pub print: Option<Print>,
    #[prost(message, optional, tag = "4")]
    pub sched_switch: Option<SchedSwitch>,
    #[prost(message, optional, tag = "11")]
    pub cpu_frequency: Option<CpuState>,
    #[prost(message, optional, tag = "13")]
    pub cpu_idle: Option<CpuState>,
    #[prost(message, optional, tag = "19")]
    pub sched_cpu_hotplug: Option<Hotplug>,
    #[prost(message, optional, tag = "50")]
    pub binder_transaction: Option<BinderTransaction>,
    #[prost(message, optional, tag = "51")]
    pub binder_transaction_received: Option<BinderReceived>,
    #[prost(message, optional, tag = "236")]
    pub task_rename: Option<TaskRename>,
    #[prost(message, optional, tag = "332")]
    pub gpu_frequency: Option<GpuFrequency>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Print {
    #[prost(bytes = "vec", tag = "2")]
    pub buf: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SchedSwitch {
    #[prost(bytes = "vec", tag = "1")]
    pub prev_comm: Vec<u8>,
    #[prost(int32, tag = "2")]
    pub prev_pid: i32,
    #[prost(bytes = "vec", tag = "5")]
    pub next_comm: Vec<u8>,
    #[prost(int32, tag = "6")]
    pub next_pid: i32,
}

/// `CpuFrequencyFtraceEvent` and `CpuIdleFtraceEvent`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct CpuState {
    #[prost(uint32, tag = "1")]
    pub state: u32,
    #[prost(uint32, tag = "2")]
    pub cpu_id: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Hotplug {
    #[prost(int32, tag = "1")]
    pub affected_cpu: i32,
    #[prost(int32, tag = "2")]
    pub error: i32,
    #[prost(int32, tag = "3")]
    pub status: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct BinderTransaction {
    #[prost(int32, tag = "1")]
    pub debug_id: i32,
    #[prost(int32, tag = "5")]
    pub reply: i32,
    #[prost(uint32, tag = "7")]
    pub flags: u32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct BinderReceived {
    #[prost(int32, tag = "1")]
    pub debug_id: i32,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TaskRename {
    #[prost(int32, tag = "1")]
    pub pid: i32,
    #[prost(bytes = "vec", tag = "3")]
    pub newcomm: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct GpuFrequency {
    #[prost(uint32, tag = "1")]
    pub gpu_id: u32,
    #[prost(uint32, tag = "2")]
    pub state: u32,
}
