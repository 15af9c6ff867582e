//! Real projects: counts of operations and library functions against javac, per file.
//! The projects are data (`tests/checker/corpus.toml`); artifacts are cached. Prints the
//! table of docs/operations.md.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use wattline::toolchain::{artifact, jar};

use super::{Counts, checked_by_javac, counted_by_us, java};
use crate::probes::java::has_jdk;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    project: Vec<Project>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    style: String,
    sources: String,
    sha256: String,
    java: u32,
    #[serde(default)]
    quick: bool,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    libraries: Vec<Library>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    maven: String,
    sha256: String,
}

/// Counts by javac, and how far ours are from them.
struct Difference {
    counted: u64,
    differ: u64,
}

impl Difference {
    /// Of the operations, or of the library functions, in files that javac compiles.
    fn of(javac: &Counts, ours: &Counts, library: bool) -> Difference {
        let files: BTreeSet<&str> = javac.keys().map(|(file, _)| file.as_str()).collect();
        let keys: BTreeSet<_> = javac.keys().chain(ours.keys()).collect();
        let wanted = |key: &&&(String, String)| {
            key.1.starts_with("lib:") == library && files.contains(key.0.as_str())
        };
        let mut found = Difference { counted: 0, differ: 0 };
        for key in keys.iter().filter(wanted) {
            let [a, b] = [javac, ours].map(|counts| counts.get(*key).copied().unwrap_or(0));
            found.counted += a;
            found.differ += a.abs_diff(b);
        }
        found
    }

    fn percent(&self) -> f64 {
        100.0 * self.differ as f64 / self.counted.max(1) as f64
    }
}

/// The version of `java`: 17 of `openjdk version "17.0.15"`.
fn java_version() -> u32 {
    let output = Command::new(java()).arg("-version").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let number = text.split('"').nth(1).unwrap_or_default();
    number.split('.').next().and_then(|n| n.parse().ok()).unwrap_or(8)
}

/// Unpacks the sources of `project` and fetches its class path; what is missing if
/// there is no network.
fn fetched(project: &Project, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let fetch = |maven: &str, sha256: &str| {
        artifact::fetch(maven, sha256).map_err(|error| error.to_string())
    };
    let sources = fetch(&project.sources, &project.sha256)?;
    let wanted = |name: &str| !project.exclude.iter().any(|part| name.contains(part));
    unpack(&sources, folder, wanted)?;
    project.libraries.iter().map(|library| fetch(&library.maven, &library.sha256)).collect()
}

fn unpack(archive: &Path, folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<(), String> {
    let ordinary = |name: &str| !name.ends_with("-info.java") && wanted(name);
    let entries = jar::read(archive, ".java", ordinary).map_err(|error| error.to_string())?;
    jar::write_folder(folder, &entries).map_err(|error| error.to_string())?;
    Ok(())
}

/// Compares, prints the row of the table, and says what is over the limits.
fn compare(name: &str, sources: &Path, libraries: &[PathBuf], options: &[String]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let classpath = std::env::join_paths(libraries).unwrap().into_string().unwrap();
    let mut all = options.to_vec();
    if !classpath.is_empty() {
        all.extend(["-cp".to_owned(), classpath.clone()]);
    }
    let (javac, left_out) = checked_by_javac(root, sources, &all);
    let out = tempfile::tempdir().unwrap();
    let ours = counted_by_us(sources, &classpath, &out.path().join("scan"));
    let [operations, library] = [false, true].map(|l| Difference::of(&javac, &ours, l));
    println!(
        "| {name} | {left_out} | {} | {} | {:.4} % | {} | {} | {:.3} % |",
        operations.counted,
        operations.differ,
        operations.percent(),
        library.counted,
        library.differ,
        library.percent(),
    );
    let mut over = Vec::new();
    assert!(operations.counted > 1000, "{name}: only {} operations", operations.counted);
    for (what, found, limit) in [("operations", operations, 0.1), ("library", library, 1.0)] {
        if found.percent() > limit {
            over.push(format!("{name}: {what}: {:.3} % > {limit} %", found.percent()));
        }
    }
    over
}

/// Modules of the JDK, if it comes with its sources.
fn compare_module(module: &str, version: u32) -> Vec<String> {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let archive = home.map(|home| home.join("lib/src.zip")).filter(|path| path.is_file());
    let Some(archive) = archive else {
        println!("skipped: {module}: JAVA_HOME names no JDK with a lib/src.zip");
        return Vec::new();
    };
    let folder = tempfile::tempdir().unwrap();
    unpack(&archive, folder.path(), |name| name.starts_with(&format!("{module}/"))).unwrap();
    let sources = folder.path().join(module);
    let patch = format!("{module}={}", sources.display());
    let name = format!("{module} of JDK {version}");
    compare(&name, &sources, &[], &["--patch-module".to_owned(), patch])
}

#[test]
fn operations_of_real_projects_are_counted_as_javac_sees_them() {
    if !has_jdk() {
        return;
    }
    let text = include_str!("../../checker/corpus.toml");
    let corpus: Corpus = toml::from_str(text).unwrap();
    let all = std::env::var("WATTLINE_COUNTS").is_ok_and(|value| value == "all");
    let version = java_version();
    let mut over = Vec::new();
    println!(
        "| project | left out by javac | operations | differ | | library calls | differ | |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for project in corpus.project.iter().filter(|project| all || project.quick) {
        let name = project.sources.trim_end_matches(":sources");
        if version < project.java {
            println!("skipped: {name} needs Java {}, this is {version}", project.java);
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        match fetched(project, folder.path()) {
            Ok(libraries) => {
                let name = format!("{name}: {}", project.style);
                over.extend(compare(&name, folder.path(), &libraries, &[]));
            }
            Err(error) => println!("skipped: {name}: {error}"),
        }
    }
    if all {
        for module in ["java.base", "java.desktop"] {
            over.extend(compare_module(module, version));
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}
