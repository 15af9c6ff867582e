//! Tables in parts: one process, or partials of any division, give the same model; what is
//! missing, doubled or of another table is told. Files that pyarrow writes are read.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder with parts of a table, and one with all of it.
struct Parts {
    folder: tempfile::TempDir,
}

/// Rows of a table of three counts; `case` numbers them over all parts.
fn rows(cases: std::ops::Range<u32>) -> String {
    let row = |i: u32| {
        let count = |k: u32| (i * (7 + 4 * k) + i * i * (k + 3)) % 23;
        let [a, b, c] = [count(0), count(1), 1_000_000_000 + count(2)];
        let energy = 2.0 * f64::from(a) + 0.5 * f64::from(b) + 1e-8 * f64::from(c);
        let energy = energy * (1.0 + 0.01 * f64::from(i * 37 % 11));
        format!("c{i},{energy},{a},{b},{c}\n")
    };
    cases.map(row).collect()
}

const HEADER: &str = "case,energy_j,a,b,c\n";

impl Parts {
    fn new() -> Self {
        let parts = Self { folder: tempfile::tempdir().unwrap() };
        for (name, cases) in [("1", 0..40), ("2", 40..41), ("3", 41..120), ("whole", 0..120)] {
            fs::write(parts.path(&format!("{name}.csv")), HEADER.to_owned() + &rows(cases))
                .unwrap();
        }
        parts
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `wattline fit` in the folder.
    fn fit(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
        command.current_dir(self.folder.path()).arg("fit").args(arguments.split_whitespace());
        command.stdin(Stdio::null()).output().unwrap()
    }

    fn good(&self, arguments: &str) -> Output {
        let output = self.fit(arguments);
        assert!(
            output.status.success(),
            "{arguments}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    }

    fn bad(&self, arguments: &str) -> String {
        let output = self.fit(arguments);
        assert!(!output.status.success(), "{arguments}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    fn model(&self, folder: &str) -> serde_json::Value {
        serde_json::from_slice(&fs::read(self.path(folder).join("model.json")).unwrap()).unwrap()
    }
}

fn costs(model: &serde_json::Value) -> Vec<f64> {
    let costs = model["costs"].as_array().unwrap().iter();
    costs.map(|cost| cost["cost_j"].as_f64().unwrap()).collect()
}

#[test]
fn parts_make_the_model_of_the_whole() {
    let parts = Parts::new();
    for part in 1..=3 {
        let sums = format!("{part}.csv --solver nnls --partial {part}.partial --part {part}/3");
        parts.good(&sums);
    }
    parts.good("whole.csv --solver nnls --out whole");
    parts.good("--merge 3.partial 1.partial 2.partial --out merged");
    parts.good("--merge 2.partial 3.partial --partial tree.partial");
    parts.good("--merge tree.partial 1.partial --out of-tree");
    let expected = parts.model("whole");
    for folder in ["merged", "of-tree"] {
        let found = parts.model(folder);
        for (found, expected) in costs(&found).iter().zip(costs(&expected)) {
            assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} {expected}");
        }
        assert_eq!(found["rank"], expected["rank"]);
    }
    parts.good("--merge 1.partial 2.partial 3.partial --out again");
    let bytes = |folder: &str| fs::read(parts.path(folder).join("model.json")).unwrap();
    assert_eq!(bytes("again"), bytes("merged"));
    for part in 1..=3 {
        parts
            .good(&format!("--judge merged/model.json {part}.csv --partial judged/{part}.partial"));
    }
    parts.good("--merge judged --out merged");
    let cv = fs::read_to_string(parts.path("merged/cv.csv")).unwrap();
    assert_eq!(cv.lines().count(), 1 + 2 * 4 * 3, "{cv}");
    assert!(cv.contains("nnls,4,validation,"), "{cv}");
}

#[test]
fn a_partial_goes_to_standard_output_alone() {
    let parts = Parts::new();
    let output = parts.good("1.csv --solver ls --partial -");
    assert!(output.stdout.starts_with(b"wattline-partial"));
    fs::write(parts.path("piped.partial"), output.stdout).unwrap();
    parts.good("1.csv --solver ls --partial file.partial");
    let bytes = |name: &str| fs::read(parts.path(name)).unwrap();
    assert_eq!(bytes("piped.partial"), bytes("file.partial"));
    assert!(parts.bad("1.csv --solver ls --partial file.partial").contains("is there already"));
}

#[test]
fn what_does_not_belong_together_is_told() {
    let parts = Parts::new();
    parts.good("1.csv --solver nnls --partial 1.partial --part 1/3");
    parts.good("3.csv --solver nnls --partial 3.partial --part 3/3");
    let missing = parts.bad("--merge 1.partial 3.partial --out out");
    assert!(missing.contains("part 2 of 3 is missing"), "{missing}");
    assert!(!parts.path("out/model.json").exists());
    let twice = parts.bad("--merge 1.partial 3.partial 1.partial --out out");
    assert!(twice.contains("1.partial: part 1 of 3 is there twice"), "{twice}");
    parts.good("2.csv --solver nnls --seed 2 --partial seed.partial --part 2/3");
    let seed = parts.bad("--merge 1.partial seed.partial 3.partial --out out");
    assert!(seed.contains("seed.partial: the folds of the partial"), "{seed}");
    let bytes = fs::read(parts.path("3.partial")).unwrap();
    fs::write(parts.path("cut.partial"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(parts.bad("--merge cut.partial --out out").contains("cut.partial: the partial is cut"));
    assert!(parts.bad("--merge 1.csv --out out").contains("1.csv: this is no partial"));
    let relative = parts.bad("1.csv --partial r.partial");
    assert!(relative.contains("--relative-floor"), "{relative}");
    assert!(parts.bad("- --solver ls --partial s.partial").contains("Arrow"));
    assert!(parts.bad("1.csv --judge nowhere --partial s.partial").contains("nowhere"));
    assert!(parts.bad("--merge 1.partial --seed 3 --out out").contains("--seed"));
    assert!(!parts.path("s.partial").exists() && !parts.path("r.partial").exists());
}

#[test]
fn files_of_one_table_must_agree() {
    let parts = Parts::new();
    fs::create_dir_all(parts.path("t/device=B1")).unwrap();
    fs::copy(parts.path("1.csv"), parts.path("t/device=B1/1.csv")).unwrap();
    fs::copy(parts.path("3.csv"), parts.path("t/device=B1/3.csv")).unwrap();
    parts.good("t --solver nnls --out folder");
    parts.good("1.csv 3.csv --solver nnls --out files");
    assert_eq!(costs(&parts.model("folder")), costs(&parts.model("files")));
    fs::write(parts.path("t/device=B1/4.csv"), "case,energy_j,a,b\nx,1,2,3\n").unwrap();
    let lacks = parts.bad("t --solver nnls --out out");
    assert!(lacks.contains("4.csv") && lacks.contains("column `c`"), "{lacks}");
    fs::write(parts.path("t/device=B1/4.csv"), HEADER.to_owned() + "x,1,2,oops,4\n").unwrap();
    let cell = parts.bad("t --solver nnls --out out");
    assert!(cell.contains("4.csv") && cell.contains("line 2") && cell.contains("oops"), "{cell}");
    fs::create_dir(parts.path("empty")).unwrap();
    assert!(parts.bad("empty --solver nnls --out out").contains(".parquet"));
}

/// The same numbers in every way that pyarrow has of writing them, and as a stream.
const WRITE: &str = r#"
import decimal, sys
import pyarrow as pa, pyarrow.csv as pc, pyarrow.parquet as pq, pyarrow.ipc as ipc
folder = sys.argv[1]
table = pc.read_csv(f"{folder}/whole.csv")
narrow = table.cast(pa.schema([("case", pa.large_string()), ("energy_j", pa.float64()),
                               ("a", pa.uint8()), ("b", pa.float16()), ("c", pa.uint32())]))
d = pa.array([decimal.Decimal(x.as_py()) for x in table["b"]], pa.decimal128(12, 3))
ways = {
    "plain": (table, dict(use_dictionary=False, compression="none")),
    "snappy": (table, dict()),
    "zstd": (table, dict(compression="zstd", data_page_version="2.0", row_group_size=7)),
    "gzip": (table, dict(compression="gzip", write_page_index=True)),
    "lz4": (table, dict(compression="lz4", version="1.0")),
    "split": (table, dict(use_dictionary=False, use_byte_stream_split=["energy_j"])),
    "delta": (table, dict(use_dictionary=False, column_encoding={
        "case": "DELTA_BYTE_ARRAY", "energy_j": "BYTE_STREAM_SPLIT", "a": "DELTA_BINARY_PACKED",
        "b": "DELTA_BINARY_PACKED", "c": "DELTA_BINARY_PACKED"})),
    "narrow": (narrow, dict()),
    "decimal": (table.set_column(3, "b", d), dict(store_decimal_as_integer=True)),
    "decimal-bytes": (table.set_column(3, "b", d), dict()),
    "categories": (table.set_column(0, "case", table["case"].dictionary_encode()), dict()),
}
for name, (data, options) in ways.items():
    pq.write_table(data, f"{folder}/{name}.parquet", **options)
with ipc.new_stream(f"{folder}/whole.arrows", table.schema) as out:
    out.write_table(table, max_chunksize=17)
nulls = table.set_column(4, "c", pa.array([None if i == 77 else i for i in range(120)]))
pq.write_table(nulls, f"{folder}/nulls.parquet")
print(" ".join(ways))
"#;

fn write_by_pyarrow(python: &str, folder: &Path) -> Vec<String> {
    let output = Command::new(python).args(["-c", WRITE]).arg(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn what_pyarrow_writes_is_read() {
    let Some(python) = crate::python::python_with("pyarrow") else {
        crate::skip::outside(
            "no Python with pyarrow, whose files are to be read; WATTLINE_PYTHON names one",
        );
        return;
    };
    let parts = Parts::new();
    parts.good("whole.csv --solver ls --out expected");
    let expected = costs(&parts.model("expected"));
    for name in write_by_pyarrow(&python, parts.folder.path()) {
        parts.good(&format!("{name}.parquet --solver ls --out {name}"));
        assert_eq!(costs(&parts.model(&name)), expected, "{name}");
    }
    let stream = fs::File::open(parts.path("whole.arrows")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.args(["fit", "-", "--solver", "ls", "--partial", "-"]).stdin(stream);
    let piped = command.output().unwrap();
    assert!(piped.status.success(), "{}", String::from_utf8_lossy(&piped.stderr));
    fs::write(parts.path("piped.partial"), piped.stdout).unwrap();
    parts.good("--merge piped.partial --out piped");
    for (found, expected) in costs(&parts.model("piped")).iter().zip(&expected) {
        assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} {expected}");
    }
    let null = parts.bad("nulls.parquet --solver ls --out out");
    assert!(null.contains("row 78, column `c`: null"), "{null}");
    let mixed = parts.bad("snappy.parquet narrow.parquet --solver ls --out out");
    assert!(mixed.contains("narrow.parquet: column `b`"), "{mixed}");
    let bytes = fs::read(parts.path("zstd.parquet")).unwrap();
    fs::write(parts.path("cut.parquet"), &bytes[..bytes.len() - 100]).unwrap();
    let cut = parts.bad("zstd.parquet cut.parquet --solver ls --out out");
    assert!(cut.contains("cut.parquet") && cut.contains("cut short or damaged"), "{cut}");
}
