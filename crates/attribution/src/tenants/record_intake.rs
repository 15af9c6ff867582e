//! What each sort of record does to a stream.

use super::charge::CpuUsage;
use super::cpu::Cpu;
use super::meter::MeterId;
use super::names::TenantId;
use super::options::{CounterMode, EnergySource, RecordWindow};
use super::record::{Counts, RunningTenant, TenantRecord};
use super::stream::WindowStream;
use super::view::WindowView;
use super::window::RingPosition;

/// Largest number of CPUs; a larger CPU number in a log is damage.
const MOST_CPUS: u32 = 8192;
/// Largest number of cycles per nanosecond of a CPU.
const MOST_GHZ: f64 = 10.0;
/// Largest time in nanoseconds between the reading of a counter and that of its record's clock.
const SKEW_NS: f64 = 1e5;

impl WindowStream {
    /// Takes a record.
    pub fn take(&mut self, record: TenantRecord) {
        self.troubles.records += 1;
        match record {
            TenantRecord::Switch { at_ns, cpu, outgoing, incoming, counts } => {
                if self.is_on_time(at_ns) {
                    self.switch(at_ns, cpu, outgoing, incoming, counts);
                } else if self.options.counting == CounterMode::Cleared {
                    let cycles = counts.and_then(|counts| counts.cycles);
                    self.troubles.late_cycles += cycles.unwrap_or(0.0);
                }
            }
            TenantRecord::Use { start_ns, end_ns, tenant, cpu_ns, counts } => {
                if self.is_on_time(end_ns) {
                    self.begin_log(start_ns);
                    let used = CpuUsage { tenant, cpu_ns, counts };
                    self.charge(start_ns, end_ns, &used);
                }
            }
            TenantRecord::Energy { at_ns, meter, reading } => self.energy(at_ns, meter, reading),
            TenantRecord::Hotplug { at_ns, cpu, is_online } => self.hotplug(at_ns, cpu, is_online),
            TenantRecord::Lost { cpu, records } => self.lost(cpu, records),
        }
    }

    /// Closes all windows at the end of the input; the time of CPUs ends with the last record.
    pub fn finish(&mut self) {
        self.end_log();
        if self.troubles.late_j != 0.0 {
            let late_s = self.late_metered_ns * 1e-9 / self.meters.len().max(1) as f64;
            self.total.add_unattributed(self.troubles.late_j, late_s);
        }
        let meters = self.meters.len();
        let before = WindowView::before_log(&self.before_log, meters);
        let after = WindowView::after_log(&self.after_log, meters);
        for view in before.into_iter().chain(after) {
            self.total.add(&view);
            self.closed.push_back(view);
        }
    }

    fn cpu(&mut self, cpu: u32) -> Option<&mut Option<Cpu>> {
        if cpu >= MOST_CPUS {
            self.troubles.unreadable += 1;
            return None;
        }
        let index = cpu as usize;
        if index >= self.cpus.len() {
            self.cpus.resize(index + 1, None);
        }
        Some(&mut self.cpus[index])
    }

    fn switch(
        &mut self,
        at_ns: u64,
        cpu: u32,
        outgoing: Option<RunningTenant>,
        incoming: Option<RunningTenant>,
        counts: Option<Counts>,
    ) {
        let first_ns = self.first_ns.unwrap_or(at_ns);
        let counting = self.options.counting;
        let Some(slot) = self.cpu(cpu) else { return };
        let is_first = slot.is_none();
        // The runner of a CPU's first switch has been there since the log began.
        let mut state = slot.unwrap_or_else(|| Cpu::since(first_ns.min(at_ns)));
        if at_ns < state.last_ns {
            self.troubles.disordered += 1;
            let tenant = outgoing.map_or(TenantId::NOBODY, |runner| runner.tenant);
            let counts = counts.filter(|_| counting == CounterMode::Cleared);
            return self.charge(at_ns, at_ns, &CpuUsage { tenant, cpu_ns: 0.0, counts });
        }
        let tenant = state.outgoing_tenant(outgoing, &mut self.troubles);
        let has_counts = counts.is_some();
        let counts = match (counts, counting) {
            (Some(counts), CounterMode::Running { bits }) => {
                state.counter_differences(counts, bits, &mut self.troubles)
            }
            (counts, _) => counts.filter(|_| !is_first),
        };
        let counts = counts.filter(|counts| self.is_possible(counts, at_ns - state.last_ns));
        self.troubles.opening += u64::from(is_first && has_counts);
        // What leaves the ring meanwhile must not charge this time again.
        if let Some(Some(state)) = self.cpus.get_mut(cpu as usize) {
            state.charged_ns = state.charged_ns.max(at_ns);
        }
        if !state.is_offline {
            self.charge_since(&state, at_ns, tenant, counts);
        }
        self.count_switch(at_ns, tenant);
        let raw = state.raw;
        self.cpus[cpu as usize] = Some(Cpu { running: incoming, raw, ..Cpu::since(at_ns) });
    }

    /// Whether a CPU can have counted so many cycles in a time; impossible counts are added to the
    /// troubles.
    fn is_possible(&mut self, counts: &Counts, passed_ns: u64) -> bool {
        let Some(cycles) = counts.cycles else { return true };
        self.troubles.counts += 1;
        let is_possible = cycles <= (passed_ns as f64 + SKEW_NS) * MOST_GHZ;
        self.troubles.impossible_counts += u64::from(!is_possible);
        is_possible
    }

    /// Charges a CPU's time and counts since its last switch, without time that was charged
    /// already.
    fn charge_since(&mut self, state: &Cpu, at_ns: u64, tenant: TenantId, counts: Option<Counts>) {
        let from = state.charged_ns.min(at_ns);
        let cpu_ns = (at_ns - from) as f64;
        if tenant == TenantId::NOBODY {
            self.troubles.unknown_ns += cpu_ns;
        }
        if from == state.last_ns {
            return self.charge(from, at_ns, &CpuUsage { tenant, cpu_ns, counts });
        }
        self.charge(from, at_ns, &CpuUsage { tenant, cpu_ns, counts: None });
        self.charge(state.last_ns, at_ns, &CpuUsage { tenant, cpu_ns: 0.0, counts });
    }

    fn count_switch(&mut self, at_ns: u64, tenant: TenantId) {
        // It ends what ran before it, also on a boundary: no window is there for it alone.
        let is_first = self.first_ns.is_none_or(|first| at_ns <= first);
        let is_spread = self.options.charging == RecordWindow::Spread;
        let at_ns = at_ns - u64::from(is_spread && !is_first);
        if let RingPosition::Held(position) = self.ring.find_or_add(at_ns / self.options.window_ns)
        {
            self.ring.window_at(position).tally(tenant).switches += 1;
        }
    }

    fn hotplug(&mut self, at_ns: u64, cpu: u32, is_online: bool) {
        self.troubles.hotplugs += 1;
        if !self.is_on_time(at_ns) {
            return;
        }
        let Some(slot) = self.cpu(cpu) else { return };
        let before = *slot;
        *slot = Some(Cpu { is_offline: !is_online, ..Cpu::since(at_ns) });
        // Who ran until it went off line is charged as if it had been switched.
        if let Some(state) = before.filter(|state| !is_online && !state.is_offline)
            && let Some(runner) = state.running
            && state.charged_ns < at_ns
        {
            let cpu_ns = (at_ns - state.charged_ns) as f64;
            self.charge(
                state.charged_ns,
                at_ns,
                &CpuUsage { tenant: runner.tenant, cpu_ns, counts: None },
            );
        }
    }

    fn lost(&mut self, cpu: Option<u32>, records: u64) {
        self.troubles.lost += records;
        let mark = |state: &mut Cpu| (state.running, state.is_lossy) = (None, true);
        match cpu {
            Some(cpu) => {
                let first_ns = self.first_ns;
                let Some(slot) = self.cpu(cpu) else { return };
                // Nothing is known of a CPU whose first records are lost.
                if let Some(first_ns) = first_ns {
                    mark(slot.get_or_insert(Cpu::since(first_ns)));
                }
            }
            None => self.cpus.iter_mut().flatten().for_each(mark),
        }
    }

    fn energy(&mut self, at_ns: u64, meter: MeterId, reading: u64) {
        // A model's energy is not the meters'.
        if self.options.energy != EnergySource::Meters {
            return;
        }
        let Some(meter) = self.meters.get_mut(meter.0) else { return };
        let difference = meter.read(at_ns, reading, &mut self.troubles);
        difference.into_iter().for_each(|difference| self.hold_energy(difference));
    }
}
