//! Whole traces: written by the test encoder, damaged, and held against Perfetto's own
//! definitions where the Python package is here.

use std::io::Cursor;

use proptest::prelude::*;

use super::encode::{TraceEncoder, cpu_frequency, cpu_idle, marker_print, thread_switch};
use super::wire::{self, BatteryCounters, FtraceBundle, TracePacket};
use super::*;

fn read(bytes: &[u8]) -> (Vec<TraceEvent>, Losses) {
    let mut reader = TraceReader::new(Cursor::new(bytes.to_vec())).unwrap();
    let events = reader.by_ref().map(|event| event.unwrap()).collect();
    (events, reader.losses().clone())
}

/// A trace with everything that is read.
fn sample() -> TraceEncoder {
    let mut trace = TraceEncoder::default();
    trace.clocks(&[(6, 1_000), (3, 400)]);
    trace.processes(&[(100, "com.example.app", 10_123), (200, "system_server", 1000)]);
    trace.threads(&[(101, 100, "RenderThread")]);
    trace.rails(&["VSYS_PWR_MMWAVE", "S4M_VDD_CPUCL0"]);
    trace.energies(1, &[10, 20]);
    let events = vec![
        thread_switch(5_000, (0, "swapper/0"), (101, "RenderThread")),
        cpu_frequency(5_500, 0, 1_401_000),
        marker_print(6_000, 101, "B|100|draw\n"),
        marker_print(7_000, 101, "E|100\n"),
        cpu_idle(8_000, 0, 2),
        cpu_idle(9_000, 0, u32::MAX),
        thread_switch(9_500, (101, "RenderThread"), (0, "swapper/0")),
    ];
    trace.bundle(0, events);
    trace.compact(1, &[(5_100, 200, "system_server"), (6_100, 0, "swapper/1")]);
    trace.compact(1, &[(7_100, 100, "example.app")]);
    let battery = BatteryCounters { charge_counter_uah: Some(5), ..BatteryCounters::default() };
    trace.battery(7_500, battery);
    trace.track(77, "uploads");
    trace.slice(8_000, 77, Some("upload"));
    trace.slice(9_000, 77, None);
    trace.energies(2, &[15, 40]);
    trace
}

#[test]
fn everything_written_is_read() {
    let (events, losses) = read(&sample().0);
    assert!(losses.findings().is_empty(), "{losses:?}");
    let text = |event: &TraceEvent| match event.at_ns {
        Some(at) => format!("{at} {:?}", event.what),
        None => format!("{:?}", event.what),
    };
    insta::assert_snapshot!(events.iter().map(text).collect::<Vec<_>>().join("\n"));
}

#[test]
fn gzip_and_compressed_packets_read_the_same() {
    let plain = read(&sample().0);
    assert_eq!(read(&sample().gzip()), plain);
    assert_eq!(read(&sample().compressed().0), plain);
    assert_eq!(read(&sample().compressed().gzip()), plain);
    assert_eq!(read(&sample().zstd_bundle().0), plain);
    assert_eq!(read(&sample().zstd_bundle().gzip()), plain);
    let zst = zstd::encode_all(sample().0.as_slice(), 3).unwrap();
    assert_eq!(read(&zst), plain);
    // A bundle in a bundle is none, and what comes after it is read.
    let mut nested = sample().compressed().zstd_bundle();
    nested.0.extend(sample().0);
    let (events, losses) = read(&nested.0);
    assert_eq!((events, losses.unreadable_packets), (plain.0, 1));
}

/// The bytes of a packet with one field, whose value is a message or a text.
fn packet_with(field: u32, value: &[u8]) -> Vec<u8> {
    let mut packet = Vec::new();
    prost::encoding::encode_key(field, prost::encoding::WireType::LengthDelimited, &mut packet);
    prost::encoding::encode_varint(value.len() as u64, &mut packet);
    packet.extend(value);
    let mut bytes = vec![0x0a];
    prost::encoding::encode_varint(packet.len() as u64, &mut bytes);
    bytes.extend(packet);
    bytes
}

#[test]
fn what_is_not_read_and_could_hold_an_answer_is_named() {
    let unread = |bytes: &[u8], wanted: &[RecordContent]| read(bytes).1.unread_findings(wanted);
    assert!(
        unread(
            &sample().0,
            &[RecordContent::Scheduling, RecordContent::Energy, RecordContent::Sections]
        )
        .is_empty()
    );
    let generic = [packet_with(117, &[8, 1]), packet_with(117, &[8, 2])].concat();
    let expected = "2 of packet.generic_kernel_task_state_event (field 117), which could hold who \
                    ran and is not read";
    assert_eq!(unread(&generic, &[RecordContent::Scheduling]), [expected]);
    assert!(unread(&generic, &[RecordContent::Energy]).is_empty());
    // Of any kind that there is not yet nobody knows what it holds.
    let newer = unread(&packet_with(1234, b"x"), &[RecordContent::Energy]);
    assert!(newer[0].contains("field 1234 of packet, which is newer than Perfetto"), "{newer:?}");
    // A battery (field 38) with a field 9, a bundle of kernel events with a field 12.
    let battery = unread(&packet_with(38, &[0x48, 1]), &[RecordContent::Energy]);
    assert!(battery[0].contains("field 9 of battery"), "{battery:?}");
    let bundle = unread(&packet_with(1, &[0x62, 1, 0]), &[RecordContent::Scheduling]);
    assert!(bundle[0].contains("field 12 of ftrace_events"), "{bundle:?}");
}

#[test]
fn switches_with_counters_are_missed_only_where_there_are_no_others() {
    // An event (field 2 of a bundle) with field 487.
    let with_counters = packet_with(1, &[0x12, 4, 0xba, 0x1e, 1, 0]);
    let alone = read(&with_counters).1;
    assert_eq!(alone.unread_findings(&[RecordContent::Scheduling]).len(), 1, "{alone:?}");
    let both = [with_counters, sample().0].concat();
    assert!(read(&both).1.unread.is_empty());
}

#[test]
fn a_machine_is_read_without_the_others() {
    let mut trace = sample();
    let alone = read(&trace.0);
    let guest = FtraceBundle {
        cpu: 0,
        event: vec![thread_switch(5_200, (0, "swapper/0"), (100, "guest"))],
        ..FtraceBundle::default()
    };
    trace.packet(TracePacket {
        ftrace_events: Some(guest),
        machine_id: 3,
        ..TracePacket::default()
    });
    let (events, losses) = read(&trace.0);
    assert_eq!(events, alone.0);
    assert_eq!(losses.other_machines, [(3, 1)].into());
    assert!(losses.unread_findings(&[])[0].contains("machine 3"));
    let guest = TraceReader::of_machine(Cursor::new(trace.0), 3, 0).unwrap();
    assert_eq!(guest.count(), 1);
}

#[test]
fn rails_are_of_their_session() {
    let rails = |sequence, session_uuid, name: &str| TracePacket {
        timestamp: Some(0),
        trusted_packet_sequence_id: sequence,
        power_rails: Some(wire::PowerRails {
            rail_descriptor: vec![wire::RailDescriptor {
                index: 0,
                rail_name: name.into(),
                subsys_name: Vec::new(),
            }],
            energy_data: Vec::new(),
            session_uuid,
        }),
        ..TracePacket::default()
    };
    let mut trace = TraceEncoder::default();
    trace.packet(rails(1, Some(7), "CPU")).packet(rails(1, Some(8), "USB"));
    trace.packet(rails(2, None, "GPU"));
    let keys: Vec<RailSession> = read(&trace.0)
        .0
        .into_iter()
        .filter_map(|event| match event.what {
            TraceEventKind::Rail { rail, .. } => Some(rail.session),
            _ => None,
        })
        .collect();
    assert_eq!(keys, [RailSession::Uuid(7), RailSession::Uuid(8), RailSession::Sequence(2)]);
}

#[test]
fn compact_switches_tell_who_leaves_until_events_are_lost() {
    let leaving = |events: Vec<TraceEvent>| -> Vec<Option<i32>> {
        let prev = |event: TraceEvent| match event.what {
            TraceEventKind::Switch { prev_tid, .. } => Some(prev_tid),
            _ => None,
        };
        events.into_iter().filter_map(prev).collect()
    };
    let mut trace = TraceEncoder::default();
    trace.compact(3, &[(10, 1, "a"), (20, 2, "b")]).compact(3, &[(30, 1, "a")]);
    assert_eq!(leaving(read(&trace.0).0), [None, Some(1), Some(2)]);
    let lossy = FtraceBundle { cpu: 3, lost_events: true, ..FtraceBundle::default() };
    trace.packet(TracePacket { ftrace_events: Some(lossy), ..TracePacket::default() });
    trace.compact(3, &[(40, 2, "b")]);
    let (events, losses) = read(&trace.0);
    assert_eq!(leaving(events), [None, Some(1), Some(2), None]);
    assert_eq!(losses.findings(), ["1 gap where the kernel's event buffer ran over"]);
}

#[test]
fn dropped_packets_may_have_held_switches_of_any_cpu() {
    let mut trace = TraceEncoder::default();
    trace.compact(0, &[(10, 1, "a")]).compact(1, &[(10, 2, "b")]);
    let compact_sched = Some(wire::CompactSched {
        switch_timestamp: vec![50],
        switch_next_pid: vec![3],
        switch_next_comm_index: vec![0],
        intern_table: vec![b"c".to_vec()],
    });
    let bundle = FtraceBundle { cpu: 1, compact_sched, ..FtraceBundle::default() };
    let ftrace_events = Some(bundle);
    trace.packet(TracePacket {
        ftrace_events,
        previous_packet_dropped: 1,
        ..TracePacket::default()
    });
    let (events, losses) = read(&trace.0);
    let lost = |cpu| TraceEvent { at_ns: Some(50), what: TraceEventKind::Lost { cpu } };
    assert_eq!(events[2..4], [lost(0), lost(1)]);
    assert!(matches!(events[4].what, TraceEventKind::Switch { prev_tid: None, next_tid: 3, .. }));
    assert_eq!(losses.dropped_packets, 1);
}

#[test]
fn events_in_other_clocks_are_told_in_the_traces_or_counted() {
    let mut trace = TraceEncoder::default();
    let raw = FtraceBundle {
        cpu: 0,
        event: vec![cpu_frequency(500, 0, 1)],
        ftrace_clock: 4,
        ..FtraceBundle::default()
    };
    let packet = TracePacket { ftrace_events: Some(raw), ..TracePacket::default() };
    trace.packet(packet.clone()).clocks(&[(6, 1_000), (5, 100)]).packet(packet);
    let global = FtraceBundle {
        cpu: 0,
        event: vec![cpu_frequency(500, 0, 2)],
        ftrace_clock: 2,
        ftrace_timestamp: 400,
        boot_timestamp: 9_000,
        ..FtraceBundle::default()
    };
    trace.packet(TracePacket { ftrace_events: Some(global), ..TracePacket::default() });
    let (events, losses) = read(&trace.0);
    assert_eq!(events.iter().map(|e| e.at_ns).collect::<Vec<_>>(), [Some(1_400), Some(9_100)]);
    assert_eq!(losses.timeless_events, 1);
}

#[test]
fn names_of_track_events_are_interned_per_sequence() {
    let mut trace = TraceEncoder::default();
    let begin = |sequence: u32, iid: u64| TracePacket {
        timestamp: Some(5),
        trusted_packet_sequence_id: sequence,
        track_event: Some(wire::TrackEvent {
            kind: 1,
            name_iid: Some(iid),
            ..wire::TrackEvent::default()
        }),
        ..TracePacket::default()
    };
    let name = wire::EventName { iid: 1, name: b"load".to_vec() };
    let mut first = begin(1, 1);
    first.interned_data = Some(wire::InternedData { event_names: vec![name] });
    first.trace_packet_defaults = Some(wire::PacketDefaults {
        track_event_defaults: Some(wire::TrackEventDefaults { track_uuid: Some(42) }),
        timestamp_clock_id: None,
    });
    let mut after_loss = begin(1, 1);
    after_loss.previous_packet_dropped = 1;
    trace.packet(first).packet(begin(1, 1)).packet(begin(2, 1)).packet(after_loss);
    let (events, losses) = read(&trace.0);
    let begins: Vec<_> = events.into_iter().map(|event| event.what).collect();
    let load = TraceEventKind::SliceBegin { track: 42, name: Some("load".into()) };
    let lost = |track| TraceEventKind::SliceBegin { track, name: None };
    assert_eq!(begins, [load.clone(), load, lost(0), lost(42)]);
    assert_eq!(losses.dropped_packets, 1);
}

#[test]
fn the_recorders_own_counts_of_losses_are_told() {
    let stats = |phase, overrun| wire::FtraceStats {
        phase,
        cpu_stats: vec![wire::FtraceCpuStats { cpu: 0, overrun, dropped_events: 1 }],
    };
    let buffer = wire::BufferStats {
        chunks_overwritten: 2,
        chunks_discarded: 0,
        trace_writer_packet_loss: 3,
    };
    let mut trace = TraceEncoder::default();
    for (phase, overrun) in [(1, 10), (2, 15)] {
        let ftrace_stats = Some(stats(phase, overrun));
        trace.packet(TracePacket { ftrace_stats, ..TracePacket::default() });
    }
    let trace_stats = Some(wire::TraceStats { buffer_stats: vec![buffer] });
    trace.packet(TracePacket { trace_stats, ..TracePacket::default() });
    let (_, losses) = read(&trace.0);
    assert_eq!((losses.kernel_events, losses.service_buffers), (5, 5));
}

#[test]
fn a_cut_trace_gives_what_it_has_and_says_so() {
    let bytes = sample().0;
    let all = read(&bytes).0;
    let (events, losses) = read(&bytes[..bytes.len() - 3]);
    assert!(events.len() < all.len() && all.starts_with(&events));
    let finding = losses.findings().concat();
    assert!(finding.contains("ends or is damaged in the packet at byte"), "{finding}");
    let zipped = sample().gzip();
    let (events, losses) = read(&zipped[..zipped.len() - 20]);
    assert!(all.starts_with(&events) && losses.truncation.is_some());
}

#[test]
fn perfettos_own_definitions_agree_with_the_encoder() {
    let Some(python) =
        crate::python::python_with("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    else {
        return crate::skip::outside("no Python with the package perfetto (WATTLINE_PYTHON)");
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sample.pftrace");
    std::fs::write(&file, sample().0).unwrap();
    let script = r#"
import sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
trace = pb.Trace(); trace.ParseFromString(open(sys.argv[1], "rb").read())
def unknown(message):
    from google.protobuf.unknown_fields import UnknownFieldSet
    assert len(UnknownFieldSet(message)) == 0, message
    for field, value in message.ListFields():
        if field.message_type:
            for one in (value if field.is_repeated else [value]): unknown(one)
unknown(trace)
for p in trace.packet:
    for e in p.ftrace_events.event:
        kind = e.WhichOneof("event"); print(e.timestamp, kind, " ".join(str(getattr(e, kind)).split()))
    c = p.ftrace_events.compact_sched
    if c.switch_timestamp: print(list(c.switch_timestamp), list(c.switch_next_pid), list(c.intern_table))
    for q in p.process_tree.processes: print(q.pid, q.cmdline[0], q.uid)
    for q in p.process_tree.threads: print(q.tid, q.tgid, q.name)
    for r in p.power_rails.rail_descriptor: print(r.index, r.rail_name)
    for r in p.power_rails.energy_data: print(r.timestamp_ms, r.index, r.energy)
    if p.HasField("battery"): print("battery", p.battery.charge_counter_uah)
    if p.HasField("clock_snapshot"): print([(c.clock_id, c.timestamp) for c in p.clock_snapshot.clocks])
    if p.HasField("track_event"): print(p.timestamp, pb.TrackEvent.Type.Name(p.track_event.type), p.track_event.name, p.track_event.track_uuid)
# And the other way round: a trace of theirs, for our reader.
theirs = pb.Trace()
p = theirs.packet.add(); p.process_tree.processes.add(pid=9, cmdline=["init"], uid=0)
b = theirs.packet.add().ftrace_events; b.cpu = 2
e = b.event.add(timestamp=50, pid=9); e.sched_switch.prev_pid = 9; e.sched_switch.next_pid = 0; e.sched_switch.next_comm = "swapper"
e.sched_switch.prev_state = 1
e = b.event.add(timestamp=60); e.sched_cpu_hotplug.affected_cpu = 2; e.sched_cpu_hotplug.status = 0
e = b.event.add(timestamp=70); e.gpu_frequency.gpu_id = 1; e.gpu_frequency.state = 5
e = b.event.add(timestamp=80); e.task_rename.pid = 9; e.task_rename.newcomm = "x"
e = b.event.add(timestamp=90); e.sys_enter.id = 1
p = theirs.packet.add(); p.packages_list.packages.add(name="com.a", uid=10007)
p = theirs.packet.add(); p.track_descriptor.uuid = 5; p.track_descriptor.thread.pid = 9; p.track_descriptor.thread.tid = 10; p.track_descriptor.thread.thread_name = "t"
p = theirs.packet.add(timestamp=95); p.track_event.type = pb.TrackEvent.TYPE_COUNTER; p.track_event.track_uuid = 5; p.track_event.counter_value = -4
p = theirs.packet.add(timestamp=96); p.battery.energy_counter_uwh = 8; p.battery.voltage_uv = 3900000; p.battery.current_ua = -2
open(sys.argv[1], "wb").write(theirs.SerializeToString())
"#;
    let output = std::process::Command::new(python).args(["-c", script]).arg(&file).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    insta::assert_snapshot!("as_perfetto_reads_it", String::from_utf8_lossy(&output.stdout));
    let (events, losses) = read(&std::fs::read(&file).unwrap());
    assert!(losses.findings().is_empty());
    let whats: Vec<String> = events.iter().map(|e| format!("{:?}", e.what)).collect();
    insta::assert_snapshot!("theirs_as_read_here", whats.join("\n"));
}

proptest! {
    #[test]
    fn damage_never_panics_and_never_hangs(
        at in 0_usize..600, byte in any::<u8>(), cut in 0_usize..600, zip in any::<bool>(),
    ) {
        let mut bytes = if zip { sample().gzip() } else { sample().0 };
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - cut % length);
        read(&bytes);
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&bytes);
    }
}
