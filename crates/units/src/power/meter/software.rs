//! Software model of power for targets without a meter: the processor's thermal design power, the
//! share of it that is used at full load, the CPU time that was used, and the
//! frequency. PowerAPI's formula without its voltages; its figures are marked as estimates.

use super::super::trace::PowerTrace;
use super::error::MeterError;
use super::kind::{Meter, MeterOffer};
use super::readings::{header_field, split_readings};
use crate::assumptions::{ASSUMED, Assumptions};

/// Software model as a meter: CPU time times a share of the thermal design power.
#[derive(Debug)]
pub struct SoftwareMeter;

/// Returns the watts of a fully loaded processor of this thermal design power.
pub fn full_load_w(tdp_w: f64, assumed: &Assumptions) -> f64 {
    assumed.load_share * tdp_w
}

/// Returns the watts of one core that is `busy` a share of the time, of `cores` with a common
/// thermal design power, at a share of the highest frequency.
pub fn software_power_w(tdp_w: f64, cores: f64, busy: f64, frequency_share: f64) -> f64 {
    full_load_w(tdp_w, &ASSUMED) / cores * busy * frequency_share
}

/// Reads `busy_s=12.34 frequency_share=0.8`: CPU seconds used so far, and the share of the
/// highest frequency.
fn reading(lines: &[&str]) -> Option<(f64, f64)> {
    let words = || lines.iter().flat_map(|line| line.split_ascii_whitespace());
    let number = |key: &str| {
        let text = words().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))?;
        text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
    };
    Some((number("busy_s")?, number("frequency_share").unwrap_or(1.0)))
}

impl Meter for SoftwareMeter {
    fn name(&self) -> &'static str {
        "software"
    }

    fn measures(&self) -> &'static str {
        "an estimate by CPU time and design power: no measurement, no idle power"
    }

    /// Returns the length of a tick (`USER_HZ`, proc(5)), the unit of CPU times.
    fn usual_refresh_s(&self) -> Option<f64> {
        Some(0.01)
    }

    fn question(&self) -> &'static str {
        "read -r _ u n s _ </proc/stat && echo busy_s=$(((u + n + s) / 100)); \
         grep -c ^processor /proc/cpuinfo"
    }

    fn offer(&self, answer: &str) -> Result<MeterOffer, MeterError> {
        let lines: Vec<&str> = answer.lines().collect();
        if reading(&lines).is_none() {
            let why = "no /proc/stat to read CPU time from".into();
            return Err(MeterError::NotOffered { meter: self.name(), why });
        }
        let rails = vec!["estimate".to_string()];
        let remarks = vec!["an estimate: its errors are systematic and not known".into()];
        Ok(MeterOffer { default_rails: rails.clone(), rails, remarks })
    }

    /// Needs `tdp_w=N cores=N` in the header.
    fn trace(&self, text: &str) -> Result<PowerTrace, MeterError> {
        let no_power = |problem: &str| MeterError::NoPower {
            meter: self.name(),
            problem: problem.to_string(),
        };
        let field = |key| header_field(text, key).and_then(|text| text.parse::<f64>().ok());
        let positive = |key| field(key).filter(|number| *number > 0.0 && number.is_finite());
        let tdp_w = positive("tdp_w").ok_or_else(|| no_power("the header has no tdp_w"))?;
        let cores = positive("cores").ok_or_else(|| no_power("the header has no cores"))?;
        let all: Vec<(f64, f64, f64)> = split_readings(text)
            .iter()
            .filter_map(|entry| reading(&entry.lines).map(|(busy, f)| (entry.uptime_s, busy, f)))
            .collect();
        if all.len() < 2 {
            return Err(no_power("there are fewer than two readings"));
        }
        let mut trace = PowerTrace { rails: vec!["estimate".into()], ..PowerTrace::default() };
        let power = |pair: &[(f64, f64, f64)]| {
            let ((t0, b0, _), (t1, b1, share)) = (pair[0], pair[1]);
            // The application may have ended, and taken its times along.
            software_power_w(tdp_w, cores, (b1 - b0).max(0.0) / (t1 - t0), share)
        };
        trace.uptime_s = all.iter().map(|(time, ..)| *time).collect();
        let powers: Vec<Option<f64>> = all.windows(2).map(|pair| Some(power(pair))).collect();
        trace.power_w = std::iter::once(powers[0]).chain(powers).collect();
        Ok(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_busy_core_of_four_draws_its_part() {
        assert!((software_power_w(40.0, 4.0, 1.0, 1.0) - 7.0).abs() < 1e-12);
        let text = "# wattline-readings 1 meter=software tdp_w=40 cores=4\n\
            @ 1\nbusy_s=3.0\n@ 3\nbusy_s=5.0\n@ 4\nbusy_s=5.5 frequency_share=0.5\n";
        let trace = SoftwareMeter.trace(text).unwrap();
        assert_eq!(trace.power_w, [Some(7.0), Some(7.0), Some(1.75)]);
    }

    /// The software model's watts, here and in `monitor`, are proportional to it.
    #[test]
    fn watts_double_with_the_assumed_load() {
        let doubled = Assumptions { load_share: 2.0 * ASSUMED.load_share, ..ASSUMED };
        assert_eq!(full_load_w(40.0, &doubled), 2.0 * full_load_w(40.0, &ASSUMED));
        assert_eq!(full_load_w(40.0, &ASSUMED), 4.0 * software_power_w(40.0, 4.0, 1.0, 1.0));
    }

    #[test]
    fn without_a_design_power_there_is_no_estimate() {
        let text = "# wattline-readings 1 meter=software cores=4\n@ 1\nbusy_s=3.0\n";
        assert!(SoftwareMeter.trace(text).unwrap_err().to_string().contains("tdp_w"));
    }
}
