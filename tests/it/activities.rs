//! Power states and activities from end to end: the command on simulated nodes, the Java
//! API on a JVM, and an application with it on the virtual board against the ground truth.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use wattline::attribution::activities::simulated::{NamedFile, blink_files, bounce_files};
use wattline::attribution::activities::{
    API_FILE, API_SOURCE, Analysis, AnalysisOptions, Labels, Payer, analyse,
    merge_frequencies_into_states, merge_logs, read_lines, readings_of_rails,
};
use wattline::power::parse_trace;
use wattline::toolchain::jar;
use wattline::virtual_board::{AdbdGeneration, BoardOptions};

mod quanto_paper;

use super::host::{BRIEF_JAVA, javac};
use super::virtual_board::adb::{Adb, has_tools, options};

/// Runs the program; its standard output.
fn wattline(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_wattline")).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

fn write(folder: &Path, files: Vec<NamedFile>) {
    fs::create_dir(folder).unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
}

/// The column of a table by the text of others.
fn column(text: &str, keys: &[usize], value: usize) -> BTreeMap<String, f64> {
    let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    rows.map(|row| {
        let key = keys.iter().map(|at| row[*at]).collect::<Vec<_>>().join(" ");
        (key, row[value].parse().unwrap_or(f64::NAN))
    })
    .collect()
}

#[test]
fn the_command_accounts_for_blink_and_adds_up() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(&folder.join("logs"), blink_files());
    let (log, out) = (path(folder, "logs/blink.quanto"), path(folder, "out"));
    let said = wattline(&["activities", &log, "--out", &out]);
    assert!(said.contains("521 mJ measured in 48.0 s"), "{said}");
    assert!(said.contains("597 entries, 60.7 ms (71.1 % of the processor's active time"), "{said}");
    let energies = fs::read_to_string(folder.join("out/energy.csv")).unwrap();
    let energies = column(&energies, &[1, 2], 4);
    let sum: f64 = energies.iter().filter(|(key, _)| *key != "(total) ").map(|(_, e)| e).sum();
    assert!((sum - energies["(total) "]).abs() < 1e-12, "{energies:?}");
    let steps = fs::read_to_string(folder.join("out/timeline.csv")).unwrap();
    let steps: f64 =
        steps.lines().skip(1).map(|l| l.rsplit(',').next().unwrap().parse::<f64>().unwrap()).sum();
    assert!((steps - energies["(total) "]).abs() < 1e-9);
    assert!((energies["LED0 1:Red"] - 0.18071).abs() < 5e-5, "{energies:?}");
    // Results are kept unless --force says otherwise.
    let again = Command::new(env!("CARGO_BIN_EXE_wattline"))
        .args(["activities", &log, "--out", &out])
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(2));
}

#[test]
fn two_nodes_are_merged_on_one_clock() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(&folder.join("logs"), bounce_files());
    let logs = [path(folder, "logs/node1.quanto"), path(folder, "logs/node4.quanto")];
    let said = wattline(&["activities", &logs[0], &logs[1], "--out", &path(folder, "out")]);
    assert!(said.contains("all nodes:"), "{said}");
    let table = fs::read_to_string(folder.join("out/activities.csv")).unwrap();
    for activity in ["1:BounceApp,1,1 4,", "4:BounceApp,4,1 4,"] {
        assert!(table.contains(activity), "{table}");
    }
    // A node's LED burns for the other node's activity.
    let energies = fs::read_to_string(folder.join("out/energy.csv")).unwrap();
    let energies = column(&energies, &[0, 1, 2], 4);
    assert!(energies["1 LED1 4:BounceApp"] > 0.0 && energies["4 LED2 4:BounceApp"] > 0.0);
    // Both start at one moment. Node 4's clock shows 0.35 s more, as the messages tell.
    let steps = fs::read_to_string(folder.join("out/timeline.csv")).unwrap();
    let starts = column(&steps, &[0, 1], 1);
    let first = |node: &str| {
        let of = starts.iter().filter(|(key, _)| key.starts_with(&format!("{node} ")));
        of.map(|(_, start)| *start).fold(f64::INFINITY, f64::min)
    };
    assert!((first("4") - first("1")).abs() < 2e-4, "{} {}", first("4"), first("1"));
    let findings = fs::read_to_string(folder.join("out/findings.csv")).unwrap();
    assert!(findings.contains("its clock shows between 34"), "{findings}");
}

#[test]
fn input_at_fault_is_said_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |name: &str, bytes: &[u8], more: &[&str]| {
        fs::write(folder.join(name), bytes).unwrap();
        let (log, out) = (path(folder, name), path(folder, "out"));
        let mut arguments = vec!["activities", &log, "--out", &out, "--force"];
        arguments.extend(more);
        let output =
            Command::new(env!("CARGO_BIN_EXE_wattline")).args(&arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, errors) = run("what.txt", b"hello\n", &[]);
    assert!(code == Some(3) && errors.contains("say it with --log-format"), "{errors}");
    let (code, errors) = run("short.quanto", b"\x30\x01", &[]);
    assert!(code == Some(3) && errors.contains("no whole entry"), "{errors}");
    let csv = b"time_s,component,event,value\n0,,energy,0\n0,A,state,off\n1,,energy,1\n";
    let (code, errors) = run("log.csv", csv, &["--class", "x=B"]);
    assert!(code == Some(2) && errors.contains("there is no component B; there are A"), "{errors}");
    let (code, errors) = run("log.csv", csv, &["--from-s", "5", "--to-s", "1"]);
    assert!(code == Some(2) && errors.contains("ends before it begins"), "{errors}");
    let (code, errors) = run("log.csv", csv, &["--from-s", "1000"]);
    assert!(code == Some(2) && errors.contains("from 0.000000 s to 1.000000 s"), "{errors}");
    let (code, errors) = run("log.csv", csv, &["--rails", "foo"]);
    assert!(code == Some(2) && errors.contains("--rails: only samples and Perfetto"), "{errors}");
    let noise: Vec<u8> =
        (1..6_001_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let (code, errors) = run("noise.quanto", &noise, &[]);
    assert!(code == Some(3) && errors.contains("it is no log of entries of 12 bytes"), "{errors}");
    for format in ["batterystats", "lines", "perfetto"] {
        let (code, errors) =
            run("prose.txt", b"Some text,\nand more.\n", &["--log-format", format]);
        assert!(code == Some(5) && errors.contains("is --log-format right?"), "{format}: {errors}");
    }
    let (code, errors) = run("log.csv", csv, &["--step-s", "0"]);
    assert!(code == Some(2) && errors.contains("--step-s"), "{errors}");
    let (code, errors) =
        run("times.csv", b"time_s,component,event,value\n0,A,set,x\n1,A,clear,\n", &[]);
    assert!(code == Some(0) && errors.contains("energies are not"), "{errors}");
}

/// The API and a program, compiled; none, said aloud, without a compiler.
fn compiled(folder: &Path, sources: &[&str]) -> Option<PathBuf> {
    let api = folder.join("api");
    wattline(&["activities", "api", "--out", &api.display().to_string()]);
    let api = api.join(API_FILE);
    assert_eq!(fs::read_to_string(&api).unwrap(), API_SOURCE);
    let classes = folder.join("classes");
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/activities");
    let mut javac = javac();
    // As on Android: no newer than Java 8.
    javac.args(["-g", "-nowarn", "-Xlint:-options", "--release", "8", "-d"]).arg(&classes).arg(api);
    match javac.args(sources.iter().map(|source| programs.join(source))).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(classes)
        }
        Err(error) => {
            crate::skip::because(format!("no JDK on the path: {error}"));
            None
        }
    }
}

fn java(classes: &Path, options: &[&str], main: &str) -> String {
    let mut java = Command::new("java");
    java.args(BRIEF_JAVA).args(options);
    let output = java.arg("-cp").arg(classes).arg(main).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_java_api_follows_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let Some(classes) = compiled(folder.path(), &["Propagation.java"]) else { return };
    let said = java(&classes, &[], "org.wattline.propagation.Propagation");
    for line in [
        "main works for 4:inner",
        "pool works for outer",
        "called: outer",
        "nobody works for null",
        "handler works for outer",
        "hello works for outer",
        "sent works for 7:far",
        "bound works for real",
    ] {
        assert!(said.lines().any(|said| said == line), "{line}: {said}");
    }
    let mut labels = Labels::default();
    let log = read_lines(&said, "app", &mut labels);
    assert!(log.remarks.is_empty(), "{:?}", log.remarks);
    let found = analyse(log, &labels, &AnalysisOptions::default()).unwrap();
    let payers: Vec<String> = found
        .times_s
        .keys()
        .filter_map(|(_, payer)| match payer {
            Payer::Activity(label) => Some(labels.text(*label)),
            _ => None,
        })
        .collect();
    for label in ["4:inner", "7:far", "app:outer", "app:real"] {
        assert!(payers.iter().any(|payer| payer == label), "{payers:?}");
    }
    assert!(!payers.iter().any(|payer| payer == "app:proxy"), "it was bound: {payers:?}");
    let silent =
        java(&classes, &["-Dwattline.activities=off"], "org.wattline.propagation.Propagation");
    assert!(!silent.contains("wattline-act"));
}

#[test]
fn on_android_marks_are_sections() {
    let folder = tempfile::tempdir().unwrap();
    let sources = ["Propagation.java", "Trace.java"];
    let Some(classes) = compiled(folder.path(), &sources) else { return };
    let said = java(&classes, &[], "org.wattline.propagation.Propagation");
    assert!(said.contains("B|wattline:4:inner\n"), "{said}");
    assert!(!said.contains("wattline-act"), "{said}");
    let begins = said.lines().filter(|line| line.starts_with("B|")).count();
    assert_eq!(begins, said.lines().filter(|line| *line == "E").count());
}

const PACKAGE: &str = "org.wattline.phases";

/// A virtual board with the application, at 1.1 GHz.
fn board(folder: &Path, truth: &Path) -> Option<Adb> {
    if !has_tools() {
        return None;
    }
    let classes = compiled(folder, &["Phases.java"])?;
    let (entries, apk) = (jar::read_folder(&classes).unwrap(), folder.join("phases.apk"));
    fs::write(&apk, jar::pack(&[("Wattline-Package", PACKAGE)], &entries)).unwrap();
    let adb =
        Adb::of(BoardOptions { truth: Some(truth.to_owned()), ..options(AdbdGeneration::Modern) });
    let answer = adb.run(&["install", "-r", apk.to_str().unwrap()]);
    assert!(answer.stdout.contains("Success"), "{}{}", answer.stdout, answer.stderr);
    let tried = adb.run(&["shell", &format!("am start -W -n {PACKAGE}/.Phases 2>&1")]).stdout;
    if tried.contains("agent") {
        crate::skip::because(&tried);
        return None;
    }
    adb.shell(&format!("am force-stop {PACKAGE}; mkdir /data/local/tmp/wattline"));
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("device-scripts");
    for script in fs::read_dir(scripts).unwrap().flatten() {
        adb.run(&["push", script.path().to_str().unwrap(), "/data/local/tmp/wattline/"]);
    }
    let prepared = adb.shell("sh /data/local/tmp/wattline/prepare.sh frequency_khz=1100000");
    assert!(prepared.contains("prepared=yes"), "{prepared}");
    Some(adb)
}

/// The part of what a session left that has this name.
fn part<'t>(text: &'t str, name: &str) -> &'t str {
    let begin = format!("@@wattline {name} begin\n");
    let rest = &text[text.find(&begin).unwrap() + begin.len()..];
    &rest[..rest.find("\n@@wattline").unwrap()]
}

/// True joules of the application's methods.
fn truth(folder: &Path) -> BTreeMap<String, f64> {
    let text = fs::read_to_string(folder.join("methods.csv")).unwrap();
    let rows = text.lines().skip(1).filter(|row| row.contains("Phases"));
    rows.map(|row| {
        let fields: Vec<&str> = row.split(',').collect();
        let method = fields[1].split('(').next().unwrap().to_owned();
        (method, fields.last().unwrap().parse::<f64>().unwrap())
    })
    .fold(BTreeMap::new(), |mut sums, (method, energy)| {
        *sums.entry(method).or_insert(0.0) += energy;
        sums
    })
}

fn analysed(left: &str, rails: &[&str]) -> (Analysis, Labels) {
    let mut labels = Labels::default();
    let sections = read_lines(part(left, "logcat"), "board", &mut labels);
    let trace = parse_trace(part(left, "samples")).unwrap();
    let rails: Vec<String> = rails.iter().map(|rail| (*rail).to_owned()).collect();
    let mut meter = wattline::attribution::activities::NodeLog::new("board");
    meter.readings = readings_of_rails(&trace, &rails).unwrap();
    let log = merge_frequencies_into_states(merge_logs("board", vec![sections, meter]));
    (analyse(log, &labels, &AnalysisOptions::default()).unwrap(), labels)
}

/// The application runs at 1.1 GHz, then at 800 MHz. Attributed energies are held against
/// what the simulated energy model counted (at the reference voltage, so times the square of the
/// ratio).
#[test]
fn activities_on_the_virtual_board_have_their_true_energies() {
    let folder = tempfile::tempdir().unwrap();
    let truths = folder.path().join("truth");
    let Some(adb) = board(folder.path(), &truths) else { return };
    let slow = "setsid sh -c 'usleep 1000; \
                log -t wattline \"wattline-state cpu frequency: 1100000 kHz\"; usleep 14000000; \
                echo 800000 >$WATTLINE_ROOT/sys/devices/system/cpu/cpu0/cpufreq/scaling_setspeed; \
                log -t wattline \"wattline-state cpu frequency: 800000 kHz\"' \
                >/dev/null 2>&1 </dev/null &";
    let left = adb.shell(&format!(
        "setprop wattline.session phases; cd /data/local/tmp/wattline; \
         {slow} \
         sh /data/local/tmp/wattline/session.sh period_us=33000 package={PACKAGE} \
         main={PACKAGE}.Phases counts=yes && \
         sh /data/local/tmp/wattline/collect.sh {PACKAGE}"
    ));
    if let Some(folder) = std::env::var_os("WATTLINE_KEEP_SESSION") {
        let folder = Path::new(&folder);
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("logcat.txt"), part(&left, "logcat")).unwrap();
        fs::write(folder.join("samples.txt"), part(&left, "samples")).unwrap();
    }
    let truth = truth(&truths.join("phases"));
    let (analysis, mut labels) = analysed(&left, &["arm", "mem"]);
    let powers = analysis.powers.as_ref().unwrap();
    let found: Vec<_> =
        analysis.columns.names.iter().zip(&powers.of).map(|(n, p)| (n, p.unwrap().w)).collect();
    println!("{found:?} and {:?}; {:?}", powers.constant, analysis.remarks);
    let by_payer = analysis.account.as_ref().unwrap().energies_by_payer();
    println!("attributed {by_payer:?}, true {truth:?}");
    // At 800 MHz the voltage is 0.925 V instead of 1.0375 V.
    let slow = (0.925f64 / 1.0375).powi(2);
    for (activity, method, factor) in [
        ("search", "search", 1.0),
        ("render", "render", 1.0),
        ("search slow", "searchSlow", slow),
        ("render slow", "renderSlow", slow),
    ] {
        let label = labels.intern("board", activity);
        let (energy, expected) = (by_payer[&Payer::Activity(label)], truth[method] * factor);
        println!(
            "{activity}: {energy:.4} J of {expected:.4} J, {:.2} %",
            100.0 * (energy / expected - 1.0)
        );
        assert!((energy / expected - 1.0).abs() < 0.05, "{activity}: {energy} J of {expected} J");
    }
    // The GPU does nothing: its rail tells nothing about its power, and none is given.
    let (gpu, _) = analysed(&left, &["g3d"]);
    let gpu = gpu.powers.unwrap();
    for power in gpu.of.iter().flatten() {
        assert!(power.w.abs() < 0.002, "{gpu:?}");
    }
}

#[test]
fn states_that_can_not_be_told_apart_have_one_power_together() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let csv = "time_s,component,event,value\n0,A,state,off\n0,B,state,off\n0,,energy,0\n\
               1,A,state,on\n1,B,state,on\n1,,energy,1\n2,A,state,off\n2,B,state,off\n\
               2,,energy,2.5\n3,,energy,3.5\n";
    fs::write(folder.join("log.csv"), csv).unwrap();
    let (log, out) = (path(folder, "log.csv"), path(folder, "out"));
    let said = wattline(&["activities", &log, "--out", &out]);
    let powers =
        said.lines().filter(|line| line.contains("A:on + B:on") && line.contains("500 mW"));
    assert_eq!(powers.count(), 1, "{said}");
    // Once there, and once as a column of the regression's result.
    assert_eq!(said.matches("500 mW").count(), 2, "{said}");
    let powers = fs::read_to_string(folder.join("out/powers.csv")).unwrap();
    let of = |start: &str| powers.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
    assert!(of("device,A,on").starts_with("device,A,on,,,,\"together with B:on"), "{powers}");
    assert!(of("device,A:on + B:on,").contains(",0.5"), "{powers}");
    let page = fs::read_to_string(folder.join("out/activities.html")).unwrap();
    assert!(page.contains("A:on + B:on"));
}

/// Fields of protocol buffers: a number, or bytes.
fn number(tag: u32, value: u64) -> Vec<u8> {
    let varint = |mut value: u64| {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    };
    [varint(u64::from(tag) << 3), varint(value)].concat()
}

fn bytes(tag: u32, inner: &[u8]) -> Vec<u8> {
    let mut head = number(tag, inner.len() as u64);
    head[0] |= 2;
    // A tag above 15 takes two bytes, whose wire type is in the first one.
    [head, inner.to_vec()].concat()
}

/// An application calls a service through binder: a trace as Perfetto writes it, with rails.
fn binder_trace() -> Vec<u8> {
    let at = |ms: u64| (1_000 + ms) * 1_000_000;
    let event = |ms: u64, tid: u64, tag: u32, inner: Vec<u8>| {
        bytes(2, &[number(1, at(ms)), number(2, tid), bytes(tag, &inner)].concat())
    };
    let switch = |ms, prev: u64, next: u64| {
        event(ms, prev, 4, [number(2, prev), bytes(5, b"x"), number(6, next)].concat())
    };
    let print = |ms, tid, text: &str| event(ms, tid, 3, bytes(2, text.as_bytes()));
    let sent = |ms, tid, id, reply| {
        let to = [number(3, 200), number(4, 0), number(5, reply), number(6, 1)].concat();
        event(ms, tid, 50, [number(1, id), to].concat())
    };
    let received = |ms, tid, id| event(ms, tid, 51, number(1, id));
    let bundle = |cpu: u64, events: &[Vec<u8>]| {
        bytes(1, &bytes(1, &[number(1, cpu), events.concat()].concat()))
    };
    let process = |pid, name: &str| bytes(1, &[number(1, pid), bytes(3, name.as_bytes())].concat());
    let thread = |tid, pid| bytes(2, &[number(1, tid), number(3, pid)].concat());
    let tree = [process(100, "app"), process(200, "service"), thread(101, 100), thread(201, 200)];
    let rail = bytes(1, &[number(1, 0), bytes(2, b"cpu")].concat());
    let reading = |ms: u64, uj: u64| {
        let data = bytes(2, &[number(1, 0), number(2, 1_000 + ms), number(3, uj)].concat());
        bytes(1, &[number(8, at(ms)), bytes(40, &data)].concat())
    };
    let mut trace = bytes(
        1,
        &bytes(6, &[bytes(1, &[number(1, 6), number(2, at(0))].concat()), number(2, 6)].concat()),
    );
    trace.extend(bytes(1, &bytes(2, &tree.concat())));
    trace.extend(bytes(1, &[number(8, at(0)), bytes(40, &rail)].concat()));
    // Idle 1 W; one core busy 3 W.
    for (ms, uj) in [
        (0, 0),
        (100, 100_000),
        (200, 400_000),
        (500, 1_300_000),
        (600, 1_600_000),
        (700, 1_700_000),
    ] {
        trace.extend(reading(ms, uj));
    }
    trace.extend(bundle(
        0,
        &[
            switch(0, 101, 0),
            switch(100, 0, 101),
            print(100, 101, "B|100|wattline:search\n"),
            sent(200, 101, 9, 0),
            switch(200, 101, 0),
            switch(500, 0, 101),
            received(510, 101, 10),
            print(600, 101, "E|100\n"),
            switch(600, 101, 0),
        ],
    ));
    trace.extend(bundle(
        1,
        &[
            switch(0, 201, 0),
            switch(200, 0, 201),
            received(200, 201, 9),
            sent(500, 201, 10, 1),
            switch(500, 201, 0),
        ],
    ));
    trace
}

#[test]
fn a_call_between_processes_is_charged_to_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("phone.pftrace"), binder_trace()).unwrap();
    let (log, out) = (path(folder, "phone.pftrace"), path(folder, "out"));
    let said = wattline(&["activities", &log, "--class", "core=cpu0,cpu1", "--out", &out]);
    assert!(said.contains("app:search"), "{said}");
    let energies = fs::read_to_string(folder.join("out/energy.csv")).unwrap();
    let energies = column(&energies, &[1, 2], 4);
    // 2 W above the idle cores: 200 ms of its own, and 300 ms of the service that it called.
    assert!((energies["cpu0 app:search"] - 0.4).abs() < 1e-6, "{energies:?}");
    assert!((energies["cpu1 app:search"] - 0.6).abs() < 1e-6, "{energies:?}");
    assert!(!energies.contains_key("cpu1 service:-"), "{energies:?}");
}
