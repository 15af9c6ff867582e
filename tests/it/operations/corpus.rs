//! Real projects: counts of operations and library functions against javac, per file.
//! The projects are data (`tests/checker/corpus.toml`); artifacts are cached. Prints the
//! table of docs/experiments/2026-11-operations-javac.md.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Counts, checked_by_javac, counted_by_us, java};
use crate::probes::java::has_jdk;
use crate::projects::{java_version, module_sources, projects};

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

/// Compares, prints the row of the table, and says what is over the limits.
fn compare(name: &str, sources: &Path, libraries: &[PathBuf], options: &[String]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let classpath = std::env::join_paths(libraries).unwrap().into_string().unwrap();
    let mut all = options.to_vec();
    if !classpath.is_empty() {
        all.extend(["-cp".to_owned(), classpath.clone()]);
    }
    let (javac, left_out) = checked_by_javac(root, sources, &all, &[]);
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
    let folder = tempfile::tempdir().unwrap();
    let Some(sources) = module_sources(module, folder.path()) else { return Vec::new() };
    let patch = format!("{module}={}", sources.display());
    let name = format!("{module} of JDK {version}");
    compare(&name, &sources, &[], &["--patch-module".to_owned(), patch])
}

#[test]
#[ignore = "fetches and compiles real projects; scripts/nightly.sh runs it"]
fn operations_of_real_projects_are_counted_as_javac_sees_them() {
    if !has_jdk() {
        return;
    }
    let all = std::env::var("WATTLINE_COUNTS").is_ok_and(|value| value == "all");
    let version = java_version(Path::new(&java()));
    let mut over = Vec::new();
    println!(
        "| project | left out by javac | operations | differ | | library calls | differ | |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for project in projects().iter().filter(|project| all || project.quick) {
        let name = project.name();
        if version < project.java {
            crate::skip::outside(format!("{name} needs Java {}, this is {version}", project.java));
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        match project.fetched(folder.path()) {
            Ok(libraries) => {
                let name = format!("{name}: {}", project.style);
                over.extend(compare(&name, folder.path(), &libraries, &[]));
            }
            Err(error) => crate::skip::because(format!("{name}: {error}")),
        }
    }
    if all {
        for module in ["java.base", "java.desktop"] {
            over.extend(compare_module(module, version));
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}
