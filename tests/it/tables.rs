//! Tables that users bring, in the dialects of their programs, as the commands read them.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};

fn wattline(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What is said where a table of 2.5 J an `Add` and 0.5 J a `Mul` is fitted.
fn fitted(folder: &Path, table: &str) -> String {
    let out = folder.join("out");
    let arguments = ["fit", table, "--solver", "nnls", "--out", "out", "--force"];
    let output = wattline(folder, &arguments);
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    let model: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("model.json")).unwrap()).unwrap();
    let costs = model["costs"].as_array().unwrap().iter();
    let costs: Vec<f64> = costs.map(|cost| cost["cost_j"].as_f64().unwrap()).collect();
    assert!((costs[0] - 2.5).abs() < 1e-9 && (costs[1] - 0.5).abs() < 1e-9, "{costs:?}");
    told
}

fn rows() -> impl Iterator<Item = (f64, u32, u32)> {
    let counts = |i: u32| (i % 7 + 1, i * i % 5);
    (0..24).map(counts).map(|(add, mul)| (2.5 * f64::from(add) + 0.5 * f64::from(mul), add, mul))
}

#[test]
fn a_table_of_a_german_spreadsheet_is_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let row = |(j, add, mul): (f64, u32, u32)| {
        let (kj, mj) = ((j * 1e3) as u64 / 1000, (j * 1e3) as u64 % 1000);
        let thousands = if kj > 0 { format!("{kj}.{mj:03},0") } else { format!("{mj},0") };
        format!("{thousands};{add};{mul}\r\n")
    };
    let table = format!("sep=;\r\nEnergy (mJ);Add;Mul\r\n{}", rows().map(row).collect::<String>());
    let bytes: Vec<u8> =
        format!("\u{feff}{table}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.path().join("t.csv"), &bytes).unwrap();
    let told = fitted(folder.path(), "t.csv");
    let expected = "t.csv: read with semicolons between cells, decimal commas in `Energy (mJ)`, \
                    UTF-16, titles in line 2";
    assert!(told.contains(expected), "{told}");
    assert!(told.contains("`Energy (mJ)` times 0.001 is joules"), "{told}");
    let packed = fs::File::create(folder.path().join("t.csv.gz")).unwrap();
    let mut gz = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    gz.write_all(&bytes).unwrap();
    gz.finish().unwrap();
    assert!(fitted(folder.path(), "t.csv.gz").contains("t.csv.gz: read with semicolons"));
}

#[test]
fn a_feather_file_is_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let column = |of: fn((f64, u32, u32)) -> f64| {
        Arc::new(Float64Array::from(rows().map(of).collect::<Vec<f64>>())) as ArrayRef
    };
    let batch = RecordBatch::try_from_iter([
        ("energy_j", column(|row| row.0)),
        ("Add", column(|row| f64::from(row.1))),
        ("Mul", column(|row| f64::from(row.2))),
    ])
    .unwrap();
    let file = fs::File::create(folder.path().join("t.feather")).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    fitted(folder.path(), "t.feather");
}

#[test]
fn what_is_not_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, expected) in [
        ("book.xlsx", b"PK\x03\x04\x14\0".as_slice(), "save the sheet as CSV"),
        ("t.json", b"[{\"energy_j\": 1}]", "it is JSON, and no table as text"),
        ("t.parquet", b"PARE\0\0\0\0PARE", "it is an encrypted Parquet file"),
        ("t.csv", b"energy_j,a\n0,5,1\n1,5,2\n", "decimal marks as well as separators"),
        ("u.csv", b"energy_j\ta\n1,234\t0.5\n", "line 2, column `energy_j`: \"1,234\" may be"),
    ] {
        fs::write(folder.path().join(name), bytes).unwrap();
        let output = wattline(folder.path(), &["fit", name, "--solver", "ls", "--out", "out"]);
        let told = text(&output.stderr);
        assert!(told.contains(expected) && told.contains(name), "{name}: {told}");
        assert!(!told.contains("damaged"), "{told}");
        assert_eq!(output.status.code(), Some(3), "{told}");
    }
}

#[test]
fn a_meters_table_has_units_and_decimal_commas() {
    let folder = tempfile::tempdir().unwrap();
    let switch = |s: &str, prev: (&str, u32), next: (&str, u32)| {
        format!(
            "{:>16} {:>5} [000] {s}: sched:sched_switch: prev_comm={} prev_pid={} prev_prio=120 \
             prev_state=S ==> next_comm={} next_pid={} next_prio=120\n",
            prev.0, prev.1, prev.0, prev.1, next.0, next.1
        )
    };
    let (blue, red) = (("blue", 11), ("red", 12));
    let log = switch("10.000000", red, blue)
        + &switch("12.000000", blue, red)
        + &switch("13.000000", red, blue);
    fs::write(folder.path().join("log.txt"), log).unwrap();
    let meter = "Zeit (ms);Leistung (mW)\n10000;1.500,0\n12000;1.500,0\n13000;1.500,0\n";
    fs::write(folder.path().join("meter.csv"), meter).unwrap();
    let arguments = ["tenants", "perf", "log.txt", "--energy", "meter.csv"];
    let output = wattline(folder.path(), &arguments);
    let (shown, told) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{told}");
    let joules = |tenant: &str, joules: &str| {
        shown.lines().any(|line| line.contains(tenant) && line.contains(joules))
    };
    assert!(joules("blue", "3.00 J") && joules("red", "1.50 J"), "{shown}");
    assert!(told.contains("meter.csv: units by the titles `Zeit (ms)`, `Leistung (mW)`"), "{told}");
}
