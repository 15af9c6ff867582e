//! One cycle of the monitor: the energies of the machine's parts, shared among processes.
//! What nobody is known to have spent is a row of its own, and everything adds up.

use std::collections::BTreeMap;
use wattline_units::power::FigureBasis;

use super::super::{Capacity, Split};
use super::containers::Container;
use super::facts::{CoreTimes, HostFacts, ProcessId, ProcessUsage, TICKS_PER_S};
use super::formulas::{Covers, EnergyFormula, MachinePart, PartEnergy, passed};

/// Denominator of a process's share of the processor's energy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ShareDenominator {
    /// All CPU time there was: idle time is nobody's.
    #[default]
    Capacity,
    /// The time it was active: who ran pays for idle time as well.
    Active,
}

impl ShareDenominator {
    /// Returns the name in files and flags.
    pub fn name(self) -> &'static str {
        match self {
            ShareDenominator::Capacity => "capacity",
            ShareDenominator::Active => "active",
        }
    }
}

/// Energy of a part of the machine in a cycle, with its formula and basis.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentEnergy {
    /// The part.
    pub part: MachinePart,
    /// The formula's name.
    pub formula: &'static str,
    /// Measurement or model.
    pub basis: FigureBasis,
    /// What it gave.
    pub energy: PartEnergy,
    /// Joules that no process is known to have spent.
    pub unattributed_j: f64,
    /// Joules for a second of CPU time; 0 where it is not shared by that.
    pub per_cpu_s_j: f64,
}

impl ComponentEnergy {
    /// Creates the energy of a formula's figure, before it is shared among processes.
    pub(super) fn new(formula: &dyn EnergyFormula, energy: PartEnergy) -> Self {
        let unattributed_j = energy.joules;
        let (part, basis) = (formula.part(), formula.basis());
        Self { part, formula: formula.name(), basis, energy, unattributed_j, per_cpu_s_j: 0.0 }
    }
}

/// CPU time and energy of a thread in a cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadCycle {
    /// Its number.
    pub tid: u32,
    /// Its name.
    pub name: String,
    /// Seconds of CPU time.
    pub cpu_s: f64,
    /// Joules of the processor.
    pub cpu_j: f64,
}

/// CPU time and energies of a process in a cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessCycle {
    /// Which.
    pub id: ProcessId,
    /// Its name.
    pub name: String,
    /// Seconds of CPU time.
    pub cpu_s: f64,
    /// Its part of the time that the processor was active, 0..1.
    pub share_active: f64,
    /// Its part of all CPU time there was, 0..1.
    pub share_capacity: f64,
    /// Joules of processors.
    pub cpu_j: f64,
    /// Joules of network cards; absent where the system doesn't say who sends.
    pub network_j: Option<f64>,
    /// Its watched threads.
    pub threads: Vec<ThreadCycle>,
    /// Its container, where it was asked for and there is one.
    pub container: Option<Container>,
}

/// Cycle between two readings: energies of the machine's parts and of its processes.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// Start, in seconds since the machine's start.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
    /// Parts of the machine that a formula had a figure for.
    pub components: Vec<ComponentEnergy>,
    /// Processes that used CPU time, those that ended excepted.
    pub processes: Vec<ProcessCycle>,
    /// Processes that ended since the last reading: what they used since is unattributed.
    pub ended: Vec<(ProcessId, String)>,
    /// Seconds of CPU time that were active, and all there were.
    pub processor_s: (f64, f64),
    /// What to know, in sentences.
    pub remarks: Vec<String>,
}

impl Cycle {
    /// Returns the length in seconds.
    pub fn duration_s(&self) -> f64 {
        self.end_s - self.start_s
    }

    /// Returns the energy of a part of the machine, if a formula has it.
    pub fn component(&self, part: MachinePart) -> Option<&ComponentEnergy> {
        self.components.iter().find(|component| component.part == part)
    }

    /// Gives a process its share (0..1) of the network's energy, where the system does not show
    /// which process sends but the process itself does.
    pub fn give_network(&mut self, pid: u32, part: f64) -> Option<f64> {
        let process = self.processes.iter_mut().find(|process| process.id.pid == pid)?;
        let network = self.components.iter_mut().find(|c| c.part == MachinePart::Network)?;
        if process.network_j.is_none() {
            let joules = network.unattributed_j * part.clamp(0.0, 1.0);
            network.unattributed_j -= joules;
            process.network_j = Some(joules);
        }
        process.network_j
    }

    /// Adds the CPU time that an ended process itself reported of this cycle, since the system no
    /// longer shows it.
    pub fn give_ended(&mut self, pid: u32, cpu_s: f64) {
        let Some((id, name)) = self.ended.iter().find(|(id, _)| id.pid == pid) else { return };
        let Some(cpu) = self.components.iter_mut().find(|c| c.part == MachinePart::Cpu) else {
            return;
        };
        let cpu_j = (cpu_s * cpu.per_cpu_s_j).min(cpu.unattributed_j).max(0.0);
        cpu.unattributed_j -= cpu_j;
        let (active_s, all_s) = self.processor_s;
        self.processes.push(ProcessCycle {
            id: *id,
            name: name.clone(),
            cpu_s,
            share_active: cpu_s / active_s.max(cpu_s),
            share_capacity: cpu_s / all_s.max(cpu_s),
            cpu_j,
            network_j: None,
            threads: Vec::new(),
            container: None,
        });
    }

    /// Whether the processes' energies and the unattributed rest add up to each component.
    pub fn is_conserved(&self) -> bool {
        self.components.iter().all(|component| {
            let shares: f64 = self
                .processes
                .iter()
                .map(|process| match component.part {
                    MachinePart::Cpu => process.cpu_j,
                    MachinePart::Network => process.network_j.unwrap_or(0.0),
                })
                .sum();
            let total = component.energy.joules;
            (shares + component.unattributed_j - total).abs() <= 1e-9 * total.abs().max(1e-9)
        })
    }
}

/// Ticks that each process used between two readings. One that was not there before has
/// used all it has.
fn used(before: &HostFacts, after: &HostFacts) -> BTreeMap<ProcessId, (String, u64)> {
    let difference = |(id, now): (&ProcessId, &ProcessUsage)| {
        let then = before.processes.get(id).map_or(0, |process| process.ticks);
        // The kernel corrects times downwards at moments.
        let ticks = now.ticks.saturating_sub(then);
        let is_new = id.start_ticks as f64 / TICKS_PER_S > before.uptime_s - 1.0;
        let counts = before.processes.contains_key(id) || is_new;
        (counts && ticks > 0).then(|| (*id, (now.name.clone(), ticks)))
    };
    after.processes.iter().filter_map(difference).collect()
}

/// Returns the cycle between two readings.
pub(super) fn cycle(
    before: &HostFacts,
    after: &HostFacts,
    components: Vec<ComponentEnergy>,
    share: ShareDenominator,
    mut remarks: Vec<String>,
) -> Cycle {
    let times = before.processor.zip(after.processor).and_then(|(b, a)| passed(b, a));
    let used = used(before, after);
    let mut processes = rows(&used, times);
    let mut components = components;
    for component in &mut components {
        let result = match component.part {
            MachinePart::Cpu => share_cpu(component, &used, times, share, &mut processes),
            MachinePart::Network => share_network(component, before, after, &mut processes),
        };
        if let Err(problem) = result {
            remarks.push(problem);
        }
    }
    add_threads(before, after, &mut processes);
    for process in &mut processes {
        process.container = after.containers.get(&process.id.pid).cloned();
    }
    let ended = before.processes.iter().filter(|(id, _)| !after.processes.contains_key(id));
    let ended = match after.processes.is_empty() {
        true => Vec::new(),
        false => ended.map(|(id, process)| (*id, process.name.clone())).collect(),
    };
    let (start_s, end_s) = (before.uptime_s, after.uptime_s);
    let (active, all) = totals(&used, times);
    let processor_s = (active / TICKS_PER_S, all / TICKS_PER_S);
    let cycle = Cycle { start_s, end_s, components, processes, ended, processor_s, remarks };
    assert!(cycle.is_conserved(), "a split of a cycle adds up: {cycle:?}");
    cycle
}

fn rows(used: &BTreeMap<ProcessId, (String, u64)>, times: Option<CoreTimes>) -> Vec<ProcessCycle> {
    let (active, capacity) = totals(used, times);
    let row = |(id, (name, ticks)): (&ProcessId, &(String, u64))| ProcessCycle {
        id: *id,
        name: name.clone(),
        cpu_s: *ticks as f64 / TICKS_PER_S,
        share_active: *ticks as f64 / active.max(1.0),
        share_capacity: *ticks as f64 / capacity.max(1.0),
        cpu_j: 0.0,
        network_j: None,
        threads: Vec::new(),
        container: None,
    };
    used.iter().map(row).collect()
}

/// Ticks that were active, and all there were. The processes' own ticks are read a moment
/// after the processor's, and may exceed them by a few.
fn totals(used: &BTreeMap<ProcessId, (String, u64)>, times: Option<CoreTimes>) -> (f64, f64) {
    let sum: u64 = used.values().map(|(_, ticks)| ticks).sum();
    let times = times.unwrap_or_default();
    let active = times.busy.max(sum);
    (active as f64, (active + times.idle) as f64)
}

fn share_cpu(
    component: &mut ComponentEnergy,
    used: &BTreeMap<ProcessId, (String, u64)>,
    times: Option<CoreTimes>,
    share: ShareDenominator,
    processes: &mut [ProcessCycle],
) -> Result<(), String> {
    let (active, capacity) = totals(used, times);
    // An energy of busy time alone is shared by busy time: over all there was, this is what
    // the capacity's share of the full power comes to. With the other denominator, who ran
    // pays as if the processor had been busy throughout.
    let total = match (component.energy.covers, share) {
        (Covers::BusyTime, ShareDenominator::Capacity)
        | (Covers::Everything, ShareDenominator::Active) => active,
        (Covers::Everything, ShareDenominator::Capacity) => capacity,
        (Covers::BusyTime, ShareDenominator::Active) => {
            component.energy.joules *= capacity / active.max(1.0);
            active
        }
    };
    component.per_cpu_s_j = component.energy.joules * TICKS_PER_S / total.max(1.0);
    let weights = used.iter().map(|(id, (_, ticks))| (*id, *ticks as f64));
    let split = Split::by_weight(component.energy.joules, weights, Capacity::Total(total))
        .map_err(|error| format!("processor energy is not shared: {error}"))?;
    for process in processes {
        process.cpu_j = split.shares().get(&process.id).copied().unwrap_or(0.0);
    }
    component.unattributed_j = split.unattributed_j();
    Ok(())
}

/// Shares by bytes of users, and within a user, which the system doesn't tell apart, by
/// nothing: a user with one process is that process; others' bytes are nobody's.
fn share_network(
    component: &mut ComponentEnergy,
    before: &HostFacts,
    after: &HostFacts,
    processes: &mut [ProcessCycle],
) -> Result<(), String> {
    component.unattributed_j = component.energy.joules;
    if after.user_bytes.is_empty() {
        return Ok(());
    }
    let bytes = after.user_bytes.iter().map(|(user, now)| {
        let then = before.user_bytes.get(user).copied().unwrap_or(0);
        (*user, now.saturating_sub(then) as f64)
    });
    let split = Split::by_weight(component.energy.joules, bytes, Capacity::Active)
        .map_err(|error| format!("network energy is not shared: {error}"))?;
    component.unattributed_j = split.unattributed_j();
    for (user, joules) in split.shares() {
        let mut owned: Vec<&mut ProcessCycle> =
            processes.iter_mut().filter(|p| after.users.get(&p.id.pid) == Some(user)).collect();
        match owned.as_mut_slice() {
            [only] => only.network_j = Some(*joules),
            _ => component.unattributed_j += joules,
        }
    }
    Ok(())
}

/// The power of a process's threads is its own by their CPU time.
fn add_threads(before: &HostFacts, after: &HostFacts, processes: &mut [ProcessCycle]) {
    for process in processes {
        let own = after.threads.iter().filter(|((pid, _), _)| *pid == process.id.pid);
        let mut threads: Vec<ThreadCycle> = own
            .map(|(key, thread)| {
                let then = before.threads.get(key).map_or(0, |thread| thread.ticks);
                let cpu_s = thread.ticks.saturating_sub(then) as f64 / TICKS_PER_S;
                ThreadCycle { tid: key.1.pid, name: thread.name.clone(), cpu_s, cpu_j: 0.0 }
            })
            .collect();
        let sum: f64 = threads.iter().map(|thread| thread.cpu_s).sum();
        let whole = sum.max(process.cpu_s);
        threads.retain(|thread| thread.cpu_s > 0.0);
        for thread in &mut threads {
            thread.cpu_j = process.cpu_j * thread.cpu_s / whole;
        }
        process.threads = threads;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::formulas::DesignPower;
    use super::*;

    fn id(pid: u32) -> ProcessId {
        ProcessId { pid, start_ticks: 1 }
    }

    fn facts(uptime_s: f64, busy: u64, idle: u64, ticks: &[u64]) -> HostFacts {
        let process = |(at, ticks): (usize, &u64)| {
            (id(at as u32), ProcessUsage { name: format!("p{at}"), ticks: *ticks })
        };
        let times = CoreTimes { busy, idle };
        HostFacts {
            uptime_s,
            processor: Some(times),
            cores: [(0, times)].into(),
            processes: ticks.iter().enumerate().map(process).collect(),
            ..HostFacts::default()
        }
    }

    fn component(joules: f64, covers: Covers) -> ComponentEnergy {
        let energy = PartEnergy { joules, covers, bytes: None, remarks: Vec::new() };
        ComponentEnergy::new(&DesignPower { tdp_w: 1.0, voltages: None }, energy)
    }

    /// A meter's 62.69958 J in a second that was half idle, half one process's.
    #[test]
    fn both_denominators() {
        let (before, after) = (facts(9.0, 0, 0, &[0]), facts(10.0, 50, 50, &[50]));
        let of = |share| {
            let parts = vec![component(62.69958, Covers::Everything)];
            cycle(&before, &after, parts, share, Vec::new())
        };
        let capacity = of(ShareDenominator::Capacity);
        assert!((capacity.processes[0].cpu_j - 31.34979).abs() < 1e-9);
        assert!((capacity.components[0].unattributed_j - 31.34979).abs() < 1e-9);
        let active = of(ShareDenominator::Active);
        assert!((active.processes[0].cpu_j - 62.69958).abs() < 1e-9);
        let process = &active.processes[0];
        assert_eq!((process.share_active, process.share_capacity), (1.0, 0.5));
    }

    /// A model of busy time has no idle power: its figure is the process's either way, and
    /// the paper's active denominator makes it that of a processor busy throughout.
    #[test]
    fn busy_time_has_no_idle_part() {
        let (before, after) = (facts(9.0, 0, 0, &[0, 5]), facts(10.0, 50, 50, &[40, 5]));
        let parts = || vec![component(31.34979, Covers::BusyTime)];
        let capacity = cycle(&before, &after, parts(), ShareDenominator::Capacity, Vec::new());
        assert!((capacity.processes[0].cpu_j - 0.8 * 31.34979).abs() < 1e-9);
        assert!((capacity.components[0].unattributed_j - 0.2 * 31.34979).abs() < 1e-9);
        let active = cycle(&before, &after, parts(), ShareDenominator::Active, Vec::new());
        assert!((active.components[0].energy.joules - 62.69958).abs() < 1e-9);
        assert!(active.is_conserved());
    }

    #[test]
    fn ends_and_new_lives_of_numbers_are_told_apart() {
        let mut before = facts(9.0, 0, 0, &[70]);
        let mut after = facts(10.0, 50, 50, &[]);
        let reborn = ProcessId { pid: 0, start_ticks: 950 };
        after.processes.insert(reborn, ProcessUsage { name: "new".into(), ticks: 20 });
        before.processes.insert(id(3), ProcessUsage { name: "b".into(), ticks: 1 });
        let cycle = cycle(
            &before,
            &after,
            vec![component(1.0, Covers::BusyTime)],
            ShareDenominator::Capacity,
            Vec::new(),
        );
        assert_eq!(cycle.processes.len(), 1);
        assert_eq!((cycle.processes[0].id, cycle.processes[0].cpu_s), (reborn, 0.2));
        assert_eq!(cycle.ended.iter().map(|(id, _)| id.pid).collect::<Vec<_>>(), [0, 3]);
    }

    #[test]
    fn an_ended_process_that_says_what_it_used_gets_its_part() {
        let (before, after) = (facts(9.0, 0, 0, &[0, 0]), facts(10.0, 60, 40, &[30]));
        let parts = vec![component(8.0, Covers::Everything)];
        let mut cycle = cycle(&before, &after, parts, ShareDenominator::Capacity, Vec::new());
        cycle.give_ended(1, 0.25);
        let ended = &cycle.processes[1];
        assert_eq!((ended.id.pid, ended.cpu_j, ended.share_capacity), (1, 2.0, 0.25));
        cycle.give_ended(7, 0.1);
        assert_eq!(cycle.processes.len(), 2, "nobody was there");
        assert!(cycle.is_conserved());
    }

    #[test]
    fn a_process_that_counts_its_bytes_gets_its_part_of_the_network() {
        let mut network = component(4.0, Covers::Everything);
        network.part = MachinePart::Network;
        let (before, after) = (facts(9.0, 0, 0, &[0]), facts(10.0, 50, 50, &[50]));
        let mut cycle =
            cycle(&before, &after, vec![network], ShareDenominator::Capacity, Vec::new());
        assert_eq!(cycle.give_network(0, 0.25), Some(1.0));
        assert_eq!((cycle.components[0].unattributed_j, cycle.give_network(9, 1.0)), (3.0, None));
        assert!(cycle.is_conserved());
    }

    #[test]
    fn threads_share_what_their_process_has() {
        let mut before = facts(9.0, 0, 0, &[0]);
        let mut after = facts(10.0, 100, 0, &[100]);
        for (tid, ticks) in [(5, 60), (6, 40), (7, 0)] {
            let thread = |ticks| ProcessUsage { name: format!("t{tid}"), ticks };
            before.threads.insert((0, id(tid)), thread(0));
            after.threads.insert((0, id(tid)), thread(ticks));
        }
        let cycle = cycle(
            &before,
            &after,
            vec![component(10.0, Covers::BusyTime)],
            ShareDenominator::Capacity,
            Vec::new(),
        );
        let threads = &cycle.processes[0].threads;
        assert_eq!(threads.len(), 2);
        assert!((threads[0].cpu_j - 6.0).abs() < 1e-9 && (threads[1].cpu_j - 4.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn every_cycle_adds_up(
            joules in 0.0..1e4_f64,
            busy in 0..500_u64,
            idle in 0..500_u64,
            ticks in proptest::collection::vec(0..300_u64, 0..6),
            everything in proptest::bool::ANY,
            active in proptest::bool::ANY,
        ) {
            let before = facts(1.0, 0, 0, &vec![0; ticks.len()]);
            let after = facts(2.0, busy, idle, &ticks);
            let covers = if everything { Covers::Everything } else { Covers::BusyTime };
            let share = if active { ShareDenominator::Active } else { ShareDenominator::Capacity };
            let cycle = cycle(&before, &after, vec![component(joules, covers)], share, Vec::new());
            prop_assert!(cycle.is_conserved());
            let shares: f64 = cycle.processes.iter().map(|process| process.share_active).sum();
            prop_assert!(shares <= 1.0 + 1e-9);
        }
    }
}
