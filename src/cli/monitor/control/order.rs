//! What a running monitor can be told to do with its sensors and formulas.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::attribution::monitor::formulas::{EnergyFormula, NetworkModes};
use crate::attribution::monitor::formulas::{Metered, parse_modes};
use crate::attribution::monitor::host::Host;
use crate::attribution::monitor::sensors::{MeterReading, Network, Threads, sensor};
use crate::attribution::monitor::{RunningModules, ShareDenominator};
use crate::cli::monitor::meters::{design_power, is_live_meter, soc_power, wanted};
use crate::failure::Failure;

/// Order to a running monitor, as it is sent over the socket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case")]
pub enum Order {
    /// What runs.
    List,
    /// A module that does not run yet.
    Start(ModuleSettings),
    /// One that runs.
    Change(ModuleSettings),
    /// One that runs no longer.
    Stop {
        /// Its name.
        name: String,
    },
    /// The denominator of shares.
    Share {
        /// `capacity` or `active`.
        share: String,
    },
}

/// Settings of a sensor or formula that an order starts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModuleSettings {
    /// Its name.
    pub name: String,
    /// Watts of `design-power`.
    pub tdp: Option<f64>,
    /// Voltages of `design-power`.
    pub voltages: Option<String>,
    /// The table of `soc-table`.
    pub soc: Option<PathBuf>,
    /// Modes of `network-modes`.
    pub network: Vec<String>,
    /// Processes of `threads`.
    pub pid: Vec<u32>,
}

impl Order {
    /// Whether the order changes what is measured.
    pub fn is_change(&self) -> bool {
        *self != Order::List
    }

    /// Carries out the order and returns a sentence on what was done.
    ///
    /// # Errors
    /// Why nothing was done, with a remedy.
    pub fn obey(&self, modules: &mut RunningModules, host: &dyn Host) -> Result<String, Failure> {
        match self {
            Order::List => Ok(listed(modules)),
            Order::Start(settings) if runs(modules, &settings.name) => Err(refused(format!(
                "{} runs already; `change` gives it other settings",
                settings.name
            ))),
            Order::Change(settings) if !runs(modules, &settings.name) => {
                Err(refused(format!("{} does not run; `start` starts it", settings.name)))
            }
            Order::Start(settings) => settings.start(modules, host, "started"),
            Order::Change(settings) => settings.start(modules, host, "changed"),
            Order::Stop { name } => stop(modules, name),
            Order::Share { share } => {
                modules.share = match share.as_str() {
                    "active" => ShareDenominator::Active,
                    "capacity" => ShareDenominator::Capacity,
                    other => {
                        let text = format!("there is no share of {other}: capacity or active");
                        return Err(refused(text));
                    }
                };
                Ok(format!("shares are parts of {share} time"))
            }
        }
    }
}

fn refused(why: String) -> Failure {
    Failure::Usage(why)
}

fn runs(modules: &RunningModules, name: &str) -> bool {
    let (sensors, formulas) = modules.running();
    sensors.contains(&name) || formulas.contains(&name)
}

fn listed(modules: &RunningModules) -> String {
    let (sensors, _) = modules.running();
    let formulas = modules.formulas().map(|formula| {
        let (part, basis) = (formula.part().name(), formula.basis().name());
        format!("formula {} ({part}, {basis}): {}", formula.name(), formula.describe())
    });
    let sensors = sensors.iter().map(|name| format!("sensor {name}"));
    let share = format!("share {}", modules.share.name());
    formulas.chain(sensors).chain([share]).collect::<Vec<_>>().join("\n")
}

fn stop(modules: &mut RunningModules, name: &str) -> Result<String, Failure> {
    if modules.stop(name) {
        return Ok(format!("stopped formula {name}"));
    }
    if modules.stop_sensor(name) {
        return Ok(format!("stopped sensor {name}; formulas that need it have no figure"));
    }
    let (sensors, formulas) = modules.running();
    let running: Vec<&str> = formulas.into_iter().chain(sensors).collect();
    Err(refused(format!("{name} does not run; there are {}", running.join(", "))))
}

impl ModuleSettings {
    fn start(
        &self,
        modules: &mut RunningModules,
        host: &dyn Host,
        done: &str,
    ) -> Result<String, Failure> {
        self.check()?;
        let name = self.name.as_str();
        let formula: Box<dyn EnergyFormula> = match name {
            "design-power" => Box::new(design_power(self.tdp, self.voltages.as_deref())?),
            "soc-table" => {
                let path = self.soc.as_deref();
                let path = path.ok_or_else(|| refused("soc-table: give --soc FILE".into()))?;
                Box::new(soc_power(path)?)
            }
            "network-modes" => {
                if self.network.is_empty() {
                    let text = "network-modes: give --network INTERFACE:MBPS=WATTS";
                    return Err(refused(text.into()));
                }
                let modes = self.network.iter().map(|text| parse_modes(text));
                let modes = modes.collect::<Result<_, _>>().map_err(refused)?;
                modules.start_sensor(Box::new(Network));
                Box::new(NetworkModes(modes))
            }
            "threads" => {
                if self.pid.is_empty() {
                    return Err(refused("threads: give --pid-of PID".into()));
                }
                modules.start_sensor(Box::new(Threads { of: self.pid.clone() }));
                return Ok(format!("{done} sensor threads"));
            }
            name if is_live_meter(name) => {
                let found = wanted(name, false, host, &mut Vec::new())?;
                let Some((meter, rails)) = found else {
                    return Err(refused(format!("{name} is no meter")));
                };
                modules.start_sensor(Box::new(MeterReading { meter }));
                Box::new(Metered { meter, rails })
            }
            name => {
                let known = "design-power, soc-table, network-modes, a meter such as rapl; \
                             processes, threads, cpufreq, network, users, cgroups";
                let found = sensor(name);
                let sensor = found.ok_or_else(|| {
                    refused(format!("there is no module {name}; there are {known}"))
                })?;
                modules.start_sensor(sensor);
                return Ok(format!("{done} sensor {name}"));
            }
        };
        let part = formula.part();
        let replaced =
            modules.formulas().find(|other| other.part() == part && other.name() != name);
        let replaced = replaced.map(|other| format!(" in place of {}", other.name()));
        let about = formula.describe();
        modules.start(formula);
        Ok(format!("{done} formula {name}{}: {about}", replaced.unwrap_or_default()))
    }

    /// Settings of another module are a mistake.
    fn check(&self) -> Result<(), Failure> {
        let given = [
            (self.tdp.is_some(), "--tdp", "design-power"),
            (self.voltages.is_some(), "--voltages", "design-power"),
            (self.soc.is_some(), "--soc", "soc-table"),
            (!self.network.is_empty(), "--network", "network-modes"),
            (!self.pid.is_empty(), "--pid-of", "threads"),
        ];
        let other = given.iter().find(|(is_given, _, of)| *is_given && *of != self.name);
        match other {
            Some((_, flag, of)) => {
                Err(refused(format!("{flag} is a setting of {of}, not of {}", self.name)))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribution::monitor::machine::ThisMachine;

    fn settings(name: &str) -> ModuleSettings {
        ModuleSettings { name: name.into(), ..ModuleSettings::default() }
    }

    #[test]
    fn modules_are_listed_started_changed_and_stopped() {
        let host = ThisMachine::open().unwrap();
        let mut modules = RunningModules::default();
        let mut obey = |order: Order| order.obey(&mut modules, &host).map_err(|e| e.to_string());
        let design = ModuleSettings { tdp: Some(65.0), ..settings("design-power") };
        assert!(obey(Order::Change(design.clone())).unwrap_err().contains("does not run"));
        assert!(obey(Order::Start(design.clone())).unwrap().starts_with("started formula design"));
        assert!(obey(Order::Start(design)).unwrap_err().contains("runs already"));
        let listed = obey(Order::List).unwrap();
        assert!(
            listed.contains("formula design-power (cpu, estimated): ") && listed.contains("65")
        );
        assert!(listed.contains("sensor processes") && listed.ends_with("share capacity"));
        let less = ModuleSettings { tdp: Some(45.0), ..settings("design-power") };
        assert!(obey(Order::Change(less)).unwrap().contains("45"));
        let modes =
            ModuleSettings { network: vec!["lo:1000=1".into()], ..settings("network-modes") };
        obey(Order::Start(modes)).unwrap();
        obey(Order::Start(settings("users"))).unwrap();
        obey(Order::Stop { name: "network-modes".into() }).unwrap();
        let listed = obey(Order::List).unwrap();
        assert!(listed.contains("sensor users") && !listed.contains("network"), "{listed}");
        obey(Order::Share { share: "active".into() }).unwrap();
        assert!(obey(Order::List).unwrap().ends_with("share active"));
    }

    #[test]
    fn mistakes_change_nothing_and_are_told_with_a_remedy() {
        let host = ThisMachine::open().unwrap();
        let mut modules = RunningModules::default();
        let mut refusal = |order: Order| order.obey(&mut modules, &host).unwrap_err().to_string();
        let wrong = ModuleSettings { soc: Some("x".into()), ..settings("design-power") };
        assert!(refusal(Order::Start(wrong)).contains("--soc is a setting of soc-table"));
        assert!(refusal(Order::Start(settings("nothing"))).contains("there is no module nothing"));
        assert!(refusal(Order::Start(settings("threads"))).contains("--pid-of"));
        assert!(refusal(Order::Start(settings("network-modes"))).contains("--network"));
        assert!(refusal(Order::Stop { name: "x".into() }).contains("x does not run"));
        assert!(refusal(Order::Share { share: "x".into() }).contains("capacity or active"));
        assert_eq!(modules.running(), (vec![], vec![]));
    }

    #[test]
    fn orders_read_back() {
        for order in [
            Order::List,
            Order::Start(ModuleSettings { tdp: Some(1.5), ..settings("design-power") }),
            Order::Stop { name: "x".into() },
        ] {
            let text = serde_json::to_string(&order).unwrap();
            assert_eq!(serde_json::from_str::<Order>(&text).unwrap(), order);
        }
    }
}
