//! Android's on-device power monitor (ODPM) in sysfs: accumulated microwatt seconds per
//! rail, on one or two chips. The files are for root.

use super::super::counter::Counter;
use super::super::trace::Trace;
use super::counters::{self, CounterRail};
use super::{Meter, MeterError, Offer, readings, refusal};

/// `/sys/bus/iio/devices/iio:device*/energy_value`.
#[derive(Debug)]
pub struct Odpm;

/// The counters are 64 bits wide and start at boot.
const COUNTER: Counter = Counter { joules_per_count: 1e-6, modulus: None };

/// `CH3(T=349894)[S2M_VDD_CPUCL2], 30203502`: rail and microwatt seconds.
fn channel(line: &str) -> Option<(&str, u64)> {
    let (_, rest) = line.strip_prefix("CH")?.split_once(")[")?;
    let (rail, counts) = rest.split_once("],")?;
    Some((rail, counts.trim().parse().ok()?))
}

/// A rail's count in one reading.
fn value(lines: &[&str], rail: &str) -> Option<u64> {
    let found = lines.iter().filter_map(|line| channel(line)).find(|(name, _)| *name == rail);
    found.map(|(_, counts)| counts)
}

impl Meter for Odpm {
    fn name(&self) -> &'static str {
        "odpm"
    }

    fn measures(&self) -> &'static str {
        "energy of up to 16 rails of the chip, accumulated by its power management"
    }

    fn question(&self) -> &'static str {
        "cat /sys/bus/iio/devices/iio:device*/energy_value 2>&1"
    }

    fn offer(&self, answer: &str) -> Result<Offer, MeterError> {
        let rails: Vec<String> =
            answer.lines().filter_map(channel).map(|(rail, _)| rail.to_string()).collect();
        if rails.is_empty() {
            let why = match refusal(answer) {
                Some(said) if said.contains("denied") => format!("{said}; it needs `adb root`"),
                Some(said) => said.to_string(),
                None => "no energy_value of an iio device".into(),
            };
            return Err(MeterError::NotOffered { meter: self.name(), why });
        }
        let is_processor = |rail: &&String| rail.contains("_VDD_CPU");
        let mut default_rails: Vec<String> = rails.iter().filter(is_processor).cloned().collect();
        if default_rails.is_empty() {
            default_rails = rails.clone();
        }
        let remarks = match answer.lines().filter(|line| line.starts_with("t=")).count() {
            0 | 1 => Vec::new(),
            chips => vec![format!("{chips} chips, which refresh each in its own time")],
        };
        Ok(Offer { rails, default_rails, remarks })
    }

    fn trace(&self, text: &str) -> Result<Trace, MeterError> {
        let readings = readings(text);
        let first = readings.first().map(|reading| reading.lines.as_slice()).unwrap_or_default();
        let rails: Vec<CounterRail> = first
            .iter()
            .filter_map(|line| channel(line))
            .map(|(rail, _)| {
                let values = readings.iter().map(|reading| value(&reading.lines, rail));
                CounterRail { name: rail.into(), counter: COUNTER, values: values.collect() }
            })
            .collect();
        let times_s: Vec<f64> = readings.iter().map(|reading| reading.uptime_s).collect();
        counters::trace(self.name(), &times_s, &rails)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power::{Window, integrate};

    /// The first lines as a Pixel 6 prints them.
    const PIXEL_6: &str = "t=349894\nCH0(T=349894)[S10M_VDD_TPU], 5578756\n\
        CH3(T=349894)[S2M_VDD_CPUCL2], 30203502\nCH4(T=349894)[S3M_VDD_CPUCL1], 23377533\n\
        t=359458\nCH0(T=359458)[VSYS_PWR_WLAN_BT], 45993209\n";

    #[test]
    fn a_pixels_rails_are_offered() {
        let offer = Odpm.offer(PIXEL_6).unwrap();
        assert_eq!(offer.rails.len(), 4);
        assert_eq!(offer.default_rails, ["S2M_VDD_CPUCL2", "S3M_VDD_CPUCL1"]);
        assert!(offer.remarks[0].starts_with("2 chips"));
        let denied = "cat: /sys/bus/iio/devices/iio:device0/energy_value: Permission denied\n";
        assert!(Odpm.offer(denied).unwrap_err().to_string().contains("adb root"));
    }

    #[test]
    fn energy_is_the_difference_of_readings() {
        let later = PIXEL_6.replace("30203502", "32203502").replace("5578756", "5578757");
        let text = format!("# wattline-readings 1 meter=odpm\n@ 10.00\n{PIXEL_6}@ 12.00\n{later}");
        let trace = Odpm.trace(&text).unwrap();
        let series = trace.series(&["S2M_VDD_CPUCL2".into()]).unwrap();
        let energy = integrate(&series, Window { start_s: 10.0, end_s: 12.0 }).unwrap();
        assert!((energy.right_endpoint.0 - 2.0).abs() < 1e-12);
        let other = trace.series(&["VSYS_PWR_WLAN_BT".into()]).unwrap();
        assert_eq!(other.power_w[1], 0.0, "a rail may rest while others move");
    }
}
