//! `/sys/devices/system/cpu/cpufreq/policyN`: which cores share a clock, and how long it
//! stood at each frequency (kernel's Documentation/cpu-freq/cpufreq-stats).

use std::collections::BTreeMap;

use super::super::facts::{HostFacts, Policy, TICKS_PER_S};
use super::super::host::HostSnapshot;
use super::{Sensor, SensorError, number_after};

/// Sensor of the times that cores spend at each frequency.
#[derive(Debug)]
pub(crate) struct Cpufreq;

const STATES: &str = "/sys/devices/system/cpu/cpufreq/policy*/stats/time_in_state";
const CORES: &str = "/sys/devices/system/cpu/cpufreq/policy*/related_cpus";
const OLD_STATES: &str = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/stats/time_in_state";
const OLD_CORES: &str = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/related_cpus";

/// Lines of kilohertz and hundredths of a second.
fn states_s(text: &str) -> BTreeMap<u64, f64> {
    let line = |line: &str| {
        let (khz, ticks) = line.trim().split_once(char::is_whitespace)?;
        Some((khz.parse().ok()?, ticks.trim().parse::<u64>().ok()? as f64 / TICKS_PER_S))
    };
    text.lines().filter_map(line).collect()
}

/// `0 1 2 3`, also `0-3` and with commas.
fn cores(text: &str) -> Vec<u32> {
    let mut all = Vec::new();
    for word in text.split([' ', ',', '\n', '\t']).filter(|word| !word.is_empty()) {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        if let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) {
            all.extend(first..=last.min(first.saturating_add(4096)));
        }
    }
    all
}

/// The part of a path that names its clock.
fn clock(path: &str) -> Option<u32> {
    path.split('/')
        .find_map(|part| number_after(part, "policy").or_else(|| number_after(part, "cpu")))
}

impl Sensor for Cpufreq {
    fn name(&self) -> &'static str {
        "cpufreq"
    }

    fn patterns(&self) -> Vec<String> {
        [STATES, CORES, OLD_STATES, OLD_CORES].map(String::from).into()
    }

    fn read(
        &self,
        snapshot: &HostSnapshot,
        _: Option<&str>,
        facts: &mut HostFacts,
    ) -> Result<(), SensorError> {
        let new = snapshot.matching(STATES).next().is_some();
        let (states, related) = if new { (STATES, CORES) } else { (OLD_STATES, OLD_CORES) };
        let mut policies: BTreeMap<u32, Policy> = BTreeMap::new();
        for (path, text) in snapshot.matching(states) {
            let Some(number) = clock(path) else { continue };
            policies.entry(number).or_default().states_s = states_s(text);
        }
        for (path, text) in snapshot.matching(related) {
            if let Some(policy) = clock(path).and_then(|number| policies.get_mut(&number)) {
                policy.cores = cores(text);
            }
        }
        // In the old layout each core has its own files, those of one clock the same.
        let mut seen = Vec::new();
        policies.retain(|_, policy| {
            let is_new = policy.cores.is_empty() || !seen.contains(&policy.cores);
            seen.push(policy.cores.clone());
            is_new && policy.states_s.values().any(|seconds| *seconds > 0.0)
        });
        for (number, policy) in &mut policies {
            if policy.cores.is_empty() {
                policy.cores.push(*number);
            }
        }
        if policies.is_empty() {
            let problem = snapshot.refusal(states).unwrap_or_else(|| {
                "no cpufreq/policy*/stats/time_in_state: the clock's states are not known \
                 (a virtual machine, or a kernel without CONFIG_CPU_FREQ_STAT)"
                    .to_string()
            });
            return Err(SensorError { sensor: self.name(), problem });
        }
        facts.policies = policies;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_clusters_with_their_cores() {
        let mut snapshot = HostSnapshot::at(1.0);
        let root = "/sys/devices/system/cpu/cpufreq";
        for (policy, cores) in [(0, "0 1 2 3\n"), (4, "4-5,7\n")] {
            let states = "300000 100\n1800000 250\n".to_string();
            snapshot.put(format!("{root}/policy{policy}/stats/time_in_state"), Ok(states));
            snapshot.put(format!("{root}/policy{policy}/related_cpus"), Ok(cores.to_string()));
        }
        let mut facts = HostFacts::default();
        Cpufreq.read(&snapshot, None, &mut facts).unwrap();
        assert_eq!(facts.policies[&4].cores, [4, 5, 7]);
        assert_eq!(facts.policies[&0].states_s[&1_800_000], 2.5);
    }

    #[test]
    fn the_old_layout_names_each_core() {
        let mut snapshot = HostSnapshot::at(1.0);
        for core in 0..4 {
            let root = format!("/sys/devices/system/cpu/cpu{core}/cpufreq");
            snapshot.put(format!("{root}/stats/time_in_state"), Ok("800000 5\n".into()));
            snapshot.put(format!("{root}/related_cpus"), Ok("0 1 2 3\n".into()));
        }
        let mut facts = HostFacts::default();
        Cpufreq.read(&snapshot, None, &mut facts).unwrap();
        assert_eq!(facts.policies.len(), 1);
        assert_eq!(facts.policies[&0].cores, [0, 1, 2, 3]);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\n]{0,100}") {
            let _ = (states_s(&text), cores(&text), clock(&text));
        }
    }
}
