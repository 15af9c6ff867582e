//! What users meet beside a good run: a folder in use, a stop, another locale, no board.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use wattline::virtual_board::AdbdGeneration;

use super::bench::copy_plan_of_one_case;
use super::faults::bench::Bench as FaultBench;
use super::host::{AdbServer, CAMPAIGN_TOOLS, OrdinaryUser, answer, has, with_default};

const TINY: &str = "tests/scenarios/tiny.toml";

/// Waits for something that a child does, however long it takes; fails if the child ends.
fn wait_for(child: &mut Child, mut is_there: impl FnMut() -> bool) {
    while !is_there() {
        assert_eq!(child.try_wait().unwrap(), None, "it ended");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// All files below a folder with what they hold.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = walkdir::WalkDir::new(folder).into_iter().map(|entry| entry.unwrap());
    let files = files.filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_folder_that_another_process_writes_to_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let to = out.to_str().unwrap();
    let adb = AdbServer::new();
    // It reads a log to its end, so it writes as long as its input is open.
    let mut writing = adb.command(&["tenants", "perf", "-", "--out", to]);
    writing.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut writer = writing.spawn().unwrap();
    wait_for(&mut writer, || fs::read_dir(&out).is_ok_and(|entries| entries.count() == 3));
    fs::create_dir(out.join("runs")).unwrap();
    for file in ["runs/record.json", "journal.jsonl", "plan.csv"] {
        fs::write(out.join(file), "kept").unwrap();
    }
    let before = contents(&out);
    let commands = [
        format!("pipeline {TINY} --force --out"),
        format!("pipeline {TINY} --resume --out"),
        format!("run {TINY} --resume --out"),
        format!("plan {TINY} --force --out"),
        format!("calls {TINY} --force"),
        format!("microbenchmarks {TINY} --for . --force --out"),
        format!("patterns {TINY} --force --out"),
        "scan scenarios/pinball --force --out".into(),
        "trace scenarios/pinball --main A --force --out".into(),
        "instrument scenarios/pinball --force --out".into(),
        "fit dataset.csv --force --out".into(),
        "predict model.json dataset.csv --force --out".into(),
        "account model.json . --force --out".into(),
        "compare . . --force --out".into(),
        "activities a.csv --force --out".into(),
        "man --force --out".into(),
        "dataset --force".into(),
        "hints --force".into(),
        "report --force".into(),
        "export --force --format pprof".into(),
    ];
    for command in commands {
        let words: Vec<&str> = command.split(' ').chain([to]).collect();
        let (code, said) = answer(adb.wattline(&words));
        assert_eq!(code, Some(2), "{command}: {said}");
        assert!(said.contains("another process writes its results there"), "{command}: {said}");
        assert!(contents(&out) == before, "{command}");
    }
    drop(writer.stdin.take());
    writer.wait().unwrap();
    let (code, said) = answer(adb.wattline(&["scan", "scenarios/pinball", "--out", to]));
    assert_eq!(code, Some(0), "{said}");
}

/// Processes with a folder as their place for temporary files, but for the adb server,
/// which stays for the next program.
fn processes_with(temporary: &Path) -> Vec<String> {
    let mark = format!("TMPDIR={}", temporary.display());
    let has_marker = |folder: &PathBuf| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
    };
    let folders = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let lines = folders.filter(has_marker).map(|folder| {
        let line = fs::read(folder.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ")
    });
    lines.filter(|line| !line.is_empty() && !line.starts_with("adb ")).collect()
}

/// Files and folders there, but for the log that an adb server begins.
fn left_in(temporary: &Path) -> Vec<String> {
    let names = fs::read_dir(temporary).unwrap().flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| !name.starts_with("adb.")).collect()
}

/// Starts the program with a folder for its temporary files.
fn start(adb: &AdbServer, words: &[&str], temporary: &Path) -> Child {
    let mut command = with_default(Signal::INT, adb.command(words).env("TMPDIR", temporary));
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Stops it by a signal; what it said at the end. Nothing of it is left.
fn stop(child: Child, signal: Signal, temporary: &Path) -> String {
    kill_process(Pid::from_child(&child), signal).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(signal.as_raw()));
    assert_eq!(left_in(temporary), [""; 0]);
    // What tidies up after the program ends when that is done.
    let mut left = processes_with(temporary);
    for _ in 0..600 {
        if left.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
        left = processes_with(temporary);
    }
    assert_eq!(left, [""; 0]);
    let said = String::from_utf8(output.stderr).unwrap();
    said.lines().last().unwrap_or_default().to_owned()
}

fn good_runs(journal: &Path) -> usize {
    fs::read_to_string(journal).unwrap_or_default().matches("\"is\":\"good\"").count()
}

#[test]
fn a_stopped_campaign_says_what_is_kept_and_leaves_nothing_behind() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (out, temporary) = (folder.path().join("out"), folder.path().join("tmp"));
    fs::create_dir(&temporary).unwrap();
    let (to, journal) = (out.to_str().unwrap(), out.join("journal.jsonl"));
    let adb = AdbServer::new();
    // While the compiler is at work.
    let mut planning = start(&adb, &["pipeline", TINY, "--out", to], &temporary);
    let is_compiling = || processes_with(&temporary).iter().any(|line| line.contains("Compile"));
    wait_for(&mut planning, is_compiling);
    stop(planning, Signal::TERM, &temporary);
    for (runs, signal, more) in [(2, Signal::INT, "--quiet"), (4, Signal::TERM, "--resume")] {
        let words = ["pipeline", TINY, "--out", to, more];
        let mut measuring = start(&adb, &words, &temporary);
        wait_for(&mut measuring, || good_runs(&journal) >= runs);
        let said = stop(measuring, signal, &temporary);
        let kept = format!("{} of 20 runs are kept: --resume continues", good_runs(&journal));
        assert_eq!(said, kept);
    }
    let before = contents(&out);
    for command in ["pipeline", "run"] {
        let (code, said) = answer(adb.wattline(&[command, TINY, "--out", to]));
        assert_eq!(code, Some(2), "{said}");
        let kept = format!("{} of 20 runs are kept", good_runs(&journal));
        assert!(said.contains(&kept) && said.contains("--resume"), "{said}");
        assert_eq!(said.contains("--force"), command == "pipeline", "{said}");
        assert!(contents(&out) == before);
    }
}

#[test]
fn an_ordinary_user_without_name_spaces_gets_good_runs_too() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let (adb, user) = (AdbServer::new(), OrdinaryUser::new());
    let Some(faults) = FaultBench::new(AdbdGeneration::Modern) else { return };
    let (scenario, out) = ("tests/scenarios/faults.toml", user.path("out"));
    copy_plan_of_one_case(faults.undisturbed(), &out);
    user.own(&out);
    let arguments = ["run", scenario, "--out", out.to_str().unwrap()];
    let (code, said) = answer(user.confined(&adb, &arguments).output().unwrap());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("3 good runs, 0 bad ones"), "{said}");
}

/// The JDKs of this machine: the folders that hold their `bin`.
fn jdks() -> Vec<PathBuf> {
    let installed = fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten();
    let mut homes: Vec<PathBuf> = installed
        .filter_map(|entry| entry.path().canonicalize().ok())
        .filter(|home| home.join("bin/javac").is_file())
        .collect();
    homes.sort();
    homes.dedup();
    homes
}

#[test]
fn names_of_files_may_have_any_letters_in_any_locale() {
    if !has(&["javac"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("src/größe");
    fs::create_dir_all(&package).unwrap();
    let main = "package größe;\npublic class Übung {\n  public static void main(String[] a) {\n    \
                System.out.println(new Größer().plus(1));\n  }\n}\n";
    fs::write(package.join("Übung.java"), main).unwrap();
    let other = "package größe;\nclass Größer {\n  int plus(int n) { return n + 1; }\n}\n";
    fs::write(package.join("Größer.java"), other).unwrap();
    let source = folder.path().join("src");
    for (number, home) in jdks().iter().enumerate() {
        let out = folder.path().join(format!("out-{number}"));
        let mut trace = Command::new(env!("CARGO_BIN_EXE_wattline"));
        trace.arg("trace").arg(&source).args(["--main", "größe.Übung", "--out"]).arg(&out);
        trace.env("LC_ALL", "C").env("JAVA_HOME", home);
        let (code, said) = answer(trace.output().unwrap());
        assert_eq!(code, Some(0), "{}: {said}", home.display());
        let counts = fs::read_to_string(out.join("counts.csv")).unwrap();
        assert!(counts.contains(",Größer.plus(int),1"), "{counts}");
    }
}

#[test]
fn a_list_without_boards_says_so() {
    if !has(&["adb"]) {
        return;
    }
    let output = AdbServer::new().wattline(&["board", "list"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(output.stdout.is_empty(), said.contains("adb knows no board"), "{said}");
}
