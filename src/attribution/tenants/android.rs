//! Android by Perfetto: switches, frequencies and rails of a trace, tenants by user
//! (application), process or thread. A first pass gathers names, a second one records.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::attribution::perfetto::{Event, What};
use crate::power::Counter;

use super::battery::BatteryMeter;
use super::meter::MeterId;
use super::names::{Names, TenantId};
use super::record::{Counts, OTHERS, Record, Runner};

/// What a tenant is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// A user: on Android an application, or those that share a user.
    User,
    /// A process.
    Process,
    /// Threads of one name.
    Thread,
}

/// Which rails' energy is shared.
#[derive(Debug, Clone, PartialEq)]
pub enum RailChoice {
    /// Those of the CPU by name or subsystem; without any, all of them.
    Cpu,
    /// Those whose name contains one of these, in any case.
    Named(Vec<String>),
}

/// What a trace says of itself, gathered in a first pass.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    processes: HashMap<i32, (String, Option<i32>)>,
    threads: HashMap<i32, i32>,
    packages: BTreeMap<u64, Vec<String>>,
    rails: BTreeMap<u32, (String, String)>,
    first_khz: BTreeMap<u32, u32>,
    cpus: BTreeSet<u32>,
    has_battery: bool,
}

impl Facts {
    /// Takes in an event of the first pass.
    pub fn take(&mut self, event: &Event) {
        match &event.what {
            What::Process { pid, name, uid } => {
                self.processes.insert(*pid, (name.clone(), *uid));
            }
            What::Thread { tid, pid: Some(pid), .. } => drop(self.threads.insert(*tid, *pid)),
            What::Package { name, uid } => {
                let names = self.packages.entry(*uid).or_default();
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            What::Rail { index, name, subsystem } => {
                self.rails.insert(*index, (name.clone(), subsystem.clone()));
            }
            // Samples of a rail that was never named.
            What::RailEnergy { index, .. } => {
                let unnamed = || (format!("rail {index}"), String::new());
                self.rails.entry(*index).or_insert_with(unnamed);
            }
            What::CpuFrequency { cpu, khz } => {
                self.first_khz.entry(*cpu).or_insert(*khz);
            }
            What::Switch { cpu, .. } => drop(self.cpus.insert(*cpu)),
            What::Battery { .. } => self.has_battery = true,
            _ => {}
        }
    }

    /// Whether every CPU that switches tells its frequency: then cycles are computed.
    #[must_use]
    pub fn has_frequencies(&self) -> bool {
        !self.cpus.is_empty() && self.cpus.iter().all(|cpu| self.first_khz.contains_key(cpu))
    }

    /// CPUs that switch.
    #[must_use]
    pub fn cpus(&self) -> usize {
        self.cpus.len()
    }

    /// The rails to share: their numbers and names; then those left out.
    #[must_use]
    pub fn choose(&self, choice: &RailChoice) -> (Vec<(u32, String)>, Vec<String>) {
        let is_named = |name: &str, parts: &[String]| {
            let name = name.to_lowercase();
            parts.iter().any(|part| name.contains(&part.to_lowercase()))
        };
        let is_cpu = |(name, subsystem): &(String, String)| {
            is_named(name, &["cpu".into()]) || is_named(subsystem, &["cpu".into()])
        };
        let any_cpu = self.rails.values().any(is_cpu);
        let is_chosen = |rail: &(String, String)| match choice {
            RailChoice::Cpu => is_cpu(rail) || !any_cpu,
            RailChoice::Named(parts) => is_named(&rail.0, parts),
        };
        let (chosen, rest): (Vec<_>, Vec<_>) =
            self.rails.iter().partition(|(_, rail)| is_chosen(rail));
        let chosen = chosen.into_iter().map(|(index, rail)| (*index, rail.0.clone())).collect();
        (chosen, rest.into_iter().map(|(_, rail)| rail.0.clone()).collect())
    }

    /// Whether the battery is a meter, for want of rails.
    #[must_use]
    pub fn has_battery(&self) -> bool {
        self.has_battery
    }

    fn user(&self, tid: i32) -> Option<i32> {
        let pid = self.threads.get(&tid).unwrap_or(&tid);
        self.processes.get(pid)?.1
    }

    /// A user's name: its packages, or what Android calls it, or one of its processes.
    fn user_name(&self, uid: i32) -> String {
        let packages = u64::try_from(uid).ok().and_then(|uid| self.packages.get(&uid));
        let process = || {
            let of_user = self.processes.values().filter(|(_, user)| *user == Some(uid));
            of_user.map(|(name, _)| name.as_str()).filter(|name| !name.is_empty()).min()
        };
        match (packages.map(Vec::as_slice), system_user(uid)) {
            (_, Some(name)) => format!("{name} ({uid})"),
            (Some([one]), _) => format!("{one} ({uid})"),
            (Some([first, rest @ ..]), _) => format!("{first} +{} ({uid})", rest.len()),
            (Some([]) | None, None) => match process() {
                Some(name) => format!("{name} ({uid})"),
                None if uid % 100_000 >= 10_000 => {
                    format!("u{}a{} ({uid})", uid / 100_000, uid % 100_000 - 10_000)
                }
                None => format!("user {uid}"),
            },
        }
    }
}

/// Users of Android's own (`android_filesystem_config.h`).
fn system_user(uid: i32) -> Option<&'static str> {
    Some(match uid {
        0 => "root",
        1000 => "system",
        1001 => "radio",
        1002 => "bluetooth",
        1010 => "wifi",
        1013 => "media",
        1036 => "logd",
        1041 => "audioserver",
        1047 => "cameraserver",
        1066 => "statsd",
        2000 => "shell",
        9999 => "nobody",
        _ => return None,
    })
}

/// Turns events into records.
#[derive(Debug)]
pub struct Android {
    facts: Facts,
    grouping: Grouping,
    meters: HashMap<u32, MeterId>,
    battery: Option<(MeterId, BatteryMeter)>,
    clocks: HashMap<u32, CpuClock>,
    tenants: HashMap<i32, TenantId>,
    has_cycles: bool,
}

/// Cycles of a CPU since its last switch, by its frequency.
#[derive(Debug, Clone, Copy)]
struct CpuClock {
    khz: u32,
    since_ns: u64,
    cycles: f64,
}

impl CpuClock {
    fn run_to(&mut self, at_ns: u64) {
        // kHz x ns = 1e-6 cycles.
        self.cycles += f64::from(self.khz) * at_ns.saturating_sub(self.since_ns) as f64 * 1e-6;
        self.since_ns = self.since_ns.max(at_ns);
    }
}

/// A counter of microjoules that never wraps.
pub(super) const MICROJOULES: Counter = Counter { joules_per_count: 1e-6, modulus: None };

impl Android {
    /// With the facts of the first pass, and the meter of each chosen rail. `battery` is
    /// the meter of the battery where no rail is.
    #[must_use]
    pub fn new(
        facts: Facts,
        grouping: Grouping,
        meters: HashMap<u32, MeterId>,
        battery: Option<MeterId>,
    ) -> Self {
        let has_cycles = facts.has_frequencies();
        let clock = |khz: u32| CpuClock { khz, since_ns: 0, cycles: 0.0 };
        let clocks = facts.first_khz.iter().map(|(cpu, khz)| (*cpu, clock(*khz))).collect();
        let battery = battery.map(|meter| (meter, BatteryMeter::default()));
        let tenants = HashMap::new();
        Self { facts, grouping, meters, battery, clocks, tenants, has_cycles }
    }

    /// The counter of rails and of the battery.
    #[must_use]
    pub fn counter() -> Counter {
        MICROJOULES
    }

    /// Samples at which the battery was charged: its energy is not known there.
    #[must_use]
    pub fn charging(&self) -> u64 {
        self.battery.as_ref().map_or(0, |(_, battery)| battery.charging)
    }

    /// Whether an event becomes a record, and must come in order of time.
    #[must_use]
    pub fn is_wanted(event: &Event) -> bool {
        matches!(
            event.what,
            What::Switch { .. }
                | What::CpuFrequency { .. }
                | What::CpuHotplug { .. }
                | What::RailEnergy { .. }
                | What::Battery { .. }
                | What::Lost { .. }
        )
    }

    /// Turns an event of the second pass into a record.
    pub fn record(&mut self, event: &Event, names: &mut Names) -> Option<Record> {
        let at_ns = event.at_ns?;
        match &event.what {
            What::Switch { cpu, prev_tid, next_tid, next_comm } => {
                let outgoing = prev_tid.map(|tid| self.runner(tid, None, names));
                let incoming = Some(self.runner(*next_tid, Some(next_comm), names));
                let leaves_idle = *prev_tid == Some(0);
                let counts = self.counts(*cpu, at_ns, leaves_idle);
                Some(Record::Switch { at_ns, cpu: *cpu, outgoing, incoming, counts })
            }
            What::CpuFrequency { cpu, khz } => {
                let fresh = CpuClock { khz: *khz, since_ns: at_ns, cycles: 0.0 };
                let clock = self.clocks.entry(*cpu).or_insert(fresh);
                clock.run_to(at_ns);
                clock.khz = *khz;
                None
            }
            What::CpuHotplug { cpu, is_online } => {
                Some(Record::Hotplug { at_ns, cpu: *cpu, is_online: *is_online })
            }
            What::RailEnergy { index, energy_uj } => {
                let meter = *self.meters.get(index)?;
                Some(Record::Energy { at_ns, meter, reading: *energy_uj })
            }
            What::Battery { charge_uah, energy_uwh, current_ua, voltage_uv } => {
                let (meter, battery) = self.battery.as_mut()?;
                let reading =
                    battery.sample(at_ns, *energy_uwh, *charge_uah, *current_ua, *voltage_uv)?;
                Some(Record::Energy { at_ns, meter: *meter, reading })
            }
            What::Lost { cpu } => Some(Record::Lost { cpu: Some(*cpu), records: 1 }),
            _ => None,
        }
    }

    /// Cycles since the CPU's last switch: none while it is idle, as it is halted.
    fn counts(&mut self, cpu: u32, at_ns: u64, leaves_idle: bool) -> Option<Counts> {
        if !self.has_cycles {
            return None;
        }
        let clock = self.clocks.get_mut(&cpu)?;
        clock.run_to(at_ns);
        let cycles = std::mem::take(&mut clock.cycles);
        let cycles = Some(if leaves_idle { 0.0 } else { cycles });
        Some(Counts { cycles, others: [0.0; OTHERS] })
    }

    fn runner(&mut self, tid: i32, comm: Option<&str>, names: &mut Names) -> Runner {
        let thread = i64::from(tid);
        if tid == 0 {
            return Runner { tenant: TenantId::IDLE, thread };
        }
        if let Some(&tenant) = self.tenants.get(&tid) {
            return Runner { tenant, thread };
        }
        let tenant = self.tenant(tid, comm, names);
        // Who leaves without ever having come has no name yet.
        if comm.is_some() {
            if self.tenants.len() > 1 << 16 {
                self.tenants.clear();
            }
            self.tenants.insert(tid, tenant);
        }
        Runner { tenant, thread }
    }

    fn tenant(&self, tid: i32, comm: Option<&str>, names: &mut Names) -> TenantId {
        let pid = *self.facts.threads.get(&tid).unwrap_or(&tid);
        let process = self.facts.processes.get(&pid);
        let comm = comm.map_or_else(|| format!("thread {tid}"), str::to_owned);
        match self.grouping {
            Grouping::User => match self.facts.user(tid) {
                Some(uid) => names.id(&self.facts.user_name(uid)),
                None => names.id(&format!("{comm} (no user known)")),
            },
            Grouping::Process => match process.filter(|(name, _)| !name.is_empty()) {
                Some((name, _)) => names.id(&format!("{name}/{pid}")),
                None => names.id(&format!("{comm}/{pid}")),
            },
            Grouping::Thread => names.id(&comm),
        }
    }
}
