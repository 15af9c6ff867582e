//! Builds Perfetto traces (`protos/perfetto/trace/*.proto` of github.com/google/perfetto):
//! named tracks with slices that carry figures, and counter tracks. Times are nanoseconds;
//! the viewer shows them as they are.

use prost::Message;

use super::sequence::{COUNTER, SLICE_BEGIN, SLICE_END};
use super::wire::{
    CounterDescriptor, DebugAnnotation, TracePacket, TrackDescriptor, TrackEvent, WireTrace,
};

/// Id of the only packet sequence of the trace.
const SEQUENCE: u32 = 1;

/// Id of a track, by which slices and counter values name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackId(u64);

/// Builder of a Perfetto trace.
#[derive(Debug, Clone, Default)]
pub struct TraceBuilder {
    trace: WireTrace,
    tracks: u64,
}

impl TraceBuilder {
    /// Adds a track for slices, below `parent` if there is one.
    pub fn track(&mut self, name: impl Into<String>, parent: Option<TrackId>) -> TrackId {
        self.describe(name.into(), parent, None)
    }

    /// Adds a track for values over time, in `unit`.
    pub fn counter_track(&mut self, name: impl Into<String>, unit: &str) -> TrackId {
        let counter = CounterDescriptor { unit_name: unit.as_bytes().to_owned() };
        self.describe(name.into(), None, Some(counter))
    }

    /// Adds a slice from `begin_ns` to `end_ns` with figures beside its name.
    pub fn slice(
        &mut self,
        track: TrackId,
        (begin_ns, end_ns): (u64, u64),
        name: &str,
        figures: &[(&str, f64)],
    ) {
        let annotation = |(name, value): &(&str, f64)| DebugAnnotation {
            name: (*name).to_owned(),
            double_value: Some(*value),
        };
        let begin = TrackEvent {
            kind: SLICE_BEGIN,
            track_uuid: Some(track.0),
            name: Some(name.as_bytes().to_owned()),
            debug_annotations: figures.iter().map(annotation).collect(),
            ..TrackEvent::default()
        };
        let end =
            TrackEvent { kind: SLICE_END, track_uuid: Some(track.0), ..TrackEvent::default() };
        self.event(begin_ns, begin);
        self.event(end_ns, end);
    }

    /// Adds a value of a counter track.
    pub fn value(&mut self, track: TrackId, at_ns: u64, value: f64) {
        let event = TrackEvent {
            kind: COUNTER,
            track_uuid: Some(track.0),
            double_counter_value: Some(value),
            ..TrackEvent::default()
        };
        self.event(at_ns, event);
    }

    /// Returns the bytes of the trace.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.trace.encode_to_vec()
    }

    fn describe(
        &mut self,
        name: String,
        parent: Option<TrackId>,
        counter: Option<CounterDescriptor>,
    ) -> TrackId {
        self.tracks += 1;
        let parent_uuid = parent.map(|parent| parent.0);
        let track_descriptor = Some(TrackDescriptor {
            uuid: self.tracks,
            name: Some(name.into_bytes()),
            parent_uuid,
            counter,
            ..TrackDescriptor::default()
        });
        self.trace.packet.push(TracePacket {
            trusted_packet_sequence_id: SEQUENCE,
            track_descriptor,
            ..TracePacket::default()
        });
        TrackId(self.tracks)
    }

    fn event(&mut self, at_ns: u64, event: TrackEvent) {
        self.trace.packet.push(TracePacket {
            timestamp: Some(at_ns),
            trusted_packet_sequence_id: SEQUENCE,
            track_event: Some(event),
            ..TracePacket::default()
        });
    }
}
