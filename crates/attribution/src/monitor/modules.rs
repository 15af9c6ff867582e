//! The life of power modules: sensors and formulas that start, stop and change while the
//! monitor runs. One that fails says so, in each cycle's remarks, and the rest goes on.

use std::collections::{BTreeMap, BTreeSet};

use super::cycle::{ComponentEnergy, Cycle, ShareDenominator, cycle};
use super::facts::HostFacts;
use super::formulas::EnergyFormula;
use super::host::{Host, HostError, HostSnapshot};
use super::sensors::{Sensor, sensor};

/// Sensors and formulas that run at present.
#[derive(Debug, Default)]
pub struct RunningModules {
    sensors: BTreeMap<&'static str, Box<dyn Sensor>>,
    formulas: BTreeMap<&'static str, Box<dyn EnergyFormula>>,
    /// What the processor's energy is shared by.
    pub share: ShareDenominator,
    last: Option<HostFacts>,
    /// The sensors that the last reading is of.
    read: BTreeSet<&'static str>,
}

impl RunningModules {
    /// Starts a sensor, or changes its settings if it runs.
    pub fn start_sensor(&mut self, sensor: Box<dyn Sensor>) {
        // What it has read with other settings begins no cycle.
        self.read.remove(sensor.name());
        self.sensors.insert(sensor.name(), sensor);
    }

    /// Stops a sensor; formulas that need it then have no figure. False if it did not run.
    pub fn stop_sensor(&mut self, name: &str) -> bool {
        self.sensors.remove(name).is_some()
    }

    /// Starts a formula and the sensors it needs, or changes its settings if it runs. It
    /// takes the place of another one for the same part of the machine.
    pub fn start(&mut self, formula: Box<dyn EnergyFormula>) {
        self.formulas.retain(|_, other| other.part() != formula.part());
        for name in formula.needs().iter().chain(formula.also_uses()) {
            if let Some(needed) = sensor(name).filter(|_| !self.sensors.contains_key(name)) {
                self.start_sensor(needed);
            }
        }
        self.formulas.insert(formula.name(), formula);
    }

    /// Stops a formula, and the sensors that no other formula needs; false if it did not run.
    pub fn stop(&mut self, name: &str) -> bool {
        let Some(stopped) = self.formulas.remove(name) else { return false };
        let still_used = |sensor: &str| self.formulas.values().any(|f| uses(f.as_ref(), sensor));
        let unused: Vec<&str> = stopped
            .needs()
            .iter()
            .chain(stopped.also_uses())
            .copied()
            .filter(|sensor| *sensor != "processes" && !still_used(sensor))
            .collect();
        for sensor in unused {
            self.stop_sensor(sensor);
        }
        true
    }

    /// Returns the names of the running sensors and formulas.
    pub fn running(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        (self.sensors.keys().copied().collect(), self.formulas.keys().copied().collect())
    }

    /// Returns the running formulas.
    pub fn formulas(&self) -> impl Iterator<Item = &dyn EnergyFormula> {
        self.formulas.values().map(AsRef::as_ref)
    }

    /// Reads all sensors, and returns the cycle since the last reading; nothing the first time,
    /// after a gap in which the clock stood still or went back, or when the machine was started
    /// anew.
    ///
    /// # Errors
    /// If the machine can't be read at all.
    pub fn cycle(&mut self, host: &dyn Host) -> Result<Option<Cycle>, HostError> {
        let patterns: BTreeSet<String> =
            self.sensors.values().flat_map(|sensor| sensor.patterns()).collect();
        let snapshot = host.snapshot(&patterns)?;
        let (facts, remarks) = self.read(host, &snapshot)?;
        let before = self.last.replace(facts);
        self.read = self.sensors.keys().copied().collect();
        let (Some(before), Some(after)) = (before, self.last.as_ref()) else { return Ok(None) };
        if after.uptime_s <= before.uptime_s {
            return Ok(None);
        }
        let mut components = Vec::new();
        let mut remarks = remarks;
        for formula in self.formulas.values() {
            match formula.energy(&before, after) {
                Ok(energy) => {
                    remarks.extend(energy.remarks.clone());
                    components.push(ComponentEnergy::new(formula.as_ref(), energy));
                }
                Err(error) => remarks.push(error.to_string()),
            }
        }
        Ok(Some(cycle(&before, after, components, self.share, remarks)))
    }

    /// Reads the sensors that were started since the last cycle, so that the next one begins with
    /// what they say: no cycle is lost to a change. What they can't read is returned, in
    /// sentences.
    ///
    /// # Errors
    /// If the machine can't be read at all.
    pub fn read_started(&mut self, host: &dyn Host) -> Result<Vec<String>, HostError> {
        let Some(last) = &mut self.last else { return Ok(Vec::new()) };
        let started = || self.sensors.values().filter(|sensor| !self.read.contains(sensor.name()));
        let patterns: BTreeSet<String> = started().flat_map(|sensor| sensor.patterns()).collect();
        let snapshot = host.snapshot(&patterns)?;
        let mut remarks = Vec::new();
        for sensor in started() {
            let answer = sensor.question().map(|question| host.ask(question)).transpose()?;
            if let Err(error) = sensor.read(&snapshot, answer.as_deref(), last) {
                remarks.push(error.to_string());
            }
        }
        self.read = self.sensors.keys().copied().collect();
        Ok(remarks)
    }

    fn read(
        &self,
        host: &dyn Host,
        snapshot: &HostSnapshot,
    ) -> Result<(HostFacts, Vec<String>), HostError> {
        let mut facts = HostFacts { uptime_s: snapshot.uptime_s, ..HostFacts::default() };
        let mut remarks = Vec::new();
        for sensor in self.sensors.values() {
            let answer = sensor.question().map(|question| host.ask(question)).transpose()?;
            if let Err(error) = sensor.read(snapshot, answer.as_deref(), &mut facts) {
                remarks.push(error.to_string());
            }
        }
        Ok((facts, remarks))
    }
}

fn uses(formula: &dyn EnergyFormula, sensor: &str) -> bool {
    formula.needs().contains(&sensor) || formula.also_uses().contains(&sensor)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::formulas::{DesignPower, NetworkModes, parse_modes};
    use super::super::sensors::ProcessTimes;
    use super::*;

    /// A machine with a core that is busy half of the time, by one process.
    struct Scripted {
        uptime_s: Cell<f64>,
    }

    impl Host for Scripted {
        fn name(&self) -> String {
            "scripted".into()
        }

        fn snapshot(&self, patterns: &BTreeSet<String>) -> Result<HostSnapshot, HostError> {
            let mut snapshot = HostSnapshot::at(self.uptime_s.get());
            let ticks = (50.0 * snapshot.uptime_s) as u64;
            if patterns.contains("/proc/stat") {
                let line = format!("{ticks} 0 0 {ticks}");
                snapshot.put("/proc/stat", Ok(format!("cpu {line}\ncpu0 {line}\n")));
                let process = format!("7 (a) R 0 0 0 0 0 0 0 0 0 0 {ticks} 0 0 0 0 0 0 0 1 0");
                snapshot.put("/proc/7/stat", Ok(process));
            }
            Ok(snapshot)
        }

        fn ask(&self, _: &str) -> Result<String, HostError> {
            Ok(String::new())
        }
    }

    #[test]
    fn modules_start_stop_and_change_while_it_runs() {
        let host = Scripted { uptime_s: Cell::new(10.0) };
        let later = |modules: &mut RunningModules| {
            host.uptime_s.set(host.uptime_s.get() + 1.0);
            modules.cycle(&host).unwrap()
        };
        let mut modules = RunningModules::default();
        modules.start(Box::new(DesignPower { tdp_w: 100.0, voltages: None }));
        assert_eq!(modules.running(), (vec!["processes"], vec!["design-power"]));
        assert!(modules.cycle(&host).unwrap().is_none(), "one reading is no cycle");
        let cycle = later(&mut modules).unwrap();
        assert!((cycle.components[0].energy.joules - 35.0).abs() < 1e-9);
        assert!((cycle.processes[0].cpu_j - 35.0).abs() < 1e-9);

        // changed: half the design power
        modules.start(Box::new(DesignPower { tdp_w: 50.0, voltages: None }));
        assert!((later(&mut modules).unwrap().components[0].energy.joules - 17.5).abs() < 1e-9);

        // a second module that can't do its work does not disturb the first
        modules.start(Box::new(NetworkModes([parse_modes("eth0:1000=1").unwrap()].into())));
        assert_eq!(modules.running().0, ["network", "processes"]);
        let cycle = later(&mut modules).unwrap();
        assert_eq!(cycle.components.len(), 1);
        assert!(cycle.remarks.iter().any(|remark| remark.contains("eth0")), "{:?}", cycle.remarks);

        // a stopped sensor leaves its formula without a figure; started again, it goes on
        assert!(modules.stop_sensor("processes"));
        later(&mut modules);
        let cycle = later(&mut modules).unwrap();
        assert!(cycle.components.is_empty() && cycle.processes.is_empty());
        modules.start_sensor(Box::new(ProcessTimes));
        later(&mut modules);
        assert_eq!(later(&mut modules).unwrap().components.len(), 1);

        assert!(modules.stop("network-modes") && !modules.stop("network-modes"));
        assert_eq!(modules.running(), (vec!["processes"], vec!["design-power"]));
    }

    /// A formula that is started between two cycles has a figure for the next one.
    #[test]
    fn no_cycle_is_lost_to_a_change() {
        let host = Scripted { uptime_s: Cell::new(10.0) };
        let mut modules = RunningModules::default();
        assert!(modules.read_started(&host).unwrap().is_empty(), "nothing was read yet");
        modules.cycle(&host).unwrap();
        modules.start(Box::new(DesignPower { tdp_w: 100.0, voltages: None }));
        assert!(modules.read_started(&host).unwrap().is_empty());
        host.uptime_s.set(12.0);
        let cycle = modules.cycle(&host).unwrap().unwrap();
        assert!((cycle.components[0].energy.joules - 70.0).abs() < 1e-9, "{cycle:?}");
        modules.start(Box::new(NetworkModes([parse_modes("eth0:1000=1").unwrap()].into())));
        let remarks = modules.read_started(&host).unwrap();
        assert!(remarks.iter().any(|remark| remark.contains("network")), "{remarks:?}");
    }

    #[test]
    fn a_clock_that_stands_still_gives_no_cycle() {
        let host = Scripted { uptime_s: Cell::new(10.0) };
        let mut modules = RunningModules::default();
        modules.start(Box::new(DesignPower { tdp_w: 100.0, voltages: None }));
        for time in [10.0, 10.0, 5.0] {
            host.uptime_s.set(time);
            assert!(modules.cycle(&host).unwrap().is_none(), "{time}");
        }
        host.uptime_s.set(6.0);
        assert!(modules.cycle(&host).unwrap().is_some());
    }
}
