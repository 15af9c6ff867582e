//! Meters other than the INA231, in whole campaigns: a phone's power rails (ODPM), a phone's
//! fuel gauge, RAPL of this machine. The virtual boards know what was spent.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use wattline::campaign::RunPhase;
use wattline::run::{RunRecord, read_journal, read_logs};
use wattline::virtual_board::{BoardFile, BoardOptions, Fault, RunningBoard, start};

use super::bench::{Bench, bad_runs, fault_in_session, measured_and_spent, rows};
use super::host::{answer, board_options};

fn facts(out: &Path) -> toml::Table {
    fs::read_to_string(out.join("dataset.toml")).unwrap().parse().unwrap()
}

#[test]
#[ignore = "by day the same rails are read by their service; scripts/nightly.sh runs it"]
fn a_campaign_on_power_rails_measures_what_was_spent() {
    let Some(bench) = Bench::new() else { return };
    let (truth, out) = (bench.out("truth"), bench.out("out"));
    let board = BoardFile::built_in("pixel").unwrap();
    let collection_j = board.collector.energy_j;
    let options = BoardOptions { board, truth: Some(truth.clone()), ..board_options() };
    let board = start(&options).unwrap();
    let changes = [("cases = 4", "cases = 2")];
    let scenario = bench.scenario("tests/scenarios/rails.toml", "rails.toml", &changes);
    let to = out.to_str().unwrap();
    let said = bench.good(&["run", &scenario, "--board", &board.serial(), "--out", to]);
    assert!(said.contains("power by odpm"), "{said}");
    bench.good(&["dataset", to]);
    assert_eq!(facts(&out)["meter"].as_str(), Some("odpm"));
    let compared = measured_and_spent(&out, &truth, collection_j);
    assert_eq!(compared.len(), 4, "two of each base case");
    let measured_j = compared.iter().map(|(_, measured_j, _)| measured_j).sum::<f64>();
    let spent_j = compared.iter().map(|(_, _, spent_j)| spent_j).sum::<f64>();
    let error = measured_j / spent_j - 1.0;
    println!("odpm: {measured_j:.6} J above idle, {spent_j:.6} J spent, {:+.2} %", 100.0 * error);
    // What is beyond: the chip leaks more when warm, and writes its log.
    assert!((-0.005..0.02).contains(&error), "{measured_j} {spent_j}");
    let (data, model) = (out.join("dataset.csv"), out.join("model.json"));
    let solver = ["--solver", "nnls", "--folds", "2"];
    bench.good(&[&["fit", data.to_str().unwrap(), "--out", to][..], &solver].concat());
    bench.good(&["account", model.to_str().unwrap(), to, "--out", to]);
    methods_are_sampled(&out, &truth);
}

/// Android 14 has a sampler: each base case has a sampled run, whose samples lie where the
/// energy was spent, and methods are made of them, too.
fn methods_are_sampled(out: &Path, truth: &Path) {
    let records = read_journal(out).unwrap();
    let sampled: Vec<&RunRecord> =
        records.iter().filter(|record| record.run.phase == RunPhase::Sampled).collect();
    assert_eq!(sampled.len(), 2, "one of each base case");
    assert!(sampled.iter().all(|record| record.board.sampler.as_deref() == Some("simpleperf")));
    let compiled = records.iter().filter_map(|record| record.conditions.compiled.as_deref());
    assert!(compiled.eq(records.iter().filter(|r| r.run.phase != RunPhase::Idle).map(|_| "speed")));
    for record in sampled.iter().filter(|record| record.is_good()) {
        let logs = read_logs(out, record).unwrap();
        let profile = logs.profile.unwrap();
        assert!(profile.stacks.starts_with("# simpleperf task-clock"), "{}", profile.stacks);
        assert!(profile.recording.starts_with(b"SIMPLEPERF"), "the report itself is kept");
    }
    let number = |row: &BTreeMap<String, String>, key: &str| row[key].parse::<f64>().unwrap();
    let areas = rows(&out.join("accounts/method-estimates.csv"));
    let samples: f64 = areas.iter().map(|row| number(row, "samples")).sum();
    assert!(samples > 100.0, "{samples} samples");
    let of_run = |record: &&RunRecord| rows(&truth.join(record.run.id()).join("methods.csv"));
    let methods: Vec<BTreeMap<String, String>> = sampled.iter().flat_map(of_run).collect();
    let all_j: f64 = methods.iter().map(|row| number(row, "energy_j")).sum();
    let spent = |method: &str| -> f64 {
        let own = methods.iter().filter(|row| row["method"].starts_with(&format!("{method}(")));
        own.map(|row| number(row, "energy_j")).sum()
    };
    let met = |method: &str| -> f64 {
        let name = format!("{method}(");
        let is_own = |row: &&BTreeMap<String, String>| {
            row["method"].split(" + ").any(|method| method.starts_with(&name))
        };
        let own = areas.iter().filter(is_own);
        own.map(|row| number(row, "samples")).sum()
    };
    for method in ["bounce", "collide", "move"] {
        let (share, found) = (spent(method) / all_j, met(method) / samples);
        let deviation = (share * (1.0 - share) / samples).sqrt();
        println!("odpm: {method} has {share:.3} of the energy, {found:.3} of the samples");
        assert!((found - share).abs() < 4.0 * deviation + 0.01, "{method}: {share} {found}");
    }
}

#[test]
#[ignore = "by day rails are read by their service; scripts/nightly.sh runs it"]
fn a_campaign_on_a_fuel_gauge_measures_what_was_spent_as_well_as_the_gauge_can() {
    let Some(bench) = Bench::new() else { return };
    let (truth, out) = (bench.out("truth"), bench.out("out"));
    let board = BoardFile::built_in("phone").unwrap();
    let (gauge, collection_j) = (board.gauge.clone().unwrap(), board.collector.energy_j);
    let options = BoardOptions { board, truth: Some(truth.clone()), ..board_options() };
    let board = start(&options).unwrap();
    let changes = [("cases = 4", "cases = 2")];
    let scenario = bench.scenario("tests/scenarios/gauge.toml", "gauge.toml", &changes);
    let to = out.to_str().unwrap();
    let said = bench.good(&["run", &scenario, "--board", &board.serial(), "--out", to]);
    assert!(said.contains("power by fuel-gauge (power of the whole device"), "{said}");
    bench.good(&["dataset", to]);
    let facts = facts(&out);
    assert_eq!(facts["meter"].as_str(), Some("fuel-gauge"));
    assert!(!facts.contains_key("frequency_khz"), "nobody fixed it: {facts}");
    // A session holds twenty values, each with its noise. There are two inputs with two
    // power runs each, and the mean of four idle runs is taken off twice.
    let noise_j = gauge.noise_a * gauge.voltage_v * 20f64.sqrt();
    let deviation_j = noise_j * (2.0 / 2.0 + 4.0 / 4.0_f64).sqrt();
    let compared = measured_and_spent(&out, &truth, collection_j);
    assert_eq!(compared.len(), 4, "two of each base case");
    let measured_j = compared.iter().map(|(_, measured_j, _)| measured_j / 2.0).sum::<f64>();
    let spent_j = compared.iter().map(|(_, _, spent_j)| spent_j / 2.0).sum::<f64>();
    println!(
        "gauge: {measured_j:.4} J above idle, {spent_j:.4} J spent, by noise {deviation_j:.4} J"
    );
    // A part of a value is lost or gained at each end.
    assert!(
        (measured_j - spent_j).abs() < 3.0 * deviation_j + 0.02 * spent_j,
        "{measured_j} {spent_j}"
    );
}

fn board(name: &str) -> RunningBoard {
    start(&BoardOptions { board: BoardFile::built_in(name).unwrap(), ..board_options() }).unwrap()
}

/// The scenario without microbenchmarks and with two cases, for a meter.
fn short(folder: &Path, scenario: &str, meter: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let text = fs::read_to_string(format!("tests/scenarios/{scenario}.toml")).unwrap();
    let text = text.replace("../../scenarios", &format!("{root}/scenarios"));
    let text = text.replace("cases = 4", "cases = 2").replace("repeats = 2", "repeats = 1");
    let text = text.replace("dry_runs = 8", "dry_runs = 2");
    let text = text.replace("[board]\n", &format!("[board]\nmeter = \"{meter}\"\n"));
    let path = folder.join("short.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

/// A campaign whose meter freezes in the second session and tells nonsense in the fifth: why
/// the two runs are bad, which are made again.
fn bad_by_faults(board_name: &str, scenario: &str, meter: &str) -> Option<[String; 2]> {
    let bench = Bench::new()?;
    let board = board(board_name);
    // The spoilt session is followed by its repetition.
    fault_in_session(&board, 2, Fault::FreezeSensors);
    fault_in_session(&board, 5, Fault::GarbageSensors);
    let out = bench.out("out");
    let scenario = short(bench.folder.path(), scenario, meter);
    bench.good(&["run", &scenario, "--board", &board.serial(), "--out", out.to_str().unwrap()]);
    let reasons = bad_runs(&out);
    println!("{meter}: {reasons:?}");
    Some(reasons)
}

#[test]
#[ignore = "by day the INA231 and a bench meter fail; scripts/nightly.sh runs it"]
fn rails_that_freeze_or_tell_nonsense_make_a_run_bad() {
    let Some(bad) = bad_by_faults("pixel", "rails", "odpm") else { return };
    let words = ["not covered", "never wraps", "unreadable", "without a sample"];
    for reasons in bad {
        assert!(words.iter().any(|word| reasons.contains(word)), "{reasons}");
    }
}

#[test]
#[ignore = "by day the INA231 and a bench meter fail; scripts/nightly.sh runs it"]
fn a_gauge_that_freezes_or_tells_nonsense_makes_a_run_bad() {
    let Some(bad) = bad_by_faults("phone", "gauge", "fuel-gauge") else { return };
    let words = ["not covered", "no sensor had a new reading", "unreadable"];
    for reasons in bad {
        assert!(words.iter().any(|word| reasons.contains(word)), "{reasons}");
    }
}

#[test]
fn the_power_statistics_service_measures_without_root() {
    let Some(bench) = Bench::new() else { return };
    let board = board("pixel");
    let out = bench.out("out");
    let scenario = short(bench.folder.path(), "rails", "power-stats");
    let text = fs::read_to_string(&scenario).unwrap();
    let text = text.replace("CPUCL2\"", "CPUCL2:CPU(BIG)\"").replace("MIF\"", "MIF:DDR\"");
    // A jar: what packages do is told elsewhere.
    let text = text.replace("[application]\n", "[application]\nstart = \"main\"\n");
    fs::write(&scenario, text).unwrap();
    bench.good(&["run", &scenario, "--board", &board.serial(), "--out", out.to_str().unwrap()]);
    let records = read_journal(&out).unwrap();
    let power = records.iter().find(|record| record.run.phase == RunPhase::Power).unwrap();
    assert_eq!(power.board.meter, "power-stats");
    assert!(power.measured.as_ref().unwrap().energy_j > 0.0);
}

#[test]
fn a_board_without_a_sampler_refuses_sampled_runs() {
    let Some(bench) = Bench::new() else { return };
    let changes = [("repeats = 2\ndry_runs", "repeats = 2\nsampled_repeats = 1\ndry_runs")];
    let scenario = bench.scenario("tests/scenarios/tiny.toml", "sampled.toml", &changes);
    let (code, said) =
        bench.wattline(&["pipeline", &scenario, "--out", bench.out("o").to_str().unwrap()]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("has no sampler that is known (Android has one from release 4.4 on"));
    assert!(said.contains("set `sampled_repeats = 0`"), "{said}");
}

#[test]
fn a_meter_that_the_board_lacks_is_refused_and_never_0_joules() {
    let Some(bench) = Bench::new() else { return };
    let board = board("phone");
    let out = bench.out("out");
    for meter in ["odpm", "rapl", "software"] {
        let scenario = short(bench.folder.path(), "gauge", meter);
        let arguments =
            ["run", &scenario, "--board", &board.serial(), "--out", out.to_str().unwrap()];
        let (code, said) = bench.wattline(&arguments);
        assert!(code == Some(4) && said.contains("not 0 J"), "{meter}: {said}");
    }
    let (code, said) = bench.wattline(&["board", "check", &board.serial()]);
    assert_eq!(code, Some(0), "{said}");
    for line in ["meter        fuel-gauge: ", "sessions   use this one", "missing      odpm: "] {
        assert!(said.contains(line), "{line:?} is not in:\n{said}");
    }
}

/// A package that draws 20 W, as RAPL counts it: from the test's start until its end, with a
/// range that is passed every 1.5 s.
fn draw_20_w(folder: &Path, over: &AtomicBool) {
    const RANGE_UJ: u64 = 29_999_999;
    let zone = folder.join("sys/class/powercap/intel-rapl:0");
    fs::create_dir_all(&zone).unwrap();
    fs::write(zone.join("name"), "package-0\n").unwrap();
    fs::write(zone.join("max_energy_range_uj"), format!("{RANGE_UJ}\n")).unwrap();
    let began = Instant::now();
    while !over.load(Ordering::SeqCst) {
        let microjoules = (began.elapsed().as_secs_f64() * 20e6) as u64 % (RANGE_UJ + 1);
        fs::write(folder.join("next"), format!("{microjoules}\n")).unwrap();
        fs::rename(folder.join("next"), zone.join("energy_uj")).unwrap();
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_campaign_on_this_machine_counts_by_rapl_over_its_wraps() {
    let Some(bench) = Bench::with(&["javac"]) else { return };
    let root = bench.out("root");
    let changes = [
        ("cases = 2", "cases = 1"),
        ("frames = 200", "frames = 40"),
        ("duration_s = 10", "duration_s = 2"),
        ("_hz = 2", "_hz = 20"),
        ("at_s = 2,", "at_s = 0.2,"),
        ("at_s = 6,", "at_s = 0.6,"),
    ];
    let scenario = bench.scenario("tests/scenarios/faults.toml", "s.toml", &changes);
    let (out, over) = (bench.out("out"), AtomicBool::new(false));
    let arguments = ["run", &scenario, "--board", "jvm", "--out", out.to_str().unwrap()];
    let (code, said) = thread::scope(|scope| {
        scope.spawn(|| draw_20_w(&root, &over));
        thread::sleep(Duration::from_millis(50));
        let ended = answer(bench.command(&arguments).env("WATTLINE_ROOT", &root).output().unwrap());
        over.store(true, Ordering::SeqCst);
        ended
    });
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("power by rapl") && said.contains("package-0"), "{said}");
    let records = read_journal(&out).unwrap();
    let good: Vec<&RunRecord> = records.iter().filter(|record| record.is_good()).collect();
    // Traced, power and idle; as this board has a sampler, there are two sampled runs, too.
    assert_eq!(good.len(), 5, "{said}");
    for record in good {
        let measured = record.measured.as_ref().unwrap();
        assert_eq!(record.board.meter, "rapl");
        // Readings may be late by a turn of a busy machine, at each end.
        let error = measured.mean_power_w() / 20.0 - 1.0;
        println!("rapl: {:.3} J in {:.3} s", measured.energy_j, measured.duration_s);
        assert!(error.abs() < 0.05, "{measured:?}");
    }
}
