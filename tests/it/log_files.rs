//! Logs as their tools and users pack them: compressed, in archives, in a bug report; and
//! what is in them and not read.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

/// Both outputs, and the exit code.
fn said(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let output = run(folder, arguments);
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.code().unwrap())
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(value.len() as u64), value.to_vec()].concat()
}

const SECOND: u64 = 1_000_000_000;

/// A trace of two processes that take turns of a second on one CPU, whose rail gives 1 W:
/// 10 s from `start_s` on, of a machine with a wall clock that is so many seconds ahead.
fn trace(names: [&str; 2], start_s: u64, wall_s: u64) -> Vec<u8> {
    let at = |s: u64| (start_s + s) * SECOND;
    let clock = |id: u64, ns: u64| bytes(1, &[number(1, id), number(2, ns)].concat());
    let clocks = [clock(6, at(0)), clock(1, at(0) + wall_s * SECOND), number(2, 6)].concat();
    let process = |pid, name: &str| bytes(1, &[number(1, pid), bytes(3, name.as_bytes())].concat());
    let tree = [process(100, names[0]), process(200, names[1])].concat();
    let rail = bytes(1, &[number(1, 0), bytes(2, b"CPU")].concat());
    let mut packets = vec![bytes(6, &clocks), bytes(2, &tree), bytes(40, &rail)];
    let mut switches = Vec::new();
    for s in 0..=10 {
        let (prev, next) = if s % 2 == 0 { (200, 100) } else { (100, 200) };
        let switch = [number(2, prev), bytes(5, b"x"), number(6, next)].concat();
        switches.extend(bytes(2, &[number(1, at(s)), bytes(4, &switch)].concat()));
        let energy =
            [number(1, 0), number(2, at(s) / 1_000_000), number(3, (start_s + s) * 1_000_000)];
        packets.push([number(8, at(s)), bytes(40, &bytes(2, &energy.concat()))].concat());
    }
    packets.push(bytes(1, &switches));
    packets.iter().flat_map(|packet| bytes(1, packet)).collect()
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn zstd(plain: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(plain, 3).unwrap()
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        builder.append_data(&mut header, name, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn a_trace_is_read_however_it_is_packed() {
    let folder = tempfile::tempdir().unwrap();
    let plain = trace(["app.one", "app.two"], 100, 1_000);
    for (name, content) in [
        ("plain", plain.clone()),
        ("trace.gz", gzip(&plain)),
        ("trace.zst", zstd(&plain)),
        ("bundle", bytes(1, &bytes(133, &zstd(&plain)))),
        ("a.zip", zip(&[("x/trace.pftrace", &plain), (".DS_Store", b"0123")])),
        ("packed.zip", zip(&[("trace.pftrace.zst", &zstd(&plain))])),
        ("a.tar", tar(&[("trace.pftrace", &plain)])),
        ("a.tar.gz", gzip(&tar(&[("trace.pftrace.gz", &gzip(&plain))]))),
        ("a.tar.zst", zstd(&tar(&[("trace.pftrace", &plain)]))),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
        let (text, code) = said(folder.path(), &["tenants", "perfetto", name, "--by", "process"]);
        assert_eq!(code, 0, "{name}: {text}");
        for process in ["app.one", "app.two"] {
            let row = text.lines().find(|line| line.contains(process)).unwrap();
            assert!(row.contains(" 5.00 J"), "{name}: {text}");
        }
        assert!(!text.contains("incomplete"), "{name}: {text}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 9, "nothing else is written");
}

#[test]
fn a_manifest_tells_the_machines_of_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let (phone, watch) =
        (trace(["app.one", "app.two"], 100, 50), trace(["hand", "face"], 7, 9_000));
    let manifest = br#"{"perfetto_manifest": {"version": 1, "files": [
        {"path": "p.pftrace", "machine": {"name": "phone"}},
        {"path": "w.pftrace", "machine": {"name": "watch"}}]}}"#;
    let entries: [(&str, &[u8]); 3] =
        [("p.pftrace", &phone), ("w.pftrace", &watch), ("perfetto_manifest.json", manifest)];
    fs::write(folder.path().join("two.tar"), tar(&entries)).unwrap();
    let tenants = ["tenants", "perfetto", "two.tar", "--by", "process"];
    let (text, code) = said(folder.path(), &tenants);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("--machine chooses one of phone, watch"), "{text}");
    let (text, code) = said(folder.path(), &[&tenants[..], &["--machine", "watch"]].concat());
    assert!(code == 0 && text.contains("hand") && !text.contains("app.one"), "{text}");
    let (text, code) = said(folder.path(), &[&tenants[..], &["--machine", "car"]].concat());
    assert!(code == 3 && text.contains("there are: phone, watch"), "{text}");
    // Without a manifest, machines that started at other times are two.
    fs::write(folder.path().join("two.tar"), tar(&entries[..2])).unwrap();
    let (text, _) = said(folder.path(), &tenants);
    assert!(text.contains("--machine chooses one of p.pftrace, w.pftrace"), "{text}");
}

#[test]
fn traces_of_one_start_of_a_machine_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let first = trace(["app.one", "app.two"], 100, 50);
    let second = trace(["app.one", "app.two"], 110, 50);
    let archive = zip(&[("1.pftrace", &first), ("2.pftrace", &second), ("note.txt", b"mine")]);
    fs::write(folder.path().join("day.zip"), archive).unwrap();
    let arguments = ["tenants", "perfetto", "day.zip", "--by", "process", "--format", "json"];
    let (text, code) = said(folder.path(), &arguments);
    assert_eq!(code, 0, "{text}");
    let mut objects = serde_json::Deserializer::from_str(&text).into_iter::<serde_json::Value>();
    let json = objects.next().unwrap().unwrap();
    let energy = json["energy_j"].as_f64().unwrap();
    assert!((energy - 20.0).abs() < 1e-6, "20 s at 1 W: {energy} J");
    let incomplete = json["incomplete"][0].as_str().unwrap();
    assert!(incomplete.contains("1 entry") && incomplete.contains("note.txt"), "{incomplete}");
}

#[test]
fn what_is_not_read_is_named_and_no_recording_is_blamed() {
    let folder = tempfile::tempdir().unwrap();
    // 3 records of a generic kernel, and no switch of Linux.
    let newer: Vec<u8> = (0..3).flat_map(|_| bytes(1, &bytes(117, &number(3, 7)))).collect();
    fs::write(folder.path().join("newer"), newer).unwrap();
    let (text, code) = said(folder.path(), &["tenants", "perfetto", "newer"]);
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("3 of packet.generic_kernel_task_state_event"), "{text}");
    assert!(!text.contains("record it with"), "{text}");
    // A trace that is understood and has none.
    let tree = bytes(1, &bytes(2, &bytes(1, &number(1, 7))));
    fs::write(folder.path().join("empty"), tree).unwrap();
    let (text, code) = said(folder.path(), &["tenants", "perfetto", "empty"]);
    assert!(code == 3 && text.contains("record it with the ftrace event"), "{text}");
    for (name, content, what) in [
        ("text", &b"# tracer: nop\n#\n"[..], "`wattline tenants perf` reads it"),
        ("json", b"{\"traceEvents\": []}", "a trace in JSON"),
        ("xz", b"\xfd7zXZ\0\0", "packed by xz"),
        ("perf.data", b"PERFILE2\0\0", "perf script"),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
        let (text, code) = said(folder.path(), &["tenants", "perfetto", name]);
        assert!(code == 3 && text.contains(what), "{name}: {code} {text}");
    }
}

#[test]
fn an_archive_without_a_log_is_told_by_its_entries() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.zip"),
        zip(&[("a.png", b"\x89PNG\r\n\x1a\n"), ("b.bin", b"\0")]),
    )
    .unwrap();
    for arguments in [["tenants", "perfetto"], ["tenants", "perf"], ["tenants", "dumpsys"]] {
        let (text, code) = said(folder.path(), &[&arguments[..], &["a.zip"]].concat());
        assert!(code == 3 && text.contains("a.png, b.bin"), "{arguments:?}: {text}");
        assert!(!text.contains("record"), "{text}");
    }
}

const HISTORY: &str = "Battery History [Format: 2] (6% used, 260KB used of 4096KB):\n\
    \x20 11-27 08:00:00.000 090 status=discharging volt=4000 charge=4000 +running\n\
    \x20 11-27 09:00:00.000 090 charge=3990\n\
    \x20 11-27 09:00:00.000 090 +screen +top=u0a216:\"org.example.reader\"\n\
    \x20 11-27 10:00:00.000 088 charge=3890 -screen -top=u0a216:\"org.example.reader\"\n\
    \x20 11-27 11:00:00.000 087 charge=3880\n\nPer-PID Stats:\n";

#[test]
fn the_archive_of_a_bug_report_is_read_by_its_main_entry() {
    let folder = tempfile::tempdir().unwrap();
    let report = "bugreport-phone-2026-11-27.txt";
    let plain = trace(["app.one", "app.two"], 100, 50);
    let entries: [(&str, &[u8]); 5] = [
        ("main_entry.txt", report.as_bytes()),
        ("dumpstate_log.txt", b"log"),
        ("version.txt", b"2.0"),
        (report, HISTORY.as_bytes()),
        ("FS/data/misc/perfetto-traces/bugreport/systrace.pftrace", &plain),
    ];
    fs::write(folder.path().join("bugreport.zip"), zip(&entries)).unwrap();
    let (text, code) = said(folder.path(), &["activities", "bugreport.zip", "--out", "out"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("device: 1728 J measured in 10800 s"), "{text}");
    assert!(text.contains("not-read: the archive has traces as well"), "{text}");
    let (text, code) =
        said(folder.path(), &["tenants", "perfetto", "bugreport.zip", "--by", "process"]);
    assert!(code == 0 && text.contains("app.one"), "{text}");
}

#[test]
fn an_archive_unpacks_to_no_more_than_its_size_allows_and_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("main_entry.txt", SimpleFileOptions::default()).unwrap();
    writer.write_all(b"../report.txt").unwrap();
    writer.start_file("../report.txt", SimpleFileOptions::default()).unwrap();
    writer.write_all(HISTORY.as_bytes()).unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    let archive = writer.finish().unwrap().into_inner();
    fs::write(folder.path().join("below/leaves.zip"), archive).unwrap();
    let below = folder.path().join("below");
    let (text, code) = said(&below, &["activities", "leaves.zip", "--out", "out"]);
    assert_eq!(code, 3, "{text}");
    assert!(!folder.path().join("report.txt").exists());

    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("bugreport-x.txt", SimpleFileOptions::default().large_file(true)).unwrap();
    let blank = vec![b'\n'; 1 << 20];
    (0..300).for_each(|_| writer.write_all(&blank).unwrap());
    fs::write(below.join("bomb.zip"), writer.finish().unwrap().into_inner()).unwrap();
    let (text, code) = said(&below, &["activities", "bomb.zip", "--out", "out"]);
    assert!(code == 3 && text.contains("bytes of an archive of its size"), "{text}");
}

/// Two threads that take turns on one CPU, as ftrace prints it.
const FTRACE: &str = "# tracer: nop\n\
    \x20 <idle>-0       [000] d..2.   100.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=red next_pid=100 next_prio=120\n\
    \x20    red-100     [000] d..2.   104.000000: sched_switch: prev_comm=red prev_pid=100 prev_prio=120 prev_state=S ==> next_comm=blue next_pid=200 next_prio=120\n\
    \x20   blue-200     [000] d..2.   110.000000: sched_switch: prev_comm=blue prev_pid=200 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";

#[test]
fn text_of_ftrace_is_read_packed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("meter.csv"), "time_s,power_w\n100,2\n110,2\n").unwrap();
    for (name, content) in [
        ("trace", FTRACE.as_bytes().to_vec()),
        ("trace.gz", gzip(FTRACE.as_bytes())),
        ("trace.zip", zip(&[("trace.txt", FTRACE.as_bytes())])),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
        let (text, code) = said(folder.path(), &["tenants", "perf", name, "--energy", "meter.csv"]);
        assert!(
            code == 0 && text.contains(" 12.0 J") && text.contains(" 8.00 J"),
            "{name}: {text}"
        );
    }
}

#[test]
fn what_is_no_text_of_switches_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let perf = |name: &str, content: &[u8]| {
        fs::write(folder.path().join(name), content).unwrap();
        said(folder.path(), &["tenants", "perf", name])
    };
    let (text, code) = perf("a.pftrace", &trace(["a", "b"], 1, 1));
    assert!(code == 3 && text.contains("`wattline tenants perfetto` reads it"), "{text}");
    let (text, code) = perf("trace.dat", b"\x17\x08\x44tracing6\0");
    assert!(code == 3 && text.contains("trace-cmd report"), "{text}");
    let (text, code) = perf("perf.data", b"PERFILE2");
    assert!(code == 3 && text.contains("perf script"), "{text}");
    let (text, code) = perf("prose", b"nothing\n");
    assert!(code == 3 && text.contains("line 1 is \"nothing\""), "{text}");
    let (text, code) = perf("half", b"red 1 [000] 1.5: x: y\nred 1 [000] sched_switch\n");
    assert!(code == 5 && text.contains("line 2"), "{text}");
    let (text, code) = perf("other", b"red 1 [000] 1.5: x: y\n");
    assert!(code == 3 && text.contains("record with `perf sched record`"), "{text}");
    let mut damaged = FTRACE.to_owned();
    damaged += "what is this\n";
    let (text, code) = perf("damaged", damaged.as_bytes());
    assert!(code == 0 && text.contains("the result is incomplete: 1 line "), "{text}");
}
