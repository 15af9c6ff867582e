//! Bytecode patterns measured on the virtual board, against the table that its silicon
//! spends by.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;

use super::host::{AdbServer, CAMPAIGN_TOOLS, has};

/// Operation, size, type, device, joules.
type Row = BTreeMap<String, String>;

fn effect(table: &toml::Table, factor: &str, level: &str) -> f64 {
    table[factor][level].as_float().unwrap()
}

#[test]
fn patterns_cost_what_the_silicon_spends() {
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
    assert_eq!(rows.len(), (1 + 14 + 4) * 2, "patterns x sessions");
    let silicon: toml::Table =
        fs::read_to_string("datasets/silicon/raspberry-pi-5.toml").unwrap().parse().unwrap();
    // The -1 of a long's complement is a constant of 64 bits, which the pattern doesn't say.
    for row in rows.iter().filter(|row| row["operation"] != "Bit complement") {
        let spent = effect(&silicon, "operation", &row["operation"])
            + effect(&silicon, "type", &row["type"])
            + effect(&silicon, "device", "Device 1");
        let energy_j: f64 = row["energy_j"].parse().unwrap();
        // Windows of one second: 3 % of noise, and the board's leakage adds some percent.
        let off = (energy_j - spent).abs();
        assert!(off < 0.15 * spent + 1.5e-9, "{row:?}: the silicon spends {spent}");
    }
    let table = path.to_str().unwrap();
    let factors = "operation,type,device";
    let output =
        adb.wattline(&["fit", table, "--solver", "bayes", "--factors", factors, "--out", out]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(fs::read_to_string(folder.path().join("effects.csv")).unwrap().contains("Bit xor"));
}
