//! Meters that accumulate: readings of counters -> power over time. The energy between
//! two readings in which a counter moved is spread evenly over the time between them, so
//! that the sum over a trace is the difference of its readings, to the last count.

use super::super::counter::Counter;
use super::super::trace::Trace;
use super::MeterError;

/// One rail's counter over a session.
pub(super) struct CounterRail {
    /// Its name.
    pub name: String,
    /// How it counts.
    pub counter: Counter,
    /// Its value at each reading; none where it was missing.
    pub values: Vec<Option<u64>>,
}

/// Power over time. A rail that never moves is an error when all do so: that is no meter
/// that reads 0 J, but one that does not measure.
pub(super) fn trace(
    meter: &'static str,
    times_s: &[f64],
    rails: &[CounterRail],
) -> Result<Trace, MeterError> {
    let no_power = |problem: String| MeterError::NoPower { meter, problem };
    if times_s.len() < 2 || rails.is_empty() {
        return Err(no_power("there are fewer than two readings with a counter".into()));
    }
    let columns: Vec<Vec<Option<f64>>> = rails
        .iter()
        .map(|rail| {
            powers(times_s, rail).map_err(|error| no_power(format!("{}: {error}", rail.name)))
        })
        .collect::<Result<_, _>>()?;
    let moved = columns.iter().flatten().any(|power| power.is_some_and(|power| power > 0.0));
    if !moved {
        let seconds = times_s[times_s.len() - 1] - times_s[0];
        return Err(no_power(format!(
            "no counter moved in {seconds:.1} s: the device does not measure"
        )));
    }
    let mut trace = Trace {
        rails: rails.iter().map(|rail| rail.name.clone()).collect(),
        uptime_s: times_s.to_vec(),
        ..Trace::default()
    };
    for at in 0..times_s.len() {
        trace.power_w.extend(columns.iter().map(|column| column[at]));
    }
    Ok(trace)
}

/// The rail's power up to each reading; none before its second one.
fn powers(
    times_s: &[f64],
    rail: &CounterRail,
) -> Result<Vec<Option<f64>>, super::super::counter::CounterError> {
    let mut powers = vec![None; times_s.len()];
    let mut last: Option<(usize, u64)> = None;
    for (at, value) in rail.values.iter().enumerate() {
        let Some(value) = *value else { continue };
        match last {
            // Not refreshed since: what it counted shows when it is.
            Some((_, before)) if before == value => continue,
            Some((from, before)) => {
                let joules = rail.counter.energy(&[before, value])?.0;
                let watts = joules / (times_s[at] - times_s[from]);
                powers[from + 1..=at].fill(Some(watts));
            }
            None => {}
        }
        last = Some((at, value));
    }
    // After the last move nothing was counted.
    if let Some((from, _)) = last {
        powers[from + 1..].fill(Some(0.0));
        powers[0] = powers.get(1).copied().flatten();
    }
    Ok(powers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::power::{Window, integrate};

    fn rail(values: &[u64], modulus: Option<u64>) -> CounterRail {
        let values = values.iter().map(|value| Some(*value)).collect();
        let counter = Counter { joules_per_count: 1e-6, modulus };
        CounterRail { name: "a".into(), counter, values }
    }

    #[test]
    fn the_sum_is_the_difference_of_the_readings() {
        let times = [1.0, 2.0, 2.5, 4.0, 5.0];
        // One count before it starts anew at 10 J, and a reading that was not refreshed.
        let rail = rail(&[9_000_000, 9_500_000, 9_500_000, 1_000_000, 2_000_000], Some(10_000_000));
        let trace = trace("x", &times, &[rail]).unwrap();
        let series = trace.series(&["a".into()]).unwrap();
        let whole = integrate(&series, Window { start_s: 1.0, end_s: 5.0 }).unwrap();
        assert!((whole.right_endpoint.0 - 3.0).abs() < 1e-12, "{whole:?}");
        assert_eq!(series.power_w, [0.5, 0.5, 0.75, 0.75, 1.0]);
    }

    #[test]
    fn a_counter_that_never_moves_is_no_meter() {
        let error = trace("x", &[1.0, 3.0], &[rail(&[5, 5], None)]).unwrap_err().to_string();
        assert_eq!(error, "x: no counter moved in 2.0 s: the device does not measure");
        let error = trace("x", &[1.0, 2.0], &[rail(&[5, 4], None)]).unwrap_err().to_string();
        assert!(error.contains("never wraps"), "{error}");
    }
}
