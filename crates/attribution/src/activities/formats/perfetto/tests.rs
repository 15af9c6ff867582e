//! Tests of what is made of a trace.

use std::io::Cursor;

use super::*;
use crate::activities::{AnalysisOptions, Payer, analyse};
use crate::perfetto::encode::{
    BatteryCounters, ProcessDescriptor, TraceEncoder, TracePacket, TrackDescriptor, binder_call,
    binder_received, binder_reply, cpu_frequency, cpu_idle, marker_print, thread_switch,
};

const MS: u64 = 1_000_000;

/// A core that idles (1 W), runs at two frequencies (3 W and 6 W) and idles again; its
/// thread has two sections of the API, and one that is none.
fn trace() -> TraceEncoder {
    let mut trace = TraceEncoder::default();
    trace.clocks(&[(6, 1_000)]);
    trace.processes(&[(100, "com.example.app", 10_123)]);
    trace.threads(&[(101, 100, "worker")]);
    trace.rails(&["cpu", "other"]);
    for (ms, cpu) in [(0, 0), (100, 100), (200, 400), (300, 1000), (400, 1100)] {
        trace.energies(1000 + ms, &[cpu * 1000, 7 * ms]);
    }
    let at = |ms: u64| (1000 + ms) * MS;
    trace.bundle(
        0,
        vec![
            cpu_frequency(at(0), 0, 1_000_000),
            cpu_idle(at(0), 0, 1),
            thread_switch(at(100), (0, "swapper/0"), (101, "worker")),
            cpu_idle(at(100), 0, u32::MAX),
            marker_print(at(100), 101, "B|100|wattline:load\n"),
            cpu_frequency(at(200), 0, 2_000_000),
            marker_print(at(250), 101, "E|100\n"),
            marker_print(at(250), 101, "B|100|wattline:4:search\n"),
            marker_print(at(290), 101, "E|100\n"),
            thread_switch(at(300), (101, "worker"), (0, "swapper/0")),
            cpu_idle(at(300), 0, 1),
            marker_print(at(310), 101, "E|100\n"),
        ],
    );
    trace
}

fn read(bytes: Vec<u8>, rails: &[&str]) -> io::Result<(NodeLog, Labels)> {
    let mut labels = Labels::default();
    let rails = rails.iter().map(|rail| (*rail).to_owned()).collect();
    let options = PerfettoOptions { rails };
    let log = read_perfetto(Cursor::new(bytes), "phone", &mut labels, &options)?;
    Ok((log, labels))
}

#[test]
fn cores_frequencies_rails_and_sections() {
    let (log, mut labels) = read(trace().0, &["cpu"]).unwrap();
    let kinds: Vec<RemarkKind> = log.remarks.iter().map(|remark| remark.kind).collect();
    assert_eq!(kinds, [RemarkKind::EndWithoutBegin]);
    let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
    let powers = found.powers.unwrap();
    assert_eq!(found.columns.names, ["cpu0:active 1000000 kHz", "cpu0:active 2000000 kHz"]);
    let w: Vec<f64> = powers.of.iter().map(|power| power.unwrap().w).collect();
    assert!((powers.constant.w - 1.0).abs() < 1e-9 && (w[0] - 2.0).abs() < 1e-9, "{w:?}");
    assert!((w[1] - 5.0).abs() < 1e-9, "{w:?}");
    let account = found.account.unwrap();
    let by_payer = account.energies_by_payer();
    let of = |labels: &mut Labels, origin: &str, name: &str| {
        by_payer[&Payer::Activity(labels.intern(origin, name))]
    };
    assert!((of(&mut labels, "com.example.app", "load") - 0.45).abs() < 1e-9);
    assert!((of(&mut labels, "4", "search") - 0.20).abs() < 1e-9);
    assert!((of(&mut labels, "com.example.app", "-") - 0.05).abs() < 1e-9);
    assert!((account.split.total_j() - 1.1).abs() < 1e-9);
}

/// An application (thread 101, core 0) calls a service (201, core 1), which calls a second
/// one (301, core 2), each of which works for 100 ms; the service calls back.
fn calls() -> TraceEncoder {
    let mut trace = TraceEncoder::default();
    trace.clocks(&[(6, 1_000)]);
    trace.processes(&[(100, "app", 10_123), (200, "service", 1000), (300, "media", 1013)]);
    trace.threads(&[(101, 100, "main"), (201, 200, "binder:1"), (301, 300, "binder:2")]);
    let at = |ms: u64| (1000 + ms) * MS;
    let (cpu_idle, main) = ((0, "swapper"), (101, "main"));
    let (service, media) = ((201, "binder:1"), (301, "binder:2"));
    trace.bundle(
        0,
        vec![
            thread_switch(at(0), cpu_idle, main),
            marker_print(at(0), 101, "B|100|wattline:load\n"),
            binder_call(at(100), 101, 7, false),
            thread_switch(at(100), main, cpu_idle),
            // Called back while it waits.
            thread_switch(at(300), cpu_idle, main),
            binder_received(at(300) + 10, 101, 9),
            binder_reply(at(400), 101, 10),
            thread_switch(at(400), main, cpu_idle),
            thread_switch(at(600), cpu_idle, main),
            binder_received(at(600), 101, 11),
            marker_print(at(700), 101, "E|100\n"),
            binder_call(at(700), 101, 12, true),
            thread_switch(at(800), main, cpu_idle),
        ],
    );
    trace.bundle(
        1,
        vec![
            thread_switch(at(100), cpu_idle, service),
            binder_received(at(100), 201, 7),
            marker_print(at(110), 201, "B|200|query\n"),
            binder_call(at(200), 201, 8, true),
            marker_print(at(290), 201, "E|200\n"),
            binder_call(at(300), 201, 9, false),
            thread_switch(at(300), service, cpu_idle),
            thread_switch(at(400), cpu_idle, service),
            binder_received(at(400), 201, 10),
            binder_reply(at(500), 201, 11),
            thread_switch(at(600), service, cpu_idle),
            thread_switch(at(800), cpu_idle, service),
            binder_received(at(800), 201, 12),
            marker_print(at(850), 201, "B|200|wattline:cache\n"),
            marker_print(at(900), 201, "E|200\n"),
            // A transaction from before the trace.
            binder_received(at(900), 201, 1),
            thread_switch(at(1000), service, cpu_idle),
        ],
    );
    let media_work = [thread_switch(at(200), cpu_idle, media), binder_received(at(200), 301, 8)];
    trace.bundle(2, [&media_work[..], &[thread_switch(at(300), media, cpu_idle)]].concat());
    trace
}

#[test]
fn calls_carry_the_activity_into_other_processes() {
    let (log, mut labels) = read(calls().0, &[]).unwrap();
    let said: Vec<&str> = log.remarks.iter().map(|remark| remark.message.as_str()).collect();
    assert!(said[0].starts_with("1 binder transaction was received"), "{said:?}");
    assert!(!said.iter().any(|said| said.contains("never ends")), "{said:?}");
    let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
    let mut ms = |core: usize, origin: &str, name: &str| {
        let payer = Payer::Activity(labels.intern(origin, name));
        (found.times_s.get(&(core, payer)).copied().unwrap_or(0.0) * 1e3).round()
    };
    // 100 ms before the call, 100 called back, 100 after the reply; then its process's own.
    assert_eq!((ms(0, "app", "load"), ms(0, "app", "-")), (300.0, 100.0));
    // From the call to the reply, whatever the service calls its work.
    assert_eq!((ms(1, "app", "load"), ms(1, "service", "query")), (300.0, 0.0));
    // 100 ms between its reply and its sleep, 100 for a caller that is not known.
    assert_eq!(ms(1, "service", "-"), 200.0);
    // A call without an activity is for its process, but what the API names is itself.
    assert_eq!((ms(1, "app", "-"), ms(1, "service", "cache")), (50.0, 50.0));
    // Carried on, and nobody waits for it.
    assert_eq!((ms(2, "app", "load"), ms(2, "media", "-")), (100.0, 0.0));
}

#[test]
fn slices_of_threads_are_sections_too() {
    let mut trace = TraceEncoder::default();
    trace.clocks(&[(6, 1_000)]);
    trace.processes(&[(100, "app", 10_123)]);
    trace.thread_track(9, 100, 101);
    trace.bundle(0, vec![thread_switch(MS, (0, "swapper/0"), (101, "worker"))]);
    trace.slice(2 * MS, 9, Some("draw"));
    trace.slice(5 * MS, 9, None);
    trace.bundle(0, vec![thread_switch(7 * MS, (101, "worker"), (0, "swapper/0"))]);
    let (log, mut labels) = read(trace.0, &[]).unwrap();
    assert_eq!(log.remarks.last().map(|remark| remark.kind), Some(RemarkKind::NoMeter));
    let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
    let draw = Payer::Activity(labels.intern("app", "draw"));
    assert!((found.times_s[&(0, draw)] - 0.003).abs() < 1e-9, "{:?}", found.times_s);
}

/// Screen on from the start, one section that no thread holds from 1 s to 3 s.
fn with_sections(begin: &str, end: &str) -> TraceEncoder {
    let mut trace = TraceEncoder::default();
    trace.clocks(&[(6, 1_000)]).processes(&[(100, "app", 10_123)]);
    let at = |s: u64| s * 1000 * MS;
    let marks = ["C|100|ScreenState|2\n", begin, end, "C|100|ScreenState|0\n"];
    let marks = marks.iter().zip([0, 1, 3, 4]);
    trace.bundle(0, marks.map(|(text, s)| marker_print(at(s), 100, text)).collect());
    trace
}

fn screen_s(trace: TraceEncoder, name: &str) -> (f64, Vec<String>) {
    let (log, mut labels) = read(trace.0, &[]).unwrap();
    let said = log.remarks.iter().map(|remark| remark.message.clone()).collect();
    let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
    let section = Payer::Activity(labels.intern("app", name));
    let times = found.times_s.iter().filter(|((_, payer), _)| *payer == section);
    (times.map(|(_, s)| *s).sum(), said)
}

#[test]
fn sections_on_tracks_of_their_own_are_the_devices() {
    for (begin, end) in [
        ("S|100|get|7", "F|100|get|7"),
        ("G|100|net|get|7", "H|100|net|7"),
        ("G|100|net|get|7", "H|100|net|get|7"),
    ] {
        let (seconds, said) = screen_s(with_sections(begin, end), "get");
        assert!((seconds - 2.0).abs() < 1e-9, "{begin} {end}: {seconds} s {said:?}");
    }
    let (_, said) = screen_s(with_sections("Q|100|net|get|7", "E"), "get");
    assert!(said.iter().any(|said| said.contains("of the form Q|")), "{said:?}");
}

#[test]
fn slices_on_tracks_of_a_process_are_the_devices() {
    let mut trace = with_sections("I|100|now", "I|100|now");
    let process = Some(ProcessDescriptor { pid: 100, process_name: Vec::new() });
    let track = |uuid, parent_uuid, process| TracePacket {
        track_descriptor: Some(TrackDescriptor {
            uuid,
            parent_uuid,
            process,
            ..TrackDescriptor::default()
        }),
        ..TracePacket::default()
    };
    trace.packet(track(5, None, process)).packet(track(6, Some(5), None));
    trace.slice(1000 * MS, 6, Some("get")).slice(2500 * MS, 6, None);
    trace.slice(1000 * MS, 99, Some("whose")).slice(2500 * MS, 99, None);
    let (seconds, said) = screen_s(trace, "get");
    assert!((seconds - 1.5).abs() < 1e-9, "{seconds} s");
    assert!(said.iter().any(|said| said.starts_with("1 slice is on a track")), "{said:?}");
}

#[test]
fn a_battery_is_the_meter_for_want_of_rails() {
    let mut trace = calls();
    for (ms, uah) in [(900, 1000), (1900, 990), (2900, 970)] {
        for name in ["left", "right"] {
            let battery = BatteryCounters {
                name: name.into(),
                charge_counter_uah: Some(uah),
                voltage_uv: Some(4_000_000),
                ..BatteryCounters::default()
            };
            trace.battery(ms * MS, battery);
        }
    }
    let (log, _) = read(trace.0, &[]).unwrap();
    let energies: Vec<f64> = log.readings.iter().map(|reading| reading.energy_j).collect();
    // 10 uAh at 4 V are 0.144 J, of each of two batteries.
    assert_eq!(energies.len(), 3);
    assert!((energies[1] - 0.288).abs() < 1e-6 && (energies[2] - 0.864).abs() < 1e-6);
}

#[test]
fn a_remedy_is_for_traces_that_were_understood() {
    let no_meter = |trace: TraceEncoder| {
        let (log, _) = read(trace.0, &[]).unwrap();
        let found = log.remarks.into_iter().find(|r| r.kind == RemarkKind::NoMeter);
        found.unwrap().message
    };
    assert!(no_meter(calls()).contains("record it with"));
    let mut trace = calls();
    // Field 141 of a packet, which no Perfetto has yet.
    trace.0.extend([0x0a, 4, 0xea, 0x08, 1, 0]);
    assert!(!no_meter(trace).contains("record it with"));
}

#[test]
fn a_rail_that_is_not_there_is_named() {
    let error = read(trace().0, &["gpu"]).unwrap_err().to_string();
    assert_eq!(error, "there is no rail gpu; there are: cpu, other");
}

#[test]
fn a_trace_that_is_cut_off_gives_what_it_has() {
    let bytes = trace().0;
    let mut cut_off = 0;
    for length in (0..bytes.len()).step_by(7) {
        let Ok((log, labels)) = read(bytes[..length].to_vec(), &[]) else { continue };
        cut_off += usize::from(log.remarks.iter().any(|r| r.kind == RemarkKind::Truncated));
        if let Ok(found) = analyse(log, &labels, &AnalysisOptions::default()) {
            assert!(found.account.is_none_or(|account| account.is_conserved()));
        }
    }
    assert!(cut_off > 20, "{cut_off}");
}
