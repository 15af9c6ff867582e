//! Kernel events: a bundle of one CPU, with scheduler switches in full or in the compact
//! form (times as differences, names interned, the leaving thread implied).

use std::collections::BTreeMap;

use super::clock::TraceClocks;
use super::event::{TraceEvent, TraceEventKind, TraceMarker};
use super::wire::{CompactSched, FtraceBundle, FtraceEvent};

/// Numbers of `FtraceClock`.
const FTRACE_CLOCK_GLOBAL: i32 = 2;
const FTRACE_CLOCK_LOCAL: i32 = 3;
const FTRACE_CLOCK_MONOTONIC_RAW: i32 = 4;
/// Numbers of `BuiltinClock`.
const CLOCK_MONOTONIC_RAW: u32 = 5;
const CLOCK_BOOTTIME: u32 = 6;
/// Idle state of a `cpu_idle` event when a CPU leaves idleness.
const NOT_IDLE: u32 = u32::MAX;
/// `TF_ONE_WAY` of a binder transaction's flags.
const ONE_WAY: u32 = 1;

/// Running thread of each CPU, as far as the trace has shown it.
pub type RunningThreads = BTreeMap<u32, i32>;

/// Returns the events of a bundle in the order of their times; counts those whose clock is unknown.
pub fn bundle_events(
    bundle: FtraceBundle,
    clocks: &mut TraceClocks,
    running: &mut RunningThreads,
) -> (Vec<TraceEvent>, u64) {
    let mut raw: Vec<(u64, TraceEventKind)> = Vec::with_capacity(bundle.event.len());
    let cpu = bundle.cpu;
    let (clock, origin) = (bundle.ftrace_clock, (bundle.ftrace_timestamp, bundle.boot_timestamp));
    if let Some(compact) = &bundle.compact_sched {
        compact_switches(cpu, compact, &mut raw);
    }
    for event in bundle.event {
        let at = event.timestamp;
        if let Some(what) = decode_event(cpu, event) {
            raw.push((at, what));
        }
    }
    raw.sort_by_key(|(at, _)| *at);
    if bundle.lost_events {
        running.remove(&cpu);
        let first = raw.first().map_or(0, |(at, _)| *at);
        raw.insert(0, (first, TraceEventKind::Lost { cpu }));
    }
    let all = raw.len();
    let events: Vec<TraceEvent> = raw
        .into_iter()
        .filter_map(|(at, mut what)| {
            follow_switch(&mut what, running);
            let at_ns = trace_time(clocks, clock, origin, at)?;
            Some(TraceEvent { at_ns: Some(at_ns), what })
        })
        .collect();
    let timeless = (all - events.len()) as u64;
    (events, timeless)
}

/// Fills in the thread that leaves a CPU, and keeps the one that comes.
fn follow_switch(what: &mut TraceEventKind, running: &mut RunningThreads) {
    match what {
        TraceEventKind::Switch { cpu, prev_tid, next_tid, .. } => {
            let before = running.insert(*cpu, *next_tid);
            *prev_tid = prev_tid.or(before);
        }
        TraceEventKind::CpuHotplug { cpu, is_online: false } => drop(running.remove(cpu)),
        _ => {}
    }
}

fn trace_time(clocks: &mut TraceClocks, clock: i32, origin: (i64, i64), at: u64) -> Option<u64> {
    match clock {
        // The scheduler's clock; the bundle says what it and CLOCK_BOOTTIME read at once.
        FTRACE_CLOCK_GLOBAL | FTRACE_CLOCK_LOCAL => {
            let boot = i128::from(at) + i128::from(origin.1) - i128::from(origin.0);
            let boot = u64::try_from(boot.max(0)).unwrap_or(u64::MAX);
            clocks.trace_ns(0, Some(CLOCK_BOOTTIME), boot)
        }
        FTRACE_CLOCK_MONOTONIC_RAW => clocks.trace_ns(0, Some(CLOCK_MONOTONIC_RAW), at),
        _ => clocks.trace_ns(0, Some(CLOCK_BOOTTIME), at),
    }
}

fn compact_switches(cpu: u32, compact: &CompactSched, into: &mut Vec<(u64, TraceEventKind)>) {
    let mut at = 0_u64;
    let next = compact.switch_next_pid.iter().zip(&compact.switch_next_comm_index);
    for (delta, (&next_tid, &comm)) in compact.switch_timestamp.iter().zip(next) {
        at = at.saturating_add(*delta);
        let comm = compact.intern_table.get(comm as usize);
        let next_comm = comm.map(|comm| kernel_text(comm)).unwrap_or_default();
        into.push((at, TraceEventKind::Switch { cpu, prev_tid: None, next_tid, next_comm }));
    }
}

fn decode_event(cpu: u32, event: FtraceEvent) -> Option<TraceEventKind> {
    if let Some(switch) = event.sched_switch {
        let (prev_tid, next_tid) = (Some(switch.prev_pid), switch.next_pid);
        return Some(TraceEventKind::Switch {
            cpu,
            prev_tid,
            next_tid,
            next_comm: kernel_text(&switch.next_comm),
        });
    }
    if let Some(print) = event.print {
        let tid = i32::try_from(event.pid).unwrap_or(i32::MAX);
        return Some(TraceEventKind::Mark {
            tid,
            mark: TraceMarker::parse(&String::from_utf8_lossy(&print.buf)),
        });
    }
    if let Some(frequency) = event.cpu_frequency {
        return Some(TraceEventKind::CpuFrequency { cpu: frequency.cpu_id, khz: frequency.state });
    }
    if let Some(idle) = event.cpu_idle {
        let state = (idle.state != NOT_IDLE).then_some(idle.state);
        return Some(TraceEventKind::CpuIdle { cpu: idle.cpu_id, state });
    }
    if let Some(plug) = event.sched_cpu_hotplug.filter(|plug| plug.error == 0) {
        let cpu = u32::try_from(plug.affected_cpu).ok()?;
        return Some(TraceEventKind::CpuHotplug { cpu, is_online: plug.status != 0 });
    }
    let tid = i32::try_from(event.pid).unwrap_or(i32::MAX);
    if let Some(sent) = event.binder_transaction {
        let (is_reply, is_one_way) = (sent.reply != 0, sent.flags & ONE_WAY != 0);
        return Some(TraceEventKind::Transaction { tid, id: sent.debug_id, is_reply, is_one_way });
    }
    if let Some(received) = event.binder_transaction_received {
        return Some(TraceEventKind::TransactionReceived { tid, id: received.debug_id });
    }
    if let Some(rename) = event.task_rename {
        let name = kernel_text(&rename.newcomm);
        return Some(TraceEventKind::Thread { tid: rename.pid, pid: None, name });
    }
    let gpu = event.gpu_frequency?;
    Some(TraceEventKind::GpuFrequency { gpu: gpu.gpu_id, state: gpu.state })
}

/// Returns bytes as text; invalid UTF-8 is replaced.
pub fn kernel_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
