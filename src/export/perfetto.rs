//! A Perfetto trace (`protos/perfetto/trace/*.proto` of github.com/google/perfetto): a
//! track of sessions with their energies, and a counter track per power rail beside it.
//! Sessions stand one after the other, a second apart, as each board session starts its
//! clock anew; times are otherwise the samples'.

use std::collections::BTreeMap;

use prost::Message;

use super::{ExportData, Session};
use crate::power;

#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<Packet>,
}

#[derive(Clone, PartialEq, Message)]
struct Packet {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    uuid: u64,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(message, optional, tag = "8")]
    counter: Option<CounterDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct CounterDescriptor {
    #[prost(string, tag = "6")]
    unit_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    debug_annotations: Vec<DebugAnnotation>,
    #[prost(int32, tag = "9")]
    kind: i32,
    #[prost(uint64, tag = "11")]
    track_uuid: u64,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(double, optional, tag = "44")]
    double_counter_value: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
struct DebugAnnotation {
    #[prost(double, optional, tag = "5")]
    double_value: Option<f64>,
    #[prost(string, tag = "10")]
    name: String,
}

/// `TrackEvent.Type`.
const SLICE_BEGIN: i32 = 1;
const SLICE_END: i32 = 2;
const COUNTER: i32 = 4;
/// The only writer of the trace.
const SEQUENCE: u32 = 1;
/// The track of sessions; rails follow.
const SESSIONS: u64 = 1;
/// Between two sessions, in seconds.
const GAP_S: f64 = 1.0;

/// The bytes of the trace.
pub(super) fn perfetto(data: &ExportData<'_>) -> Vec<u8> {
    let sort = if data.is_virtual { "VIRTUAL board" } else { "board" };
    let mut trace = Trace::default();
    let title = format!("{}: sessions on {sort} {}", data.scenario, data.board);
    trace.describe(SESSIONS, title, None);
    let tracks = rails(data.sessions);
    for (rail, uuid) in &tracks {
        let watts = CounterDescriptor { unit_name: "W".into() };
        trace.describe(*uuid, format!("power {rail}"), Some(watts));
    }
    let mut start_s = 0.0;
    for session in data.sessions {
        start_s = trace.session(session, start_s, &tracks) + GAP_S;
    }
    trace.encode_to_vec()
}

/// A track for each rail of any session.
fn rails(sessions: &[Session]) -> BTreeMap<&str, u64> {
    let traces = sessions.iter().filter_map(|session| session.trace.as_ref());
    let mut tracks: BTreeMap<&str, u64> =
        traces.flat_map(|trace| &trace.rails).map(|rail| (rail.as_str(), 0)).collect();
    for (uuid, track) in (SESSIONS + 1..).zip(tracks.values_mut()) {
        *track = uuid;
    }
    tracks
}

impl Trace {
    fn describe(&mut self, uuid: u64, name: String, counter: Option<CounterDescriptor>) {
        let track_descriptor = Some(TrackDescriptor { uuid, name, counter });
        let trusted_packet_sequence_id = SEQUENCE;
        self.packet.push(Packet {
            trusted_packet_sequence_id,
            track_descriptor,
            ..Packet::default()
        });
    }

    fn event(&mut self, at_s: f64, event: TrackEvent) {
        self.packet.push(Packet {
            timestamp: Some((at_s.max(0.0) * 1e9).round() as u64),
            trusted_packet_sequence_id: SEQUENCE,
            track_event: Some(event),
            track_descriptor: None,
        });
    }

    /// One session from `start_s` on; returns its end.
    fn session(&mut self, session: &Session, start_s: f64, tracks: &BTreeMap<&str, u64>) -> f64 {
        let window = session.window;
        let times = session.trace.as_ref().map_or(&[][..], |trace| &trace.uptime_s);
        let first = times.first().map_or(window.start_s, |first| first.min(window.start_s));
        let last = times.last().map_or(window.end_s, |last| last.max(window.end_s));
        let shift = start_s - first;
        let energy =
            DebugAnnotation { name: "energy_j".into(), double_value: Some(session.energy_j) };
        let (track_uuid, name) = (SESSIONS, Some(session.name.clone()));
        let begin = TrackEvent {
            kind: SLICE_BEGIN,
            track_uuid,
            name,
            debug_annotations: vec![energy],
            ..TrackEvent::default()
        };
        let end = TrackEvent { kind: SLICE_END, track_uuid, ..TrackEvent::default() };
        self.event(window.start_s + shift, begin);
        self.event(window.end_s + shift, end);
        if let Some(trace) = &session.trace {
            self.counters(trace, shift, tracks);
        }
        last + shift
    }

    /// The samples of all rails; one that the sensor could not give is left out.
    fn counters(&mut self, trace: &power::Trace, shift: f64, tracks: &BTreeMap<&str, u64>) {
        let rows = trace.power_w.chunks_exact(trace.rails.len().max(1));
        for (at_s, row) in trace.uptime_s.iter().zip(rows) {
            for (rail, watts) in trace.rails.iter().zip(row) {
                let (Some(&track_uuid), Some(watts)) = (tracks.get(rail.as_str()), *watts) else {
                    continue;
                };
                let kind = COUNTER;
                let double_counter_value = Some(watts);
                let event =
                    TrackEvent { kind, track_uuid, double_counter_value, ..TrackEvent::default() };
                self.event(at_s + shift, event);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::sample;

    #[test]
    fn sessions_follow_each_other_and_every_sample_is_there() {
        let sample = sample::sample();
        let trace = Trace::decode(perfetto(&sample.data()).as_slice()).unwrap();
        let events: Vec<_> = trace
            .packet
            .iter()
            .filter_map(|packet| Some((packet.timestamp?, packet.track_event.as_ref()?)))
            .collect();
        let of = |kind: i32| events.iter().filter(move |(_, event)| event.kind == kind);
        let (begins, ends): (Vec<u64>, Vec<u64>) =
            (of(SLICE_BEGIN).map(|e| e.0).collect(), of(SLICE_END).map(|e| e.0).collect());
        assert_eq!(begins.len(), 2);
        assert!(begins[0] < ends[0] && ends[0] < begins[1] && begins[1] < ends[1]);
        assert_eq!(of(COUNTER).count(), 2 * 2 * 3, "sessions x rails x samples");
        let first = of(COUNTER).next().unwrap().1.double_counter_value;
        assert_eq!(first, Some(1.0));
    }
}
