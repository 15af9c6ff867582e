//! Test of the flags in command lines of pages and messages: each is one of its command.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use walkdir::WalkDir;

use super::Arguments;
use super::suggest::arguments_of;

/// Documentation pages, without those of experiments, which quote the program as it was, and this
/// program's sources.
fn documented_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let below = ["docs", "src", "crates"].map(|folder| root.join(folder));
    let walk = below.iter().flat_map(WalkDir::new).map(|entry| entry.unwrap().into_path());
    let is_read = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_text = extension.is_some_and(|extension| ["md", "rs"].contains(&extension));
        let is_this = path.ends_with(file!());
        is_text && !is_this && !path.starts_with(root.join("docs/experiments"))
    };
    [root.join("README.md"), root.join("CONTRIBUTING.md")]
        .into_iter()
        .chain(walk.filter(is_read))
        .collect()
}

/// Rest of each command line of a text after the program's name.
fn command_lines(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let ends = ['`', '"', '|', ';', '\n', '&', '>', '#', '('];
    let line = |rest: &str| rest.split(ends).next().unwrap_or_default().to_string();
    joined.split("wattline ").skip(1).map(line).collect()
}

/// Whether a command or the program takes a flag.
fn has_flag(command: &Command, program: &Command, flag: &str) -> bool {
    arguments_of(command, program).any(|argument| {
        let aliases = argument.get_visible_aliases().unwrap_or_default();
        argument.get_long() == Some(flag) || aliases.contains(&flag)
    })
}

/// Flags of a command line that its command does not have.
fn unknown_flags(program: &Command, line: &str) -> Vec<String> {
    let mut command = program;
    let mut unknown = Vec::new();
    for word in line.split([' ', '[', ']', '=']) {
        let word = word.trim_end_matches(['.', ',', ':', ')', '\'']);
        match word.strip_prefix("--") {
            Some("" | "help" | "version") => break,
            Some(flag) if !has_flag(command, program, flag) => unknown.push(word.into()),
            Some(_) => {}
            None => command = command.find_subcommand(word).unwrap_or(command),
        }
    }
    unknown
}

#[test]
fn every_flag_that_is_named_is_one() {
    let program = Arguments::command();
    let mut wrong = Vec::new();
    let mut lines = 0;
    for file in documented_files() {
        // Tests mistype flags on purpose.
        let text = fs::read_to_string(&file).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for line in command_lines(text) {
            let is_command = |word: &str| program.find_subcommand(word).is_some();
            if !line.split(' ').next().is_some_and(is_command) {
                continue;
            }
            lines += 1;
            let unknown = unknown_flags(&program, &line);
            if !unknown.is_empty() {
                wrong.push(format!("{}: wattline {line}: {unknown:?}", file.display()));
            }
        }
    }
    assert!(lines > 200, "{lines} command lines");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_flag_of_another_command_is_found() {
    let unknown = |line: &str| unknown_flags(&Arguments::command(), line);
    assert_eq!(unknown("board virtual --truth t --seed 1"), ["--truth"]);
    assert_eq!(unknown("scan src --out x --quiet"), Vec::<String>::new());
    assert_eq!(command_lines("`wattline scan a \\\n  --x` b"), ["scan a    --x"]);
}
