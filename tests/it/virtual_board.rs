//! The virtual board from the outside: the stock adb program, a shell, a JVM.
//! Skips, and says so, where one of the tools is missing.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

#[path = "virtual_board/adb.rs"]
pub mod adb;
#[path = "virtual_board/application.rs"]
mod application;
#[path = "virtual_board/methods.rs"]
mod methods;
#[path = "virtual_board/packages.rs"]
mod packages;
#[path = "virtual_board/simpleperf.rs"]
mod simpleperf;
#[path = "virtual_board/strangers.rs"]
mod strangers;
#[path = "virtual_board/windows.rs"]
mod windows;

use std::fs;
use std::time::{Duration, Instant};

use adb::{Adb, has_tools, options};
use wattline::virtual_board::{AdbdGeneration, BoardFile, BoardOptions, start};

#[test]
fn a_modern_board_gives_exit_codes_input_and_files() {
    let Some(adb) = Adb::connected(AdbdGeneration::Modern) else { return };
    let output = adb.run(&["shell", "echo out; echo err >&2; exit 3"]);
    assert_eq!(
        (output.code, output.stdout.as_str(), output.stderr.as_str()),
        (3, "out\n", "err\n")
    );
    assert_eq!(adb.run_with_input(&["shell", "cat; echo end"], "hello\n").stdout, "hello\nend\n");
    check_files(&adb);
}

#[test]
fn a_legacy_board_has_line_ends_of_a_terminal_and_no_exit_codes() {
    let Some(adb) = Adb::connected(AdbdGeneration::Legacy) else { return };
    let output = adb.run(&["shell", "echo out; echo err >&2; exit 3"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "out\r\nerr\r\n"));
    check_files(&adb);
}

/// A file of a few payloads goes there and back, with its mode.
fn check_files(adb: &Adb) {
    let folder = tempfile::tempdir().unwrap();
    let (there, back) = (folder.path().join("there"), folder.path().join("back"));
    let bytes: Vec<u8> = (0..700_000u32).map(|n| (n * 31 % 251) as u8).collect();
    fs::write(&there, &bytes).unwrap();
    assert_eq!(adb.run(&["push", there.to_str().unwrap(), "/data/local/tmp/new/file"]).code, 0);
    assert_eq!(adb.run(&["pull", "/data/local/tmp/new/file", back.to_str().unwrap()]).code, 0);
    assert!(fs::read(&back).unwrap() == bytes);
    assert!(adb.run(&["ls", "/data/local/tmp/new"]).stdout.contains("file"));
    assert_ne!(adb.run(&["pull", "/data/none", back.to_str().unwrap()]).code, 0);
}

#[test]
fn sleeps_take_no_real_time_and_background_loops_keep_step() {
    let Some(adb) = Adb::connected(AdbdGeneration::Modern) else { return };
    let began = Instant::now();
    let script = "read -r a _ </proc/uptime; sleep 1000; read -r b _ </proc/uptime; echo $a $b; \
                  date +%s";
    assert_eq!(adb.shell(script), "100.00 1100.00\n1767259000\n");
    assert!(began.elapsed() < Duration::from_secs(5));
    // The loop writes at 0, 300, 600 and 900 ms; the script wakes at 1000 ms.
    let script = "cd /data/local/tmp; (while :; do echo x; usleep 300000; done) >out & \
                  while [ ! -s out ]; do :; done; usleep 1000000; kill $!; cat out";
    assert_eq!(adb.shell(script), "x\nx\nx\nx\n");
    // A shell inside a shell, a substitution and a pipe do not stop the clock.
    let script = "sh -c 'sleep 1; true'; a=$(usleep 500000; echo b); usleep 500000 | cat; echo $a";
    assert_eq!(adb.shell(script), "b\n");
    // The killed loop's last nap, until 1200 ms, kept its output open and the host waiting.
    assert_eq!(adb.shell("cat /proc/uptime"), "1103.20 1103.20\n");
}

#[test]
fn sensors_are_found_enabled_and_read() {
    let Some(adb) = Adb::connected(AdbdGeneration::Modern) else { return };
    let script = "cd /sys/bus/i2c/drivers/INA231; cat */sensor_W | sort -u; \
                  for s in *; do echo 1 >$s/enable; done; usleep 600000; cat */sensor_W */sensor_V";
    let output = adb.shell(script);
    let values: Vec<f64> = output.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(values.len(), 9);
    assert_eq!(values[0], 0.0, "zeros until enabled");
    assert!(values[1..].iter().all(|value| *value > 0.01), "{values:?}");
    // Millivolts of the memory rail: 1.35 V in steps of 1.25 mV.
    let steps = values[6] / 0.00125;
    assert!((values[6] - 1.35).abs() < 0.005 && (steps - steps.round()).abs() < 1e-6);
}

/// Android's log holds 256 KiB, and where it may be asked to, more.
#[test]
fn a_full_log_loses_its_oldest_lines_unless_it_is_made_larger() {
    if !has_tools() {
        return;
    }
    let board = BoardFile::built_in("pixel").unwrap();
    let adb = Adb::of(BoardOptions { board, ..options(AdbdGeneration::Modern) });
    // Eight kilobytes a line.
    let fill = "logcat -c; log begin; t=0123456789abcdef; \
                for i in 1 2 3 4 5 6 7 8 9; do t=$t$t; done; \
                i=0; while [ $i -lt 40 ]; do log $t; i=$((i + 1)); done; \
                logcat -d | grep -c begin; true";
    assert_eq!(adb.shell(fill), "0\n");
    assert!(adb.shell("logcat -g").starts_with("main: ring buffer is 256 KiB ("));
    assert_eq!(adb.shell(&format!("logcat -G 1M; {fill}")), "1\n");
    let old = Adb::connected(AdbdGeneration::Modern).unwrap();
    assert!(old.shell("logcat -G 1M 2>&1; true").contains("unknown option -G"), "Android 4.2");
}

#[test]
fn a_board_that_stands_still_is_given_up() {
    if !has_tools() {
        return;
    }
    let board = options(AdbdGeneration::Modern);
    let adb = Adb::of(BoardOptions { patience: Duration::from_millis(700), ..board });
    // The script computes for ever while its child waits for time to pass.
    let output = adb.run(&["shell", "usleep 1000 & while :; do :; done"]);
    assert_eq!(output.code, 137);
    assert!(adb.board().problems()[0].contains("stood still"), "{:?}", adb.board().problems());
    assert!(adb.shell("logcat -d").contains("stood still"));
    assert_eq!(adb.shell("usleep 1000; echo again"), "again\n");
}

#[test]
fn nothing_is_left_behind() {
    let Some(adb) = Adb::connected(AdbdGeneration::Modern) else { return };
    let quiet = ">/dev/null 2>&1 </dev/null &";
    let script = format!(
        "setsid sh -c 'trap \"\" HUP TERM; while :; do usleep 100000; done' {quiet} \
         setsid sh -c 'while :; do :; done' {quiet} echo started"
    );
    assert_eq!(adb.shell(&script), "started\n");
    let mark = adb.shell("echo $WATTLINE_BOARD");
    let mark = format!("WATTLINE_BOARD={}", mark.trim());
    assert!(!processes_with(&mark).is_empty());
    drop(adb);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(processes_with(&mark), Vec::<String>::new());
    let root = mark.split_once('=').unwrap().1;
    assert!(!std::path::Path::new(root).exists());
}

/// The whole program acts as the board's commands only where it lies alone.
#[test]
fn commands_are_the_small_program_where_it_lies_beside_the_whole() {
    if !has_tools() {
        return;
    }
    let whole = env!("CARGO_BIN_EXE_wattline");
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("wattline");
    fs::copy(whole, &alone).unwrap();
    let small = env!("CARGO_BIN_EXE_wattline-board-command");
    for (executable, taken) in [(whole, small), (alone.to_str().unwrap(), whole)] {
        let executable = Some(executable.into());
        let adb = Adb::of(BoardOptions { executable, ..options(AdbdGeneration::Modern) });
        let size = adb.shell("wc -c </system/bin/sleep; usleep 1000000; cat /proc/uptime");
        let expected = format!("{}\n101.00 101.00\n", fs::metadata(taken).unwrap().len());
        assert_eq!(size, expected, "{taken}");
    }
}

/// The processes whose environment has an entry.
fn processes_with(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let has_marker = |entry: &fs::DirEntry| {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
    };
    entries.filter(has_marker).map(|entry| entry.path().display().to_string()).collect()
}

#[test]
fn a_port_in_use_is_an_error_with_a_remedy() {
    if !has_tools() {
        return;
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error =
        start(&BoardOptions { port, ..options(AdbdGeneration::Modern) }).err().unwrap().to_string();
    assert!(error.contains(&port.to_string()) && error.contains("another port"), "{error}");
}
