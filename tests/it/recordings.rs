//! `compare` on recordings of `monitor`, as a user runs it.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn compare(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.arg("compare").args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A real recording of a JVM, whose energies are multiplied: those of `Work.light` by one factor
/// more, which other rows of its tables don't follow.
fn recording(folder: &Path, name: &str, all: f64, light: f64) -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/recording/sampled");
    let to = folder.join(name);
    fs::create_dir(&to).unwrap();
    for file in fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path()) {
        let name = file.file_name().unwrap().to_str().unwrap();
        if name.ends_with(".csv") {
            fs::write(to.join(name), scaled(&file, all, light)).unwrap();
        } else if name.ends_with(".toml") {
            fs::copy(&file, to.join(name)).unwrap();
        }
    }
    to.to_str().unwrap().to_owned()
}

/// A table whose columns of energies are multiplied.
fn scaled(file: &PathBuf, all: f64, light: f64) -> String {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let head = reader.headers().unwrap().clone();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&head).unwrap();
    for row in reader.records().map(Result::unwrap) {
        let is_light = row.iter().any(|cell| cell == "light");
        let factor = if is_light { all * light } else { all };
        let cells = head.iter().zip(&row).map(|(title, cell)| match cell.parse::<f64>() {
            Ok(joules) if title.ends_with("_j") => format!("{:.15}", joules * factor),
            _ => cell.to_owned(),
        });
        writer.write_record(cells).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

/// Joules of a column, over the rows in which a cell fits.
fn joules(folder: &str, table: &str, column: &str, fits: impl Fn(&str) -> bool) -> f64 {
    let mut reader = csv::Reader::from_path(Path::new(folder).join(table)).unwrap();
    let at = reader.headers().unwrap().iter().position(|title| title == column).unwrap();
    let rows = reader.records().map(Result::unwrap).filter(|row| row.iter().any(&fits));
    rows.map(|row| row[at].parse::<f64>().unwrap()).sum()
}

/// Mean, and variance of the mean.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
}

fn near(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() <= 1e-6 * expected.abs().max(1e-3), "{value} {expected}");
}

fn named<'v>(rows: &'v Value, name: &str) -> &'v Value {
    let mut rows = rows.as_array().unwrap().iter();
    rows.find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn one_recording_a_side_has_differences_and_says_that_it_has_no_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let a = recording(folder.path(), "a", 1.0, 1.0);
    let b = recording(folder.path(), "b", 1.0, 1.5);
    let output = compare(&[&a, &b, "--format", "json"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&json["mode"], &json["verdict"]), (&"recorded".into(), &"no data".into()));
    let is_light = |cell: &str| cell == "light";
    let light = named(&json["methods"], "Work.light");
    let [before, now] = [&a, &b].map(|side| joules(side, "methods.csv", "cpu_j", is_light));
    near(&light["base_j"], before);
    near(&light["new_j"], now);
    near(&light["change_j"], before * 0.5);
    assert_eq!(light["change_lo_j"], Value::Null);
    let whole = joules(&a, "jvm.csv", "cpu_j", |_| true);
    near(&json["scenario"]["base_j"], whole);
    let share = named(&json["recorded"]["shares"], "Work.light");
    near(&share["base_share"], before / whole);
    near(&share["change_share"], before * 0.5 / whole);
    let class = named(&json["classes"], "Work");
    near(&class["base_j"], joules(&a, "methods.csv", "cpu_j", |cell| cell == "Work"));
    let text = compare(&[&a, &b]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    for sentence in [
        "no intervals where a side has one recording alone",
        "a model's figures, no measurement",
        "one recording has no error: both sides; give repeats",
        "Parts of the whole",
        "1 recording, so nothing is known of how alike repeats are",
    ] {
        assert!(text.contains(sentence), "{sentence}: {text}");
    }
}

#[test]
fn repeats_give_intervals_a_verdict_and_how_alike_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let base = [("a1", 1.0), ("a2", 1.01), ("a3", 0.98)]
        .map(|(name, all)| recording(folder.path(), name, all, 1.0));
    let new = [("b1", 1.2), ("b2", 1.22), ("b3", 1.17)]
        .map(|(name, all)| recording(folder.path(), name, all, 1.1));
    let out = folder.path().join("out");
    let output = compare(&[
        &base[0],
        &new[0],
        "--base-repeats",
        &base[1],
        &base[2],
        "--new-repeats",
        &new[1],
        &new[2],
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let json: Value =
        serde_json::from_str(&fs::read_to_string(out.join("compare.json")).unwrap()).unwrap();
    assert_eq!(json["verdict"], "increase");
    let whole = |side: &[String]| -> Vec<f64> {
        side.iter().map(|folder| joules(folder, "jvm.csv", "cpu_j", |_| true)).collect()
    };
    let (whole_a, whole_b) = (whole(&base), whole(&new));
    let ((mean_a, var_a), (mean_b, var_b)) = (mean(&whole_a), mean(&whole_b));
    near(&json["scenario"]["change_j"], mean_b - mean_a);
    // Welch's degrees of freedom of two sides of three, rounded down; Student's t of 2 and 3.
    let freedom = (var_a + var_b).powi(2) / (var_a.powi(2) / 2.0 + var_b.powi(2) / 2.0);
    let t = if freedom < 3.0 { 4.302_652_73 } else { 3.182_446_31 };
    near(&json["scenario"]["change_lo_j"], mean_b - mean_a - t * (var_a + var_b).sqrt());
    near(&json["scenario"]["change_hi_j"], mean_b - mean_a + t * (var_a + var_b).sqrt());
    // All energies of a recording are multiplied alike: its parts do not change from repeat to
    // repeat, its watts do.
    let stable = &json["recorded"]["base"];
    assert_eq!(stable["recordings"], 3);
    near(&stable["energy_sd_j"], (var_a * 3.0).sqrt());
    assert!(stable["most_sd_share"].as_f64().unwrap() < 1e-9, "{stable}");
    near(&stable["least_rank_correlation"], 1.0);
    let light = named(&json["recorded"]["shares"], "Work.light");
    let of = |side: &str| joules(side, "methods.csv", "cpu_j", |cell| cell == "light");
    near(&light["change_share"], of(&new[0]) / whole_b[0] - of(&base[0]) / whole_a[0]);
    let markdown = fs::read_to_string(out.join("compare.md")).unwrap();
    assert!(markdown.contains("| Part of the whole | base | new |"), "{markdown}");
    assert!(fs::read_to_string(out.join("compare.xml")).unwrap().contains("recording the JVM"));
}

#[test]
fn kinds_that_do_not_fit_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let a = recording(folder.path(), "a", 1.0, 1.0);
    let other = folder.path().join("campaign");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("plan.csv"), "").unwrap();
    let other = other.to_str().unwrap();
    for arguments in [[a.as_str(), other], [other, a.as_str()]] {
        let output = compare(&arguments);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        let expected = format!("{a} is a recording of `monitor`, {other} is a campaign");
        assert!(said(&output).contains(&expected), "{}", said(&output));
    }
    let nothing = folder.path().to_str().unwrap();
    assert!(said(&compare(&[&a, nothing])).contains("neither one (it has no monitor.toml)"));
    let repeats = compare(&[other, other, "--base-repeats", other]);
    assert!(said(&repeats).contains("--base-repeats"), "{}", said(&repeats));
    let b = recording(folder.path(), "b", 1.0, 1.0);
    let twice = compare(&[&a, &b, "--base-repeats", &a]);
    assert_eq!(twice.status.code(), Some(2));
    assert!(said(&twice).contains("is given twice on one side"), "{}", said(&twice));
    let patch = compare(&[&a, "--source", nothing]);
    assert!(said(&patch).contains("--source: "), "{}", said(&patch));
    // A meter is not a model.
    let toml = Path::new(&b).join("monitor.toml");
    let text = fs::read_to_string(&toml).unwrap();
    fs::write(&toml, text.replace("TDP 65 W", "TDP 95 W").replace("design-power", "rapl")).unwrap();
    let meters = compare(&[&a, &b]);
    assert_eq!(meters.status.code(), Some(5));
    let text = String::from_utf8_lossy(&meters.stdout).into_owned();
    assert!(text.contains("different machines, meters or shares"), "{text}");
}
