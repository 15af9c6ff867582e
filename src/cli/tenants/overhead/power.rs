//! Mean power of this machine over a while, by the meter that is there: by socket where the meter
//! tells them apart, else by the software model of `monitor`, which is no measurement.

use std::collections::BTreeSet;

use crate::assumptions::ASSUMED;
use crate::attribution::monitor::RunningModules;
use crate::attribution::monitor::facts::HostFacts;
use crate::attribution::monitor::formulas::{DesignPower, EnergyFormula, MachinePart, Metered};
use crate::attribution::monitor::host::Host;
use crate::attribution::monitor::machine::ThisMachine;
use crate::cli::monitor::meters;
use crate::failure::Failure;
use crate::power::{FigureBasis, Meter};

/// Energy by socket that was spent in a time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SpentEnergy {
    pub seconds: f64,
    /// Joules by socket, in the meter's order.
    pub sockets: Vec<(String, f64)>,
}

/// Reader of this machine's energy: a meter or a model.
pub struct PowerReader {
    machine: ThisMachine,
    source: ReaderSource,
    /// What it measures or models, in a sentence.
    pub about: String,
}

enum ReaderSource {
    Meter { meter: &'static dyn Meter, sockets: Vec<Metered>, last: Option<HostFacts> },
    Model(RunningModules),
}

impl PowerReader {
    /// Chooses the requested meter, or the best available one; adds notes on the choice.
    pub fn choose(
        name: &str,
        tdp_w: Option<f64>,
        notes: &mut Vec<String>,
    ) -> Result<Self, Failure> {
        let machine = ThisMachine::open()?;
        let wanted = meters::wanted(name, tdp_w.is_some(), &machine, notes)?;
        let Some((meter, rails)) = wanted else {
            let design =
                DesignPower { tdp_w: tdp_w.unwrap_or(ASSUMED.design_power_w), voltages: None };
            let about = design.describe();
            notes.extend(meters::assumed_power(tdp_w));
            let mut modules = RunningModules::default();
            modules.start(Box::new(design));
            return Ok(Self { machine, source: ReaderSource::Model(modules), about });
        };
        let about = format!("{} ({})", meter.measures(), rails.join(", "));
        let sockets = rails.into_iter().map(|rail| Metered { meter, rails: vec![rail] }).collect();
        Ok(Self { machine, source: ReaderSource::Meter { meter, sockets, last: None }, about })
    }

    /// Returns the meter's name in tables.
    pub fn name(&self) -> &'static str {
        match &self.source {
            ReaderSource::Meter { meter, .. } => meter.name(),
            ReaderSource::Model(_) => "design-power",
        }
    }

    /// Returns whether the figures are measured or modelled.
    pub fn basis(&self) -> FigureBasis {
        match self.source {
            ReaderSource::Meter { .. } => FigureBasis::Measured,
            ReaderSource::Model(_) => FigureBasis::Estimated,
        }
    }

    /// Returns the energy since the last call; the first call returns none.
    pub fn read(&mut self) -> Result<SpentEnergy, Failure> {
        match &mut self.source {
            ReaderSource::Model(modules) => {
                let cycle = modules.cycle(&self.machine)?;
                let Some(cycle) = cycle else { return Ok(SpentEnergy::default()) };
                let seconds = cycle.duration_s();
                match cycle.component(MachinePart::Cpu) {
                    Some(cpu) => Ok(SpentEnergy {
                        seconds,
                        sockets: vec![("cpu".into(), cpu.energy.joules)],
                    }),
                    None => Err(Failure::Board(cycle.remarks.join("; "))),
                }
            }
            ReaderSource::Meter { meter, sockets, last } => {
                let answer = self.machine.ask(meter.question())?;
                meter.offer(&answer).map_err(|error| Failure::Board(error.to_string()))?;
                // The clock after the answer, as the counters are read at its end.
                let uptime_s = self.machine.snapshot(&BTreeSet::new())?.uptime_s;
                let now = HostFacts { uptime_s, meter: Some(answer), ..HostFacts::default() };
                let Some(before) = last.replace(now.clone()) else {
                    return Ok(SpentEnergy::default());
                };
                let spent = sockets.iter().map(|socket| {
                    let energy = socket.energy(&before, &now);
                    let energy = energy.map_err(|error| Failure::Board(error.to_string()))?;
                    Ok((socket.rails.join("+"), energy.joules))
                });
                let sockets = spent.collect::<Result<_, Failure>>()?;
                Ok(SpentEnergy { seconds: now.uptime_s - before.uptime_s, sockets })
            }
        }
    }
}

impl SpentEnergy {
    /// Adds the energy and time of a later interval.
    pub fn add(&mut self, more: SpentEnergy) {
        self.seconds += more.seconds;
        for (name, joules) in more.sockets {
            match self.sockets.iter_mut().find(|(own, _)| *own == name) {
                Some((_, sum)) => *sum += joules,
                None => self.sockets.push((name, joules)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energies_add_up_by_socket() {
        let of = |a: f64, b: f64| SpentEnergy {
            seconds: 1.5,
            sockets: vec![("package-0".into(), a), ("package-1".into(), b)],
        };
        let mut spent = SpentEnergy::default();
        spent.add(of(3.0, 6.0));
        spent.add(of(6.0, 3.0));
        assert_eq!(spent.sockets, [("package-0".into(), 9.0), ("package-1".into(), 9.0)]);
        assert_eq!(spent.seconds, 3.0);
    }
}
