//! What a trace says of itself: names, users, rails, CPUs. Gathered in a first pass.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::perfetto::{TraceEvent, What};

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
pub struct TraceFacts {
    pub(super) processes: HashMap<i32, (String, Option<i32>)>,
    pub(super) threads: HashMap<i32, i32>,
    packages: BTreeMap<u64, Vec<String>>,
    rails: BTreeMap<u32, (String, String)>,
    pub(super) first_khz: BTreeMap<u32, u32>,
    cpus: BTreeSet<u32>,
    has_battery: bool,
}

impl TraceFacts {
    /// Takes in an event of the first pass.
    pub fn take(&mut self, event: &TraceEvent) {
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

    pub(super) fn user(&self, tid: i32) -> Option<i32> {
        let pid = self.threads.get(&tid).unwrap_or(&tid);
        self.processes.get(pid)?.1
    }

    /// A user's name: its packages, or what Android calls it, or one of its processes.
    pub(super) fn user_name(&self, uid: i32) -> String {
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
