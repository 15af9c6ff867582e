//! What a trace says of itself: names, users, rails, CPUs. Gathered in a first pass.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::perfetto::{RailCatalogue, RailMeter, TraceEvent, TraceEventKind};

/// Rails whose energy is shared.
#[derive(Debug, Clone, PartialEq)]
pub enum RailChoice {
    /// Those of the CPU by name or subsystem; without any, all of them.
    Cpu,
    /// Those whose name contains one of these, in any case.
    Named(Vec<String>),
}

/// Names, users, rails, CPUs and batteries of a trace, collected in a first pass.
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
    /// Takes an event of the first pass.
    pub fn take(&mut self, event: &TraceEvent) {
        match &event.what {
            TraceEventKind::Process { pid, name, uid } => {
                self.processes.insert(*pid, (name.clone(), *uid));
            }
            TraceEventKind::Thread { tid, pid: Some(pid), .. } => {
                self.threads.insert(*tid, *pid);
            }
            TraceEventKind::Package { name, uid } => {
                let names = self.packages.entry(*uid).or_default();
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            TraceEventKind::Rail { .. } | TraceEventKind::RailEnergy { .. } => {
                self.rails.take(event)
            }
            TraceEventKind::CpuFrequency { cpu, khz } => {
                self.first_khz.entry(*cpu).or_insert(*khz);
            }
            TraceEventKind::Switch { cpu, .. } => drop(self.cpus.insert(*cpu)),
            TraceEventKind::Battery { name, .. } => drop(self.batteries.insert(name.clone())),
            _ => {}
        }
    }

    /// Whether the frequency of every CPU with switches is known, so that cycles can be computed.
    #[must_use]
    pub fn has_frequencies(&self) -> bool {
        !self.cpus.is_empty() && self.cpus.iter().all(|cpu| self.first_khz.contains_key(cpu))
    }

    /// Returns the number of CPUs with switches.
    #[must_use]
    pub fn cpus(&self) -> usize {
        self.cpus.len()
    }

    /// Returns the chosen rails, the names of the others, and remarks on rails.
    #[must_use]
    pub fn choose_rails(&self, choice: &RailChoice) -> (Vec<RailMeter>, Vec<String>, Vec<String>) {
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

    /// Returns the names of the batteries, which are meters where there are no rails; a device's
    /// only battery has an empty name.
    #[must_use]
    pub fn batteries(&self) -> &BTreeSet<String> {
        &self.batteries
    }

    pub(super) fn user_of_thread(&self, tid: i32) -> Option<i32> {
        let pid = self.threads.get(&tid).unwrap_or(&tid);
        self.processes.get(pid)?.1
    }

    /// Returns a user's name: its packages, or Android's name for it, or one of its processes.
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

/// Returns the name of one of Android's own users (`android_filesystem_config.h`).
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
