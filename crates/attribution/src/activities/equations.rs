//! Periods and readings -> one equation for every interval between two readings, grouped
//! by state vector: energy = time x (constant + powers of the states that were active).

use std::collections::BTreeMap;

use super::log::{LoggedReading, NodeLog, nanoseconds_to_seconds};
use super::periods::{ComponentPeriods, StatePeriod};

/// Columns of the regression: one unknown power for each state, except the baseline, of each class
/// of components.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateColumns {
    /// Name of each: `LED0:on`.
    pub names: Vec<String>,
    /// The column of each component's states; none for the baseline.
    pub of: Vec<Vec<Option<usize>>>,
    /// The baseline state of each component.
    pub baselines: Vec<String>,
}

impl StateColumns {
    /// Returns the columns of a log's components, in their order.
    #[must_use]
    pub fn from_log(log: &NodeLog) -> Self {
        let mut classes = BTreeMap::new();
        for component in &log.components {
            let class = classes
                .entry(component.class.as_str())
                .or_insert_with(|| super::log::Component::new(&component.class));
            component.states.iter().for_each(|state| {
                class.state_number(state);
            });
        }
        classes.values_mut().for_each(super::log::Component::choose_baseline);
        let mut columns = Self { names: Vec::new(), of: Vec::new(), baselines: Vec::new() };
        for component in &log.components {
            let class = &classes[component.class.as_str()];
            // A component of its own class may have had its baseline chosen by its reader.
            let is_alone = class.states.len() == component.states.len();
            let baseline = if is_alone { component.baseline } else { class.baseline };
            let states = if is_alone { &component.states } else { &class.states };
            let baseline = states.get(baseline).cloned().unwrap_or_default();
            let of = component.states.iter().map(|state| {
                (*state != baseline).then(|| columns.column_number(&component.class, state))
            });
            let of: Vec<_> = of.collect();
            columns.of.push(of);
            columns.baselines.push(baseline);
        }
        columns
    }

    fn column_number(&mut self, class: &str, state: &str) -> usize {
        let name = format!("{class}:{state}");
        self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }
}

/// Equation of the regression: energy and time of a state vector, or of an interval in which states
/// changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Equation {
    /// How many components were in each column's state, on average, by column; zeros left
    /// out.
    pub active: Vec<(usize, f64)>,
    /// Time, in seconds.
    pub time_s: f64,
    /// Energy, in joules.
    pub energy_j: f64,
}

impl Equation {
    /// Returns the mean power in watts.
    #[must_use]
    pub fn power_w(&self) -> f64 {
        self.energy_j / self.time_s
    }
}

/// Equations of a log, with the time that they leave out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Equations {
    /// One for each state vector, then one for each interval with changes inside.
    pub rows: Vec<Equation>,
    /// Intervals that they come from.
    pub intervals: usize,
    /// Intervals left out because a state was not known, or nothing is known of them.
    pub left_out: usize,
}

/// Returns the last reading of each moment; readings of one moment with a gap between them are kept
/// apart.
#[must_use]
pub fn distinct_readings(readings: &[LoggedReading]) -> Vec<LoggedReading> {
    let mut kept: Vec<LoggedReading> = Vec::with_capacity(readings.len());
    for reading in readings {
        match kept.last_mut() {
            Some(last) if last.at_ns == reading.at_ns && !reading.after_gap => {
                last.energy_j = reading.energy_j;
            }
            _ => kept.push(*reading),
        }
    }
    kept
}

/// Returns the equations of a log; intervals with one state vector are summed into one.
#[must_use]
pub fn build_equations(
    log: &NodeLog,
    periods: &ComponentPeriods,
    columns: &StateColumns,
) -> Equations {
    let readings = distinct_readings(&log.readings);
    let mut cursors: Vec<PeriodCursor> =
        periods.states.iter().map(|s| PeriodCursor::new(s)).collect();
    let mut groups: BTreeMap<Vec<Option<usize>>, (f64, f64)> = BTreeMap::new();
    let mut mixed = Vec::new();
    let mut all = Equations::default();
    for pair in readings.windows(2) {
        let (start, end) = (pair[0].at_ns, pair[1].at_ns);
        let (time_s, energy_j) =
            (nanoseconds_to_seconds(end - start), pair[1].energy_j - pair[0].energy_j);
        let parts: Vec<Vec<(Option<usize>, i64)>> =
            cursors.iter_mut().map(|cursor| cursor.state_times(start, end)).collect();
        let is_known = parts.iter().flatten().all(|(state, _)| state.is_some());
        if pair[1].after_gap || !is_known || time_s <= 0.0 {
            all.left_out += 1;
            continue;
        }
        all.intervals += 1;
        if parts.iter().all(|of_component| of_component.len() <= 1) {
            let vector = parts.iter().map(|p| p.first().and_then(|part| part.0)).collect();
            let group = groups.entry(vector).or_insert((0.0, 0.0));
            *group = (group.0 + time_s, group.1 + energy_j);
        } else {
            let active = mean_active_components(columns, &parts, (end - start) as f64);
            mixed.push(Equation { active, time_s, energy_j });
        }
    }
    all.rows = groups
        .into_iter()
        .map(|(vector, (time_s, energy_j))| {
            let parts: Vec<_> = vector.into_iter().map(|state| vec![(state, 1)]).collect();
            Equation { active: mean_active_components(columns, &parts, 1.0), time_s, energy_j }
        })
        .collect();
    all.rows.extend(mixed);
    all
}

/// Returns the mean number of components in each column's state during an interval.
fn mean_active_components(
    columns: &StateColumns,
    parts: &[Vec<(Option<usize>, i64)>],
    whole: f64,
) -> Vec<(usize, f64)> {
    let mut active = BTreeMap::new();
    for (component, of_component) in parts.iter().enumerate() {
        for (state, time) in of_component {
            if let Some(column) = state.and_then(|state| columns.of[component][state]) {
                *active.entry(column).or_insert(0.0) += *time as f64 / whole;
            }
        }
    }
    active.into_iter().collect()
}

/// Cursor over the state periods of one component.
struct PeriodCursor<'a> {
    periods: &'a [StatePeriod],
    at: usize,
}

impl<'a> PeriodCursor<'a> {
    fn new(periods: &'a [StatePeriod]) -> Self {
        Self { periods, at: 0 }
    }

    /// Returns the nanoseconds in each state from `start` to `end`; neither may decrease between
    /// calls.
    fn state_times(&mut self, start: i64, end: i64) -> Vec<(Option<usize>, i64)> {
        while self.periods.get(self.at).is_some_and(|period| period.end_ns <= start) {
            self.at += 1;
        }
        let mut parts: Vec<(Option<usize>, i64)> = Vec::new();
        for period in &self.periods[self.at.min(self.periods.len())..] {
            if period.start_ns >= end {
                break;
            }
            let time = period.end_ns.min(end) - period.start_ns.max(start);
            match parts.iter_mut().find(|(state, _)| *state == period.state) {
                Some(part) => part.1 += time,
                None => parts.push((period.state, time)),
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::super::label::Labels;
    use super::super::periods::follow_changes;
    use super::*;

    fn log() -> NodeLog {
        let mut log = NodeLog::new("1");
        for name in ["A", "B"] {
            let at = log.component_number(name);
            log.components[at].state_number("off");
            log.components[at].initial = Some(0);
        }
        log.set_state(10, 0, "on");
        log.set_state(20, 0, "off");
        log.set_state(30, 0, "on");
        log.set_state(44, 1, "on");
        log.sort();
        let read = |at_ns, energy_j| LoggedReading { at_ns, energy_j, after_gap: false };
        log.readings = vec![
            read(0, 0.0),
            read(10, 1.0),
            read(20, 3.0),
            read(30, 4.0),
            read(40, 6.0),
            read(48, 9.0),
        ];
        log
    }

    #[test]
    fn intervals_of_one_state_vector_are_one_equation() {
        let log = log();
        let periods = follow_changes(&log, &Labels::default(), (0, 48));
        let columns = StateColumns::from_log(&log);
        assert_eq!(columns.names, ["A:on", "B:on"]);
        let found = build_equations(&log, &periods, &columns);
        let rows: Vec<_> = found
            .rows
            .iter()
            .map(|row| (row.active.clone(), (row.time_s * 1e9).round(), row.energy_j))
            .collect();
        assert_eq!(
            rows,
            [
                (vec![], 20.0, 2.0),
                (vec![(0, 1.0)], 20.0, 4.0),
                (vec![(0, 1.0), (1, 0.5)], 8.0, 3.0)
            ]
        );
        assert_eq!((found.intervals, found.left_out), (5, 0));
    }

    #[test]
    fn components_of_a_class_share_a_column() {
        let mut log = log();
        log.components.iter_mut().for_each(|component| component.class = "AB".into());
        let columns = StateColumns::from_log(&log);
        assert_eq!(columns.names, ["AB:on"]);
        let periods = follow_changes(&log, &Labels::default(), (0, 48));
        let found = build_equations(&log, &periods, &columns);
        assert_eq!(found.rows[2].active, [(0, 1.5)]);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let mut log = log();
        log.components[1].initial = None;
        log.readings[5].after_gap = true;
        let periods = follow_changes(&log, &Labels::default(), (0, 48));
        let found = build_equations(&log, &periods, &StateColumns::from_log(&log));
        assert_eq!((found.intervals, found.left_out, found.rows.len()), (0, 5, 0));
    }

    #[test]
    fn readings_of_one_moment_are_one() {
        let read = |at_ns, energy_j, after_gap| LoggedReading { at_ns, energy_j, after_gap };
        let found =
            distinct_readings(&[read(1, 0.0, false), read(1, 2.0, false), read(3, 4.0, true)]);
        assert_eq!(found, [read(1, 2.0, false), read(3, 4.0, true)]);
    }
}
