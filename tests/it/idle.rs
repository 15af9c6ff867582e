//! Idle power of a case on a board whose idle power drifts: idle runs next to the power runs of the
//! case, or all of the campaign.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use wattline::campaign::RunPhase;
use wattline::run::read_journal;
use wattline::virtual_board::{BoardFile, BoardOptions, IdleDrift, start};

use super::bench::{Bench, measured_and_spent, rows};
use super::host::board_options;

/// Greatest relative error of a base case's energy against the ground truth, and greatest relative
/// standard error.
fn errors(out: &Path, spent: &BTreeMap<String, f64>) -> (f64, f64) {
    let of_case = |row: &BTreeMap<String, String>| {
        let figure = |column: &str| row[column].parse::<f64>().unwrap();
        let energy_j = figure("energy_j");
        ((energy_j / spent[&row["case"]] - 1.0).abs(), figure("energy_se_j") / energy_j)
    };
    let cases: Vec<(f64, f64)> = rows(&out.join("energies.csv")).iter().map(of_case).collect();
    assert_eq!(cases.len(), 2, "the two base cases");
    let greatest = |figure: fn(&(f64, f64)) -> f64| cases.iter().map(figure).fold(0.0, f64::max);
    (greatest(|case| case.0), greatest(|case| case.1))
}

/// In seven minutes the idle power grows by about as much as the application draws.
#[test]
fn what_drifts_cancels_between_neighbouring_runs_and_not_over_a_campaign() {
    let Some(bench) = Bench::new() else { return };
    let (truth, out) = (bench.out("truth"), bench.out("out"));
    let drift = IdleDrift { swing_w: 0.15, period_s: 1800.0 };
    let board = BoardFile::odroid_xu_e().with_drift(Some(drift)).unwrap();
    let collection_j = board.collector.energy_j;
    let options = BoardOptions { board, truth: Some(truth.clone()), ..board_options() };
    let board = start(&options).unwrap();
    let changes = [("cases = 4\nrepeats = 2", "cases = 2\nrepeats = 4")];
    let scenario = bench.scenario("tests/scenarios/tiny.toml", "drift.toml", &changes);
    let to = out.to_str().unwrap();
    bench.good(&["run", &scenario, "--board", &board.serial(), "--out", to]);

    let records = read_journal(&out).unwrap();
    for pair in records.iter().filter(|run| run.run.phase == RunPhase::Power) {
        let place = records.iter().position(|run| run.run == pair.run).unwrap();
        let is_partner = |place: usize| {
            let other = records.get(place).map(|other| &other.run);
            other.is_some_and(|other| {
                other.phase == RunPhase::Idle
                    && (&other.case, other.repeat) == (&pair.run.case, pair.run.repeat)
            })
        };
        assert!(is_partner(place + 1) || place > 0 && is_partner(place - 1), "{:?}", pair.run);
    }

    let mut spent: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (run, _, spent_j) in measured_and_spent(&out, &truth, collection_j) {
        let case = run.split_once("-power-").unwrap().0.to_owned();
        spent.entry(case).or_default().push(spent_j);
    }
    let mean = |runs: &Vec<f64>| runs.iter().sum::<f64>() / runs.len() as f64;
    let spent: BTreeMap<String, f64> =
        spent.iter().map(|(case, runs)| (case.clone(), mean(runs))).collect();
    bench.good(&["dataset", to]);
    let facts = fs::read_to_string(out.join("dataset.toml")).unwrap();
    assert!(facts.contains("idle = \"paired\""), "{facts}");
    let (paired_error, paired_se) = errors(&out, &spent);

    let file = out.join("scenario.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("[campaign]\n", "[campaign]\nidle = \"campaign\"\n")).unwrap();
    bench.good(&["dataset", to, "--force"]);
    let facts = fs::read_to_string(out.join("dataset.toml")).unwrap();
    assert!(facts.contains("idle = \"campaign\""), "{facts}");
    let (common_error, common_se) = errors(&out, &spent);
    println!(
        "paired {paired_error:.4} ({paired_se:.4}), campaign {common_error:.4} ({common_se:.4})"
    );
    assert!(paired_se < 0.5 * common_se, "{paired_se} {common_se}");
    assert!(paired_error < 0.5 * common_error, "{paired_error} {common_error}");

    // The same campaign is resumed with the other policy; no run depends on it.
    let other = fs::read_to_string(&scenario)
        .unwrap()
        .replace("repeats = 4", "repeats = 4\nidle = \"campaign\"");
    fs::write(&scenario, other).unwrap();
    let said = bench.good(&["run", &scenario, "--board", &board.serial(), "--out", to, "--resume"]);
    assert!(
        said.contains("[campaign] idle was not set and is \"campaign\": no run depends on it"),
        "{said}"
    );
    assert_eq!(read_journal(&out).unwrap().len(), records.len(), "{said}");
}

#[test]
fn idle_runs_of_their_own_and_windows_are_refused_together() {
    let Some(bench) = Bench::with(&[]) else { return };
    let changes = [("repeats = 2", "repeats = 2\nprotocol = \"windows\"\nidle = \"paired\"")];
    let scenario = bench.scenario("tests/scenarios/tiny.toml", "windows.toml", &changes);
    let (code, said) =
        bench.wattline(&["plan", &scenario, "--out", bench.out("out").to_str().unwrap()]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("campaign.idle") && said.contains("write \"campaign\""), "{said}");
}
