//! The monitor's figures as OpenMetrics text: power in the last cycle as gauges, energy since
//! the monitor's start as counters, of the machine's parts, of processes, of containers, and of
//! a JVM's methods.

use std::collections::BTreeMap;

use super::containers::Container;
use super::cycle::{Cycle, ProcessCycle};
use super::facts::ProcessId;
use super::jvm::{JvmPower, JvmState};
use wattline_units::exposition::OpenMetricsText;

/// Series of a family at most: dashboards choke on thousands. What comes later is one series.
const SERIES_MAX: usize = 500;

/// What has no series of its own.
const OTHERS: &str = "(others)";

/// Joules since the monitor's start. No series ever goes back: what there is no room for was
/// never told by itself.
#[derive(Debug, Clone, Default)]
pub struct Counters {
    parts: BTreeMap<&'static str, (&'static str, &'static str, f64, f64)>,
    processes: BTreeMap<ProcessId, ProcessMetrics>,
    ended: Vec<ProcessId>,
    other_processes_j: f64,
    containers: BTreeMap<Container, f64>,
    methods: BTreeMap<(String, String), f64>,
    jvm: [f64; 3],
}

#[derive(Debug, Clone, Default)]
struct ProcessMetrics {
    name: String,
    container: Option<Container>,
    joules: f64,
    watts: f64,
}

/// What of a JVM is in no method.
const RESTS: [&str; 3] = ["no known method", "not sampled", "the JVM itself"];

impl Counters {
    /// Adds a cycle.
    pub fn add(&mut self, cycle: &Cycle, jvm: Option<(&JvmState, &JvmPower)>) {
        for id in std::mem::take(&mut self.ended) {
            // Its series ends where the process did.
            self.processes.remove(&id);
        }
        for component in &cycle.components {
            let new = (component.formula, component.basis.name(), 0.0, 0.0);
            let sums = self.parts.entry(component.part.name()).or_insert(new);
            sums.2 += component.energy.joules;
            sums.3 += component.unattributed_j;
        }
        for known in self.processes.values_mut() {
            known.watts = 0.0;
        }
        for process in &cycle.processes {
            self.add_process(process, cycle.duration_s());
        }
        self.ended.extend(cycle.ended.iter().map(|(id, _)| *id));
        if let Some((state, power)) = jvm {
            self.add_jvm(state, power);
        }
    }

    fn add_process(&mut self, process: &ProcessCycle, duration_s: f64) {
        let joules = process.cpu_j + process.network_j.unwrap_or(0.0);
        let has_room =
            self.processes.len() < SERIES_MAX || self.processes.contains_key(&process.id);
        let container = match self.processes.get(&process.id) {
            Some(known) => known.container.clone(),
            None => process.container.clone(),
        };
        if let Some(container) = &container {
            self.add_container(container, joules);
        }
        if !has_room {
            self.other_processes_j += joules;
            return;
        }
        let sums = self.processes.entry(process.id).or_insert_with(|| ProcessMetrics {
            name: process.name.clone(),
            container,
            ..ProcessMetrics::default()
        });
        sums.joules += joules;
        sums.watts = joules / duration_s;
    }

    fn add_container(&mut self, container: &Container, joules: f64) {
        let is_full =
            self.containers.len() >= SERIES_MAX && !self.containers.contains_key(container);
        let others = || Container { container: OTHERS.into(), ..Container::default() };
        let key = if is_full { others() } else { container.clone() };
        *self.containers.entry(key).or_default() += joules;
    }

    fn add_jvm(&mut self, state: &JvmState, power: &JvmPower) {
        for method in power.threads.iter().flat_map(|thread| &thread.methods) {
            let joules = method.cpu_j + method.network_j.unwrap_or(0.0);
            if joules <= 0.0 {
                continue;
            }
            let named = state.method(method.method);
            let key = (named.class, named.name);
            let is_full = self.methods.len() >= SERIES_MAX && !self.methods.contains_key(&key);
            let key = if is_full { (OTHERS.into(), String::new()) } else { key };
            *self.methods.entry(key).or_default() += joules;
        }
        let rests = [power.without_method_j(), power.not_sampled_j(), power.rest_j];
        for (sum, joules) in self.jvm.iter_mut().zip(rests) {
            *sum += joules;
        }
    }
}

/// The text after a cycle that `counters` have taken.
pub fn openmetrics(
    counters: &Counters,
    cycle: &Cycle,
    jvm: Option<(&JvmState, &JvmPower)>,
) -> String {
    let mut text = OpenMetricsText::default();
    parts(&mut text, counters, cycle);
    processes(&mut text, counters);
    if !counters.containers.is_empty() {
        let help = "Energy of the processes in a container.";
        text.counter_family("wattline_container_energy_joules", "joules", help);
        for (container, joules) in &counters.containers {
            text.sample(&labels(container), joules);
        }
    }
    if let Some((state, power)) = jvm {
        method_powers(&mut text, state, power, cycle.duration_s());
        let help = "Energy of a method over all threads: processor and network.";
        text.counter_family("wattline_method_energy_joules", "joules", help);
        for ((class, method), joules) in &counters.methods {
            text.sample(&[("class", class), ("method", method)], joules);
        }
        let help = "Energy of the JVM in no method of the filter.";
        text.counter_family("wattline_jvm_rest_energy_joules", "joules", help);
        for (rest, joules) in RESTS.iter().zip(counters.jvm) {
            text.sample(&[("rest", rest)], joules);
        }
    }
    text.finish()
}

fn parts(text: &mut OpenMetricsText, counters: &Counters, cycle: &Cycle) {
    let d = cycle.duration_s();
    text.gauge_family("wattline_part_power_watts", "watts", "Power of a part of the machine.");
    for component in &cycle.components {
        let basis = component.basis.name();
        let labels =
            [("part", component.part.name()), ("formula", component.formula), ("basis", basis)];
        text.sample(&labels, component.energy.joules / d);
    }
    text.gauge_family("wattline_unattributed_power_watts", "watts", "What of it is no process's.");
    for component in &cycle.components {
        text.sample(&[("part", component.part.name())], component.unattributed_j / d);
    }
    text.counter_family(
        "wattline_part_energy_joules",
        "joules",
        "Energy of a part of the machine.",
    );
    for (part, (formula, basis, joules, _)) in &counters.parts {
        text.sample(&[("part", part), ("formula", formula), ("basis", basis)], joules);
    }
    let help = "What of it is no process's.";
    text.counter_family("wattline_unattributed_energy_joules", "joules", help);
    for (part, (.., joules)) in &counters.parts {
        // A share may exceed the whole by rounding.
        text.sample(&[("part", part)], joules.max(0.0));
    }
}

fn labels(container: &Container) -> [(&str, &str); 3] {
    let Container { runtime, container, pod } = container;
    [("container", container), ("pod", pod), ("runtime", runtime)]
}

fn processes(text: &mut OpenMetricsText, counters: &Counters) {
    let help = "Power of a process: processor and network.";
    text.gauge_family("wattline_process_power_watts", "watts", help);
    each_process(counters, |labels, process| text.sample(labels, process.watts));
    let help = "Energy of a process: processor and network.";
    text.counter_family("wattline_process_energy_joules", "joules", help);
    each_process(counters, |labels, process| text.sample(labels, process.joules));
    if counters.other_processes_j > 0.0 {
        text.sample(&[("pid", ""), ("name", OTHERS)], counters.other_processes_j);
    }
}

fn each_process(counters: &Counters, mut tell: impl FnMut(&[(&str, &str)], &ProcessMetrics)) {
    for (id, process) in &counters.processes {
        let pid = id.pid.to_string();
        let start = id.start_ticks.to_string();
        let mut all = vec![("pid", pid.as_str()), ("name", process.name.as_str())];
        // A number that is given out again is another process.
        all.push(("start_ticks", &start));
        all.extend(process.container.iter().flat_map(labels));
        tell(&all, process);
    }
}

fn method_powers(text: &mut OpenMetricsText, state: &JvmState, power: &JvmPower, d: f64) {
    let help = "Power of a method over all threads: processor and network.";
    text.gauge_family("wattline_method_power_watts", "watts", help);
    let mut sums: BTreeMap<(String, String), f64> = BTreeMap::new();
    for method in power.threads.iter().flat_map(|thread| &thread.methods) {
        let named = state.method(method.method);
        *sums.entry((named.class, named.name)).or_default() +=
            method.cpu_j + method.network_j.unwrap_or(0.0);
    }
    let mut sums: Vec<_> = sums.into_iter().filter(|(_, joules)| *joules > 0.0).collect();
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    for ((class, method), joules) in sums.into_iter().take(SERIES_MAX) {
        text.sample(&[("class", &class), ("method", &method)], joules / d);
    }
}

#[cfg(test)]
mod tests {
    use super::super::ComponentEnergy;
    use super::super::formulas::{Covers, MachinePart, PartEnergy};
    use super::*;
    use wattline_units::power::FigureBasis;

    fn cycle(pids: std::ops::Range<u32>) -> Cycle {
        let process = |pid| ProcessCycle {
            id: ProcessId { pid, start_ticks: 1 },
            name: "a\"b\\\n".into(),
            cpu_s: 0.5,
            share_active: 1.0,
            share_capacity: 0.5,
            cpu_j: 3.0,
            network_j: None,
            threads: Vec::new(),
            container: Some(Container { container: "web".into(), ..Container::default() }),
        };
        let energy =
            PartEnergy { joules: 4.0, covers: Covers::BusyTime, bytes: None, remarks: Vec::new() };
        let component = ComponentEnergy {
            part: MachinePart::Cpu,
            formula: "design-power",
            basis: FigureBasis::Estimated,
            energy,
            unattributed_j: 1.0,
            per_cpu_s_j: 0.0,
        };
        Cycle {
            start_s: 1.0,
            end_s: 3.0,
            components: vec![component],
            processes: pids.map(process).collect(),
            ended: Vec::new(),
            processor_s: (1.0, 2.0),
            remarks: Vec::new(),
        }
    }

    #[test]
    fn every_series_is_a_number_with_its_labels() {
        let mut counters = Counters::default();
        counters.add(&cycle(7..8), None);
        counters.add(&cycle(7..8), None);
        let text = openmetrics(&counters, &cycle(7..8), None);
        assert!(text.ends_with("# EOF\n"));
        for line in [
            "power_watts{part=\"cpu\",formula=\"design-power\",basis=\"estimated\"} 2\n",
            "power_watts{pid=\"7\",name=\"a\\\"b\\\\\\n\",start_ticks=\"1\",container=\"web\",pod=\"\",runtime=\"\"} 1.5\n",
            "# TYPE wattline_part_energy_joules counter\n",
            "wattline_part_energy_joules_total{part=\"cpu\",formula=\"design-power\",basis=\"estimated\"} 8\n",
            "wattline_container_energy_joules_total{container=\"web\",pod=\"\",runtime=\"\"} 6\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap().is_finite());
        }
    }

    #[test]
    fn counters_never_go_back_and_an_ended_process_leaves() {
        let mut counters = Counters::default();
        counters.add(&cycle(0..600), None);
        assert_eq!(counters.processes.len(), SERIES_MAX);
        assert_eq!(counters.other_processes_j, 300.0);
        let mut second = cycle(0..1);
        second.ended.push((ProcessId { pid: 5, start_ticks: 1 }, "a".into()));
        counters.add(&second, None);
        assert_eq!(counters.processes.len(), SERIES_MAX, "its last figure is told yet");
        counters.add(&cycle(0..1), None);
        assert_eq!(counters.processes.len(), SERIES_MAX - 1);
        assert_eq!(counters.containers.values().sum::<f64>(), 1806.0);
    }

    #[test]
    fn containers_that_come_and_go_do_not_add_up() {
        let mut counters = Counters::default();
        for number in 0..700 {
            let mut one = cycle(0..1);
            let container = format!("web-{number}");
            one.processes[0].id.start_ticks = number;
            one.processes[0].container = Some(Container { container, ..Container::default() });
            one.ended.push((one.processes[0].id, "a".into()));
            counters.add(&one, None);
        }
        assert_eq!(counters.containers.len(), SERIES_MAX + 1);
        assert_eq!(counters.containers.values().sum::<f64>(), 2100.0);
    }
}
