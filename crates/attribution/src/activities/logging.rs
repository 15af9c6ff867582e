//! What writing the log costs: every entry takes the processor some time, in which it is
//! active and the constant is drawn.

use wattline_units::assumptions::{ASSUMED, Assumptions};

use super::equations::StateColumns;
use super::log::{NodeLog, nanoseconds_to_seconds, seconds_to_nanoseconds};
use super::periods::ComponentPeriods;

/// Cost of writing a log: time and energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoggingCost {
    /// Entries written.
    pub entries: usize,
    /// Time it took, in seconds.
    pub time_s: f64,
    /// That time as a part of the time in which the processor was active.
    pub of_active: Option<f64>,
    /// The same as a part of the log's length.
    pub of_all: f64,
    /// Energy of the processor and the constant term in that time, in joules; none if the
    /// processor's power isn't known.
    pub energy_j: Option<f64>,
}

/// Windows of time in which the processor wrote the log.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LoggingWindows {
    component: Option<usize>,
    windows: Vec<(i64, i64)>,
    edges: Vec<i64>,
    entries: usize,
    active_s: f64,
    all_s: f64,
}

impl LoggingWindows {
    /// Returns the windows of a log that a processor wrote: one after each entry's time, as far as
    /// the processor was active.
    #[must_use]
    pub fn from_log(log: &NodeLog, periods: &ComponentPeriods, columns: &StateColumns) -> Self {
        let component = log.components.iter().position(|component| component.is_processor);
        let Some(component) = component.filter(|_| !log.written_ns.is_empty()) else {
            return Self::default();
        };
        let is_active = |state: Option<usize>| {
            state.is_some_and(|state| columns.of[component][state].is_some())
        };
        let active: Vec<(i64, i64)> = periods.states[component]
            .iter()
            .filter(|period| is_active(period.state))
            .map(|period| (period.start_ns, period.end_ns))
            .collect();
        let windows = find_windows(&log.written_ns, &active);
        let span = log.span().unwrap_or_default();
        Self {
            component: Some(component),
            edges: windows.iter().flat_map(|(start, end)| [*start, *end]).collect(),
            windows,
            entries: log.written_ns.len(),
            active_s: nanoseconds_to_seconds(active.iter().map(|(start, end)| end - start).sum()),
            all_s: nanoseconds_to_seconds(span.1 - span.0),
        }
    }

    /// Returns the times (ns) at which windows begin and end.
    #[must_use]
    pub fn window_edges(&self) -> &[i64] {
        &self.edges
    }

    /// Whether this component wrote the log at this time.
    #[must_use]
    pub fn is_logging(&self, component: usize, at_ns: i64) -> bool {
        if self.component != Some(component) {
            return false;
        }
        let after = self.windows.partition_point(|(start, _)| *start <= at_ns);
        after > 0 && at_ns < self.windows[after - 1].1
    }

    /// Returns the number of the component that writes the log, if there is one.
    #[must_use]
    pub fn logging_component(&self) -> Option<usize> {
        self.component
    }

    /// Returns the cost of logging from the assumed time of an entry, with the constant term's
    /// power in watts and the processor's energy in joules, where it is known.
    #[must_use]
    pub fn logging_cost(
        &self,
        constant_w: f64,
        processor_j: Option<f64>,
        assumed: &Assumptions,
    ) -> Option<LoggingCost> {
        self.component?;
        let processor_w = processor_j.filter(|_| self.active_s > 0.0).map(|j| j / self.active_s);
        let time_s = self.entries as f64 * assumed.log_entry_s;
        Some(LoggingCost {
            entries: self.entries,
            time_s,
            of_active: (self.active_s > 0.0).then(|| time_s / self.active_s),
            of_all: if self.all_s > 0.0 { time_s / self.all_s } else { 0.0 },
            energy_j: processor_w.map(|power| (power + constant_w) * time_s),
        })
    }
}

/// Returns the stretches of time in which entries are written: each begins at its entry's moment or
/// when the one before is done, and only active time counts.
fn find_windows(written_ns: &[i64], active: &[(i64, i64)]) -> Vec<(i64, i64)> {
    let cost = seconds_to_nanoseconds(ASSUMED.log_entry_s);
    let mut windows: Vec<(i64, i64)> = Vec::new();
    let mut free = i64::MIN;
    let mut at = 0;
    for written in written_ns {
        let (start, end) = (free.max(*written), free.max(*written) + cost);
        free = end;
        while active.get(at).is_some_and(|(_, until)| *until <= start) {
            at += 1;
        }
        let Some((from, until)) = active.get(at) else { break };
        let (start, end) = (start.max(*from), end.min(*until));
        match windows.last_mut() {
            _ if start >= end => {}
            Some(last) if last.1 == start => last.1 = end,
            _ => windows.push((start, end)),
        }
    }
    windows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_queue_and_only_active_time_counts() {
        let active = [(0, 300_000), (1_000_000, 1_050_000)];
        let found = find_windows(&[0, 10, 20, 1_000_000], &active);
        assert_eq!(found, [(0, 300_000), (1_000_000, 1_050_000)]);
        assert!(find_windows(&[500_000], &[(0, 10)]).is_empty());
    }

    #[test]
    fn the_papers_597_entries_take_60_7_ms() {
        let windows = LoggingWindows {
            component: Some(0),
            entries: 597,
            active_s: 0.0854,
            all_s: 48.0,
            ..LoggingWindows::default()
        };
        let cost = windows.logging_cost(2.48e-3, Some(4.29e-3 * 0.0854), &ASSUMED).unwrap();
        assert!((cost.time_s - 60.71e-3).abs() < 1e-5, "{cost:?}");
        assert!((cost.of_active.unwrap() - 0.7105).abs() < 1e-3, "{cost:?}");
        assert!((cost.energy_j.unwrap() - 0.41e-3).abs() < 5e-6, "{cost:?}");
        let slower = Assumptions { log_entry_s: 2.0 * ASSUMED.log_entry_s, ..ASSUMED };
        let slower = windows.logging_cost(2.48e-3, Some(4.29e-3 * 0.0854), &slower).unwrap();
        assert_eq!(slower.energy_j.unwrap(), 2.0 * cost.energy_j.unwrap());
    }
}
