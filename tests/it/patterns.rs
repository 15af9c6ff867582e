//! Bytecode patterns measured on the virtual board, against the table that its simulated energy
//! model spends by.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use wattline::virtual_board::{BoardOptions, RunningBoard, start};

use super::host::{AdbServer, CAMPAIGN_TOOLS, board_options, has, said};

/// Operation, size, type, device, joules.
type Row = BTreeMap<String, String>;

fn effect(table: &toml::Table, factor: &str, level: &str) -> f64 {
    table[factor][level].as_float().unwrap()
}

#[test]
fn patterns_cost_what_the_simulated_energy_model_spends() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let adb = AdbServer::new();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let scenario = "tests/scenarios/tiny.toml";
    let only = ["--only", "Increase", "--only", "Bits", "--only", "Negation"];
    let output = adb.wattline(&[["patterns", scenario, "--out", out].as_slice(), &only].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let path = folder.path().join("measured-patterns.csv");
    let rows: Vec<Row> =
        csv::Reader::from_path(&path).unwrap().deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 1 + 14 + 4, "one session of each pattern");
    let simulated_model: toml::Table =
        fs::read_to_string("datasets/simulated-models/raspberry-pi-5.toml")
            .unwrap()
            .parse()
            .unwrap();
    // The -1 of a long's complement is a constant of 64 bits, which the pattern doesn't say.
    for row in rows.iter().filter(|row| row["operation"] != "Bit complement") {
        let spent = effect(&simulated_model, "operation", &row["operation"])
            + effect(&simulated_model, "type", &row["type"])
            + effect(&simulated_model, "device", "Device 1");
        let energy_j: f64 = row["energy_j"].parse().unwrap();
        // Windows of one second: 3 % of noise, and the board's leakage adds some percent.
        let off = (energy_j - spent).abs();
        assert!(off < 0.15 * spent + 1.5e-9, "{row:?}: the simulated energy model spends {spent}");
    }
    let table = path.to_str().unwrap();
    let factors = "operation,type,device";
    let output =
        adb.wattline(&["fit", table, "--solver", "bayes", "--factors", factors, "--out", out]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(fs::read_to_string(folder.path().join("effects.csv")).unwrap().contains("Bit xor"));
}

/// A board by name whose chip is a device of the cost table.
fn board(name: &str, seed: u64, device: &str) -> RunningBoard {
    start(&BoardOptions {
        name: name.into(),
        seed: Some(seed),
        device: device.into(),
        ..board_options()
    })
    .unwrap()
}

#[test]
fn two_boards_differ_by_what_their_chips_differ() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let adb = AdbServer::new();
    let (left, right) = (board("left", 1, "Device 1"), board("right", 2, "Device 2"));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let good = |words: &[&str]| {
        let output = adb.wattline(words);
        let said = said(&output);
        assert!(output.status.success(), "{words:?}\n{said}");
        said
    };
    let (a, b) = (left.serial(), right.serial());
    let boards = ["--serial", &a, "--serial", &b, "--only", "Increase", "--only", "Bits"];
    let words = ["patterns", "tests/scenarios/tiny.toml", "--out", out];
    let said = good(&[&words[..], &boards].concat());
    assert!(said.contains("15 patterns x 2 sessions on left, right: 30 measurements"), "{said}");
    let table = folder.path().join("measured-patterns.csv");
    let read = |name: &str| -> Vec<Row> {
        let path = folder.path().join(name);
        csv::Reader::from_path(&path).unwrap().deserialize().map(Result::unwrap).collect()
    };
    let rows = read("measured-patterns.csv");
    let of = |device: &str| rows.iter().filter(|row| row["device"] == device).count();
    assert_eq!((of("left"), of("right")), (15, 15), "a session on each");
    let factors = "operation,size,type,device";
    let table = table.to_str().unwrap();
    good(&["fit", table, "--solver", "bayes", "--factors", factors, "--out", out]);
    let effects = read("effects.csv");
    let mean_j = |level: &str| -> f64 {
        let of_device = |row: &&Row| row["category"] == "device" && row["level"] == level;
        effects.iter().find(of_device).unwrap()["mean_j"].parse().unwrap()
    };
    let simulated_model: toml::Table =
        fs::read_to_string("datasets/simulated-models/raspberry-pi-5.toml")
            .unwrap()
            .parse()
            .unwrap();
    let spent = effect(&simulated_model, "device", "Device 1")
        - effect(&simulated_model, "device", "Device 2");
    let found = mean_j("left") - mean_j("right");
    println!("left over right: {found:e} J, the simulated energy model {spent:e} J");
    assert!((found / spent - 1.0).abs() < 0.15, "{found} {spent}");
}

/// The published table, and the programs whose energy the paper adds up from it.
const PUBLISHED: &str = "datasets/bytecode-patterns";

#[test]
fn published_effects_give_the_published_energies() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let files = ["effects.csv", "array-allocations.csv"].map(|name| format!("{PUBLISHED}/{name}"));
    let output = Command::new(env!("CARGO_BIN_EXE_wattline"))
        .args(["predict", &files[0], &files[1], "--out", out])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    let energies: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.ends_with("e-7")))
        .collect();
    assert_eq!(energies, ["4.235863e-7", "4.238306e-7", "4.168979e-7", "4.171423e-7"], "{printed}");
    assert!(printed.contains("no interval"), "the draws were not published: {printed}");
}

#[test]
fn the_simulated_chip_spends_by_the_published_effects() {
    let chip: toml::Table = fs::read_to_string("datasets/simulated-models/raspberry-pi-5.toml")
        .unwrap()
        .parse()
        .unwrap();
    let effects: Vec<Row> = csv::Reader::from_path(format!("{PUBLISHED}/effects.csv"))
        .unwrap()
        .deserialize()
        .map(Result::unwrap)
        .collect();
    let effects: Vec<&Row> = effects.iter().filter(|row| row["category"] != "sigma").collect();
    assert_eq!(effects.len(), 73);
    for row in effects {
        let published: f64 = row["mean_j"].parse().unwrap();
        assert_eq!(effect(&chip, &row["category"], &row["level"]), published, "{row:?}");
    }
}
