//! `monitor` on this machine and on a real JVM whose methods are known. Without a JDK, or
//! without ASM, the tests of the JVM say that they skip.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use wattline::account::Femtojoules;
use wattline::toolchain::Jdk;
use wattline::toolchain::monitor_agent::monitor_agent;
use wattline::virtual_board::start as start_board;

use super::host::{AdbServer, board_options, has, javac_at};

mod bursts;
mod calls;
mod control;
mod counts;
mod ends;
mod hostile;
mod overhead;

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");

fn monitor(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// The same, while it runs.
fn monitoring(arguments: &[&str]) -> Child {
    command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(WATTLINE);
    command.args(["monitor", "--headless", "--tdp", "65"]);
    if !arguments.contains(&"--interval") {
        command.args(["--interval", "0.5"]);
    }
    command.args(arguments);
    command
}

/// The classes of the program, where there is all that is needed to measure it.
fn program(folder: &Path) -> Option<Jdk> {
    let Ok(jdk) = Jdk::find() else {
        crate::skip::because("no JDK");
        return None;
    };
    if let Err(error) = monitor_agent(&jdk) {
        crate::skip::because(format!("no agent: {error}"));
        return None;
    }
    compile(&jdk, "Work", folder);
    Some(jdk)
}

/// One of the programs beside this file, compiled into a folder.
fn compile(jdk: &Jdk, class: &str, folder: &Path) {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/monitor");
    let mut javac = javac_at(&jdk.javac);
    javac.args(["-g", "-d"]).arg(folder);
    let status = javac.arg(sources.join(class).with_extension("java")).status();
    assert!(status.unwrap().success());
}

/// Rows of a CSV file by their columns' names.
fn rows(path: PathBuf) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

fn sum(rows: &[BTreeMap<String, String>], column: &str) -> Femtojoules {
    rows.iter().map(|row| Femtojoules::parse(&row[column]).unwrap()).sum()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// The row of a method by the begin of its name.
fn method<'r>(rows: &'r [BTreeMap<String, String>], name: &str) -> &'r BTreeMap<String, String> {
    let found = rows.iter().find(|row| row["class"] == "Work" && row["method"].starts_with(name));
    found.unwrap_or_else(|| panic!("no {name} in {rows:?}"))
}

/// All levels of a recording add up to the last printed digit.
fn adds_up(folder: &Path) {
    let total = sum(&rows(folder.join("cycles.csv")), "energy_j");
    let processes = rows(folder.join("accounts/processes.csv"));
    assert_eq!(sum(&processes, "energy_j"), total);
    let ledger = rows(folder.join("ledger.csv"));
    assert_eq!(sum(&ledger, "energy_j"), total + total, "the whole and its parts");
}

#[test]
fn processes_of_this_machine_are_recorded_reported_and_exported() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rec");
    let name = out.to_str().unwrap();
    let output = monitor(&["--duration", "1.2", "--out", name]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("software model, no measurement"), "{said}");
    adds_up(&out);
    for (arguments, file) in [
        (vec!["report", name], "report.html"),
        (vec!["export", name, "--format", "collapsed"], "energy.collapsed"),
        (vec!["export", name, "--format", "perfetto"], "energy.perfetto-trace"),
        (vec!["export", name, "--format", "openmetrics"], "energy.openmetrics.txt"),
    ] {
        let output = Command::new(WATTLINE).args(&arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert!(out.join(file).metadata().unwrap().len() > 0, "{file}");
    }
    let again = folder.path().join("again");
    let model = out.join("monitor.toml");
    let command = ["account", model.to_str().unwrap(), name, "--out", again.to_str().unwrap()];
    assert!(Command::new(WATTLINE).args(command).status().unwrap().success());
    for file in ["accounts/processes.csv", "ledger.csv"] {
        let read = |folder: &Path| fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(read(&again), read(&out), "made again from the same rows");
    }
}

#[test]
fn without_a_folder_rows_go_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = folder.path().join("m.txt");
    let output = monitor(&["--duration", "0.7"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("cycle,pid,") && text.lines().count() > 1, "{text}");
    let arguments = ["--duration", "0.7", "--openmetrics", metrics.to_str().unwrap()];
    assert!(monitor(&arguments).status.success());
    assert!(fs::read_to_string(metrics).unwrap().ends_with("# EOF\n"));
}

/// Exact calls, three to one between two methods, a recursion that ends by an exception,
/// waits that cost nothing, bytes of sockets.
#[test]
fn probes_count_and_time_the_methods_of_a_jvm() {
    let folder = tempfile::tempdir().unwrap();
    let Some(jdk) = program(folder.path()) else { return };
    let out = folder.path().join("rec");
    let java = jdk.java.to_str().unwrap();
    let classes = folder.path().to_str().unwrap();
    let output = monitor(&[
        "--mode",
        "instrumentation",
        "--duty",
        "100",
        "--budget",
        "100",
        "--network",
        "lo:1000=1",
        "--out",
        out.to_str().unwrap(),
        "--",
        java,
        "-cp",
        classes,
        "Work",
        "3",
    ]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(stdout.contains("rounds "), "the program's own output passes: {stdout}");
    adds_up(&out);
    let methods = rows(out.join("accounts/methods.csv"));
    let jvm = rows(out.join("jvm.csv"));
    let jvm_j = sum(&jvm, "cpu_j") + sum(&jvm, "network_j");
    assert_eq!(sum(&methods, "energy_j"), jvm_j);
    let (heavy, light) = (method(&methods, "heavy()"), method(&methods, "light()"));
    // light runs once beside heavy, and three times in the recursion: a third of the work each
    let ratio = number(light, "energy_j") / number(heavy, "energy_j");
    assert!((0.9..1.9).contains(&ratio), "4:3 expected, found {ratio}");
    // and by the program's own CPU time
    let own = stdout.lines().find_map(|line| line.strip_prefix("light/heavy ")).unwrap();
    let own: f64 = own.parse().unwrap();
    assert!((ratio / own - 1.0).abs() < 0.2, "{own} by itself, found {ratio}");
    let calls = number(heavy, "executions");
    assert!(calls > 20.0);
    let close = |found: f64, expected: f64| (found - expected).abs() <= 8.0;
    assert!(close(number(light, "executions"), 4.0 * calls), "{light:?}");
    assert!(close(number(method(&methods, "deep(int)"), "executions"), 4.0 * calls));
    let sleeps = method(&methods, "sleeps()");
    assert!(number(sleeps, "waited_s") > 0.004 * calls, "{sleeps:?}");
    assert!(number(sleeps, "energy_j") < 0.05 * number(heavy, "energy_j"), "{sleeps:?}");
    let talks = method(&methods, "talks(");
    let bytes = number(talks, "bytes");
    assert!((bytes / 2000.0 - calls).abs() <= 8.0, "{bytes} bytes in {calls} rounds");
    assert!(number(talks, "network_j") > 0.0);
    assert_eq!(heavy["file"], "Work.java");
}

#[test]
fn samples_find_the_hot_methods_of_a_running_jvm_and_its_end_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let Some(jdk) = program(folder.path()) else { return };
    let mut child = start(&jdk, folder.path(), "4");
    let out = folder.path().join("rec");
    let pid = child.id().to_string();
    let mut monitor = monitoring(&["--jvm", &pid, "--out", out.to_str().unwrap()]);
    let mut said = BufReader::new(monitor.stderr.take().unwrap()).lines().map(Result::unwrap);
    // It goes on until it is stopped, with the processes that are left.
    assert!(said.any(|line| line.contains("has ended")));
    kill_process(Pid::from_child(&monitor), Signal::INT).unwrap();
    assert!(monitor.wait().unwrap().success());
    child.wait().unwrap();
    adds_up(&out);
    let methods = rows(out.join("accounts/methods.csv"));
    // samples are taken where the compiled code lets them be: the sum is sure, and the order
    // of methods that are compiled into one another is not
    let of_work = methods.iter().filter(|row| row["class"] == "Work");
    let share: f64 = of_work.map(|row| number(row, "share")).sum();
    assert!(share > 0.6, "{methods:?}");
    assert_eq!(method(&methods, "heavy")["executions"], "", "samples count no calls");
}

#[test]
fn what_lets_no_agent_in_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let Some(jdk) = program(folder.path()) else { return };
    let refused = |pid: u32, words: &str| {
        let output = monitor(&["--jvm", &pid.to_string(), "--duration", "1"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains(words), "{said}");
    };
    refused(std::process::id(), "it is no JVM");
    refused(4_194_303, "no process");
    let mut closed = Command::new(&jdk.java)
        .args(["-XX:+DisableAttachMechanism", "-cp", folder.path().to_str().unwrap(), "Work", "20"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(800));
    refused(closed.id(), "cannot attach to process");
    assert!(closed.try_wait().unwrap().is_none(), "it goes on");
    closed.kill().unwrap();
    closed.wait().unwrap();
    let output = monitor(&["--meter", "rapl", "--duration", "1"]);
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("rapl: not offered"), "{said}");
    }
}

fn start(jdk: &Jdk, classes: &Path, seconds: &str) -> Child {
    let mut command = Command::new(&jdk.java);
    command.arg("-cp").arg(classes).args(["Work", seconds]).stdout(Stdio::null());
    let child = command.spawn().unwrap();
    thread::sleep(Duration::from_millis(700));
    child
}

const SHARES: [&str; 2] = ["Shares", "3"];
const METHODS: [&str; 4] = ["tiny", "small", "middle", "large"];

/// A recording of a program that measures its own methods' CPU time.
struct Shares {
    class: &'static str,
    folder: tempfile::TempDir,
    methods: Vec<BTreeMap<String, String>>,
    /// By its own figures: the share of each method.
    own: Vec<(String, f64)>,
    /// What the program and the monitor have said.
    printed: String,
    said: String,
    /// How long the program took, in seconds, and the first argument: how many it was told to.
    elapsed_s: f64,
    seconds: f64,
}

impl Shares {
    /// A class and its arguments, with options of the monitor and of the JVM.
    fn record(command: &[&'static str], options: &[&str], jvm: &[&str]) -> Option<Shares> {
        Self::record_on(None, command, options, jvm)
    }

    /// The same with the `java` of another JDK than the one in use.
    fn record_on(
        java: Option<&Path>,
        command: &[&'static str],
        options: &[&str],
        jvm: &[&str],
    ) -> Option<Shares> {
        let folder = tempfile::tempdir().unwrap();
        let (jdk, class) = (program(folder.path())?, command[0]);
        compile(&jdk, class, folder.path());
        let java = java.unwrap_or(&jdk.java);
        let out = folder.path().join("rec");
        let classes = folder.path().to_str().unwrap();
        let mut arguments = options.to_vec();
        arguments.extend(["--out", out.to_str().unwrap(), "--", java.to_str().unwrap()]);
        arguments.extend(jvm);
        arguments.extend(["-cp", classes]);
        arguments.extend(command);
        let began = Instant::now();
        let output = monitor(&arguments);
        let elapsed_s = began.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        adds_up(&out);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let own = printed.lines().filter_map(|line| line.strip_prefix("share ")?.split_once(' '));
        let own: Vec<(String, f64)> =
            own.map(|(name, share)| (name.to_string(), share.parse().unwrap())).collect();
        let methods = rows(out.join("accounts/methods.csv"));
        let seconds = command[1].parse().unwrap();
        Some(Shares { class, folder, methods, own, printed, said, elapsed_s, seconds })
    }

    /// The row of a method; samples name it without its parameters.
    fn row(&self, name: &str) -> &BTreeMap<String, String> {
        let is_it = |row: &&BTreeMap<String, String>| {
            row["class"] == self.class && row["method"].split('(').next() == Some(name)
        };
        let row = self.methods.iter().find(is_it);
        row.unwrap_or_else(|| panic!("no {name} in {:?}", self.methods))
    }

    fn of(&self, name: &str, column: &str) -> f64 {
        number(self.row(name), column)
    }

    /// A figure that the program says itself.
    fn printed(&self, name: &str) -> f64 {
        let figure = |line: &str| line.strip_prefix(name)?.trim().parse().ok();
        self.printed
            .lines()
            .find_map(figure)
            .unwrap_or_else(|| panic!("no {name}: {}", self.printed))
    }

    /// How many times longer it took than it was told to compute.
    fn slowed(&self) -> f64 {
        self.elapsed_s / self.seconds
    }

    fn are_its_own_within(&self, limit: f64, names: &[&str]) {
        let own: Vec<&str> = self.own.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(own, names, "it says its own figures");
        let found: f64 = own.iter().map(|name| self.of(name, "energy_j")).sum();
        // none where calls are counted
        let samples = own.iter().filter_map(|name| self.row(name)["samples"].parse::<f64>().ok());
        let samples: f64 = samples.sum();
        for (name, share) in &self.own {
            let ours = self.of(name, "energy_j") / found;
            let limit = if samples > 0.0 { self.sampled(limit, *share, samples) } else { limit };
            let told = format!("{ours:.3} of {samples} samples, {share:.3} by itself");
            assert!((ours - share).abs() < limit, "{name}: {told}, slowed {:.1}", self.slowed());
        }
    }

    /// How far samples of a share may be off. Beside other work that is further: samplers go by
    /// the clock, so they get fewer turns, and see a thread also where it waits for a processor.
    fn sampled(&self, limit: f64, share: f64, samples: f64) -> f64 {
        // A method that has nothing, or all, where half is its own is off by more.
        const MOST: f64 = 0.45;
        // A count's error is binomial; five of it, since samples of unequal weight tell less.
        let by_chance = 5.0 * (share * (1.0 - share) / samples).sqrt();
        let waiting = limit * (self.slowed() / 1.5).max(1.0);
        waiting.max(by_chance).min(MOST)
    }
}

/// Windows and estimated counts are held against the program's own figures.
#[test]
#[ignore = "by day shares of the whole are; scripts/nightly.sh runs it"]
fn shares_in_windows_are_those_of_processor_time() {
    // counting `tiny` takes more than half of it, and its probes less than half
    let options = ["--mode", "instrumentation", "--budget", "10"];
    let Some(shares) = Shares::record(&["Shares", "8"], &options, &[]) else { return };
    // Beside other work compilers are late, few windows lie in the time before, and probes may
    // take more than their budget.
    let waited = shares.slowed() > 1.15;
    shares.are_its_own_within(if waited { 0.15 } else { 0.08 }, &METHODS);
    // 2000, 400, 10 and one call in each round
    let ratio = |a: &str, b: &str| shares.of(a, "executions") / shares.of(b, "executions");
    assert!((ratio("middle", "large") - 10.0).abs() < 0.5, "counted: {}", ratio("middle", "large"));
    let about = fs::read_to_string(shares.folder.path().join("rec/monitor.toml")).unwrap();
    assert!(!about.contains("\"Shares.large()\""), "{about}");
    if waited && shares.row("tiny")["counted"].starts_with("until cycle ") {
        assert!(ratio("tiny", "large") < 2000.0, "{}", ratio("tiny", "large"));
        return;
    }
    // An estimate, of some hundred windows in which probes slow it down (a sum of the windows
    // that is not scaled is lower by a factor of twenty).
    assert!((1000.0..2500.0).contains(&ratio("tiny", "large")), "{}", ratio("tiny", "large"));
    assert!(about.contains("\"Shares.tiny()\""), "{about}");
}

/// Three of the four are inlined, and none of them calls anything.
#[test]
fn samples_of_flight_recorder_tell_inlined_methods_apart() {
    let Some(shares) = Shares::record(&SHARES, &["--period-ms", "10"], &[]) else { return };
    shares.are_its_own_within(0.12, &METHODS);
    assert!(!shares.said.contains("Flight Recorder"), "{}", shares.said);
    let tiny = shares.methods.iter().find(|row| row["method"] == "tiny").unwrap();
    assert_eq!(tiny["file"], "Shares.java");
    calls::are_in_stacks(&shares);
}

/// A method's writing is low by what its native method computes before it calls the system.
#[test]
fn samples_in_calls_of_the_system_share_its_time() {
    let Some(shares) = Shares::record(&["Halves", "3", "writes"], &["--period-ms", "4"], &[])
    else {
        return;
    };
    shares.are_its_own_within(0.15, &["computes", "writes"]);
}

/// A thread in a native method has a sample in its turn alone, which weighs as much more.
#[test]
#[ignore = "by day calls of the system are sampled; scripts/nightly.sh runs it"]
fn samples_weigh_native_methods_by_their_turns() {
    let Some(shares) = Shares::record(&["Halves", "5", "deflates"], &["--period-ms", "4"], &[])
    else {
        return;
    };
    shares.are_its_own_within(0.15, &["computes", "deflates"]);
}

#[test]
fn a_jvm_without_flight_recorder_is_looked_at_and_that_is_said() {
    let modules = "java.base,java.instrument,java.management,jdk.management";
    let Some(shares) = Shares::record(&SHARES, &[], &["--limit-modules", modules]) else { return };
    assert!(shares.said.contains("no Flight Recorder"), "{}", shares.said);
    assert_eq!(shares.own.len(), METHODS.len());
    let of_shares = shares.methods.iter().filter(|row| row["class"] == "Shares");
    let share: f64 = of_shares.map(|row| number(row, "share")).sum();
    // The JVM's own threads have their part by themselves; beside other work it is large,
    // as threads are looked at by the clock.
    let itself = shares.methods.iter().find(|row| row["method"] == "the JVM itself").unwrap();
    assert!(share > 0.6 * (1.0 - number(itself, "share")), "{:?}", shares.methods);
}

#[test]
fn a_virtual_board_and_a_process_that_is_not_there_are_refused() {
    let output = monitor(&["--board", "virtual", "--duration", "1"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("a virtual board has no processes"), "{said}");
    let board = start_board(&board_options()).unwrap();
    if has(&["adb"]) {
        let adb = AdbServer::new();
        let serial = board.serial();
        let output =
            adb.wattline(&["monitor", "--headless", "--duration", "1", "--board", &serial]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("its clock stands still"), "{said}");
    }
    let output = monitor(&["--pid", "4000000", "--duration", "1"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("--pid 4000000: there is no such process"), "{said}");
}

#[test]
fn the_commands_exit_code_is_passed_on() {
    let run = |script: &str| monitor(&["--", "sh", "-c", script]);
    assert_eq!(run("sleep 0.2").status.code(), Some(0));
    assert_eq!(run("sleep 0.2; exit 7").status.code(), Some(7));
    assert_eq!(run("kill -9 $$").status.code(), Some(137));
    let folder = tempfile::tempdir().unwrap();
    if program(folder.path()).is_some() {
        let output = monitor(&["--", "java", "-version"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        assert!(said.contains("version"), "what it says passes: {said}");
    }
}

#[test]
fn the_jvm_that_a_script_starts_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let Some(jdk) = program(folder.path()) else { return };
    let out = folder.path().join("rec");
    let script = format!("{} -cp {} Work 2; exit 3", jdk.java.display(), folder.path().display());
    let name = out.to_str().unwrap();
    let output = monitor(&["--out", name, "--include", "Work", "--", "sh", "-c", &script]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("the command has started the JVM of process"), "{said}");
    adds_up(&out);
    let methods = rows(out.join("accounts/methods.csv"));
    assert!(methods.iter().any(|row| row["class"] == "Work"), "{methods:?}");
}
