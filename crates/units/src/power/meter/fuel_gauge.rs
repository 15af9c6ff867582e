//! The fuel gauge of a battery: current and voltage of the whole device, about once a
//! second. Vendors differ in unit (micro- or milliamperes) and sign; while it charges, the
//! current is not the device's. How often it takes new values is not told by any file; it
//! is found in the readings.

use super::super::trace::{Flaw, FlawKind, PowerTrace};
use super::counters::period_us;
use super::error::MeterError;
use super::kind::{Meter, Offer};
use super::readings::{Reading, readings, refusal};

/// `/sys/class/power_supply/battery`, else the first battery there with these files.
#[derive(Debug)]
pub struct FuelGauge;

/// Larger numbers are microamperes: no device draws 20 A, and none runs on 20 mA.
const MILLIAMPERES_MAX: f64 = 20_000.0;
/// Larger numbers are microvolts, smaller ones millivolts.
const MILLIVOLTS_MAX: f64 = 100_000.0;

/// One reading as it stands.
struct GaugeReading {
    current: f64,
    voltage: f64,
    charging: bool,
}

fn gauge(lines: &[&str]) -> Option<GaugeReading> {
    let field = |key: &str| lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let number = |key| field(key)?.trim().parse::<f64>().ok().filter(|n: &f64| n.is_finite());
    let charging = matches!(field("status").map(str::trim), Some("Charging" | "Full"));
    Some(GaugeReading {
        current: number("current_now")?,
        voltage: number("voltage_now")?,
        charging,
    })
}

impl GaugeReading {
    fn volts(&self) -> f64 {
        self.voltage * if self.voltage.abs() > MILLIVOLTS_MAX { 1e-6 } else { 1e-3 }
    }
}

/// The unit by one of the largest readings: a small one says nothing, and the largest may be
/// nonsense.
fn amperes_per_unit(gauges: &[GaugeReading]) -> f64 {
    let mut currents: Vec<f64> = gauges.iter().map(|gauge| gauge.current.abs()).collect();
    currents.sort_by(f64::total_cmp);
    let most = currents.get(currents.len().saturating_sub(1) * 9 / 10).copied().unwrap_or(0.0);
    if most > MILLIAMPERES_MAX { 1e-6 } else { 1e-3 }
}

impl Meter for FuelGauge {
    fn name(&self) -> &'static str {
        "fuel-gauge"
    }

    fn measures(&self) -> &'static str {
        "power of the whole device, from its battery's current and voltage"
    }

    fn usual_refresh_s(&self) -> Option<f64> {
        Some(1.0)
    }

    fn question(&self) -> &'static str {
        "r=${WATTLINE_ROOT:-}/sys/class/power_supply; for s in $r/battery $r/*; do \
         [ -e $s/current_now ] && [ -e $s/voltage_now ] || continue; t=Battery; \
         [ $s = $r/battery ] || t=$(cat $s/type 2>&1); [ \"$t\" = Battery ] || continue; \
         for f in status current_now voltage_now charge_counter; do \
         [ ! -e $s/$f ] || echo \"$f=$(cat $s/$f 2>&1)\"; done; break; done"
    }

    fn offer(&self, answer: &str) -> Result<Offer, MeterError> {
        let lines: Vec<&str> = answer.lines().collect();
        let not = |why: &str| MeterError::NotOffered { meter: self.name(), why: why.into() };
        let gauge = gauge(&lines).ok_or_else(|| match refusal(answer) {
            Some(said) if said.contains("denied") => not("its files are for root: `adb root`"),
            _ => not(
                "no current_now and voltage_now of a battery: the board has none, or does not tell",
            ),
        })?;
        if gauge.current == 0.0 {
            return Err(not("current_now is 0: the gauge does not measure the current"));
        }
        let mut remarks = vec![
            "coarse: about one value a second, of the whole device; screen and radios are in it"
                .to_string(),
        ];
        if gauge.charging {
            remarks.push(
                "the battery is being charged: pull the supply, or nothing is measured".into(),
            );
        }
        if gauge.current.abs() <= MILLIAMPERES_MAX {
            remarks.push("the current seems to be in milliamperes".into());
        }
        let rails = vec!["battery".to_string()];
        Ok(Offer { default_rails: rails.clone(), rails, remarks })
    }

    fn trace(&self, text: &str) -> Result<PowerTrace, MeterError> {
        let readings: Vec<Reading<'_>> = readings(text);
        let mut trace = PowerTrace { rails: vec!["battery".into()], ..PowerTrace::default() };
        let mut gauges = Vec::new();
        for (index, reading) in readings.iter().enumerate() {
            match gauge(&reading.lines) {
                Some(gauge) if gauge.charging => {
                    let problem = "the battery was being charged: pull the supply".into();
                    return Err(MeterError::Reading {
                        meter: self.name(),
                        reading: index + 1,
                        problem,
                    });
                }
                Some(gauge) => {
                    trace.uptime_s.push(reading.uptime_s);
                    gauges.push(gauge);
                }
                None => trace.flaws.push(Flaw { line: reading.line, kind: FlawKind::Unreadable }),
            }
        }
        if !gauges.iter().any(|gauge| gauge.current != 0.0) {
            let problem = "the current is 0 all the time: the gauge does not measure it".into();
            return Err(MeterError::NoPower { meter: self.name(), problem });
        }
        // The sign is the vendor's: a battery that is not charged gives.
        let scale = amperes_per_unit(&gauges);
        let watts = |gauge: &GaugeReading| Some((gauge.current * scale * gauge.volts()).abs());
        trace.power_w = gauges.iter().map(watts).collect();
        let new: Vec<bool> = (0..trace.len()).map(|at| at > 0 && trace.is_new(at)).collect();
        trace.update_period_us = period_us(&trace.uptime_s, &new);
        Ok(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(status: &str, current: i64, voltage: i64) -> String {
        format!("status={status}\ncurrent_now={current}\nvoltage_now={voltage}\n")
    }

    fn powers(currents: [i64; 2]) -> Vec<f64> {
        let [a, b] = currents.map(|current| reading("Discharging", current, 4_000_000));
        let text = format!("# wattline-readings 1 meter=fuel-gauge\n@ 1\n{a}@ 2\n{b}");
        FuelGauge.trace(&text).unwrap().power_w.into_iter().flatten().collect()
    }

    #[test]
    fn unit_and_sign_are_the_vendors() {
        for currents in [[-250_000, -500_000], [250_000, 500_000], [250, 500], [-250, -500]] {
            let found = powers(currents);
            assert!(
                (found[0] - 1.0).abs() < 1e-12 && (found[1] - 2.0).abs() < 1e-12,
                "{currents:?}"
            );
        }
    }

    #[test]
    fn the_refresh_period_is_found_in_the_readings() {
        // Four readings a second of values that are taken once a second.
        let reading = |quarter: i64| {
            let time = quarter as f64 / 4.0;
            format!("@ {time:.2}\n{}", reading("Discharging", -250_000 - quarter / 4, 4_000_000))
        };
        let text: String = (0..40).map(reading).collect();
        let trace = FuelGauge.trace(&format!("# wattline-readings 1 meter=fuel-gauge\n{text}"));
        let trace = trace.unwrap();
        assert_eq!(trace.update_period_us, Some(1_000_000));
        assert_eq!(trace.timing().lag_s(), 0.875);
    }

    #[test]
    fn one_reading_of_nonsense_does_not_change_the_unit() {
        let text: String = (0..40)
            .map(|at| {
                let current = if at == 7 { 99_999_999 } else { 300 + at };
                format!("@ {at}\n{}", reading("Discharging", current, 4_000))
            })
            .collect();
        let text = format!("# wattline-readings 1 meter=fuel-gauge\n{text}");
        let trace = FuelGauge.trace(&text).unwrap();
        assert!((trace.power_w[0].unwrap() - 1.2).abs() < 1e-9, "{:?}", trace.power_w[0]);
    }

    #[test]
    fn charging_and_a_gauge_without_current_are_refused() {
        let charging = reading("Charging", 900_000, 4_000_000);
        assert!(FuelGauge.offer(&charging).unwrap().remarks[1].contains("pull the supply"));
        let text = format!("# wattline-readings 1 meter=fuel-gauge\n@ 1\n{charging}");
        assert!(FuelGauge.trace(&text).unwrap_err().to_string().contains("reading 1"));
        let blind = reading("Discharging", 0, 4_000_000);
        assert!(FuelGauge.offer(&blind).unwrap_err().to_string().contains("does not measure"));
        let text = format!("# wattline-readings 1 meter=fuel-gauge\n@ 1\n{blind}@ 2\n{blind}");
        assert!(matches!(FuelGauge.trace(&text), Err(MeterError::NoPower { .. })));
    }
}
