//! A real project's own tests: they come out the same with probes, and what was counted
//! while they ran obeys the invariants of flow.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

use super::java::{Build, has_jdk, java_files, jdk};
use super::{Exact, Trace, divided, flow, with};
use crate::projects::unpack;
use wattline::blocks::Granularity;
use wattline::instrument::Probe;
use wattline::toolchain::artifact;

const SOURCES: (&str, &str) = (
    "org.apache.commons:commons-lang3:3.5:sources",
    "1f7adeee4d483a6ca8d479d522cb2b07e39d976b758f3c2b6e1a0fed20dcbd2d",
);
const TESTS: (&str, &str) = (
    "org.apache.commons:commons-lang3:3.5:test-sources",
    "5d2cefd291b3774cd6bf4cdbe4222c01fb3ddb1c2399a1f4edd594656c096e67",
);
const LIBRARIES: [(&str, &str); 5] = [
    ("junit:junit:4.12", "59721f0805e223d84b90677887d9ff567dc534d7c502ca903c0c2b17f05c116a"),
    (
        "org.hamcrest:hamcrest-all:1.3",
        "4877670629ab96f34f5f90ab283125fcd9acb7e683e66319a68be6eb2cca60de",
    ),
    (
        "org.easymock:easymock:3.4",
        "ce2885cabe0d2c44d99d405796f9b1e248b76a6106863ad6a236bd4bcc311e19",
    ),
    (
        "org.objenesis:objenesis:2.2",
        "2ee6c7e5a871d3f007b5a0c08c89b3b50772f345d45376c8ddc564647eb9aabe",
    ),
    (
        "commons-io:commons-io:2.5",
        "a10418348d234968600ccb1d988efcbbd08716e1d96936ccc1880e7d22513474",
    ),
];

/// Tests of time zones take minutes; those of the platform's speed have no outcome.
const SLOW: [&str; 2] = ["/time/", "HashSetvBitSetTest"];

/// Some of its tests need files that its jar doesn't have, or an older JDK; these fail
/// with and without probes. So many pass at least.
const PASSED_MIN: usize = 2000;

#[test]
#[ignore = "fetches and compiles real projects; scripts/nightly.sh runs it"]
fn a_projects_own_tests_come_out_the_same_with_probes() {
    if !has_jdk() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (sources, tests) = (folder.path().join("sources"), folder.path().join("tests"));
    let libraries = match fetched(&sources, &tests) {
        Ok(libraries) => libraries,
        Err(error) => return crate::skip::because(format!("{}: {error}", SOURCES.0)),
    };
    let files = java_files(&sources);
    let blocks = divided(&files, Granularity::Statement);
    let options = ["-nowarn", "--release", "8"];
    let plain = Build::new(&with(&files, &blocks, Probe::Plain), &options).unwrap();
    let counted = with(&files, &blocks, Probe::Count);
    let probed = Build::new(&counted, &options).unwrap();
    let classes = folder.path().join("classes");
    compile_tests(&tests, &classes, &plain.class_folder(), &libraries);

    let [before, after] = [&plain, &probed].map(|build| outcomes(build, &classes, &libraries));
    assert_eq!(before, after);
    let passed = before.lines().filter(|line| line.starts_with("passed")).count();
    assert!(passed > PASSED_MIN, "only {passed} tests passed:\n{before}");

    let counts = probed.counts();
    let mut problems = Vec::new();
    let mut first = 0;
    for (file, blocks) in files.iter().zip(&blocks) {
        let probed = &counted.probed[first..];
        let trace = Trace { file, blocks, probed, first, counts: counts.clone() };
        problems.extend(flow(&trace, Exact::No));
        first += blocks.blocks.len();
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!(
        "{passed} of {} tests pass; {} of {first} blocks ran",
        before.lines().count(),
        counts.len()
    );
}

fn fetched(sources: &Path, tests: &Path) -> Result<Vec<PathBuf>, String> {
    let fetch = |(name, sha256): (&str, &str)| {
        artifact::fetch(name, sha256).map_err(|error| error.to_string())
    };
    unpack(&fetch(SOURCES)?, sources, |_| true)?;
    unpack(&fetch(TESTS)?, tests, |name| !SLOW.iter().any(|slow| name.contains(slow)))?;
    LIBRARIES.into_iter().map(fetch).collect()
}

fn path(parts: &[&Path], libraries: &[PathBuf]) -> std::ffi::OsString {
    let libraries = libraries.iter().map(PathBuf::as_path);
    std::env::join_paths(parts.iter().copied().chain(libraries)).unwrap()
}

/// Compiles the project's tests, and the program that runs them.
fn compile_tests(tests: &Path, classes: &Path, project: &Path, libraries: &[PathBuf]) {
    let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checker/Suite.java");
    let files = walkdir::WalkDir::new(tests).into_iter().map(|entry| entry.unwrap().into_path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "java"));
    let mut javac = Command::new(jdk().javac);
    javac.args(["-nowarn", "-proc:none", "-encoding", "UTF-8", "-d"]).arg(classes);
    javac.arg("-cp").arg(path(&[project], libraries)).arg(runner).args(files);
    let output = javac.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A line for each test: its outcome and its name.
fn outcomes(build: &Build, tests: &Path, libraries: &[PathBuf]) -> String {
    let mut java = Command::new(jdk().java);
    java.arg("-cp").arg(path(&[&build.class_folder(), tests], libraries));
    java.arg("Suite").arg(tests).env("WATTLINE_OUT", build.folder());
    let output = java.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
