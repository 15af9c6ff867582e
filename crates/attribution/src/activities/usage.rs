//! How long and how often: stretches of time in which a component was in a state, was away from
//! its baseline, or in which components worked for an activity, within the time that is
//! accounted for.

use std::collections::BTreeMap;

use super::analysis::Analysis;
use super::equations::distinct_readings;
use super::label::Label;
use super::log::nanoseconds_to_seconds;

/// Stretches of time in nanoseconds, in order, that neither overlap nor touch.
pub(crate) type Stretches = Vec<(i64, i64)>;

/// Total time and number of the occurrences of a state or an activity.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Occupancy {
    /// Seconds.
    pub time_s: f64,
    /// Stretches of time without a pause; one that was there when the log began is one too.
    pub occurrences: usize,
}

/// Times and occurrences of a node's states, components and activities.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeUsage {
    /// Seconds that duty cycles are shares of: those that the meter saw or, without a meter,
    /// the length of the log.
    pub watched_s: f64,
    /// By component and state.
    pub states: Vec<Vec<Occupancy>>,
    /// By component: in any known state but its baseline.
    pub components: Vec<Occupancy>,
    /// By activity: at least one component worked for it.
    pub activities: BTreeMap<Label, Occupancy>,
}

impl NodeUsage {
    /// Returns the times and occurrences of an analysed log.
    #[must_use]
    pub fn of(analysis: &Analysis) -> Self {
        let watched = accounted_time(analysis);
        let of_states = |component: usize| {
            let states = 0..analysis.log.components[component].states.len();
            let of = |state| occupancy(&state_stretches(analysis, component, state), &watched);
            states.map(of).collect()
        };
        let components = 0..analysis.log.components.len();
        let activities = stretches_by_activity(analysis).into_iter();
        Self {
            watched_s: watched.iter().map(|(start, end)| nanoseconds_to_seconds(end - start)).sum(),
            states: components.clone().map(of_states).collect(),
            components: components
                .map(|at| occupancy(&active_stretches(analysis, at), &watched))
                .collect(),
            activities: activities.map(|(label, all)| (label, occupancy(&all, &watched))).collect(),
        }
    }
}

/// Returns the stretches of time that are accounted for.
pub(crate) fn accounted_time(analysis: &Analysis) -> Stretches {
    if analysis.account.is_none() {
        return join_stretches(analysis.log.span().into_iter().collect());
    }
    let readings = distinct_readings(&analysis.log.readings);
    let known = readings.windows(2).filter(|pair| !pair[1].after_gap);
    join_stretches(known.map(|pair| (pair[0].at_ns, pair[1].at_ns)).collect())
}

/// Returns the stretches in which a component was in a state.
pub(crate) fn state_stretches(analysis: &Analysis, component: usize, state: usize) -> Stretches {
    let periods = analysis.periods.states[component].iter();
    let own = periods.filter(|period| period.state == Some(state));
    join_stretches(own.map(|period| (period.start_ns, period.end_ns)).collect())
}

/// Returns the stretches in which a component was in a known state other than its baseline.
pub(crate) fn active_stretches(analysis: &Analysis, component: usize) -> Stretches {
    let columns = &analysis.columns.of[component];
    let is_active = |state: Option<usize>| state.is_some_and(|state| columns[state].is_some());
    let periods = analysis.periods.states[component].iter();
    let own = periods.filter(|period| is_active(period.state));
    join_stretches(own.map(|period| (period.start_ns, period.end_ns)).collect())
}

/// Returns the stretches in which any component worked for an activity, by activity.
pub(crate) fn stretches_by_activity(analysis: &Analysis) -> BTreeMap<Label, Stretches> {
    let mut all: BTreeMap<Label, Stretches> = BTreeMap::new();
    for period in analysis.periods.activities.iter().flatten() {
        for label in &period.charged {
            all.entry(*label).or_default().push((period.start_ns, period.end_ns));
        }
    }
    all.into_iter().map(|(label, stretches)| (label, join_stretches(stretches))).collect()
}

/// Sorts stretches and joins those that overlap or touch.
pub(crate) fn join_stretches(mut all: Stretches) -> Stretches {
    all.retain(|(start, end)| start < end);
    all.sort_unstable();
    let mut found: Stretches = Vec::new();
    for (start, end) in all {
        match found.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => found.push((start, end)),
        }
    }
    found
}

/// Returns for each stretch the nanoseconds of it that lie within other stretches.
pub(crate) fn overlap_lengths<'a>(
    stretches: &'a [(i64, i64)],
    others: &'a [(i64, i64)],
) -> impl Iterator<Item = i64> + 'a {
    let mut first = 0;
    stretches.iter().map(move |(start, end)| {
        while others.get(first).is_some_and(|other| other.1 <= *start) {
            first += 1;
        }
        let near = others[first..].iter().take_while(|other| other.0 < *end);
        near.map(|other| other.1.min(*end) - other.0.max(*start)).sum()
    })
}

/// Returns total time and number of stretches within the accounted time.
fn occupancy(stretches: &[(i64, i64)], watched: &[(i64, i64)]) -> Occupancy {
    let parts: Vec<i64> = overlap_lengths(stretches, watched).filter(|part| *part > 0).collect();
    let time_s = parts.iter().map(|part| nanoseconds_to_seconds(*part)).sum();
    Occupancy { time_s, occurrences: parts.len() }
}

#[cfg(test)]
mod tests {
    use super::super::{AnalysisOptions, Labels, analyse, read_csv};
    use super::*;

    fn usage(lines: &str) -> (NodeUsage, Labels, Analysis) {
        let mut labels = Labels::default();
        let log = read_csv(&format!("time_s,component,event,value\n{lines}"), "1", &mut labels);
        let analysis = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
        (NodeUsage::of(&analysis), labels, analysis)
    }

    fn close(occupancy: Occupancy, time_s: f64, occurrences: usize) -> bool {
        (occupancy.time_s - time_s).abs() < 1e-9 && occupancy.occurrences == occurrences
    }

    #[test]
    fn stretches_without_a_pause_are_one() {
        assert_eq!(join_stretches(vec![(5, 7), (0, 2), (2, 3), (6, 9), (4, 4)]), [(0, 3), (5, 9)]);
        let parts: Vec<i64> =
            overlap_lengths(&[(0, 4), (5, 9), (20, 21)], &[(1, 2), (3, 7)]).collect();
        assert_eq!(parts, [2, 2, 0]);
    }

    #[test]
    fn states_components_and_activities_have_times_and_occurrences() {
        let (usage, mut labels, _) = usage(
            "0,R,state,off\n0,C,state,idle\n0,,energy,0\n1,R,state,on\n1,R,set,a\n1,,energy,1\n\
             2,R,state,loud\n2,C,state,busy\n2,C,set,a\n2,,energy,3\n3,R,state,off\n3,R,set,Idle\n\
             3,,energy,6\n4,C,state,idle\n4,C,clear,\n4,,energy,8\n6,R,state,on\n6,R,set,a\n\
             6,,energy,9\n7,R,state,off\n7,R,clear,\n7,,energy,10\n10,,energy,11\n",
        );
        assert!((usage.watched_s - 10.0).abs() < 1e-9);
        assert!(close(usage.states[0][1], 2.0, 2), "on: {:?}", usage.states);
        assert!(close(usage.states[0][2], 1.0, 1), "loud: {:?}", usage.states);
        assert!(close(usage.components[0], 3.0, 2), "on and loud follow each other");
        let a = usage.activities[&labels.intern("1", "a")];
        assert!(close(a, 4.0, 2), "from 1 to 4 s on either component: {a:?}");
        assert!((a.time_s / usage.watched_s - 0.4).abs() < 1e-12);
    }

    #[test]
    fn what_the_meter_did_not_see_does_not_count() {
        let (usage, _, _) = usage(
            "0,R,state,off\n1,,energy,0\n2,R,state,on\n2,,energy,1\n4,,energy,0.5\n5,R,state,off\n\
             5,,energy,2\n6,,energy,3\n9,R,state,on\n10,R,state,off\n",
        );
        assert!((usage.watched_s - 3.0).abs() < 1e-9, "1 to 2 s and 4 to 6 s");
        assert!(close(usage.states[0][1], 1.0, 1), "{:?}", usage.states);
    }

    #[test]
    fn without_a_meter_the_whole_log_counts() {
        let (usage, ..) = usage("0,R,state,off\n3,R,state,on\n4,R,state,off\n");
        assert!((usage.watched_s - 4.0).abs() < 1e-9);
        assert!(close(usage.components[0], 1.0, 1), "{usage:?}");
    }
}
