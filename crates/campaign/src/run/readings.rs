//! Plausibility checks of a meter's readings: a sensor that stands still, or shows a power that no
//! board draws, makes a run bad.

use crate::assumptions::Assumptions;
use crate::format::counted;
use crate::power::PowerTrace;
use crate::power::meter::ExternalMeter;
use crate::quantile::median;

/// Least refresh period in seconds assumed of a bench meter's log, whose rows come at any chosen
/// rate, thousands a second or one, and often repeat their neighbours.
const LOG_REFRESH_S: f64 = 0.264;

/// The longest time without a new reading on any rail, in seconds.
pub(super) fn longest_still_s(trace: &PowerTrace) -> f64 {
    let (mut longest, mut since) = (0.0f64, None);
    for (index, time_s) in trace.uptime_s.iter().enumerate() {
        if index == 0 || trace.is_new(index) {
            since = Some(*time_s);
        }
        longest = longest.max(since.map_or(0.0, |since| time_s - since));
    }
    longest
}

/// One sentence for each thing that is wrong with the readings of a session whose window
/// ends at `end_s` (uptime). Stillness can be judged where the refresh period is known.
pub(super) fn check_readings(
    trace: &PowerTrace,
    rails: &[String],
    end_s: f64,
    assumed: &Assumptions,
) -> Vec<String> {
    let power_max_w = assumed.rail_power_max_w;
    let mut reasons = Vec::new();
    let columns: Vec<usize> =
        (0..trace.rails.len()).filter(|at| rails.contains(&trace.rails[*at])).collect();
    let used = |index: usize| columns.iter().filter_map(move |at| row(trace, index)[*at]);
    let strange = (0..trace.len())
        .flat_map(used)
        .filter(|watts| !(0.0..=power_max_w).contains(watts))
        .count();
    if strange > 0 {
        let readings = counted(strange, "reading");
        reasons.push(format!("{readings} below 0 W or above {power_max_w} W"));
    }
    // The software model knows no idle power: it estimates what a process spends.
    let is_estimate = trace.rails == ["estimate"];
    if !trace.is_empty()
        && !is_estimate
        && (0..trace.len()).flat_map(used).all(|watts| watts == 0.0)
    {
        reasons.push("the sensors read 0 W all the time: nothing was measured".into());
    }
    let still_s = longest_still_s(trace);
    if refresh_s(trace).is_some_and(|refresh_s| still_s > assumed.still_refreshes * refresh_s) {
        reasons.push(format!("no sensor had a new reading for {still_s:.1} s"));
    } else if trace.update_period_us.is_some() && !is_live_after(trace, end_s) {
        // The sampler ends with a new reading.
        reasons.push("no sensor had a new reading after the window's end".into());
    }
    reasons
}

/// Refresh period of the meter in seconds, if known.
fn refresh_s(trace: &PowerTrace) -> Option<f64> {
    let said = trace.update_period_us.map(|period_us| period_us as f64 * 1e-6);
    let is_log = trace.rails == [ExternalMeter::RAIL];
    let steps_s = || trace.uptime_s.windows(2).map(|pair| pair[1] - pair[0]);
    let logged = || median(steps_s()).map(|step_s| step_s.max(LOG_REFRESH_S));
    said.or_else(|| if is_log { logged() } else { None })
}

/// Whether the meter has a new reading after `end_s`.
fn is_live_after(trace: &PowerTrace, end_s: f64) -> bool {
    let first_after = trace.uptime_s.partition_point(|time_s| *time_s <= end_s);
    first_after == 0 || (first_after..trace.len()).any(|index| trace.is_new(index))
}

fn row(trace: &PowerTrace, index: usize) -> &[Option<f64>] {
    let width = trace.rails.len();
    &trace.power_w[index * width..(index + 1) * width]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assumptions::ASSUMED;
    use crate::power::{parse_samples, parse_trace};

    /// Samples twice a second whose value changes until a time.
    fn trace(still_from_s: f64, still_to_s: f64) -> PowerTrace {
        let mut text =
            "# wattline-samples 1 rails=arm,mem unit=W update_period_us=263808\n".to_string();
        let mut milliwatts = 500;
        for half in 0..=80 {
            let time_s = f64::from(half) / 2.0;
            if !(still_from_s..still_to_s).contains(&time_s) {
                milliwatts += 1;
            }
            text += &format!("{time_s} 0.{milliwatts} 0.1\n");
        }
        parse_trace(&text).unwrap()
    }

    fn reasons(trace: &PowerTrace) -> Vec<String> {
        check_readings(trace, &["arm".into()], 38.0, &ASSUMED)
    }

    #[test]
    fn living_sensors_are_believed() {
        assert_eq!(reasons(&trace(90.0, 99.0)), [""; 0]);
        assert_eq!(reasons(&trace(10.0, 14.0)), [""; 0], "quiet for a while");
        assert!((longest_still_s(&trace(10.0, 14.0)) - 4.0).abs() < 1e-9);
    }

    #[test]
    fn patience_and_the_largest_power_are_assumptions() {
        let still = trace(10.0, 20.0);
        let found = |assumed| check_readings(&still, &["arm".into()], 38.0, &assumed);
        let still_refreshes = 2.0 * ASSUMED.still_refreshes;
        assert_eq!(found(Assumptions { still_refreshes, ..ASSUMED }), [""; 0]);
        let low = found(Assumptions { rail_power_max_w: 0.1, still_refreshes, ..ASSUMED });
        assert_eq!(low, ["81 readings below 0 W or above 0.1 W"]);
    }

    #[test]
    fn frozen_sensors_are_found_wherever_they_froze() {
        let expected = ["no sensor had a new reading for 10.0 s"];
        assert_eq!(reasons(&trace(10.0, 20.0)), expected);
        for from in [36.0, 37.0, 38.0] {
            let expected = ["no sensor had a new reading after the window's end"];
            assert_eq!(reasons(&trace(from, 99.0)), expected, "frozen at {from} s");
        }
    }

    /// Counters that a chip shows with its time, ten times a second, until one of them stops.
    fn counted(stops_at: u64) -> PowerTrace {
        let reading = |tenth: u64| {
            let (millis, counts) = (tenth * 100, 5_000_000 + 1000 * tenth.min(stops_at));
            format!("@ {:.2}\nt={millis}\nCH0(T=1)[arm], {counts}\n", tenth as f64 / 10.0)
        };
        let text: String = (10..=400).map(reading).collect();
        parse_samples(&format!("# wattline-readings 1 meter=odpm\n{text}")).unwrap()
    }

    #[test]
    fn counters_that_stop_are_found() {
        assert_eq!(reasons(&counted(400)), [""; 0]);
        assert_eq!(reasons(&counted(300)), ["no sensor had a new reading for 10.0 s"]);
        assert_eq!(reasons(&counted(378)), ["no sensor had a new reading after the window's end"]);
    }

    /// Rows of a bench meter, whose value changes until a time.
    #[test]
    fn a_log_that_repeats_its_last_row_is_found() {
        let log = |step_s: f64, still_from_s: f64| {
            let row = |at: u32| {
                let time_s = step_s * f64::from(at);
                format!("{time_s},{}\n", 1.0 + 0.001 * time_s.min(still_from_s))
            };
            let rows: String = (0..=(40.0 / step_s) as u32).map(row).collect();
            let text = format!("# wattline-readings 1 meter=external\ntime_s,power_w\n{rows}");
            check_readings(
                &parse_samples(&text).unwrap(),
                &[ExternalMeter::RAIL.into()],
                38.0,
                &ASSUMED,
            )
        };
        assert_eq!(log(0.001, 33.0), [""; 0], "7000 rows alike, which take 7 s");
        assert_eq!(log(0.001, 32.0), ["no sensor had a new reading for 8.0 s"]);
        assert_eq!(log(0.5, 26.0), [""; 0], "28 rows alike");
        assert_eq!(log(0.5, 24.0), ["no sensor had a new reading for 16.0 s"]);
    }

    #[test]
    fn what_no_board_draws_is_not_believed() {
        let text = "# wattline-samples 1 rails=arm,mem unit=W\n1 -0.5 9\n2 99999999.0 9\n3 1 -9\n";
        let trace = parse_trace(text).unwrap();
        assert_eq!(reasons(&trace), ["2 readings below 0 W or above 1000 W"]);
        let zero = parse_trace("# wattline-samples 1 rails=arm,mem unit=W\n1 0 9\n2 0 9\n");
        let expected = ["the sensors read 0 W all the time: nothing was measured"];
        assert_eq!(reasons(&zero.unwrap()), expected);
    }
}
