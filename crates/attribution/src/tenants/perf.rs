//! Context switches from the text of `perf script`, `perf sched script`, ftrace or `trace-cmd
//! report`: tracepoint `sched:sched_switch` or `PERF_RECORD_SWITCH_CPU_WIDE`, with the counters
//! that were sampled at the same switch (`perf record -e '{sched:sched_switch,cycles}:S' -a`).

use std::collections::HashMap;

use super::names::{TenantId, TenantNames};
use super::perf_cpus::InferredCpus;
use super::perf_line::{PerfLine, SampleHead, parse_perf_line};
use super::record::{Counts, OTHER_COUNTERS, RunningTenant, TenantRecord};
use super::trouble::Troubles;

/// Unit of the text that is one tenant: threads of one name, a process, a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadGrouping {
    /// Threads of one name; a kernel thread's number per CPU is left out.
    Name,
    /// A process; needs lines with `pid/tid`.
    Process,
    /// A single thread.
    Thread,
}

/// Reader of lines that turns switches with their counters into records.
#[derive(Debug)]
pub struct PerfReader {
    by: ThreadGrouping,
    waiting: Vec<WaitingSwitch>,
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

/// Switch whose counters may still follow.
#[derive(Debug, Clone, Copy)]
struct WaitingSwitch {
    at_ns: u64,
    cpu: u32,
    /// Whether its line names the CPU: then those of its counters do.
    is_named: bool,
    outgoing: RunningTenant,
    incoming: Option<RunningTenant>,
    counts: Option<Counts>,
}

/// Number of characters of an unreadable line that a message shows.
const UNREADABLE_SHOWN: usize = 80;

/// Time in nanoseconds within which the counters of a switch follow it.
const WAIT_NS: u64 = 1_000_000;

impl PerfReader {
    /// Creates a reader that groups threads into tenants.
    #[must_use]
    pub fn new(by: ThreadGrouping) -> Self {
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

    /// Returns the names of the counters beside the cycles, as far as lines have shown them.
    #[must_use]
    pub fn counters(&self) -> &[String] {
        &self.counters
    }

    /// Whether any line counted cycles.
    #[must_use]
    pub fn has_cycles(&self) -> bool {
        self.has_cycles
    }

    /// Whether any line named its process.
    #[must_use]
    pub fn has_processes(&self) -> bool {
        self.has_processes
    }

    /// Returns the number of switches so far.
    #[must_use]
    pub fn switches(&self) -> u64 {
        self.switches
    }

    /// Returns the number of switches whose CPU was inferred, since no line names it.
    #[must_use]
    pub fn inferred_cpu_switches(&self) -> u64 {
        self.inferred
    }

    /// Returns the number of lines with an event of any kind.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns number and text of the first unreadable line.
    #[must_use]
    pub fn first_unreadable(&self) -> Option<(u64, &str)> {
        self.first_unreadable.as_ref().map(|(number, text)| (*number, text.as_str()))
    }

    /// Reads a line and gives complete records to `take`.
    pub fn line(
        &mut self,
        line: &str,
        names: &mut TenantNames,
        troubles: &mut Troubles,
        mut take: impl FnMut(TenantRecord),
    ) {
        self.lines += 1;
        let parsed = parse_perf_line(line);
        self.events += u64::from(!matches!(parsed, PerfLine::Beside | PerfLine::Unreadable));
        match parsed {
            PerfLine::Switch { head, prev_tid, prev_comm, next_tid, next_comm } => {
                self.has_tracepoints = true;
                self.inferred += u64::from(head.cpu.is_none());
                let cpu = head.cpu.unwrap_or_else(|| {
                    self.cpus.cpu_of_switch((prev_tid, prev_comm), (next_tid, next_comm))
                });
                self.release_complete(Some((cpu, head.at_ns)), &mut take);
                let prev = self.running_tenant(names, prev_tid, prev_comm, head.pid);
                let next = self.running_tenant(names, next_tid, next_comm, None);
                self.hold_switch(head, cpu, prev, Some(next));
            }
            PerfLine::Out { head, next_tid } if !self.has_tracepoints => {
                let (Some(cpu), Some(tid)) = (head.cpu, head.tid) else {
                    return self.count_unreadable(line, troubles);
                };
                self.release_complete(Some((cpu, head.at_ns)), &mut take);
                let prev = self.running_tenant(names, tid, head.comm, head.pid);
                // The name of who comes is told by its own line, when it leaves.
                let next =
                    (next_tid == 0).then_some(RunningTenant { tenant: TenantId::IDLE, thread: 0 });
                self.hold_switch(head, cpu, prev, next);
            }
            PerfLine::Count { head, period, event } => self.add_counter(head, period, event),
            PerfLine::Lost { cpu, records } => {
                self.release_complete(None, &mut take);
                take(TenantRecord::Lost { cpu, records });
            }
            PerfLine::Out { .. } | PerfLine::Other | PerfLine::Beside => {}
            PerfLine::Unreadable => self.count_unreadable(line, troubles),
        }
    }

    fn count_unreadable(&mut self, line: &str, troubles: &mut Troubles) {
        troubles.unreadable += 1;
        if self.first_unreadable.is_none() {
            let text = line.trim().chars().take(UNREADABLE_SHOWN).collect();
            self.first_unreadable = Some((self.lines, text));
        }
    }

    /// Gives the switches that still wait to `take`.
    pub fn finish(&mut self, mut take: impl FnMut(TenantRecord)) {
        self.release_complete(None, &mut take);
    }

    fn hold_switch(
        &mut self,
        head: SampleHead<'_>,
        cpu: u32,
        outgoing: RunningTenant,
        incoming: Option<RunningTenant>,
    ) {
        self.switches += 1;
        self.has_processes |= head.pid.is_some();
        let (at_ns, is_named) = (head.at_ns, head.cpu.is_some());
        self.waiting.push(WaitingSwitch { at_ns, cpu, is_named, outgoing, incoming, counts: None });
    }

    /// Releases the switches whose counters are complete: all of them, or those that the event
    /// `next` (CPU, time) completes.
    fn release_complete(&mut self, next: Option<(u32, u64)>, take: &mut impl FnMut(TenantRecord)) {
        self.waiting.retain(|waiting| {
            let stays = next.is_some_and(|(cpu, at_ns)| {
                cpu != waiting.cpu && at_ns < waiting.at_ns.saturating_add(WAIT_NS)
            });
            if !stays {
                let WaitingSwitch { at_ns, cpu, outgoing, incoming, counts, .. } = *waiting;
                let outgoing = Some(outgoing);
                take(TenantRecord::Switch { at_ns, cpu, outgoing, incoming, counts });
            }
            stays
        });
    }

    fn add_counter(&mut self, head: SampleHead<'_>, period: u64, event: &str) {
        let is_its = |waiting: &&mut WaitingSwitch| {
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
            (self.counters.len() < OTHER_COUNTERS).then(|| {
                self.counters.push(name.to_owned());
                self.counters.len() - 1
            })
        });
        if let Some(index) = index {
            counts.others[index] += period as f64;
        }
    }

    fn running_tenant(
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
            ThreadGrouping::Name => names.id(thread_family(comm)),
            ThreadGrouping::Thread => names.id(&format!("{comm}/{tid}")),
            ThreadGrouping::Process => self.process_name(names, tid, comm, pid),
        };
        RunningTenant { tenant, thread: tid }
    }

    /// Returns the tenant of a thread's process, named by its first thread or the first one seen.
    fn process_name(
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

/// Returns the family of a thread's name: `kworker` for `kworker/0:1-events`, `ksoftirqd` for
/// `ksoftirqd/3`.
fn thread_family(comm: &str) -> &str {
    match comm.split_once('/') {
        Some((name, rest)) if rest.starts_with(|c: char| c.is_ascii_digit() || c == 'u') => name,
        _ => comm,
    }
}
