//! Hints by what the board at hand saves, and hints that were applied and measured: whole
//! pipelines on this machine's JVM and on the virtual board.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use wattline::account::Femtojoules;
use wattline::campaign::RunPhase;
use wattline::run::{RunRecord, read_journal};

use super::bench::{Bench, rows};

const SCENARIO: &str = "tests/it/verify/hot.toml";

fn scenario(bench: &Bench, changes: &[(&str, &str)]) -> String {
    let app = format!("path = \"{}/tests/it/verify/app\"", env!("CARGO_MANIFEST_DIR"));
    let changes = [&[("path = \"app\"", app.as_str())], changes].concat();
    bench.scenario(SCENARIO, "hot.toml", &changes)
}

fn number(row: &BTreeMap<String, String>, name: &str) -> f64 {
    row[name].parse().unwrap_or_else(|_| panic!("{name} of {row:?}"))
}

/// Compilers spent something, and all rows add up to what was measured, to the last digit.
pub fn the_compilers_have_a_row(folder: &Path) {
    let ledger = rows(&folder.join("ledger.csv"));
    let energy = |row: &BTreeMap<String, String>| Femtojoules::parse(&row["energy_j"]).unwrap();
    let of = |name: &str| energy(ledger.iter().find(|row| row["entry"] == name).unwrap());
    assert!(of("compiler") > Femtojoules::ZERO, "{ledger:?}");
    let parts = ledger.iter().filter(|row| row["entry"] != "measured").map(energy);
    assert_eq!(parts.sum::<Femtojoules>(), of("measured"));
    let is_power = |record: &&RunRecord| record.is_good() && record.run.phase == RunPhase::Power;
    for record in read_journal(folder).unwrap().iter().filter(is_power) {
        let threads = record.measured.as_ref().unwrap().threads.unwrap();
        assert!(threads.process_s + 0.02 >= threads.compiler_s, "{threads:?}");
    }
    for row in rows(&folder.join("energies.csv")) {
        // The process's times come in hundredths of a second: nothing is told of a variant
        // that computes nothing.
        let is_told = !row["runtime_j"].is_empty();
        assert!(is_told || number(&row, "duration_s") < 0.1, "{row:?}");
        let own = number(&row, "energy_j");
        let beside = if is_told { number(&row, "runtime_j") } else { 0.0 };
        let above = number(&row, "total_j") - number(&row, "idle_j");
        assert!((own + beside - above).abs() < 1e-9 * above.abs(), "{row:?}");
    }
}

/// A folder's hints: SARIF's results.
fn results(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("hints.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&text).unwrap();
    sarif["runs"][0]["results"].as_array().unwrap().clone()
}

/// What was verified is in table, SARIF and text, with intervals.
fn verified_hints_say_both(bench: &Bench, folder: &Path, pairs: &str) {
    let table = rows(&folder.join("hint-savings.csv"));
    assert!(!table.is_empty(), "no hint was verified");
    let hints = results(folder);
    let measured = hints.iter().filter(|hint| hint["properties"]["measured_saving_j"].is_f64());
    // What turned out to save nothing is no hint any more.
    assert!(measured.clone().count() <= table.len());
    for row in &table {
        let saving = number(row, "saving_j");
        assert!(number(row, "saving_lo_j") <= saving && saving <= number(row, "saving_hi_j"));
        assert_eq!(row["pairs"], pairs);
    }
    for hint in measured {
        assert!(hint["message"]["text"].as_str().unwrap().contains("Measured: "), "{hint}");
    }
    let said = bench.good(&["hints", folder.to_str().unwrap(), "--force"]);
    assert!(said.contains(", measured "), "{said}");
}

/// Each pair has been measured session by session, and counted.
fn pairs_were_measured(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("hint-microbenchmarks.json")).unwrap();
    let pairs: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(!pairs.is_empty());
    for pair in &pairs {
        assert!(pair["saved"].as_f64().unwrap() < 1.0, "{pair}");
        assert!(!pair["before"].as_object().unwrap().is_empty(), "{pair}");
    }
    pairs
}

#[test]
#[ignore = "some minutes of this machine"]
fn a_jvm_says_which_hints_its_compiler_leaves() {
    let Some(bench) = Bench::with(&["java"]) else { return };
    let scenario = scenario(&bench, &[]);
    let out = bench.out("out");
    let folder = out.to_str().unwrap();
    let said = bench.good(&["pipeline", &scenario, "--board", "jvm", "--out", folder]);
    the_compilers_have_a_row(&out);
    assert!(rows(&out.join("microbenchmarks.csv")).len() > 3, "{said}");
    let pairs = pairs_were_measured(&out);
    let text = bench.good(&["hints", folder, "--force"]);
    for hint in results(&out) {
        let properties = &hint["properties"];
        // Places become hints by what they saved, too.
        let [lo, measured] =
            ["saving_lo_j", "measured_saving_j"].map(|name| properties[name].as_f64());
        assert!(lo.is_none_or(|lo| lo > 0.0) || measured.is_some(), "{hint}");
        let has_pair = pairs.iter().any(|pair| pair["pattern"] == hint["ruleId"]);
        assert!(has_pair, "{hint}");
    }
    // The automatic fixes that are left were measured; where the compiler leaves none, it
    // is said.
    let has_fix = |hint: &&Value| hint["properties"]["automatic_fix"] == Value::Bool(true);
    match results(&out).iter().any(|hint| has_fix(&hint)) {
        true => verified_hints_say_both(&bench, &out, "3"),
        false => {
            let none = ["saves nothing on this board", "no certain saving", "No hints"];
            assert!(none.iter().any(|said| text.contains(said)), "{text}\n{said}");
        }
    }
}

/// The additive chip spends what its words say: hints stay, by ratios near 1, and what they
/// save is measured.
#[test]
#[ignore = "some minutes on the virtual board"]
fn a_board_that_executes_words_keeps_hints_and_they_are_measured() {
    let Some(bench) = Bench::new() else { return };
    let app = format!("path = \"{}/tests/scenarios/savings\"", env!("CARGO_MANIFEST_DIR"));
    let changes = [
        ("path = \"savings\"", app.as_str()),
        ("[microbenchmarks]", "[hints]\nverify = 1\n\n[microbenchmarks]"),
    ];
    let scenario = bench.scenario("tests/scenarios/savings.toml", "savings.toml", &changes);
    let out = bench.out("out");
    let folder = out.to_str().unwrap();
    let said = bench.good(&["pipeline", &scenario, "--board", "virtual", "--out", folder]);
    pairs_were_measured(&out);
    let hints = results(&out);
    assert!(!hints.is_empty(), "{said}");
    for hint in &hints {
        let ratio = hint["properties"]["board_ratio"].as_f64();
        assert!(ratio.is_none_or(|ratio| (0.5..2.0).contains(&ratio)), "{hint}");
    }
    // Five rounds of two inputs.
    verified_hints_say_both(&bench, &out, "10");
    let ledger = rows(&out.join("ledger.csv"));
    assert!(ledger.iter().all(|row| row["entry"] != "compiler"), "boards behind adb tell no times");
}

/// Particles whose loop asks a field for its limit in every iteration: the prediction has the reads
/// of the field, and what a run with the rewrite saves lies in its interval. All rewrites together
/// save what they save one by one, as they are of different loops of a board that executes them as
/// written; two of one loop are not applied together, and named.
#[test]
#[ignore = "some minutes on the virtual board"]
fn rewrites_are_measured_one_by_one_and_together() {
    let Some(bench) = Bench::new() else { return };
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    super::host::copy_folder(&project.join("tests/scenarios/savings"), &bench.out("app"));
    let file = bench.out("app/wattline/demo/Particles.java");
    let text = fs::read_to_string(&file).unwrap();
    let local = "        FloatBuffer speeds = this.speeds;\n";
    assert!(text.contains(local));
    fs::write(&file, text.replace(local, "")).unwrap();
    let app = format!("path = {:?}", bench.out("app"));
    let changes = [
        ("path = \"../scenarios/savings\"", app.as_str()),
        ("repeats = 2", "repeats = 3"),
        ("repeats = 1", "repeats = 2"),
        ("verify = 1", "verify = 6"),
    ];
    let scenario = bench.scenario("tests/golden/savings.toml", "savings.toml", &changes);
    // One input is enough.
    let text = fs::read_to_string(&scenario).unwrap();
    let (first, _) = text.split_once("[[input]]\nname = \"many\"").unwrap();
    fs::write(&scenario, first).unwrap();
    let out = bench.out("out");
    let folder = out.to_str().unwrap();
    let said = bench.good(&["pipeline", &scenario, "--board", "virtual", "--out", folder]);
    let verified = rows(&out.join("hint-savings.csv"));
    let limit = verified
        .iter()
        .find(|row| row["pattern"] == "loop-invariant" && row["block"].contains("countFast"));
    let limit = limit.unwrap_or_else(|| panic!("{verified:?}\n{said}"));
    println!("{limit:?}");
    let saving = number(limit, "saving_j");
    assert!(number(limit, "predicted_lo_j") <= saving, "{limit:?}");
    assert!(saving <= number(limit, "predicted_hi_j"), "{limit:?}");
    // The joint saving.
    let joint = rows(&out.join("joint-saving.csv"));
    println!("{joint:?}");
    let of = |kind: &str| joint.iter().filter(|row| row["row"] == kind).collect::<Vec<_>>();
    let [together, sum, difference] =
        ["together", "sum", "difference"].map(|kind| number(of(kind)[0], "saving_j"));
    assert!((together - sum - difference).abs() < 1e-9 * sum.abs(), "{joint:?}");
    assert!(difference.abs() < 0.1 * sum, "{joint:?}");
    assert!(of("applied").len() >= 3 && !of("overlapping").is_empty(), "{joint:?}");
    assert!(said.contains("measured rewrites save"), "{said}");
    let text = bench.good(&["hints", folder, "--force"]);
    assert!(text.contains("the sum of the single savings is"), "{text}");
    assert!(fs::read_to_string(out.join("report.html")).unwrap().contains("joint-saving"));
}
