//! The fuel gauge of a battery: current and voltage of the whole device, about once a
//! second. Vendors differ in unit (micro- or milliamperes) and sign; while it charges, the
//! current is not the device's.

use super::super::trace::{Flaw, FlawKind, Trace};
use super::{Meter, MeterError, Offer, Reading, readings};

/// `/sys/class/power_supply/battery`.
#[derive(Debug)]
pub struct FuelGauge;

/// Larger numbers are microamperes: no device draws 20 A, and none runs on 20 mA.
const MILLIAMPERES_MAX: f64 = 20_000.0;
/// Larger numbers are microvolts, smaller ones millivolts.
const MILLIVOLTS_MAX: f64 = 100_000.0;

/// One reading as it stands.
struct Gauge {
    current: f64,
    voltage: f64,
    charging: bool,
}

fn gauge(lines: &[&str]) -> Option<Gauge> {
    let field = |key: &str| lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let number = |key| field(key)?.trim().parse::<f64>().ok().filter(|n: &f64| n.is_finite());
    let charging = matches!(field("status").map(str::trim), Some("Charging" | "Full"));
    Some(Gauge { current: number("current_now")?, voltage: number("voltage_now")?, charging })
}

impl Gauge {
    fn volts(&self) -> f64 {
        self.voltage * if self.voltage.abs() > MILLIVOLTS_MAX { 1e-6 } else { 1e-3 }
    }
}

/// The unit by the largest of the readings: one small reading says nothing.
fn amperes_per_unit(gauges: &[Gauge]) -> f64 {
    let most = gauges.iter().map(|gauge| gauge.current.abs()).fold(0.0, f64::max);
    if most > MILLIAMPERES_MAX { 1e-6 } else { 1e-3 }
}

impl Meter for FuelGauge {
    fn name(&self) -> &'static str {
        "fuel-gauge"
    }

    fn measures(&self) -> &'static str {
        "power of the whole device, from its battery's current and voltage"
    }

    fn question(&self) -> &'static str {
        "cd /sys/class/power_supply/battery 2>/dev/null && for f in status current_now \
         voltage_now; do echo \"$f=$(cat $f 2>&1)\"; done"
    }

    fn offer(&self, answer: &str) -> Result<Offer, MeterError> {
        let lines: Vec<&str> = answer.lines().collect();
        let not = |why: &str| MeterError::NotOffered { meter: self.name(), why: why.into() };
        let gauge = gauge(&lines).ok_or_else(|| {
            not("no current_now and voltage_now of a battery: the board has none, or does not tell")
        })?;
        if gauge.current == 0.0 {
            return Err(not("current_now is 0: the gauge does not measure the current"));
        }
        let mut remarks = vec![
            "about one value a second, of the whole device: screen and radios are in it"
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

    fn trace(&self, text: &str) -> Result<Trace, MeterError> {
        let readings: Vec<Reading<'_>> = readings(text);
        let mut trace = Trace { rails: vec!["battery".into()], ..Trace::default() };
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
                None => trace.flaws.push(Flaw { line: index + 1, kind: FlawKind::Unreadable }),
            }
        }
        if !gauges.iter().any(|gauge| gauge.current != 0.0) {
            let problem = "the current is 0 all the time: the gauge does not measure it".into();
            return Err(MeterError::NoPower { meter: self.name(), problem });
        }
        // The sign is the vendor's: a battery that is not charged gives.
        let scale = amperes_per_unit(&gauges);
        let watts = |gauge: &Gauge| Some((gauge.current * scale * gauge.volts()).abs());
        trace.power_w = gauges.iter().map(watts).collect();
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
