//! Power of a busy processor from its design power: `c f V^2` averaged over the states of
//! its clock where frequencies and voltages are known, else the constant 0.7 TDP.

use wattline_units::assumptions::ASSUMED;
use wattline_units::power::FigureBasis;
use wattline_units::power::meter::full_load_w;

use super::super::equations::{capacitance, dynamic_power_w, mean_power_w};
use super::super::facts::{HostFacts, TICKS_PER_S};
use super::{Covers, EnergyFormula, FormulaError, MachinePart, PartEnergy, passed, state_times};

/// Voltages by frequency in kHz.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VoltageTable(Vec<(u64, f64)>);

impl VoltageTable {
    /// Returns the volts at a frequency: those of the table, or interpolated between its
    /// neighbours.
    pub fn volts(&self, khz: u64) -> Option<f64> {
        let above = self.0.iter().position(|(known, _)| *known >= khz)?;
        let (high_khz, high_v) = self.0[above];
        if high_khz == khz {
            return Some(high_v);
        }
        let (low_khz, low_v) = *self.0.get(above.checked_sub(1)?)?;
        let part = (khz - low_khz) as f64 / (high_khz - low_khz) as f64;
        Some(low_v + part * (high_v - low_v))
    }

    /// Returns the highest frequency (kHz) and its voltage, to which the design power refers.
    pub fn highest(&self) -> Option<(u64, f64)> {
        self.0.last().copied()
    }
}

/// Parses `KHZ=VOLTS,KHZ=VOLTS`, or lines of `frequency_khz,volts`.
pub fn parse_voltages(text: &str) -> Result<VoltageTable, String> {
    let mut table = Vec::new();
    for item in text.split(['\n', ' ', ';']).flat_map(items) {
        let (khz, volts) = item.split_once(['=', ',']).unwrap_or((item.as_str(), ""));
        if khz.trim() == "frequency_khz" || khz.trim().is_empty() {
            continue;
        }
        let (khz, volts) = (khz.trim().parse::<u64>(), volts.trim().parse::<f64>());
        match (khz, volts) {
            (Ok(khz), Ok(volts)) if khz > 0 && (0.1..20.0).contains(&volts) => {
                table.push((khz, volts));
            }
            _ => return Err(format!("`{item}` is not a frequency in kHz and its volts")),
        }
    }
    table.sort_by_key(|(khz, _)| *khz);
    if table.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err("a frequency has two voltages".into());
    }
    if table.is_empty() {
        return Err("no voltages".into());
    }
    Ok(VoltageTable(table))
}

/// The pairs of a line: separated by commas where each has its `=`.
fn items(line: &str) -> Vec<String> {
    if line.contains('=') {
        line.split(',').map(str::to_string).collect()
    } else {
        vec![line.to_string()]
    }
}

/// Formula of a processor's power by its design power, and its voltages where known.
#[derive(Debug, Clone, PartialEq)]
pub struct DesignPower {
    /// Watts of all cores together.
    pub tdp_w: f64,
    /// Voltages of its clock; without them the power of a busy processor is a constant.
    pub voltages: Option<VoltageTable>,
}

impl DesignPower {
    /// Watts of all cores when busy, by the states of one clock.
    fn clock_w(&self, states: &[(u64, f64)]) -> Option<f64> {
        let table = self.voltages.as_ref()?;
        let (khz, volts) = table.highest()?;
        let c = capacitance(self.tdp_w, khz as f64, volts);
        let powers = states
            .iter()
            .filter(|(_, time)| *time > 0.0)
            .map(|(khz, time)| Some((dynamic_power_w(c, *khz as f64, table.volts(*khz)?), *time)));
        mean_power_w(&powers.collect::<Option<Vec<_>>>()?)
    }

    /// Watts of all cores when busy, and what to know about them.
    fn busy_w(&self, before: &HostFacts, after: &HostFacts) -> (f64, Option<String>) {
        let constant = full_load_w(self.tdp_w, &ASSUMED);
        if self.voltages.is_none() {
            let without = "no voltages are known, so a busy processor draws 0.7 TDP at any \
                           frequency; `--voltages` has them";
            return (constant, Some(without.into()));
        }
        let clocks = after.policies.iter().filter_map(|(number, now)| {
            let states = state_times(before.policies.get(number)?, now);
            Some((self.clock_w(&states)?, now.cores.len() as f64))
        });
        // Each clock by the number of its cores.
        match mean_power_w(&clocks.collect::<Vec<_>>()) {
            Some(watts) => (watts, None),
            None => {
                let why = "the clock's states are not known here, or have no voltage in the \
                           table: the highest one is taken";
                (constant, Some(why.into()))
            }
        }
    }
}

impl EnergyFormula for DesignPower {
    fn name(&self) -> &'static str {
        "design-power"
    }

    fn part(&self) -> MachinePart {
        MachinePart::Cpu
    }

    fn basis(&self) -> FigureBasis {
        FigureBasis::Estimated
    }

    fn describe(&self) -> String {
        let law = match self.voltages {
            Some(_) => "c f V^2 with c = 0.7 TDP/(f V^2), mean over the clock's states",
            None => "0.7 TDP",
        };
        format!("software model, no measurement: {law}, TDP {} W, idle power not in it", self.tdp_w)
    }

    fn needs(&self) -> &'static [&'static str] {
        &["processes"]
    }

    fn also_uses(&self) -> &'static [&'static str] {
        if self.voltages.is_some() { &["cpufreq"] } else { &[] }
    }

    fn energy(&self, before: &HostFacts, after: &HostFacts) -> Result<PartEnergy, FormulaError> {
        let times = before.processor.zip(after.processor);
        let times = times.and_then(|(before, after)| passed(before, after));
        let missing = || FormulaError {
            formula: self.name(),
            problem: "the processor's times are missing, or went back".into(),
        };
        let times = times.ok_or_else(missing)?;
        let cores = after.cores.len().max(1) as f64;
        let (watts, remark) = self.busy_w(before, after);
        let busy_s = times.busy as f64 / TICKS_PER_S;
        let remarks = remark.into_iter().collect();
        Ok(PartEnergy {
            joules: watts / cores * busy_s,
            covers: Covers::BusyTime,
            bytes: None,
            remarks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::{CoreTimes, Policy};
    use super::*;

    fn voltages() -> VoltageTable {
        parse_voltages("frequency_khz,volts\n1800002,1.31\n2100002,1.41\n2400003,1.5\n").unwrap()
    }

    fn facts(busy: u64, idle: u64, states: [f64; 3]) -> HostFacts {
        let times = CoreTimes { busy, idle };
        let states_s = [1_800_002, 2_100_002, 2_400_003].into_iter().zip(states).collect();
        HostFacts {
            processor: Some(times),
            cores: [(0, times)].into(),
            policies: [(0, Policy { cores: vec![0], states_s })].into(),
            ..HostFacts::default()
        }
    }

    /// The seeds' figures through the whole formula: half busy for 6 s at 62.69958 W.
    #[test]
    fn states_by_time_and_busy_time() {
        let formula = DesignPower { tdp_w: 105.0, voltages: Some(voltages()) };
        let (before, after) = (facts(100, 0, [0.0; 3]), facts(400, 300, [1.0, 2.0, 3.0]));
        let energy = formula.energy(&before, &after).unwrap();
        assert!((energy.joules / 6.0 - 31.34979).abs() < 5e-6, "{energy:?}");
        assert!(energy.remarks.is_empty());
    }

    #[test]
    fn without_states_it_is_the_design_power_and_says_so() {
        let formula = DesignPower { tdp_w: 100.0, voltages: Some(voltages()) };
        let energy = formula.energy(&facts(0, 0, [0.0; 3]), &facts(100, 0, [0.0; 3])).unwrap();
        assert!((energy.joules - 70.0).abs() < 1e-9 && energy.remarks.len() == 1);
        let back = formula.energy(&facts(5, 0, [0.0; 3]), &facts(4, 0, [0.0; 3]));
        assert!(back.unwrap_err().to_string().contains("went back"));
    }

    #[test]
    fn voltages_in_both_forms_and_between() {
        let table = parse_voltages("1800002=1.31,2100002=1.41,2400003=1.5").unwrap();
        assert_eq!(table, voltages());
        assert!((table.volts(1_950_002).unwrap() - 1.36).abs() < 1e-9);
        assert_eq!((table.volts(100), table.volts(3_000_000)), (None, None));
        for bad in ["", "x=1", "1=1,1=2", "1000=99"] {
            assert!(parse_voltages(bad).is_err(), "{bad}");
        }
    }
}
