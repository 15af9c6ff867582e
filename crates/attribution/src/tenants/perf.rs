//! Context switches from the text of `perf script`, `perf sched script`, ftrace or `trace-cmd
//! report`: tracepoint `sched:sched_switch` or `PERF_RECORD_SWITCH_CPU_WIDE`, with the counters
//! that were sampled at the same switch (`perf record -e '{sched:sched_switch,cycles}:S' -a`).

use std::collections::HashMap;

use super::names::{TenantId, TenantNames};
use super::perf_cpus::InferredCpus;
use super::perf_line::{PerfLine, SampleHead, parse};
use super::record::{Counts, OTHERS, RunningTenant, TenantRecord};
use super::trouble::Troubles;

/// What a tenant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Threads of one name; a kernel thread's number per CPU is left out.
    Name,
    /// A process; needs lines with `pid/tid`.
    Process,
    /// A single thread.
    Thread,
}

/// Reads lines into records.
#[derive(Debug)]
pub struct Perf {
    by: By,
    waiting: Vec<Waiting>,
    counters: Vec<String>,
    has_cycles: bool,
    /// Tracepoints, once seen, are what counts; the other form says the same again.
    has_tracepoints: bool,
    processes: HashMap<i64, TenantId>,
    has_processes: bool,
    switches: u64,
    cpus: InferredCpus,
    /// Switches whose lines name no CPU.
    inferred: u64,
    /// Events, whatever they are.
    events: u64,
    lines: u64,
    first_unreadable: Option<(u64, String)>,
}

/// A switch whose counters may still follow.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    at_ns: u64,
    cpu: u32,
    /// Whether its line names the CPU: then those of its counters do.
    is_named: bool,
    outgoing: RunningTenant,
    incoming: Option<RunningTenant>,
    counts: Option<Counts>,
}

/// So much is shown of a line that can't be read.
const UNREADABLE_SHOWN: usize = 80;

/// Counters of a switch follow at once.
const WAIT_NS: u64 = 1_000_000;

impl Perf {
    /// Begins.
    #[must_use]
    pub fn new(by: By) -> Self {
        Self {
            by,
            waiting: Vec::new(),
            counters: Vec::new(),
            has_cycles: false,
            has_tracepoints: false,
            processes: HashMap::new(),
            has_processes: false,
            switches: 0,
            cpus: InferredCpus::default(),
            inferred: 0,
            events: 0,
            lines: 0,
            first_unreadable: None,
        }
    }

    /// Names of the counters beside the cycles, as far as they have been seen.
    #[must_use]
    pub fn counters(&self) -> &[String] {
        &self.counters
    }

    /// Whether any line counted cycles.
    #[must_use]
    pub fn has_cycles(&self) -> bool {
        self.has_cycles
    }

    /// Whether any line told its process.
    #[must_use]
    pub fn has_processes(&self) -> bool {
        self.has_processes
    }

    /// Switches so far.
    #[must_use]
    pub fn switches(&self) -> u64 {
        self.switches
    }

    /// Switches whose CPU no line names; it follows from who ran where.
    #[must_use]
    pub fn inferred(&self) -> u64 {
        self.inferred
    }

    /// Lines that are events of any sort.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The first line that can't be read: its number, and its text.
    #[must_use]
    pub fn first_unreadable(&self) -> Option<(u64, &str)> {
        self.first_unreadable.as_ref().map(|(number, text)| (*number, text.as_str()))
    }

    /// Reads a line; what is complete goes to `take`.
    pub fn line(
        &mut self,
        line: &str,
        names: &mut TenantNames,
        troubles: &mut Troubles,
        mut take: impl FnMut(TenantRecord),
    ) {
        self.lines += 1;
        let parsed = parse(line);
        self.events += u64::from(!matches!(parsed, PerfLine::Beside | PerfLine::Unreadable));
        match parsed {
            PerfLine::Switch { head, prev_tid, prev_comm, next_tid, next_comm } => {
                self.has_tracepoints = true;
                self.inferred += u64::from(head.cpu.is_none());
                let cpu = head.cpu.unwrap_or_else(|| {
                    self.cpus.switch((prev_tid, prev_comm), (next_tid, next_comm))
                });
                self.let_go(Some((cpu, head.at_ns)), &mut take);
                let prev = self.runner(names, prev_tid, prev_comm, head.pid);
                let next = self.runner(names, next_tid, next_comm, None);
                self.wait(head, cpu, prev, Some(next));
            }
            PerfLine::Out { head, next_tid } if !self.has_tracepoints => {
                let (Some(cpu), Some(tid)) = (head.cpu, head.tid) else {
                    return self.unreadable(line, troubles);
                };
                self.let_go(Some((cpu, head.at_ns)), &mut take);
                let prev = self.runner(names, tid, head.comm, head.pid);
                // The name of who comes is told by its own line, when it leaves.
                let next =
                    (next_tid == 0).then_some(RunningTenant { tenant: TenantId::IDLE, thread: 0 });
                self.wait(head, cpu, prev, next);
            }
            PerfLine::Count { head, period, event } => self.count(head, period, event),
            PerfLine::Lost { cpu, records } => {
                self.let_go(None, &mut take);
                take(TenantRecord::Lost { cpu, records });
            }
            PerfLine::Out { .. } | PerfLine::Other | PerfLine::Beside => {}
            PerfLine::Unreadable => self.unreadable(line, troubles),
        }
    }

    fn unreadable(&mut self, line: &str, troubles: &mut Troubles) {
        troubles.unreadable += 1;
        if self.first_unreadable.is_none() {
            let text = line.trim().chars().take(UNREADABLE_SHOWN).collect();
            self.first_unreadable = Some((self.lines, text));
        }
    }

    /// Gives out what still waits.
    pub fn finish(&mut self, mut take: impl FnMut(TenantRecord)) {
        self.let_go(None, &mut take);
    }

    fn wait(
        &mut self,
        head: SampleHead<'_>,
        cpu: u32,
        outgoing: RunningTenant,
        incoming: Option<RunningTenant>,
    ) {
        self.switches += 1;
        self.has_processes |= head.pid.is_some();
        let (at_ns, is_named) = (head.at_ns, head.cpu.is_some());
        self.waiting.push(Waiting { at_ns, cpu, is_named, outgoing, incoming, counts: None });
    }

    /// Switches whose counters can't come any more: all of them, or those before the next one,
    /// of a CPU at a time.
    fn let_go(&mut self, next: Option<(u32, u64)>, take: &mut impl FnMut(TenantRecord)) {
        self.waiting.retain(|waiting| {
            let stays = next.is_some_and(|(cpu, at_ns)| {
                cpu != waiting.cpu && at_ns < waiting.at_ns.saturating_add(WAIT_NS)
            });
            if !stays {
                let Waiting { at_ns, cpu, outgoing, incoming, counts, .. } = *waiting;
                let outgoing = Some(outgoing);
                take(TenantRecord::Switch { at_ns, cpu, outgoing, incoming, counts });
            }
            stays
        });
    }

    fn count(&mut self, head: SampleHead<'_>, period: u64, event: &str) {
        let is_its = |waiting: &&mut Waiting| {
            let is_cpu = match head.cpu {
                Some(cpu) => cpu == waiting.cpu,
                // Who leaves is who is sampled.
                None => !waiting.is_named && head.tid == Some(waiting.outgoing.thread),
            };
            is_cpu && waiting.at_ns == head.at_ns
        };
        let Some(waiting) = self.waiting.iter_mut().find(is_its) else { return };
        // `cycles`, `cycles:k`, `cpu-cycles`, `cpu_core/cycles/`; not `ref-cycles`.
        let name = event.split([':']).next().unwrap_or(event);
        let is_cycles = ["cycles", "cpu-cycles"].contains(&name)
            || (name.contains("/cycles/") || name.contains("/cpu-cycles/"));
        let counts = waiting.counts.get_or_insert_default();
        if is_cycles {
            self.has_cycles = true;
            *counts.cycles.get_or_insert(0.0) += period as f64;
            return;
        }
        let known = self.counters.iter().position(|counter| counter == name);
        let index = known.or_else(|| {
            (self.counters.len() < OTHERS).then(|| {
                self.counters.push(name.to_owned());
                self.counters.len() - 1
            })
        });
        if let Some(index) = index {
            counts.others[index] += period as f64;
        }
    }

    fn runner(
        &mut self,
        names: &mut TenantNames,
        tid: i64,
        comm: &str,
        pid: Option<i64>,
    ) -> RunningTenant {
        if tid == 0 {
            return RunningTenant { tenant: TenantId::IDLE, thread: 0 };
        }
        let tenant = match self.by {
            By::Name => names.id(family(comm)),
            By::Thread => names.id(&format!("{comm}/{tid}")),
            By::Process => self.process(names, tid, comm, pid),
        };
        RunningTenant { tenant, thread: tid }
    }

    /// A process goes by the name of its first thread, or of the first one seen.
    fn process(
        &mut self,
        names: &mut TenantNames,
        tid: i64,
        comm: &str,
        pid: Option<i64>,
    ) -> TenantId {
        // Who comes is told without its process; it is that of its last line.
        let Some(pid) = pid else {
            return self.processes.get(&tid).copied().unwrap_or(TenantId::NOBODY);
        };
        let name = || format!("{comm}/{pid}");
        let known = self.processes.get(&pid).copied();
        let tenant = known.unwrap_or_else(|| names.id(&name()));
        if tid == pid && known.is_none_or(|known| names.name(known) != name()) {
            names.rename(tenant, &name());
        }
        // Bounded: who is forgotten is found again by its next line.
        if self.processes.len() > 1 << 16 {
            self.processes.clear();
        }
        self.processes.insert(pid, tenant);
        self.processes.insert(tid, tenant);
        tenant
    }
}

/// `kworker/0:1-events` is a `kworker`, `ksoftirqd/3` a `ksoftirqd`.
fn family(comm: &str) -> &str {
    match comm.split_once('/') {
        Some((name, rest)) if rest.starts_with(|c: char| c.is_ascii_digit() || c == 'u') => name,
        _ => comm,
    }
}
