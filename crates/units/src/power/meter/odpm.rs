//! Android's on-device power monitor (ODPM) in sysfs: accumulated microwatt seconds per
//! rail, on one or two chips. The files are for root. A reading makes the chip refresh, but
//! not more often than every 50 ms or so; when it did stands in the first line (`t`, in
//! milliseconds since boot, like `/proc/uptime`). Source: Google's `drivers/iio/power/odpm.c`.

use super::super::counter::MeterCounter;
use super::super::trace::{Flaw, FlawKind, PowerTrace};
use super::counters::{self, CounterRail, UnmovedCounter};
use super::error::MeterError;
use super::kind::{Meter, MeterOffer};
use super::readings::{Reading, shell_refusal, split_readings};

/// Meter of the on-device power monitor: `/sys/bus/iio/devices/iio:device*/energy_value`.
#[derive(Debug)]
pub struct Odpm;

/// Microwatt seconds; the counters are 64 bits wide and start at boot.
const COUNTER: MeterCounter = MeterCounter { joules_per_count: 1e-6, modulus: None };

/// Largest distance of chips' times from those of the readings on one clock, in seconds.
const SAME_CLOCK_S: f64 = 5.0;

/// Counter value of one rail in one reading.
struct RailCount<'t> {
    rail: &'t str,
    /// Time of its chip's refresh, in seconds on the chip's clock.
    refreshed_s: f64,
    microjoules: u64,
}

/// Reads `CH3(T=349894)[S2M_VDD_CPUCL2], 30203502`: rail and microwatt seconds.
fn channel(line: &str) -> Option<(&str, u64)> {
    let (_, rest) = line.strip_prefix("CH")?.split_once(")[")?;
    let (rail, counts) = rest.split_once("],")?;
    Some((rail, counts.trim().parse().ok()?))
}

/// Reads the counts of one reading: each chip's `t=` line, then its channels.
fn counts<'t>(lines: &[&'t str]) -> Vec<RailCount<'t>> {
    let mut refreshed_s = None;
    let mut counts = Vec::new();
    for line in lines {
        if let Some(millis) = line.strip_prefix("t=") {
            refreshed_s = millis.trim().parse::<u64>().ok().map(|millis| millis as f64 * 1e-3);
        } else if let (Some((rail, microjoules)), Some(refreshed_s)) = (channel(line), refreshed_s)
        {
            counts.push(RailCount { rail, refreshed_s, microjoules });
        }
    }
    counts
}

/// Returns the seconds to add to the chips' clock to make it that of the readings: 0 where they
/// are one clock, as in the kernels known.
fn clock_offset_s(readings: &[Reading<'_>], counts: &[Vec<RailCount<'_>>]) -> f64 {
    let of_reading = |(reading, counts): (&Reading<'_>, &Vec<RailCount<'_>>)| {
        let newest = counts.iter().map(|count| count.refreshed_s).reduce(f64::max)?;
        Some(reading.uptime_s - newest)
    };
    let least = readings.iter().zip(counts).filter_map(of_reading).reduce(f64::min);
    least.filter(|offset_s| offset_s.abs() > SAME_CLOCK_S).unwrap_or(0.0)
}

impl Meter for Odpm {
    fn name(&self) -> &'static str {
        "odpm"
    }

    fn measures(&self) -> &'static str {
        "energy of up to 16 rails of the chip, accumulated by its power management"
    }

    fn question(&self) -> &'static str {
        "cat ${WATTLINE_ROOT:-}/sys/bus/iio/devices/iio:device*/energy_value 2>&1"
    }

    fn offer(&self, answer: &str) -> Result<MeterOffer, MeterError> {
        let rails: Vec<String> =
            answer.lines().filter_map(channel).map(|(rail, _)| rail.to_string()).collect();
        if rails.is_empty() {
            let why = match shell_refusal(answer) {
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
        Ok(MeterOffer { rails, default_rails, remarks })
    }

    fn trace(&self, text: &str) -> Result<PowerTrace, MeterError> {
        let readings = split_readings(text);
        let counts: Vec<Vec<RailCount<'_>>> =
            readings.iter().map(|reading| counts(&reading.lines)).collect();
        // A broken reading holds fewer.
        let fullest = counts.iter().max_by_key(|counts| counts.len());
        let names: Vec<&str> = fullest.into_iter().flatten().map(|count| count.rail).collect();
        let offset_s = clock_offset_s(&readings, &counts);
        let rail = |name: &&str| CounterRail {
            name: name.to_string(),
            counter: COUNTER,
            readings: counts
                .iter()
                .filter_map(|counts| counts.iter().find(|count| count.rail == *name))
                .map(|count| (count.refreshed_s + offset_s, count.microjoules))
                .collect(),
            unmoved: UnmovedCounter::Nothing,
        };
        let rails: Vec<CounterRail> = names.iter().map(rail).collect();
        let trace = counters::power_trace_of_counters(self.name(), &rails)?;
        let broken = |(at, counts): (usize, &Vec<RailCount<'_>>)| {
            (counts.len() < names.len())
                .then_some(Flaw { line: readings[at].line, kind: FlawKind::Unreadable })
        };
        let flaws = counts.iter().enumerate().filter_map(broken).collect();
        Ok(PowerTrace { flaws, ..trace })
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

    /// Readings of a chip: when they were made, when it was refreshed, and its counter.
    fn log(readings: &[(f64, u64, &str)]) -> String {
        let text = |(uptime_s, millis, counts): &(f64, u64, &str)| {
            format!(
                "@ {uptime_s:.2}\nt={millis}\nCH0(T={millis})[A], {counts}\n\
                 CH1(T={millis})[B], 7\n"
            )
        };
        let text: String = readings.iter().map(text).collect();
        format!("# wattline-readings 1 meter=odpm period_us=100000\n{text}")
    }

    #[test]
    fn energy_is_the_difference_of_readings_at_the_times_of_the_chip() {
        // Beyond 32 bits; the third reading came before the chip's next refresh.
        let readings = [
            (10.01, 10_000, "5000000000"),
            (12.02, 12_000, "5002000000"),
            (12.04, 12_000, "5002000000"),
            (13.00, 12_990, "5002990000"),
        ];
        let trace = Odpm.trace(&log(&readings)).unwrap();
        assert_eq!(trace.uptime_s, [10.0, 12.0, 12.99]);
        let series = trace.series(&["A".into()]).unwrap();
        let energy = integrate(&series, Window { start_s: 10.5, end_s: 12.5 }).unwrap();
        assert!((energy.right_endpoint.0 - 2.0).abs() < 1e-9, "{energy:?}");
        assert_eq!(trace.timing().lag_s(), 0.0, "a counter is not late");
        let other = trace.series(&["B".into()]).unwrap();
        assert_eq!(other.power_w[1], 0.0, "a rail may rest while others move");
        assert!(trace.flaws.is_empty());
    }

    #[test]
    fn a_chip_with_a_clock_of_its_own_is_moved_to_ours() {
        let readings = [(1010.02, 10_000, "5"), (1012.0, 12_000, "6"), (1013.03, 13_000, "9")];
        let trace = Odpm.trace(&log(&readings)).unwrap();
        assert_eq!(trace.uptime_s, [1010.0, 1012.0, 1013.0]);
    }

    #[test]
    fn nonsense_is_marked_and_a_counter_that_was_reset_is_an_error() {
        let readings =
            [(10.0, 10_000, "5"), (11.0, 11_000, "?#!"), (12.0, 12_000, "7"), (13.0, 13_000, "8")];
        let trace = Odpm.trace(&log(&readings)).unwrap();
        assert_eq!(trace.flaws, [Flaw { line: 6, kind: FlawKind::Unreadable }]);
        let text = log(&[(10.0, 10_000, "5"), (11.0, 11_000, "4"), (12.0, 12_000, "6")]);
        let error = Odpm.trace(&text).unwrap_err().to_string();
        assert!(error.contains("A: ") && error.contains("never wraps"), "{error}");
    }
}
