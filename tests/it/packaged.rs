//! Campaigns whose application is an Android package, on the virtual board.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use wattline::campaign::RunPhase;
use wattline::run::{RunRecord, read_journal, read_logs};
use wattline::virtual_board::{BoardFile, BoardOptions, Fault, FaultAction, FaultTime, start};

use super::bench::{Bench, only_bad_run};
use super::host::{AdbServer, CAMPAIGN_TOOLS, board_options, has, said};

/// The keys of the scenario below that say how many cases there are, and those for base cases
/// alone.
const CASES: &str = "cases = 4\nrepeats = 1\ndry_runs = 12";
const BASES: &str = "cases = 2\nrepeats = 1\ndry_runs = 2";

/// The session by which no trace is cut any more.
const LIFTED: u64 = 5;

/// The tiny scenario with fewer cases, its application started so.
fn scenario(folder: &Path, start: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tiny = fs::read_to_string(root.join("tests/scenarios/tiny.toml")).unwrap();
    let scenarios = root.join("scenarios");
    let text = tiny
        .replace("../../scenarios", scenarios.to_str().unwrap())
        .replace("start = \"main\"", &format!("start = \"{start}\""))
        .replace("repeats = 2\ndry_runs = 8", "repeats = 1\ndry_runs = 12");
    let there = ["start = ", "cases = 4", "dry_runs = 12"].iter().all(|word| text.contains(word));
    assert!(there, "{text}");
    let file = folder.join(format!("{start}.toml"));
    fs::write(&file, text).unwrap();
    file
}

/// The counts of each traced run.
fn counts(runs: &Path) -> BTreeMap<String, Vec<String>> {
    let folders = fs::read_dir(runs).unwrap().map(|entry| entry.unwrap());
    let counted = folders.filter(|folder| folder.path().join("counts.csv").exists());
    let of = |folder: fs::DirEntry| {
        let text = fs::read_to_string(folder.path().join("counts.csv")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        (folder.file_name().into_string().unwrap(), lines)
    };
    counted.map(of).collect()
}

#[test]
fn a_campaign_of_packages_counts_what_one_of_jars_does() {
    let Some(bench) = Bench::new() else { return };
    let Some(packages) = campaign(&bench, "run", "instrument", BASES) else { return };
    let Some(jars) = campaign(&bench, "run", "main", BASES) else { return };
    let (mut ours, theirs) = (counts(&packages.join("runs")), counts(&jars.join("runs")));
    ours.retain(|run, _| run.starts_with("base-"));
    assert!(ours.len() == 2 && ours.values().all(|lines| lines.len() > 20), "{ours:?}");
    assert_eq!(ours, theirs);
    packages_are_sampled(&packages);
    let samplers = read_journal(&jars).unwrap().into_iter().map(|record| record.board.sampler);
    assert!(
        samplers.eq(std::iter::repeat_n(None, read_journal(&jars).unwrap().len())),
        "no runner"
    );
}

#[test]
#[ignore = "by day packages run and are not explained; scripts/nightly.sh runs it"]
fn a_campaign_of_packages_is_explained() {
    let Some(bench) = Bench::new() else { return };
    let Some(out) = campaign(&bench, "pipeline", "instrument", CASES) else { return };
    let microbenchmarks = fs::read_to_string(out.join("microbenchmarks.csv")).unwrap();
    assert!(microbenchmarks.lines().count() > 1, "{microbenchmarks}");
    let lines = fs::read_to_string(out.join("accounts/lines.csv")).unwrap();
    assert!(lines.contains("Main.java"), "{lines}");
    packages_are_sampled(&out);
    let areas = fs::read_to_string(out.join("accounts/method-estimates.csv")).unwrap();
    assert!(areas.contains("wattline.demo.Main"), "{areas}");
}

/// The folder of a campaign whose application is started so; none, and it says so, where Maven
/// gives nothing.
fn campaign(bench: &Bench, command: &str, start: &str, cases: &str) -> Option<PathBuf> {
    let (file, out) = (scenario(bench.folder.path(), start), bench.out(start));
    let text = fs::read_to_string(&file).unwrap().replace(CASES, cases);
    fs::write(&file, text).unwrap();
    let [file, to] = [&file, &out].map(|path| path.to_str().unwrap());
    let (code, said) =
        bench.wattline(&[command, file, "--board", "virtual:odroid-xu3", "--out", to]);
    if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
        crate::skip::because(&said);
        return None;
    }
    assert_eq!(code, Some(0), "{said}");
    Some(out)
}

/// Android 4.4 samples methods in the process of a package: each base case has a sampled run.
fn packages_are_sampled(out: &Path) {
    let records = read_journal(out).unwrap();
    let is_sampled =
        |record: &&RunRecord| record.run.phase == RunPhase::Sampled && record.is_good();
    let sampled: Vec<&RunRecord> = records.iter().filter(is_sampled).collect();
    assert_eq!(sampled.len(), 2, "one of each base case");
    for record in sampled {
        assert_eq!(record.board.sampler.as_deref(), Some("method-sampling"));
        let profile = read_logs(out, record).unwrap().profile.unwrap();
        assert!(profile.stacks.starts_with("# method-sampling dual\n"), "{}", profile.stacks);
        assert!(profile.recording.starts_with(b"*version\n3\n"), "the trace itself is kept");
    }
}

#[test]
#[ignore = "by day the sampler's reader is told of cut traces; scripts/nightly.sh runs it"]
fn a_trace_that_is_cut_is_a_bad_run_that_is_made_again() {
    let Some(bench) = Bench::new() else { return };
    let board = BoardFile::built_in("odroid-xu3").unwrap();
    let board = start(&BoardOptions { board, ..board_options() }).unwrap();
    let file = scenario(bench.folder.path(), "instrument");
    let short = [("cases = 4\nrepeats = 1", "cases = 2\nrepeats = 1\ntraced_repeats = 1")];
    let file = bench.scenario(file.to_str().unwrap(), "short.toml", &short);
    // From the first session to the first that is made a second time.
    board.schedule(
        FaultTime::Session { number: 1, after_s: 0.0 },
        FaultAction::Cause(Fault::CutTraces),
    );
    board.schedule(FaultTime::Session { number: LIFTED, after_s: 0.0 }, FaultAction::Lift);
    let out = bench.out("out");
    let serial = board.serial();
    let (code, said) =
        bench.wattline(&["run", &file, "--board", &serial, "--out", out.to_str().unwrap()]);
    if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
        return crate::skip::because(&said);
    }
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(only_bad_run(&out), "its sampler left no samples");
    let records = read_journal(&out).unwrap();
    let bad = records.iter().find(|record| !record.is_good()).unwrap();
    let warnings = bad.conditions.warnings.join("; ");
    assert!(warnings.contains("the sampler of methods: it ends after "), "{warnings}");
}

const CRASH: &str = "package game;\npublic class Crash {\n  public static void main(String[] args) {\n    \
    System.out.println(\"wattline: begin\");\n    int[] none = {};\n    none[3]++;\n    \
    System.out.println(\"wattline: end\");\n  }\n}\n";

#[test]
fn a_package_that_crashes_shows_where() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let (adb, folder) = (AdbServer::new(), tempfile::tempdir().unwrap());
    fs::create_dir_all(folder.path().join("src/game")).unwrap();
    fs::write(folder.path().join("src/game/Crash.java"), CRASH).unwrap();
    let scenario = "name = \"crash\"\n[application]\npackage = \"org.example.crash\"\n\
                    main = \"game.Crash\"\n[[source]]\npath = \"src\"\n\
                    [session]\nframes = 5\n[board]\nrails = [\"arm\"]\n[[input]]\nname = \"one\"\n";
    fs::write(folder.path().join("crash.toml"), scenario).unwrap();
    let mut command = adb.command(&["pipeline", "crash.toml", "--out", "out"]);
    let output = command.current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
        return crate::skip::because(&said);
    }
    assert!(!output.status.success());
    assert!(said.contains("ArrayIndexOutOfBoundsException"), "{said}");
    assert!(said.contains("at game.Crash.main(Crash.java:6)"), "{said}");
}

/// Twice what the log of an Android before 5.0 holds.
const CHATTER: &str = "package game;\npublic class Chatter {\n  public static void main(String[] args) {\n    \
    System.out.println(\"wattline: begin\");\n    long sum = 0;\n    \
    for (int i = 0; i < 5000; i++) {\n      for (int k = 0; k < 2000; k++) { sum += k ^ i; }\n      \
    System.out.println(\"a line that nobody asked for, number \" + i + \" of many: \" + sum);\n    }\n    \
    System.out.println(\"wattline: end\");\n  }\n}\n";

#[test]
#[ignore = "by day the scripts alone are asked; scripts/nightly.sh runs it"]
fn marks_that_the_log_has_lost_are_known_from_the_status() {
    let Some(bench) = Bench::new() else { return };
    fs::create_dir_all(bench.folder.path().join("src/game")).unwrap();
    fs::write(bench.folder.path().join("src/game/Chatter.java"), CHATTER).unwrap();
    let scenario = "name = \"chatter\"\n[application]\npackage = \"org.example.chatter\"\n\
                    main = \"game.Chatter\"\n[[source]]\npath = \"src\"\n[session]\nduration_s = 5\n\
                    [board]\nrails = [\"arm\"]\n[campaign]\ncases = 1\nrepeats = 1\n\
                    [[input]]\nname = \"one\"\n";
    let file = bench.folder.path().join("chatter.toml");
    fs::write(&file, scenario).unwrap();
    let out = bench.out("out");
    let [file, to] = [&file, &out].map(|path| path.to_str().unwrap());
    let (code, said) =
        bench.wattline(&["run", file, "--board", "virtual:odroid-xu-e", "--out", to]);
    if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
        return crate::skip::because(&said);
    }
    assert_eq!(code, Some(0), "{said}");
    let records = read_journal(&out).unwrap();
    let ran = |record: &&RunRecord| record.run.phase != RunPhase::Idle;
    assert!(records.iter().filter(ran).count() >= 2, "{records:?}");
    for record in records.iter().filter(ran) {
        assert!(record.is_good(), "{record:?}");
        let log = read_logs(&out, record).unwrap().logcat;
        let begun: Vec<&str> =
            log.lines().filter(|line| line.contains("wattline: begin")).collect();
        assert!(begun.len() == 1 && begun[0].contains(" I wattline: "), "it was lost: {begun:?}");
        assert!(!log.contains("number 0 of many"), "the log holds it all");
        assert!(log.contains("I System.out: wattline: end"), "{}", &log[log.len() - 2000..]);
    }
}

/// The script that a user's emulator is checked by, on the virtual phone.
#[test]
fn a_device_is_checked_by_the_script() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let adb = AdbServer::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/emulator-check.sh");
    let mut command = std::process::Command::new("sh");
    command.arg(script).env("WATTLINE", env!("CARGO_BIN_EXE_wattline"));
    let output = command.env("ANDROID_ADB_SERVER_PORT", adb.port.to_string()).output().unwrap();
    let said = said(&output);
    if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
        return crate::skip::because(&said);
    }
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("\nok: ").count(), 6, "{said}");
}
