//! Measured energy: two readings of a meter.

use super::super::facts::HostFacts;
use super::{Covers, EnergyFormula, FormulaError, MachinePart, PartEnergy};
use wattline_units::power::FigureBasis;
use wattline_units::power::Meter;

/// Formula that takes the energy of a meter's rails.
#[derive(Debug)]
pub struct Metered {
    /// Which.
    pub meter: &'static dyn Meter,
    /// The rails that are added up.
    pub rails: Vec<String>,
}

impl EnergyFormula for Metered {
    fn name(&self) -> &'static str {
        self.meter.name()
    }

    fn part(&self) -> MachinePart {
        MachinePart::Cpu
    }

    fn basis(&self) -> FigureBasis {
        FigureBasis::Measured
    }

    fn describe(&self) -> String {
        format!(
            "{} ({}); all of it is shared by CPU time",
            self.meter.measures(),
            self.rails.join(", ")
        )
    }

    fn needs(&self) -> &'static [&'static str] {
        &["processes", "meter"]
    }

    fn energy(&self, before: &HostFacts, after: &HostFacts) -> Result<PartEnergy, FormulaError> {
        let failed = |problem: String| FormulaError { formula: self.name(), problem };
        let (Some(first), Some(last)) = (&before.meter, &after.meter) else {
            return Err(failed("the meter has said nothing".into()));
        };
        let text = format!(
            "# wattline-readings 1 meter={}\n@ {}\n{}\n@ {}\n{}\n",
            self.meter.name(),
            before.uptime_s,
            first.trim_end(),
            after.uptime_s,
            last.trim_end()
        );
        let trace = self.meter.trace(&text).map_err(|error| failed(error.to_string()))?;
        let series = trace.series(&self.rails).map_err(|error| failed(error.to_string()))?;
        // A counter's second power is that of the time between the readings; a meter of the
        // moment gives one at each end.
        let powers = series.power_w;
        let (Some(first), Some(last)) = (powers.first(), powers.last()) else {
            return Err(failed("the readings hold no power".into()));
        };
        if powers.len() < 2 {
            return Err(failed("one of the readings holds no power".into()));
        }
        let joules = (first + last) / 2.0 * (after.uptime_s - before.uptime_s);
        Ok(PartEnergy { joules, covers: Covers::Everything, bytes: None, remarks: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wattline_units::power::meter::Rapl;

    fn facts(uptime_s: f64, microjoules: u64) -> HostFacts {
        let meter = Some(format!("intel-rapl:0 package-0 262143328850 {microjoules}\n"));
        HostFacts { uptime_s, meter, ..HostFacts::default() }
    }

    #[test]
    fn energy_is_the_difference_also_over_a_wrap() {
        let formula = Metered { meter: &Rapl, rails: vec!["package-0".into()] };
        let energy = formula.energy(&facts(5.0, 1_000_000), &facts(7.5, 31_000_000)).unwrap();
        assert!((energy.joules - 30.0).abs() < 1e-9);
        let wrapped = formula.energy(&facts(5.0, 262_143_328_849), &facts(6.0, 4_999_998)).unwrap();
        assert!((wrapped.joules - 5.0).abs() < 1e-5, "{wrapped:?}");
        let silent = formula.energy(&facts(5.0, 1), &HostFacts::default()).unwrap_err();
        assert!(silent.to_string().contains("said nothing"));
    }
}
