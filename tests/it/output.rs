//! What commands print: nothing of it is lost in silence, a reader that has gone is no error,
//! and names from elsewhere change no terminal and no spreadsheet.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use wattline::attribution::activities::simulated::blink_files;
use wattline::virtual_board::start;

use super::bench::TinyPipeline;
use super::host::{AdbServer, BOARD_TOOLS, CAMPAIGN_TOOLS, board_options, has};

const LOST: &str = "cannot write the output: No space left on device";

/// How a command is tried: with what it needs, and whether it prints.
pub(super) struct Trial {
    /// The command; of one with further commands, with theirs.
    pub(super) command: &'static str,
    pub(super) arguments: &'static str,
    prints: bool,
}

const fn prints(command: &'static str, arguments: &'static str) -> Trial {
    Trial { command, arguments, prints: true }
}

/// It writes files alone, or passes on what a program prints.
const fn is_silent(command: &'static str, arguments: &'static str) -> Trial {
    Trial { command, arguments, prints: false }
}

/// Commands that need files alone, in an order in which later ones find what earlier ones made.
/// ROOT is the project's folder.
pub(super) const OF_FILES: &[Trial] = &[
    prints("scan", "ROOT/scenarios/pinball --out scanned"),
    prints("instrument", "ROOT/scenarios/pinball --out instrumented"),
    prints("fit", "table.csv --solver nnls --out fitted"),
    prints("fit", "table.csv --solver nnls --partial -"),
    is_silent("fit", "table.csv --solver nnls --partial one.partial"),
    prints("fit", "--merge one.partial --out merged"),
    prints("predict", "fitted/model.json table.csv --out predicted"),
    prints("activities", "logs/blink.quanto --out blink"),
    prints("activities", "logs/blink.quanto --partial -"),
    is_silent("activities api", "--out java"),
    prints("tenants perf", "switches.txt"),
    prints("tenants perf", "switches.txt --format json"),
    prints("tenants perfetto", "trace.pftrace"),
    prints("tenants xen", "ctr.csv --tsc-hz 1e9 --running 48"),
    prints("tenants dumpsys", "cpuinfo.txt"),
    prints("tenants overhead", "with.csv base.csv"),
    prints("tenants cgroups", "--root groups --powercap none --watts 15:5 --for 2 --follow"),
    prints("monitor", "--headless --duration 0.2 --interval 0.1 --tdp 65"),
    prints("monitor", "--headless --duration 0.2 --interval 0.1 --tdp 65 --out recording"),
    prints("report", "recording"),
    prints("completions", "bash"),
    prints("schema", "scenario"),
    prints("schema", "files"),
    is_silent("man", "--out pages"),
];

/// Commands of a campaign on a virtual board, of which `tiny` has all runs and
/// `tiny-microbenchmarks` all sessions of microbenchmarks. BOARD is another one, which runs
/// already.
pub(super) const OF_CAMPAIGNS: &[Trial] = &[
    prints("pipeline", "ROOT/tests/scenarios/tiny.toml --out tiny --resume"),
    prints("plan", "ROOT/tests/scenarios/tiny.toml --out planned"),
    prints("run", "ROOT/tests/scenarios/tiny.toml --out tiny --resume"),
    prints("dataset", "tiny --force"),
    prints(
        "microbenchmarks",
        "ROOT/tests/scenarios/tiny.toml --for tiny --out tiny-microbenchmarks",
    ),
    prints("patterns", "ROOT/tests/scenarios/tiny.toml --only Negation --out patterns"),
    is_silent("account", "tiny/model.json tiny --out accounts"),
    prints("account", "tiny/model.json tiny --partial - --out accounts --force"),
    prints("calls", "ROOT/tests/scenarios/tiny.toml tiny --force"),
    prints("evaluate", "tiny tiny/ground-truth --out evaluated"),
    prints("evaluate", "tiny --unseen --out evaluated"),
    prints("hints", "tiny --force"),
    prints("hints", "tiny --apply 1 --out applied"),
    prints("compare", "tiny tiny"),
    prints("compare", "tiny tiny --format json"),
    prints("compare", "tiny tiny --format junit --out compared"),
    prints("report", "tiny --force"),
    is_silent("export", "tiny --format pprof --out exported"),
    is_silent("trace", "src --main Main --out traced"),
    prints("board list", ""),
    prints("board check", "BOARD"),
    prints("board virtual", ""),
];

/// Tried by tests of their own.
const APART: [&str; 5] =
    ["monitor control", "monitor overhead", "package", "patterns count", "tenants watch"];

pub(super) fn wattline(folder: &Path, adb: &AdbServer, words: &str, board: &str) -> Command {
    let root = env!("CARGO_MANIFEST_DIR");
    let words = words.replace("ROOT", root).replace("BOARD", board);
    let mut command = adb.command(&words.split_whitespace().collect::<Vec<_>>());
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs a command whose standard output has no room.
fn without_room(command: &mut Command) -> (Option<i32>, String) {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
    (output.status.code(), said(&output))
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn is_told(code: Option<i32>, said: &str, words: &str) {
    assert_eq!(code, Some(3), "{words}: {said}");
    assert!(said.contains(LOST), "{words}: {said}");
    assert!(!said.contains("panicked"), "{words}: {said}");
}

/// Tries all; what does not print is the same with room and without.
fn try_all(trials: &[Trial], folder: &Path, adb: &AdbServer, board: &str) {
    for Trial { command, arguments, prints } in trials {
        let words = format!("{command} {arguments}");
        let (code, said) = without_room(&mut wattline(folder, adb, &words, board));
        match prints {
            true => is_told(code, &said, &words),
            false => assert_eq!(code, Some(0), "{words}: {said}"),
        }
    }
}

/// All commands, those with further ones too: the headings of their pages.
fn all_commands() -> Vec<String> {
    let out = tempfile::tempdir().unwrap();
    let mut man = Command::new(env!("CARGO_BIN_EXE_wattline"));
    man.args(["man", "--quiet", "--format", "markdown", "--out"]).arg(out.path());
    assert!(man.status().unwrap().success());
    let pages = std::fs::read_dir(out.path()).unwrap().map(|page| page.unwrap().path());
    let headings = pages.flat_map(|page| {
        let text = std::fs::read_to_string(page).unwrap();
        let names =
            text.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(" wattline "));
        names.map(str::to_owned).collect::<Vec<_>>()
    });
    let mut all: Vec<String> = headings.filter(|name| name.split(' ').count() <= 2).collect();
    all.sort();
    assert!(all.len() > 30, "{all:?}");
    all
}

#[test]
fn every_command_is_tried_without_room_for_its_output() {
    let tried = OF_FILES.iter().chain(OF_CAMPAIGNS).map(|trial| trial.command);
    let tried: BTreeSet<&str> = tried.chain(APART).collect();
    let all = all_commands();
    let has_further =
        |command: &str| all.iter().any(|other| other.starts_with(&format!("{command} ")));
    let missing = all.iter().filter(|command| {
        // A command that does something without further ones is named alone.
        !tried.contains(command.as_str()) && !has_further(command)
    });
    assert_eq!(missing.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn help_and_version_without_room_are_told() {
    let adb = AdbServer { port: 1 };
    let folder = tempfile::tempdir().unwrap();
    let help = all_commands().into_iter().map(|command| format!("{command} --help"));
    let others = ["--version", "-V", "--help", "-h", "help", "help scan", "completions fish"];
    for words in help.chain(others.map(str::to_owned)) {
        let (code, said) = without_room(&mut wattline(folder.path(), &adb, &words, ""));
        is_told(code, &said, &words);
    }
}

#[test]
fn no_output_of_commands_on_files_is_lost() {
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    write_files(folder.path());
    try_all(OF_FILES, folder.path(), &adb, "");
    // Their results are whole all the same.
    for file in ["scanned/blocks.csv", "fitted/model.json", "predicted/predictions.csv"] {
        assert!(folder.path().join(file).is_file(), "{file}");
    }
}

#[test]
fn no_output_of_a_campaign_is_lost() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer::new());
    let board = start(&board_options()).unwrap();
    let microbenchmarks = prepare_campaigns(folder.path(), &adb, &board.serial());
    try_all(OF_CAMPAIGNS, folder.path(), &adb, &board.serial());
    assert!(microbenchmarks.join("microbenchmarks.csv").is_file(), "made of the sessions");
}

/// Connects a board, and makes the folders of [`OF_CAMPAIGNS`]; returns that of microbenchmarks.
pub(super) fn prepare_campaigns(folder: &Path, adb: &AdbServer, serial: &str) -> PathBuf {
    let connected = Command::new("adb")
        .args(["-P", &adb.port.to_string(), "connect", serial])
        .output()
        .unwrap();
    assert!(connected.status.success());
    fs::create_dir(folder.join("src")).unwrap();
    let main = "class Main { public static void main(String[] a) { System.out.print(1); } }";
    fs::write(folder.join("src/Main.java"), main).unwrap();
    let made = TinyPipeline::shared();
    made.copy_to(&folder.join("tiny"));
    let microbenchmarks = folder.join("tiny-microbenchmarks");
    made.copy_to(&microbenchmarks);
    for table in [
        "microbenchmarks",
        "microbenchmark-windows",
        "microbenchmark-cases",
        "microbenchmarks-covariance",
    ] {
        fs::remove_file(microbenchmarks.join(table).with_extension("csv")).unwrap();
    }
    microbenchmarks
}

#[test]
fn no_output_of_a_package_is_lost() {
    if !has(&["javac"]) {
        return;
    }
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    let words = "package ROOT/scenarios/click-and-move.toml --out packaged";
    let (code, said) = without_room(&mut wattline(folder.path(), &adb, words, ""));
    if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
        return crate::skip::because(&said);
    }
    is_told(code, &said, words);
}

#[test]
fn views_without_room_end_the_watch() {
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    let listener = UnixListener::bind(folder.path().join("views.sock")).unwrap();
    // It would go on for ever: a watch that can't print has to end by itself.
    std::thread::spawn(move || {
        let (mut reader, _) = listener.accept().unwrap();
        let view = r#"{"view_s":1,"start_s":0,"end_s":1,"power_w":null,"basis":"x","tenants":[]}"#;
        while std::io::Write::write_all(&mut reader, format!("{view}\n").as_bytes()).is_ok() {}
    });
    let words = "tenants watch views.sock";
    let (code, said) = without_room(&mut wattline(folder.path(), &adb, words, ""));
    is_told(code, &said, words);
}

/// Whatever it prints; the reader takes a byte and goes.
#[test]
fn a_reader_that_goes_is_no_error() {
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    write_files(folder.path());
    for words in [
        "scan ROOT/scenarios/pinball --out scanned",
        "fit table.csv --solver nnls --out fitted",
        "tenants perf switches.txt",
        "completions bash",
        "--help",
    ] {
        let mut command = wattline(folder.path(), &adb, words, "");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let errors = said(&output);
        assert_eq!(output.status.code(), Some(0), "{words}: {errors}");
        assert!(!errors.contains("error"), "{words}: {errors}");
    }
}

/// Nobody could be told, but the work is done.
#[test]
fn messages_that_nobody_hears_end_no_command() {
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    for (words, expected) in
        [("scan ROOT/scenarios/pinball --out scanned", 0), ("scan gone --out out", 3)]
    {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = wattline(folder.path(), &adb, words, "");
        let output = command.stderr(full).output().unwrap();
        assert_eq!(output.status.code(), Some(expected), "{words}");
    }
    assert!(folder.path().join("scanned/blocks.csv").is_file());
}

pub(super) fn write_files(folder: &Path) {
    fs::create_dir(folder.join("logs")).unwrap();
    for (name, bytes) in blink_files() {
        fs::write(folder.join("logs").join(name), bytes).unwrap();
    }
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let mut table = String::from("case,energy_j,a,b\n");
    for n in 1..=20 {
        writeln!(table, "c{n},{},{n},{}", 2 * n + 3 * (n % 5), n % 5).unwrap();
    }
    write("table.csv", &table);
    let mut switches = String::new();
    for n in 0..250_u32 {
        let who = |n: u32| [("rustc", 7), ("swapper/0", 0)][n as usize % 2];
        let ((prev, prev_pid), (next, next_pid)) = (who(n), who(n + 1));
        let (s, us) = (100 + n / 100, n % 100 * 10_000);
        writeln!(
            switches,
            "{prev:>16} {prev_pid:>5} [000] {s}.{us:06}: sched:sched_switch: prev_comm={prev} \
             prev_pid={prev_pid} prev_prio=120 prev_state=S ==> next_comm={next} \
             next_pid={next_pid} next_prio=120"
        )
        .unwrap();
    }
    write("switches.txt", &switches);
    fs::write(folder.join("trace.pftrace"), perfetto_trace(&[b"one", b"two"])).unwrap();
    let mut counts =
        String::from("TSC,CPU,DOM,vCPU,INSTR_RETIRED.ANY,CPU_CLK_UNHALTED.CORE,CPU_CLK_UNHALTED\n");
    for n in 0..200_u64 {
        let (tsc, cycles) = (1_000_000_000 + n * 10_000_000, 90_000_000_000_000 + n * 30_000_000);
        writeln!(counts, "{tsc},0,{},0,5,{cycles},{cycles}", n % 2 + 1).unwrap();
    }
    write("ctr.csv", &counts);
    write(
        "cpuinfo.txt",
        "Load: 4.03 / 3.43 / 2.44\nCPU usage from 23770ms to 16630ms ago:\n  \
         58% 1844/logd: 58% user + 0% kernel / faults: 3 minor\n\
         25% TOTAL: 12% user + 13% kernel\n",
    );
    for (name, mean) in [("with.csv", 74.9), ("base.csv", 74.5)] {
        write(name, &format!("case,scenario,mean_w,sd_w,n\nunpinned,one,{mean},2,40\n"));
    }
    fs::create_dir_all(folder.join("groups/app")).unwrap();
    write("groups/cpu.stat", "usage_usec 0\n");
    write("groups/app/cpu.stat", "usage_usec 0\n");
}

/// A trace of Perfetto in which these threads take turns on one processor.
fn perfetto_trace(names: &[&[u8]]) -> Vec<u8> {
    let turns = || (0..200_usize).map(|turn| turn % names.len());
    let mut sched = packed(1, turns().map(|_| 10_000_000));
    sched.extend(packed(3, turns().map(|at| at as u64 + 7)));
    names.iter().for_each(|name| sched.extend(field(5, name)));
    sched.extend(packed(6, turns().map(|at| at as u64)));
    field(1, &field(1, &field(4, &sched)))
}

/// A field of a message of protocol buffers that is itself bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2][..], &varint(bytes.len() as u64), bytes].concat()
}

fn packed(number: u8, values: impl Iterator<Item = u64>) -> Vec<u8> {
    field(number, &values.flat_map(varint).collect::<Vec<u8>>())
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

/// What a terminal would take for more than text.
fn is_dangerous(letter: char) -> bool {
    letter != '\n' && (letter.is_control() || "\u{202e}\u{2066}\u{2028}".contains(letter))
}

/// Runs a command; nothing of its outputs changes a terminal. Both, and the exit code.
fn harmless(folder: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    let output = command.current_dir(folder).args(words).output().unwrap();
    let [out, errors] =
        [&output.stdout, &output.stderr].map(|b| String::from_utf8(b.clone()).unwrap());
    for text in [&out, &errors] {
        assert!(!text.contains(is_dangerous), "{words:?}: {text:?}");
        // No line is made up.
        assert!(!text.lines().any(|line| line.starts_with("all is well")), "{words:?}: {text}");
    }
    (output.status.code(), out, errors)
}

/// A name that clears the screen, turns text around and begins a line of its own.
const EVIL: &str = "e\u{1b}[2J\u{9b}31m\u{202e}\u{7}\u{2028}\nall is well";

#[test]
fn names_from_elsewhere_change_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let folder = folder.path();
    // Files that are given, and are not there.
    for words in [
        &["scan", EVIL, "--out", "out"][..],
        &["tenants", "perf", EVIL],
        &["fit", EVIL],
        &["predict", EVIL, "table.csv"],
        &["report", EVIL],
        &["export", EVIL, "--format", "pprof"],
        &["activities", EVIL, "--out", "out"],
        &["pipeline", EVIL, "--out", "out"],
    ] {
        let (code, _, errors) = harmless(folder, words);
        assert_ne!(code, Some(0), "{words:?}: {errors}");
    }
    // Processes and threads.
    fs::write(folder.join("evil.pftrace"), perfetto_trace(&[EVIL.as_bytes(), b"other"])).unwrap();
    let (code, out, errors) = harmless(folder, &["tenants", "perfetto", "evil.pftrace"]);
    assert_eq!(code, Some(0), "{errors}");
    assert!(out.contains("e\\u001B[2J\\u009B31m\\u202E"), "{out}");
    // Cells and columns of tables.
    let quoted = format!("\"{EVIL}\"");
    let rows: String = (1..=20).map(|n| format!("\"{EVIL} {n}\",{},{n}\n", 2 * n)).collect();
    fs::write(folder.join("evil.csv"), format!("case,energy_j,{quoted}\n{rows}")).unwrap();
    harmless(folder, &["fit", "evil.csv", "--solver", "nnls", "--out", "evil-fit"]);
    let log = format!(
        "time_s,component,event,value\n0,,energy,0\n0,{quoted},state,off\n1,{quoted},state,on\n\
         2,,energy,1\n3,{quoted},state,off\n4,,energy,1.5\n"
    );
    fs::write(folder.join("evil-log.csv"), log).unwrap();
    let (code, _, errors) =
        harmless(folder, &["activities", "evil-log.csv", "--node", EVIL, "--out", "evil"]);
    assert_eq!(code, Some(0), "{errors}");
    // Sources.
    let source = folder.join("sources");
    fs::create_dir(&source).unwrap();
    fs::write(source.join(format!("{EVIL}.java")), "class A { int f() { return 1 } }").unwrap();
    harmless(folder, &["scan", "sources", "--out", "evil-scan"]);
    // Arguments that are none.
    let (code, _, errors) = harmless(folder, &["scan", &format!("--{EVIL}")]);
    assert_eq!(code, Some(2), "{errors}");
}

/// A spreadsheet takes no name for a formula, and the program reads its own table back.
#[test]
fn names_in_tables_are_no_formulas() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let evil = "=cmd|' /C calc'!A0";
    let mut table = format!("case,energy_j,\"{evil}\",+b\n");
    for n in 1..=20 {
        writeln!(table, "\"={n}+1\",{},{n},{}", 2 * n + 3 * (n % 5), n % 5).unwrap();
    }
    fs::write(folder.join("table.csv"), table).unwrap();
    let run = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        let output = command.current_dir(folder).args(words).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    };
    run("fit table.csv --solver nnls --out fitted");
    run("predict fitted/model.json table.csv --out predicted");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    for name in ["fitted/estimability.csv", "predicted/predictions.csv"] {
        let text = read(name);
        let records = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_bytes())
            .into_records()
            .map(Result::unwrap)
            .collect::<Vec<_>>();
        let fields = || records.iter().flat_map(|record| record.iter());
        let is_formula =
            |field: &&str| field.starts_with(['=', '+', '-', '@']) && field.parse::<f64>().is_err();
        assert_eq!(fields().find(is_formula), None, "{name}: {text}");
        assert!(fields().any(|field| field.starts_with("'=")), "{name}: {text}");
    }
    // A table with names that are written so is the same table.
    let guarded = read("table.csv").replace("\"=", "\"'=").replace(",+b", ",'+b");
    fs::write(folder.join("guarded.csv"), guarded).unwrap();
    run("fit guarded.csv --solver nnls --out again");
    let costs = |name: &str| {
        let model: serde_json::Value = serde_json::from_str(&read(name)).unwrap();
        model["costs"].clone()
    };
    assert_eq!(costs("fitted/model.json"), costs("again/model.json"));
    assert!(costs("again/model.json").to_string().contains("\"=cmd|"));
}

/// A disk without room: the error names the file, and nothing half is left.
#[test]
fn a_file_that_does_not_fit_is_told_and_not_left_half() {
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    write_files(folder.path());
    for (words, out) in [
        ("scan ROOT/scenarios/pinball --out out", "out"),
        ("fit table.csv --solver nnls --out out", "out"),
        ("fit table.csv --solver nnls --partial one.partial", "one.partial"),
        ("tenants perf switches.txt --out out", "out"),
        ("activities logs/blink.quanto --out out", "out"),
        ("man --out out", "out"),
    ] {
        // Files may have a few bytes only; the signal of a larger one is ignored, as a write
        // then fails like one to a full disk.
        let inner = wattline(folder.path(), &adb, words, "");
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]);
        command.arg(inner.get_program()).args(inner.get_args()).current_dir(folder.path());
        let output = command.stdin(Stdio::null()).output().unwrap();
        let errors = said(&output);
        assert_eq!(output.status.code(), Some(3), "{words}: {errors}");
        assert!(errors.contains("cannot write ") && errors.contains(out), "{words}: {errors}");
        let left = walkdir::WalkDir::new(folder.path().join(out)).into_iter().flatten();
        let half = left.filter(|entry| entry.file_type().is_file());
        let half: Vec<_> = half.filter(|entry| entry.metadata().unwrap().len() >= 1024).collect();
        assert!(half.is_empty(), "{words}: {half:?}");
        let temporary = walkdir::WalkDir::new(folder.path()).min_depth(1).into_iter().flatten();
        let is_temporary = |name: &str| name.starts_with(".tmp");
        let mut temporary = temporary.filter(|e| is_temporary(&e.file_name().to_string_lossy()));
        assert!(temporary.next().is_none(), "{words}");
        let _ = fs::remove_dir_all(folder.path().join(out));
    }
}

/// A board whose serial nobody reads ends at once instead of waiting for its standard input.
#[test]
fn a_board_that_nobody_can_find_ends() {
    if !has(&BOARD_TOOLS) {
        return;
    }
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer::new());
    let mut command = wattline(folder.path(), &adb, "board virtual", "");
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut child =
        command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take();
    let code = child.wait().unwrap().code();
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    drop(input);
    is_told(code, &errors, "board virtual");
}

/// A folder that can't be listed is told, and not taken for one without tables.
#[test]
fn tables_that_cannot_be_listed_are_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "a,b\n1,2\n").unwrap();
    // A file in the place of the folder.
    fs::write(folder.path().join("accounts"), "").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    let output = command.current_dir(folder.path()).args(["export", ".", "--parquet"]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("cannot read ./accounts"), "{}", said(&output));
}
