//! Answers of commands as JSON: each command that prints a result prints one object, whose figures
//! are those of its files; and the commands of `docs/agents.md` run.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use wattline::virtual_board::start;

use super::bench::TinyPipeline;
use super::host::{AdbServer, CAMPAIGN_TOOLS, board_options, has};
use super::output::{OF_CAMPAIGNS, OF_FILES, Trial, prepare_campaigns, wattline, write_files};

/// Flags with which a command prints something else than its answer.
const OTHER_OUTPUT: [&str; 3] = ["--format", "--partial -", "--follow"];

/// Commands without an answer of figures.
const WITHOUT_FIGURES: [&str; 6] =
    ["activities api", "board virtual", "completions", "export", "man", "schema"];

/// Runs a command that must succeed, with `--format json`; its object.
fn answer(folder: &Path, adb: &AdbServer, words: &str, board: &str) -> Value {
    let words = format!("{words} --format json");
    let output = wattline(folder, adb, &words, board).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words}: {errors}");
    let parsed = serde_json::from_slice(&output.stdout);
    let text = String::from_utf8_lossy(&output.stdout);
    let value: Value = parsed.unwrap_or_else(|error| panic!("{words}: {error}: {text}"));
    assert_eq!(value["schema"], 1, "{words}: {text}");
    let command = value["command"].as_str().unwrap();
    assert!(words.starts_with(command), "{words}: {command}");
    value
}

/// Records of a CSV file, by column.
fn rows(file: &Path) -> Vec<csv::StringRecord> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    reader.records().map(Result::unwrap).collect()
}

/// A column of a CSV file as numbers; `None` for an empty cell.
fn column(file: &Path, name: &str) -> Vec<Option<f64>> {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let at = reader.headers().unwrap().iter().position(|column| column == name).unwrap();
    reader.records().map(|row| row.unwrap()[at].parse().ok()).collect()
}

/// A key of the objects of an array as numbers.
fn figures(array: &Value, key: &str) -> Vec<Option<f64>> {
    array.as_array().unwrap().iter().map(|row| row[key].as_f64()).collect()
}

/// Tries all commands that print an answer.
fn try_all(trials: &[Trial], folder: &Path, adb: &AdbServer, board: &str) {
    let has_answer = |trial: &&Trial| {
        !WITHOUT_FIGURES.contains(&trial.command)
            && !OTHER_OUTPUT.iter().any(|flag| trial.arguments.contains(flag))
    };
    for Trial { command, arguments, .. } in trials.iter().filter(has_answer) {
        let value = answer(folder, adb, &format!("{command} {arguments}"), board);
        check_figures(command, &value, folder);
    }
}

/// Checks the figures of an answer against the command's files.
fn check_figures(command: &str, value: &Value, folder: &Path) {
    let file = |name: &str| folder.join(name);
    match command {
        "scan" => assert_eq!(value["blocks"], rows(&file("scanned/blocks.csv")).len()),
        "plan" => assert_eq!(value["cases"], rows(&file("planned/plan.csv")).len()),
        "dataset" => assert_eq!(value["cases"], rows(&file("tiny/dataset.csv")).len()),
        "predict" => assert_eq!(
            figures(&value["cases"], "predicted_j"),
            column(&file("predicted/predictions.csv"), "predicted_j")
        ),
        "account" => {
            assert_eq!(value["basis"], "simulated");
            let table = file("accounts/accounts/methods.csv");
            for key in ["energy_j", "energy_lo_j", "energy_hi_j", "executions"] {
                assert_eq!(figures(&value["methods"], key), column(&table, key), "{key}");
            }
        }
        "evaluate" if value["against"] == "ground truth" => assert_eq!(
            figures(&value["levels"], "median_error"),
            column(&file("evaluated/evaluation.csv"), "median_error")
        ),
        "calls" => assert!(value["paths"].as_u64().unwrap() > 0, "{value}"),
        "trace" => assert_eq!(value["exit_code"], 0),
        "report" if !value["accounts"].is_null() => {
            let found = figures(&value["accounts"]["methods"], "energy_j");
            assert_eq!(found, column(&file("tiny/accounts/methods.csv"), "energy_j"));
            assert_eq!(value["basis"], "simulated");
        }
        "compare" => assert_eq!(value["verdict"], "pass"),
        "board check" => assert!(!value["boards"][0]["meters"][0].is_null(), "{value}"),
        _ => {}
    }
}

#[test]
fn commands_on_files_print_one_object() {
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    write_files(folder.path());
    try_all(OF_FILES, folder.path(), &adb, "");
}

#[test]
fn commands_of_a_campaign_print_one_object() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer::new());
    let board = start(&board_options()).unwrap();
    prepare_campaigns(folder.path(), &adb, &board.serial());
    try_all(OF_CAMPAIGNS, folder.path(), &adb, &board.serial());
}

/// An answer is one object, so that what else would be printed has to go elsewhere.
#[test]
fn rows_on_standard_output_and_an_object_are_refused_together() {
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    write_files(folder.path());
    for words in [
        "fit table.csv --solver nnls --partial - --format json",
        "activities logs/blink.quanto --partial - --format json",
        "tenants perf switches.txt --partial - --format json",
        "tenants perf switches.txt --follow --format json",
    ] {
        let output = wattline(folder.path(), &adb, words, "").output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {errors}");
        assert!(errors.contains("--format json") && output.stdout.is_empty(), "{words}: {errors}");
    }
}

/// An error leaves standard output empty: its exit code is the answer.
#[test]
fn an_error_prints_no_object() {
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer { port: 1 });
    for (words, code) in [("report gone --format json", 3), ("fit --format json", 2)] {
        let output = wattline(folder.path(), &adb, words, "").output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(code), 0), "{words}");
    }
}

/// Command lines of a page's code blocks.
fn commands_of(page: &str) -> Vec<String> {
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).filter(|line| line.starts_with("wattline "));
    lines.map(str::to_owned).collect()
}

/// The commands of the page for coding assistants, in its order, with the scenario of the tests in
/// place of the reader's.
#[test]
fn the_commands_for_coding_assistants_run() {
    if !has(&CAMPAIGN_TOOLS) {
        return;
    }
    let page = include_str!("../../docs/agents.md");
    assert!(page.split_whitespace().count() <= 500, "{}", page.split_whitespace().count());
    let commands = commands_of(page);
    assert!(commands.len() > 8, "{commands:?}");
    let (folder, adb) = (tempfile::tempdir().unwrap(), AdbServer::new());
    let folder = folder.path();
    for campaign in ["target/base", "target/new"] {
        fs::create_dir_all(folder.join(campaign)).unwrap();
        TinyPipeline::shared().copy_to(&folder.join(campaign));
    }
    fs::create_dir_all(folder.join("src/main")).unwrap();
    let mut copy = Command::new("cp");
    copy.arg("-r").arg(folder.join("target/base/sources")).arg(folder.join("src/main/java"));
    assert!(copy.status().unwrap().success());
    fs::write(folder.join("energy-budgets.toml"), "[scenarios]\ntiny = 1e6\n").unwrap();
    for line in &commands {
        let words = line.trim_start_matches("wattline ").trim_end_matches(" --format json");
        let words = words.replace("energy.toml --board jvm", "ROOT/tests/scenarios/tiny.toml");
        let words = match words.strip_prefix("pipeline ") {
            Some(rest) => format!("pipeline {rest} --resume"),
            None => words,
        };
        match line.contains("--format html") {
            true => {
                let output = wattline(folder, &adb, &words, "").output().unwrap();
                let text = String::from_utf8(output.stdout).unwrap();
                assert!(text.starts_with("<!DOCTYPE html>"), "{line}: {text}");
            }
            false => {
                drop(answer(folder, &adb, &words.replace("--duration 10", "--duration 1"), ""))
            }
        }
    }
}
