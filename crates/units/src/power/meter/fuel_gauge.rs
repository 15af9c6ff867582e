//! Fuel gauges of a device's batteries: current and voltage, or power, of the whole device,
//! about once a second. Vendors differ in unit (micro- or milliamperes) and sign; while a cable
//! feeds the device, a battery's current is not the device's. How often a gauge takes new
//! values is in no file; it is found in the readings.

use super::super::trace::{Flaw, FlawKind, PowerTrace};
use super::counters::period_us;
use super::error::MeterError;
use super::gauge_reading::{BatteriesReading, GaugeSupply};
use super::kind::{Meter, MeterOffer};
use super::readings::{Reading, shell_refusal, split_readings};

/// Meter of the battery of an Android device (`/sys/class/power_supply/battery`), else of every
/// battery there that is no accessory's: a device draws from all of them.
#[derive(Debug)]
pub struct FuelGauge;

/// Rail name of a device's only battery.
const ONLY: &str = "battery";

impl FuelGauge {
    fn no_power(&self, problem: String) -> MeterError {
        MeterError::NoPower { meter: self.name(), problem }
    }
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
        "r=${WATTLINE_ROOT:-}/sys/class/power_supply; l=$r/battery; \
         [ -e $l/current_now ] || [ -e $l/power_now ] || l=\"$r/*\"; \
         for s in $l; do [ -e $s/current_now ] || [ -e $s/power_now ] || continue; t=Battery; \
         [ $s = $r/battery ] || t=$(cat $s/type 2>&1); [ \"$t\" = Battery ] || continue; \
         [ ! -e $s/scope ] || [ \"$(cat $s/scope)\" != Device ] || continue; \
         echo \"supply=${s##*/}\"; \
         for f in status present current_now voltage_now power_now charge_counter; do \
         [ ! -e $s/$f ] || echo \"$f=$(cat $s/$f 2>&1)\"; done; done; o=; \
         for s in $r/*; do [ ! -e $s/online ] || [ \"$(cat $s/online)\" != 1 ] || \
         [ \"$(cat $s/type 2>&1)\" = Battery ] || o=\"$o ${s##*/}\"; done; \
         [ ! -d $r ] || echo \"online=$o\""
    }

    fn offer(&self, answer: &str) -> Result<MeterOffer, MeterError> {
        let lines: Vec<&str> = answer.lines().collect();
        let not = |why: String| MeterError::NotOffered { meter: self.name(), why };
        let reading = BatteriesReading::of(&lines).ok_or_else(|| match shell_refusal(answer) {
            Some(said) if said.contains("denied") => {
                not("its files are for root: `adb root`".into())
            }
            _ => not("no current_now and voltage_now of a battery, and no power_now: the board \
                      has none, or does not tell"
                .into()),
        })?;
        if let Some(why) = reading.other_supply_problem() {
            return Err(not(why));
        }
        if reading.supplies.iter().all(|supply| supply.figure == 0.0) {
            let why = "current_now is 0: the gauge does not measure the current";
            return Err(not(why.into()));
        }
        let mut remarks = vec![
            "coarse: about one value a second, of the whole device; screen and radios are in it"
                .to_string(),
        ];
        for supply in reading.supplies.iter().filter(|supply| supply.figure != 0.0) {
            let told = supply.kind.unit(&[supply.figure]);
            let remark = told.map_or_else(
                |doubt| format!("its unit is not told by one reading: {doubt}"),
                |unit| unit.remark(supply.figure),
            );
            remarks.push(format!("{}: {remark}", supply.name));
        }
        remarks.extend(reading.connected_supply_remark());
        let rails = rails(&reading.supplies);
        Ok(MeterOffer { default_rails: rails.clone(), rails, remarks })
    }

    fn trace(&self, text: &str) -> Result<PowerTrace, MeterError> {
        let readings: Vec<Reading<'_>> = split_readings(text);
        let mut trace = PowerTrace::default();
        let mut gauges = Vec::new();
        for (index, reading) in readings.iter().enumerate() {
            match BatteriesReading::of(&reading.lines) {
                Some(gauge) => {
                    if let Some(problem) = gauge.other_supply_problem() {
                        let (meter, reading) = (self.name(), index + 1);
                        return Err(MeterError::Reading { meter, reading, problem });
                    }
                    trace.uptime_s.push(reading.uptime_s);
                    gauges.push(gauge);
                }
                None => trace.flaws.push(Flaw { line: reading.line, kind: FlawKind::Unreadable }),
            }
        }
        let fullest = gauges.iter().max_by_key(|gauge| gauge.supplies.len());
        let supplies: Vec<GaugeSupply> =
            fullest.map(|gauge| gauge.supplies.clone()).unwrap_or_default();
        trace.rails = rails(&supplies);
        let mut columns = Vec::new();
        for supply in &supplies {
            columns.push(self.column(&supply.name, &gauges)?);
        }
        if !columns.iter().flatten().flatten().any(|watts| *watts != 0.0) {
            let problem = "the current is 0 all the time: the gauge does not measure it";
            return Err(self.no_power(problem.into()));
        }
        for at in 0..gauges.len() {
            trace.power_w.extend(columns.iter().map(|column| column[at]));
        }
        let new: Vec<bool> = (0..trace.len()).map(|at| at > 0 && trace.is_new(at)).collect();
        trace.update_period_us = period_us(&trace.uptime_s, &new);
        Ok(trace)
    }
}

impl FuelGauge {
    /// Returns the watts of one battery in all readings. The sign is the vendor's: a battery that
    /// is not charged gives.
    fn column(
        &self,
        name: &str,
        gauges: &[BatteriesReading],
    ) -> Result<Vec<Option<f64>>, MeterError> {
        let of = |gauge: &BatteriesReading| {
            gauge.supplies.iter().find(|supply| supply.name == name).cloned()
        };
        let supplies: Vec<Option<GaugeSupply>> = gauges.iter().map(of).collect();
        let figures: Vec<f64> = supplies.iter().flatten().map(|supply| supply.figure).collect();
        let Some(first) = supplies.iter().flatten().find(|supply| supply.figure != 0.0) else {
            return Ok(supplies.iter().map(|supply| supply.as_ref().map(|_| 0.0)).collect());
        };
        let unit = first.kind.unit(&figures);
        let unit = unit.map_err(|doubt| self.no_power(format!("{name}: {doubt}")))?;
        // The unit is one for all readings, the voltage is each one's own.
        let watts = |supply: &GaugeSupply| (supply.figure * supply.watts_as(first, unit)).abs();
        Ok(supplies.iter().map(|supply| supply.as_ref().map(watts)).collect())
    }
}

/// Returns the rail names; the only battery is `battery`, whatever the kernel's name is.
fn rails(supplies: &[GaugeSupply]) -> Vec<String> {
    match supplies {
        [_] => vec![ONLY.to_owned()],
        several => several.iter().map(|supply| supply.name.clone()).collect(),
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
        assert!(FuelGauge.offer(&charging).unwrap_err().to_string().contains("pull the supply"));
        let text = format!("# wattline-readings 1 meter=fuel-gauge\n@ 1\n{charging}");
        assert!(FuelGauge.trace(&text).unwrap_err().to_string().contains("reading 1"));
        let blind = reading("Discharging", 0, 4_000_000);
        assert!(FuelGauge.offer(&blind).unwrap_err().to_string().contains("does not measure"));
        let text = format!("# wattline-readings 1 meter=fuel-gauge\n@ 1\n{blind}@ 2\n{blind}");
        assert!(matches!(FuelGauge.trace(&text), Err(MeterError::NoPower { .. })));
    }

    fn laptop(bat0: &str, bat1: &str, online: &str) -> String {
        format!("supply=BAT0\n{bat0}supply=BAT1\n{bat1}online={online}\n")
    }

    fn powered(status: &str, microwatts: u64) -> String {
        format!("status={status}\npresent=1\npower_now={microwatts}\nvoltage_now=11500000\n")
    }

    #[test]
    fn power_is_taken_where_a_battery_tells_it() {
        let answer = "supply=BAT0\nstatus=Discharging\npresent=1\nvoltage_now=11500000\n\
                      power_now=8542000\nonline=\n";
        let offer = FuelGauge.offer(answer).unwrap();
        assert_eq!(offer.rails, ["battery"]);
        assert!(offer.remarks[1].contains("8542000 is 8.54 W"), "{:?}", offer.remarks);
        let text = format!("# wattline-readings 1 meter=fuel-gauge\n@ 1\n{answer}@ 2\n{answer}");
        assert_eq!(FuelGauge.trace(&text).unwrap().power_w, [Some(8.542), Some(8.542)]);
    }

    #[test]
    fn several_batteries_add_up() {
        let answer = laptop(&powered("Discharging", 6_000_000), &powered("Unknown", 0), "");
        let offer = FuelGauge.offer(&answer).unwrap();
        assert_eq!(offer.default_rails, ["BAT0", "BAT1"]);
        let second =
            laptop(&powered("Discharging", 4_000_000), &powered("Discharging", 3_000_000), "");
        let text = format!("# wattline-readings 1 meter=fuel-gauge\n@ 1\n{answer}@ 2\n{second}");
        let trace = FuelGauge.trace(&text).unwrap();
        let sum = trace.series(&offer.default_rails).unwrap().power_w;
        assert_eq!(sum, [6.0, 7.0]);
    }

    #[test]
    fn a_device_on_a_cable_is_not_measured_by_its_battery() {
        let refused = |answer: &str| FuelGauge.offer(answer).unwrap_err().to_string();
        let idle = laptop(&powered("Not charging", 6_000_000), &powered("Unknown", 0), " AC");
        assert!(refused(&idle).contains("AC feeds the device"), "{}", refused(&idle));
        let weak = laptop(&powered("Discharging", 6_000_000), &powered("Unknown", 0), " ucsi0");
        assert!(refused(&weak).contains("ucsi0 feeds the device"), "{}", refused(&weak));
        let phone = reading("Not charging", -250_000, 4_000_000);
        assert!(refused(&phone).contains("Not charging"), "{}", refused(&phone));
        // A phone whose charging is switched off runs from its battery.
        let paused =
            format!("supply=battery\n{}online= usb\n", reading("Discharging", -250_000, 4_000_000));
        assert!(FuelGauge.offer(&paused).unwrap().remarks.iter().any(|r| r.contains("usb")));
        // One battery of two rests without a cable.
        let resting = laptop(&powered("Discharging", 6_000_000), &powered("Not charging", 0), "");
        assert!(FuelGauge.offer(&resting).is_ok());
        let absent = laptop(
            &powered("Discharging", 6_000_000),
            "status=Unknown\npresent=0\npower_now=0\n",
            "",
        );
        assert_eq!(FuelGauge.offer(&absent).unwrap().rails, ["battery"]);
    }

    #[test]
    fn a_unit_that_is_in_doubt_gives_no_power() {
        let doubtful = reading("Discharging", -4_500, 4_000_000);
        let remarks = FuelGauge.offer(&doubtful).unwrap().remarks;
        assert!(remarks[1].contains("not told by one reading"), "{remarks:?}");
        let text =
            format!("# wattline-readings 1 meter=fuel-gauge\n@ 1\n{doubtful}@ 2\n{doubtful}");
        let error = FuelGauge.trace(&text).unwrap_err().to_string();
        assert!(error.contains("both can be"), "{error}");
        assert!((powers([-14_500, -14_500])[0] - 0.058).abs() < 1e-12);
    }
}
