//! The whole pipeline on the virtual board, as a user runs it: real adb server, real
//! shell, real JVM. And what a user sees when something is missing or wrong.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use wattline::run::read_journal;
use wattline::virtual_board::{Fault, FaultAction, FaultTime, start};

use super::bench::{TinyPipeline, copy_plan, rows};
use super::host::{AdbServer, CAMPAIGN_TOOLS, OrdinaryUser, board_options, copy_folder, has};

const WATTLINE: &str = env!("CARGO_BIN_EXE_wattline");

/// What every pipeline leaves.
const RESULTS: [&str; 23] = [
    "blocks.csv",
    "operations.csv",
    "findings.csv",
    "plan.csv",
    "runs",
    "journal.jsonl",
    "dataset.csv",
    "dataset.toml",
    "microbenchmarks.csv",
    "model.json",
    "cv.csv",
    "evaluation.csv",
    "unseen.csv",
    "estimability.csv",
    "accounts/operations.csv",
    "accounts/blocks.csv",
    "accounts/lines.csv",
    "accounts/methods.csv",
    "accounts/classes.csv",
    "accounts/packages.csv",
    "ledger.csv",
    "hints.sarif",
    "report.html",
];

fn can_run_boards() -> bool {
    has(&CAMPAIGN_TOOLS)
}

fn text(output: &Output) -> String {
    format!(
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn the_pipeline_goes_from_sources_to_a_report() {
    if !can_run_boards() {
        return;
    }
    let (adb, folder) = (AdbServer::new(), tempfile::tempdir().unwrap());
    let out = |name: &str| folder.path().join(name);
    let shared = TinyPipeline::shared();
    ["first", "second"].iter().for_each(|name| shared.copy_to(&out(name)));
    let summary = &shared.summary;
    assert!(summary.contains("VIRTUAL BOARD"), "it must say that the board is virtual: {summary}");
    for name in RESULTS {
        assert!(out("first").join(name).exists(), "{name} is missing");
    }
    the_overhead_of_the_probes_is_told(summary, &out("first"));
    ledger_adds_up(&out("first").join("ledger.csv"));
    promises_are_kept(&shared.said, &out("first").join("evaluation.csv"));
    every_case_has_its_counts_and_energy(&out("first").join("dataset.csv"));
    every_format_is_exported(&out("first"), &out("exports"));
    hints_are_told_again(&out("first"), folder.path());
    a_patch_is_predicted(&out("first"), folder.path());
    an_unseen_input_is_predicted(&out("first"), folder.path());
    a_damaged_file_of_inputs_is_told(&out("first"), folder.path());
    a_call_that_is_gone_takes_what_it_ran(&out("first"), folder.path());
    the_same_is_no_increase(&out("first"), &out("second"), &out("compare"));
    the_verdict_is_told_once(&out("first"), &out("second"), folder.path());
    other_scenarios_are_refused(&out("first"), &out("other"));
    other_work_is_no_data(&out("first"), &out("other-work"));
    microbenchmarks_without_samples_are_measured_again(&adb, &out("first"), &out("again"));
    a_changed_scenario_keeps_what_holds(&adb, folder.path(), &out("second"));
}

#[test]
#[ignore = "by day an ordinary user gets good runs; scripts/nightly.sh runs it"]
fn an_ordinary_user_gets_the_same_bytes() {
    if !can_run_boards() {
        return;
    }
    let (shared, user) = (TinyPipeline::shared(), OrdinaryUser::new());
    let theirs = user.path("theirs");
    let words = ["pipeline", "tests/scenarios/tiny.toml", "--out", theirs.to_str().unwrap()];
    let output = user.command(&AdbServer::new(), &words).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    // On a busy machine a sampler can miss its turn; then the run is bad, told and repeated.
    let repeated = [&shared.said, &text(&output)].iter().any(|said| said.contains(" is bad: "));
    let tells = |name: &str| ["journal.jsonl", "dataset.toml", "report.html"].contains(&name);
    let runs = [&shared.out, &theirs].map(|out| good_runs(&out.join("journal.jsonl")));
    assert_eq!(runs[0].len(), runs[1].len(), "{}", text(&output));
    let compared = |name: &&str| *name != "runs" && !(repeated && tells(name));
    for name in RESULTS.into_iter().filter(compared) {
        let [a, b] = [&shared.out, &theirs].map(|out| fs::read(out.join(name)).unwrap());
        assert!(a == b, "{name} differs between two runs with one seed");
    }
}

/// More runs of microbenchmarks: the campaign's runs hold, and the sessions of microbenchmarks that
/// are there.
fn a_changed_scenario_keeps_what_holds(adb: &AdbServer, folder: &Path, out: &Path) {
    let scenario = with_campaign(folder, "more.toml", "cases = 4\nrepeats = 2");
    let text_of = |from: &str, to: &str| {
        let text = fs::read_to_string(&scenario).unwrap();
        assert!(text.contains(from));
        fs::write(&scenario, text.replace(from, to)).unwrap();
    };
    let journal = || good_runs(&out.join("journal.jsonl"));
    let windows = || rows(&out.join("microbenchmark-windows.csv"));
    let (before, windows_before) = (journal(), windows());
    let resume = || {
        let [scenario, out] = [&scenario, out].map(|path| path.to_str().unwrap());
        adb.wattline(&["pipeline", scenario, "--out", out, "--resume"])
    };
    text_of("[microbenchmarks]\nrepeats = 1", "[microbenchmarks]\nrepeats = 2");
    let output = resume();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    for words in [
        "[microbenchmarks] repeats was 1 and is 2: it concerns the microbenchmarks alone"
            .to_string(),
        format!("{} runs of the campaign are kept\n", before.len()),
        "1 of 2 sessions of microbenchmarks are there already".to_string(),
    ] {
        assert!(said.contains(&words), "{words:?} is not in: {said}");
    }
    assert_eq!(journal(), before, "nothing was measured again");
    let of_the_first = windows().into_iter().filter(|row| row["repeat"] == "1");
    assert!(of_the_first.eq(windows_before), "the first session is what it was");
    let of_the_second = windows().into_iter().filter(|row| row["repeat"] == "2").count();
    assert!(of_the_second > 20, "{of_the_second} microbenchmarks of the second session");
    microbenchmarks_go_on_after_an_interruption(adb, &scenario, out);
    // Of other sessions nothing would be left.
    text_of("frames = 240", "frames = 241");
    let output = resume();
    let said = text(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("[session] frames was 240 and is 241"), "{said}");
    assert_eq!(journal(), before);
}

/// The second of two sessions had not ended.
fn microbenchmarks_go_on_after_an_interruption(adb: &AdbServer, scenario: &Path, out: &Path) {
    let tables = ["microbenchmarks.csv", "microbenchmark-windows.csv"];
    let whole = tables.map(|name| fs::read(out.join(name)).unwrap());
    let others = [
        "microbenchmark-cases.csv",
        "microbenchmarks-covariance.csv",
        "microbenchmark-runs/2/session.txt",
    ];
    for name in tables.into_iter().chain(others) {
        fs::remove_file(out.join(name)).unwrap();
    }
    let [scenario, folder] = [scenario, out].map(|path| path.to_str().unwrap());
    let output = adb.wattline(&["microbenchmarks", scenario, "--for", folder, "--out", folder]);
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("1 of 2 sessions of microbenchmarks"), "{}", text(&output));
    for (name, whole) in tables.into_iter().zip(whole) {
        assert!(fs::read(out.join(name)).unwrap() == whole, "{name} differs after an interruption");
    }
}

/// The sampler is killed in the first session: its logs are kept, and it does not count.
fn microbenchmarks_without_samples_are_measured_again(
    adb: &AdbServer,
    campaign: &Path,
    out: &Path,
) {
    let board = start(&board_options()).unwrap();
    let moment = FaultTime::Session { number: 1, after_s: 8.0 };
    board.schedule(moment, FaultAction::Cause(Fault::KillSampler));
    let serial = board.serial();
    let [campaign, to] = [campaign, out].map(|folder| folder.to_str().unwrap());
    let of =
        ["microbenchmarks", "tests/scenarios/tiny.toml", "--for", campaign, "--board", &serial];
    let measured = || adb.wattline(&[&of[..], &["--out", to]].concat());
    let spoilt = measured();
    assert_eq!(spoilt.status.code(), Some(4), "{}", text(&spoilt));
    assert!(text(&spoilt).contains("is not covered by "), "{}", text(&spoilt));
    let session = out.join("microbenchmark-runs/1");
    assert!(session.join("samples.txt.zst").exists() && !session.join("session.txt").exists());
    let again = measured();
    assert!(again.status.success(), "{}", text(&again));
    assert!(!text(&again).contains("are there already"), "{}", text(&again));
}

fn run_wattline(arguments: &[&str]) -> Output {
    Command::new(WATTLINE).args(arguments).output().unwrap()
}

/// The command finds those that the pipeline found; other hints are not written over these.
fn hints_are_told_again(campaign: &Path, outside: &Path) {
    let sarif = campaign.join("hints.sarif");
    let (arguments, before) = (["hints", campaign.to_str().unwrap()], fs::read(&sarif).unwrap());
    let tell = || Command::new(WATTLINE).args(arguments).current_dir(outside).output().unwrap();
    let same = tell();
    assert!(same.status.success(), "{}", text(&same));
    assert_eq!(fs::read(&sarif).unwrap(), before);
    fs::write(&sarif, "{}").unwrap();
    let other = tell();
    assert_eq!(other.status.code(), Some(2), "{}", text(&other));
    assert_eq!(fs::read(&sarif).unwrap(), b"{}");
    fs::write(&sarif, before).unwrap();
    // No text is built there.
    let copy = outside.join("rewritten");
    let [campaign, copy] = [campaign, &copy].map(|path| path.to_str().unwrap());
    let only = ["hints", campaign, "--only", "string-buffer", "--apply", "1", "--out", copy];
    let output = run_wattline(&only);
    assert!(output.status.success() && text(&output).contains("nothing is written"), "{only:?}");
    assert!(!Path::new(copy).exists());
}

fn every_format_is_exported(campaign: &Path, out: &Path) {
    let formats = wattline::export::FORMATS;
    let mut arguments = vec!["export", campaign.to_str().unwrap(), "--out", out.to_str().unwrap()];
    arguments.extend(formats.iter().flat_map(|format| ["--format", format.name]));
    let output = run_wattline(&arguments);
    assert!(output.status.success(), "{}", text(&output));
    for format in formats {
        assert!(fs::metadata(out.join(format.file)).unwrap().len() > 100, "{}", format.file);
    }
}

fn the_same_is_no_increase(base: &Path, new: &Path, out: &Path) {
    let [base, new] = [base, new].map(|path| path.to_str().unwrap());
    let output = run_wattline(&["compare", base, new, "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let read = fs::read_to_string(out.join("compare.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&read).unwrap();
    assert_eq!(value["verdict"], "pass");
    assert!(value["unchanged_methods"].as_u64().unwrap() > 3, "{read}");
    assert_eq!(value["inputs"].as_array().unwrap().len(), 2);
    assert!(fs::read_to_string(out.join("compare.xml")).unwrap().contains("failures=\"0\""));
}

/// Nothing got worse, but the scenario is over its budget.
fn the_verdict_is_told_once(base: &Path, new: &Path, folder: &Path) {
    let budgets = folder.join("budgets.toml");
    fs::write(&budgets, "[scenarios]\ntiny = 0.001\n").unwrap();
    let [base, new, budgets] = [base, new, &budgets].map(|path| path.to_str().unwrap());
    let output = run_wattline(&["compare", base, new, "--budgets", budgets]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let said = text(&output);
    assert_eq!(said.matches("over budget: scenario tiny").count(), 1, "{said}");
    assert!(!said.contains("error:") && !said.contains("increase"), "{said}");
}

fn other_scenarios_are_refused(base: &Path, other: &Path) {
    fs::create_dir(other).unwrap();
    for name in ["plan.csv", "journal.jsonl", "scenario.toml"] {
        fs::copy(base.join(name), other.join(name)).unwrap();
    }
    let about = fs::read_to_string(base.join("dataset.toml")).unwrap();
    let about_other = about.replace("\"tiny\"", "\"other\"");
    assert_ne!(about, about_other);
    fs::write(other.join("dataset.toml"), about_other).unwrap();
    let output = run_wattline(&["compare", base.to_str().unwrap(), other.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("different scenarios") && output.stdout.is_empty());
}

/// Sessions of more frames spend more, and that is no increase.
fn other_work_is_no_data(base: &Path, other: &Path) {
    fs::create_dir(other).unwrap();
    for name in ["plan.csv", "journal.jsonl", "dataset.toml"] {
        fs::copy(base.join(name), other.join(name)).unwrap();
    }
    let scenario = fs::read_to_string(base.join("scenario.toml")).unwrap();
    assert_eq!(scenario.matches("frames = 240").count(), 1, "{scenario}");
    let longer = scenario.replace("frames = 240", "frames = 300");
    fs::write(other.join("scenario.toml"), longer).unwrap();
    let [base, other] = [base, other].map(|path| path.to_str().unwrap());
    let output = run_wattline(&["compare", base, other, "--across-boards"]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output));
    assert!(text(&output).contains("frames 240 against 300; measure both"), "{}", text(&output));
}

/// Nobody calls `collide` any more: all that it spent is gone, and nothing of `move`.
fn a_call_that_is_gone_takes_what_it_ran(base: &Path, folder: &Path) {
    let patch = folder.join("gone");
    let file = "wattline/demo/Pinball.java";
    let source = fs::read_to_string(base.join("sources").join(file)).unwrap();
    assert_eq!(source.matches("collide();").count(), 1, "the call alone");
    fs::create_dir_all(patch.join("wattline/demo")).unwrap();
    fs::write(patch.join(file), source.replace("            collide();\n", "\n")).unwrap();
    let [base, patch] = [base, &patch].map(|path| path.to_str().unwrap());
    let output = run_wattline(&["compare", base, "--format", "json", "--source", patch]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let methods = value["methods"].as_array().unwrap();
    let of = |name: &str| methods.iter().find(|row| row["name"].as_str().unwrap().contains(name));
    let collide = of(".collide()").unwrap();
    let [before, after] = ["base_j", "new_j"].map(|key| collide[key].as_f64().unwrap());
    assert!(before > 0.0 && after == 0.0, "{collide}");
    assert!(collide["remark"].as_str().unwrap().contains("called 0 times"), "{collide}");
    assert!(of(".step()").is_some() && of(".move(float)").is_none(), "{methods:?}");
}

/// The bumpers' loop computes everything twice: more energy in `bounce`, and only there.
fn a_patch_is_predicted(base: &Path, folder: &Path) {
    let patch = folder.join("patch");
    let file = "wattline/demo/Pinball.java";
    let source = fs::read_to_string(base.join("sources").join(file)).unwrap();
    let line = "float squared = dx * dx + dy * dy;";
    let twice = "float squared = dx * dx + dy * dy + dx * dx + dy * dy;";
    assert!(source.contains(line));
    fs::create_dir_all(patch.join("wattline/demo")).unwrap();
    fs::write(patch.join(file), source.replace(line, twice)).unwrap();
    let [base, patch] = [base, &patch].map(|path| path.to_str().unwrap());
    let output = run_wattline(&["compare", base, "--format", "json", "--source", patch]);
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "a small model may be too unsure: {}", text(&output));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let methods = value["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 1, "{methods:?}");
    assert_eq!(methods[0]["name"], "wattline.demo.Pinball.bounce(Ball)");
    let joules = |key: &str| methods[0][key].as_f64().unwrap();
    assert!(joules("change_j") > 0.0 && joules("change_hi_j") > joules("change_j"), "{methods:?}");
    assert!(joules("change_lo_j") < joules("change_j"), "{methods:?}");
}

/// Traced runs spend more than the power runs of their cases, by so much; the rest is not measured.
fn the_overhead_of_the_probes_is_told(summary: &str, folder: &Path) {
    let line = summary.lines().find(|line| line.starts_with("Overheads: probes +"));
    assert!(line.is_some_and(|line| line.contains("% (+") && line.contains(" to +")), "{summary}");
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    for name in ["the probes", "the sampling profiler", "the power reader"] {
        assert!(page.contains(&format!("Overhead of {name}")), "{name}");
    }
}

/// An input's counts, made without the board: it spends what it was measured to, give or take
/// what an input is off that accounts have not seen.
fn an_unseen_input_is_predicted(base: &Path, folder: &Path) {
    let unseen = rows(&base.join("unseen.csv"));
    assert!(unseen.len() >= 2, "{unseen:?}");
    let number = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<f64>().unwrap();
    for row in &unseen {
        let off = number(row, "predicted_j") / number(row, "measured_j") - 1.0;
        assert!(off.abs() < 0.2, "{row:?}");
        assert!(number(row, "predicted_lo_j") < number(row, "predicted_hi_j"), "{row:?}");
    }
    let out = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let (traced, predicted) = (out("traced"), out("predicted"));
    let sources = ["scenarios/pinball", "scenarios/session"];
    let program = ["--", "frames=240", "pace=none"];
    let main = ["--main", "wattline.demo.Main", "--granularity", "expression", "--out", &traced];
    let counted = run_wattline(&[&["trace"][..], &sources, &main, &program].concat());
    assert!(counted.status.success(), "{}", text(&counted));
    let base = base.to_str().unwrap();
    let output = run_wattline(&["predict", base, &traced, "--out", &predicted]);
    assert!(output.status.success(), "{}", text(&output));
    let found = rows(&folder.join("predicted/predictions.csv"));
    let energy = number(&found[0], "predicted_j");
    let measured: Vec<f64> = unseen.iter().map(|row| number(row, "measured_j")).collect();
    let least = measured.iter().copied().fold(f64::INFINITY, f64::min);
    let most = measured.iter().copied().fold(0.0, f64::max);
    assert!((0.5 * least..1.5 * most).contains(&energy), "{energy} {measured:?}");
    assert!(number(&found[0], "predicted_lo_j") < energy, "{found:?}");
    let nothing = run_wattline(&["predict", base, base, "--out", &out("none")]);
    assert_eq!(nothing.status.code(), Some(3), "{}", text(&nothing));
    assert!(text(&nothing).contains("wattline trace"), "{}", text(&nothing));
}

/// A file of inputs that something else wrote to: the error names it and what makes it anew.
fn a_damaged_file_of_inputs_is_told(base: &Path, folder: &Path) {
    let out = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let file = base.join("unseen.csv");
    let whole = fs::read_to_string(&file).unwrap();
    let base = base.to_str().unwrap();
    let predict = || run_wattline(&["predict", base, &out("traced"), "--out", &out("again")]);
    fs::write(&file, "input,measured_j\na,much\n").unwrap();
    let damaged = predict();
    assert_eq!(damaged.status.code(), Some(3), "{}", text(&damaged));
    let anew = format!("wattline evaluate {base} --unseen --out {base} --force");
    assert!(text(&damaged).contains(&anew), "{}", text(&damaged));
    fs::remove_file(&file).unwrap();
    let without = predict();
    assert!(without.status.success() && text(&without).contains(&anew), "{}", text(&without));
    fs::write(&file, whole).unwrap();
}

/// A scenario like the tiny one, with its places, and other keys in [campaign].
fn with_campaign(folder: &Path, name: &str, keys: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tiny = fs::read_to_string(root.join("tests/scenarios/tiny.toml")).unwrap();
    let scenarios = root.join("scenarios");
    let text = tiny
        .replace("../../scenarios", scenarios.to_str().unwrap())
        .replace("[campaign]\ncases = 4\nrepeats = 2", &format!("[campaign]\n{keys}"));
    assert!(text.contains(keys));
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    file
}

/// Runs a campaign to its end, and goes on with a copy of what its first runs left.
fn undisturbed_and_resumed(adb: &AdbServer, folder: &Path, scenario: &Path) -> [String; 2] {
    let out = |name: &str| folder.join(name);
    let run = |name: &str, more: &[&str]| {
        let out = out(name);
        let base = ["run", scenario.to_str().unwrap(), "--out", out.to_str().unwrap()];
        adb.wattline(&[&base[..], more].concat())
    };
    let whole = run("whole", &[]);
    assert!(whole.status.success(), "{}", text(&whole));
    begun(&out("whole"), &out("torn"));
    let resumed = run("torn", &["--resume"]);
    assert!(resumed.status.success(), "{}", text(&resumed));
    for name in ["whole", "torn"] {
        let made = adb.wattline(&["dataset", out(name).to_str().unwrap()]);
        assert!(made.status.success(), "{}", text(&made));
    }
    for file in ["dataset.csv", "dataset.toml", "contexts.csv", "energies.csv"] {
        let [a, b] = ["whole", "torn"].map(|name| fs::read(out(name).join(file)).unwrap());
        assert!(a == b, "{file} of a resumed campaign differs");
    }
    [text(&whole), text(&resumed)]
}

/// A campaign as it stood before its last three runs, in the middle of a line of its journal.
/// (`faults` kills campaigns where they are.)
fn begun(whole: &Path, to: &Path) {
    copy_plan(whole, to);
    let journal = fs::read_to_string(whole.join("journal.jsonl")).unwrap();
    let lines: Vec<&str> = journal.split_inclusive('\n').collect();
    let (there, cut) = lines.split_at(lines.len() - 3);
    assert!(there.len() > 8, "{there:?}");
    fs::write(to.join("journal.jsonl"), there.concat() + &cut[0][..40]).unwrap();
    for record in read_journal(to).unwrap() {
        let name = format!("runs/{}", record.folder);
        copy_folder(&whole.join(&name), &to.join(&name));
    }
}

#[test]
fn windows_of_a_resumed_campaign_are_those_of_an_undisturbed_one() {
    if !can_run_boards() {
        return;
    }
    let adb = AdbServer::new();
    let folder = tempfile::tempdir().unwrap();
    let keys = "cases = 4\nrepeats = 2\nprotocol = \"windows\"\nwindow_s = 2.0";
    let scenario = with_campaign(folder.path(), "windows.toml", keys);
    undisturbed_and_resumed(&adb, folder.path(), &scenario);
    let rows = rows(&folder.path().join("whole/dataset.csv"));
    let cases: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row["group"].as_str()).collect();
    assert!(cases.len() >= 4 && cases.contains("base-few"), "{cases:?}");
    assert!(rows.len() > 10 * cases.len(), "{} windows", rows.len());
    for row in &rows {
        assert!(row["case"].starts_with(&format!("{}@", row["group"])), "{row:?}");
        assert!((row["duration_s"].parse::<f64>().unwrap() - 2.0).abs() < 0.3, "{row:?}");
    }
    let about: toml::Table =
        fs::read_to_string(folder.path().join("whole/dataset.toml")).unwrap().parse().unwrap();
    let share = about["windows"][0]["probe_share"].as_float().unwrap();
    assert!(share > 0.05, "probes cost something: {share}");
    // What is left when probes are subtracted is what the base cases take without.
    let energies = folder.path().join("whole/energies.csv");
    for case in self::rows(&energies) {
        let windows = rows.iter().filter(|row| row["group"] == case["case"]);
        let sum = |key: &str| -> f64 {
            windows.clone().map(|row| row[key].parse::<f64>().unwrap()).sum()
        };
        let found = sum("energy_j") / sum("duration_s");
        let [energy, duration]: [f64; 2] =
            ["energy_j", "duration_s"].map(|key| case[key].parse().unwrap());
        let off = found * duration / energy - 1.0;
        assert!(off.abs() < 0.15, "{}: {off}", case["case"]);
    }
}

/// A scenario that stops when its lines are known well enough.
fn stopping(folder: &Path) -> PathBuf {
    let scenario =
        with_campaign(folder, "stop.toml", "cases = 2\nrepeats = 5\nstop = { lines = 0.5 }");
    let text = fs::read_to_string(&scenario).unwrap();
    fs::write(&scenario, text.replace("dry_runs = 8", "dry_runs = 2")).unwrap();
    scenario
}

/// Asserts that a campaign stopped after its second round, and says so.
fn stopped_after_two_rounds(campaign: &Path, said: &str) {
    let cases = rows(&campaign.join("plan.csv")).len();
    // Two rounds of five: a traced run, and a power and an idle run in each.
    let saved = format!("ended after round 2, {} runs saved: ", 3 * 2 * cases);
    assert!(said.contains(&saved), "{said}");
    let journal = campaign.join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    assert_eq!(text.matches("\"event\":{\"stopped\":").count(), 1);
    assert_eq!(good_runs(&journal).len(), cases * 5);
}

#[test]
fn a_campaign_stops_when_repeats_are_enough_and_is_over_then() {
    if !can_run_boards() {
        return;
    }
    let adb = AdbServer::new();
    let folder = tempfile::tempdir().unwrap();
    let (scenario, out) = (stopping(folder.path()), folder.path().join("out"));
    for _ in 0..2 {
        let words = ["run", scenario.to_str().unwrap(), "--out", out.to_str().unwrap(), "--resume"];
        let output = adb.wattline(&words);
        assert!(output.status.success(), "{}", text(&output));
        stopped_after_two_rounds(&out, &text(&output));
    }
}

#[test]
#[ignore = "by day a campaign that has stopped is resumed; scripts/nightly.sh runs it"]
fn a_campaign_that_is_resumed_stops_where_an_undisturbed_one_does() {
    if !can_run_boards() {
        return;
    }
    let adb = AdbServer::new();
    let folder = tempfile::tempdir().unwrap();
    let scenario = stopping(folder.path());
    let said = undisturbed_and_resumed(&adb, folder.path(), &scenario);
    for (name, said) in ["whole", "torn"].iter().zip(said) {
        stopped_after_two_rounds(&folder.path().join(name), &said);
    }
}

/// What the good runs of a journal measured, by case, phase and repeat.
fn good_runs(journal: &Path) -> BTreeMap<String, serde_json::Value> {
    let text = fs::read_to_string(journal).unwrap();
    let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let runs = events.filter_map(|event| event["event"].get("run").cloned());
    let good = runs.filter(|run| run["verdict"]["is"] == "good");
    good.map(|run| {
        let key = format!("{} {} {}", run["case"], run["phase"], run["repeat"]);
        (key, run["measured"].clone())
    })
    .collect()
}

/// What the plan expects of lines before a single run, and the accounts after the last, holds
/// against the ground truth: the middle line is no farther off than twice what either says, and not
/// all is promised away.
fn promises_are_kept(said: &str, evaluation: &Path) {
    let promised = |words: &str| -> f64 {
        let (_, after) = said.split_once(words).unwrap_or_else(|| panic!("no {words:?}: {said}"));
        after.split_once(" % (median)").unwrap().0.trim().parse().unwrap()
    };
    let before = promised("expected error of lines:");
    let after = promised("expected error of lines by their intervals:");
    let rows = rows(evaluation);
    let lines = rows.iter().find(|row| row["level"] == "line").unwrap();
    let found = 100.0 * lines["median_error"].parse::<f64>().unwrap();
    for promised in [before, after] {
        assert!(
            found < 2.0 * promised && promised < 40.0,
            "{promised} % promised, {found} % found"
        );
    }
}

fn ledger_adds_up(path: &Path) {
    let femtojoules = |text: &str| -> i128 {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        format!("{whole}{part:0<15}").parse().unwrap()
    };
    let rows = rows(path);
    let of = |entry: &str| {
        femtojoules(&rows.iter().find(|row| row["entry"] == entry).unwrap()["energy_j"])
    };
    let parts: i128 =
        rows.iter().filter(|row| row["entry"] != "measured").map(|row| of(&row["entry"])).sum();
    assert_eq!(of("measured"), parts);
}

fn every_case_has_its_counts_and_energy(path: &Path) {
    let rows = rows(path);
    assert!(rows.len() >= 4, "{} cases", rows.len());
    for row in rows {
        assert!(row["energy_j"].parse::<f64>().unwrap() > 0.0, "{row:?}");
        assert!(row["Assign_float_float"].parse::<u64>().unwrap() > 0, "{row:?}");
    }
}

fn fails(arguments: &[&str], code: i32, words: &[&str]) {
    let output = AdbServer::new().wattline(arguments);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(code), "{said}");
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}

#[test]
fn an_unknown_key_names_its_line_and_the_nearest_key() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("s.toml");
    let text = fs::read_to_string("tests/scenarios/tiny.toml").unwrap();
    fs::write(&scenario, text.replace("duration_s", "duraton_s")).unwrap();
    let out = folder.path().join("out");
    let arguments = ["pipeline", scenario.to_str().unwrap(), "--out", out.to_str().unwrap()];
    fails(&arguments, 3, &["s.toml", "duraton_s", "duration_s"]);
    assert!(!out.join("plan.csv").exists());
}

#[test]
fn a_board_that_is_not_there_is_named() {
    if !can_run_boards() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let arguments =
        ["pipeline", "tests/scenarios/tiny.toml", "--board", "no-such-board", "--out", out];
    fails(&arguments, 4, &["no-such-board", "wattline board list", "adb connect"]);
}

#[test]
fn an_application_that_crashes_at_start_says_why() {
    if !has(&["javac"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("src/a")).unwrap();
    let main = "package a; public class Main { public static void main(String[] args) {\n\
                throw new IllegalStateException(\"no luck\"); } }";
    fs::write(folder.path().join("src/a/Main.java"), main).unwrap();
    let scenario = folder.path().join("s.toml");
    let text = "name = 's'\n[application]\npackage = 'org.s'\nmain = 'a.Main'\njava_release = 11\n\
                [[source]]\npath = 'src'\n[[input]]\nname = 'none'\n";
    fs::write(&scenario, text).unwrap();
    let out = folder.path().join("out");
    let arguments = ["pipeline", scenario.to_str().unwrap(), "--out", out.to_str().unwrap()];
    fails(&arguments, 3, &["none", "no luck"]);
}

#[test]
fn results_that_are_there_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let scan = ["scan", "scenarios/pinball", "--out", out];
    assert!(AdbServer::new().wattline(&scan).status.success());
    fails(&scan, 2, &["blocks.csv", "--force"]);
}

#[test]
fn a_missing_jdk_says_how_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(WATTLINE)
        .args(["plan", "tests/scenarios/tiny.toml", "--out", folder.path().to_str().unwrap()])
        .env("PATH", "/nonexistent")
        .env_remove("JAVA_HOME")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("default-jdk-headless"), "{}", text(&output));
}
