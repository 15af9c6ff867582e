//! Builds Perfetto traces (`protos/perfetto/trace/*.proto` of github.com/google/perfetto):
//! named tracks with slices that carry figures, and counter tracks. Times are nanoseconds;
//! the viewer shows them as they are.

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(super) struct Trace {
    #[prost(message, repeated, tag = "1")]
    pub packet: Vec<Packet>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Packet {
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    #[prost(uint32, tag = "10")]
    pub trusted_packet_sequence_id: u32,
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TrackDescriptor {
    #[prost(uint64, tag = "1")]
    pub uuid: u64,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    pub counter: Option<CounterDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct CounterDescriptor {
    #[prost(string, tag = "6")]
    pub unit_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TrackEvent {
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    #[prost(int32, tag = "9")]
    pub kind: i32,
    #[prost(uint64, tag = "11")]
    pub track_uuid: u64,
    #[prost(string, optional, tag = "23")]
    pub name: Option<String>,
    #[prost(double, optional, tag = "44")]
    pub double_counter_value: Option<f64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct DebugAnnotation {
    #[prost(double, optional, tag = "5")]
    pub double_value: Option<f64>,
    #[prost(string, tag = "10")]
    pub name: String,
}

/// `TrackEvent.Type`.
pub(super) const SLICE_BEGIN: i32 = 1;
pub(super) const SLICE_END: i32 = 2;
pub(super) const COUNTER: i32 = 4;
/// The only writer of the trace.
const SEQUENCE: u32 = 1;

/// A track, as slices and counter values name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Track(u64);

/// A trace in the making.
#[derive(Debug, Clone, Default)]
pub struct TraceBuilder {
    trace: Trace,
    tracks: u64,
}

impl TraceBuilder {
    /// Adds a track for slices, below `parent` if there is one.
    pub fn track(&mut self, name: impl Into<String>, parent: Option<Track>) -> Track {
        self.describe(name.into(), parent, None)
    }

    /// Adds a track for values over time, in `unit`.
    pub fn counter_track(&mut self, name: impl Into<String>, unit: &str) -> Track {
        let counter = CounterDescriptor { unit_name: unit.to_owned() };
        self.describe(name.into(), None, Some(counter))
    }

    /// Adds a slice from `begin_ns` to `end_ns` with figures beside its name.
    pub fn slice(
        &mut self,
        track: Track,
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
            track_uuid: track.0,
            name: Some(name.to_owned()),
            debug_annotations: figures.iter().map(annotation).collect(),
            ..TrackEvent::default()
        };
        let end = TrackEvent { kind: SLICE_END, track_uuid: track.0, ..TrackEvent::default() };
        self.event(begin_ns, begin);
        self.event(end_ns, end);
    }

    /// Adds a value of a counter track.
    pub fn value(&mut self, track: Track, at_ns: u64, value: f64) {
        let event = TrackEvent {
            kind: COUNTER,
            track_uuid: track.0,
            double_counter_value: Some(value),
            ..TrackEvent::default()
        };
        self.event(at_ns, event);
    }

    /// The bytes of the trace.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.trace.encode_to_vec()
    }

    fn describe(
        &mut self,
        name: String,
        parent: Option<Track>,
        counter: Option<CounterDescriptor>,
    ) -> Track {
        self.tracks += 1;
        let parent_uuid = parent.map(|parent| parent.0);
        let track_descriptor =
            Some(TrackDescriptor { uuid: self.tracks, name, parent_uuid, counter });
        self.trace.packet.push(Packet {
            trusted_packet_sequence_id: SEQUENCE,
            track_descriptor,
            ..Packet::default()
        });
        Track(self.tracks)
    }

    fn event(&mut self, at_ns: u64, event: TrackEvent) {
        self.trace.packet.push(Packet {
            timestamp: Some(at_ns),
            trusted_packet_sequence_id: SEQUENCE,
            track_event: Some(event),
            track_descriptor: None,
        });
    }
}
