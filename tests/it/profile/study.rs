//! Method estimates of programs that nobody tuned on, held against an independent profiler: what
//! samples and counts say together is to be no further from it than either says alone.

#![allow(clippy::unwrap_used)] // helpers of tests, too, may panic

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use wattline::account::matching::{MethodSignature, signature};
use wattline::toolchain::artifact;

use super::super::bench::{Bench, rows};
use super::super::host::javac;
use super::super::projects::unpack;
use super::async_profiler;

/// So many runs of the plain program are profiled with each input.
const PROFILED_RUNS: usize = 3;

/// How many standard deviations two distances may differ by where neither is further: of programs
/// whose samples and estimates are equally far, one in seven hundred differs by more.
const STANDARD_DEVIATIONS: f64 = 3.0;

/// The parts of a scenario that the plain program is run by.
#[derive(Deserialize)]
struct Program {
    application: Application,
    source: Vec<Source>,
    input: Vec<Input>,
}

#[derive(Deserialize)]
struct Application {
    main: String,
    java_release: u32,
}

#[derive(Deserialize)]
struct Source {
    maven: Option<String>,
    sha256: Option<String>,
    #[serde(default)]
    include: Vec<String>,
}

#[derive(Deserialize)]
struct Input {
    frames: u32,
    extras: BTreeMap<String, String>,
}

/// A method on all sides, in parts of the whole.
#[derive(Default)]
struct Method {
    profile: f64,
    /// By counting.
    profile_variance: f64,
    sampled: f64,
    /// By counting, of the campaign's samples.
    sampled_variance: f64,
    counted: f64,
    both: f64,
    /// By how much the estimate moves with its samples.
    weight: f64,
}

/// Distances of a program's estimates from the profile.
struct Distances {
    methods: usize,
    samples: [f64; 2],
    both: f64,
    sampled: f64,
    counted: f64,
    /// What counting alone puts between the samples and the profile.
    by_counting: f64,
    /// How much further both together may be than the nearer of the two.
    allowance: f64,
}

#[test]
#[ignore = "some minutes of this machine; scripts/nightly.sh runs it"]
fn estimates_of_unknown_programs_are_as_near_to_a_profile_as_samples_and_counts() {
    let Some(bench) = Bench::with(&["javac", "java", "mvn"]) else { return };
    let Some(library) = async_profiler(&bench) else { return };
    tell(
        "program    methods  profile's samples  the campaign's   both  samples  counts  counting  \
         allowed",
    );
    let mut further = Vec::new();
    for name in ["barcodes", "tables"] {
        let Some(found) = study(&bench, name, &library) else { return };
        let Distances { methods, samples: [theirs, own], both, sampled, counted, .. } = found;
        tell(&format!(
            "{name:<10} {methods:>7} {theirs:>18} {own:>15} {both:>6.3} {sampled:>8.3} \
             {counted:>7.3} {:>9.3} {:>8.3}",
            found.by_counting, found.allowance
        ));
        if both > sampled.min(counted) + found.allowance {
            further.push(name);
        }
    }
    assert!(further.is_empty(), "further from the profile than its own sources: {further:?}");
}

/// Writes past the runner, which keeps what passing tests print: the night's log is to have it.
fn tell(text: &str) {
    std::io::stderr().write_all(format!("{text}\n").as_bytes()).ok();
}

/// Distances of a program's estimates; none, and it says so, where it can't be fetched.
fn study(bench: &Bench, name: &str, library: &Path) -> Option<Distances> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/profile/study");
    let file = folder.join(format!("{name}.toml"));
    let text = fs::read_to_string(&file).unwrap();
    let program: Program = toml::from_str(&text).unwrap();
    let classes = compiled(bench, name, &program, &folder)
        .map_err(|error| crate::skip::because(format!("{name}: {error}")))
        .ok()?;

    let here = format!("path = {:?}", folder.to_str().unwrap());
    let scenario =
        bench.scenario(file.to_str().unwrap(), &format!("{name}.toml"), &[("path = \".\"", &here)]);
    let out = bench.out(name);
    let campaign = out.to_str().unwrap();
    let said = bench.good(&["pipeline", &scenario, "--board", "jvm", "--out", campaign]);
    let estimates = said.lines().find(|line| line.contains("samples combined"));
    tell(&format!("{name}:{}", estimates.unwrap_or_default()));

    let runs = profiles(bench, name, &program, &classes, library);
    let evaluation = bench.out(&format!("{name}-evaluation"));
    let mut arguments = vec!["evaluate", campaign, "--out", evaluation.to_str().unwrap()];
    arguments.extend(runs.iter().flat_map(|run| ["--profile", run.as_str()]));
    tell(&bench.good(&arguments));
    Some(distances(&out, &evaluation))
}

/// The plain program's classes.
fn compiled(
    bench: &Bench,
    name: &str,
    program: &Program,
    folder: &Path,
) -> Result<PathBuf, String> {
    let (sources, classes) =
        (bench.out(&format!("{name}-sources")), bench.out(&format!("{name}-classes")));
    let mut files = Vec::new();
    for source in &program.source {
        match (&source.maven, &source.sha256) {
            (Some(maven), Some(sha256)) => {
                let jar = artifact::fetch(maven, sha256).map_err(|error| error.to_string())?;
                unpack(&jar, &sources, |_| true)?;
            }
            _ => files.extend(source.include.iter().map(|file| folder.join(file))),
        }
    }
    let entries = walkdir::WalkDir::new(&sources).into_iter().map(Result::unwrap);
    let java = entries.map(walkdir::DirEntry::into_path);
    files.extend(java.filter(|path| path.extension().is_some_and(|end| end == "java")));
    let mut compiler = javac();
    compiler.args(["-nowarn", "-g", "-encoding", "UTF-8", "--release"]);
    compiler.arg(program.application.java_release.to_string()).arg("-d").arg(&classes);
    let output = compiler.args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(classes)
}

/// Profiles of the plain program: of each run the files of its inputs, with commas between them.
fn profiles(
    bench: &Bench,
    name: &str,
    program: &Program,
    classes: &Path,
    library: &Path,
) -> Vec<String> {
    let profile = |run: usize, input: &Input| {
        let extras: Vec<String> =
            input.extras.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let file = bench.out(&format!("{name}-{}-{run}.collapsed", extras.join("-")));
        let mut agent = std::ffi::OsString::from("-agentpath:");
        agent.push(library);
        agent.push("=start,event=ctimer,interval=2ms,collapsed,file=");
        agent.push(&file);
        let mut java = Command::new("java");
        java.arg(agent).arg("-cp").arg(classes).arg(&program.application.main);
        let output = java.arg(format!("frames={}", input.frames)).args(extras).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        file.to_str().unwrap().to_owned()
    };
    let run = |run| {
        let files: Vec<String> = program.input.iter().map(|input| profile(run, input)).collect();
        files.join(",")
    };
    (0..PROFILED_RUNS).map(run).collect()
}

/// Estimates and profile by what both call a method: overloads and lambdas of one name together.
fn distances(campaign: &Path, evaluation: &Path) -> Distances {
    // A method without samples, or without counts, has no figure by them.
    let number = |row: &BTreeMap<String, String>, name: &str| match row[name].as_str() {
        "" => 0.0,
        text => text.parse::<f64>().unwrap(),
    };
    let entries = rows(&evaluation.join("profile-entries.csv"));
    let entries: Vec<_> =
        entries.iter().filter(|row| row["level"] == "method" && row["samples"] != "0").collect();
    let estimates = rows(&campaign.join("accounts/method-estimates.csv"));
    let sum = |name: &str| estimates.iter().map(|row| number(row, name)).sum::<f64>();
    let (energy, sampled, counted) = (sum("energy_j"), sum("sampled_j"), sum("counted_j"));
    let own: f64 = sum("samples");
    let theirs: f64 = entries.iter().map(|row| number(row, "samples")).sum();

    let mut methods: BTreeMap<MethodSignature, Method> = BTreeMap::new();
    for row in &entries {
        let (class, method) = row["name"].split(" + ").next().unwrap().rsplit_once('.').unwrap();
        let entry = methods.entry(signature(class, method).bare()).or_default();
        let part = number(row, "profile_share");
        entry.profile += part;
        entry.profile_variance += part * (1.0 - part) / theirs;
    }
    for row in &estimates {
        let method = row["method"].split(" + ").next().unwrap();
        let entry = methods.entry(signature(&row["class"], method).bare()).or_default();
        let part = number(row, "sampled_j") / sampled;
        entry.sampled += part;
        entry.sampled_variance += part * (1.0 - part) / own;
        entry.counted += number(row, "counted_j") / counted;
        entry.both += number(row, "energy_j") / energy;
        entry.weight = entry.weight.max(number(row, "weight"));
    }
    let methods: Vec<Method> = methods.into_values().collect();
    let distance = |of: fn(&Method) -> f64| {
        methods.iter().map(|method| (of(method) - method.profile).abs()).sum::<f64>() / 2.0
    };
    let (sampled, counted) = (distance(|method| method.sampled), distance(|method| method.counted));
    Distances {
        methods: methods.len(),
        samples: [theirs, own],
        both: distance(|method| method.both),
        sampled,
        counted,
        by_counting: by_counting(&methods, theirs, own),
        allowance: allowance(&methods, sampled <= counted),
    }
}

/// The mean distance of two sets of samples of the same: half the sum of the mean absolute values
/// of normal differences with the variance of both parts, `p (1 - p) (1/N + 1/S)`.
fn by_counting(methods: &[Method], theirs: f64, own: f64) -> f64 {
    let deviation = |method: &Method| {
        let part = method.profile;
        (part * (1.0 - part) * (1.0 / theirs + 1.0 / own)).sqrt()
    };
    methods.iter().map(deviation).sum::<f64>() * (2.0 / std::f64::consts::PI).sqrt() / 2.0
}

/// The difference of the two distances `sum |e - p| / 2` and `sum |x - p| / 2` (`e` both together,
/// `x` samples or counts alone, `p` the profile) is off because `p` and the campaign's samples `s`
/// are, as numbers of samples are finite. Its derivatives by a method's parts are
///
/// ```text
/// by p:  (sign(p - e) - sign(p - x)) / 2
/// by s:  (w sign(e - p) - u sign(x - p)) / 2
/// ```
///
/// with the weight `w` of samples in `e`, and `u` = 1 where `x` is the samples, 0 where it is the
/// counts. So its variance is `sum (by p)^2 var(p) + (by s)^2 var(s)`: that of independent methods,
/// which is rather too much, as parts add up to 1.
fn allowance(methods: &[Method], samples_are_nearer: bool) -> f64 {
    let variance = |method: &Method| {
        let (other, own) = match samples_are_nearer {
            true => (method.sampled, 1.0),
            false => (method.counted, 0.0),
        };
        let [both, other] = [method.both, other].map(|part| sign(part - method.profile));
        let by_profile = (other - both) / 2.0;
        let by_samples = (method.weight * both - own * other) / 2.0;
        by_profile.powi(2) * method.profile_variance + by_samples.powi(2) * method.sampled_variance
    };
    STANDARD_DEVIATIONS * methods.iter().map(variance).sum::<f64>().sqrt()
}

/// 0 of zero, other than `f64::signum`.
fn sign(of: f64) -> f64 {
    if of == 0.0 { 0.0 } else { of.signum() }
}
