//! Applications on the virtual board: installed, run by the device scripts, measured
//! by the sensors, and compared with the ground truth.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use wattline::toolchain::jar;
use wattline::virtual_board::simulated_model::SimulatedModelFamily;
use wattline::virtual_board::{AdbdGeneration, BoardOptions};

use super::adb::{Adb, has_tools, options};
use crate::host::javac;

const PACKAGE: &str = "org.wattline.frames";

/// Compiles and packs the application; none, said aloud, without a JDK.
fn application(folder: &Path) -> Option<PathBuf> {
    packed(folder, "Frames.java", PACKAGE)
}

/// A source of this folder as a jar for boards; none, said aloud, without a JDK. It is compiled
/// once for all tests.
pub fn packed(folder: &Path, source: &'static str, package: &str) -> Option<PathBuf> {
    static COMPILED: Mutex<BTreeMap<&str, Classes>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if !compiled.contains_key(source) {
        compiled.insert(source, classes(source)?);
    }
    let apk = folder.join("application.apk");
    fs::write(&apk, jar::pack(&[("Wattline-Package", package)], &compiled[source])).unwrap();
    Some(apk)
}

/// Class files by their names in a jar.
type Classes = BTreeMap<String, Vec<u8>>;

fn classes(source: &str) -> Option<Classes> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/virtual_board");
    let classes = tempfile::tempdir().unwrap();
    let mut javac = javac();
    javac.args(["-g", "-nowarn", "-d"]).arg(classes.path()).arg(sources.join(source));
    match javac.status() {
        Ok(status) => assert!(status.success()),
        Err(error) => {
            crate::skip::because(format!("no JDK on the path: {error}"));
            return None;
        }
    }
    Some(jar::read_folder(classes.path()).unwrap())
}

/// A board with the application and the device scripts, ready for sessions.
fn prepared(mode: AdbdGeneration, truth: &Path) -> Option<Adb> {
    prepared_on(SimulatedModelFamily::Additive, mode, truth)
}

/// The same with a chip.
fn prepared_on(
    simulated_model: SimulatedModelFamily,
    mode: AdbdGeneration,
    truth: &Path,
) -> Option<Adb> {
    if !has_tools() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let apk = application(folder.path())?;
    let adb =
        Adb::of(BoardOptions { truth: Some(truth.to_owned()), simulated_model, ..options(mode) });
    let answer = adb.run(&["install", "-r", apk.to_str().unwrap()]);
    assert!(answer.stdout.contains("Success"), "{}{}", answer.stdout, answer.stderr);
    assert_eq!(adb.shell("pm list packages"), format!("package:{PACKAGE}\n"));
    if is_without_agent(&adb, PACKAGE, "Frames") {
        return None;
    }
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("device-scripts");
    adb.shell("mkdir /data/local/tmp/wattline");
    for script in fs::read_dir(scripts).unwrap().flatten() {
        let path = script.path();
        adb.run(&["push", path.to_str().unwrap(), "/data/local/tmp/wattline/"]);
    }
    let prepared = adb.shell("sh /data/local/tmp/wattline/prepare.sh frequency_khz=1100000");
    assert!(prepared.contains("prepared=yes"), "{prepared}");
    Some(adb)
}

/// Whether the simulated energy model's agent can't be built on this machine, said aloud.
pub fn is_without_agent(adb: &Adb, package: &str, class: &str) -> bool {
    let tried = adb.run(&["shell", &format!("am start -W -n {package}/.{class} 2>&1")]).stdout;
    let is_without = tried.contains("agent");
    if is_without {
        crate::skip::because(&tried);
    }
    is_without
}

/// Runs a session of the device scripts and collects what it left.
fn session(adb: &Adb, label: &str, arguments: &str) -> String {
    adb.shell(&format!(
        "setprop wattline.session {label}; cd /data/local/tmp/wattline; \
         sh /data/local/tmp/wattline/session.sh period_us=33000 {arguments} && \
         sh /data/local/tmp/wattline/collect.sh {PACKAGE}"
    ))
}

/// Energy of all rails by the samples' right ends, and the time they span.
fn measured(text: &str) -> (f64, f64) {
    let samples = text.split("samples begin").nth(1).unwrap().split("@@").next().unwrap();
    let rows: Vec<Vec<f64>> = samples
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
        .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
        .collect();
    let joules = rows
        .windows(2)
        .map(|pair| (pair[1][0] - pair[0][0]) * pair[1][1..].iter().sum::<f64>())
        .sum();
    (joules, rows.last().unwrap()[0] - rows[0][0])
}

fn total_truth(folder: &Path) -> f64 {
    let text = fs::read_to_string(folder.join("total.csv")).unwrap();
    text.lines().nth(1).unwrap().split(',').next().unwrap().parse().unwrap()
}

/// Process numbers are the host's; all else repeats.
fn without_pids(text: &str) -> String {
    let line = |line: &str| -> String {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [date, time, _, _, rest @ ..] if time.contains(':') => {
                let rest: Vec<&str> =
                    rest.iter().copied().filter(|word| !word.ends_with(')')).collect();
                format!("{date} {time} {}", rest.join(" "))
            }
            _ if line.starts_with("app_pid=") => String::new(),
            _ => line.to_owned(),
        }
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

/// 300 frames with a tap in frame 30 and a swipe in frame 120.
fn active() -> String {
    format!(
        "package={PACKAGE} main={PACKAGE}.Frames extra=frames=300 counts=yes \
         step='500 tap 10 20' step='2010 swipe 1 2 3 4 300'"
    )
}

fn check_session(text: &str) {
    assert!(text.contains("exit=ok"), "{text}");
    // 500 ms is the start of frame 30; 2010 ms lies in frame 120.
    assert!(text.contains("09:00:00.500") && text.contains("frame 30: tap 10 20"), "{text}");
    assert!(text.contains("frame 121: swipe 1 2 3 4 300"), "{text}");
    // 300 arrays of 20 000 bytes: two collections of 2 MiB.
    assert_eq!(text.matches("GC_CONCURRENT freed 2048K").count(), 2, "{text}");
    assert!(text.contains("frame,300"), "{text}");
}

#[test]
fn sessions_repeat_and_their_energy_is_the_truth() {
    let truth = tempfile::tempdir().unwrap();
    let Some((adb, first)) = spends_the_truth(SimulatedModelFamily::Additive, truth.path()) else {
        return;
    };
    let again = session(&adb, "first", &active());
    assert_eq!(without_pids(&again), without_pids(&first));
    let other = session(&adb, "other", &active());
    assert_ne!(measured(&other), measured(&first), "another label has other noise");
}

#[test]
fn sessions_on_a_compiled_chip_spend_the_truth() {
    let truth = tempfile::tempdir().unwrap();
    spends_the_truth(SimulatedModelFamily::Compiled(1), truth.path());
}

/// A session whose energy above that of idling is what the ground truth says; with its board.
fn spends_the_truth(simulated_model: SimulatedModelFamily, folder: &Path) -> Option<(Adb, String)> {
    let adb = prepared_on(simulated_model, AdbdGeneration::Modern, folder)?;
    assert_eq!(adb.shell("getprop ro.wattline.simulated_model"), format!("{simulated_model}\n"));
    let first = session(&adb, "first", &active());
    check_session(&first);
    let idle = session(&adb, "idle", "idle_ms=5000");
    let ((active_j, active_s), (idle_j, idle_s)) = (measured(&first), measured(&idle));
    let spent = active_j - idle_j / idle_s * active_s;
    let expected = total_truth(&folder.join("first")) + 2.0 * 0.012;
    println!("{simulated_model}: measured {spent} J of {expected} J");
    assert!((spent / expected - 1.0).abs() < 0.03, "{simulated_model}: {spent} J of {expected} J");
    assert!(folder.join("first/lines.csv").is_file());
    assert!(!folder.join("idle").exists());
    Some((adb, first))
}

#[test]
fn sessions_run_on_a_legacy_board() {
    let folder = tempfile::tempdir().unwrap();
    let Some(adb) = prepared(AdbdGeneration::Legacy, folder.path()) else { return };
    check_session(&session(&adb, "only", &active()));
}

#[test]
fn applications_crash_stop_and_are_missing() {
    let folder = tempfile::tempdir().unwrap();
    let Some(adb) = prepared(AdbdGeneration::Modern, folder.path()) else { return };
    let crash = format!("package={PACKAGE} main={PACKAGE}.Frames extra=frames=10 extra=crash=yes");
    let crashed = session(&adb, "crash", &crash);
    assert!(crashed.contains("exit=died"), "{crashed}");
    assert!(crashed.contains("FATAL EXCEPTION: main"), "{crashed}");
    assert!(crashed.contains("IllegalStateException: on purpose"), "{crashed}");

    let unknown = adb.run(&["shell", "am start -n org.none/.Main"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.stderr.contains("does not exist"), "{}", unknown.stderr);

    let script = format!(
        "am start -W -n {PACKAGE}/.Frames --es frames 1000000 >/dev/null; sleep 5; \
         pidof {PACKAGE} >/dev/null && echo runs; am force-stop {PACKAGE}; \
         pidof {PACKAGE} || echo gone; logcat -d | grep -c begin"
    );
    assert_eq!(adb.shell(&script), "runs\ngone\n2\n");
    assert!(adb.run(&["uninstall", PACKAGE]).stdout.contains("Success"));
    assert_eq!(adb.shell("pm list packages; ls /data/data"), "");
}
