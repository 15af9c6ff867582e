//! A first look at a trace: which machines it is of, and which clocks they had. Cheap, as
//! hardly anything is decoded.

use std::collections::BTreeMap;
use std::io::{self, Read};

use prost::Message;

use super::fields::message_fields;
use super::packets::{PacketSource, SourcePacket};
use super::wire::{ClockSnapshot, TraceUuid};

/// `BuiltinClock`.
const REALTIME: u32 = 1;
const BOOTTIME: u32 = 6;

/// Fields of a packet that are records.
const RECORD_FIELDS: [u32; 6] = [1, 2, 11, 38, 40, 60];

/// Survey of a trace: its machines and their clocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraceSurvey {
    /// PacketReader of all machines; none in a file that is no trace.
    pub packets: u64,
    /// The trace's own number, which copies share; none in old traces.
    pub uuid: Option<(i64, i64)>,
    /// The machines with records by their numbers; 0 is the one on which the trace was
    /// recorded.
    pub machines: BTreeMap<u32, MachineSurvey>,
}

/// Survey of one machine in a trace: its clock, start and number of packets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MachineSurvey {
    /// PacketReader with records: of the kernel, of processes, rails, batteries, tracks.
    pub packets: u64,
    /// The wall clock's time of the machine's start in nanoseconds, by the first snapshot
    /// that has both clocks: traces of one start share it, but for steps of the wall clock.
    pub booted_ns: Option<i128>,
    /// The clock of the machine's events: `BOOTTIME` unless a snapshot names another.
    pub clock: u32,
}

/// Packet with the fields that a survey reads.
#[derive(Clone, PartialEq, Message)]
struct SurveyedPacket {
    #[prost(message, optional, tag = "6")]
    clock_snapshot: Option<ClockSnapshot>,
    #[prost(message, optional, tag = "89")]
    trace_uuid: Option<TraceUuid>,
    #[prost(uint32, tag = "98")]
    machine_id: u32,
}

/// Surveys a trace without decoding its records.
///
/// # Errors
/// What the input says.
pub fn survey_trace(input: impl Read + 'static) -> io::Result<TraceSurvey> {
    let mut source = PacketSource::new(input)?;
    let (mut found, mut bytes) = (TraceSurvey::default(), Vec::new());
    loop {
        match source.next(&mut bytes)? {
            SourcePacket::Packet => {
                if let Ok(packet) = SurveyedPacket::decode(bytes.as_slice()) {
                    let records =
                        message_fields(&bytes).any(|(number, _)| RECORD_FIELDS.contains(&number));
                    found.take(&packet, u64::from(records));
                }
            }
            SourcePacket::Unreadable => {}
            SourcePacket::End | SourcePacket::Truncated(_) => {
                found.machines.retain(|_, machine| machine.packets > 0);
                return Ok(found);
            }
        }
    }
}

impl TraceSurvey {
    fn take(&mut self, packet: &SurveyedPacket, records: u64) {
        self.packets += 1;
        let uuid = packet.trace_uuid.as_ref().map(|uuid| (uuid.msb, uuid.lsb));
        self.uuid = self.uuid.or(uuid);
        let fresh = MachineSurvey { clock: BOOTTIME, ..MachineSurvey::default() };
        let machine = self.machines.entry(packet.machine_id).or_insert(fresh);
        machine.packets += records;
        let Some(snapshot) = &packet.clock_snapshot else { return };
        if let Ok(clock @ 1..) = u32::try_from(snapshot.primary_trace_clock) {
            machine.clock = clock;
        }
        let read = |id: u32| {
            let clock = snapshot.clocks.iter().find(|clock| clock.clock_id == id);
            clock.map(|clock| i128::from(clock.timestamp))
        };
        let booted = read(REALTIME).zip(read(BOOTTIME)).map(|(wall, boot)| wall - boot);
        machine.booted_ns = machine.booted_ns.or(booted);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::encode::{BatteryCounters, TraceEncoder, TracePacket};
    use super::*;

    #[test]
    fn machines_and_their_starts() {
        let mut trace = TraceEncoder::default();
        trace.clocks(&[(6, 1_000), (1, 51_000)]).clocks(&[(6, 2_000), (1, 59_000)]);
        trace.processes(&[(1, "init", 0)]);
        let battery = Some(BatteryCounters::default());
        trace.packet(TracePacket { machine_id: 7, battery, ..TracePacket::default() });
        trace.packet(TracePacket { machine_id: 8, ..TracePacket::default() });
        let trace_uuid = Some(TraceUuid { msb: 3, lsb: 4 });
        trace.packet(TracePacket { trace_uuid, ..TracePacket::default() });
        for bytes in [trace.0.clone(), trace.gzip(), trace.zstd_bundle().0] {
            let found = survey_trace(Cursor::new(bytes)).unwrap();
            assert_eq!((found.packets, found.uuid), (6, Some((3, 4))));
            let host = MachineSurvey { packets: 1, booted_ns: Some(50_000), clock: BOOTTIME };
            let guest = MachineSurvey { packets: 1, booted_ns: None, clock: BOOTTIME };
            assert_eq!(found.machines, BTreeMap::from([(0, host), (7, guest)]));
        }
    }
}
