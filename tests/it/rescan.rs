//! Scans that take from the cache of earlier ones, and scans in parts: the same tables to the
//! byte as one that counts all files.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

mod sources;

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use wattline::blocks::Granularity;
use wattline::build::Sources;
use wattline::operations::DictionaryTables;
use wattline::progress::Silent;
use wattline::scan::{ScanOptions, ScanRows, Shard, scan};
use wattline::toolchain::Store;

use sources::{EDITS, Edit, FILES, Project, SLOTS};

fn options(cache: Option<&Path>, shard: Shard) -> ScanOptions {
    let cache = cache.map(|folder| Store::open(folder, 1 << 30).unwrap());
    ScanOptions { granularity: Granularity::Expression, shard, cache }
}

/// The rows of all files, and how many files' rows were taken from the cache.
fn scanned(sources: &Sources, cache: Option<&Path>, shard: Shard) -> (Vec<ScanRows>, usize) {
    let mut rows = Vec::new();
    let options = options(cache, shard);
    let scanned = scan(sources.clone(), &options, |file| rows.push(file), &Silent).unwrap();
    (rows, scanned.remembered)
}

fn whole(sources: &Sources, cache: Option<&Path>) -> (Vec<ScanRows>, usize) {
    scanned(sources, cache, Shard::WHOLE)
}

/// Sources that are edited at random: bodies, signatures, supertypes, constants, imports, new
/// and removed classes. After each edit a scan with the cache finds what one without it finds.
#[test]
fn whatever_is_edited_the_cache_changes_nothing() {
    the_cache_changes_nothing(4);
}

#[test]
#[ignore = "more projects; scripts/nightly.sh runs it"]
fn whatever_is_edited_in_many_projects_the_cache_changes_nothing() {
    the_cache_changes_nothing(60);
}

/// So many projects are edited.
fn the_cache_changes_nothing(projects: u32) {
    let mut runner = TestRunner::new(Config { cases: projects, ..Config::default() });
    let choices = prop::collection::vec(any::<u8>(), FILES * SLOTS);
    let edits = prop::collection::vec(any::<(u8, u8, u8)>(), EDITS);
    let taken = Cell::new(0);
    let outcome = runner.run(&(choices, edits), |(choices, edits)| {
        let folder = tempfile::tempdir().unwrap();
        let mut project = Project::new(choices);
        for edit in std::iter::once(None).chain(edits.into_iter().map(Some)) {
            if let Some((file, slot, value)) = edit {
                project.edit(Edit { file, slot, value });
            }
            let sources = project.sources();
            let (kept, remembered) = whole(&sources, Some(folder.path()));
            let (plain, _) = whole(&sources, None);
            prop_assert_eq!(&kept, &plain, "after {:?}", edit);
            taken.set(taken.get() + remembered);
        }
        Ok(())
    });
    outcome.unwrap();
    // Else it would be no test of what is taken.
    let taken = taken.get();
    assert!(taken > projects as usize * EDITS, "rows of {taken} files were taken from the cache");
}

const A: (&str, &str) = (
    "p/A.java",
    "package p; class A extends B { static final int K = 1; int f; \
     int m(int x) { return x + f + C.N; } }",
);
const B: (&str, &str) = ("p/B.java", "package p; class B { int g(long y) { return 3; } }");
const C: (&str, &str) = (
    "p/C.java",
    "package p; class C { static final int N = A.K + 1; int h(B b) { return b.g(N); } }",
);
const D: (&str, &str) = ("q/D.java", "package q; class D { double d(double x) { return x * x; } }");

/// How many of the files are taken from the cache after `changed` took the place of one.
fn taken_after(changed: (&str, &str)) -> usize {
    let folder = tempfile::tempdir().unwrap();
    whole(&Sources::of_texts([A, B, C, D]), Some(folder.path()));
    let files = [A, B, C, D].map(|file| if file.0 == changed.0 { changed } else { file });
    let sources = Sources::of_texts(files);
    let (rows, taken) = whole(&sources, Some(folder.path()));
    assert_eq!(rows, whole(&sources, None).0);
    taken
}

#[test]
fn a_file_is_counted_again_only_if_what_it_asks_of_others_changed() {
    assert_eq!(taken_after(A), 4, "nothing changed");
    let body = "// more lines\n\npackage p; class B { int g(long y) { return 3 * (int) y; } }";
    assert_eq!(taken_after((B.0, body)), 3, "a body");
    let large = "if (y > 3) { y = y * y + 3 * y - y / 3; } ".repeat(4);
    let large = format!("package p; class B {{ int g(long y) {{ {large} return 3; }} }}");
    assert_eq!(taken_after((B.0, &large)), 1, "a body that grew past what compilers inline");
    let method = "package p; class B { int g(int y) { return 3; } }";
    assert_eq!(taken_after((B.0, method)), 1, "a method of a superclass and of what is called");
    let constant = "package p; class A extends B { static final int K = f(); int f; \
                    int m(int x) { return x + f + C.N; } }";
    assert_eq!(taken_after((A.0, constant)), 2, "a constant of a constant");
    let unused = "package q; class D { float d(double x) { return 1; } }";
    assert_eq!(taken_after((D.0, unused)), 3, "nobody asks");
}

#[test]
fn a_class_that_comes_is_seen_by_those_that_missed_it() {
    let folder = tempfile::tempdir().unwrap();
    let user = ("p/A.java", "package p; class A { int m(X x) { return x.y + 1; } }");
    let other = ("q/B.java", "package q; class B { int m() { return 1; } }");
    whole(&Sources::of_texts([user, other]), Some(folder.path()));
    let new = ("p/X.java", "package p; class X { long y; }");
    let sources = Sources::of_texts([user, new, other]);
    let (rows, taken) = whole(&sources, Some(folder.path()));
    assert_eq!((rows, taken), (whole(&sources, None).0, 1));
}

#[test]
fn damaged_entries_are_counted_again_and_written_anew() {
    let folder = tempfile::tempdir().unwrap();
    let sources = Sources::of_texts([A, B, C, D]);
    let (plain, _) = whole(&sources, Some(folder.path()));
    let entries = walkdir::WalkDir::new(folder.path()).into_iter().flatten();
    let entries = entries.filter(|entry| entry.file_type().is_file()).map(|e| e.into_path());
    let entries: Vec<PathBuf> = entries.collect();
    assert_eq!(entries.len(), 4);
    for (index, damage) in [&b""[..], &b"no entry"[..], &[0; 4096][..]].into_iter().enumerate() {
        fs::write(&entries[index], damage).unwrap();
    }
    assert_eq!(whole(&sources, Some(folder.path())), (plain.clone(), 1));
    assert_eq!(whole(&sources, Some(folder.path())), (plain, 4));
}

#[test]
fn scans_at_once_share_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let sources = Project::new((0..=255).cycle().take(FILES * SLOTS).collect()).sources();
    let (plain, _) = whole(&sources, None);
    std::thread::scope(|scope| {
        let one = || whole(&sources, Some(folder.path())).0;
        let all: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        assert!(all.into_iter().all(|rows| rows.join().unwrap() == plain));
    });
    assert_eq!(whole(&sources, Some(folder.path())), (plain.clone(), plain.len()));
}

/// The rows of tables as one text each.
fn joined(rows: &[ScanRows]) -> DictionaryTables {
    let mut all = DictionaryTables::default();
    for file in rows {
        all.blocks += &file.tables.blocks;
        all.operations += &file.tables.operations;
        all.lines += &file.tables.lines;
    }
    all
}

#[test]
fn shards_after_one_another_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let sources = Project::new((0..=255).rev().cycle().take(FILES * SLOTS).collect()).sources();
    let whole = joined(&whole(&sources, None).0);
    for of in [1, 2, 3, FILES, FILES + 3] {
        for cache in [None, Some(folder.path())] {
            let shard = |index| format!("{index}/{of}").parse().unwrap();
            let parts = (1..=of).flat_map(|index| scanned(&sources, cache, shard(index)).0);
            assert_eq!(joined(&parts.collect::<Vec<_>>()), whole, "{of} shards, {cache:?}");
        }
    }
}

/// The program, with a cache folder of its own below `home`.
fn run(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.env("XDG_CACHE_HOME", home.join("cache")).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.arg("scan").args(arguments).output().unwrap()
}

/// The program's scan of the test targets with more arguments: its tables by name.
fn tables(home: &Path, out: &str, arguments: &[&str]) -> Vec<(&'static str, Vec<u8>)> {
    let out = home.join(out);
    let targets = ["tests/targets", "--force", "--out", out.to_str().unwrap()];
    let output = run(home, &[&targets, arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = ["blocks.csv", "operations.csv", "lines.csv", "findings.csv"];
    names.map(|name| (name, fs::read(out.join(name)).unwrap())).into()
}

#[test]
fn the_program_writes_the_same_bytes_with_and_without_the_cache() {
    let home = tempfile::tempdir().unwrap();
    let plain = tables(home.path(), "plain", &["--no-cache"]);
    assert!(!home.path().join("cache").exists());
    assert!(tables(home.path(), "first", &[]) == plain);
    assert!(home.path().join("cache/wattline/scan").is_dir());
    assert!(tables(home.path(), "second", &[]) == plain);
    let own = home.path().join("own");
    let own = ["--cache", own.to_str().unwrap()];
    assert!(tables(home.path(), "third", &own) == plain);
    assert!(tables(home.path(), "fourth", &own) == plain);
    // Another granularity is another question.
    let expression = ["--granularity", "expression"];
    let divided = tables(home.path(), "fifth", &expression);
    assert!(divided != plain);
    assert!(divided == tables(home.path(), "sixth", &[&expression[..], &["--no-cache"]].concat()));
}

#[test]
fn the_tables_of_the_programs_shards_concatenate() {
    let home = tempfile::tempdir().unwrap();
    let mut merged = tables(home.path(), "1", &["--shard", "1/3"]);
    for shard in ["2/3", "3/3"] {
        for (whole, (_, part)) in
            merged.iter_mut().zip(tables(home.path(), "n", &["--shard", shard]))
        {
            let header = part.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            whole.1.extend(&part[header..]);
        }
    }
    assert!(merged == tables(home.path(), "whole", &["--no-cache"]));
}

#[test]
fn what_can_not_be_is_said() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("out");
    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let said = |arguments: &[&str]| {
        let out = ["tests/targets", "--force", "--out", out.to_str().unwrap()];
        let output = run(home.path(), &[&out, arguments].concat());
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for shard in ["0/3", "4/3", "1/0", "2", "x/y"] {
        let (code, said) = said(&["--shard", shard]);
        assert!(code == 2 && said.contains("--shard"), "{shard}: {code} {said}");
    }
    let (code, words) = said(&["--cache", file.to_str().unwrap()]);
    assert!(code == 3 && words.contains("file"), "{code} {words}");
    let (code, words) = said(&["--cache", "x", "--no-cache"]);
    assert!(code == 2 && words.contains("--no-cache"), "{code} {words}");
    // A user whose cache folder can't be made scans without one.
    fs::write(home.path().join("cache"), "").unwrap();
    let (code, words) = said(&[]);
    assert!(code == 0 && words.contains("later scans"), "{code} {words}");
}
