//! Power of a chip's cores by a table of watts per frequency and cluster: each core's busy
//! time at its clock's mean power.

use super::super::equations::mean_power_w;
use super::super::facts::{HostFacts, Policy, TICKS_PER_S};
use super::{
    Covers, EnergyFormula, FormulaError, MachinePart, PartEnergy, SocTable, passed, state_times,
};
use wattline_units::power::FigureBasis;

/// Formula of a chip's power by the table of its cores' power.
#[derive(Debug, Clone, PartialEq)]
pub struct SocPower {
    /// Where it comes from, for reports.
    pub source: String,
    /// The table.
    pub table: SocTable,
}

impl SocPower {
    fn missing(&self, problem: String) -> FormulaError {
        FormulaError { formula: self.name(), problem }
    }

    /// Watts of a busy core of a clock.
    fn core_w(&self, before: &Policy, after: &Policy) -> Result<f64, FormulaError> {
        let cluster = self.table.cluster_of(&after.cores).ok_or_else(|| {
            self.missing(format!("{} has no cluster with cores {:?}", self.source, after.cores))
        })?;
        let mut powers = Vec::new();
        for (khz, time) in state_times(before, after) {
            if time > 0.0 {
                let watts = self.table.watts(cluster, khz).ok_or_else(|| {
                    self.missing(format!("{} has no power for {khz} kHz", self.source))
                })?;
                powers.push((watts, time));
            }
        }
        mean_power_w(&powers).ok_or_else(|| self.missing("the clock's states stood still".into()))
    }
}

impl EnergyFormula for SocPower {
    fn name(&self) -> &'static str {
        "soc-table"
    }

    fn part(&self) -> MachinePart {
        MachinePart::Cpu
    }

    fn basis(&self) -> FigureBasis {
        FigureBasis::Estimated
    }

    fn describe(&self) -> String {
        format!(
            "model, no measurement of this device: {} (watts per frequency and cluster) x busy \
             time, idle power not in it",
            self.source
        )
    }

    fn needs(&self) -> &'static [&'static str] {
        &["processes", "cpufreq"]
    }

    fn energy(&self, before: &HostFacts, after: &HostFacts) -> Result<PartEnergy, FormulaError> {
        let mut joules = 0.0;
        for (number, now) in &after.policies {
            let Some(then) = before.policies.get(number) else { continue };
            let times = now
                .cores
                .iter()
                .filter_map(|core| passed(*before.cores.get(core)?, *after.cores.get(core)?));
            let busy: u64 = times.map(|times| times.busy).sum();
            if busy > 0 {
                joules += self.core_w(then, now)? * busy as f64 / TICKS_PER_S;
            }
        }
        if after.policies.is_empty() || after.cores.is_empty() {
            return Err(self.missing("frequencies or core times are missing".into()));
        }
        Ok(PartEnergy { joules, covers: Covers::BusyTime, bytes: None, remarks: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::facts::CoreTimes;
    use super::super::parse_soc;
    use super::*;

    fn facts(busy: [u64; 2], states: [f64; 2]) -> HostFacts {
        let core = |busy| CoreTimes { busy, idle: 0 };
        let states_s = [300_000, 500_000].into_iter().zip(states).collect();
        HostFacts {
            cores: [(0, core(busy[0])), (1, core(busy[1]))].into(),
            policies: [(0, Policy { cores: vec![0, 1], states_s })].into(),
            ..HostFacts::default()
        }
    }

    /// A quarter at 40 mW, the rest at 80 mW: 70 mW for 1.5 s of two cores' work.
    #[test]
    fn busy_time_at_the_clocks_mean_power() {
        let text = "CPU,Frequency (kHz),Power (mW)\n1,300000,40\n1,500000,80\n";
        let formula = SocPower { source: "x".into(), table: parse_soc(text).unwrap() };
        let energy = formula.energy(&facts([0, 0], [0.0, 0.0]), &facts([50, 100], [0.5, 1.5]));
        assert!((energy.unwrap().joules - 0.07 * 1.5).abs() < 1e-12);
        let still = formula.energy(&facts([0, 0], [1.0, 1.0]), &facts([50, 100], [1.0, 1.0]));
        assert!(still.unwrap_err().to_string().contains("stood still"));
        let nothing = formula.energy(&HostFacts::default(), &HostFacts::default());
        assert!(nothing.unwrap_err().to_string().contains("missing"));
    }

    #[test]
    fn a_frequency_outside_the_table_has_no_power() {
        let table = parse_soc("CPU,Frequency (kHz),Power (mW)\n1,300000,40\n").unwrap();
        let formula = SocPower { source: "x".into(), table };
        let energy = formula.energy(&facts([0, 0], [0.0, 0.0]), &facts([9, 9], [0.0, 1.0]));
        assert!(energy.unwrap_err().to_string().contains("500000 kHz"));
    }
}
