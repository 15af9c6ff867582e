//! One walk over all periods and readings of a node: stretches of time in which nothing
//! changes, with the part of the measured energy that falls into each.

use super::equations::distinct_readings;
use super::label::Label;
use super::log::{LoggedReading, NodeLog};
use super::periods::ComponentPeriods;

/// Readings of a meter as stretches of constant power.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SteppedMeter {
    readings: Vec<LoggedReading>,
}

impl SteppedMeter {
    /// Returns the stepped meter of a log; readings of one moment become one.
    #[must_use]
    pub fn from_log(log: &NodeLog) -> Self {
        Self { readings: distinct_readings(&log.readings) }
    }

    /// Returns the times (ns) of the first and last reading; zeros without readings.
    #[must_use]
    pub fn span(&self) -> (i64, i64) {
        let at = |reading: Option<&LoggedReading>| reading.map_or(0, |reading| reading.at_ns);
        (at(self.readings.first()), at(self.readings.last()))
    }
}

/// Stretch of time in which no state, no activity and no reading changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SteadySegment<'a> {
    /// Its start in nanoseconds.
    pub start_ns: i64,
    /// Its end.
    pub end_ns: i64,
    /// Its part of the measured energy in joules; none where nothing is known.
    pub measured_j: Option<f64>,
    /// State of each component; none where it isn't known.
    pub states: &'a [Option<usize>],
    /// Who pays for each component; empty for nobody.
    pub charged: &'a [&'a [Label]],
}

/// Visits the time that the meter covers in segments, cut also at `edges` and every `step_ns`.
pub fn sweep_segments(
    log: &NodeLog,
    periods: &ComponentPeriods,
    meter: &SteppedMeter,
    edges: &[i64],
    step_ns: i64,
    mut visit: impl FnMut(&SteadySegment<'_>),
) {
    let count = log.components.len();
    let cuts = cut_moments(periods, meter, edges, step_ns);
    let mut at_state = vec![0; count];
    let mut at_activity = vec![0; count];
    let mut states = vec![None; count];
    let mut charged: Vec<&[Label]> = vec![&[]; count];
    let mut at_cut = 0;
    for pair in meter.readings.windows(2) {
        let (from, to) = (pair[0].at_ns, pair[1].at_ns);
        let energy_j = (!pair[1].after_gap).then(|| pair[1].energy_j - pair[0].energy_j);
        let mut start_ns = from;
        loop {
            while cuts.get(at_cut).is_some_and(|cut| *cut <= start_ns) {
                at_cut += 1;
            }
            let end_ns = cuts.get(at_cut).map_or(to, |cut| (*cut).min(to));
            for component in 0..count {
                let all = &periods.states[component];
                while all.get(at_state[component]).is_some_and(|p| p.end_ns <= start_ns) {
                    at_state[component] += 1;
                }
                let now = all.get(at_state[component]).filter(|p| p.start_ns <= start_ns);
                states[component] = now.and_then(|period| period.state);
                let all = &periods.activities[component];
                while all.get(at_activity[component]).is_some_and(|p| p.end_ns <= start_ns) {
                    at_activity[component] += 1;
                }
                let now = all.get(at_activity[component]).filter(|p| p.start_ns <= start_ns);
                charged[component] = now.map_or(&[], |period| &period.charged);
            }
            let part =
                if to > from { (end_ns - start_ns) as f64 / (to - from) as f64 } else { 1.0 };
            let measured_j = energy_j.map(|energy| energy * part);
            let (states, charged) = (states.as_slice(), charged.as_slice());
            visit(&SteadySegment { start_ns, end_ns, measured_j, states, charged });
            start_ns = end_ns;
            if start_ns >= to {
                break;
            }
        }
    }
}

/// Returns all times (ns) at which something may change, in order.
fn cut_moments(
    periods: &ComponentPeriods,
    meter: &SteppedMeter,
    edges: &[i64],
    step_ns: i64,
) -> Vec<i64> {
    let states = periods.states.iter().flatten().map(|period| period.end_ns);
    let activities = periods.activities.iter().flatten();
    let activities = activities.flat_map(|period| [period.start_ns, period.end_ns]);
    let mut cuts: Vec<i64> = states.chain(activities).chain(edges.iter().copied()).collect();
    let (start, end) = meter.span();
    if step_ns > 0 {
        let steps = (end - start).div_euclid(step_ns);
        cuts.extend((1..=steps).map(|at| start + at * step_ns));
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}
