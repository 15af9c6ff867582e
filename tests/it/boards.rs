//! What the program says of boards, and a campaign on this machine's own JVM.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::path::Path;

use wattline::run::{RunRecord, read_journal};
use wattline::virtual_board::start;

use super::host::{AdbServer, BOARD_TOOLS, answer, board_options, has};

/// The program where nobody serves adb.
fn without_adb(arguments: &[&str]) -> (Option<i32>, String) {
    answer(AdbServer { port: 1 }.command(arguments).output().unwrap())
}

#[test]
fn a_check_says_what_a_board_offers_and_what_is_missing() {
    if !has(&BOARD_TOOLS) {
        return;
    }
    let board = start(&board_options()).unwrap();
    let (code, said) = answer(AdbServer::new().wattline(&["board", "check", &board.serial()]));
    assert_eq!(code, Some(0), "{said}");
    for line in [
        "virtual: computed energy, simulated energy model additive",
        "meter        ina231: ",
        "rails      arm, mem, g3d, kfc",
        "missing      odpm: not offered: ",
        "missing      power-stats: not offered: Can't find service",
        "missing      rapl: not offered: ",
        "missing      fuel-gauge: not offered: ",
    ] {
        assert!(said.contains(line), "{line:?} is not in:\n{said}");
    }
}

#[test]
fn a_machine_without_a_meter_does_not_spend_nothing() {
    let (code, said) = without_adb(&["board", "check", "jvm"]);
    match code {
        Some(0) => assert!(said.contains("meter        rapl: "), "{said}"),
        code => {
            assert_eq!(code, Some(4), "{said}");
            assert!(said.contains("missing      rapl: not offered: "), "{said}");
            assert!(said.contains("unknown, not 0 J"), "{said}");
        }
    }
}

/// The scenario of the faults, a second long, in a folder of its own.
fn short_scenario(folder: &Path) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let text = fs::read_to_string("tests/scenarios/faults.toml").unwrap();
    let text = text.replace("../../scenarios", &format!("{root}/scenarios"));
    let text =
        text.replace("frames = 200", "frames = 20").replace("duration_s = 10", "duration_s = 1");
    let text = text.replace("limit_s = 40", "limit_s = 20").replace("at_s = 2,", "at_s = 0.2,");
    let text = text.replace("at_s = 6,", "at_s = 0.6,").replace("_hz = 2", "_hz = 20");
    let text = text.replace("cases = 2", "cases = 1");
    // Input comes when this machine gets round to it: paths may differ by a frame.
    let path = folder.join("short.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn a_campaign_on_this_machine_says_by_what_its_energy_is_told() {
    if !has(&["javac"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let scenario = short_scenario(folder.path());
    let out = folder.path().join("out");
    let out_text = out.to_str().unwrap();
    let (code, said) = without_adb(&["run", &scenario, "--board", "jvm", "--out", out_text]);
    assert_eq!(code, Some(0), "{said}");
    let records = read_journal(&out).unwrap();
    let good: Vec<&RunRecord> = records.iter().filter(|record| record.is_good()).collect();
    // Traced, power and idle; as this board has a sampler, there are two sampled runs, too.
    assert_eq!(good.len(), 5, "{said}");
    for record in good {
        assert_eq!(record.board.serial, "jvm");
        assert!(!record.board.is_virtual);
    }
    if has(&BOARD_TOOLS) {
        let other = ["run", &scenario, "--board", "virtual", "--resume", "--out", out_text];
        let (code, said) = answer(AdbServer::new().wattline(&other));
        assert!(code == Some(2) && said.contains("was begun on board jvm"), "{said}");
    }
    let (code, said) = without_adb(&["dataset", out_text]);
    assert_eq!(code, Some(0), "{said}");
    let facts = fs::read_to_string(out.join("dataset.toml")).unwrap();
    let meter = facts.lines().find(|line| line.starts_with("meter = ")).unwrap();
    assert!(["meter = \"rapl\"", "meter = \"software\""].contains(&meter), "{facts}");
    let table = fs::read_to_string(out.join("dataset.csv")).unwrap();
    assert_eq!(table.lines().count(), 2, "{table}");
}
