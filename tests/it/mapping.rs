//! A recording of a real obfuscated program, by the names of its sources. `recording` was
//! made by `monitor --mode instrumentation` of the classes of `*.java` after ProGuard 7.6
//! (no optimisation, `-overloadaggressively`, source files renamed), which wrote
//! `mapping.txt`; of other processes nothing is kept.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use wattline::account::Femtojoules;

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mapping")
}

/// A copy of the recording, as commands write into it.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(here().join("recording")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

fn wattline(arguments: &[&str]) -> Output {
    Command::new(WATTLINE).args(arguments).output().unwrap()
}

fn done(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

fn methods(folder: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(folder.join("accounts/methods.csv")).unwrap();
    csv::Reader::from_reader(text.as_bytes()).deserialize().map(Result::unwrap).collect()
}

#[test]
fn accounts_have_the_names_and_lines_of_the_sources() {
    let folder = copied();
    let recording = folder.path().to_str().unwrap();
    let (file, mapping) = (format!("{recording}/monitor.toml"), here().join("mapping.txt"));
    let (as_is, named) = (format!("{recording}/as-is"), format!("{recording}/named"));
    done(&wattline(&["account", &file, recording, "--out", &as_is]));
    let with = ["--mapping", mapping.to_str().unwrap()];
    let said =
        done(&wattline(&[&["account", &file, recording, "--out", &named], &with[..]].concat()));
    assert!(said.contains("5 of 5 recorded methods"), "{said}");
    let (before, after) = (methods(Path::new(&as_is)), methods(Path::new(&named)));
    let energies = |rows: &[BTreeMap<String, String>]| {
        rows.iter().map(|row| Femtojoules::parse(&row["energy_j"]).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(energies(&before), energies(&after), "names change and energies don't");
    let mut found: Vec<String> = after
        .iter()
        .filter(|row| row["class"] != "(unattributed)")
        .map(|row| {
            let (class, method, file) = (&row["class"], &row["method"], &row["file"]);
            format!("{class} {method} {file}:{}-{}", row["first_line"], row["last_line"])
        })
        .collect();
    found.sort();
    // What a recording of the same program without ProGuard has.
    let plain = [
        "game.Main main(String[]) game/Main.java:8-13",
        "game.Physics heavy(int) game/Physics.java:12-16",
        "game.Physics light(Step) game/Physics.java:20-24",
        "game.Physics light(double[],Step) game/Physics.java:28-32",
        "game.Physics round(Step) game/Physics.java:36-40",
    ];
    assert_eq!(found, plain);
}

#[test]
fn reports_and_exports_take_a_mapping_and_campaigns_refuse_it() {
    let folder = copied();
    let recording = folder.path().to_str().unwrap();
    let mapping = here().join("mapping.txt");
    let with = ["--mapping", mapping.to_str().unwrap()];
    done(&wattline(&[&["report", recording], &with[..]].concat()));
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("game.Physics") && !page.contains("game.a"));
    assert!(page.contains("names by a mapping file: 5 of 5"));
    done(&wattline(&[&["export", recording, "--format", "collapsed"], &with[..]].concat()));
    let stacks = std::fs::read_to_string(folder.path().join("energy.collapsed")).unwrap();
    assert!(stacks.contains("game;Physics;heavy(int);"), "{stacks}");
    let other = tempfile::tempdir().unwrap();
    let refused = wattline(&[&["report", other.path().to_str().unwrap()], &with[..]].concat());
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("recordings of `monitor`"), "{said}");
}

#[test]
fn a_malformed_mapping_is_told_with_file_and_line() {
    let folder = copied();
    let recording = folder.path().to_str().unwrap();
    let bad = folder.path().join("bad.txt");
    std::fs::write(&bad, "game.Main -> a:\n    void x( -> b\n").unwrap();
    let mapping = bad.to_str().unwrap();
    let refused = wattline(&["report", recording, "--mapping", mapping]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(said.contains("bad.txt") && said.contains("line 2"), "{said}");
}
