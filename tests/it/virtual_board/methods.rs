//! Android's sampler of methods on boards before Android 10: what the runner sends is read by a
//! decoder of its own, and held against the ground truth's energies of methods and the program's
//! reader.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use wattline::toolchain::method_trace;
use wattline::virtual_board::{AdbdGeneration, BoardFile, BoardOptions};

use super::adb::{Adb, options};
use super::packages::{RUNNER, Workshop, install};

/// Frames of work in methods of different costs, and sleep.
const MAIN: &str = "package game;\n\npublic class Main {\n  private static int[] keys = new int[300];\n\n  \
    private static int mix(int frame) {\n    int mix = frame;\n    \
    for (int i = 0; i < 9000; i++) {\n      mix = mix * 31 + (mix >>> 7) ^ i;\n    }\n    return mix;\n  }\n\n  \
    private static double smooth(double first) {\n    double sum = first;\n    \
    for (int i = 0; i < 27000; i++) {\n      sum = sum * 0.5 + i;\n    }\n    return sum;\n  }\n\n  \
    private static void sort(int frame) {\n    \
    for (int i = 0; i < keys.length; i++) {\n      keys[i] = (i * 7919 + frame) % 1009;\n    }\n    \
    java.util.Arrays.sort(keys);\n  }\n\n  \
    public static void main(String[] args) throws Exception {\n    int frames = 0;\n    \
    for (String arg : args) {\n      \
    if (arg.startsWith(\"frames=\")) {\n        frames = Integer.parseInt(arg.substring(7));\n      }\n    }\n    \
    System.out.println(\"wattline: begin\");\n    double sum = 0;\n    \
    for (int frame = 0; frame < frames; frame++) {\n      \
    sum += mix(frame) + smooth(frame);\n      sort(frame);\n      Thread.sleep(7);\n    }\n    \
    System.out.println(\"wattline: end\");\n    System.out.println(sum);\n  }\n}\n";

const INTERVAL_US: u32 = 1000;
/// From a look to the next: timers are late.
const LOOK_US: u32 = INTERVAL_US + 50;
const BUFFER_BYTES: u32 = 1 << 22;

/// A board of kind odroid-xu3, of another Android where that is said.
fn board(release: Option<(u32, &str)>, truth: &Path) -> Adb {
    let mut board = BoardFile::built_in("odroid-xu3").unwrap();
    if let Some((sdk, release)) = release {
        (board.sdk, board.release) = (sdk, release.into());
    }
    Adb::of(BoardOptions {
        board,
        truth: Some(truth.to_owned()),
        ..options(AdbdGeneration::Modern)
    })
}

/// The package of the frames, made once for all tests; none where a tool is out of reach.
static MADE: OnceLock<Option<Vec<u8>>> = OnceLock::new();

/// That package in a folder.
fn frames() -> Option<(Workshop, PathBuf)> {
    let workshop = Workshop::with_sources()?;
    fs::write(workshop.folder.path().join("src/game/Main.java"), MAIN).unwrap();
    let apk = workshop.folder.path().join("frames.apk");
    let package = MADE.get_or_init(|| {
        let is_made = workshop.package_of("game.toml", "frames", &[]);
        is_made.then(|| fs::read(workshop.folder.path().join("frames/application.apk")).unwrap())
    });
    fs::write(&apk, package.as_ref()?).unwrap();
    Some((workshop, apk))
}

/// What `am instrument` says of a sampled session.
fn sampled(adb: &Adb, buffer_bytes: u32) -> String {
    adb.shell(&format!(
        "setprop wattline.session one; am instrument -w -r -e frames 300 \
         -e wattline.sample '{INTERVAL_US} {buffer_bytes}' -e wattline.begin 'wattline: begin' \
         -e wattline.end 'wattline: end' {RUNNER}"
    ))
}

/// The trace in what the runner said.
fn trace(said: &str) -> Vec<u8> {
    let parts = said.lines().filter_map(|line| line.split_once("wattline.text="));
    let text: String = parts.map(|(_, text)| text).collect();
    let deflated = BASE64_STANDARD.decode(text).unwrap();
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(deflated.as_slice()).read_to_end(&mut bytes).unwrap();
    bytes
}

/// How often each stack was met, the outermost method first, of a trace with both clocks.
fn met(trace: &[u8]) -> BTreeMap<Vec<String>, u32> {
    let at = trace.windows(6).position(|part| part == b"\n*end\n").unwrap() + 6;
    let text = std::str::from_utf8(&trace[..at]).unwrap();
    let (facts, methods) = text.split_once("*methods\n").unwrap();
    assert!(facts.starts_with("*version\n3\ndata-file-overflow=false\nclock=dual\n"), "{facts}");
    let name = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let number = u32::from_str_radix(fields.first()?.strip_prefix("0x")?, 16).unwrap();
        Some((number, format!("{}.{}", fields[1], fields[2])))
    };
    let names: BTreeMap<u32, String> = methods.lines().filter_map(name).collect();
    assert_eq!(&trace[at..at + 8], b"SLOW\x03\x00\x20\x00");
    let word = |bytes: &[u8]| u32::from_le_bytes(*bytes.first_chunk().unwrap());
    let (mut stack, mut since, mut counts) = (Vec::new(), 0, BTreeMap::new());
    for row in trace[at + 32..].chunks_exact(14) {
        let (method, wall_us) = (word(&row[2..]), word(&row[10..]));
        if wall_us != since {
            // Dalvik's first look is the begin marker's.
            let first = u32::from(since == 0);
            *counts.entry(stack.clone()).or_default() += (wall_us - since) / LOOK_US - first;
        }
        since = wall_us;
        match method & 3 {
            0 => stack.push(names[&method].clone()),
            1 => assert_eq!(stack.pop().as_ref(), names.get(&(method & !3))),
            other => panic!("{other}"),
        }
    }
    counts
}

/// The truth's energies of the application's own methods.
fn true_methods(folder: &Path) -> BTreeMap<String, f64> {
    let mut reader = csv::Reader::from_path(folder.join("methods.csv")).unwrap();
    let rows = reader.records().map(|row| row.unwrap());
    let own = rows.filter(|row| &row[0] == "game.Main");
    own.map(|row| {
        let name = row[1].split('(').next().unwrap().to_owned();
        (format!("game.Main.{name}"), row[2].parse().unwrap())
    })
    .collect()
}

/// Within four standard deviations of counting, and half a sample.
#[track_caller]
fn check_share(what: &str, count: u32, of: u32, share: f64) {
    let expected = f64::from(of) * share;
    let deviation = (expected * (1.0 - share)).sqrt();
    let error = (f64::from(count) - expected).abs();
    println!("{what}: {count} of {of}, expected {expected:.1} +- {deviation:.1}");
    assert!(error <= 4.0 * deviation + 0.5, "{what}: {count} samples, expected {expected}");
}

#[test]
fn shares_of_methods_are_the_truths_on_old_androids() {
    let Some((_workshop, apk)) = frames() else { return };
    for (release, vm) in [(None, "dalvik"), (Some((23, "6.0.1")), "art")] {
        let truth = tempfile::tempdir().unwrap();
        let adb = board(release, truth.path());
        assert_eq!(install(&adb, &apk, "-r"), "");
        let said = sampled(&adb, BUFFER_BYTES);
        assert!(said.contains("wattline.end=whole") && !said.contains("sampler="), "{said}");
        let bytes = trace(&said);
        assert!(String::from_utf8_lossy(&bytes).contains(&format!("\nvm={vm}\n")));
        check_shares(&bytes, &truth.path().join("one"));
        let again = trace(&sampled(&adb, BUFFER_BYTES));
        assert!(met(&again).len() > 3, "a session that follows is sampled, too");
    }
}

fn check_shares(bytes: &[u8], truth: &Path) {
    let counts = met(bytes);
    let is_asleep = |stack: &[String]| stack.last().is_some_and(|name| name.ends_with(".sleep"));
    let mut own: BTreeMap<&str, u32> = BTreeMap::new();
    for (stack, count) in counts.iter().filter(|(stack, _)| !is_asleep(stack)) {
        assert!(stack.len() <= 2, "{stack:?}");
        *own.entry(stack.first().map_or("", String::as_str)).or_default() += count;
    }
    assert!(counts.keys().any(|stack| is_asleep(stack)), "{counts:?}");
    let library = vec!["game.Main.sort".to_owned(), "java.util.Arrays.sort".to_owned()];
    assert!(counts.contains_key(&library), "{counts:?}");
    own.retain(|name, _| name.starts_with("game.Main."));
    let all: u32 = own.values().sum();
    assert!(all > 500, "{all} samples");
    let truth = true_methods(truth);
    let total: f64 = truth.values().sum();
    for (method, joules) in &truth {
        check_share(method, own.get(method.as_str()).copied().unwrap_or(0), all, joules / total);
    }
    // The program's reader, which knows nothing of the board's writer, counts the same.
    let interval = Duration::from_micros(u64::from(INTERVAL_US));
    let stacks = method_trace::collapsed_samples(bytes, interval).unwrap();
    assert!(stacks.starts_with("# method-sampling dual\n"), "{stacks}");
    for (name, count) in own {
        let lines = stacks.lines().filter(|line| line.starts_with(&format!("{name}(")));
        let read: u32 = lines.map(|l| l.rsplit(' ').next().unwrap().parse::<u32>().unwrap()).sum();
        assert_eq!(read, count, "{name} in {stacks}");
    }
}

#[test]
fn what_goes_wrong_with_a_trace_is_told() {
    let Some((_workshop, apk)) = frames() else { return };
    let truth = tempfile::tempdir().unwrap();
    let adb = board(None, truth.path());
    assert_eq!(install(&adb, &apk, "-r"), "");
    let overflowed = trace(&sampled(&adb, 1500));
    let told = method_trace::collapsed_samples(&overflowed, Duration::from_millis(1)).unwrap_err();
    assert_eq!(told, method_trace::MethodTraceError::Overflow);
    let refused = sampled(&adb, 100);
    assert!(refused.contains("wattline.sampler=java.lang.IllegalArgument"), "{refused}");
    assert!(refused.contains("wattline.end=whole"), "the application itself ran: {refused}");
    adb.board().cause_fault(wattline::virtual_board::Fault::FillDisk);
    let full = sampled(&adb, BUFFER_BYTES);
    assert!(
        full.contains("wattline.sampler=java.lang.RuntimeException: Trace data write"),
        "{full}"
    );
    let old = board(Some((17, "4.2.2")), truth.path());
    assert_eq!(install(&old, &apk, "-r"), "");
    let none = sampled(&old, BUFFER_BYTES);
    let expected = "wattline.sampler=this Android has no sampler of methods: \
                    java.lang.ClassNotFoundException: dalvik.system.VMDebug";
    assert!(none.contains(expected), "{none}");
}
