//! A Perfetto trace (`protos/perfetto/trace/*.proto` of github.com/google/perfetto): a track of
//! sessions with their energies, and a counter track for each power rail. Sessions follow each
//! other a second apart, as each session restarts the board's clock; times are otherwise those of
//! the samples.

use std::collections::{BTreeMap, BTreeSet};

use super::data::{ExportData, SessionTrace};
use crate::attribution::perfetto::{TraceBuilder, TrackId};
use crate::power;

/// Gap between sessions, in seconds.
const GAP_S: f64 = 1.0;

/// The bytes of the trace.
pub(super) fn perfetto(data: &ExportData<'_>) -> Vec<u8> {
    let mut trace = TraceBuilder::default();
    let title = format!("{}: sessions on {} {}", data.scenario, data.board_kind(), data.board);
    let sessions = trace.track(title, None);
    let tracks: BTreeMap<&str, TrackId> = rails(data.sessions)
        .into_iter()
        .map(|rail| (rail, trace.counter_track(format!("power {rail}"), "W")))
        .collect();
    let mut start_s = 0.0;
    for session in data.sessions {
        let shift = start_s - start_of(session);
        let at_ns = |at_s: f64| nanoseconds(at_s + shift);
        let span = (at_ns(session.window.start_s), at_ns(session.window.end_s));
        trace.slice(sessions, span, &session.name, &[("energy_j", session.energy_j)]);
        if let Some(samples) = &session.trace {
            counters(&mut trace, samples, shift, &tracks);
        }
        start_s = end_of(session) + shift + GAP_S;
    }
    trace.bytes()
}

/// Names of the rails of all sessions.
fn rails(sessions: &[SessionTrace]) -> BTreeSet<&str> {
    let traces = sessions.iter().filter_map(|session| session.trace.as_ref());
    traces.flat_map(|trace| &trace.rails).map(String::as_str).collect()
}

/// Time of a session's first event, in seconds.
fn start_of(session: &SessionTrace) -> f64 {
    let first = session.trace.as_ref().and_then(|trace| trace.uptime_s.first());
    first.map_or(session.window.start_s, |first| first.min(session.window.start_s))
}

/// Time of a session's last event, in seconds.
fn end_of(session: &SessionTrace) -> f64 {
    let last = session.trace.as_ref().and_then(|trace| trace.uptime_s.last());
    last.map_or(session.window.end_s, |last| last.max(session.window.end_s))
}

fn nanoseconds(at_s: f64) -> u64 {
    (at_s.max(0.0) * 1e9).round() as u64
}

/// Adds the samples of all rails; values that the sensor missed are left out.
fn counters(
    trace: &mut TraceBuilder,
    samples: &power::PowerTrace,
    shift: f64,
    tracks: &BTreeMap<&str, TrackId>,
) {
    let rows = samples.power_w.chunks_exact(samples.rails.len().max(1));
    for (at_s, row) in samples.uptime_s.iter().zip(rows) {
        for (rail, watts) in samples.rails.iter().zip(row) {
            if let (Some(track), Some(watts)) = (tracks.get(rail.as_str()), *watts) {
                trace.value(*track, nanoseconds(at_s + shift), watts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribution::perfetto::{TraceEventKind, TraceReader};
    use crate::export::sample;

    #[test]
    fn sessions_follow_each_other_and_every_sample_is_there() {
        let sample = sample::sample();
        let trace = TraceReader::new(std::io::Cursor::new(perfetto(&sample.data()))).unwrap();
        let events: Vec<_> = trace.map(Result::unwrap).collect();
        let at = |is: fn(&TraceEventKind) -> bool| -> Vec<u64> {
            events.iter().filter(|event| is(&event.what)).filter_map(|event| event.at_ns).collect()
        };
        let begins = at(|what| matches!(what, TraceEventKind::SliceBegin { .. }));
        let ends = at(|what| matches!(what, TraceEventKind::SliceEnd { .. }));
        assert_eq!(begins.len(), 2);
        assert!(begins[0] < ends[0] && ends[0] < begins[1] && begins[1] < ends[1]);
        let values = events.iter().filter_map(|event| match event.what {
            TraceEventKind::Counter { value, .. } => Some(value),
            _ => None,
        });
        let values: Vec<f64> = values.collect();
        assert_eq!(values.len(), 2 * 2 * 3, "sessions x rails x samples");
        assert_eq!(values[0], 1.0);
    }
}
