//! The vocabulary of what a user meets: README and pages, help, messages and templates contain no
//! term for which the glossary has another one.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::path::PathBuf;
use std::process::Command;

use super::architecture::production;
use super::pages::{self, has_extension};

/// Terms that are not used, and those of the glossary instead.
const TERMS: [(&str, &str); 27] = [
    ("micro-kernel", "microbenchmark"),
    ("micro-kernels", "microbenchmarks"),
    ("by lot", "at random"),
    ("dear", "expensive"),
    ("dearer", "more expensive"),
    ("dearest", "most expensive"),
    ("how far off", "error"),
    ("how sure", "uncertainty"),
    ("gate said", "check failed"),
    ("gone on with", "resumed"),
    ("goes on with", "resumes"),
    ("go on with", "resume"),
    ("hopeless", "stopped after failures"),
    ("given up", "stopped after failures"),
    ("processor time", "CPU time"),
    ("mechanical hint", "automatic fix"),
    ("mechanical hints", "automatic fixes"),
    ("silicon", "simulated energy model"),
    ("glimpse", "snapshot"),
    ("inputs not seen", "unseen inputs"),
    ("samples' word", "sampling-based estimate"),
    ("own word", "sampling-based estimate"),
    ("worth its word", "reliable"),
    ("worth their word", "reliable"),
    ("what counts say", "count-based estimate"),
    ("place factor", "block effect"),
    ("hang together", "are correlated"),
];

/// Words of a text in lower case, each with a space before and after it.
fn words(text: &str) -> String {
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '\'');
    let words = text.split(|c: char| !is_of_word(c)).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |text, word| text + &word.to_lowercase() + " ")
}

/// The terms in a text, each as a line that names where and what to say.
fn found_terms(place: &str, text: &str) -> Vec<String> {
    let text = words(text);
    let terms = TERMS.iter().filter(|(term, _)| text.contains(&format!(" {term} ")));
    terms.map(|(term, instead)| format!("{place}: `{term}`; say `{instead}`")).collect()
}

/// The terms in files of the repository.
fn found_in(paths: impl IntoIterator<Item = PathBuf>) -> Vec<String> {
    let found = |path: PathBuf| found_terms(&path.display().to_string(), &pages::text(&path));
    paths.into_iter().flat_map(found).collect()
}

fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn pages_use_the_terms_of_the_glossary() {
    let pages = pages::pages().into_iter();
    assert_none(&found_in(pages.filter(|path| !path.starts_with("docs/experiments"))));
}

#[test]
fn messages_use_the_terms_of_the_glossary() {
    let of = |(path, file): &(PathBuf, &super::architecture::source_file::SourceFile)| {
        let place = path.display().to_string();
        file.texts.iter().flat_map(|text| found_terms(&place, text)).collect::<Vec<_>>()
    };
    let files = production();
    assert!(files.iter().map(|(_, file)| file.texts.len()).sum::<usize>() > 10_000);
    assert_none(&files.iter().flat_map(of).collect::<Vec<_>>());
}

#[test]
fn templates_use_the_terms_of_the_glossary() {
    let is_template =
        |path: &PathBuf| has_extension(path, "html") && path.iter().any(|part| part == "templates");
    let templates: Vec<_> = pages::below("crates").into_iter().filter(is_template).collect();
    assert!(!templates.is_empty());
    assert_none(&found_in(templates));
}

#[test]
fn help_uses_the_terms_of_the_glossary() {
    let out = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wattline"));
    command.args(["man", "--quiet", "--format", "markdown", "--out"]).arg(out.path());
    assert!(command.status().unwrap().success());
    let pages: Vec<_> = std::fs::read_dir(out.path()).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(pages.len() > 20, "{pages:?}");
    let found = pages.iter().flat_map(|page| {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        found_terms(&name, &std::fs::read_to_string(page).unwrap())
    });
    assert_none(&found.collect::<Vec<_>>());
}

#[test]
fn a_term_is_found_across_lines_and_marks() {
    let found = found_terms("page", "It costs\nprocessor  time, *by lot*.");
    assert_eq!(
        found,
        ["page: `by lot`; say `at random`", "page: `processor time`; say `CPU time`",]
    );
    assert!(found_terms("page", "Dearborn, a lot, unseen").is_empty());
}
