//! Bytecode patterns measured on the virtual board, against the table that its simulated energy
//! model spends by.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use wattline::virtual_board::{BoardOptions, RunningBoard, start};

use super::host::{AdbServer, CAMPAIGN_TOOLS, board_options, has, javac, said};

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

/// The rows of a table in a folder.
fn table(folder: &Path, name: &str) -> Vec<Row> {
    csv::Reader::from_path(folder.join(name)).unwrap().deserialize().map(Result::unwrap).collect()
}

/// The scenario of the tests, as a signed package: as D8 translates it.
fn packaged_scenario(folder: &Path) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let text = fs::read_to_string("tests/scenarios/tiny.toml").unwrap();
    let start = text.lines().find(|line| line.starts_with("start = ")).unwrap();
    let text = text.replace(start, "").replace("../../scenarios", &format!("{root}/scenarios"));
    let path = folder.join("packaged.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What the simulated energy model spends by the published effects on an execution of a row's
/// pattern.
fn sum_of_effects(chip: &toml::Table, row: &Row) -> f64 {
    let level = |factor: &str| match row[factor].as_str() {
        "" => 0.0,
        name => effect(chip, factor, &name.replace("(int )", "(int, 0)")),
    };
    level("operation") + level("size") + level("type") + effect(chip, "device", "Device 1")
}

fn simulated_chip() -> toml::Table {
    let text = fs::read_to_string("datasets/simulated-models/raspberry-pi-5.toml").unwrap();
    text.parse().unwrap()
}

/// The ratio of measured energy to the sum of effects, mean of the sessions, by pattern.
fn ratios(folder: &Path) -> BTreeMap<String, f64> {
    let chip = simulated_chip();
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in table(folder, "measured-patterns.csv") {
        let energy_j: f64 = row["energy_j"].parse().unwrap();
        let name = [&row["operation"], &row["size"], &row["type"]].map(String::as_str).join(" ");
        all.entry(name).or_default().push(energy_j / sum_of_effects(&chip, &row));
    }
    let mean = |of: Vec<f64>| of.iter().sum::<f64>() / of.len() as f64;
    all.into_iter().map(|(name, of)| (name, mean(of))).collect()
}

/// D8 makes additions of subtractions of a constant; all else is left as it is written.
#[test]
fn a_pattern_that_d8_replaces_is_named_and_not_measured() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let adb = AdbServer::new();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let scenario = packaged_scenario(folder.path());
    let only = ["Subtraction", "Increase", "Switch"].map(|of| ["--only", of]).concat();
    let output = adb.wattline(
        &[&["patterns", &scenario, "--board", "virtual", "--out", out][..], &only].concat(),
    );
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("14 patterns x 1 session on"), "{said}");
    let named = "not measured: Subtraction, Constant, int: DEX: 16 of 16 sub-int/lit missing";
    assert!(said.contains(named), "{said}");
    let statuses = table(folder.path(), "pattern-status.csv");
    assert_eq!(statuses.len(), 15);
    let missing: Vec<&Row> = statuses.iter().filter(|of| of["status"] == "not measured").collect();
    assert_eq!(missing.len(), 1, "{statuses:?}");
    assert!(missing[0]["reason"].contains("add-int/lit besides"), "{missing:?}");
    let ratios = ratios(folder.path());
    assert_eq!(ratios.len(), 14, "no row of it");
    for name in ["Increase  int", "Switch-case consecutive  int", "Subtraction Load int"] {
        assert!((ratios[name] - 1.0).abs() < 0.15, "{name}: {ratios:?}");
    }
    let table = folder.path().join("measured-patterns.csv");
    let factors = "operation,size,type,device";
    let words = ["fit", table.to_str().unwrap(), "--solver", "bayes", "--factors", factors];
    let output = adb.wattline(&[&words[..], &["--out", out]].concat());
    let said = self::said(&output);
    assert!(
        said.contains("14 of 174 patterns measured; not measured: all 12 of Addition"),
        "{said}"
    );
    assert!(said.contains("Subtraction Constant int"), "{said}");
    assert!(said.contains("no effect of: operation Addition"), "{said}");
}

/// All patterns, as a signed package. What is not within 4 % of the sum is what DEX, or a rule of
/// the chip, says otherwise than the table (docs/experiments/2026-11-patterns.md).
#[test]
#[ignore = "takes minutes; scripts/nightly.sh runs it"]
fn all_patterns_but_one_are_left_by_d8() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let adb = AdbServer::new();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let words = ["patterns", "scenarios/validation.toml", "--board", "virtual", "--out", out];
    let output = adb.wattline(&words);
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    let statuses = table(folder.path(), "pattern-status.csv");
    let missing: Vec<&Row> = statuses.iter().filter(|of| of["status"] != "measured").collect();
    assert_eq!((statuses.len(), missing.len()), (174, 1), "{missing:?}");
    let ratios = ratios(folder.path());
    let off: Vec<_> = ratios.iter().filter(|(_, ratio)| (*ratio - 1.0).abs() > 0.04).collect();
    println!("{} of 174 patterns within 4 %; off: {off:?}", ratios.len() - off.len());
    assert!(ratios.len() - off.len() >= WITHIN, "{off:?}");
}

/// Patterns of a package that are within 4 % of the sum of effects.
const WITHIN: usize = 125;

/// A product of matrices whose executions are known on paper.
const PRODUCT: &str = "public class Product {
    static int[] multiply(int[] a, int[] b, int n) {
        int[] c = new int[n * n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                int sum = 0;
                for (int k = 0; k < n; k++) { sum += a[i * n + k] * b[k * n + j]; }
                c[i * n + j] = sum;
            }
        }
        return c;
    }
    public static void main(String[] words) {
        int n = Integer.parseInt(words[0]);
        System.out.println(multiply(new int[n * n], new int[n * n], n).length);
        System.exit(3);
    }
}";

/// The compiled product in a folder, and the command that counts it with these arguments.
fn count_product(folder: &Path, more: &[&str]) -> Output {
    let classes = folder.join("classes");
    if !classes.exists() {
        let source = folder.join("Product.java");
        fs::write(&source, PRODUCT).unwrap();
        let done = javac().arg("-d").arg(&classes).arg(&source).status();
        assert!(done.unwrap().success());
    }
    Command::new(env!("CARGO_BIN_EXE_wattline"))
        .args(["patterns", "count"])
        .arg(&classes)
        .args(["--main", "Product", "--force", "--out"])
        .arg(folder.join("out"))
        .args(more)
        .args(["--", "5"])
        .output()
        .unwrap()
}

#[test]
fn patterns_of_a_program_are_counted_exactly() {
    if !has(&["javac"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let device = ["--device", "Device 1"];
    let output =
        count_product(folder.path(), &[&device[..], &["--method", "Product.multiply"]].concat());
    assert_eq!(output.status.code(), Some(3), "the program's own: {}", said(&output));
    let out = folder.path().join("out");
    let found: BTreeMap<[String; 3], u64> = table(&out, "pattern-counts.csv")
        .iter()
        .map(|row| {
            let levels = ["operation", "size", "type"].map(|factor| row[factor].clone());
            (levels, row["executions"].parse().unwrap())
        })
        .collect();
    let n: u64 = 5;
    let (n2, n3) = (n * n, n * n * n);
    let on_paper = [
        (["Multiplication", "Load", "int"], 1 + 3 * n3 + n2),
        (["Addition", "Load", "int"], 3 * n3 + n2),
        (["Array load", "Load", "int"], 2 * n3),
        (["Array store", "Load", "int"], n2),
        (["Increase", "", "int"], n3 + n2 + n),
        (["if less (numerical data types)", "", "int"], (n3 + n2) + (n2 + n) + (n + 1)),
        (["else branch", "", ""], n3 + n2 + n),
        (["Variable declaration", "Constant", "int"], 1 + n + 2 * n2),
        (["Array allocation", "Load", "int"], 1),
        (["return statement", "", "Reference"], 1),
    ];
    let on_paper: BTreeMap<[String; 3], u64> =
        on_paper.into_iter().map(|(levels, count)| (levels.map(str::to_owned), count)).collect();
    assert_eq!(found, on_paper);
    assert!(table(&out, "outside-patterns.csv").is_empty(), "all of it are patterns");
    let predicted = predict_product(&out, &[]);
    assert!(predicted.status.success(), "{}", said(&predicted));
}

/// The prediction of the counts in a folder by the published effects.
fn predict_product(out: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wattline"))
        .args(["predict", &format!("{PUBLISHED}/effects.csv")])
        .arg(out.join("pattern-counts.csv"))
        .args(["--force", "--out"])
        .arg(out)
        .args(more)
        .output()
        .unwrap()
}

/// The effect of the device is not left out in silence.
#[test]
fn counts_without_a_device_are_predicted_over_devices_alone() {
    if !has(&["javac"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = count_product(folder.path(), &["--method", "Product.multiply"]);
    assert_eq!(output.status.code(), Some(3), "the program's own: {}", said(&output));
    let out = folder.path().join("out");
    assert!(table(&out, "pattern-counts.csv").iter().all(|row| !row.contains_key("device")));
    let refused = predict_product(&out, &[]);
    assert!(!refused.status.success());
    assert!(said(&refused).contains("--over device"), "{}", said(&refused));
    let predicted = predict_product(&out, &["--over", "device"]);
    assert!(predicted.status.success(), "{}", said(&predicted));
}

#[test]
fn instructions_outside_of_patterns_have_rows_and_unknown_methods_are_named() {
    if !has(&["javac"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = count_product(folder.path(), &[]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("25") && printed.contains("outside: "), "{printed}");
    let outside = table(&folder.path().join("out"), "outside-patterns.csv");
    let library = outside.iter().find(|row| row["instruction"].contains("Integer.parseInt"));
    assert!(library.unwrap()["reason"].contains("library"), "{outside:?}");
    let output = count_product(folder.path(), &["--method", "Product.divide"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("it has loaded Product"), "{}", said(&output));
}

/// Programs of which the sessions measure the energy and the agent counts the patterns, predicted
/// by the effects that the chip spends by.
#[test]
fn programs_are_predicted_by_their_patterns() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let adb = AdbServer::new();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let scenario = "tests/scenarios/tiny.toml";
    let words = ["patterns", scenario, "--board", "virtual", "--only", "Increase", "--programs"];
    let output = adb.wattline(&[&words[..], &["--out", out]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let programs = folder.path().join("programs.csv");
    // The published effects name the chip's device otherwise than the board.
    let text = fs::read_to_string(&programs).unwrap();
    let device = table(folder.path(), "programs.csv")[0]["device"].clone();
    fs::write(&programs, text.replace(&format!(",{device},"), ",Device 1,")).unwrap();
    let effects = format!("{PUBLISHED}/effects.csv");
    let words = ["predict", &effects, programs.to_str().unwrap(), "--out", out];
    let output = adb.wattline(&words);
    assert!(output.status.success(), "{}", said(&output));
    let predictions = table(folder.path(), "predictions.csv");
    assert_eq!(predictions.len(), 4 * 3 + 3);
    for row in &predictions {
        let off: f64 = row["off_percent"].parse().unwrap();
        println!("{}: {off:+.1} %", row["case"]);
        // A window of a second has 3 % of noise.
        assert!(off.abs() < 5.0, "{row:?}");
    }
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
