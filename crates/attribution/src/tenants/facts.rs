//! What a trace says of itself: names, users, rails, CPUs. Gathered in a first pass.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::perfetto::{RailCatalogue, RailMeter, TraceEvent, What};

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
    rails: RailCatalogue,
    pub(super) first_khz: BTreeMap<u32, u32>,
    cpus: BTreeSet<u32>,
    batteries: BTreeSet<String>,
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
            What::Rail { .. } | What::RailEnergy { .. } => self.rails.take(event),
            What::CpuFrequency { cpu, khz } => {
                self.first_khz.entry(*cpu).or_insert(*khz);
            }
            What::Switch { cpu, .. } => drop(self.cpus.insert(*cpu)),
            What::Battery { name, .. } => drop(self.batteries.insert(name.clone())),
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

    /// The rails to share, the names of those left out, and what is to be told of rails.
    #[must_use]
    pub fn choose(&self, choice: &RailChoice) -> (Vec<RailMeter>, Vec<String>, Vec<String>) {
        let is_named = |name: &str, parts: &[String]| {
            let name = name.to_lowercase();
            parts.iter().any(|part| name.contains(&part.to_lowercase()))
        };
        let is_cpu = |rail: &RailMeter| {
            is_named(&rail.name, &["cpu".into()]) || is_named(&rail.subsystem, &["cpu".into()])
        };
        let (meters, remarks) = self.rails.meters();
        let any_cpu = meters.iter().any(is_cpu);
        let is_chosen = |rail: &RailMeter| match choice {
            RailChoice::Cpu => is_cpu(rail) || !any_cpu,
            RailChoice::Named(parts) => is_named(&rail.name, parts),
        };
        let (chosen, rest): (Vec<_>, Vec<_>) = meters.into_iter().partition(is_chosen);
        (chosen, rest.into_iter().map(|rail| rail.name).collect(), remarks)
    }

    /// The batteries, which are meters for want of rails: their names, empty for the only
    /// one of a device.
    #[must_use]
    pub fn batteries(&self) -> &BTreeSet<String> {
        &self.batteries
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
