//! Track events: per packet sequence, names are interned, and times and tracks have
//! defaults; after lost packets a sequence's names are unknown until it says them anew.

use std::collections::BTreeMap;

use super::bundle::kernel_text;
use super::event::{TraceEventKind, Track};
use super::wire::{InternedData, PacketDefaults, TracePacket, TrackDescriptor, TrackEvent};

/// `TracePacket.SequenceFlags`.
const STATE_CLEARED: u32 = 1;
/// `TrackEvent.Type`.
pub(super) const SLICE_BEGIN: i32 = 1;
pub(super) const SLICE_END: i32 = 2;
const INSTANT: i32 = 3;
pub(super) const COUNTER: i32 = 4;

/// State of a packet sequence: its defaults and interned names.
#[derive(Debug, Default)]
pub struct PacketSequence {
    names: BTreeMap<u64, String>,
    defaults: PacketDefaults,
}

impl PacketSequence {
    /// Takes the defaults and interned names in a packet of the sequence.
    pub fn update(&mut self, packet: &mut TracePacket) {
        let is_cleared = packet.incremental_state_cleared;
        if is_cleared || packet.sequence_flags & STATE_CLEARED != 0 {
            *self = Self::default();
        }
        if packet.previous_packet_dropped != 0 && !is_cleared {
            self.names.clear();
        }
        if let Some(defaults) = packet.trace_packet_defaults.take() {
            self.defaults = defaults;
        }
        if let Some(InternedData { event_names }) = packet.interned_data.take() {
            self.names
                .extend(event_names.into_iter().map(|name| (name.iid, kernel_text(&name.name))));
        }
    }

    /// Returns the clock of a packet's time; `None` for the trace's.
    pub fn clock(&self, packet: &TracePacket) -> Option<u32> {
        packet.timestamp_clock_id.or(self.defaults.timestamp_clock_id)
    }

    /// Returns the kind of a track event; `None` for kinds that are not read.
    pub fn event(&self, event: &TrackEvent) -> Option<TraceEventKind> {
        let defaults = self.defaults.track_event_defaults.as_ref();
        let track = event.track_uuid.or(defaults.and_then(|d| d.track_uuid)).unwrap_or(0);
        let name = || match (&event.name, event.name_iid) {
            (Some(name), _) => Some(kernel_text(name)),
            (None, Some(iid)) => self.names.get(&iid).cloned(),
            (None, None) => Some(String::new()),
        };
        match event.kind {
            SLICE_BEGIN => Some(TraceEventKind::SliceBegin { track, name: name() }),
            SLICE_END => Some(TraceEventKind::SliceEnd { track }),
            INSTANT => Some(TraceEventKind::Instant { track, name: name() }),
            COUNTER => {
                let whole = event.counter_value.map(|value| value as f64);
                let value = event.double_counter_value.or(whole)?;
                Some(TraceEventKind::Counter { track, value })
            }
            _ => None,
        }
    }
}

/// Returns the track of a descriptor.
pub fn described_track(descriptor: &TrackDescriptor) -> Track {
    let process = descriptor.process.as_ref();
    let thread = descriptor.thread.as_ref();
    let own = [&descriptor.name, &descriptor.static_name, &descriptor.atrace_name];
    let own = own.into_iter().flatten().next().map(|name| kernel_text(name));
    let of_process = process.map(|process| kernel_text(&process.process_name));
    let of_thread = thread.map(|thread| kernel_text(&thread.thread_name));
    Track {
        uuid: descriptor.uuid,
        parent: descriptor.parent_uuid,
        name: own.or(of_thread).or(of_process).unwrap_or_default(),
        pid: thread.map(|thread| thread.pid).or(process.map(|process| process.pid)),
        tid: thread.map(|thread| thread.tid),
        unit: descriptor.counter.as_ref().map(|counter| kernel_text(&counter.unit_name)),
    }
}
