//! A bench meter's log on the host in whole campaigns: the virtual board writes what such a
//! meter's program would, and knows what was spent.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::path::{Path, PathBuf};

use wattline::run::{RunRecord, read_journal};
use wattline::virtual_board::{BoardFile, BoardOptions, Fault, RunningBoard, start};

use super::bench::{
    Bench, assert_same_data_set, copy_plan, fault_in_session, measured_and_spent, only_bad_run,
};
use super::host::board_options;

/// A board whose meter writes to a log of this name, and leaves its ground truth beside it.
fn board(bench: &Bench, log: &str) -> RunningBoard {
    start(&BoardOptions {
        truth: Some(bench.out(&format!("{log}-truth"))),
        log: Some(bench.out(log)),
        ..board_options()
    })
    .unwrap()
}

/// The scenario of several boards, with base cases only and a log.
fn scenario(bench: &Bench, log: &str) -> String {
    let meter = format!("meter = \"external\"\n[board.log]\nfile = \"{log}\"");
    let changes = [
        ("cases = 6\nrepeats = 2\ndry_runs = 8", "cases = 2\nrepeats = 1\ndry_runs = 2"),
        ("rails = [\"arm\", \"mem\"]", &meter),
        // Long enough for a meter that stands still to be told.
        ("frames = 240\nduration_s = 12", "frames = 400\nduration_s = 20"),
    ];
    bench.scenario("tests/scenarios/fleet.toml", &format!("{log}.toml"), &changes)
}

#[test]
fn a_bench_meters_log_measures_what_was_spent_and_one_that_stops_loses_nothing() {
    let Some(bench) = Bench::new() else { return };
    let whole = bench.out("whole");
    {
        let board = board(&bench, "whole.csv");
        let (scenario, serial) = (scenario(&bench, "whole.csv"), board.serial());
        let to = whole.to_str().unwrap();
        let said = bench.good(&["run", &scenario, "--board", &serial, "--out", to]);
        assert!(said.contains("power by external"), "{said}");
        bench.good(&["dataset", to]);
    }
    let about: toml::Table =
        fs::read_to_string(whole.join("dataset.toml")).unwrap().parse().unwrap();
    assert_eq!(about["meter"].as_str(), Some("external"));
    let collection_j = BoardFile::odroid_xu_e().collector.energy_j;
    let compared = measured_and_spent(&whole, &bench.out("whole.csv-truth"), collection_j);
    assert_eq!(compared.len(), 2, "one of each base case");
    for (run, measured_j, spent_j) in compared {
        let error = measured_j / spent_j - 1.0;
        println!("{run}: {measured_j:.5} J above idle, {spent_j:.5} J spent, {error:+.4}");
        // What is beyond: the chip leaks more when warm, and writes its log.
        assert!((-0.01..0.03).contains(&error), "{run}: {measured_j} {spent_j}");
    }
    stopped_and_resumed(&bench, &whole);
}

/// The same campaign, whose log another file takes the place of.
fn stopped_and_resumed(bench: &Bench, whole: &Path) {
    let board = board(bench, "torn.csv");
    let (scenario, serial) = (scenario(bench, "torn.csv"), board.serial());
    let (out, log, away) = (bench.out("torn"), bench.out("torn.csv"), bench.out("away.csv"));
    copy_plan(whole, &out);
    let words = ["run", &scenario, "--board", &serial, "--out", out.to_str().unwrap()];
    let mut started = bench.start(&words);
    Bench::until_session(&mut started, &board, 4);
    let (mut child, said) = started;
    fs::rename(&log, &away).unwrap();
    fs::copy(&away, &log).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "a log that does not grow any more");
    let said = fs::read_to_string(said).unwrap();
    assert!(said.contains("torn.csv, line ") && said.contains("it stopped growing"), "{said}");
    fs::rename(&away, &log).unwrap();
    bench.good(&[&words[..], &["--resume"]].concat());
    bench.good(&["dataset", out.to_str().unwrap(), "--force"]);
    assert_same_data_set(whole, &out, &said);
}

/// A campaign whose meter has a fault in its second session and none in the third.
fn with_fault(bench: &Bench, fault: Fault) -> (RunningBoard, Vec<String>, PathBuf) {
    let log = format!("{fault}.csv");
    let (board, scenario) = (board(bench, &log), scenario(bench, &log));
    fault_in_session(&board, 2, fault);
    let (serial, out) = (board.serial(), bench.out("out"));
    let words = ["run", &scenario, "--board", &serial, "--out", out.to_str().unwrap()];
    (board, words.map(String::from).to_vec(), out)
}

#[test]
#[ignore = "by day a log that stops does; scripts/nightly.sh runs it"]
fn a_log_that_repeats_its_last_row_makes_a_run_bad() {
    let Some(bench) = Bench::new() else { return };
    let (_board, words, out) = with_fault(&bench, Fault::FreezeSensors);
    bench.good(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let reasons = only_bad_run(&out);
    assert!(reasons.contains("no sensor had a new reading for"), "{reasons}");
}

#[test]
#[ignore = "by day a log that stops is resumed; scripts/nightly.sh runs it"]
fn a_meter_that_overflows_stops_the_campaign_which_goes_on_later() {
    let Some(bench) = Bench::new() else { return };
    let (_board, words, out) = with_fault(&bench, Fault::GarbageSensors);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (code, said) = bench.wattline(&words);
    assert!(code == Some(4) && said.contains("no row with a time and a power"), "{said}");
    words.push("--resume");
    bench.good(&words);
    assert!(read_journal(&out).unwrap().iter().all(RunRecord::is_good));
}

#[test]
fn a_log_that_can_not_be_the_boards_is_refused() {
    let Some(bench) = Bench::new() else { return };
    let out = bench.out("out");
    let to = out.to_str().unwrap();
    let scenario = scenario(&bench, "x.csv");
    let words = ["patterns", &scenario, "--out", to, "--serial", "127.0.0.1:1", "--serial", "b"];
    let (code, said) = bench.wattline(&words);
    assert!(code == Some(2) && said.contains("{board}"), "{said}");
    // One that writes no log has no time of a host.
    let (code, said) = bench.wattline(&["patterns", &scenario, "--out", to]);
    assert!(code == Some(4) && said.contains("board virtual --log FILE"), "{said}");
    let board = board(&bench, "other.csv");
    let words = ["patterns", &scenario, "--out", to, "--serial", &board.serial()];
    let (code, said) = bench.wattline(&words);
    assert!(code == Some(4) && said.contains("x.csv: cannot be read"), "{said}");
}
