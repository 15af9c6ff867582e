//! Systrace-like state intervals: each line is one component in one state from a start to
//! an end, with the energy that somebody's table gives it (`Start Time (Seconds)`, `End
//! Time (Seconds)`, `Duration (Seconds)`, `Component`, `Energy Consumption (Joule)`). The
//! energies of all components together stand for a meter; what a state draws is then found
//! again by regression, or shown not to be determined.

use std::collections::BTreeMap;

use super::super::log::{
    Component, ComponentEvent, LoggedReading, NodeLog, StateChange, seconds_to_nanoseconds,
};
use super::super::remark::{Remark, RemarkKind, summarise_remarks};

/// Columns by which a table is recognised as one of this format.
pub const REQUIRED_COLUMNS: [&str; 4] =
    ["Start Time (Seconds)", "End Time (Seconds)", "Component", "Energy Consumption (Joule)"];

/// Largest overlap, in nanoseconds, of two intervals of one component that is taken for rounding.
const ROUNDING_NS: i64 = 1_000;

struct LoggedInterval {
    start_ns: i64,
    end_ns: i64,
    component: usize,
    state: String,
    energy_j: f64,
}

/// Reads a table of intervals; lines that cannot be used are skipped, with a remark.
///
/// # Errors
/// A column of `REQUIRED_COLUMNS` that is missing, by name.
pub fn read_intervals(text: &str, node: &str) -> Result<NodeLog, String> {
    let mut log = NodeLog::new(node);
    let mut lines = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let header = lines.headers().map_err(|error| error.to_string())?.clone();
    let mut columns = [0; 4];
    for (at, name) in REQUIRED_COLUMNS.iter().enumerate() {
        let column = header.iter().position(|column| column.trim() == *name);
        columns[at] = column.ok_or_else(|| format!("no column {name:?}"))?;
    }
    let mut intervals = Vec::new();
    for (at, record) in lines.records().enumerate() {
        let read = record
            .map_err(|error| error.to_string())
            .and_then(|record| read_interval(&mut log, &record, columns));
        match read {
            Ok(interval) => intervals.push(interval),
            Err(problem) => {
                let message = format!("line {}: {problem}; it is left out", at + 2);
                log.remarks.push(Remark::new(RemarkKind::Unreadable, message));
            }
        }
    }
    intervals.sort_by_key(|interval| (interval.component, interval.start_ns));
    add_state_changes(&mut log, &mut intervals);
    add_summed_meter(&mut log, &intervals);
    log.sort();
    log.components.iter_mut().for_each(Component::choose_baseline);
    log.remarks = summarise_remarks(log.remarks);
    Ok(log)
}

fn read_interval(
    log: &mut NodeLog,
    record: &csv::StringRecord,
    columns: [usize; 4],
) -> Result<LoggedInterval, String> {
    let field = |at: usize| record.get(columns[at]).unwrap_or("").trim();
    let number = |at: usize| {
        let value: f64 = field(at).parse().map_err(|_| format!("no number in {:?}", field(at)))?;
        let can_be = value.is_finite() && value.abs() < 9e9;
        if can_be { Ok(value) } else { Err(format!("the number {value} can't be")) }
    };
    let (start_ns, end_ns, energy_j) =
        (seconds_to_nanoseconds(number(0)?), seconds_to_nanoseconds(number(1)?), number(3)?);
    if end_ns <= start_ns {
        return Err("the interval has no length".into());
    }
    // The first interval of a component is marked by a word more.
    let name = field(2).trim_end_matches(" start");
    let (component, state) = name.rsplit_once(' ').ok_or(format!("no state in {name:?}"))?;
    let (component, state) = (log.component_number(component), state.to_owned());
    Ok(LoggedInterval { start_ns, end_ns, component, state, energy_j })
}

/// Adds the states in the order of their times; a component's state is lost between intervals.
fn add_state_changes(log: &mut NodeLog, intervals: &mut [LoggedInterval]) {
    let mut last: Option<(usize, i64)> = None;
    for interval in intervals {
        let until = last.filter(|(component, _)| *component == interval.component);
        if let Some((component, end)) = until {
            if interval.start_ns < end {
                let by = end.min(interval.end_ns) - interval.start_ns;
                remark_on_overlap(log, component, interval, by);
            } else if interval.start_ns > end + ROUNDING_NS {
                log.changes.push(StateChange {
                    at_ns: end,
                    component,
                    event: ComponentEvent::Lost,
                });
            }
        }
        log.set_state(interval.start_ns, interval.component, &interval.state);
        last = Some((interval.component, interval.end_ns));
    }
}

/// Adds a remark on two intervals of a component that overlap; the earlier one ends where the later
/// one begins.
fn remark_on_overlap(log: &mut NodeLog, component: usize, interval: &LoggedInterval, by_ns: i64) {
    if by_ns <= ROUNDING_NS {
        return;
    }
    let message = format!(
        "{}: the interval at {:.6} s begins {:.6} s before the one before ends",
        log.components[component].name,
        interval.start_ns as f64 * 1e-9,
        by_ns as f64 * 1e-9
    );
    log.remarks.push(Remark::at(RemarkKind::Overlap, interval.start_ns, message));
}

/// Adds a meter's readings: the summed energies of all intervals, each spread evenly over its time,
/// for the time in which every component has intervals.
fn add_summed_meter(log: &mut NodeLog, intervals: &[LoggedInterval]) {
    let mut spans: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
    let mut steps: BTreeMap<i64, f64> = BTreeMap::new();
    for interval in intervals {
        let span = spans.entry(interval.component).or_insert((i64::MAX, i64::MIN));
        *span = (span.0.min(interval.start_ns), span.1.max(interval.end_ns));
        let rate = interval.energy_j / (interval.end_ns - interval.start_ns) as f64;
        *steps.entry(interval.start_ns).or_insert(0.0) += rate;
        *steps.entry(interval.end_ns).or_insert(0.0) -= rate;
    }
    let start = spans.values().map(|span| span.0).max().unwrap_or_default();
    let end = spans.values().map(|span| span.1).min().unwrap_or_default();
    let (mut energy, mut rate, mut at) = (0.0, 0.0, start);
    for (moment, step) in steps {
        if moment > at && moment <= end {
            energy += rate * (moment - at) as f64;
            at = moment;
        }
        rate += step;
        if (start..=end).contains(&moment) {
            log.readings.push(LoggedReading { at_ns: moment, energy_j: energy, after_gap: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::activities::{AnalysisOptions, Labels, analyse};

    const TABLE: &str = "Start Time (Seconds),End Time (Seconds),Duration (Seconds),Component,\
        Energy Consumption (Joule)\n\
        0.0,2.0,2.0,core 0 cpu_idle start,0.2\n2.0,3.0,1.0,core 0 cpu_frequency,0.5\n\
        3.0,5.0,2.0,core 0 cpu_idle,0.2\n5,6,1,core 0 cpu_frequency,0.5\n\
        0.0,4.0,4.0,core 1 cpu_idle start,0.4\n4.0,6.0,2.0,core 1 cpu_frequency,1.0\n";

    #[test]
    fn powers_are_found_again() {
        let log = read_intervals(TABLE, "phone").unwrap();
        assert!(log.remarks.is_empty(), "{:?}", log.remarks);
        let found = analyse(log, &Labels::default(), &AnalysisOptions::default()).unwrap();
        let powers = found.powers.unwrap();
        assert_eq!(found.columns.names, ["core 0:cpu_frequency", "core 1:cpu_frequency"]);
        assert!((powers.constant.w - 0.2).abs() < 1e-9);
        assert!((powers.of[0].unwrap().w - 0.4).abs() < 1e-9);
        assert!((found.account.unwrap().split.total_j() - 2.8).abs() < 1e-9);
    }

    #[test]
    fn gaps_and_overlaps_are_said() {
        let text = format!(
            "{TABLE}5.5,7,1.5,core 0 cpu_idle,0.2\n8,9,1,core 0 cpu_idle,0.1\n9,9,0,x y,0\n"
        );
        let log = read_intervals(&text, "phone").unwrap();
        let kinds: Vec<RemarkKind> = log.remarks.iter().map(|remark| remark.kind).collect();
        assert_eq!(kinds, [RemarkKind::Unreadable, RemarkKind::Overlap]);
        assert!(log.changes.iter().any(|change| change.event == ComponentEvent::Lost));
        assert!(read_intervals("a,b\n1,2\n", "phone").unwrap_err().contains("Start Time"));
    }

    /// The recorded intervals of a Pixel 3, if the data are there.
    #[test]
    fn a_phones_intervals() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = root.join("../../../shared/data/pixel3-states/edgyapp2.csv");
        let Ok(text) = std::fs::read_to_string(&file) else {
            return crate::skip::outside(format!("{} is not there", file.display()));
        };
        let log = read_intervals(&text, "pixel3").unwrap();
        let found = analyse(log, &Labels::default(), &AnalysisOptions::default()).unwrap();
        let powers = found.powers.unwrap();
        assert_eq!(found.log.components.len(), 8);
        // The table gives 403 mW to a running and 15.2 mW to an idle core.
        for power in powers.of.iter().flatten() {
            assert!((power.w - (0.403 - 0.015_232)).abs() < 1e-3, "{power:?}");
        }
        assert!((powers.constant.w - 8.0 * 0.015_232).abs() < 1e-3, "{:?}", powers.constant);
        assert!(found.account.unwrap().is_conserved());
    }

    proptest! {
        #[test]
        fn any_table_makes_a_log_that_adds_up(
            rows in proptest::collection::vec(("[0-9]{1,2}", "[0-9]{1,2}", "c[01] (a|b)", "-?[0-9]"), 0..20),
        ) {
            let mut text = REQUIRED_COLUMNS.join(",") + "\n";
            for (start, end, name, energy) in rows {
                text += &format!("{start},{end},{name},{energy}\n");
            }
            let log = read_intervals(&text, "1").unwrap();
            prop_assert!(log.readings.is_sorted_by(|a, b| a.at_ns <= b.at_ns));
            if let Ok(found) = analyse(log, &Labels::default(), &AnalysisOptions::default()) {
                prop_assert!(found.account.is_none_or(|account| account.is_conserved()));
            }
        }
    }
}
