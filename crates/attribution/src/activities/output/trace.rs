//! Analyses -> a Perfetto trace: per node the measured power and each component's power as
//! counters, and a track per component with the activities as slices.

use super::super::analysis::Analysis;
use super::super::equations::distinct_readings;
use super::super::label::{Label, Labels};
use crate::perfetto::{TraceBuilder, TrackId};

/// Returns the bytes of a Perfetto trace. Times are those of the logs, relative to the earliest
/// one.
#[must_use]
pub fn perfetto_trace(analyses: &[Analysis], labels: &Labels) -> Vec<u8> {
    let mut trace = TraceBuilder::default();
    let first = analyses.iter().filter_map(|a| Some(a.log.span()?.0)).min().unwrap_or_default();
    for analysis in analyses {
        let node = &analysis.log.node;
        let root = trace.track(format!("node {node}"), None);
        add_activity_slices(&mut trace, analysis, labels, root, first);
        add_power_counters(&mut trace, analysis, first);
        add_meter_counter(&mut trace, analysis, first);
    }
    trace.bytes()
}

fn ns_since(first: i64, at_ns: i64) -> u64 {
    u64::try_from(at_ns.saturating_sub(first)).unwrap_or(0)
}

fn add_activity_slices(
    trace: &mut TraceBuilder,
    analysis: &Analysis,
    labels: &Labels,
    root: TrackId,
    first: i64,
) {
    for (component, periods) in analysis.periods.activities.iter().enumerate() {
        if periods.iter().all(|period| period.logged.is_empty()) {
            continue;
        }
        let track = trace.track(&analysis.log.components[component].name, Some(root));
        let names = |all: &[Label]| -> String {
            all.iter().map(|label| labels.text(*label)).collect::<Vec<_>>().join(" + ")
        };
        for period in periods.iter().filter(|period| !period.logged.is_empty()) {
            let (logged, charged) = (names(&period.logged), names(&period.charged));
            let name =
                if logged == charged { logged } else { format!("{logged} (charged to {charged})") };
            let span = (ns_since(first, period.start_ns), ns_since(first, period.end_ns));
            trace.slice(track, span, &name, &[]);
        }
    }
}

/// Adds a counter for each component with a fitted power.
fn add_power_counters(trace: &mut TraceBuilder, analysis: &Analysis, first: i64) {
    let Some(powers) = &analysis.powers else { return };
    for (component, states) in analysis.periods.states.iter().enumerate() {
        let of = &analysis.columns.of[component];
        let power = |state: Option<usize>| -> Option<f64> {
            match of[state?] {
                None => Some(0.0),
                // Of those that can't be told apart, the first one stands for all.
                Some(column) => powers.of[column].map(|power| power.w),
            }
        };
        let joint = states
            .iter()
            .filter_map(|period| of[period.state?])
            .find(|column| powers.of[*column].is_some() && powers.twins(*column).len() > 1);
        if states.iter().all(|period| power(period.state).unwrap_or(0.0) == 0.0) {
            continue;
        }
        let node = &analysis.log.node;
        let name = joint.map_or_else(
            || analysis.log.components[component].name.clone(),
            |column| powers.column_name(column, &analysis.columns),
        );
        let track = trace.counter_track(format!("node {node}: power of {name}"), "W");
        for period in states {
            if let Some(power) = power(period.state) {
                trace.value(track, ns_since(first, period.start_ns), power);
            }
        }
    }
}

/// Adds a counter of the meter: at each reading the mean power until the next one.
fn add_meter_counter(trace: &mut TraceBuilder, analysis: &Analysis, first: i64) {
    let readings = distinct_readings(&analysis.log.readings);
    if readings.len() < 2 {
        return;
    }
    let track = trace.counter_track(format!("node {}: measured power", analysis.log.node), "W");
    for pair in readings.windows(2).filter(|pair| !pair[1].after_gap) {
        let time_s = (pair[1].at_ns - pair[0].at_ns) as f64 * 1e-9;
        if time_s > 0.0 {
            let power = (pair[1].energy_j - pair[0].energy_j) / time_s;
            trace.value(track, ns_since(first, pair[0].at_ns), power);
        }
    }
}
