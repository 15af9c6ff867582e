//! A campaign on several boards: two virtual boards behind one adb server, which differ by a
//! known factor. The factor comes back with its interval; a board that is taken away in the
//! middle changes nothing in the data set.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use wattline::campaign::RunPhase;
use wattline::run::{RunRecord, read_journal};
use wattline::virtual_board::{BoardFile, BoardOptions, RunningBoard, start};

use super::bench::{Bench, assert_same_data_set, copy_plan, rows};
use super::host::board_options;

const SCENARIO: &str = "tests/scenarios/fleet.toml";

/// What the board `right` spends by the board `left`.
const FACTOR: f64 = 1.25;

/// What `prepare.sh` changes on a board.
const SETTINGS: [&str; 3] = [
    "/sys/bus/i2c/drivers/INA231/4-0040/enable",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_setspeed",
];

/// A board as it was before its first campaign.
fn board(name: &str, seed: u64, device: f64, idle: f64, truth: Option<&Path>) -> RunningBoard {
    start(&BoardOptions {
        name: name.into(),
        truth: truth.map(|folder| folder.join(name)),
        seed: Some(seed),
        board: BoardFile::odroid_xu_e().with_factors(device, idle).unwrap(),
        ..board_options()
    })
    .unwrap()
}

fn left() -> RunningBoard {
    board("left", 1, 1.0, 1.0, None)
}

fn right() -> RunningBoard {
    board("right", 2, FACTOR, 0.8, None)
}

/// Both, with their truths in `folder/left` and `folder/right`.
fn both_with_truth(folder: &Path) -> (RunningBoard, RunningBoard) {
    let truth = Some(folder);
    (board("left", 1, 1.0, 1.0, truth), board("right", 2, FACTOR, 0.8, truth))
}

fn settings(board: &RunningBoard) -> Vec<Option<String>> {
    SETTINGS.iter().map(|path| board.read_file(path)).collect()
}

#[test]
#[ignore = "by day the runs of one board move to the other; scripts/nightly.sh runs it"]
fn two_boards_share_a_pipeline_and_their_factor_comes_back() {
    let Some(bench) = Bench::new() else { return };
    let changes = [
        ("cases = 6\nrepeats = 2", "cases = 4\nrepeats = 2"),
        ("repeats = 2\ncount = 4", "repeats = 1\ncount = 4"),
    ];
    let scenario = bench.scenario(SCENARIO, "short.toml", &changes);
    let (left, right) = both_with_truth(&bench.out("truth"));
    let (a, b) = (left.serial(), right.serial());
    let before = (settings(&left), settings(&right));
    let out = bench.out("two");
    let to = out.to_str().unwrap();
    let said = bench.good(&["board", "check", &a, &b]);
    assert!(said.contains("together     left, right can share a campaign"), "{said}");
    let said = bench.good(&["pipeline", &scenario, "--serial", &a, "--serial", &b, "--out", to]);
    assert!(said.contains("costs are those of board left"), "{said}");
    assert_eq!((settings(&left), settings(&right)), before, "the boards are as they were");

    let assigned = rows(&out.join("assignment.csv"));
    let of = |device: &str| assigned.iter().filter(|row| row["device"] == device).count();
    assert!(of("left").abs_diff(of("right")) <= 1 && of("left") >= 3, "{assigned:?}");
    let data = rows(&out.join("dataset.csv"));
    let key = |row: &BTreeMap<String, String>| (row["case"].clone(), row["device"].clone());
    let mut measured: Vec<_> = data.iter().map(key).collect();
    let mut planned: Vec<_> = assigned.iter().map(key).collect();
    measured.sort();
    planned.sort();
    assert_eq!(measured, planned, "every case has its rows");
    for (name, cell) in &data[0] {
        // The same work on both boards.
        let other =
            data.iter().find(|row| row["case"] == data[0]["case"] && key(row) != key(&data[0]));
        let is_measured =
            ["device", "duration_s", "energy_j", "energy_se_j"].contains(&name.as_str());
        assert!(is_measured || *cell == other.unwrap()[name], "{name}");
    }

    let model = fs::read_to_string(out.join("model.json")).unwrap();
    let model: serde_json::Value = serde_json::from_str(&model).unwrap();
    let devices = model["devices"].as_array().unwrap();
    assert_eq!(devices[0]["device"], "left");
    let [factor, lo, hi] =
        ["factor", "factor_lo", "factor_hi"].map(|name| devices[1][name].as_f64().unwrap());
    // Collections and lines of the log, by a rough estimate 3 % of the energy, cost the same on
    // both boards.
    let least = 1.0 + (FACTOR - 1.0) * 0.95;
    assert!(lo <= FACTOR && least <= hi && hi - lo < 0.05, "{lo} {factor} {hi}");
    assert!((factor / FACTOR - 1.0).abs() < 0.02, "{factor}");
    let microbenchmarks = rows(&out.join("microbenchmarks-devices.csv"));
    let factor: f64 = microbenchmarks[1]["factor"].parse().unwrap();
    assert!((factor / FACTOR - 1.0).abs() < 0.03, "{microbenchmarks:?}");
    accounts_are_of_one_board(&bench, &out);
    each_board_has_a_truth_of_its_own(&bench, &out);
    let report = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("spread over 2 boards; energies are those of left"));
}

/// The accounts say whose they are, and the other board's are more by the factor.
fn accounts_are_of_one_board(bench: &Bench, out: &Path) {
    let about = fs::read_to_string(out.join("accounts/device.toml")).unwrap();
    assert!(about.contains("device = \"left\""), "{about}");
    let (to, other) = (out.to_str().unwrap(), bench.out("right"));
    let model = out.join("model.json");
    let other_to = other.to_str().unwrap();
    let words = ["account", model.to_str().unwrap(), to, "--device", "right", "--out", other_to];
    bench.good(&words);
    let about = fs::read_to_string(other.join("accounts/device.toml")).unwrap();
    assert!(about.contains("device = \"right\""), "{about}");
    let above_idle = |folder: &Path| -> f64 {
        let ledger = rows(&folder.join("ledger.csv"));
        let of = |name: &str| -> f64 {
            let row = ledger.iter().find(|row| row.values().any(|cell| cell == name)).unwrap();
            row["energy_j"].parse().unwrap()
        };
        of("measured") - of("idle")
    };
    let ratio = above_idle(&other) / above_idle(out);
    assert!((ratio / FACTOR - 1.0).abs() < 0.1, "{ratio}");
    let (code, said) = bench.wattline(&[
        "account",
        model.to_str().unwrap(),
        to,
        "--device",
        "no",
        "--force",
        "--out",
        other_to,
    ]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("left, right"), "{said}");
}

/// The accounts of each board are held against what that board spent.
fn each_board_has_a_truth_of_its_own(bench: &Bench, out: &Path) {
    let (to, result) = (out.to_str().unwrap(), bench.out("evaluation"));
    let truth = |board: &str| format!("{board}={}", bench.out("truth").join(board).display());
    let (left, right) = (truth("left"), truth("right"));
    let evaluate = |truths: &[&str]| {
        let words = ["evaluate", "--force", "--out", result.to_str().unwrap(), to];
        bench.wattline(&[&words, truths].concat())
    };
    let (code, said) = evaluate(&[&left, &right]);
    assert_eq!(code, Some(0), "{said}");
    let found = rows(&result.join("evaluation.csv"));
    for board in ["left", "right"] {
        let of = found.iter().find(|r| r["device"] == board && r["level"] == "line").unwrap();
        let [bias, median]: [f64; 2] = ["bias", "median_error"].map(|key| of[key].parse().unwrap());
        println!("{board}: lines' median error {median}, bias {bias}");
        assert!(bias.abs() < 0.1, "{of:?}");
    }
    // By the other's truth they are off by the factor.
    let swapped = left.replace("left=", "right=");
    let (code, said) = evaluate(&[&swapped]);
    assert_eq!(code, Some(0), "{said}");
    let found = rows(&result.join("evaluation.csv"));
    assert!(found[0]["bias"].parse::<f64>().unwrap() > 0.1, "{found:?}");
    let (code, said) = evaluate(&[&left["left=".len()..]]);
    assert!(code == Some(2) && said.contains("the campaign's boards are left, right"), "{said}");
    let (code, said) = evaluate(&["middle=x"]);
    assert!(code == Some(2) && said.contains("there is no board middle"), "{said}");
    let empty = format!("left={}", bench.out("evaluation").display());
    let (code, said) = evaluate(&[&empty]);
    assert!(code == Some(3) && said.contains("start the board with --ground-truth"), "{said}");
}

#[test]
#[ignore = "by day windows of one board, and two boards without; scripts/nightly.sh runs it"]
fn windows_of_two_boards_are_each_boards_own() {
    let Some(bench) = Bench::new() else { return };
    let (left, right) = (left(), right());
    let serials = format!("{},{}", left.serial(), right.serial());
    let keys = "cases = 4\nrepeats = 2\nprotocol = \"windows\"\nwindow_s = 2.0";
    let changes = [("cases = 6\nrepeats = 2", keys)];
    let scenario = bench.scenario(SCENARIO, "windows.toml", &changes);
    let out = bench.out("windows");
    let to = out.to_str().unwrap();
    bench.good(&["run", &scenario, "--board", &serials, "--out", to]);
    let said = bench.good(&["dataset", to]);
    assert!(said.contains("on left probes cost") && said.contains("on right probes"), "{said}");
    let data = rows(&out.join("dataset.csv"));
    let names: std::collections::BTreeSet<&String> = data.iter().map(|row| &row["case"]).collect();
    assert_eq!(names.len(), data.len(), "every window has a name of its own");
    let power = |board: &str, group: &str| -> f64 {
        let of = data.iter().filter(|row| row["device"] == board && row["group"] == group);
        let sum = |key: &str| of.clone().map(|row| row[key].parse::<f64>().unwrap()).sum::<f64>();
        sum("energy_j") / sum("duration_s")
    };
    for group in ["base-few", "base-many"] {
        let ratio = power("right", group) / power("left", group);
        println!("{group}: {ratio:.4} times as much on right");
        assert!((ratio / FACTOR - 1.0).abs() < 0.05, "{group}: {ratio}");
    }
    let about: toml::Table = fs::read_to_string(out.join("dataset.toml")).unwrap().parse().unwrap();
    let cost = |at: usize| about["windows"][at]["probe_energy_j"].as_float().unwrap();
    println!("probes: {} and {} J", cost(0), cost(1));
    assert!((cost(1) / cost(0) / FACTOR - 1.0).abs() < 0.1, "{about:?}");
    bench.good(&["fit", out.join("dataset.csv").to_str().unwrap(), "--out", to]);
}

#[test]
#[ignore = "by day one board stops; scripts/nightly.sh runs it"]
fn several_boards_stop_at_the_end_of_a_round() {
    let Some(bench) = Bench::new() else { return };
    let (left, right) = (left(), right());
    let serials = format!("{},{}", left.serial(), right.serial());
    let keys = "cases = 4\nrepeats = 5\nstop = { lines = 0.5 }";
    let scenario = brief(&bench, "stop.toml", keys);
    let out = bench.out("stop");
    let to = out.to_str().unwrap();
    let said = bench.good(&["run", &scenario, "--board", &serials, "--out", to]);
    // Of the base cases each board makes a power and an idle run in each round.
    let lies = rows(&out.join("assignment.csv")).len();
    let saved = format!("ended after round 2, {} runs saved: ", 3 * 2 * lies);
    assert!(said.contains(&saved), "{said}");
    let sessions = (left.sessions().len(), right.sessions().len());
    let again = bench.good(&["run", &scenario, "--board", &serials, "--out", to, "--resume"]);
    assert!(again.contains(&saved), "{again}");
    assert_eq!((left.sessions().len(), right.sessions().len()), sessions, "it is over");
    bench.good(&["dataset", to]);
}

/// A campaign of short sessions, with cases of one input.
fn brief(bench: &Bench, name: &str, keys: &str) -> String {
    let keys = format!("{keys}\ndry_runs = 8");
    let changes = [("cases = 2\nrepeats = 1\ndry_runs = 4", keys.as_str())];
    bench.scenario("tests/scenarios/faults.toml", name, &changes)
}

/// The words that run such a campaign on two boards.
fn run<'w>(scenario: &'w str, out: &'w Path, serials: &'w str, more: &[&'w str]) -> Vec<&'w str> {
    let words = ["run", scenario, "--wait", "3", "--board", serials, "--out"];
    words.into_iter().chain([out.to_str().unwrap()]).chain(more.iter().copied()).collect()
}

/// A campaign in `out` whose board `right` is taken away in its fourth session: the other
/// board, the exit code, and what was said.
fn taken_away(
    bench: &Bench,
    scenario: &str,
    out: &Path,
    more: &[&str],
) -> (RunningBoard, Option<i32>, String) {
    let (left, right) = (left(), right());
    let before = settings(&left);
    let serials = format!("{},{}", left.serial(), right.serial());
    let mut started = bench.start(&run(scenario, out, &serials, more));
    Bench::until_session(&mut started, &right, 4);
    let (mut child, log) = started;
    drop(right);
    let code = child.wait().unwrap().code();
    assert_eq!(settings(&left), before, "the other board is as it was");
    (left, code, fs::read_to_string(log).unwrap())
}

#[test]
#[ignore = "by day the runs move to the other board; scripts/nightly.sh runs it"]
fn a_board_taken_away_changes_nothing_in_the_data_set() {
    let Some(bench) = Bench::new() else { return };
    let scenario = brief(&bench, "brief.toml", "cases = 3\nrepeats = 1");
    let whole = bench.out("whole");
    {
        let (left, right) = (left(), right());
        let serials = format!("{},{}", left.serial(), right.serial());
        bench.good(&run(&scenario, &whole, &serials, &[]));
        bench.good(&["dataset", whole.to_str().unwrap()]);
    }
    let broken = bench.out("broken");
    copy_plan(&whole, &broken);
    let (left, code, said) = taken_away(&bench, &scenario, &broken, &[]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("runs are open") && said.contains("of right (lost)"), "{said}");
    let made = read_journal(&broken).unwrap();
    let of = |board: &str| made.iter().filter(|record| record.board.serial == board).count();
    assert!(of("right") >= 2 && of("right") < of("left"), "{} {}", of("left"), of("right"));

    let (again, sessions) = (right(), left.sessions().len());
    let serials = format!("{},{}", left.serial(), again.serial());
    bench.good(&run(&scenario, &broken, &serials, &["--resume"]));
    assert_eq!(left.sessions().len(), sessions, "nothing is measured twice");
    bench.good(&["dataset", "--force", broken.to_str().unwrap()]);
    assert_same_data_set(&whole, &broken, &said);
}

#[test]
fn the_runs_of_a_board_taken_away_move_to_the_other() {
    let Some(bench) = Bench::new() else { return };
    let scenario = brief(&bench, "brief.toml", "cases = 3\nrepeats = 1");
    let out = bench.out("moved");
    let (_left, code, said) = taken_away(&bench, &scenario, &out, &["--move"]);
    assert_eq!(code, Some(0), "{said}");
    let records = read_journal(&out).unwrap();
    assert!(records.iter().any(|record| record.board.serial == "right"), "{said}");
    let whole = |case: &str, board: &str| {
        let runs = |phase| {
            let of = |record: &&RunRecord| record.is_good() && record.board.serial == board;
            let runs = records.iter().filter(of).map(|record| &record.run);
            runs.filter(|run| run.case == case && run.phase == phase).count()
        };
        runs(RunPhase::Power) == 1 && runs(RunPhase::Idle) == 1
    };
    let plan = rows(&out.join("plan.csv"));
    for case in plan.iter().map(|row| row["case"].as_str()) {
        assert!(whole(case, "left") || whole(case, "right"), "{case} is not whole\n{said}");
    }
    bench.good(&["dataset", out.to_str().unwrap()]);
    let cases = rows(&out.join("dataset.csv"));
    for case in plan.iter().map(|row| row["case"].as_str()) {
        assert!(cases.iter().any(|row| row["case"].starts_with(case)), "{case}\n{said}");
    }
}
