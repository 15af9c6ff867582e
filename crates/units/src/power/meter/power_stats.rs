//! Android's power statistics service, which needs no root: accumulated energy per rail
//! in milliwatt seconds, by `dumpsys`. Its figures pass through a 32-bit float, so that
//! their resolution falls with the time since boot: 2^-24 of the value.

use super::super::counter::MeterCounter;
use super::super::trace::PowerTrace;
use super::counters::{self, CounterRail, UnmovedCounter};
use super::error::MeterError;
use super::kind::{Meter, MeterOffer};
use super::readings::{shell_refusal, split_readings};

/// Meter of the table `energy meter` of `android.hardware.power.stats.IPowerStats/default`.
#[derive(Debug)]
pub struct PowerStats;

/// Hundredths of a milliwatt second, the resolution of the printed figures.
const COUNTER: MeterCounter = MeterCounter { joules_per_count: 1e-5, modulus: None };

/// Reads the rows of the table: rail (with its subsystem) and hundredths of a milliwatt second.
fn rows(lines: &[&str]) -> Vec<(String, u64)> {
    let begin = lines.iter().position(|line| line.contains("energy meter ====="));
    let table = begin.map_or(&[][..], |at| &lines[at + 1..]);
    table.iter().take_while(|line| !line.starts_with("====")).filter_map(|line| row(line)).collect()
}

/// Reads `[S2M_VDD_CPUCL2]:CPU(BIG)   23901.41 mWs`, perhaps with a difference in brackets.
fn row(line: &str) -> Option<(String, u64)> {
    let (name, rest) = line.trim().strip_prefix('[')?.split_once("]:")?;
    let (before, _) = rest.split_once(" mWs")?;
    let (subsystem, value) = before.trim_end().rsplit_once(' ')?;
    let value: f64 = value.parse().ok()?;
    let counts = (value * 100.0).round();
    (value >= 0.0 && counts < 9e15).then(|| (format!("{name}:{}", subsystem.trim()), counts as u64))
}

impl Meter for PowerStats {
    fn name(&self) -> &'static str {
        "power-stats"
    }

    fn measures(&self) -> &'static str {
        "energy of the chip's rails, accumulated, as Android's service tells it"
    }

    fn usual_refresh_s(&self) -> Option<f64> {
        Some(1.0)
    }

    fn question(&self) -> &'static str {
        "dumpsys android.hardware.power.stats.IPowerStats/default 2>&1"
    }

    fn offer(&self, answer: &str) -> Result<MeterOffer, MeterError> {
        let lines: Vec<&str> = answer.lines().collect();
        let rows = rows(&lines);
        if rows.is_empty() {
            let why =
                shell_refusal(answer).map_or("the service has no energy meter".into(), Into::into);
            return Err(MeterError::NotOffered { meter: self.name(), why });
        }
        let most = rows.iter().map(|(_, counts)| *counts).max().unwrap_or(0);
        let step_j = COUNTER.joules_per_count * most as f64 / f64::from(1u32 << 24);
        let remarks = vec![format!("the largest counter moves in steps of {step_j:.1e} J")];
        let rails: Vec<String> = rows.into_iter().map(|(rail, _)| rail).collect();
        let is_processor = |rail: &&String| rail.contains("_VDD_CPU");
        let default_rails = rails.iter().filter(is_processor).cloned().collect();
        Ok(MeterOffer { rails, default_rails, remarks })
    }

    fn trace(&self, text: &str) -> Result<PowerTrace, MeterError> {
        let readings = split_readings(text);
        let tables: Vec<Vec<(String, u64)>> =
            readings.iter().map(|reading| rows(&reading.lines)).collect();
        let fullest = tables.iter().max_by_key(|table| table.len());
        let names = fullest.into_iter().flatten().map(|(rail, _)| rail.clone());
        let counts = |name: &str| -> Vec<(f64, u64)> {
            let value = |table: &Vec<(String, u64)>| {
                table.iter().find(|(rail, _)| rail == name).map(|(_, counts)| *counts)
            };
            let times = readings.iter().map(|reading| reading.uptime_s);
            times.zip(&tables).filter_map(|(time_s, table)| Some((time_s, value(table)?))).collect()
        };
        let rail = |name: String| {
            let (readings, unmoved) = (counts(&name), UnmovedCounter::Unknown);
            CounterRail { name, counter: COUNTER, readings, unmoved }
        };
        let rails: Vec<CounterRail> = names.map(rail).collect();
        counters::power_trace_of_counters(self.name(), &rails)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The form in which Pixel's service prints it (`PowerStats.cpp`).
    fn dump(cpu_mws: f64) -> String {
        format!(
            "\n============= PowerStats HAL 2.0 energy consumers ==============\n\
             CPUCL0       :       46356.94 mWs\n\
             ========== End of PowerStats HAL 2.0 energy consumers ==========\n\n\
             ============= PowerStats HAL 2.0 energy meter ==============\n  \
             {:>32}   {:>18}\n  {:>32}   {cpu_mws:14.2} mWs\n  {:>32}   {:14.2} mWs\n\
             ========== End of PowerStats HAL 2.0 energy meter ==========\n",
            "Channel",
            "Cumulative Energy",
            "[S2M_VDD_CPUCL2]:CPU(BIG)",
            "[VSYS_PWR_DISPLAY]:Display",
            1_039_108.42
        )
    }

    #[test]
    fn the_table_of_rails_is_read_and_nothing_else() {
        let offer = PowerStats.offer(&dump(30_203.5)).unwrap();
        assert_eq!(offer.rails, ["S2M_VDD_CPUCL2:CPU(BIG)", "VSYS_PWR_DISPLAY:Display"]);
        assert_eq!(offer.default_rails, ["S2M_VDD_CPUCL2:CPU(BIG)"]);
        assert_eq!(offer.remarks, ["the largest counter moves in steps of 6.2e-5 J"]);
        let missing = "Can't find service: android.hardware.power.stats.IPowerStats/default\n";
        let error = PowerStats.offer(missing).unwrap_err();
        assert!(error.to_string().contains("Can't find service"), "{error}");
    }

    #[test]
    fn milliwatt_seconds_become_watts() {
        let text = format!(
            "# wattline-readings 1 meter=power-stats\n@ 5.0\n{}@ 7.0\n{}",
            dump(30_203.5),
            dump(31_203.5)
        );
        let trace = PowerStats.trace(&text).unwrap();
        assert!((trace.power_w[2].unwrap() - 0.5).abs() < 1e-9, "{:?}", trace.power_w);
    }
}
