//! Campaigns whose application is an Android package, on the virtual board.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::host::{AdbServer, CAMPAIGN_TOOLS, has};

/// The tiny scenario with fewer cases, its application started so.
fn scenario(folder: &Path, start: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tiny = fs::read_to_string(root.join("tests/scenarios/tiny.toml")).unwrap();
    let scenarios = root.join("scenarios");
    let text = tiny
        .replace("../../scenarios", scenarios.to_str().unwrap())
        .replace("java_release = 11", &format!("java_release = 11\nstart = \"{start}\""))
        .replace("cases = 8\nrepeats = 2\ndry_runs = 20", "cases = 3\nrepeats = 1\ndry_runs = 5");
    assert!(text.contains("start = ") && text.contains("cases = 3"));
    let file = folder.join(format!("{start}.toml"));
    fs::write(&file, text).unwrap();
    file
}

/// The counts of each traced run.
fn counts(runs: &Path) -> BTreeMap<String, Vec<String>> {
    let folders = fs::read_dir(runs).unwrap().map(|entry| entry.unwrap());
    let counted = folders.filter(|folder| folder.path().join("counts.csv").exists());
    let of = |folder: fs::DirEntry| {
        let text = fs::read_to_string(folder.path().join("counts.csv")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        (folder.file_name().into_string().unwrap(), lines)
    };
    counted.map(of).collect()
}

#[test]
fn a_campaign_of_packages_counts_what_one_of_jars_does() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let (adb, folder) = (AdbServer::new(), tempfile::tempdir().unwrap());
    let campaign = |start: &str| {
        let (file, out) = (scenario(folder.path(), start), folder.path().join(start));
        let [file, to] = [&file, &out].map(|path| path.to_str().unwrap());
        let output = adb.wattline(&["run", file, "--board", "virtual", "--out", to]);
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        (output.status.success(), said, out)
    };
    let (done, said, packages) = campaign("instrument");
    if said.contains("Maven could not fetch") || said.contains("`mvn` is not on") {
        return crate::skip::because(&said);
    }
    assert!(done, "{said}");
    let (done, said, jars) = campaign("main");
    assert!(done, "{said}");
    let ours = counts(&packages.join("runs"));
    assert!(ours.len() >= 3 && ours.values().all(|lines| lines.len() > 20), "{ours:?}");
    assert_eq!(ours, counts(&jars.join("runs")));
}
