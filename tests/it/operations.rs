//! Counts of operations against javac: a checker of its own walks the trees that the
//! compiler has attributed, and counts by the rules of `docs/internals/operations.md`.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::host::BRIEF_JAVA;
use super::probes::java::has_jdk;

mod corpus;

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");

/// (file, operation) -> how often.
type Counts = BTreeMap<(String, String), u64>;

/// What javac sees: with `options`, in files that it can compile. The second are those
/// that it can't. `jvm` are options of the JVM.
fn checked_by_javac(
    root: &Path,
    sources: &Path,
    options: &[String],
    jvm: &[&str],
) -> (Counts, usize) {
    let mut java = Command::new(java());
    java.args(jvm);
    for package in ["api", "tree", "code", "util"] {
        let export = format!("jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED");
        java.args(["--add-exports", &export]);
    }
    java.arg("-Xss64m").arg(root.join("tests/checker/OperationChecker.java"));
    let output = java.arg(sources).args(options).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let mut counts = Counts::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let [file, _, operation, count] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let key = (file.to_owned(), operation.to_owned());
        *counts.entry(key).or_default() += count.parse::<u64>().unwrap();
    }
    (counts, errors.lines().filter(|line| line.starts_with("left out")).count())
}

/// The `java` whose classes the program under test reads.
fn java() -> PathBuf {
    let home = std::env::var_os("JAVA_HOME");
    home.map_or_else(|| "java".into(), |home| Path::new(&home).join("bin/java"))
}

fn counted_by_us(sources: &Path, classpath: &str, out: &Path) -> Counts {
    let mut scan = Command::new(WATTLINE);
    scan.arg("scan").arg(sources).args(["--classpath", classpath]).arg("--out").arg(out);
    let scan = scan.output().unwrap();
    assert!(scan.status.success(), "{}", String::from_utf8_lossy(&scan.stderr));
    let reader = |name: &str| csv::Reader::from_path(out.join(name)).unwrap();
    let column = |name: &str, row: &csv::StringRecord, index: usize| {
        row.get(index).unwrap_or_else(|| panic!("{name}: column {index}")).to_owned()
    };
    let blocks = reader("blocks.csv").into_records().map(|row| {
        let row = row.unwrap();
        column("blocks.csv", &row, 3)
    });
    let files: Vec<String> = blocks.collect();
    let mut counts = Counts::new();
    for row in reader("operations.csv").into_records() {
        let row = row.unwrap();
        let [block, operation, count] = [0, 1, 2].map(|i| column("operations.csv", &row, i));
        let key = (files[block.parse::<usize>().unwrap()].clone(), operation);
        *counts.entry(key).or_default() += count.parse::<u64>().unwrap();
    }
    counts
}

/// Everything that compiles without a class path, in one folder.
fn gather(root: &Path, folder: &Path) {
    for part in ["scenarios/pinball", "scenarios/session", "tests/targets", "tests/checker/sources"]
    {
        for entry in walkdir::WalkDir::new(root.join(part)) {
            let path = entry.unwrap().into_path();
            if path.extension().is_some_and(|e| e == "java") {
                let package = path.strip_prefix(root.join(part)).unwrap();
                let target = folder.join(part.replace('/', "_")).join(package);
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::copy(path, target).unwrap();
            }
        }
    }
}

#[test]
fn operations_are_counted_as_javac_sees_them() {
    if !has_jdk() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let sources = folder.path().join("sources");
    gather(root, &sources);
    let (javac, left_out) = checked_by_javac(root, &sources, &[], &BRIEF_JAVA);
    assert_eq!(left_out, 0, "files that javac can't compile");
    let ours = counted_by_us(&sources, "", &folder.path().join("out"));
    let keys: BTreeSet<_> = javac.keys().chain(ours.keys()).collect();
    let of = |counts: &Counts, key: &(String, String)| counts.get(key).copied().unwrap_or(0);
    let differ = keys.iter().filter(|key| of(&javac, key) != of(&ours, key));
    let differ: Vec<_> = differ
        .map(|key| format!("{key:?}: javac {}, ours {}", of(&javac, key), of(&ours, key)))
        .collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    let all: u64 = ours.values().sum();
    assert!(all > 1000, "only {all} operations were compared");
}
