//! Android by Perfetto: switches, frequencies and rails of a trace, tenants by user
//! (application), process or thread. A first pass gathers names, a second one records.

use std::collections::{BTreeMap, HashMap};

use crate::battery::BatteryMeter;
use crate::monitor::formulas::SocTable;
use crate::perfetto::{TraceEvent, TraceEventKind};
use wattline_units::power::MeterCounter;

use super::android_meters::AndroidMeters;
use super::names::{TenantId, TenantNames};
use super::options::EnergySource;
use super::record::{Counts, OTHER_COUNTERS, RunningTenant, TenantRecord};
use super::trace_facts::TraceFacts;

/// Unit of a trace that is one tenant: user, process or thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceGrouping {
    /// A user: on Android an application, or those that share a user.
    User,
    /// A process.
    Process,
    /// Threads of one name.
    Thread,
}

/// Converter of a trace's events to records of a stream.
#[derive(Debug)]
pub struct AndroidRecords {
    facts: TraceFacts,
    grouping: TraceGrouping,
    meters: AndroidMeters,
    batteries: BTreeMap<String, BatteryMeter>,
    clocks: HashMap<u32, CpuClock>,
    tenants: HashMap<i32, TenantId>,
    running: BTreeMap<u32, RunningTenant>,
    has_cycles: bool,
    soc: Option<SocTable>,
    beyond_table_ns: u64,
}

/// Cycles of a CPU since its last switch, from its frequency.
#[derive(Debug, Clone, Copy, Default)]
struct CpuClock {
    khz: u32,
    /// Watts of the busy CPU at this frequency, where a table says so.
    power_w: Option<f64>,
    since_ns: u64,
    cycles: f64,
    model_nj: f64,
    beyond_table_ns: u64,
}

impl CpuClock {
    fn run_to(&mut self, at_ns: u64) {
        let passed_ns = at_ns.saturating_sub(self.since_ns);
        // kHz x ns = 1e-6 cycles.
        self.cycles += f64::from(self.khz) * passed_ns as f64 * 1e-6;
        match self.power_w {
            Some(power_w) => self.model_nj += power_w * passed_ns as f64,
            None => self.beyond_table_ns += passed_ns,
        }
        self.since_ns = self.since_ns.max(at_ns);
    }
}

/// Index, among the counters beside the cycles, of the nanojoules that
/// [`AndroidRecords::use_power_table`] counts.
const MODEL_COUNTER: usize = 0;

/// Meter counter whose count is a microjoule and that never wraps.
pub(super) const MICROJOULE_COUNTER: MeterCounter =
    MeterCounter { joules_per_count: 1e-6, modulus: None };

impl AndroidRecords {
    /// Creates the converter from the facts of the first pass and the meters.
    #[must_use]
    pub fn new(facts: TraceFacts, grouping: TraceGrouping, meters: AndroidMeters) -> Self {
        let has_cycles = facts.has_frequencies();
        let clock = |khz: u32| CpuClock { khz, ..CpuClock::default() };
        let clocks = facts.first_khz.iter().map(|(cpu, khz)| (*cpu, clock(*khz))).collect();
        let battery = |name: &String| (name.clone(), BatteryMeter::default());
        let batteries = meters.batteries.keys().map(battery).collect();
        let (tenants, running) = (HashMap::new(), BTreeMap::new());
        let (soc, beyond_table_ns) = (None, 0);
        Self {
            facts,
            grouping,
            meters,
            batteries,
            clocks,
            tenants,
            running,
            has_cycles,
            soc,
            beyond_table_ns,
        }
    }

    /// Uses the power of a chip's busy cores by frequency as a model of the energy, and returns the
    /// energy source for the stream. The trace must have every CPU's frequency.
    pub fn use_power_table(&mut self, table: SocTable) -> EnergySource {
        for (cpu, clock) in &mut self.clocks {
            clock.power_w = table.watts_of_core(*cpu, u64::from(clock.khz));
        }
        self.soc = Some(table);
        EnergySource::Modelled { counter: MODEL_COUNTER, joules_per_count: 1e-9 }
    }

    /// Returns the seconds of busy CPUs at frequencies that the table of power does not have.
    #[must_use]
    pub fn beyond_table_s(&self) -> f64 {
        self.beyond_table_ns as f64 * 1e-9
    }

    /// Returns the counter of rails and of batteries.
    #[must_use]
    pub fn counter() -> MeterCounter {
        MICROJOULE_COUNTER
    }

    /// Returns the number of samples during which the battery was charged, so that its energy is
    /// unknown.
    #[must_use]
    pub fn charging_samples(&self) -> u64 {
        self.batteries.values().map(|battery| battery.charging).sum()
    }

    /// Whether an event becomes a record, and must come in order of time.
    #[must_use]
    pub fn is_wanted(event: &TraceEvent) -> bool {
        matches!(
            event.what,
            TraceEventKind::Switch { .. }
                | TraceEventKind::CpuFrequency { .. }
                | TraceEventKind::CpuHotplug { .. }
                | TraceEventKind::RailEnergy { .. }
                | TraceEventKind::Battery { .. }
                | TraceEventKind::Lost { .. }
        )
    }

    /// Converts an event of the second pass into a record of the stream: a switch, a loss, a
    /// meter's reading.
    pub fn record(&mut self, event: &TraceEvent, names: &mut TenantNames) -> Option<TenantRecord> {
        let at_ns = event.at_ns?;
        match &event.what {
            TraceEventKind::Switch { cpu, prev_tid, next_tid, next_comm } => {
                let outgoing = prev_tid.map(|tid| self.running_tenant(tid, None, names));
                let next = self.running_tenant(*next_tid, Some(next_comm), names);
                self.running.insert(*cpu, next);
                let incoming = Some(next);
                let leaves_idle = *prev_tid == Some(0);
                let counts = self.cycles_since_switch(*cpu, at_ns, leaves_idle);
                Some(TenantRecord::Switch { at_ns, cpu: *cpu, outgoing, incoming, counts })
            }
            TraceEventKind::CpuFrequency { cpu, khz } => {
                let fresh = CpuClock { since_ns: at_ns, ..CpuClock::default() };
                let clock = self.clocks.entry(*cpu).or_insert(fresh);
                clock.run_to(at_ns);
                clock.khz = *khz;
                let table = self.soc.as_ref();
                clock.power_w = table.and_then(|soc| soc.watts_of_core(*cpu, u64::from(*khz)));
                None
            }
            TraceEventKind::CpuHotplug { cpu, is_online } => {
                self.running.remove(cpu);
                Some(TenantRecord::Hotplug { at_ns, cpu: *cpu, is_online: *is_online })
            }
            TraceEventKind::RailEnergy { rail, energy_uj } => {
                let meter = *self.meters.rails.get(rail)?;
                Some(TenantRecord::Energy { at_ns, meter, reading: *energy_uj })
            }
            TraceEventKind::Battery { name, charge_uah, energy_uwh, current_ua, voltage_uv } => {
                let meter = *self.meters.batteries.get(name)?;
                let battery = self.batteries.get_mut(name)?;
                let reading = battery.add_sample(
                    at_ns,
                    *energy_uwh,
                    *charge_uah,
                    *current_ua,
                    *voltage_uv,
                )?;
                Some(TenantRecord::Energy { at_ns, meter, reading })
            }
            TraceEventKind::Lost { cpu } => {
                self.running.remove(cpu);
                Some(TenantRecord::Lost { cpu: Some(*cpu), records: 1 })
            }
            _ => None,
        }
    }

    /// Returns the records of the tenants that run when the trace ends, as if a switch ended them.
    pub fn last(&mut self, end_ns: u64) -> Vec<TenantRecord> {
        let running = std::mem::take(&mut self.running);
        let switch = |(cpu, runner): (u32, RunningTenant)| {
            let counts =
                Some(self.cycles_since_switch(cpu, end_ns, runner.tenant == TenantId::IDLE)?);
            let outgoing = Some(runner);
            Some(TenantRecord::Switch { at_ns: end_ns, cpu, outgoing, incoming: None, counts })
        };
        running.into_iter().filter_map(switch).collect()
    }

    /// Returns the counts since the CPU's last switch; no cycles while it is idle, as it is halted.
    fn cycles_since_switch(&mut self, cpu: u32, at_ns: u64, leaves_idle: bool) -> Option<Counts> {
        if !self.has_cycles {
            return None;
        }
        let clock = self.clocks.get_mut(&cpu)?;
        clock.run_to(at_ns);
        let cycles = std::mem::take(&mut clock.cycles);
        let model_nj = std::mem::take(&mut clock.model_nj);
        let beyond_ns = std::mem::take(&mut clock.beyond_table_ns);
        let mut counts = Counts { cycles: Some(0.0), others: [0.0; OTHER_COUNTERS] };
        if !leaves_idle {
            counts.cycles = Some(cycles);
            counts.others[MODEL_COUNTER] = model_nj;
            self.beyond_table_ns += beyond_ns;
        }
        Some(counts)
    }

    fn running_tenant(
        &mut self,
        tid: i32,
        comm: Option<&str>,
        names: &mut TenantNames,
    ) -> RunningTenant {
        let thread = i64::from(tid);
        if tid == 0 {
            return RunningTenant { tenant: TenantId::IDLE, thread };
        }
        if let Some(&tenant) = self.tenants.get(&tid) {
            return RunningTenant { tenant, thread };
        }
        let tenant = self.tenant_of_thread(tid, comm, names);
        // Who leaves without ever having come has no name yet.
        if comm.is_some() {
            if self.tenants.len() > 1 << 16 {
                self.tenants.clear();
            }
            self.tenants.insert(tid, tenant);
        }
        RunningTenant { tenant, thread }
    }

    fn tenant_of_thread(&self, tid: i32, comm: Option<&str>, names: &mut TenantNames) -> TenantId {
        let pid = *self.facts.threads.get(&tid).unwrap_or(&tid);
        let process = self.facts.processes.get(&pid);
        let comm = comm.map_or_else(|| format!("thread {tid}"), str::to_owned);
        match self.grouping {
            TraceGrouping::User => match self.facts.user_of_thread(tid) {
                Some(uid) => names.id(&self.facts.user_name(uid)),
                None => names.id(&format!("{comm} (no user known)")),
            },
            TraceGrouping::Process => match process.filter(|(name, _)| !name.is_empty()) {
                Some((name, _)) => names.id(&format!("{name}/{pid}")),
                None => names.id(&format!("{comm}/{pid}")),
            },
            TraceGrouping::Thread => names.id(&comm),
        }
    }
}
