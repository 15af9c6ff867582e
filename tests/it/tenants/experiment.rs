//! `tenants overhead` with runs that it makes.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

fn overhead(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.args(["tenants", "overhead"]).args(arguments).current_dir(folder);
    command.env("WATTLINE_ROOT", folder);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A machine of two sockets, whose counters go on while it lives: the second draws more while a
/// file `tested` is there.
struct TwoSockets {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TwoSockets {
    fn new(folder: &Path) -> Self {
        let zone = |n: u32| folder.join(format!("sys/class/powercap/intel-rapl:{n}"));
        let zones: Vec<PathBuf> = (0..2).map(zone).collect();
        for (n, zone) in zones.iter().enumerate() {
            fs::create_dir_all(zone).unwrap();
            fs::write(zone.join("name"), format!("package-{n}\n")).unwrap();
            fs::write(zone.join("max_energy_range_uj"), "262143328850\n").unwrap();
            fs::write(zone.join("energy_uj"), "1000000\n").unwrap();
        }
        let (is_over, tested) = (Arc::new(AtomicBool::new(false)), folder.join("tested"));
        let told = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            let (mut last, mut microjoules) = (Instant::now(), [1e6, 1e6]);
            while !told.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(3));
                let passed_s = last.elapsed().as_secs_f64();
                last = Instant::now();
                let watts = [30.0, if tested.exists() { 200.0 } else { 20.0 }];
                for ((zone, sum), watts) in zones.iter().zip(&mut microjoules).zip(watts) {
                    *sum += watts * passed_s * 1e6;
                    fs::write(zone.join("part"), format!("{sum:.0}\n")).unwrap();
                    fs::rename(zone.join("part"), zone.join("energy_uj")).unwrap();
                }
            }
        });
        Self { is_over, thread: Some(thread) }
    }
}

impl Drop for TwoSockets {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

const TESTED: &str =
    "tool=touch tested; trap 'rm -f tested; exit' TERM; while :; do sleep 0.02; done";

type Rows = Vec<BTreeMap<String, String>>;

fn rows(path: &Path) -> Rows {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap()
}

/// Mean and standard deviation.
fn spread(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}

/// Powers of the runs of a configuration and scenario: of a socket, or of all.
fn powers(runs: &Rows, configuration: &str, scenario: &str, socket: Option<&str>) -> Vec<f64> {
    let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
    for row in runs {
        let is_one = row["configuration"] == configuration && row["scenario"] == scenario;
        if is_one && socket.is_none_or(|socket| row["socket"] == socket) {
            let watts = number(row, "energy_j") / number(row, "seconds");
            *sums.entry(row["run"].parse().unwrap()).or_default() += watts;
        }
    }
    sums.into_values().collect()
}

#[test]
fn runs_are_made_in_random_order_and_their_bound_is_that_of_the_test() {
    let folder = tempfile::tempdir().unwrap();
    let _machine = TwoSockets::new(folder.path());
    let arguments = [
        ["--configuration", TESTED, "--scenario", "idle"],
        ["--scenario", "busy=sleep 0.05", "--repeats", "3"],
        ["--seconds", "0.3", "--settle", "0.2"],
        ["--meter", "rapl", "--out", "out"],
    ];
    let output = overhead(folder.path(), arguments.as_flattened()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("(package-0, package-1)"), "{}", said(&output));
    let out = folder.path().join("out");
    let runs = rows(&out.join("runs.csv"));
    // 2 configurations x 2 scenarios x 3, a row for each of two sockets.
    assert_eq!(runs.len(), 24);
    for (repetition, block) in (1..).zip(runs.chunks(8)) {
        assert!(block.iter().all(|row| row["repetition"] == format!("{repetition}")), "{block:?}");
        let of = |row: &BTreeMap<String, String>| {
            (row["configuration"].clone(), row["scenario"].clone(), row["socket"].clone())
        };
        let each: std::collections::BTreeSet<_> = block.iter().map(of).collect();
        assert_eq!(each.len(), 8, "each once: {block:?}");
    }
    assert!(runs.iter().all(|row| row["basis"] == "measured" && row["meter"] == "rapl"));
    let found = rows(&out.join("overhead.csv"));
    assert_eq!(found.len(), 6, "two scenarios of two sockets and their sum");
    for scenario in ["idle", "busy"] {
        for socket in [None, Some("package-0"), Some("package-1")] {
            let group = format!("tool, {scenario}, {}", socket.unwrap_or("all sockets"));
            let row = found.iter().find(|row| row["group"] == group).unwrap();
            let of = |configuration| powers(&runs, configuration, scenario, socket);
            let ((mean, sd), (base, base_sd)) = (spread(&of("tool")), spread(&of("base")));
            let epsilon =
                mean - base + 1.644_853_627 * (sd.powi(2) / 3.0 + base_sd.powi(2) / 3.0).sqrt();
            for (column, expected) in [
                ("n", 3.0),
                ("mean_w", mean),
                ("sd_w", sd),
                ("base_mean_w", base),
                ("base_sd_w", base_sd),
                ("epsilon_w", epsilon),
                ("epsilon_share", epsilon / mean),
            ] {
                let told = number(row, column);
                assert!((told - expected).abs() < 2e-6, "{group}, {column}: {told} {expected}");
            }
            if socket == Some("package-1") {
                assert!(mean > base, "what is tested runs in its runs alone: {mean} W, {base} W");
            }
        }
    }
    // Figures that are given go the same way.
    let again = overhead(folder.path(), &["out/with.csv", "out/base.csv"]).output().unwrap();
    assert_eq!(again.stdout, output.stdout, "{}", said(&again));
    assert!(!folder.path().join("tested").exists(), "it was stopped");
}

#[test]
fn without_a_meter_the_figures_are_said_to_be_a_models() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        ["--monitor", "0.1", "--repeats", "2"],
        ["--seconds", "0.3", "--settle", "0.1"],
        ["--meter", "model", "--tdp", "50"],
    ];
    let mut command = overhead(folder.path(), arguments.as_flattened());
    let output = command.args(["--out", "out"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("monitor 0.1 s, idle: "), "{text}");
    assert!(text.trim_end().ends_with("(figures of a model, no measurement)"), "{text}");
    assert!(said(&output).contains("software model, no measurement"), "{}", said(&output));
    let runs = rows(&folder.path().join("out/runs.csv"));
    assert!(runs.iter().all(|row| row["basis"] == "estimated" && row["meter"] == "design-power"));
}

#[test]
fn what_is_stopped_evaluates_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let _machine = TwoSockets::new(folder.path());
    let arguments = [
        ["--configuration", TESTED, "--repeats", "1000"],
        ["--seconds", "0.1", "--settle", "0"],
        ["--meter", "rapl", "--out", "out"],
    ];
    let mut command = overhead(folder.path(), arguments.as_flattened());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("run 5 of 2000")));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<String> = lines.collect();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{rest:?}");
    assert!(rows(&folder.path().join("out/runs.csv")).len() >= 10);
    assert_eq!(rows(&folder.path().join("out/overhead.csv")).len(), 3);
}

#[test]
fn commands_that_end_and_flags_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], expected: &str| {
        let output = overhead(folder.path(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(expected), "{arguments:?}: {}", said(&output));
    };
    let short = ["--meter", "model", "--seconds", "5", "--settle", "5"];
    let ends = [&["--configuration", "x=echo not here >&2; exit 7"][..], &short].concat();
    refused(&ends, "--configuration x: its command has ended before the measurement was over");
    refused(&ends, "not here");
    let fails = [&["--monitor", "1", "--scenario", "load=exit 3"][..], &short].concat();
    refused(&fails, "--scenario load: its command has ended");
    refused(&[], "required");
    refused(&["a.csv", "b.csv", "--monitor", "1"], "cannot be used with");
    refused(&["--monitor", "1", "--repeats", "1"], "--repeats");
    refused(&["--configuration", "x"], "give NAME=COMMAND");
    refused(&["--monitor", "1", "--monitor", "1"], "is there twice");
    refused(&["--configuration", "base=sleep 9"], "give another name");
}
