//! The tutorials as a reader follows them: files are saved, commands run in an empty folder, and
//! the lines that a page shows occur in what the program prints.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::path::Path;
use std::process::Command;

use wattline::toolchain::{Jdk, artifact};

use super::host::{AdbServer, CAMPAIGN_TOOLS, answer, has};

/// The folder of the pages.
const TUTORIALS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tutorials");

/// A part of a page that a reader acts on.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// A file to save: its path and its text.
    Save(String, String),
    /// A command to run.
    Run(String),
    /// A line that the commands so far print.
    Expect(String),
}

/// The steps of a page, in its order: blocks of `java` and `toml` below a line with
/// "Save as `NAME`", of `sh` with a command a line, and of `text` with outputs.
fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut before = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let indent = line.len() - line.trim_start().len();
            let block = lines.by_ref().take_while(|line| line.trim() != "```");
            let block: Vec<&str> = block.map(|line| line.get(indent..).unwrap_or("")).collect();
            steps.extend(steps_of_block(language, before, &block));
        } else if !line.trim().is_empty() {
            before = line;
        }
    }
    steps
}

fn steps_of_block(language: &str, before: &str, block: &[&str]) -> Vec<Step> {
    let filled = block.iter().filter(|line| !line.trim().is_empty());
    match language {
        "java" | "toml" => {
            let name = before.split_once("Save as `").and_then(|(_, name)| name.split_once('`'));
            let (name, _) = name.unwrap_or_else(|| panic!("no name of a file: {before}"));
            vec![Step::Save(name.to_owned(), block.join("\n") + "\n")]
        }
        "sh" => filled.map(|line| Step::Run((*line).to_owned())).collect(),
        "text" => {
            let printed = filled.filter(|line| line.trim() != "...");
            printed.map(|line| Step::Expect((*line).to_owned())).collect()
        }
        _ => Vec::new(),
    }
}

/// Lines whose figures are all `#`, with single spaces and without prefixes of joules.
fn without_figures(text: &str) -> String {
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn word(word: &str) -> String {
    if matches!(word, "nJ" | "uJ" | "mJ" | "kJ") {
        return "J".to_owned();
    }
    let mut hidden = String::new();
    for c in word.strip_prefix(['-', '−', '+']).unwrap_or(word).chars() {
        match c {
            '0'..='9' if hidden.ends_with('#') => {}
            '0'..='9' => hidden.push('#'),
            '.' if hidden.ends_with('#') => {}
            c => hidden.push(c),
        }
    }
    hidden
}

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(TUTORIALS).join(name)).unwrap()
}

/// The program under test comes first on the path.
fn shell(line: &str, folder: &Path, adb: &AdbServer) -> Command {
    let programs = Path::new(env!("CARGO_BIN_EXE_wattline")).parent().unwrap().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([programs].into_iter().chain(std::env::split_paths(&others)));
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("PATH", path.unwrap());
    shell.env("ANDROID_ADB_SERVER_PORT", adb.port.to_string());
    shell
}

/// Does what a page says.
fn follow(name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let adb = AdbServer::new();
    let mut printed = String::new();
    for step in steps(&page(name)) {
        match step {
            Step::Save(path, text) => {
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            Step::Run(line) => {
                let (code, said) = answer(shell(&line, folder.path(), &adb).output().unwrap());
                assert_eq!(code, Some(0), "{name}: {line}\n{said}");
                printed += &(without_figures(&said) + "\n");
            }
            Step::Expect(line) => {
                let expected = without_figures(&line);
                let is_there = printed.lines().any(|line| line.contains(&expected));
                assert!(is_there, "{name}: nothing printed {line:?}:\n{printed}");
            }
        }
    }
}

#[test]
fn every_tutorial_has_files_commands_and_outputs() {
    let pages = fs::read_dir(TUTORIALS).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = pages.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["android-application.md", "jvm-program.md", "your-project.md"]);
    for name in names {
        let steps = steps(&page(&name));
        assert!(steps.iter().any(|step| matches!(step, Step::Save(..))), "{name}: no file");
        assert!(steps.iter().any(|step| matches!(step, Step::Run(_))), "{name}: no command");
        assert!(steps.iter().any(|step| matches!(step, Step::Expect(_))), "{name}: no output");
    }
}

#[test]
fn steps_and_lines_of_a_page() {
    let page = "Save as `a/B.java`:\n\n```java\nclass B { }\n```\n\n1. Run it:\n\n   ```sh\n   \
                wattline scan a\n   ```\n\n```text\n  1.5 mJ\n...\n```\n";
    let expected = [
        Step::Save("a/B.java".to_owned(), "class B { }\n".to_owned()),
        Step::Run("wattline scan a".to_owned()),
        Step::Expect("  1.5 mJ".to_owned()),
    ];
    assert_eq!(steps(page), expected);
    assert_eq!(without_figures("  −1.50 mJ  12 %\n3 J"), "# J # %\n# J");
}

#[test]
#[ignore = "some minutes of this machine; scripts/nightly.sh runs it"]
fn the_tutorial_of_a_program_on_the_jvm() {
    match Jdk::find() {
        Ok(_) => follow("jvm-program.md"),
        Err(error) => crate::skip::because(error),
    }
}

#[test]
#[ignore = "some minutes of this machine; scripts/nightly.sh runs it"]
fn the_tutorial_of_a_library() {
    if let Err(error) = Jdk::find() {
        return crate::skip::because(error);
    }
    match fetched("your-project.md") {
        Ok(()) => follow("your-project.md"),
        Err(error) => crate::skip::because(error),
    }
}

#[test]
#[ignore = "some minutes on a virtual phone; scripts/nightly.sh runs it"]
fn the_tutorial_of_an_android_application() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    match fetched("android-application.md") {
        Ok(()) => follow("android-application.md"),
        Err(error) => crate::skip::because(error),
    }
}

/// The artifacts that a page's scenario names; what is missing if there is no network.
fn fetched(name: &str) -> Result<(), String> {
    let page = page(name);
    let value = |key: &str| {
        let values = page.lines().filter_map(move |line| line.strip_prefix(key));
        values.map(|value| value.trim_matches('"').to_owned()).collect::<Vec<_>>()
    };
    for (maven, sha256) in value("maven = ").iter().zip(value("sha256 = ")) {
        artifact::fetch(maven, &sha256).map_err(|error| error.to_string())?;
    }
    Ok(())
}
