//! Kernel events: a bundle of one CPU, with scheduler switches in full or in the compact
//! form (times as differences, names interned, the leaving thread implied).

use std::collections::BTreeMap;

use super::clock::TraceClocks;
use super::event::{TraceEvent, TraceMarker, What};
use super::wire::{CompactSched, FtraceBundle, FtraceEvent};

/// `FtraceClock`.
const GLOBAL: i32 = 2;
const LOCAL: i32 = 3;
const MONO_RAW: i32 = 4;
/// `BuiltinClock`.
const CLOCK_MONOTONIC_RAW: u32 = 5;
const CLOCK_BOOTTIME: u32 = 6;
/// What `cpu_idle` says when a CPU leaves idleness.
const NOT_IDLE: u32 = u32::MAX;
/// `TF_ONE_WAY` of a binder transaction's flags.
const ONE_WAY: u32 = 1;

/// The thread that each CPU runs, as far as the trace has told.
pub type Running = BTreeMap<u32, i32>;

/// The events of a bundle in the order of their times; those whose clock is not known are
/// counted instead.
pub fn events(
    bundle: FtraceBundle,
    clocks: &mut TraceClocks,
    running: &mut Running,
) -> (Vec<TraceEvent>, u64) {
    let mut raw: Vec<(u64, What)> = Vec::with_capacity(bundle.event.len());
    let cpu = bundle.cpu;
    let (clock, origin) = (bundle.ftrace_clock, (bundle.ftrace_timestamp, bundle.boot_timestamp));
    if let Some(compact) = &bundle.compact_sched {
        compact_switches(cpu, compact, &mut raw);
    }
    for event in bundle.event {
        let at = event.timestamp;
        if let Some(what) = one(cpu, event) {
            raw.push((at, what));
        }
    }
    raw.sort_by_key(|(at, _)| *at);
    if bundle.lost_events {
        running.remove(&cpu);
        let first = raw.first().map_or(0, |(at, _)| *at);
        raw.insert(0, (first, What::Lost { cpu }));
    }
    let all = raw.len();
    let events: Vec<TraceEvent> = raw
        .into_iter()
        .filter_map(|(at, mut what)| {
            follow(&mut what, running);
            let at_ns = trace_time(clocks, clock, origin, at)?;
            Some(TraceEvent { at_ns: Some(at_ns), what })
        })
        .collect();
    let timeless = (all - events.len()) as u64;
    (events, timeless)
}

/// Fills in who leaves the CPU, and remembers who comes.
fn follow(what: &mut What, running: &mut Running) {
    match what {
        What::Switch { cpu, prev_tid, next_tid, .. } => {
            let before = running.insert(*cpu, *next_tid);
            *prev_tid = prev_tid.or(before);
        }
        What::CpuHotplug { cpu, is_online: false } => drop(running.remove(cpu)),
        _ => {}
    }
}

fn trace_time(clocks: &mut TraceClocks, clock: i32, origin: (i64, i64), at: u64) -> Option<u64> {
    match clock {
        // The scheduler's clock; the bundle says what it and CLOCK_BOOTTIME read at once.
        GLOBAL | LOCAL => {
            let boot = i128::from(at) + i128::from(origin.1) - i128::from(origin.0);
            let boot = u64::try_from(boot.max(0)).unwrap_or(u64::MAX);
            clocks.trace_ns(0, Some(CLOCK_BOOTTIME), boot)
        }
        MONO_RAW => clocks.trace_ns(0, Some(CLOCK_MONOTONIC_RAW), at),
        _ => clocks.trace_ns(0, Some(CLOCK_BOOTTIME), at),
    }
}

fn compact_switches(cpu: u32, compact: &CompactSched, into: &mut Vec<(u64, What)>) {
    let mut at = 0_u64;
    let next = compact.switch_next_pid.iter().zip(&compact.switch_next_comm_index);
    for (delta, (&next_tid, &comm)) in compact.switch_timestamp.iter().zip(next) {
        at = at.saturating_add(*delta);
        let comm = compact.intern_table.get(comm as usize);
        let next_comm = comm.map(|comm| text(comm)).unwrap_or_default();
        into.push((at, What::Switch { cpu, prev_tid: None, next_tid, next_comm }));
    }
}

fn one(cpu: u32, event: FtraceEvent) -> Option<What> {
    if let Some(switch) = event.sched_switch {
        let (prev_tid, next_tid) = (Some(switch.prev_pid), switch.next_pid);
        return Some(What::Switch { cpu, prev_tid, next_tid, next_comm: text(&switch.next_comm) });
    }
    if let Some(print) = event.print {
        let tid = i32::try_from(event.pid).unwrap_or(i32::MAX);
        return Some(What::Mark {
            tid,
            mark: TraceMarker::parse(&String::from_utf8_lossy(&print.buf)),
        });
    }
    if let Some(frequency) = event.cpu_frequency {
        return Some(What::CpuFrequency { cpu: frequency.cpu_id, khz: frequency.state });
    }
    if let Some(idle) = event.cpu_idle {
        let state = (idle.state != NOT_IDLE).then_some(idle.state);
        return Some(What::CpuIdle { cpu: idle.cpu_id, state });
    }
    if let Some(plug) = event.sched_cpu_hotplug.filter(|plug| plug.error == 0) {
        let cpu = u32::try_from(plug.affected_cpu).ok()?;
        return Some(What::CpuHotplug { cpu, is_online: plug.status != 0 });
    }
    let tid = i32::try_from(event.pid).unwrap_or(i32::MAX);
    if let Some(sent) = event.binder_transaction {
        let (is_reply, is_one_way) = (sent.reply != 0, sent.flags & ONE_WAY != 0);
        return Some(What::Transaction { tid, id: sent.debug_id, is_reply, is_one_way });
    }
    if let Some(received) = event.binder_transaction_received {
        return Some(What::TransactionReceived { tid, id: received.debug_id });
    }
    if let Some(rename) = event.task_rename {
        let name = text(&rename.newcomm);
        return Some(What::Thread { tid: rename.pid, pid: None, name });
    }
    let gpu = event.gpu_frequency?;
    Some(What::GpuFrequency { gpu: gpu.gpu_id, state: gpu.state })
}

/// Bytes of the kernel as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
