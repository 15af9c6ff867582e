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

/// Modules that are instrumented one by one have the same block ids, and run together.
#[test]
fn parts_of_a_program_have_counts_of_their_own() {
    if !has_jdk() {
        return;
    }
    let lib = "package lib; public class Steps { public static int of(int n) { int s = 0; \
               while (n > 0) { n--; s++; } if (s > 3) { s = 3; } else { s = 1; } return s; } }";
    let app = "package app; public class Main { public static void main(String[] args) { \
               System.out.println(lib.Steps.of(5)); } }";
    let folder = sources(&[("lib/lib/Steps.java", lib), ("app/app/Main.java", app)]);
    let (at, run) = (|name: &str| folder.path().join(name), folder.path().join("run"));
    fs::create_dir(&run).unwrap();
    for part in ["lib", "app"] {
        let classpath = at("lib-made");
        let classpath = classpath.to_str().unwrap();
        let options = match part {
            "lib" => vec!["--part", "core_lib"],
            _ => vec!["--part", "app", "--classpath", classpath],
        };
        wattline("instrument", &at(part), &options, &at(&format!("{part}-made")));
    }
    let made = ["lib-made", "app-made"].map(|made| at(made).to_str().unwrap().to_owned());
    let classes = at("classes").to_str().unwrap().to_owned();
    let files = ["lib-made/lib/Steps.java", "lib-made/wattline$rt$core_lib/W.java"];
    let files =
        files.into_iter().chain(["app-made/app/Main.java", "app-made/wattline$rt$app/W.java"]);
    let mut javac = Command::new("javac");
    javac.args(["-d", &classes, "-cp", &made.join(":")]).args(files.map(at));
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut java = Command::new("java");
    let output = java.args(["-cp", &classes, "app.Main"]).current_dir(&run).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3\n", "{output:?}");
    for (part, made, name, expected) in
        [("core_lib", "lib-made", "while_1", 5), ("app", "app-made", "entry", 1)]
    {
        let blocks = fs::read_to_string(at(made).join("blocks.csv")).unwrap();
        let is_wanted = |row: &&str| row.contains(name);
        let id = blocks.lines().rfind(is_wanted).unwrap().split(',').next().unwrap();
        let counts = run.join(format!("wattline-{part}-counts-1.csv"));
        let counts = fs::read_to_string(counts).unwrap();
        assert!(counts.lines().any(|l| l == format!("{id},{expected}")), "{blocks}\n{counts}");
    }
    let output = Command::new(WATTLINE)
        .args(["instrument", "--part", "a/b", "--out", "o"])
        .arg(at("lib"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("letters, digits and `_`"), "{told}");
}
