//! A cycle as OpenMetrics text: power of the machine's parts, of processes, and of a JVM's
//! methods.

use super::Cycle;
use super::jvm::{JvmPower, JvmState};
use crate::export::Exposition;

/// Methods and processes in the text, the costliest first: dashboards choke on thousands.
const SERIES_MAX: usize = 100;

/// The text for one cycle.
pub fn openmetrics(cycle: &Cycle, jvm: Option<(&JvmState, &JvmPower)>) -> String {
    let mut text = Exposition::default();
    let d = cycle.duration_s();
    text.family("wattline_part_power_watts", "watts", "Power of a part of the machine.");
    for component in &cycle.components {
        let labels = [
            ("part", component.part.name()),
            ("formula", component.formula),
            ("basis", component.basis.name()),
        ];
        text.sample(&labels, component.energy.joules / d);
    }
    text.family("wattline_unattributed_power_watts", "watts", "What of it is no process's.");
    for component in &cycle.components {
        text.sample(&[("part", component.part.name())], component.unattributed_j / d);
    }
    let help = "Power of a process: processor and network.";
    text.family("wattline_process_power_watts", "watts", help);
    let energy = |process: &super::ProcessCycle| process.cpu_j + process.network_j.unwrap_or(0.0);
    let mut processes: Vec<_> = cycle.processes.iter().collect();
    processes.sort_by(|a, b| energy(b).total_cmp(&energy(a)));
    for process in processes.into_iter().take(SERIES_MAX) {
        let pid = process.id.pid.to_string();
        let labels = [("pid", pid.as_str()), ("name", &process.name)];
        text.sample(&labels, energy(process) / d);
    }
    if let Some((state, power)) = jvm {
        methods(&mut text, state, power, d);
    }
    text.finish()
}

fn methods(text: &mut Exposition, state: &JvmState, power: &JvmPower, d: f64) {
    let help = "Power of a method over all threads: processor and network.";
    text.family("wattline_method_power_watts", "watts", help);
    let mut sums = std::collections::BTreeMap::new();
    for method in power.threads.iter().flat_map(|thread| &thread.methods) {
        let named = state.method(method.method);
        *sums.entry((named.class, named.name)).or_insert(0.0) +=
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
    use super::super::facts::ProcessId;
    use super::super::formulas::{Basis, Covers, Energy, Part};
    use super::super::{Component, ProcessCycle};
    use super::*;

    #[test]
    fn every_series_is_a_number_with_its_labels() {
        let process = ProcessCycle {
            id: ProcessId { pid: 7, start_ticks: 1 },
            name: "a\"b\\\n".into(),
            cpu_s: 0.5,
            share_active: 1.0,
            share_capacity: 0.5,
            cpu_j: 3.0,
            network_j: None,
            threads: Vec::new(),
        };
        let energy =
            Energy { joules: 4.0, covers: Covers::BusyTime, bytes: None, remarks: Vec::new() };
        let component = Component {
            part: Part::Cpu,
            formula: "design-power",
            basis: Basis::Model,
            energy,
            unattributed_j: 1.0,
        };
        let cycle = Cycle {
            start_s: 1.0,
            end_s: 3.0,
            components: vec![component],
            processes: vec![process],
            ended: Vec::new(),
            remarks: Vec::new(),
        };
        let text = openmetrics(&cycle, None);
        assert!(text.ends_with("# EOF\n"));
        assert!(
            text.contains("power_watts{part=\"cpu\",formula=\"design-power\",basis=\"model\"} 2\n")
        );
        assert!(text.contains("{pid=\"7\",name=\"a\\\"b\\\\\\n\"} 1.5\n"), "{text}");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap().is_finite());
        }
    }
}
