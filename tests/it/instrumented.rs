//! `wattline trace` and `instrument` as a user runs them, on a local JVM.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::probes::java::has_jdk;

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");

/// Writes the files of a program, by path.
fn sources(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Runs `wattline COMMAND SOURCES ... --out OUT`; what it printed.
fn wattline(command: &str, sources: &Path, arguments: &[&str], out: &Path) -> String {
    let mut wattline = Command::new(WATTLINE);
    let run = wattline.arg(command).arg(sources).args(arguments).arg("--out").arg(out);
    let output = run.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Block -> executions, of a folder that `trace` wrote.
fn counts(out: &Path) -> BTreeMap<String, u64> {
    let rows = csv::Reader::from_path(out.join("counts.csv")).unwrap().into_records();
    rows.map(|row| {
        let row = row.unwrap();
        (row[1].to_owned(), row[2].parse().unwrap())
    })
    .collect()
}

/// Libraries bring such sources along for other platforms; no JVM loads them, and javac
/// refuses them.
#[test]
fn sources_of_the_platform_are_left_out_and_calls_to_them_are_library_calls() {
    if !has_jdk() {
        return;
    }
    let emulated = "package java.util; public class BitSet { public void set(int i) { clear(); } \
                 public void clear() { } }";
    let main = "package app; public class Main { public static void main(String[] args) { \
                new java.util.BitSet().set(3); System.out.println(\"done\"); } }";
    let folder = sources(&[("emu/java/util/BitSet.java", emulated), ("app/Main.java", main)]);
    let out = folder.path().join("out");
    let printed = wattline("trace", folder.path(), &["--main", "app.Main"], &out);
    assert!(printed.contains("done"), "{printed}");
    let findings = fs::read_to_string(out.join("findings.csv")).unwrap();
    assert!(findings.contains("emu/java/util/BitSet.java,0,left-out,"), "{findings}");
    assert_eq!(counts(&out)["Main.main(String[])"], 1);
    let operations = fs::read_to_string(out.join("operations.csv")).unwrap();
    assert!(operations.contains("lib:java.util.BitSet.set,1"), "{operations}");
    assert!(!operations.contains("Method_Invocation"), "{operations}");
}

const SEARCH: &str = "public class Search {
    static int find(int[] a, int key) {
        int i = 0;
        while (a[i] != key) {
            if (a[i] < 0) { return -1; }
            i++;
        }
        return i;
    }
    public static void main(String[] args) {
        int found = 0;
        for (int key = 0; key < 12; key++) {
            try { found += find(new int[] {5, 3, 7, key % 2 == 0 ? -1 : 1}, key); }
            catch (ArrayIndexOutOfBoundsException e) { System.out.println(e.getMessage()); }
        }
        System.out.println(found);
    }
}
";

#[test]
fn loops_are_watched_on_demand_and_counted_alike() {
    if !has_jdk() {
        return;
    }
    let folder = sources(&[("Search.java", SEARCH)]);
    let file = folder.path().join("Search.java");
    let mut seen = Vec::new();
    for options in [&[][..], &["--watch-loops"]] {
        let name = format!("out{}", options.len());
        let (instrumented, traced) =
            (folder.path().join(format!("{name}-text")), folder.path().join(&name));
        wattline("instrument", &file, options, &instrumented);
        let text = fs::read_to_string(instrumented.join("Search.java")).unwrap();
        assert_eq!(text.contains("Throwable"), !options.is_empty(), "{text}");
        let printed = wattline("trace", &file, &[&["--main", "Search"], options].concat(), &traced);
        seen.push((printed, counts(&traced)));
    }
    assert_eq!(seen[0], seen[1]);
    assert!(seen[0].0.contains("Index 4 out of bounds for length 4"), "{}", seen[0].0);
}
