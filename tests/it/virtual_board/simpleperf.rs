//! The board's simpleperf: its samples are pulled, read by a decoder of their own, and held
//! against the ground truth's energies of methods.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use prost::Message;
use wattline::virtual_board::simulated_model::SimulatedModelFamily;
use wattline::virtual_board::{AdbdGeneration, BoardFile, BoardOptions};

use super::adb::{Adb, has_tools, options};
use super::application::{is_without_agent, packed};

const PACKAGE: &str = "org.wattline.sampled";
const RATE_HZ: usize = 20_000;

/// The messages of AOSP's `cmd_report_sample.proto`, as far as they are looked at here.
#[derive(Clone, PartialEq, Message)]
struct Record {
    #[prost(message, optional, tag = "1")]
    sample: Option<Sample>,
    #[prost(message, optional, tag = "2")]
    lost: Option<Lost>,
    #[prost(message, optional, tag = "3")]
    file: Option<File>,
    #[prost(message, optional, tag = "4")]
    thread: Option<Thread>,
    #[prost(message, optional, tag = "5")]
    meta: Option<Meta>,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, tag = "1")]
    time: u64,
    #[prost(int32, tag = "2")]
    thread_id: i32,
    #[prost(message, repeated, tag = "3")]
    callchain: Vec<Entry>,
    #[prost(uint64, tag = "4")]
    event_count: u64,
}

#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(uint64, tag = "1")]
    vaddr_in_file: u64,
    #[prost(uint32, tag = "2")]
    file_id: u32,
    #[prost(int32, tag = "3")]
    symbol_id: i32,
    #[prost(int32, optional, tag = "4")]
    execution_type: Option<i32>,
}

#[derive(Clone, PartialEq, Message)]
struct Lost {
    #[prost(uint64, tag = "1")]
    sample_count: u64,
    #[prost(uint64, optional, tag = "2")]
    lost_count: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct File {
    #[prost(uint32, tag = "1")]
    id: u32,
    #[prost(string, tag = "2")]
    path: String,
    #[prost(string, repeated, tag = "3")]
    symbol: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
struct Thread {
    #[prost(int32, tag = "1")]
    thread_id: i32,
    #[prost(string, tag = "3")]
    thread_name: String,
}

#[derive(Clone, PartialEq, Message)]
struct Meta {
    #[prost(string, repeated, tag = "1")]
    event_type: Vec<String>,
    #[prost(string, tag = "2")]
    app_package_name: String,
}

/// A report with its names looked up.
#[derive(Debug, Default, PartialEq)]
struct Report {
    samples: Vec<Named>,
    event_types: Vec<String>,
}

#[derive(Debug, PartialEq)]
struct Named {
    time_ns: u64,
    thread: String,
    /// Path and symbol of each frame, the innermost first.
    frames: Vec<(String, String)>,
    executions: Vec<Option<i32>>,
}

fn records(bytes: &[u8]) -> Vec<Record> {
    let mut rest = bytes.strip_prefix(b"SIMPLEPERF\x01\x00").unwrap();
    let mut records = Vec::new();
    loop {
        let (length, after) = rest.split_first_chunk::<4>().unwrap();
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 {
            assert!(after.is_empty());
            return records;
        }
        records.push(Record::decode(&after[..length]).unwrap());
        rest = &after[length..];
    }
}

fn read(bytes: &[u8]) -> Report {
    let records = records(bytes);
    let files: Vec<File> = records.iter().filter_map(|record| record.file.clone()).collect();
    assert!(files.iter().enumerate().all(|(at, file)| file.id as usize == at));
    let threads = records.iter().filter_map(|record| record.thread.clone());
    let threads: BTreeMap<i32, String> =
        threads.map(|thread| (thread.thread_id, thread.thread_name)).collect();
    let frame = |entry: &Entry| {
        let file = &files[entry.file_id as usize];
        (file.path.clone(), file.symbol[entry.symbol_id as usize].clone())
    };
    let named = |sample: Sample| Named {
        time_ns: sample.time,
        thread: threads[&sample.thread_id].clone(),
        frames: sample.callchain.iter().map(frame).collect(),
        executions: sample.callchain.iter().map(|entry| entry.execution_type).collect(),
    };
    let samples: Vec<Sample> = records.iter().filter_map(|record| record.sample.clone()).collect();
    assert!(samples.iter().all(|sample| sample.event_count == 1_000_000_000 / RATE_HZ as u64));
    let lost = records.iter().find_map(|record| record.lost.clone()).unwrap();
    assert_eq!((lost.sample_count, lost.lost_count), (samples.len() as u64, Some(0)));
    let meta = records[0].meta.clone().unwrap();
    assert_eq!(meta.app_package_name, PACKAGE);
    Report { samples: samples.into_iter().map(named).collect(), event_types: meta.event_type }
}

/// A board of kind pixel with the application.
fn board(simulated_model: SimulatedModelFamily, truth: &Path) -> Option<Adb> {
    if !has_tools() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let apk = packed(folder.path(), "Sampled.java", PACKAGE)?;
    let board = BoardFile::built_in("pixel").unwrap();
    let truth = Some(truth.to_owned());
    let adb =
        Adb::of(BoardOptions { truth, simulated_model, board, ..options(AdbdGeneration::Modern) });
    let answer = adb.run(&["install", "-r", apk.to_str().unwrap()]);
    assert!(answer.stdout.contains("Success"), "{}{}", answer.stdout, answer.stderr);
    (!is_without_agent(&adb, PACKAGE, "Sampled")).then_some(adb)
}

/// Records a session whole; what was said, and the report.
fn recorded(adb: &Adb, label: &str, more: &str) -> (String, Report) {
    let said = adb.shell(&format!(
        "setprop wattline.session {label}; cd /data/local/tmp; \
         simpleperf record --app {PACKAGE} -e task-clock:u -f {RATE_HZ} -g --no-inherit \
         -o perf.data 2>said & perf=$!; sleep 0.25; \
         am start -W -n {PACKAGE}/.Sampled --es frames 240 >/dev/null; wait $perf; echo $?; \
         cat said; simpleperf report-sample --protobuf --show-callchain {more} -i perf.data \
         -o report.trace; echo $?"
    ));
    (said, pulled(adb))
}

fn pulled(adb: &Adb) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().join("report.trace");
    let answer = adb.run(&["pull", "/data/local/tmp/report.trace", here.to_str().unwrap()]);
    assert_eq!(answer.code, 0, "{}{}", answer.stdout, answer.stderr);
    read(&fs::read(here).unwrap())
}

/// The truth's energies of methods by their names, without parameters.
fn true_methods(folder: &Path) -> BTreeMap<String, f64> {
    let mut reader = csv::Reader::from_path(folder.join("methods.csv")).unwrap();
    let mut methods = BTreeMap::new();
    for row in reader.records() {
        let row = row.unwrap();
        let name = format!("{}.{}", &row[0], row[1].split('(').next().unwrap());
        *methods.entry(name).or_default() += row[2].parse::<f64>().unwrap();
    }
    methods
}

/// `void a.B.m(int)` and `a.B.m` are both `a.B.m`.
fn plain(symbol: &str) -> String {
    let name = symbol.split('(').next().unwrap();
    name.rsplit(' ').next().unwrap().to_owned()
}

/// Within four standard deviations of counting, and half a sample.
#[track_caller]
fn check_share(what: &str, count: usize, of: usize, share: f64) {
    let expected = of as f64 * share;
    let deviation = (expected * (1.0 - share)).sqrt();
    let error = (count as f64 - expected).abs();
    println!("{what}: {count} of {of}, expected {expected:.1} +- {deviation:.1}");
    assert!(error <= 4.0 * deviation + 0.5, "{what}: {count} samples, expected {expected}");
}

/// Whose frames are the application's: the last of a sample's main thread.
fn by_method(report: &Report) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for sample in &report.samples {
        let (_, symbol) = sample.frames.last().unwrap();
        if symbol.contains(PACKAGE) {
            *counts.entry(plain(symbol)).or_default() += 1;
        }
    }
    counts
}

#[test]
fn shares_of_methods_are_the_truths() {
    let folder = tempfile::tempdir().unwrap();
    let Some(adb) = board(SimulatedModelFamily::Additive, folder.path()) else { return };
    let (said, report) = recorded(&adb, "one", "");
    assert!(said.starts_with("0\n") && said.ends_with("\n0\n"), "{said}");
    assert!(said.contains(&format!("] Waiting for process of app {PACKAGE}\n")), "{said}");
    assert!(said.contains(". Samples lost: 0.\n"), "{said}");
    assert_eq!(report.event_types, ["task-clock:u"]);
    let truth = true_methods(&folder.path().join("one"));
    let total: f64 = truth.values().sum();
    let counts = by_method(&report);
    let all: usize = counts.values().sum();
    assert!(all > 1000, "{all} samples");
    for (method, joules) in &truth {
        let count = counts.get(method).copied().unwrap_or(0);
        check_share(method, count, all, joules / total);
    }
    check_names(&report);
    check_times(&report);
    let (_, again) = recorded(&adb, "one", "");
    assert!(again == report, "a session that is repeated gives what it gave");
    let (_, other) = recorded(&adb, "other", "");
    assert!(other != report, "another session's samples are others");
}

fn check_names(report: &Report) {
    let symbols = report.samples.iter().flat_map(|sample| &sample.frames);
    let symbols: std::collections::BTreeSet<&(String, String)> = symbols.collect();
    let has = |path: &str, symbol: &str| {
        assert!(symbols.contains(&(path.to_owned(), symbol.to_owned())), "{symbol}: {symbols:?}");
    };
    let oat = format!("/data/app/{PACKAGE}/oat/arm64/base.odex");
    has(&oat, &format!("int {PACKAGE}.Sampled.hash(int)"));
    has(&oat, &format!("long {PACKAGE}.Sampled.hash(java.lang.String)"));
    has("/system/framework/arm64/boot.oat", "java.util.Arrays.sort");
    for sample in &report.samples {
        assert!(sample.frames.len() <= 2, "{sample:?}");
        assert!(sample.executions.iter().all(Option::is_none), "{sample:?}");
        if sample.frames[0].1 == "java.util.Arrays.sort" {
            assert_eq!(sample.frames[1].1, format!("void {PACKAGE}.Sampled.sort(int)"));
            assert_eq!(sample.thread, "attline.sampled");
        }
    }
}

/// The samples lie in the session, in their order.
fn check_times(report: &Report) {
    let times: Vec<u64> = report.samples.iter().map(|sample| sample.time_ns).collect();
    assert!(times.is_sorted());
    // 240 frames of 16.7 ms from 0.25 s after the session's start on, and what they take more.
    let start = (BoardFile::built_in("pixel").unwrap().uptime_start_s * 1e9) as u64;
    assert!(times[0] >= start + 250_000_000, "{}", times[0]);
    let longest = times[times.len() - 1] - times[0];
    assert!((3_500_000_000..6_000_000_000).contains(&longest), "{longest}");
}

#[test]
fn compiled_code_has_states_compilers_and_no_inlined_frames() {
    let folder = tempfile::tempdir().unwrap();
    let Some(adb) = board(SimulatedModelFamily::Compiled(1), folder.path()) else { return };
    let (_, report) = recorded(&adb, "one", "--show-execution-type");
    let all = report.samples.len();
    let total = fs::read_to_string(folder.path().join("one/total.csv")).unwrap();
    let row: Vec<f64> =
        total.lines().nth(1).unwrap().split(',').map(|word| word.parse().unwrap()).collect();
    let of_thread = |name: &str| report.samples.iter().filter(|it| it.thread == name).count();
    let compiler = of_thread("Jit thread pool");
    let collector = of_thread("HeapTaskDaemon");
    check_share("compilation", compiler, all - collector, row[2] / row[0]);
    let kind = |path: &str, execution: i32| {
        let fits = |sample: &&Named| {
            let last = sample.frames.last().unwrap();
            last.0 == path && sample.executions.last() == Some(&Some(execution))
        };
        report.samples.iter().filter(fits).count()
    };
    let (bytecode, compiled) =
        (kind(&format!("/data/app/{PACKAGE}.apk"), 1), kind("[JIT app cache]", 2));
    println!("{all} samples: {bytecode} bytecode, {compiled} compiled, {compiler} compiler");
    assert!(bytecode > 0 && compiled > bytecode, "{bytecode} and {compiled} of {all}");
    // What is inlined is in its caller: together they are what the ground truth says of both.
    let counts = by_method(&report);
    let truth = true_methods(&folder.path().join("one"));
    let sum: f64 = truth.values().sum();
    let methods: usize = counts.values().sum();
    for alone in ["smooth", "sort"] {
        let name = format!("{PACKAGE}.Sampled.{alone}");
        check_share(&name, counts[&name], methods, truth[&name] / sum);
    }
}

#[test]
fn a_recording_ends_by_its_duration_or_when_it_is_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let Some(adb) = board(SimulatedModelFamily::Additive, folder.path()) else { return };
    let start = format!(
        "am force-stop {PACKAGE}; am start -W -n {PACKAGE}/.Sampled --es frames 100000 >/dev/null"
    );
    let of_duration = adb.shell(&format!(
        "cd /data/local/tmp; {start}; simpleperf record --app {PACKAGE} --duration 1.5 -f 1000 \
         2>&1; ls perf.data"
    ));
    assert!(of_duration.contains("] Hardware events are not available, switch to cpu-clock.\n"));
    assert!(of_duration.contains("] Recorded for 1.5 seconds. "), "{of_duration}");
    assert!(of_duration.ends_with("\nperf.data\n"), "{of_duration}");
    for signal in ["INT", "TERM"] {
        let of_signal = adb.shell(&format!(
            "cd /data/local/tmp; pid=$(pidof {PACKAGE}); \
             simpleperf record -p $pid -e cpu-clock -f {RATE_HZ} -o perf.data 2>said & perf=$!; \
             sleep 2; kill -{signal} $perf; wait $perf; echo $?; cat said; \
             simpleperf report-sample --protobuf -o report.trace"
        ));
        assert!(of_signal.starts_with("0\n"), "{of_signal}");
        assert!(of_signal.contains("] Recorded for 2 seconds. "), "{of_signal}");
        let report = pulled(&adb);
        assert!(!report.samples.is_empty() && report.event_types == ["cpu-clock"]);
        assert!(report.samples.iter().all(|sample| sample.frames.len() == 1));
    }
    let waiting = format!(
        "am force-stop {PACKAGE}; cd /data/local/tmp; rm perf.data; \
         simpleperf record --app {PACKAGE} 2>/dev/null & perf=$!; sleep 1; kill -INT $perf; \
         wait $perf; echo $?; ls"
    );
    assert_eq!(adb.shell(&waiting), "130\nreport.trace\nsaid\n");
}

#[test]
fn wrong_calls_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let Some(adb) = board(SimulatedModelFamily::Additive, folder.path()) else { return };
    for (words, expected) in [
        (
            "record --app org.none",
            "Package org.none doesn't exist or isn't debuggable/profileable.",
        ),
        (&format!("record --app {PACKAGE} --frobnicate"), "Unknown option --frobnicate."),
        (&format!("record --app {PACKAGE} -o /none/x"), "Can't create output file in directory"),
        ("record -p 1", "Can't find process/thread 1"),
        ("report-sample --protobuf -i /none", "failed to open record file '/none'"),
        ("stat", "malformed command line: unknown command stat"),
    ] {
        let answer = adb.run(&["shell", &format!("simpleperf {words}")]);
        assert_eq!(answer.code, 1, "{words}");
        assert!(answer.stderr.starts_with("simpleperf E "), "{words}: {}", answer.stderr);
        assert!(answer.stderr.contains(expected), "{words}: {}", answer.stderr);
    }
}

#[test]
fn only_kinds_of_android_10_and_later_have_it() {
    if !has_tools() {
        return;
    }
    for (kind, code, expected) in [
        ("odroid-xu-e", 127, "not found"),
        ("odroid-xu3", 127, "not found"),
        ("phone", 1, "No threads to monitor."),
    ] {
        let board = BoardFile::built_in(kind).unwrap();
        let adb = Adb::of(BoardOptions { board, ..options(AdbdGeneration::Modern) });
        let answer = adb.run(&["shell", "simpleperf record"]);
        assert_eq!(answer.code, code, "{kind}");
        assert!(answer.stderr.contains(expected), "{kind}: {}", answer.stderr);
    }
}
