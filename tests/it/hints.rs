//! Hints on annotated Java, and automatic fixes applied: the copy compiles and does the
//! same.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use wattline::blocks::{FileBlocks, Granularity, divide};
use wattline::hint::{Hint, apply, assumed_hints};
use wattline::java::{ClassPath, SourceFile};
use wattline::operations;

use super::host::BRIEF_JAVA;
use super::probes::compiler::{Compiler, java};
use super::probes::java::{has_jdk, java_files};

/// The annotated sources.
fn sources() -> Vec<SourceFile> {
    java_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hints"))
}

/// All hints of sources that nobody has run.
fn hints_of(files: &[SourceFile]) -> Vec<Hint> {
    let classes = ClassPath::open(&[]).unwrap();
    let blocks: Vec<FileBlocks> =
        files.iter().map(|file| divide(file, Granularity::Statement)).collect();
    let dictionary = operations::count(files, &blocks, &classes).dictionary;
    assumed_hints(&dictionary, files, None)
}

/// `//~ pattern pattern` at the end of a line.
fn expected(file: &SourceFile) -> BTreeSet<(String, u32, String)> {
    let lines = file.text.lines().enumerate();
    let comments = lines.filter_map(|(i, line)| Some((i as u32 + 1, line.split_once("//~")?.1)));
    comments
        .flat_map(|(line, names)| names.split_whitespace().map(move |name| (line, name)))
        .map(|(line, name)| (file.path.clone(), line, name.to_owned()))
        .collect()
}

#[test]
fn hints_are_given_where_the_comments_say_and_nowhere_else() {
    if !has_jdk() {
        return;
    }
    let mut files = sources();
    files.retain(|file| file.text.contains("//~"));
    let found: BTreeSet<_> = hints_of(&files)
        .into_iter()
        .filter(|hint| !["unroll-loop", "inline-small-method"].contains(&hint.pattern))
        .map(|hint| (hint.file, hint.start_line, hint.pattern.to_owned()))
        .collect();
    let expected: BTreeSet<_> = files.iter().flat_map(expected).collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let wrong: Vec<_> = found.difference(&expected).collect();
    assert!(missing.is_empty() && wrong.is_empty(), "missing {missing:#?}\nwrong {wrong:#?}");
}

#[test]
fn automatic_fixes_leave_what_a_program_prints() {
    if !has_jdk() {
        return;
    }
    let files: Vec<SourceFile> =
        sources().into_iter().filter(|file| file.path == "AutomaticFixes.java").collect();
    let mut compiler = Compiler::brief(&[]);
    let mut built = |text: &str| built(&mut compiler, text);
    let before = built(&files[0].text);
    assert!(before.lines().count() > 5, "{before}");
    let hints = hints_of(&files);
    let all = hints.iter().filter(|hint| hint.automatic_fix.is_some()).count();
    let patterns: BTreeSet<_> =
        hints.iter().filter(|hint| hint.automatic_fix.is_some()).map(|hint| hint.pattern).collect();
    let with_fix = [
        "append-concatenation",
        "bulk-copy",
        "compile-in-method",
        "field-in-loop",
        "loop-invariant",
        "pattern-in-method",
        "string-buffer",
    ];
    assert_eq!(patterns.into_iter().collect::<Vec<_>>(), with_fix);
    // Each sort alone (on one loop they are alternatives), then all together.
    for pattern in with_fix {
        let own: Vec<Hint> = hints.iter().filter(|hint| hint.pattern == pattern).cloned().collect();
        let applied = apply(&own, &files, usize::MAX);
        assert!(applied.alternatives.is_empty() || pattern == "field-in-loop", "{pattern}");
        let text = &applied.files["AutomaticFixes.java"];
        assert_eq!(built(text), before, "{pattern}:\n{text}");
    }
    let applied = apply(&hints, &files, usize::MAX);
    assert_eq!(applied.done.len() + applied.alternatives.len(), all);
    assert!(applied.done.len() >= 20, "{}", applied.done.len());
    let text = &applied.files["AutomaticFixes.java"];
    assert!(text.contains("System.arraycopy(") && text.contains("numbersSize2"), "{text}");
    assert_eq!(built(text), before, "{text}");
}

/// `git apply` makes of the sources what the copy is.
#[test]
fn the_patch_makes_the_copy() {
    if !has_jdk() {
        return;
    }
    let files = sources();
    let found = hints_of(&files);
    let applied = apply(&found, &files, usize::MAX);
    let folder = tempfile::tempdir().unwrap();
    for file in &files {
        let path = folder.path().join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &file.text).unwrap();
    }
    fs::write(folder.path().join("hints.patch"), applied.patch(&files)).unwrap();
    let git = Command::new("git")
        .args(["apply", "hints.patch"])
        .current_dir(&folder)
        .env("GIT_CEILING_DIRECTORIES", folder.path().parent().unwrap())
        .output()
        .expect("git is there, as this is a checkout");
    assert!(git.status.success(), "{}", String::from_utf8_lossy(&git.stderr));
    assert!(!applied.files.is_empty());
    for file in &files {
        let expected = applied.files.get(&file.path).unwrap_or(&file.text);
        assert_eq!(fs::read_to_string(folder.path().join(&file.path)).unwrap(), *expected);
    }
}

/// Compiles and runs the program: what it prints.
fn built(compiler: &mut Compiler, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (sources, classes) = (folder.path().join("sources"), folder.path().join("classes"));
    fs::create_dir(&sources).unwrap();
    fs::write(sources.join("AutomaticFixes.java"), text).unwrap();
    let said = compiler.compile(&sources, Some(&classes));
    let errors: Vec<_> = said.iter().filter(|found| found.kind == "ERROR").collect();
    assert!(errors.is_empty(), "{errors:?}\n{text}");
    let mut java = Command::new(java());
    let output =
        java.args(BRIEF_JAVA).arg("-cp").arg(&classes).arg("AutomaticFixes").output().unwrap();
    assert!(output.status.success(), "{output:?}\n{text}");
    String::from_utf8(output.stdout).unwrap()
}
