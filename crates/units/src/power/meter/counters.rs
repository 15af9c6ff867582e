//! Conversion of readings of accumulating meters to power over time. The energy between two
//! readings in which a counter moved is spread evenly over the time between them, so that the
//! sum over a trace is the difference of its readings, to the last count.

use super::super::counter::{CounterError, MeterCounter};
use super::super::trace::{PowerTrace, RowKind};
use super::error::MeterError;

/// Readings of one rail's counter over a session.
pub(super) struct CounterRail {
    /// Its name.
    pub name: String,
    /// Scale and wrap-around of the counter.
    pub counter: MeterCounter,
    /// Readings as uptime in seconds and value. Those that are not later than the one before are
    /// passed over.
    pub readings: Vec<(f64, u64)>,
    /// Meaning of a reading with an unchanged value.
    pub unmoved: UnmovedCounter,
}

/// Meaning of an unchanged counter between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnmovedCounter {
    /// Perhaps a missing refresh: the energy shows at the next one.
    Unknown,
    /// No energy: the meter's readings have the time of the refresh.
    Nothing,
}

/// Converts counters to power over time, a row for each time at which some rail was read. It is
/// an error if no rail ever moves: that is no meter that reads 0 J, but one that does not
/// measure.
pub(super) fn power_trace_of_counters(
    meter: &'static str,
    rails: &[CounterRail],
) -> Result<PowerTrace, MeterError> {
    let no_power = |problem: String| MeterError::NoPower { meter, problem };
    let times_s = times(rails);
    if times_s.len() < 2 {
        return Err(no_power("there are fewer than two readings with a counter".into()));
    }
    let columns: Vec<Vec<Option<f64>>> = rails
        .iter()
        .map(|rail| {
            powers(&times_s, rail).map_err(|error| no_power(format!("{}: {error}", rail.name)))
        })
        .collect::<Result<_, _>>()?;
    let new = moves(&times_s, rails);
    if !new.contains(&true) {
        let seconds = times_s[times_s.len() - 1] - times_s[0];
        return Err(no_power(format!(
            "no counter moved in {seconds:.1} s: the device does not measure"
        )));
    }
    let mut trace = PowerTrace {
        rails: rails.iter().map(|rail| rail.name.clone()).collect(),
        kind: RowKind::Counted,
        update_period_us: period_us(&times_s, &new),
        uptime_s: times_s,
        new: Some(new),
        ..PowerTrace::default()
    };
    for at in 0..trace.uptime_s.len() {
        trace.power_w.extend(columns.iter().map(|column| column[at]));
    }
    Ok(trace)
}

/// Collects the times of all rails' readings, ascending.
fn times(rails: &[CounterRail]) -> Vec<f64> {
    let all = rails.iter().flat_map(|rail| rail.readings.iter().map(|(time_s, _)| *time_s));
    let mut times: Vec<f64> = all.collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// Returns the rail's power up to each time; `None` before its first and after its last reading.
fn powers(times_s: &[f64], rail: &CounterRail) -> Result<Vec<Option<f64>>, CounterError> {
    let mut powers = vec![None; times_s.len()];
    let at = |time_s: f64| times_s.partition_point(|known| *known < time_s);
    let mut last: Option<(f64, u64)> = None;
    let mut newest_s = f64::NEG_INFINITY;
    for (time_s, value) in rail.readings.iter().copied() {
        if time_s <= newest_s {
            continue;
        }
        newest_s = time_s;
        match last {
            Some((_, before)) if before == value && rail.unmoved == UnmovedCounter::Unknown => {
                continue;
            }
            Some((from_s, before)) => {
                let joules = rail.counter.energy(&[before, value])?.0;
                powers[at(from_s) + 1..=at(time_s)].fill(Some(joules / (time_s - from_s)));
            }
            None => {}
        }
        last = Some((time_s, value));
    }
    let (Some((first_s, _)), Some((last_s, _))) = (rail.readings.first(), last) else {
        return Ok(powers);
    };
    // After the last move nothing was counted, as far as it was read.
    powers[at(last_s) + 1..=at(newest_s)].fill(Some(0.0));
    let first = at(*first_s);
    powers[first] = powers.get(first + 1).copied().flatten();
    Ok(powers)
}

/// Returns for each time whether some rail's counter has moved since its reading before.
fn moves(times_s: &[f64], rails: &[CounterRail]) -> Vec<bool> {
    let mut new = vec![false; times_s.len()];
    for pair in rails.iter().flat_map(|rail| rail.readings.windows(2)) {
        if pair[0].1 != pair[1].1 {
            let at = times_s.partition_point(|known| *known < pair[1].0);
            new[at] = true;
        }
    }
    new
}

/// Returns the mean time between two moves in microseconds, long ones left out; `None` of fewer
/// than two moves.
pub(super) fn period_us(times_s: &[f64], new: &[bool]) -> Option<u64> {
    let moved: Vec<f64> =
        times_s.iter().zip(new).filter(|(_, new)| **new).map(|(time, _)| *time).collect();
    let mut steps: Vec<f64> = moved.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_by(f64::total_cmp);
    let middle = *steps.get(steps.len() / 2)?;
    let usual: Vec<f64> = steps.into_iter().filter(|step| *step <= 1.5 * middle).collect();
    let mean_s = usual.iter().sum::<f64>() / usual.len() as f64;
    (mean_s > 0.0).then_some((mean_s * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power::{Window, integrate};

    fn rail(times_s: &[f64], values: &[u64], modulus: Option<u64>) -> CounterRail {
        let readings = times_s.iter().copied().zip(values.iter().copied()).collect();
        let counter = MeterCounter { joules_per_count: 1e-6, modulus };
        CounterRail { name: "a".into(), counter, readings, unmoved: UnmovedCounter::Unknown }
    }

    #[test]
    fn the_sum_is_the_difference_of_the_readings() {
        let times = [1.0, 2.0, 2.5, 4.0, 5.0];
        // One count before it starts anew at 10 J, and a reading that was not refreshed.
        let values = [9_000_000, 9_500_000, 9_500_000, 1_000_000, 2_000_000];
        let trace =
            power_trace_of_counters("x", &[rail(&times, &values, Some(10_000_000))]).unwrap();
        let series = trace.series(&["a".into()]).unwrap();
        let whole = integrate(&series, Window { start_s: 1.0, end_s: 5.0 }).unwrap();
        assert!((whole.right_endpoint.0 - 3.0).abs() < 1e-12, "{whole:?}");
        assert_eq!(series.power_w, [0.5, 0.5, 0.75, 0.75, 1.0]);
        assert_eq!(trace.new.as_deref(), Some([false, true, false, true, true].as_slice()));
        assert_eq!(trace.update_period_us, Some(1_500_000), "2 s and 1 s");
    }

    #[test]
    fn two_chips_are_read_at_times_of_their_own() {
        let one = rail(&[1.0, 3.0, 3.0], &[0, 4_000_000, 4_000_000], None);
        let two = CounterRail {
            name: "b".into(),
            unmoved: UnmovedCounter::Nothing,
            ..rail(&[1.5, 2.5, 3.5], &[7, 7, 1_000_007], None)
        };
        let trace = power_trace_of_counters("x", &[one, two]).unwrap();
        assert_eq!(trace.uptime_s, [1.0, 1.5, 2.5, 3.0, 3.5]);
        let column = |at: usize| -> Vec<Option<f64>> {
            trace.power_w.chunks(2).map(|row| row[at]).collect()
        };
        assert_eq!(column(0), [Some(2.0), Some(2.0), Some(2.0), Some(2.0), None]);
        assert_eq!(column(1), [None, Some(0.0), Some(0.0), Some(1.0), Some(1.0)]);
        let both = trace.series(&["a".into(), "b".into()]).unwrap();
        let energy = integrate(&both, Window { start_s: 1.5, end_s: 3.0 }).unwrap();
        assert!((energy.right_endpoint.0 - 3.5).abs() < 1e-12, "{energy:?}");
    }

    #[test]
    fn a_counter_that_never_moves_is_no_meter() {
        let error = power_trace_of_counters("x", &[rail(&[1.0, 3.0], &[5, 5], None)])
            .unwrap_err()
            .to_string();
        assert_eq!(error, "x: no counter moved in 2.0 s: the device does not measure");
        let error = power_trace_of_counters("x", &[rail(&[1.0, 2.0], &[5, 4], None)])
            .unwrap_err()
            .to_string();
        assert!(error.contains("never wraps"), "{error}");
    }
}
